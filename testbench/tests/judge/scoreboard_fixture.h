// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/fabrics/tegra410/judge/ucf_events.h"
#include "tlm/transaction/fabric_extension.h"

/// Small platforms, requests and tallies for hand-computed cases.
namespace pmufab::scoreboard::test {

inline constexpr std::uint64_t kSocketStride = 0x1'0000'0000;
inline constexpr std::uint64_t kCmem = 0x0000'0000;  // + socket * kSocketStride
inline constexpr std::uint64_t kGmem = 0x1000'0000;
inline constexpr std::uint64_t kCxl = 0x2000'0000;
/// Two lines this far apart are in the same set of the small SLC below.
inline constexpr std::uint64_t kSameSet = 4 * 64;

/// Each socket has an SLC of 2 slices x 2 sets x 2 ways and every class of memory. Clock edges are not at whole
/// picoseconds. Latencies are whole nanoseconds.
inline Tegra410JudgeSpec small_platform(unsigned sockets = 2) {
  Tegra410JudgeSpec spec;
  spec.sockets = sockets;
  for (unsigned socket = 0; socket < sockets; ++socket) {
    const std::uint64_t base = socket * kSocketStride;
    spec.memory.push_back({base + kCmem, 0x100'0000, socket, MemoryClass::cmem});
    spec.memory.push_back({base + kGmem, 0x100'0000, socket, MemoryClass::gmem});
    spec.memory.push_back({base + kCxl, 0x100'0000, socket, MemoryClass::cxl});
  }
  spec.slc = {2, 2, 2};
  spec.ucf_frequency_hz = 2'400'000'000;
  spec.slc_latency = 20'000;
  spec.cmem_latency = 90'000;
  spec.cmem_service = 2'000;
  return spec;
}

struct Requester {
  unsigned socket;
  RequesterKind kind;
  std::uint16_t id;
};
inline constexpr Requester cpu(unsigned socket, std::uint16_t cluster) { return {socket, RequesterKind::cpu, cluster}; }
inline constexpr Requester gpu(unsigned socket) { return {socket, RequesterKind::gpu, 0}; }
inline constexpr Requester pcie(unsigned socket) { return {socket, RequesterKind::pcie, 0}; }

inline BoundaryObserver::Request request(const Requester& from, FabricOpcode opcode, std::uint64_t address,
                                         std::uint32_t length = 64, Picoseconds when = 0) {
  BoundaryObserver::Request r{};
  r.when = when;
  r.address = address;
  r.length = length;
  r.opcode = opcode;
  r.requester = from.kind;
  r.requester_socket = static_cast<std::uint8_t>(from.socket);
  r.accepting_socket = static_cast<std::uint8_t>(from.socket);
  r.requester_id = from.id;
  return r;
}

struct Amount {
  UcfEvent event;
  Source source;
  Destination destination;
  std::uint64_t amount;
};

inline UcfTally tally_of(std::initializer_list<Amount> amounts) {
  UcfTally tally;
  for (const Amount& a : amounts) tally.count(a.event, a.source, a.destination, a.amount);
  return tally;
}

/// Events since a tally was taken.
inline UcfTally since(UcfTally now, const UcfTally& before) { return now -= before; }

}  // namespace pmufab::scoreboard::test

namespace pmufab::scoreboard {

/// For failure messages.
inline std::ostream& operator<<(std::ostream& out, const UcfTally& tally) {
  for (std::size_t e = 0; e < kUcfEvents; ++e) {
    for (std::size_t s = 0; s < kSources; ++s) {
      for (std::size_t d = 0; d < kDestinations; ++d) {
        const std::uint64_t amount = tally.event[e].amount[s][d];
        if (amount == 0) continue;
        out << "\n  " << to_string(static_cast<UcfEvent>(e)) << " " << to_string(static_cast<Source>(s)) << " -> "
            << to_string(static_cast<Destination>(d)) << ": " << amount;
      }
    }
  }
  return out;
}

}  // namespace pmufab::scoreboard
