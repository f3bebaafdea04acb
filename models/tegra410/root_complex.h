#pragma once

#include <systemc>

#include "models/tegra410/parameters.h"
#include "models/tegra410/pcie_inbound.h"
#include "models/tegra410/pcie_parameters.h"
#include "models/tegra410/pcie_pmu.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::tegra410 {

/// A PCI Express root complex of a socket, as far as its PMU goes: what comes in from its devices.
class RootComplex : public sc_core::sc_module {
 public:
  /// @param ports  the root complex and its root ports
  /// @param clock  of the SOC fabric; must outlive this
  RootComplex(const sc_core::sc_module_name& name, const PcieRootComplex& ports, const Parameters& parameters,
              const ClockDomain& clock);
  ~RootComplex() override;

  [[nodiscard]] unsigned number() const noexcept { return number_; }
  [[nodiscard]] bool has_root_port(unsigned root_port) const noexcept {
    return root_port < kRootPorts && (root_ports_ >> root_port & 1U) != 0;
  }
  /// Where requests of the devices below it are to be told.
  [[nodiscard]] PcieInbound& inbound() noexcept { return inbound_; }
  [[nodiscard]] PciePmu& pcie_pmu() noexcept { return pcie_pmu_; }
  [[nodiscard]] const PciePmu& pcie_pmu() const noexcept { return pcie_pmu_; }

 private:
  unsigned number_;
  unsigned root_ports_ = 0;  // bit p: there is root port p
  PcieInbound inbound_;
  PciePmu pcie_pmu_;
};

}  // namespace pmufab::tegra410
