// SPDX-License-Identifier: Apache-2.0
#include "testbench/scoreboard/cmn/cmn_routes.h"

#include <algorithm>
#include <array>
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

/// @return the input interface of a flit that a neighbour sends by `interface`.
Interface opposite(Interface interface) {
  switch (interface) {
    case Interface::east:
      return Interface::west;
    case Interface::west:
      return Interface::east;
    case Interface::north:
      return Interface::south;
    case Interface::south:
      return Interface::north;
    default:
      return interface;
  }
}

}  // namespace

CmnRoutes::CmnRoutes(const CmnJudgeSpec& spec, Chronicle& chronicle)
    : spec_(spec),
      chronicle_(chronicle),
      ids_(spec),
      buffers_(std::size_t{spec.columns} * spec.rows * cmn::kInterfaces * cmn::kChannels),
      used_(buffers_.size(), kNever) {
  for (unsigned y = 0; y < spec.rows; ++y) {
    for (unsigned x = 0; x < spec.columns; ++x)
      positions_.push_back({static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)});
  }
}

Interface CmnRoutes::way(const Flight& flight) const {
  const Position here = positions_[flight.xp];
  const Position there = positions_[flight.target_xp];
  if (here.x != there.x) return here.x < there.x ? Interface::east : Interface::west;
  if (here.y != there.y) return here.y < there.y ? Interface::north : Interface::south;
  return flight.target_port;
}

void CmnRoutes::enter_buffer(std::uint32_t flit, Picoseconds when) {
  Flight& flight = flights_[flit];
  flight.next = kNone;
  flight.since = when;
  Buffer& buffer = buffers_[index(flight.xp, flight.input, flight.channel)];
  (buffer.first == kNone ? buffer.first : flights_[buffer.last].next) = flit;
  buffer.last = flit;
}

void CmnRoutes::leave_buffer(std::uint32_t flit, Picoseconds when) {
  const Flight& flight = flights_[flit];
  Buffer& buffer = buffers_[index(flight.xp, flight.input, flight.channel)];
  if (buffer.first == flit) {
    buffer.first = flight.next;
    return;
  }
  fail("flit_out_of_order",
       fmt::format("XP {} sends flit {} on channel {} before flit {}, which came before it from {}", flight.xp, flit,
                   static_cast<unsigned>(flight.channel), buffer.first, name_of(flight.input)),
       when);
  std::uint32_t before = buffer.first;
  while (flights_[before].next != flit) before = flights_[before].next;
  flights_[before].next = flight.next;
  if (buffer.last == flit) buffer.last = before;
}

void CmnRoutes::use(unsigned xp, Interface interface, Channel channel, Picoseconds when) {
  Picoseconds& used = used_[index(xp, interface, channel)];
  if (used == when) {
    fail("interface_used_twice",
         fmt::format("XP {} sends or stalls twice in a cycle by {} on channel {}", xp, name_of(interface),
                     static_cast<unsigned>(channel)),
         when);
  }
  used = when;
}

void CmnRoutes::uploaded(Picoseconds when, unsigned xp, unsigned port, Channel channel, std::uint32_t flit,
                         const cmn::FlitFields& fields) {
  if (flit >= flights_.size()) flights_.resize(flit + std::size_t{1});
  Flight& flight = flights_[flit];
  if (flight.present) {
    fail("flit_number_in_use", fmt::format("flit {} enters twice", flit), when);
    leave_buffer(flit, when);
  }
  const std::optional<CmnPlace> target = ids_.place(fields.tgtid);
  if (!target) fail("flit_to_nowhere", fmt::format("TgtID {:#x} is not a node of the mesh", fields.tgtid), when);
  flight.present = true;
  flight.channel = channel;
  flight.xp = static_cast<std::uint8_t>(xp);
  flight.input = port_interface(port);
  flight.target_xp = static_cast<std::uint8_t>(target ? target->xp : xp);
  flight.target_port = target ? target->port : port_interface(port);
  flight.fields = fields;
  enter_buffer(flit, when);
}

const cmn::FlitFields* CmnRoutes::transmitted(Picoseconds when, unsigned xp, Interface interface, Channel channel,
                                              std::uint32_t flit) {
  use(xp, interface, channel, when);
  if (flit >= flights_.size() || !flights_[flit].present) {
    fail("flit_from_nowhere", fmt::format("XP {} sends flit {}, which was never handed in", xp, flit), when);
    return nullptr;
  }
  Flight& flight = flights_[flit];
  if (flight.xp != xp || flight.channel != channel || way(flight) != interface) {
    fail("flit_off_route",
         fmt::format("XP {} sends flit {} to {}, but it is at XP {} on channel {} and goes to XP {} {}", xp, flit,
                     name_of(interface), flight.xp, static_cast<unsigned>(flight.channel), flight.target_xp,
                     name_of(flight.target_port)),
         when);
  }
  leave_buffer(flit, when);
  if (is_port(interface)) {
    flight.present = false;
    return &flight.fields;
  }
  const int step = interface == Interface::east    ? 1
                   : interface == Interface::west  ? -1
                   : interface == Interface::north ? static_cast<int>(spec_.columns)
                                                   : -static_cast<int>(spec_.columns);
  flight.xp = static_cast<std::uint8_t>(flight.xp + step);
  if (flight.xp >= positions_.size()) {
    // It left the mesh, which was reported above.
    flight.present = false;
    return nullptr;
  }
  flight.input = opposite(interface);
  enter_buffer(flit, when);
  return nullptr;
}

void CmnRoutes::stalled(Picoseconds when, unsigned xp, Interface interface, Channel channel) {
  use(xp, interface, channel, when);
  for (unsigned input = 0; input < cmn::kInterfaces; ++input) {
    const std::uint32_t first = buffers_[index(xp, static_cast<Interface>(input), channel)].first;
    // A flit that arrived in this cycle cannot cause a stall yet, because links take time.
    if (first != kNone && flights_[first].since < when && way(flights_[first]) == interface) return;
  }
  fail("stall_without_flit",
       fmt::format("XP {} stalls at {} on channel {}, where nothing waits", xp, name_of(interface),
                   static_cast<unsigned>(channel)),
       when);
}

void CmnRoutes::finish() {
  const auto left =
      std::count_if(flights_.begin(), flights_.end(), [](const Flight& flight) { return flight.present; });
  if (left != 0)
    fail("flits_lost", fmt::format("{} flits entered the mesh and never left it", left), chronicle_.last_seen);
}

void CmnRoutes::fail(const std::string& kind, const std::string& text, Picoseconds when) const {
  chronicle_.findings.add(Finding::Severity::failure, kind, fmt::format("{}: {}", spec_.pmu, text), when);
}

}  // namespace pmufab::scoreboard
