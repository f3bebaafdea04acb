// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/driver_sets.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "testbench/host/module_library.h"

namespace pmufab::driver_host {
namespace {

/// The number at the front of `text`, which is removed together with the dot behind it; 0 if there is none.
unsigned long take_part(std::string_view& text) {
  unsigned long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) number = 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  text.remove_prefix(std::min(text.find('.'), text.size()));
  if (!text.empty()) text.remove_prefix(1);
  return number;
}

/// The modules in a manifest: lines "driver NAME SHA256 FILE".
std::vector<std::string> modules_in(const std::filesystem::path& manifest) {
  std::vector<std::string> modules;
  std::ifstream in(manifest);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string name;
    if (words >> kind >> name && kind == "driver") modules.push_back(name);
  }
  return modules;
}

char as_modprobe(char c) { return c == '-' ? '_' : c; }

}  // namespace

std::string module_of(const std::string& file) {
  std::string name = std::filesystem::path(file).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

int compare_versions(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const unsigned long x = take_part(a);
    const unsigned long y = take_part(b);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

bool DriverSet::holds(std::string_view module) const {
  return std::any_of(modules.begin(), modules.end(), [&](const std::string& own) {
    return std::equal(own.begin(), own.end(), module.begin(), module.end(),
                      [](char a, char b) { return as_modprobe(a) == as_modprobe(b); });
  });
}

std::vector<DriverSet> sets_that_hold(const std::vector<DriverSet>& sets,
                                      const std::vector<std::string_view>& modules) {
  std::vector<DriverSet> chosen;
  for (const DriverSet& set : sets) {
    const bool is_able = set.modules.empty() || std::all_of(modules.begin(), modules.end(),
                                                            [&](std::string_view module) { return set.holds(module); });
    // Of one kernel, the first: others have more.
    if (is_able && (chosen.empty() || chosen.back().kernel_version != set.kernel_version)) chosen.push_back(set);
  }
  return chosen;
}

std::vector<DriverSet> find_driver_sets(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::vector<DriverSet> sets;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path library = entry.path() / "pmufab_drivers.so";
    if (!fs::is_regular_file(library, error)) continue;
    sets.push_back({.library = library,
                    .kernel_version = entry.path().filename().string(),
                    .modules = modules_in(entry.path() / "manifest.txt")});
  }
  if (sets.empty()) {
    throw DriverSetError("no Linux drivers in '" + folder.string() +
                         "': pmufab driver fetch gets their sources and builds them; in a source tree, run "
                         "tools/fetch-linux-sources and build again");
  }
  std::sort(sets.begin(), sets.end(), [](const DriverSet& a, const DriverSet& b) {
    const int order = compare_versions(a.kernel_version, b.kernel_version);
    return order != 0 ? order < 0 : a.kernel_version < b.kernel_version;
  });
  return sets;
}

DriverSet driver_set_of(const std::filesystem::path& library) {
  ModuleLibrary module(library);
  DriverSet set{.library = std::filesystem::absolute(library), .kernel_version = module->kernel_version};
  module.unload();
  return set;
}

}  // namespace pmufab::driver_host
