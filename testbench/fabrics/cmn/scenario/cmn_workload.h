// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/fabrics/cmn/traffic/chi_traffic.h"
#include "testbench/fabrics/cmn/traffic/flit_flow.h"

namespace pmufab::scenario {

/// Traffic of meshes, kept in a Workload.
struct CmnWorkload {
  std::vector<traffic::FlitFlowSpec> flits;  ///< raw
  std::vector<traffic::ChiTrafficSpec> chi;
};

}  // namespace pmufab::scenario
