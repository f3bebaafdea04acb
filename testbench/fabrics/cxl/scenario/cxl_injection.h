// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/cxl/part/cxl_part.h"
#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"
#include "testbench/judge/pmu_judge.h"

namespace pmufab::scenario {

/// @param pmu    as the judge knows the CPMU
/// @param terms  of an event that its judge lets happen many times at once
/// @return what to call so that the model lets it happen
[[nodiscard]] scoreboard::Injection cxl_injection(platform::CxlPart& part, const scoreboard::CxlPmuSpec& pmu,
                                                  const scoreboard::EventTerms& terms);

}  // namespace pmufab::scenario
