// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/tegra410/parameters.h"

namespace pmufab::platform {

/// Check the parameters of the chip-to-chip interfaces, except their clock.
/// @throws SpecError with the field relative to the platform's specification ("tegra410.nvlink_c2c.gpus")
void check_c2c(const tegra410::Parameters& parameters);

}  // namespace pmufab::platform
