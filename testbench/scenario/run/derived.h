// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/scenario/report/results.h"
#include "testbench/scoreboard/core/scoreboard.h"

namespace pmufab::scenario {

/// A count as the formulas see it.
struct DerivedInput {
  std::string pmu;
  std::string event;      ///< published name, "slc_bytes_rd"; empty for raw events
  bool filtered = false;  ///< it has filter terms
  std::uint64_t count = 0;
  Picoseconds elapsed = 0;              ///< the time it had a counter
  bool complete = true;                 ///< it was counted all the time
  scoreboard::Ratio mean_latency_ps{};  ///< the traffic's own
};

/// Averages by the formulas of the kernel's document nvidia-tegra410-pmu.rst, from what the driver counted: bandwidth
/// (bytes / elapsed ns), request rate (requests / cycles), latency (outstanding / requests, in cycles, over the
/// frequency). Only unfiltered events counted all the time take part.
///
/// The latency has the traffic's own mean beside it, and must be within 0.1 % of it once 10,000 requests were seen over
/// at least 10 ms. In shorter windows two things weigh more than that: reads under way at the edges, and the few
/// microseconds the register accesses of starting and stopping take, which count as elapsed time and not as cycles.
[[nodiscard]] std::vector<DerivedResult> derive(const std::vector<DerivedInput>& inputs);

}  // namespace pmufab::scenario
