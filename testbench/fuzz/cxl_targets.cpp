// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/cxl_machine.h"
#include "testbench/fuzz/targets.h"

namespace pmufab::fuzz {

std::unique_ptr<Machine> make_machine(std::string_view target) { return make_cxl_machine(target); }
std::string target_names() { return " cxl_device cxl_cpmu"; }

}  // namespace pmufab::fuzz
