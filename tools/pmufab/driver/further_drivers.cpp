// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/driver/further_drivers.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "tools/pmufab/cli.h"
#include "tools/pmufab/driver/cache.h"
#include "tools/pmufab/places.h"
#include "tools/pmufab/user_program.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using driver_host::DriverSet;

/// @return the set with further modules; nothing: its kernel lacks one, or it does not compile
std::optional<DriverSet> build_with(const DriverSet& stock, const std::set<std::string>& modules) {
  const fs::path folder = cache_folder() / fmt::format("drivers-{}-{}", stock.kernel_version, fmt::join(modules, "-"));
  Arguments words = {"--base",    stock.kernel_version,
                     "--sources", kernel_sources().string(),
                     "--like",    stock.library.parent_path().parent_path().string()};
  for (const std::string& module : modules) words.insert(words.end(), {"--module", module});
  words.push_back(folder.string());
  const FolderLock lock(folder, "build of drivers that a platform needs");
  if (run_script("build-drivers", words, ScriptOutput::error) != 0) return std::nullopt;
  const std::vector<DriverSet> built = driver_host::find_driver_sets(folder);
  return built.empty() ? std::nullopt : std::optional(built.back());
}

}  // namespace

const std::vector<FurtherDriver>& further_drivers() {
  static const std::vector<FurtherDriver> drivers = [] {
    std::ifstream list(data_folder() / "testbench" / "host" / "further-drivers.txt");
    std::vector<FurtherDriver> read;
    for (std::string line; std::getline(list, line);) {
      std::istringstream words(line.substr(0, line.find('#')));
      FurtherDriver driver;
      if (!(words >> driver.module)) continue;
      std::vector<std::string>* part = &driver.files;
      for (std::string word; words >> word;) {
        if (word == "after") {
          part = &driver.after;
        } else {
          part->push_back(word);
        }
      }
      read.push_back(std::move(driver));
    }
    return read;
  }();
  return drivers;
}

void add_further_drivers(std::vector<DriverSet>& sets, const std::vector<std::vector<std::string_view>>& modules) {
  std::set<std::set<std::string>> wanted;
  for (const std::vector<std::string_view>& platform : modules) {
    std::set<std::string> needed;
    for (const FurtherDriver& driver : further_drivers()) {
      if (std::ranges::find(platform, driver.module) != platform.end()) needed.insert(driver.module);
    }
    if (!needed.empty()) wanted.insert(needed);
  }
  if (wanted.empty()) return;
  std::vector<DriverSet> all;
  for (const DriverSet& set : sets) {
    all.push_back(set);
    if (set.modules.empty()) continue;  // the user's own
    for (const std::set<std::string>& needed : wanted) {
      const bool has_all = std::ranges::all_of(needed, [&](const auto& module) { return set.holds(module); });
      const fs::path source = source_of(set.kernel_version);
      const bool has_sources = std::ranges::all_of(further_drivers(), [&](const FurtherDriver& one) {
        std::error_code error;
        return !needed.contains(one.module) ||
               std::ranges::all_of(one.files, [&](const auto& file) { return fs::exists(source / file, error); });
      });
      if (has_all || !has_sources) continue;
      if (std::optional<DriverSet> built = build_with(set, needed)) all.push_back(*std::move(built));
    }
  }
  sets = std::move(all);
}

}  // namespace pmufab::cli
