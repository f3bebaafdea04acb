// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/tegra410/parameters.h"
#include "models/tegra410/pcie/pcie_inbound.h"
#include "models/tegra410/pcie/pcie_parameters.h"
#include "models/tegra410/pcie/pcie_target.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::tegra410 {

/// A PCI Express root complex of a socket, as far as PMUs need it: the requests of its devices, and the requests to them.
struct RootComplex {
  /// @param ports  the root complex and its root ports
  /// @param clock  of the SOC fabric; must outlive this object
  RootComplex(const PcieRootComplex& ports, const Parameters& parameters, const ClockDomain& clock);

  [[nodiscard]] bool has_root_port(unsigned root_port) const noexcept {
    return root_port < kRootPorts && (root_ports >> root_port & 1U) != 0;
  }

  unsigned number;
  unsigned root_ports = 0;  ///< bit p: root port p exists
  PcieInbound inbound;
  PcieTarget target;
};

}  // namespace pmufab::tegra410
