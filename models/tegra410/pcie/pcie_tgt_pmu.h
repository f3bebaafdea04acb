// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/coresight/coresight_pmu.h"
#include "models/tegra410/parameters.h"
#include "models/tegra410/pcie/pcie_target.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::tegra410 {

/// PMIIDR of the Tegra410 PCIE-TGT PMU (nvidia_cspmu.c, nv_cspmu_match).
inline constexpr std::uint32_t kPcieTgtPmuIidr = 0x1070'036b;
/// PMEVTYPER of `cycles` on a regular counter (nvidia_cspmu.c, NV_PCIE_TGT_EV_TYPE_CC).
inline constexpr std::uint32_t kPcieTgtCyclesEvent = 4;

/// The PCIE-TGT PMU of a root complex: a CoreSight PMU that counts the requests to it, and the window with its eight
/// address filters, which firmware describes as a separate device. docs/tegra410.md describes them.
class PcieTgtPmu : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kFilterWindow = 0x1000;  ///< bytes

  /// @param clock  the SOC fabric clock; it and `target` must outlive the PMU
  PcieTgtPmu(const sc_core::sc_module_name& name, const CoreSightPmuParameters& parameters, const ClockDomain& clock,
             PcieTarget& target);
  ~PcieTgtPmu() override;

  [[nodiscard]] coresight::CoreSightPmu& pmu() noexcept { return pmu_; }
  [[nodiscard]] const coresight::CoreSightPmu& pmu() const noexcept { return pmu_; }
  [[nodiscard]] const RegisterBank& filter_bank() const noexcept { return bank_; }

  /// Set registers, counters and address filters to the state after power-up.
  void reset();

  /// The window of the address filters.
  tlm_utils::simple_target_socket<PcieTgtPmu, 64> filters;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { bank_.b_transport(payload, delay); }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return bank_.transport_dbg(payload); }
  void update_slot(unsigned slot);

  PcieTarget& target_;
  coresight::CoreSightPmu pmu_;
  RegisterBank bank_;
};

}  // namespace pmufab::tegra410
