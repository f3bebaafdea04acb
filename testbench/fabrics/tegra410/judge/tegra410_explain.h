// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/fabrics/tegra410/judge/request_timeline.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/fabrics/tegra410/judge/tegra410_meaning.h"
#include "testbench/fabrics/tegra410/judge/ucf_events.h"

namespace pmufab::scoreboard {

/// @return which other count the driver's value of a UCF event equals, in words: another filter, another event, ...
[[nodiscard]] std::string explain_ucf(const UcfMeaning& meaning, const UcfTally& counted, std::uint64_t edges,
                                      std::uint64_t driver);
/// @return the same for a CMEM event, from the sums per controller.
/// @param controllers  per instance
[[nodiscard]] std::string explain_cmem(CmemMeaning meaning, const std::vector<RequestSums>& counted,
                                       std::size_t controllers, std::uint64_t edges, std::uint64_t driver);

/// @return the same for an event of a chip-to-chip interface, from the sums by traffic and instance.
/// @param counted  instance i of traffic t at t * instances + i
[[nodiscard]] std::string explain_c2c(const C2cMeaning& meaning, const C2cPmuSpec& pmu,
                                      const std::vector<RequestSums>& counted, std::uint64_t edges,
                                      std::uint64_t driver);

}  // namespace pmufab::scoreboard
