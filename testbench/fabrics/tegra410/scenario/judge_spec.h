// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "models/platform/platform_spec.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"

namespace pmufab::scenario {

/// What the judge of the Tegra410 sockets must know, from the specification the platform is built from (never from the
/// model). @return nothing if the platform has none
[[nodiscard]] std::optional<scoreboard::Tegra410JudgeSpec> tegra410_judge_spec(const platform::PlatformSpec& platform);

}  // namespace pmufab::scenario
