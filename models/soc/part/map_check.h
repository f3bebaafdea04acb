// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/soc/wire/description.h"

namespace pmufab::platform {

/// @param field  where the PMU is described: "pmus[0]."
/// @throws SpecError for the first thing in its register map that is impossible
void check_map(const std::string& field, const soc::PmuDescription& pmu);

}  // namespace pmufab::platform
