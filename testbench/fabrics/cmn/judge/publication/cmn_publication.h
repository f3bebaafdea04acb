// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/cmn/judge/cmn_judge_spec.h"
#include "testbench/judge/publication.h"

namespace pmufab::scoreboard {

/// @return what a driver must show of a mesh's PMU (Documentation/admin-guide/perf/arm-cmn.rst; numbers of events: the
///         technical reference manuals).
[[nodiscard]] Publication cmn_publication(const CmnJudgeSpec& spec);

}  // namespace pmufab::scoreboard
