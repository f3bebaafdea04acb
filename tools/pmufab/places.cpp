// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/places.h"

#include <cstdlib>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using scenario::InputError;

/// The folder of the program; empty if the system does not tell.
fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

fs::path beside_program(const fs::path& place) { return (program_folder() / place).lexically_normal(); }

/// The value of an environment variable; empty if it is not set.
std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

}  // namespace

bool is_installed() {
  std::error_code error;
  return fs::exists(beside_program(PMUFAB_BIN_TO_DATA) / "tools" / "build-drivers", error);
}

fs::path data_folder() { return is_installed() ? beside_program(PMUFAB_BIN_TO_DATA) : fs::path(PMUFAB_SOURCE_FOLDER); }

std::optional<fs::path> find_cache_folder() {
  for (const auto& [name, below] : {std::pair{"XDG_CACHE_HOME", ""}, std::pair{"HOME", ".cache"}}) {
    if (const std::string value = variable(name); value.starts_with('/')) return fs::path(value) / below / "pmufab";
  }
  return std::nullopt;
}

fs::path cache_folder() {
  if (std::optional<fs::path> folder = find_cache_folder()) return *std::move(folder);
  throw InputError("there is no cache folder: neither XDG_CACHE_HOME nor HOME is set", "set HOME to your home folder");
}

fs::path fetched_sources() { return cache_folder() / "linux-sources"; }

std::vector<fs::path> driver_folders() {
  if (const std::string given = variable("PMUFAB_DRIVERS"); !given.empty()) return {given};
  std::vector<fs::path> folders;
  if (!is_installed()) folders.push_back(beside_program("../drivers"));
  if (const std::optional<fs::path> cache = find_cache_folder()) folders.push_back(*cache / "drivers");
  return folders;
}

fs::path kernel_sources() { return is_installed() ? fetched_sources() : data_folder() / ".cache" / "linux-sources"; }

fs::path source_of(const std::string& version) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(kernel_sources(), error)) {
    if (first_line_of(entry.path() / "VERSION") == version || entry.path().filename() == version) return entry.path();
  }
  return kernel_sources() / version;
}

std::string first_line_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  std::getline(stream, line);
  return line;
}

fs::path driver_folder_to_fill() {
  const std::string given = variable("PMUFAB_DRIVERS");
  return given.empty() ? cache_folder() / "drivers" : fs::path(given);
}

std::vector<fs::path> guest_folders() {
  if (const std::string given = variable("PMUFAB_GUEST"); !given.empty()) return {given};
  std::vector<fs::path> folders = {".cache/guest"};
  if (!is_installed()) folders.push_back(data_folder() / ".cache/guest");
  if (const std::optional<fs::path> cache = find_cache_folder()) folders.push_back(*cache / "guest");
  return folders;
}

fs::path guest_folder_to_fill() {
  if (const std::string given = variable("PMUFAB_GUEST"); !given.empty()) return given;
  return is_installed() ? cache_folder() / "guest" : data_folder() / ".cache/guest";
}

fs::path find_library(const std::string& below, const std::string& name) {
  const fs::path file =
      is_installed() ? beside_program(PMUFAB_BIN_TO_LIBRARY) / name : beside_program(fs::path("..") / below / name);
  std::error_code error;
  if (fs::exists(file, error)) return fs::canonical(file);
  throw InputError(fmt::format("the library {} is not there", file.generic_string()),
                   is_installed() ? "install pmufab again" : "build it: cmake --build --preset release");
}

fs::path find_script(const std::string& name) {
  fs::path script = data_folder() / "tools" / name;
  std::error_code error;
  if (!fs::is_regular_file(script, error))
    throw InputError(fmt::format("there is no {}", script.generic_string()),
                     "keep the source tree pmufab was built from, or install pmufab");
  return script;
}

}  // namespace pmufab::cli
