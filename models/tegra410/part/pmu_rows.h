// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/platform/platform_spec.h"
#include "models/tegra410/parameters.h"
#include "models/tegra410/part/pmu_row.h"

namespace pmufab::platform {

/// What a CoreSight PMU's row is made from.
struct CoreSightPmuPlace {
  unsigned socket = 0;
  std::string name;             ///< within the socket: "rc1.pcie_pmu"
  std::uint64_t page0 = 0;      ///< from the base of the socket; page 1 is the next page
  std::uint32_t interrupt = 0;  ///< number of the overflow interrupt, if the parameters say that it is wired
  std::string hid{};            ///< eight characters, for a PMU that is an ACPI device; empty: the PMU of a cache
  std::uint32_t instance = 0;   ///< number of the ACPI device, or of the cache
};

/// @return a row with all that CoreSight PMUs have in common. To be filled in: `type`, `perf_name`, `make`.
[[nodiscard]] PmuRow coresight_row(const CoreSightPmuPlace& place, const tegra410::CoreSightPmuParameters& parameters);

/// The table: every PMU of a platform's Tegra410 sockets, Tegra410Spec::own_pmus last. None without such sockets.
[[nodiscard]] std::vector<PmuRow> tegra410_pmus(const PlatformSpec& spec);

/// @throws SpecError for the first row of Tegra410Spec::own_pmus that is impossible
void check_own_pmus(const PlatformSpec& spec);

}  // namespace pmufab::platform
