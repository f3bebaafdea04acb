#pragma once

#include <bit>
#include <cstdint>

#include "models/cmn/types.h"

namespace pmufab::cmn {

/// What moves through the mesh: eight bytes that say whose it is and where it goes.
struct Flit {
  static constexpr std::uint8_t kHead = 1;    ///< first flit of its packet
  static constexpr std::uint8_t kTail = 2;    ///< last flit of its packet
  static constexpr std::uint8_t kSingle = 3;  ///< the only flit of its packet, as all CHI flits are

  std::uint32_t handle;    ///< the owner's; the mesh only carries it
  std::uint8_t target_xp;  ///< y * columns + x
  std::uint8_t target_port;
  std::uint8_t output;  ///< the mesh's own: Interface by which the flit leaves the XP it is in
  std::uint8_t flags = kSingle;
};
static_assert(sizeof(Flit) == 8);

/// A flit that reached the device it was sent to.
struct Delivery {
  Flit flit;
  std::uint8_t xp;
  std::uint8_t port;
  Channel channel;
};

/// A place of a buffer in one word: the flit it holds or, while it is free, the cycle from which on the sender may use
/// it again. So the sender's credits are looked up where the flit goes, and no credit ever travels.
using FlitSlot = std::uint64_t;
static_assert(sizeof(FlitSlot) == sizeof(Flit) && sizeof(FlitSlot) == sizeof(Cycle));

[[nodiscard]] inline FlitSlot to_slot(const Flit& flit) noexcept { return std::bit_cast<FlitSlot>(flit); }
[[nodiscard]] inline Flit to_flit(FlitSlot slot) noexcept { return std::bit_cast<Flit>(slot); }

}  // namespace pmufab::cmn
