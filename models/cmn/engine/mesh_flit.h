// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// A flit in the mesh: eight bytes that hold its handle and its way.
struct Flit {
  static constexpr std::uint8_t kHead = 1;    ///< first flit of its packet
  static constexpr std::uint8_t kTail = 2;    ///< last flit of its packet
  static constexpr std::uint8_t kSingle = 3;  ///< the only flit of its packet: every CHI flit

  std::uint32_t handle = 0;    ///< defined by the owner; the mesh only carries it
  std::uint8_t target_xp = 0;  ///< y * columns + x
  std::uint8_t target_port = 0;
  std::uint8_t unused = 0;
  std::uint8_t flags = kSingle;
};
static_assert(sizeof(Flit) == 8);

/// A flit that reached its target device.
struct Delivery {
  Flit flit;
  std::uint8_t xp;
  std::uint8_t port;
  Channel channel;
};

/// A place of a buffer in one word: the flit it holds or, while it is free, the cycle from which the sender may use it
/// again. A flit is more than any cycle. The sender reads its credits at the flit's destination, and no credit is ever
/// sent.
using FlitSlot = std::uint64_t;
static_assert(sizeof(FlitSlot) == sizeof(Flit) && sizeof(FlitSlot) == sizeof(Cycle));
/// Set in each flit. Cycles do not get that far.
inline constexpr FlitSlot kHoldsFlit = FlitSlot{1} << 63;

[[nodiscard]] constexpr FlitSlot to_slot(const Flit& flit) noexcept {
  if constexpr (std::endian::native == std::endian::little)  // the same as below, in one step
    return std::bit_cast<FlitSlot>(flit) | kHoldsFlit;
  return flit.handle | FlitSlot{flit.target_xp} << 32 | FlitSlot{flit.target_port} << 40 | FlitSlot{flit.unused} << 48 |
         FlitSlot{flit.flags} << 56 | kHoldsFlit;
}
[[nodiscard]] constexpr Flit to_flit(FlitSlot slot) noexcept {
  slot &= ~kHoldsFlit;
  if constexpr (std::endian::native == std::endian::little) return std::bit_cast<Flit>(slot);
  return {static_cast<std::uint32_t>(slot), static_cast<std::uint8_t>(slot >> 32),
          static_cast<std::uint8_t>(slot >> 40), static_cast<std::uint8_t>(slot >> 48),
          static_cast<std::uint8_t>(slot >> 56)};
}

}  // namespace pmufab::cmn
