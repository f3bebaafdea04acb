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
  std::uint8_t output = 0;  ///< used by the mesh: Interface by which the flit leaves its present XP
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
/// again. The sender reads its credits at the flit's destination, and no credit is ever sent.
using FlitSlot = std::uint64_t;
static_assert(sizeof(FlitSlot) == sizeof(Flit) && sizeof(FlitSlot) == sizeof(Cycle));

[[nodiscard]] constexpr FlitSlot to_slot(const Flit& flit) noexcept {
  if constexpr (std::endian::native == std::endian::little) return std::bit_cast<FlitSlot>(flit);  // the same, faster
  return flit.handle | FlitSlot{flit.target_xp} << 32 | FlitSlot{flit.target_port} << 40 | FlitSlot{flit.output} << 48 |
         FlitSlot{flit.flags} << 56;
}
[[nodiscard]] constexpr Flit to_flit(FlitSlot slot) noexcept {
  if constexpr (std::endian::native == std::endian::little) return std::bit_cast<Flit>(slot);
  return {static_cast<std::uint32_t>(slot), static_cast<std::uint8_t>(slot >> 32),
          static_cast<std::uint8_t>(slot >> 40), static_cast<std::uint8_t>(slot >> 48),
          static_cast<std::uint8_t>(slot >> 56)};
}
/// @return the flit of `slot` with another output.
[[nodiscard]] constexpr FlitSlot with_output(FlitSlot slot, unsigned output) noexcept {
  return (slot & ~(FlitSlot{0xff} << 48)) | FlitSlot{output} << 48;
}

}  // namespace pmufab::cmn
