// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/run/results/results.h"
#include "testbench/run/session/machine.h"

namespace pmufab::scenario {

/// Unload each kernel module that others have asked for (no device needs it by itself, as nvidia_cspmu), and load it
/// again, while the rest stay. The PMUs that it serves must go and come back. From a SystemC thread process, when drivers
/// are loaded and no event is open.
/// @return "modules"
[[nodiscard]] CheckResult reload_modules(Machine& machine);

}  // namespace pmufab::scenario
