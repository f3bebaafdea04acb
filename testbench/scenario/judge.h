#pragma once

#include "models/platform/platform_spec.h"
#include "testbench/scoreboard/scoreboard_spec.h"

namespace pmufab::scenario {

/// What the scoreboard must know, from the specification the platform is built from (never from the model).
[[nodiscard]] scoreboard::ScoreboardSpec scoreboard_spec(const platform::PlatformSpec& platform);

}  // namespace pmufab::scenario
