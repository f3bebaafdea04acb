// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/platform/platform_spec.h"
#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"

namespace pmufab::scenario {

/// @return the CXL hierarchy as the scoreboard knows it, from the specification the platform is built from and nothing
///         else. Components and links are in depth-first order, as those of platform::CxlPart. Registers are where
///         docs/platform.md says that firmware puts them; each block has a PMU of the reference software
///         ("cpmu_rp0.0"), those of devices one of the driver ("cxl_pmu_mem0.0"), too.
[[nodiscard]] scoreboard::CxlJudgeSpec cxl_judge_spec(const platform::PlatformSpec& platform);

}  // namespace pmufab::scenario
