// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "testbench/traffic/cmn/chi_traffic.h"
#include "testbench/traffic/cmn/flit_flow.h"
#include "testbench/traffic/cxl/cxl_replay.h"
#include "testbench/traffic/cxl/cxl_traffic.h"
#include "testbench/traffic/tegra410/traffic_issuer.h"
#include "testbench/traffic/tegra410/traffic_spec.h"

namespace pmufab::scenario {

/// All traffic of a scenario, of every kind of fabric.
struct Workload {
  traffic::TrafficSpec traffic;                       ///< of the sockets; its seed is everybody's
  std::vector<traffic::FlitFlowSpec> mesh_traffic{};  ///< raw flits
  std::vector<traffic::ChiTrafficSpec> chi_traffic{};
  std::vector<traffic::CxlTrafficSpec> cxl_traffic{};
  std::vector<traffic::CxlReplaySpec> cxl_replays{};  ///< of the same list of a scenario as cxl_traffic
  std::string record{};  ///< not empty: file to write operations of CXL traffic to, as a trace
};

/// Called from time to time while traffic that ends by itself goes on.
using ProgressFunction = std::function<void(const traffic::TrafficIssuer::Progress&)>;

}  // namespace pmufab::scenario
