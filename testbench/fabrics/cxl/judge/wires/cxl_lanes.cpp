// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/wires/cxl_lanes.h"

#include <fmt/format.h>

namespace pmufab::scoreboard {

void CxlLanes::complain(const char* kind, Picoseconds when, const CxlMessage& message, const char* what) {
  findings_.add(Finding::Severity::failure, kind,
                fmt::format("{}: {} {} for {:#x} {}", spec_.name, to_string(message.which), message.opcode,
                            message.address, what),
                when);
}

void CxlLanes::left(Picoseconds when, const CxlMessage& message) {
  Lane& lane = lanes_[static_cast<std::size_t>(message.which)];
  if (when % spec_.period != 0) complain("link_off_edge", when, message, "left between edges of the link");
  lane.at_edge = lane.edge == when ? lane.at_edge + 1 : 1;
  lane.edge = when;
  if (lane.at_edge > spec_.lanes[static_cast<std::size_t>(message.which)].per_clock)
    complain("link_too_fast", when, message, "left at an edge that had no room");
  take_credit(when, message, lane);
  lane.flights.push_back({when + spec_.latency, message});
}

void CxlLanes::take_credit(Picoseconds when, const CxlMessage& message, Lane& lane) {
  // Requests keep their credit until they are answered, or have left a switch. How long that takes is not checked here.
  if (message.which == CxlClass::m2s_req || message.which == CxlClass::m2s_rwd) return;
  while (!lane.returns.empty() && lane.returns.front() <= when) lane.returns.pop_front();
  lane.returns.push_back(when + 2 * spec_.latency);
  if (lane.returns.size() > spec_.lanes[static_cast<std::size_t>(message.which)].credits)
    complain("link_without_credit", when, message, "left without a credit");
}

void CxlLanes::arrived(Picoseconds when, const CxlMessage& message) {
  Lane& lane = lanes_[static_cast<std::size_t>(message.which)];
  if (lane.flights.empty()) {
    complain("message_from_nowhere", when, message, "arrived and never left");
    return;
  }
  const Flight flight = lane.flights.front();
  lane.flights.pop_front();
  if (flight.message != message) complain("message_changed", when, message, "arrived in place of another");
  if (flight.arrival != when) complain("link_latency", when, message, "arrived at another time than the latency says");
}

void CxlLanes::finish(Picoseconds when) {
  for (const Lane& lane : lanes_) {
    for (const Flight& flight : lane.flights) complain("message_lost", when, flight.message, "never arrived");
  }
}

}  // namespace pmufab::scoreboard
