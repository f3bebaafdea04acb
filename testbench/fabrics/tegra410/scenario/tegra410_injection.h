// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/platform/platform.h"
#include "testbench/judge/pmu_judge.h"

namespace pmufab::scenario {

/// @param pmu    perf's name of the PMU
/// @param terms  of an event that the PMU's judge lets happen many times at once
/// @param unit   of a CMEM or C2C PMU: the memory controller, or which of the instances that lead to the peer
/// @return what to call so that the models of the sockets let it happen; empty for a PMU of another fabric
[[nodiscard]] scoreboard::Injection tegra410_injection(platform::Platform& platform, const std::string& pmu,
                                                       const scoreboard::EventTerms& terms, unsigned unit);

}  // namespace pmufab::scenario
