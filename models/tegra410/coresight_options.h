// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/coresight/coresight_pmu_options.h"
#include "models/tegra410/parameters.h"

namespace pmufab::tegra410 {

/// @return the options of a CoreSight PMU of this part; `pmiidr` identifies it to software.
[[nodiscard]] inline coresight::CoreSightPmuOptions coresight_options(const CoreSightPmuParameters& parameters,
                                                                      std::uint32_t pmiidr) {
  coresight::CoreSightPmuOptions options;
  options.counters = parameters.counters;
  options.width = parameters.width;
  options.cycle_counter = parameters.cycle_counter;
  options.pmdevarch = parameters.devarch;
  options.dual_page = parameters.dual_page;
  options.atomic_64bit = parameters.atomic_64bit;
  options.pmiidr = pmiidr;
  return options;
}

}  // namespace pmufab::tegra410
