// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "testbench/fabrics/cmn/verify/mesh_events.h"
#include "testbench/fabrics/common/fabric_generator.h"

namespace pmufab::verify {

/// What an offer is made for.
struct OfferOptions {
  unsigned number = 0;             ///< of the mesh: 0 for arm_cmn_0
  bool has_bulk = false;           ///< events may happen in bulk, and cycles may be counted
  std::set<std::string> wanted{};  ///< names of events that are made more often
};

/// What a perf session may do with the PMU of a mesh.
[[nodiscard]] PmuOffer make_offer(Random& random, const MeshPlan& plan, const CmnDriver& driver, OfferOptions options);

}  // namespace pmufab::verify
