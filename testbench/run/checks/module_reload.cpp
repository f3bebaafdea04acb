// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/checks/checks.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace pmufab::scenario {
namespace {

using driver_host::DriverHost;

constexpr const char* kModulesCheck = "modules";

std::set<std::string> names_of_all_pmus(const DriverHost& host) {
  std::set<std::string> names;
  for (const perf::Pmu& pmu : host.pmus()) names.insert(pmu.name);
  return names;
}

/// A module that counts its PMUs goes on counting: its variables are not new, as those of a kernel's module are.
/// @return what it calls a PMU then, if it has numbered all of `before` that are called as this one but for the number
std::string counted_on(const std::string& pmu, const std::set<std::string>& before) {
  constexpr const char* kDigits = "0123456789";
  const std::size_t digits = pmu.find_last_not_of(kDigits) + 1;
  constexpr std::size_t kMost = 9;
  if (digits == pmu.size() || pmu.size() - digits > kMost) return {};
  const std::string name = pmu.substr(0, digits);
  const auto numbered = std::ranges::count_if(before, [&](const std::string& other) {
    return other.starts_with(name) && other.find_first_not_of(kDigits, digits) == std::string::npos;
  });
  return fmt::format("{}{}", name, std::stol(pmu.substr(digits)) + numbered);
}

/// @return the PMUs that a module serves, which is one file
std::vector<std::string> served_by(const DriverHost& host, const std::string& module) {
  for (const driver_host::DriverFile& file : host.driver_files()) {
    std::string name = file.file.substr(0, file.file.rfind('.'));
    std::ranges::replace(name, '-', '_');
    if (name == module) return file.pmus;
  }
  return {};
}

/// @return what is wrong; empty: nothing
std::string reload_module(DriverHost& host, const std::string& module) {
  const std::set<std::string> before = names_of_all_pmus(host);
  const std::uint64_t warnings = host.warnings();
  const int unloaded = host.unload_module(module);
  if (unloaded == -EBUSY) return {};  // as rmmod says
  if (unloaded != 0) return fmt::format("module {} cannot be unloaded (error {})", module, unloaded);
  const std::set<std::string> left = names_of_all_pmus(host);
  for (const std::string& pmu : served_by(host, module)) {
    if (left.contains(pmu)) return fmt::format("module {} was unloaded, and {}, which it serves, stayed", module, pmu);
  }
  if (const int error = host.load_module(module); error != 0)
    return fmt::format("module {} cannot be loaded again (error {})", module, error);
  const std::set<std::string> after = names_of_all_pmus(host);
  for (const std::string& pmu : before) {
    if (!after.contains(pmu) && !after.contains(counted_on(pmu, before)))
      return fmt::format("module {} was unloaded and loaded again, and {} is missing since", module, pmu);
  }
  if (host.warnings() != warnings) return fmt::format("the kernel warned when module {} was loaded again", module);
  return {};
}

}  // namespace

CheckResult reload_modules(Machine& machine) {
  DriverHost& host = machine.host();
  try {
    for (const DriverHost::LoadedModule& module : host.modules()) {
      if (!module.is_helper) continue;
      if (std::string wrong = reload_module(host, module.name); !wrong.empty())
        return {kModulesCheck, false, std::move(wrong)};
    }
  } catch (const std::exception& error) {
    if (!host.panicked()) throw;
    return {kModulesCheck, false, fmt::format("the kernel panicked: {}", error.what())};
  }
  return {kModulesCheck, true, "modules that others asked for can be unloaded and loaded again"};
}

}  // namespace pmufab::scenario
