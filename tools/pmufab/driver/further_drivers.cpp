// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/driver/further_drivers.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
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

bool has_sources(const DriverSet& set, const std::set<std::string>& modules) {
  const fs::path source = source_of(set.kernel_version);
  return std::ranges::all_of(further_drivers(), [&](const FurtherDriver& one) {
    std::error_code error;
    return !modules.contains(one.module) ||
           std::ranges::all_of(one.files, [&](const auto& file) { return fs::exists(source / file, error); });
  });
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

void add_further_drivers(std::vector<DriverSet>& sets, const std::vector<WantedDrivers>& wanted,
                         const std::string& selector) {
  std::map<std::set<std::string>, std::vector<std::string>> selectors;
  for (const WantedDrivers& platform : wanted) {
    std::set<std::string> needed;
    for (const FurtherDriver& driver : further_drivers()) {
      if (std::ranges::find(platform.modules, driver.module) != platform.modules.end()) needed.insert(driver.module);
    }
    if (needed.empty()) continue;
    std::vector<std::string>& its = selectors[needed];
    its.insert(its.end(), platform.selectors.begin(), platform.selectors.end());
    if (platform.selectors.empty()) its.emplace_back("all");
  }
  if (selectors.empty()) return;
  std::vector<DriverSet> all;
  std::set<std::set<std::string>> found;  // with a newer kernel
  for (auto set = sets.rbegin(); set != sets.rend(); ++set) {
    for (const auto& [needed, its] : selectors) {
      if (set->modules.empty()) continue;  // the user's own
      const auto is_wanted = [&, &needed = needed](const std::string& one) {
        return one == "newest" ? !found.contains(needed) : scenario::selects(one, set->kernel_version);
      };
      if (!has_sources(*set, needed) || (!selector.empty() && !is_wanted(selector))) continue;
      const bool has_all = std::ranges::all_of(needed, [&](const auto& module) { return set->holds(module); });
      std::optional<DriverSet> built;
      if (!has_all && std::ranges::any_of(its, is_wanted)) {
        built = build_with(*set, needed);
        if (!built) continue;
        all.push_back(*std::move(built));
      }
      found.insert(needed);
    }
    all.push_back(std::move(*set));
  }
  std::ranges::reverse(all);
  sets = std::move(all);
}

}  // namespace pmufab::cli
