// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/pcie/root_complex.h"

#include <fmt/format.h>

#include "models/tegra410/coresight_pmu_parameters.h"
#include "models/tegra410/pcie/pcie_pmu.h"

namespace pmufab::tegra410 {

RootComplex::RootComplex(const PcieRootComplex& ports, const Parameters& parameters, const ClockDomain& clock)
    : number(ports.number),
      inbound(fmt::format("socket{}.rc{}.inbound", ports.socket, ports.number), ports.socket,
              coresight_options(parameters.pcie_pmu, kPciePmuIidr).counter_numbers(), clock),
      target(fmt::format("socket{}.rc{}", ports.socket, ports.number)) {
  for (const PcieRootPort& port : ports.root_ports) root_ports |= 1U << port.number;
}

}  // namespace pmufab::tegra410
