// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/platform/platform.h"
#include "testbench/scoreboard/cxl/cxl_judge_spec.h"

namespace pmufab::scenario {

/// @return the CXL hierarchy as the scoreboard knows it: components and links are those of platform::CxlPart, in its
///         order. Registers are where the platform's firmware put them; each block has a PMU of the reference software
///         ("cpmu_rp0.0"), those of devices one of the driver ("cxl_pmu_mem0.0"), too.
[[nodiscard]] scoreboard::CxlJudgeSpec cxl_judge_spec(const platform::Platform& platform);

}  // namespace pmufab::scenario
