// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "models/platform/platform.h"
#include "testbench/fabrics/cmn/judge/cmn_meaning.h"
#include "testbench/judge/pmu_judge.h"

namespace pmufab::scenario {

/// @param mesh     number of the mesh
/// @param meaning  of an event that the mesh's judge lets happen many times at once
/// @return what to call so that the model of the mesh lets it happen
/// @throws std::invalid_argument if the model cannot
[[nodiscard]] scoreboard::Injection cmn_injection(platform::Platform& platform, std::size_t mesh,
                                                  const scoreboard::CmnMeaning& meaning);

}  // namespace pmufab::scenario
