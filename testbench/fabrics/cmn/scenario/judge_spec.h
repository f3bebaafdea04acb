// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/fabrics/cmn/judge/cmn_judge.h"
#include "testbench/fabrics/cmn/judge/nodes/node_events.h"

namespace pmufab::scenario {

/// @return where a mesh's product and revision have what watchpoints compare
[[nodiscard]] scoreboard::WatchpointLayout watchpoint_layout(const cmn::Topology& topology);
/// @return the judge's bit of a mesh's product and revision
[[nodiscard]] scoreboard::NodeReleases release_of(const cmn::Topology& topology);

/// What the judges of the platform's meshes must know, in their order, from the specification the platform is built
/// from and nothing else. The judge works out node ids and where the registers lie that switch a PMU.
[[nodiscard]] std::vector<scoreboard::CmnJudgeSpec> cmn_judge_specs(const platform::PlatformSpec& platform);

/// Tell the judges of meshes where the platform's links lead.
/// @param specs, judges  of the platform's meshes, in their order
void link_judges(const platform::PlatformSpec& platform, const std::vector<scoreboard::CmnJudgeSpec>& specs,
                 std::span<scoreboard::CmnJudge* const> judges);

}  // namespace pmufab::scenario
