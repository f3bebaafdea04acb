// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// A timing wheel of callers and cycles. Near calls take one bit; far ones a heap entry.
class CallWheel {
 public:
  /// Set the callers to 0 ... count - 1. Calls already requested are kept.
  void resize(unsigned count);
  [[nodiscard]] unsigned size() const noexcept { return count_; }

  /// Call `target` in cycle `when`, which is not before the cycle visited last. A repeated request for the same cycle has
  /// no effect.
  void call(unsigned target, Cycle when) {
    assert(target < count_ && when >= now_);
    if (when - now_ >= kSlots) {
      call_far(target, when);
    } else {
      set(target, when);
    }
  }

  /// @return the first cycle with a call, or kNoCycle.
  [[nodiscard]] Cycle next() const noexcept;

  /// Call visitor(target) for all callers of cycle `now`, in ascending order. No calls for earlier cycles may be left. A
  /// visitor may call() for this same cycle only callers that come after the one visited.
  template <typename Visitor>
  void visit(Cycle now, Visitor&& visitor) {
    advance(now);
    const std::size_t slot = now % kSlots;
    if (!is_used(slot)) return;
    std::uint64_t* const words = &bits_[slot * words_];
    for (unsigned word = 0; word < words_; ++word) {
      while (words[word] != 0) {
        const auto bit = static_cast<unsigned>(std::countr_zero(words[word]));
        words[word] &= words[word] - 1;
        visitor(word * 64 + bit);
      }
    }
    used_[slot / 64] &= ~(std::uint64_t{1} << slot % 64);
  }

 private:
  static constexpr std::size_t kSlots = 1024;
  struct Far {
    Cycle when;
    unsigned target;
  };

  [[nodiscard]] bool is_used(std::size_t slot) const noexcept { return (used_[slot / 64] >> slot % 64 & 1U) != 0; }
  void set(unsigned target, Cycle when) noexcept {
    const std::size_t slot = when % kSlots;
    bits_[slot * words_ + target / 64] |= std::uint64_t{1} << target % 64;
    used_[slot / 64] |= std::uint64_t{1} << slot % 64;
  }
  void call_far(unsigned target, Cycle when);
  void advance(Cycle now) {
    assert(now >= now_);
    now_ = now;
    if (!far_.empty() && far_.front().when - now_ < kSlots) bring_near();
  }
  void bring_near();

  unsigned count_ = 0;
  std::size_t words_ = 0;  // words per slot
  Cycle now_ = 0;
  std::vector<std::uint64_t> bits_;  // by cycle modulo kSlots, then by caller
  std::array<std::uint64_t, kSlots / 64> used_{};
  std::vector<Far> far_;         // a heap with the earliest in front
  std::vector<Cycle> last_far_;  // by caller: the cycle of its last heap entry
};

}  // namespace pmufab::cmn
