// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/pcie/root_complex.h"

#include <fmt/format.h>

#include "models/tegra410/coresight_options.h"

namespace pmufab::tegra410 {

RootComplex::RootComplex(const PcieRootComplex& ports, const Parameters& parameters, const ClockDomain& clock)
    : number(ports.number),
      inbound(fmt::format("socket{}.rc{}.inbound", ports.socket, ports.number), ports.socket,
              coresight_options(parameters.pcie_pmu, kPciePmuIidr).counter_numbers(), clock),
      pcie_pmu(fmt::format("rc{}_pcie_pmu", ports.number).c_str(), parameters.pcie_pmu, clock, inbound),
      target(fmt::format("socket{}.rc{}", ports.socket, ports.number)),
      tgt_pmu(fmt::format("rc{}_tgt_pmu", ports.number).c_str(), parameters.pcie_tgt_pmu, clock, target) {
  for (const PcieRootPort& port : ports.root_ports) root_ports |= 1U << port.number;
}

}  // namespace pmufab::tegra410
