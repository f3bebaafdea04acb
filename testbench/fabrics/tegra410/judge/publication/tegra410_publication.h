// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/judge/publication.h"

/// What a driver must show of the PMUs of a Tegra410 (Documentation/admin-guide/perf/nvidia-tegra410-pmu.rst).
namespace pmufab::scoreboard {

[[nodiscard]] Publication coresight_publication(CoreSightPmuType type, bool has_cycle_counter);
[[nodiscard]] Publication cmem_publication();
[[nodiscard]] Publication c2c_publication(const C2cPmuSpec& spec);

}  // namespace pmufab::scoreboard
