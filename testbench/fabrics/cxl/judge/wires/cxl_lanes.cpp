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

void CxlAccesses::complain(const char* kind, Picoseconds when, bool write, std::uint64_t device_address,
                           const char* what) {
  findings_.add(Finding::Severity::failure, kind,
                fmt::format("{}: {} of {:#x}: {}", spec_.name, write ? "write" : "read", device_address, what), when);
}

bool CxlAccesses::is_host_only(std::uint64_t device_address) const {
  std::uint64_t below = 0;
  for (const CxlDecoder& decoder : spec_.decoders) {
    const std::uint64_t share = decoder.size / decoder.ways;
    if (device_address - below < share) return decoder.kind == CxlMemoryKind::hdm_h;
    below += share;
  }
  return true;
}

void CxlAccesses::arrived(Picoseconds when, const CxlMessage& message) {
  bool reads = false;
  bool writes = false;
  if (message.which == CxlClass::m2s_req) {
    constexpr std::uint32_t kReads = 1U << 1 | 1U << 2 | 1U << 5 | 1U << 6 | 1U << 8 | 1U << 12;
    reads = (kReads >> (message.opcode % 32) & 1U) != 0;
  } else if (message.which == CxlClass::m2s_rwd) {
    const bool partial = message.opcode == 2 || message.opcode == 10;  // read first, for ECC
    reads = partial || message.opcode == 5 || message.opcode == 13;    // or filled
    writes = partial || message.opcode == 1 || message.opcode == 9;
  }
  const auto decoder = decoder_of(spec_.decoders, message.address);
  if (!decoder) return;
  const std::uint64_t place = device_address(spec_.decoders, *decoder, message.address);
  if (reads) asked_[key(place, false)].push_back(when);
  if (writes) asked_[key(place, true)].push_back(when);
}

void CxlAccesses::seen(Picoseconds when, bool write, std::uint64_t device_address) {
  if (device_address >> 63U != 0) {
    complain("memory_access_unasked", when, write, device_address, "no memory is that large");
    return;
  }
  const bool host_only = is_host_only(device_address);
  auto* const times = asked_.find(key(device_address, write));
  if (times == nullptr) {
    if (host_only) complain("memory_access_unasked", when, write, device_address, "no request makes it necessary");
    return;
  }
  if (host_only && times->front() != when)
    complain("memory_access_late", when, write, device_address, "the request arrived at another time");
  times->erase(times->begin());
  if (times->empty()) asked_.erase(key(device_address, write));
}

void CxlAccesses::finish(Picoseconds when) {
  for (const std::uint64_t asked : asked_.lines())
    complain("memory_access_missing", when, (asked & 1U) != 0, asked >> 1U, "a request made it necessary");
}

}  // namespace pmufab::scoreboard
