// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/ucf/ucf_pmu.h"

#include "models/tegra410/coresight_pmu_parameters.h"
#include "models/tegra410/ucf/ucf_events.h"

namespace pmufab::tegra410 {

namespace {

coresight::EventTable events_of(Ucf& ucf) {
  coresight::EventTable table([](const coresight::CounterProgram& program) {
    return qualifiers_of_filter(static_cast<std::uint32_t>(program.filter));
  });
  for (unsigned event = 0; event < kUcfEventCount; ++event)
    table.add(kUcfEvents[event].id, ucf.probe(static_cast<UcfEvent>(event)));
  table.add_clock(kBusCyclesEvent);
  return table;
}

}  // namespace

UcfPmu::UcfPmu(const sc_core::sc_module_name& name, const CoreSightPmuParameters& parameters, const ClockDomain& clock,
               Ucf& ucf)
    : CoreSightPmu(name, coresight_options(parameters, kUcfPmuIidr), clock, events_of(ucf)) {}

}  // namespace pmufab::tegra410
