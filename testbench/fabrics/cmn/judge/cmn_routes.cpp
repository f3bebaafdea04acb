// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/cmn_routes.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Interface;

namespace {

std::string name_of(Interface interface) {
  constexpr std::string_view kMeshNames = "ewns";
  const auto number = static_cast<unsigned>(interface);
  if (!is_port(interface)) return std::string(1, kMeshNames[number]);
  return fmt::format("p{}", number - static_cast<unsigned>(Interface::port0));
}

/// @return the interface towards a place `east` XPs to the east and `north` to the north: along x first, then along y.
Interface towards(int east, int north) {
  if (east != 0) return east > 0 ? Interface::east : Interface::west;
  if (north != 0) return north > 0 ? Interface::north : Interface::south;
  return Interface::port0;
}

}  // namespace

CmnRoutes::CmnRoutes(const CmnJudgeSpec& spec, Chronicle& chronicle)
    : spec_(spec),
      chronicle_(chronicle),
      ids_(spec),
      xps_(spec.columns * spec.rows),
      steps_{{{1, Interface::west},
              {-1, Interface::east},
              {static_cast<int>(spec.columns), Interface::south},
              {-static_cast<int>(spec.columns), Interface::north}}},
      buffers_(std::size_t{xps_} * cmn::kInterfaces * cmn::kChannels),
      used_(buffers_.size(), kUnused) {
  const auto difference = [](unsigned to, unsigned from) { return static_cast<int>(to) - static_cast<int>(from); };
  for (unsigned xp = 0; xp < xps_; ++xp) {
    for (unsigned target = 0; target < xps_; ++target)
      ways_.push_back(towards(difference(target % spec.columns, xp % spec.columns),
                              difference(target / spec.columns, xp / spec.columns)));
  }
}

void CmnRoutes::leave_out_of_order(Buffer& buffer, std::uint32_t flit, Picoseconds when) {
  const Flight& flight = flights_[flit];
  fail("flit_out_of_order",
       fmt::format("XP {} sends flit {} on channel {} before flit {}, which came before it from {}", flight.xp, flit,
                   static_cast<unsigned>(flight.channel), buffer.first,
                   name_of(static_cast<Interface>(flight.buffer % cmn::kInterfaces))),
       when);
  std::uint32_t before = buffer.first;
  while (flights_[before].next != flit) before = flights_[before].next;
  flights_[before].next = flight.next;
  if (buffer.last == flit) buffer.last = before;
}

void CmnRoutes::used_twice(unsigned xp, Interface interface, Channel channel, Picoseconds when) const {
  fail("interface_used_twice",
       fmt::format("XP {} sends or stalls twice in a cycle by {} on channel {}", xp, name_of(interface),
                   static_cast<unsigned>(channel)),
       when);
}

void CmnRoutes::from_nowhere(unsigned xp, std::uint32_t flit, Picoseconds when) const {
  fail("flit_from_nowhere", fmt::format("XP {} sends flit {}, which was never handed in", xp, flit), when);
}

void CmnRoutes::off_route(std::uint32_t flit, unsigned xp, Interface interface, Picoseconds when) const {
  const Flight& flight = flights_[flit];
  fail("flit_off_route",
       fmt::format("XP {} sends flit {} to {}, but it is at XP {} on channel {} and goes to XP {} {}", xp, flit,
                   name_of(interface), flight.xp, static_cast<unsigned>(flight.channel), flight.target_xp,
                   name_of(flight.target_port)),
       when);
}

void CmnRoutes::uploaded(Picoseconds when, unsigned xp, unsigned port, Channel channel, std::uint32_t flit,
                         const cmn::FlitFields& fields) {
  if (flit >= flights_.size()) {
    flights_.resize(flit + std::size_t{1});
    fields_.resize(flights_.size());
  }
  Flight& flight = flights_[flit];
  if (flight.is_present()) {
    fail("flit_number_in_use", fmt::format("flit {} enters twice", flit), when);
    leave_buffer(flit, when);
  }
  const std::optional<CmnPlace>& target = ids_.place(fields.tgtid);  // copying it takes long
  if (!target) fail("flit_to_nowhere", fmt::format("TgtID {:#x} is not a node of the mesh", fields.tgtid), when);
  flight.channel = channel;
  flight.target_xp = static_cast<std::uint8_t>(target ? target->xp : xp);
  flight.target_port = target ? target->port : port_interface(port);
  fields_[flit] = fields;
  enter_buffer(flit, static_cast<std::uint8_t>(xp), port_interface(port), when);
}

void CmnRoutes::stalled(Picoseconds when, const cmn::MeshPulse& pulse) {
  const Place place = place_of(pulse.xp, pulse.interface, pulse.channel);
  use(place, when, pulse);
  for (unsigned input = 0; input < cmn::kInterfaces; ++input) {
    const std::uint32_t first = buffers_[place_of(pulse.xp, static_cast<Interface>(input), pulse.channel)].first;
    // A flit that arrived in this cycle cannot cause a stall yet, because links take time.
    if (first != kNone && flights_[first].since < when && flights_[first].leaves_by == place) return;
  }
  fail("stall_without_flit",
       fmt::format("XP {} stalls at {} on channel {}, where nothing waits", pulse.xp, name_of(pulse.interface),
                   static_cast<unsigned>(pulse.channel)),
       when);
}

void CmnRoutes::finish() {
  const auto left =
      std::count_if(flights_.begin(), flights_.end(), [](const Flight& flight) { return flight.is_present(); });
  if (left != 0)
    fail("flits_lost", fmt::format("{} flits entered the mesh and never left it", left), chronicle_.last_seen);
}

void CmnRoutes::fail(const std::string& kind, const std::string& text, Picoseconds when) const {
  chronicle_.findings.add(Finding::Severity::failure, kind, fmt::format("{}: {}", spec_.pmu, text), when);
}

}  // namespace pmufab::scoreboard
