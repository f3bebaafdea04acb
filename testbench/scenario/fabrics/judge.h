// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/platform/platform.h"
#include "models/platform/platform_spec.h"
#include "testbench/scoreboard/cmn/cmn_judge.h"
#include "testbench/scoreboard/cxl/cxl_judge_spec.h"
#include "testbench/scoreboard/tegra410/tegra410_judge_spec.h"

namespace pmufab::scenario {

/// What the judge of the Tegra410 sockets must know, from the specification the platform is built from (never from the
/// model). @return nothing if the platform has none
[[nodiscard]] std::optional<scoreboard::Tegra410JudgeSpec> tegra410_judge_spec(const platform::PlatformSpec& platform);

/// The same for the judges of the platform's meshes, in their order. Where the registers lie that switch a PMU is asked
/// of the mesh's layout: no document says.
[[nodiscard]] std::vector<scoreboard::CmnJudgeSpec> cmn_judge_specs(const platform::PlatformSpec& platform);

/// @return the CXL hierarchy as the scoreboard knows it: components and links are those of platform::CxlPart, in its
///         order. Registers are where the platform's firmware put them; each block has a PMU of the reference software
///         ("cpmu_rp0.0"), those of devices one of the driver ("cxl_pmu_mem0.0"), too.
[[nodiscard]] scoreboard::CxlJudgeSpec cxl_judge_spec(const platform::Platform& platform);
/// Tell the judges of meshes where the platform's links lead.
/// @param specs, judges  of the platform's meshes, in their order
void link_judges(const platform::PlatformSpec& platform, const std::vector<scoreboard::CmnJudgeSpec>& specs,
                 std::span<scoreboard::CmnJudge* const> judges);

}  // namespace pmufab::scenario
