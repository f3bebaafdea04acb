// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "models/coresight/coresight_pmu_options.h"
#include "tlm/registers/register_spec.h"

namespace pmufab::coresight {

inline constexpr std::uint32_t kPageSize = 0x1000;

/// @return the registers of page 0, without those that a dual-page PMU has on page 1.
[[nodiscard]] std::span<const RegisterSpec> page0_layout(const CoreSightPmuOptions& options);
/// @return the registers of page 1 of a dual-page PMU: counters and overflow status.
[[nodiscard]] std::span<const RegisterSpec> page1_layout(const CoreSightPmuOptions& options);

}  // namespace pmufab::coresight
