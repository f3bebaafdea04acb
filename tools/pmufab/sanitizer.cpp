// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "testbench/host/module_library.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/places.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;

/// What LD_PRELOAD was before. It is there only until the program that was started with it begins.
constexpr const char* kBefore = "PMUFAB_LD_PRELOAD";

char** own_arguments = nullptr;
bool is_second = false;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

bool has_sanitizer() { return dlsym(RTLD_DEFAULT, "__asan_init") != nullptr; }

/// @return the libraries with drivers that find_drivers() may take
std::vector<fs::path> libraries_of(const boost::program_options::variables_map& options) {
  if (const std::string own = options["driver"].as<std::string>(); !own.empty()) return {own};
  const std::string given = options["driver-dir"].as<std::string>();
  std::vector<fs::path> libraries;
  for (const fs::path& folder : given.empty() ? driver_folders() : std::vector<fs::path>{given}) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
      libraries.push_back(entry.path() / "pmufab_drivers.so");
    if (!libraries.empty()) break;
  }
  return libraries;
}

/// Become this program once more.
[[noreturn]] void restart_with(const std::string& sanitizer) {
  const std::string before = variable("LD_PRELOAD");
  setenv(kBefore, before.c_str(), 1);
  setenv("LD_PRELOAD", (sanitizer + (before.empty() ? "" : ":") + before).c_str(), 1);
  // Kernel memory that a driver keeps is no leak of a program. Drivers run on stacks of their own. What the user wrote
  // comes last, and so it holds.
  const std::string options = variable("ASAN_OPTIONS");
  setenv("ASAN_OPTIONS",
         ("detect_leaks=0:detect_stack_use_after_return=0" + (options.empty() ? "" : ":" + options)).c_str(), 1);
  std::error_code error;
  const std::string program = fs::read_symlink("/proc/self/exe", error).string();
  execv(program.c_str(), own_arguments);
  throw std::system_error(errno, std::generic_category(), program);
}

}  // namespace

void take_arguments(char** arguments) {
  own_arguments = arguments;
  if (std::getenv(kBefore) == nullptr) return;
  is_second = true;
  const std::string before = variable(kBefore);
  before.empty() ? unsetenv("LD_PRELOAD") : setenv("LD_PRELOAD", before.c_str(), 1);
  unsetenv(kBefore);
}

Arguments given_arguments() {
  Arguments words;
  for (char** word = own_arguments + 1; *word != nullptr; ++word) words.emplace_back(*word);
  return words;
}

void preload_sanitizer(const boost::program_options::variables_map& options) {
  if (options.count("driver") == 0 || has_sanitizer()) return;
  for (const fs::path& library : libraries_of(options)) {
    for (const std::string& needed : driver_host::needed_libraries(library)) {
      if (!needed.starts_with("libasan.")) continue;
      if (!is_second) restart_with(needed);
      throw scenario::InputError(
          fmt::format("the drivers in '{}' are built with --sanitize, and their library {} cannot be loaded",
                      library.generic_string(), needed),
          "install it (with gcc of the same version), or build the drivers without --sanitize");
    }
  }
}

}  // namespace pmufab::cli
