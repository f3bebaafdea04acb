// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "testbench/fabrics/common/random.h"
#include "testbench/fabrics/cxl/verify/cxl_machine.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::verify {

/// @return what firmware has left in the CPMUs of some devices, a list for the key `firmware_writes`: values of counters,
///         filters, thresholds, interrupts and freezes. Nothing runs and nothing has overflowed, and no event is selected:
///         the driver presumes that (cxl_known_defects.h). Of filters that this kernel's driver has, no others.
[[nodiscard]] scenario::Value cxl_firmware(Random& random, const CxlMachine& machine, std::string_view kernel);

}  // namespace pmufab::verify
