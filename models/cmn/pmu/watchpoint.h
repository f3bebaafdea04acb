// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cmn/description/product.h"
#include "models/cmn/pmu/flit_image.h"
#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// What is known of some flits: the bits of their image in one group that `mask` has zero, which equal those of `value`.
struct KnownImage {
  unsigned group;
  std::uint64_t value;
  std::uint64_t mask;
};

/// One watchpoint of a DTM, decoded from its config, val and mask registers. The first two of a DTM see uploads, the
/// others downloads.
///
/// It fires once per flit of its channel at its port whose image, under the mask, equals the value; if exclusive, once
/// per flit whose image does not. Mask 0 with value all ones is the idle setting: no flit has such an image.
class Watchpoint {
 public:
  Watchpoint() = default;
  /// @param config     the config register
  /// @param dtm        its index in the XP: with several DTMs it sees the ports 2 * dtm and 2 * dtm + 1
  Watchpoint(const ProductFacts& facts, bool multiple_dtm, unsigned dtm, FlitDirection direction, std::uint64_t config,
             std::uint64_t value, std::uint64_t mask) noexcept;

  [[nodiscard]] unsigned port() const noexcept { return port_; }
  /// @return true if it sees flits of this channel at this port.
  [[nodiscard]] bool sees(unsigned port, Channel channel) const noexcept {
    return port == port_ && (channels_ >> static_cast<unsigned>(channel) & 1U) != 0;
  }
  /// @return the channels it sees: bit c for Channel c.
  [[nodiscard]] unsigned channels() const noexcept { return channels_; }
  /// @return the combine bit: the watchpoint fires only on flits on which the next watchpoint fires too.
  [[nodiscard]] bool combines() const noexcept { return combine_; }
  /// @return false if no flit can make it fire.
  [[nodiscard]] bool can_fire() const noexcept { return can_fire_; }
  /// @return true if a flit of its port and channel makes it fire.
  [[nodiscard]] bool matches(Channel channel, const FlitFields& fields) const noexcept {
    const std::uint64_t image = flit_image(format_, channel, group_, direction_, fields);
    return (((image ^ value_) & ~mask_) == 0) != exclusive_;
  }
  /// @return true if it fires on flits of which no more is known. It does not if it is exclusive, or compares a bit that
  ///         is not known.
  [[nodiscard]] bool matches(const KnownImage& flits) const noexcept {
    if (exclusive_) return false;
    const std::uint64_t compared = ~mask_;
    if (compared == 0) return true;
    return group_ == flits.group && (compared & flits.mask) == 0 && ((value_ ^ flits.value) & compared) == 0;
  }

 private:
  FlitFormat format_ = FlitFormat::cmn600;
  FlitDirection direction_ = FlitDirection::upload;
  std::uint8_t port_ = 0;
  std::uint8_t group_ = 0;
  std::uint16_t channels_ = 0;
  bool exclusive_ = false;
  bool combine_ = false;
  bool can_fire_ = false;
  std::uint64_t value_ = 0;
  std::uint64_t mask_ = 0;
};

}  // namespace pmufab::cmn
