// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/scenario_names.h"

#include <fnmatch.h>
#include <glob.h>

#include <algorithm>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "testbench/run/yaml/document.h"
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

/// @return false for a YAML file that is something else than a scenario. What is wrong with one is told by who reads it
bool may_measure(const fs::path& file) {
  try {
    return scenario::load_file(file).find("measure") != nullptr;
  } catch (const InputError&) {
    return true;
  }
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

/// The paths that a shell would make of it, sorted.
std::vector<fs::path> paths_like(const std::string& pattern) {
  std::vector<fs::path> paths;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

/// @throws InputError if there is none
std::vector<fs::path> scenarios_like(const std::string& pattern) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::path& path : paths_like(pattern)) {
    if (fs::is_directory(path, error)) {
      const std::vector<fs::path> below = scenarios_in(path);
      files.insert(files.end(), below.begin(), below.end());
    } else if (path.extension() == ".yaml" && may_measure(path)) {
      files.push_back(path);
    }
  }
  if (!files.empty()) return files;
  if (pattern.find('/') == std::string::npos) {
    files = all_scenarios();
    std::erase_if(files, [&](const fs::path& file) {
      return fnmatch(pattern.c_str(), file.stem().c_str(), 0) != 0 &&
             fnmatch(pattern.c_str(), file.filename().c_str(), 0) != 0;
    });
  }
  if (!files.empty()) return files;
  std::string letters = fs::path(pattern).filename().string();
  std::erase_if(letters, [](char letter) { return letter == '*' || letter == '?' || letter == '[' || letter == ']'; });
  const std::string suggestion = scenario::did_you_mean(letters, scenario_names());
  throw InputError(fmt::format("no scenario is like '{}'", pattern),
                   suggestion.empty() ? "pmufab list --scenarios has all names" : suggestion);
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

std::vector<fs::path> find_scenarios(const std::string& given) {
  std::error_code error;
  const bool is_there = fs::exists(given, error);
  if (!is_there && given.find_first_of("*?[") != std::string::npos) return scenarios_like(given);
  const std::vector<std::string> names = scenario_names();
  if (given.find('/') == std::string::npos && std::binary_search(names.begin(), names.end(), given))
    return {find_scenario(given)};
  std::vector<fs::path> folders = {given};
  for (const fs::path& place : places()) folders.push_back(place / given);
  const auto folder = std::ranges::find_if(folders, [&](const fs::path& one) { return fs::is_directory(one, error); });
  if (folder == folders.end() || given.empty() || (is_there && folder != folders.begin()))
    return {find_scenario(given)};
  std::vector<fs::path> files = scenarios_in(*folder);
  if (!files.empty()) return files;
  const std::string suggestion = scenario::did_you_mean(fs::path(given).filename().string(), names);
  throw InputError(fmt::format("there is no scenario below '{}'", given),
                   suggestion.empty() ? "platforms, traffic and studies are none" : suggestion);
}

std::vector<fs::path> scenarios_in(const fs::path& folder) {
  std::vector<fs::path> files = scenarios_below(folder);
  std::erase_if(files, [](const fs::path& file) { return file.filename() == "effective.yaml" || !may_measure(file); });
  return files;
}

std::vector<fs::path> all_scenarios() {
  std::vector<fs::path> all;
  std::set<std::string> taken;
  std::error_code error;
  const std::vector<fs::path> folders = places();
  for (const fs::path& place : folders) {
    if (place != folders.front() && fs::equivalent(place, folders.front(), error)) continue;
    std::vector<fs::path> files = scenarios_in(place);
    std::erase_if(files, [&](const fs::path& file) { return taken.contains(file.stem().string()); });
    for (const fs::path& file : files) taken.insert(file.stem().string());
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

std::vector<std::string> scenario_names() { return names_below({}); }

}  // namespace pmufab::cli
