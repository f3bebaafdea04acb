// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/coresight/coresight_pmu_options.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::tegra410 {

/// A CoreSight PMU: that of the UCF, or one of a root complex.
struct CoreSightPmuParameters {
  unsigned counters = 8;      ///< 2 ... 64, the cycle counter (physical index 31) included
  bool cycle_counter = true;  ///< one of the counters counts the clock, and nothing else does
  unsigned width = 64;        ///< bits of every counter, 8 ... 64
  bool atomic_64bit = false;  ///< firmware declares 64-bit single-copy atomicity
  bool dual_page = true;      ///< counters and overflow clear on a page of their own
  bool interrupt = true;      ///< the overflow interrupt is wired
  std::uint32_t devarch = 0;  ///< PMDEVARCH: the architecture that the part says it has
  InterruptTrigger trigger = InterruptTrigger::level;
};

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
