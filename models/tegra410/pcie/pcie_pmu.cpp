// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/pcie/pcie_pmu.h"

#include <fmt/format.h>

#include "models/tegra410/coresight_pmu_parameters.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::tegra410 {

PciePmu::PciePmu(const sc_core::sc_module_name& name, const CoreSightPmuParameters& parameters,
                 const ClockDomain& clock, PcieInbound& inbound)
    : CoreSightPmu(name, coresight_options(parameters, kPciePmuIidr), clock,
                   [this, &inbound](const coresight::CounterProgram& program) {
                     check_requester(program);
                     return inbound.input_of(program);
                   }),
      requesters_(options().counter_numbers()) {}

void PciePmu::check_requester(const coresight::CounterProgram& program) {
  const PcieFilter filter = PcieFilter::of(program);
  requesters_[program.counter] = filter.one_requester ? std::optional(filter.bdf) : std::nullopt;
  if (!filter.one_requester) return;
  for (unsigned other = 0; other < requesters_.size(); ++other) {
    if (other == program.counter || !is_running(other) || !requesters_[other]) continue;
    if (*requesters_[other] == filter.bdf) continue;
    SC_REPORT_WARNING(
        kGuestErrorReport,
        fmt::format("{}: counters {} and {} count requester ids {:#06x} and {:#06x}; there is one for the "
                    "whole PMU",
                    this->name(), other, program.counter, *requesters_[other], filter.bdf)
            .c_str());
    return;
  }
}

}  // namespace pmufab::tegra410
