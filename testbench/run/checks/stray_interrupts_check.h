// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "testbench/run/results/results.h"
#include "testbench/run/session/machine.h"

namespace pmufab::scenario {

/// What drivers do when an interrupt comes while they set up a device, or leave it. Their modules are loaded into hardware
/// that was reset, and unloaded. From its request on, each handler is called between any two steps of probe and remove: each
/// time something managed (devm) is taken or given back, and around the PMU's registration and that for CPU hotplug. A
/// driver must not crash, warn or panic, use memory that is freed, or registers that are not mapped.
/// From a SystemC thread process, after the drivers were unloaded.
/// @param before_loading  what firmware does after the reset; empty: nothing
[[nodiscard]] CheckResult check_stray_interrupts(Machine& machine, const std::function<void()>& before_loading);

}  // namespace pmufab::scenario
