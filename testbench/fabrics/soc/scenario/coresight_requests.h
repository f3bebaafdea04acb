// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/soc/wire/description.h"
#include "testbench/fabrics/common/coresight_service.h"
#include "testbench/fabrics/soc/judge/soc_judge_spec.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::scenario {

/// @return why the reference software cannot count at a described PMU; "" if it can
[[nodiscard]] std::string reason_not_served(const soc::PmuDescription& pmu);

/// @param pmu   with its name in perf. The software refuses all of its events (EOPNOTSUPP) if there is a
///              reason_not_served().
/// @param node  its entry in the firmware's table
/// @return the PMU, and what the terms mean that its driver publishes
[[nodiscard]] ServedCoreSightPmu soc_served_pmu(const scoreboard::SocPmuSpec& pmu, const platform::ApmtNode& node);

}  // namespace pmufab::scenario
