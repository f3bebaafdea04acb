// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/scenario/yaml/document.h"
#include "testbench/verify/cxl/cxl_layout.h"
#include "testbench/verify/cxl/cxl_machine.h"
#include "testbench/verify/random.h"

namespace pmufab::verify {

/// @param details  of each device, by number
/// @return the map under the key `platform`
[[nodiscard]] scenario::Value cxl_platform(Random& random, const CxlMachine& machine,
                                           const std::vector<CxlDetails>& details, unsigned cpus);

}  // namespace pmufab::verify
