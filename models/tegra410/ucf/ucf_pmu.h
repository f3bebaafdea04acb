// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/coresight/coresight_pmu.h"
#include "models/tegra410/parameters.h"
#include "models/tegra410/ucf/ucf.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::tegra410 {

/// PMIIDR of the Tegra410 UCF PMU (nvidia_cspmu.c, nv_cspmu_match).
inline constexpr std::uint32_t kUcfPmuIidr = 0x2cf2'036b;

/// The UCF PMU: a CoreSight PMU that counts the events of one Ucf, filtered by source and destination.
class UcfPmu : public coresight::CoreSightPmu {
 public:
  /// @param clock  the UCF clock; it and `ucf` must outlive the PMU
  UcfPmu(const sc_core::sc_module_name& name, const CoreSightPmuParameters& parameters, const ClockDomain& clock,
         Ucf& ucf);
};

}  // namespace pmufab::tegra410
