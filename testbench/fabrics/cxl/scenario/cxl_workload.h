// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/fabrics/cxl/traffic/cxl_replay.h"
#include "testbench/fabrics/cxl/traffic/cxl_traffic.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {

/// Traffic of CXL devices, kept in a Workload.
struct CxlWorkload {
  std::vector<traffic::CxlTrafficSpec> operations;
  std::vector<traffic::CxlReplaySpec> replays;  ///< of the same list of a scenario
  std::string record;                           ///< not empty: file to write operations to, as a trace
};

/// @return what is wrong with a trace, as bad input. It names the operation that may have been meant.
[[nodiscard]] InputError input_error(const traffic::TraceError& error);

}  // namespace pmufab::scenario
