// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/pmu/watchpoint.h"

#include <array>

namespace pmufab::cmn {

namespace {

// Field positions: arm-cmn.c, CMN_DTM_WPn_CONFIG_* and CMN600_WPn_CONFIG_*.
constexpr unsigned bits(std::uint64_t value, unsigned lsb, unsigned width) {
  return static_cast<unsigned>(value >> lsb) & ((1U << width) - 1);
}

constexpr std::uint16_t bit(Channel channel) {
  return static_cast<std::uint16_t>(1U << static_cast<unsigned>(channel));
}

/// The channels selected by a channel select and, on some products, a channel number.
std::uint16_t select(const ProductFacts& facts, unsigned select, unsigned number) {
  constexpr std::array<Channel, 4> kFirst{Channel::req, Channel::rsp, Channel::snp, Channel::dat};
  constexpr std::array<Channel, 4> kSecond{Channel::req2, Channel::rsp2, Channel::snp2, Channel::dat2};
  if (select >= kFirst.size()) return 0;  // reserved
  // Without a channel number the sub-channels cannot be told apart (inferred).
  if (facts.watchpoint != WatchpointFormat::cmn700)
    return static_cast<std::uint16_t>(bit(kFirst[select]) | bit(kSecond[select]));
  if (number == 0) return bit(kFirst[select]);
  return number == 1 ? bit(kSecond[select]) : std::uint16_t{0};
}

}  // namespace

Watchpoint::Watchpoint(const ProductFacts& facts, bool multiple_dtm, unsigned dtm, FlitDirection direction,
                       std::uint64_t config, std::uint64_t value, std::uint64_t mask) noexcept
    : format_(facts.flit), direction_(direction), value_(value), mask_(mask) {
  const bool old = facts.watchpoint == WatchpointFormat::cmn600;
  unsigned port = bits(config, 0, 1);
  if (!old) port |= bits(config, 17, 2) << 1;
  // With several DTMs the upper bits of the port select would name ports that the DTM is not wired to (inferred).
  const bool has_port = !multiple_dtm || port < 2;
  port_ = static_cast<std::uint8_t>(multiple_dtm ? 2 * dtm + (port & 1U) : port);
  group_ = static_cast<std::uint8_t>(old ? bits(config, 4, 1) : bits(config, 4, 2));
  exclusive_ = bits(config, old ? 5 : 8, 1) != 0;
  combine_ = bits(config, old ? 6 : 9, 1) != 0;
  if (has_port && group_ < 3) channels_ = select(facts, bits(config, 1, 3), bits(config, 19, 2));
  if (channels_ == 0) return;
  // The value has a one where no image has one. An exclusive watchpoint of this kind always fires; one that ignores all
  // bits never does.
  const std::uint64_t wanted =
      value & ~mask & ~flit_image_bits(format_, static_cast<Channel>(bits(config, 1, 3)), group_, direction);
  can_fire_ = exclusive_ ? mask != ~std::uint64_t{0} : wanted == 0;
}

}  // namespace pmufab::cmn
