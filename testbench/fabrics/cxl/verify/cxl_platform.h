// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/fabrics/common/random.h"
#include "testbench/fabrics/cxl/verify/cxl_layout.h"
#include "testbench/fabrics/cxl/verify/cxl_machine.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::verify {

/// @param details  of each device, by number
/// @return the map under the key `platform`
[[nodiscard]] scenario::Value cxl_platform(Random& random, const CxlMachine& machine,
                                           const std::vector<CxlDetails>& details, unsigned cpus);

}  // namespace pmufab::verify
