// SPDX-License-Identifier: Apache-2.0
// A model of one's own, counted by a CoreSight PMU.

#include <systemc>

#include "models/coresight/coresight_pmu.h"
#include "software.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/probe/probe.h"

int sc_main(int /*argc*/, char* /*argv*/[]) {
  constexpr std::uint32_t kPmevcntr0 = 0x000, kPmevtyper0 = 0x400, kPmcntenset = 0xc00, kPmcr = 0xe04;
  constexpr std::uint32_t kWidgetMade = 7, kOtherEvent = 8;

  const pmufab::ClockDomain clock("clock", 1'000'000'000);
  pmufab::Probe widget_made("widget_made");
  pmufab::coresight::EventTable events;
  events.add(kWidgetMade, widget_made);
  pmufab::coresight::CoreSightPmu pmu("pmu", {.counters = 4, .width = 32}, clock, events);

  Software software("software", [&](Software& self) {
    self.write32(kPmevtyper0, kWidgetMade);
    self.write32(kPmevtyper0 + 4, kOtherEvent);
    self.write32(kPmcntenset, 3);
    self.write32(kPmcr, 1);
    for (int i = 0; i < 1000; ++i) widget_made.publish(1, 0, sc_core::sc_time_stamp().value());
    self.write32(kPmcr, 0);
    widget_made.publish(1, 0, sc_core::sc_time_stamp().value());
    self.expect("widgets counted", 1000, self.read32(kPmevcntr0));
    self.expect("others counted", 0, self.read32(kPmevcntr0 + 4));
  });
  software.socket.bind(pmu.socket);
  sc_core::sc_start();
  return software.exit_code();
}
