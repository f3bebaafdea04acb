// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/soc/wire/description.h"

namespace pmufab::platform {

inline constexpr std::uint64_t kRegisterPage = 0x1000;
inline constexpr std::uint64_t kMaximumClock = 1'000'000'000'000;  ///< hertz: the limit of ClockDomain

/// @param field  where the PMU is described: "pmus[0]."
/// @throws SpecError for the first thing in its register map that is impossible
void check_map(const std::string& field, const soc::PmuDescription& pmu);

}  // namespace pmufab::platform
