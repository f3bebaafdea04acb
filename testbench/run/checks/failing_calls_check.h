// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "testbench/run/results/results.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario {

/// What drivers do when the kernel refuses them something. Their modules are loaded into hardware that was reset, once for
/// each of their calls that may fail, such as kmalloc(); this call fails. A driver may give up a device, or do without what
/// it was refused. It must not warn, panic, keep what it had taken, stay bound to a device whose PMU it did not register,
/// or register a PMU without some of its files, by another name or for another CPU.
/// From a SystemC thread process, after the drivers were unloaded.
class FailingCallsCheck {
 public:
  /// @param before_loading  what firmware does after each reset; empty: nothing
  /// @param stops           asked before each load; true: the rest is left out
  FailingCallsCheck(Machine& machine, const FailingCallsSpec& spec, std::function<void()> before_loading,
                    std::function<bool()> stops)
      : machine_(machine), spec_(spec), before_loading_(std::move(before_loading)), stops_(std::move(stops)) {}

  /// @return "failing_calls"
  [[nodiscard]] CheckResult run();

 private:
  /// What there is when the drivers are loaded.
  struct Loaded {
    std::vector<driver_host::DriverHost::BoundDevice> bound;
    std::map<std::string, std::string> pmus;  // the file cpumask of each
  };
  /// Load the drivers while a call fails, and unload them.
  Loaded load(std::uint64_t number);
  void try_call(std::uint64_t number, const Loaded& usual);
  [[nodiscard]] CheckResult result() const;
  [[nodiscard]] CheckResult stopped(std::size_t planned) const;

  Machine& machine_;
  const FailingCallsSpec& spec_;
  std::function<void()> before_loading_;
  std::function<bool()> stops_;
  std::uint64_t tried_ = 0;
  std::vector<std::string> wrong_;
};

}  // namespace pmufab::scenario
