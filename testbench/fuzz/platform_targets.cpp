// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/targets.h"

namespace pmufab::fuzz {

std::unique_ptr<Machine> make_machine(std::string_view target) { return make_platform_machine(target); }
std::string target_names() { return " tegra410 cmn"; }

}  // namespace pmufab::fuzz
