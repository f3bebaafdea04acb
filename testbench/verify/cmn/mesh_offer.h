// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/verify/cmn/mesh_events.h"
#include "testbench/verify/fabric_generator.h"

namespace pmufab::verify {

/// What a perf session may do with the PMU of a mesh.
/// @param number    of the mesh
/// @param has_bulk  events may happen in bulk, and cycles may be counted
[[nodiscard]] PmuOffer make_offer(Random& random, const MeshPlan& plan, const CmnDriver& driver, unsigned number,
                                  bool has_bulk);

}  // namespace pmufab::verify
