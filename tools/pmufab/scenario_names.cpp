// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/scenario_names.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/places.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using scenario::InputError;

/// Folders with parts of scenarios.
bool is_for_parts(const fs::path& folder) {
  return folder.filename() == "platforms" || folder.filename() == "traffic" || folder.filename() == "studies";
}

/// The scenarios in any folder below this one, sorted.
std::vector<fs::path> scenarios_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error); entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    if (error) break;
    if (is_for_parts(entry->path())) entry.disable_recursion_pending();
    if (entry->path().extension() == ".yaml" && entry->is_regular_file(error)) files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

/// Folders with scenarios, in the order of searching.
std::vector<fs::path> places() { return {"scenarios", data_folder() / "scenarios"}; }

/// @param folder  below each place; empty: the place itself
/// @return the names of the files in it, sorted, each once
std::vector<std::string> names_below(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::path& place : places()) {
    for (const fs::path& file : scenarios_below(place / folder)) names.push_back(file.stem().string());
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// @param kind  what the files of the folder are
std::string find_named_part(const std::string& folder, const std::string& kind, const std::string& given) {
  std::string path = find_part(folder, given);
  std::error_code error;
  // Whoever reads a path says what is wrong with it.
  if (path.find('/') != std::string::npos || fs::path(path).has_extension() || fs::exists(path, error)) return path;
  const std::vector<std::string> scenarios = scenario_names();
  if (std::binary_search(scenarios.begin(), scenarios.end(), given))
    throw InputError(fmt::format("'{}' is a scenario, not a {}", given, kind),
                     "pmufab run takes scenarios; pmufab regs does with --at TIME");
  const std::string suggestion = scenario::did_you_mean(given, names_below(folder));
  throw InputError(fmt::format("there is no file and no {} '{}'", kind, given),
                   suggestion.empty()
                       ? fmt::format("give the path of a YAML file, or the name of one below scenarios/{}/", folder)
                       : suggestion);
}

}  // namespace

fs::path find_scenario(const std::string& given) {
  std::error_code error;
  // An argument that looks like a path is a path, and errors in it are reported as such. A folder may have the name of
  // a scenario: that of its results, for example.
  const bool is_file = fs::exists(given, error) && !fs::is_directory(given, error);
  if (is_file || given.find('/') != std::string::npos || fs::path(given).extension() == ".yaml") return given;
  std::vector<fs::path> folders = places();
  for (const fs::path& place : places()) folders.push_back(place / "studies" / "base");
  for (const fs::path& folder : folders) {
    std::vector<fs::path> files = scenarios_below(folder);
    std::erase_if(files, [&](const fs::path& file) { return file.stem() != given; });
    if (files.size() == 1) return files.front();
    if (files.size() > 1)
      throw InputError(fmt::format("there are several scenarios '{}'", given),
                       fmt::format("give a path: {} or {}", files[0].generic_string(), files[1].generic_string()));
  }
  const std::string suggestion = scenario::did_you_mean(given, scenario_names());
  throw InputError(
      fmt::format("there is no file and no scenario '{}'", given),
      suggestion.empty() ? "give the path of a YAML file, or the name of one below scenarios/" : suggestion);
}

std::string find_part(const std::string& folder, const std::string& given) {
  std::error_code error;
  if (given.find('/') != std::string::npos || fs::exists(given, error)) return given;
  for (const fs::path& place : places()) {
    const fs::path direct = place / folder / (given + ".yaml");
    if (fs::exists(direct, error)) return direct.generic_string();
    std::vector<fs::path> files = scenarios_below(place / folder);
    std::erase_if(files, [&](const fs::path& file) { return file.stem() != given; });
    if (files.size() == 1) return files.front().generic_string();
    if (files.size() > 1)
      throw InputError(fmt::format("there are several files '{}'", given),
                       fmt::format("give a path: {} or {}", files[0].generic_string(), files[1].generic_string()));
  }
  return given;
}

std::string find_platform(const std::string& given) { return find_named_part("platforms", "platform", given); }
std::string find_traffic(const std::string& given) { return find_named_part("traffic", "traffic file", given); }

std::string override_of_platform(const std::string& given) {
  std::string quoted;  // in YAML, a quote in quotes is written twice
  for (const char letter : find_platform(given)) quoted += letter == '\'' ? "''" : std::string(1, letter);
  return fmt::format("platform='{}'", quoted);
}

std::vector<std::string> scenario_names() { return names_below({}); }

}  // namespace pmufab::cli
