// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "testbench/fuzz/machine.h"

namespace pmufab::fuzz {

/// @return the machine of a target; nullptr if there is none with that name
[[nodiscard]] std::unique_ptr<Machine> make_machine(std::string_view target);
/// @return the names, each after a blank
[[nodiscard]] std::string target_names();

/// Makes the machines "tegra410" (the register windows of one socket; clocks, but no traffic) and "cmn" (the
/// configuration space of a small mesh with its PMU, and flits that leave crosspoints).
/// @return the machine of the target; nullptr for other names
[[nodiscard]] std::unique_ptr<Machine> make_platform_machine(std::string_view target);

}  // namespace pmufab::fuzz
