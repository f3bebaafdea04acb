// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/fabrics/cmn/verify/mesh_plan.h"
#include "testbench/fabrics/common/random.h"
#include "testbench/run/yaml/document.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::verify {

/// Random traffic of meshes: items of the lists under `chi_traffic` and `mesh_traffic`.
struct MeshFlows {
  std::vector<scenario::Value> chi;
  std::vector<scenario::Value> flits;
};

/// Add traffic that reaches all kinds of nodes of a mesh.
/// @param mesh       its number in the platform
/// @param neighbour  the mesh it is linked with; null: none
/// @param window     in which the traffic should cause most events
void add_flows(Random& random, const MeshPlan& plan, unsigned mesh, const MeshPlan* neighbour, Picoseconds window,
               MeshFlows& flows);

}  // namespace pmufab::verify
