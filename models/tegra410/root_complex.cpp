#include "models/tegra410/root_complex.h"

#include <string>

#include "models/tegra410/coresight_options.h"

namespace pmufab::tegra410 {

RootComplex::RootComplex(const sc_core::sc_module_name& name, const PcieRootComplex& ports,
                         const Parameters& parameters, const ClockDomain& clock)
    : sc_core::sc_module(name),
      number_(ports.number),
      inbound_(std::string(this->name()) + ".inbound", ports.socket,
               coresight_options(parameters.pcie_pmu, kPciePmuIidr).counter_numbers(), clock),
      pcie_pmu_("pcie_pmu", parameters.pcie_pmu, clock, inbound_) {
  for (const PcieRootPort& port : ports.root_ports) root_ports_ |= 1U << port.number;
}

RootComplex::~RootComplex() = default;

}  // namespace pmufab::tegra410
