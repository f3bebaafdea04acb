// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/campaigns/interleave/amounts.h"
#include "testbench/campaigns/interleave/schedule.h"

namespace pmufab::interleave {

/// @param accesses  of a whole run
/// @return the register accesses around the steps of a schedule, one a line, with the steps where they happened
[[nodiscard]] std::string draw_time_line(const std::vector<AccessRecord>& accesses, const Schedule& schedule);

}  // namespace pmufab::interleave
