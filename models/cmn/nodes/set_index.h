// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace pmufab::cmn {

/// The set of a line in a home's table: (line / homes) mod sets. Divides only where a shift is not enough.
class SetIndex {
 public:
  SetIndex(std::uint64_t homes, std::uint64_t sets) noexcept
      : homes_(homes),
        sets_(sets),
        shift_(std::has_single_bit(homes) ? static_cast<unsigned>(std::countr_zero(homes)) : kDivide),
        mask_(std::has_single_bit(sets) ? sets - 1 : 0),
        sets_are_power_(std::has_single_bit(sets)) {}

  [[nodiscard]] std::size_t operator()(std::uint64_t line) const noexcept {
    const std::uint64_t own = shift_ == kDivide ? line / homes_ : line >> shift_;
    return sets_are_power_ ? own & mask_ : own % sets_;
  }

 private:
  static constexpr unsigned kDivide = 64;

  std::uint64_t homes_;
  std::uint64_t sets_;
  unsigned shift_;
  std::uint64_t mask_;
  bool sets_are_power_;
};

}  // namespace pmufab::cmn
