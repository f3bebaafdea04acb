// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/cmn/description/layout.h"
#include "testbench/fabrics/cmn/verify/mesh_plan.h"
#include "testbench/fabrics/common/random.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::verify {

/// Add registers that firmware has left set in the PMU of a mesh, items of `firmware_writes`: local counters about to wrap,
/// watchpoints that see everything and feed counters, and DTCs that count and have overflowed. A driver must begin anew.
/// @param time_passes  while the driver begins: only then can a counter overflow before it is cleared
void add_firmware_writes(Random& random, const MeshPlan& plan, bool time_passes, scenario::Value& writes);

}  // namespace pmufab::verify
