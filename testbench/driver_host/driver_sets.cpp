// SPDX-License-Identifier: Apache-2.0
#include "testbench/driver_host/driver_sets.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "testbench/driver_host/module_library.h"

namespace pmufab::driver_host {
namespace {

/// The numbers of a version, so that 7.10 sorts after 7.9.
std::vector<unsigned long> numbers_of(const std::string& version) {
  std::vector<unsigned long> numbers;
  std::istringstream in(version);
  for (std::string part; std::getline(in, part, '.');) {
    unsigned long number = 0;
    std::istringstream(part) >> number;
    numbers.push_back(number);
  }
  return numbers;
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

bool DriverSet::holds(std::string_view module) const {
  return std::any_of(modules.begin(), modules.end(), [&](const std::string& own) {
    return std::equal(own.begin(), own.end(), module.begin(), module.end(),
                      [](char a, char b) { return as_modprobe(a) == as_modprobe(b); });
  });
}

std::vector<DriverSet> sets_that_hold(const std::vector<DriverSet>& sets, const std::vector<std::string>& modules) {
  std::vector<DriverSet> chosen;
  std::copy_if(sets.begin(), sets.end(), std::back_inserter(chosen), [&](const DriverSet& set) {
    return std::all_of(modules.begin(), modules.end(), [&](const std::string& module) { return set.holds(module); });
  });
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
                         "': get the sources with tools/fetch-linux-sources and build them (the build does it, or "
                         "tools/build-drivers " +
                         folder.string() + ")");
  }
  std::sort(sets.begin(), sets.end(), [](const DriverSet& a, const DriverSet& b) {
    const auto left = numbers_of(a.kernel_version);
    const auto right = numbers_of(b.kernel_version);
    return left != right ? left < right : a.kernel_version < b.kernel_version;
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
