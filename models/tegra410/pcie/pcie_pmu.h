// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <systemc>

#include "models/coresight/coresight_pmu.h"
#include "models/tegra410/parameters.h"
#include "models/tegra410/pcie/pcie_inbound.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::tegra410 {

/// PMIIDR of the Tegra410 PCIE PMU (nvidia_cspmu.c, nv_cspmu_match).
inline constexpr std::uint32_t kPciePmuIidr = 0x1030'136b;

/// The PCIE PMU of one root complex: a CoreSight PMU that counts the requests of its devices, filtered by root port or
/// requester id, and by destination.
///
/// The real part has one requester id for all counters. Here each counter follows its own filter. Software that lets
/// two counters count different requester ids at the same time is reported as a guest error.
class PciePmu : public coresight::CoreSightPmu {
 public:
  /// @param clock  of the SOC fabric; it and `inbound` must outlive the PMU
  PciePmu(const sc_core::sc_module_name& name, const CoreSightPmuParameters& parameters, const ClockDomain& clock,
          PcieInbound& inbound);

 private:
  void check_requester(const coresight::CounterProgram& program);

  std::vector<std::optional<std::uint16_t>> requesters_;  // by physical counter: the requester id it last used
};

}  // namespace pmufab::tegra410
