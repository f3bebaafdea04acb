// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/judge/scoreboard.h"
#include "testbench/run/results/results.h"

namespace pmufab::scenario {

/// A count as the formulas see it.
struct DerivedInput {
  std::string pmu;
  std::string event;                                     ///< published name, "slc_bytes_rd"; empty for raw events
  scoreboard::Figure figure = scoreboard::Figure::none;  ///< what a formula makes of the count alone
  bool filtered = false;                                 ///< it has filter terms
  std::uint64_t count = 0;
  Picoseconds elapsed = 0;              ///< the time it had a counter
  bool complete = true;                 ///< it was counted all the time
  scoreboard::Ratio mean_latency_ps{};  ///< the traffic's own
};

}  // namespace pmufab::scenario
