// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// The Arm CMN mesh: crosspoints (XP) that move CHI flits between devices, and the PMU that counts them.
namespace pmufab::cmn {

/// Clock cycles of a mesh since the start of simulation.
using Cycle = std::uint64_t;
/// No cycle: there is no work.
inline constexpr Cycle kNoCycle = ~Cycle{0};

/// A CHI channel network, by its number in XP events (pmu_event_sel bits 8:5). PUB is an event network: it moves no
/// flits.
enum class Channel : std::uint8_t { req, rsp, snp, dat, pub, rsp2, dat2, req2, snp2 };
inline constexpr unsigned kChannels = 9;

/// Where a flit can leave an XP, by its number in XP events: towards a neighbour, or down into the device at a port.
/// Ports 4 and 5 follow; no XP event names them.
enum class Interface : std::uint8_t { east, west, north, south, port0, port1, port2, port3, port4, port5 };
inline constexpr unsigned kInterfaces = 10;
inline constexpr unsigned kMaximumPorts = 6;  ///< device ports per XP
inline constexpr unsigned kMaximumSide = 14;  ///< largest number of XPs in x or y

/// What happens to a flit at an interface of an XP.
enum class FlitEvent : std::uint8_t {
  valid,  ///< the XP transmits it
  stall,  ///< a cycle in which the interface's next flit waits for a credit
};

/// @return which of REQ, RSP, SNP, DAT a channel belongs to; pub for PUB.
[[nodiscard]] constexpr Channel channel_class(Channel channel) noexcept {
  switch (channel) {
    case Channel::rsp2:
      return Channel::rsp;
    case Channel::dat2:
      return Channel::dat;
    case Channel::req2:
      return Channel::req;
    case Channel::snp2:
      return Channel::snp;
    default:
      return channel;
  }
}

/// Names as in the driver's event names: "req", "dat2"; "e", "p0".
/// @{
[[nodiscard]] constexpr std::string_view to_string(Channel channel) noexcept {
  constexpr std::array<std::string_view, kChannels> kNames{"req",  "rsp",  "snp",  "dat", "pub",
                                                           "rsp2", "dat2", "req2", "snp2"};
  return kNames[static_cast<std::size_t>(channel)];
}
[[nodiscard]] constexpr std::string_view to_string(Interface interface) noexcept {
  constexpr std::array<std::string_view, kInterfaces> kNames{"e", "w", "n", "s", "p0", "p1", "p2", "p3", "p4", "p5"};
  return kNames[static_cast<std::size_t>(interface)];
}
/// @}

/// One FlitEvent at a watched interface, as the mesh engine reports it.
struct MeshPulse {
  std::uint32_t handle;  ///< given by the flit's owner
  std::uint8_t xp;       ///< y * columns + x
  Interface interface;
  Channel channel;
  FlitEvent event;
};

}  // namespace pmufab::cmn
