// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/checks/checks.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/checks/check_helpers.h"

namespace pmufab::scenario {
namespace {

using driver_host::DriverHost;

constexpr std::size_t kMostFailedCalls = 5;

/// A driver that numbers its PMUs itself goes on with the next number when a device is probed again. So PMUs are known by
/// what is before the number.
std::string without_number(const std::string& name) { return name.substr(0, name.find_last_not_of("0123456789") + 1); }

}  // namespace

FailingCallsCheck::Loaded FailingCallsCheck::load(std::uint64_t number) {
  DriverHost& host = machine_.host();
  machine_.platform().reset();
  if (before_loading_) before_loading_();
  host.load_with_failing_call(number);
  Loaded loaded{host.bound_devices(), {}};
  for (const perf::Pmu& pmu : host.pmus()) {
    std::string& cpumask = loaded.pmus[pmu.name];
    for (const auto& [path, text] : pmu.files) {
      if (path == "cpumask") cpumask = text.substr(0, text.find('\n'));
    }
  }
  host.unload();
  return loaded;
}

void FailingCallsCheck::try_call(std::uint64_t number, const Loaded& usual) {
  const DriverHost& host = machine_.host();
  const NewWarnings warnings(host);
  const auto [bound, pmus] = load(number);
  ++tried_;
  const auto complain = [&](const std::string& what) {
    const std::string complaint = fmt::format("call {}, {}: {}", number, host.failed_call(), what);
    const bool is_known = std::ranges::any_of(
        spec_.known, [&](const std::string& part) { return complaint.find(part) != std::string::npos; });
    if (!is_known) wrong_.push_back(complaint);
  };
  if (const std::string warning = warnings.first(); !warning.empty()) complain(warning);
  for (const DriverHost::BoundDevice& device : bound) {
    const auto found = std::ranges::find_if(usual.bound, [&](const auto& other) { return other.name == device.name; });
    if (found == usual.bound.end() || found->driver != device.driver) continue;
    if (device.pmu_count < found->pmu_count) {
      complain(fmt::format("{} is bound to {} without its PMU", device.driver, device.name));
    } else if (bound.size() == usual.bound.size() && device.file_count < found->file_count) {
      // If a device is given up, another one gets its number.
      complain(fmt::format("the PMU of {} has {} of its {} files", device.name, device.file_count, found->file_count));
    }
  }
  for (const auto& [pmu, cpumask] : pmus) {
    std::vector<std::string> masks;
    for (const auto& [name, mask] : usual.pmus) {
      if (without_number(name) == without_number(pmu)) masks.push_back(mask);
    }
    if (masks.empty()) {
      complain(fmt::format("a PMU is called '{}', and none is otherwise", pmu));
    } else if (std::ranges::find(masks, cpumask) == masks.end()) {
      complain(fmt::format("the cpumask of {} is '{}', and '{}' otherwise", pmu, cpumask, masks.front()));
    }
  }
}

CheckResult FailingCallsCheck::run() {
  const Unjudged unjudged(machine_);
  const DriverHost& host = machine_.host();
  if (host.panicked()) return {kFailingCallsCheck, true, "not checked: the kernel has panicked"};
  try {
    const Loaded usual = load(std::numeric_limits<std::uint64_t>::max());
    const std::uint64_t calls = host.calls_that_may_fail();
    if (calls == 0) return {kFailingCallsCheck, true, "not checked: the library of the drivers has no symbols"};
    std::vector<std::uint64_t> numbers = spec_.numbers;
    for (std::uint64_t number = 1; spec_.each && number <= calls; ++number) numbers.push_back(number);
    for (const std::uint64_t number : numbers) {
      if (wrong_.size() >= kMostFailedCalls) break;
      if (stops_()) return stopped(numbers.size());
      try_call((number - 1) % calls + 1, usual);
    }
  } catch (const std::exception& error) {
    if (!host.panicked()) throw;
    wrong_.push_back(fmt::format("{}: the kernel panicked: {}", host.failed_call(), error.what()));
  }
  return result();
}

CheckResult FailingCallsCheck::stopped(std::size_t planned) const {
  if (!wrong_.empty()) return result();
  return {kFailingCallsCheck, true,
          fmt::format("stopped: {} of {} calls were tried, and left nothing", tried_, planned)};
}

CheckResult FailingCallsCheck::result() const {
  if (wrong_.empty())
    return {kFailingCallsCheck, true,
            fmt::format("drivers were loaded {} times while a call of theirs failed, and left nothing", tried_)};
  return {kFailingCallsCheck, false, fmt::format("{}", fmt::join(wrong_, " | "))};
}

}  // namespace pmufab::scenario
