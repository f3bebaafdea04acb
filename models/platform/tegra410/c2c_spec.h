// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/tegra410/parameters.h"

namespace pmufab::platform {

/// Check what Parameters say of the chip-to-chip interfaces, but their clock.
/// @throws SpecError, its field counted from the platform's specification ("tegra410.nvlink_c2c.gpus")
void check_c2c(const tegra410::Parameters& parameters);

}  // namespace pmufab::platform
