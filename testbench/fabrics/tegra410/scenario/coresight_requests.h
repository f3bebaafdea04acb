// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/fabrics/common/coresight_service.h"

namespace pmufab::scenario {

/// @return the PMUs of a Tegra410's UCF and root complexes, and what their terms mean by the kernel's document
///         (nvidia-tegra410-pmu.rst). Address filters of PCIE-TGT PMUs are refused (EOPNOTSUPP): the software has none.
[[nodiscard]] std::vector<ServedCoreSightPmu> tegra410_served_pmus(const platform::PlatformSpec& platform);

}  // namespace pmufab::scenario
