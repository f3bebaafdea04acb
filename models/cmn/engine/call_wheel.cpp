// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/engine/call_wheel.h"

#include <algorithm>

namespace pmufab::cmn {

namespace {

constexpr auto kLater = [](const auto& a, const auto& b) { return a.when > b.when; };

}  // namespace

void CallWheel::resize(unsigned count) {
  const std::size_t words = (count + 63U) / 64U;
  if (words != words_) {
    std::vector<std::uint64_t> bits(kSlots * words);
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      for (std::size_t word = 0; word < std::min(words, words_); ++word)
        bits[slot * words + word] = bits_[slot * words_ + word];
    }
    bits_ = std::move(bits);
    words_ = words;
  }
  last_far_.resize(count, kNoCycle);
  count_ = count;
}

Cycle CallWheel::next() const noexcept {
  const std::size_t first = now_ % kSlots;
  constexpr std::size_t kWords = kSlots / 64;
  // The word of `first` is read twice: its upper bits first, its lower bits last.
  for (std::size_t i = 0; i <= kWords; ++i) {
    const std::size_t word = (first / 64 + i) % kWords;
    std::uint64_t used = used_[word];
    if (i == 0) used &= ~std::uint64_t{0} << first % 64;
    if (i == kWords) used &= ~(~std::uint64_t{0} << first % 64);
    if (used == 0) continue;
    const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(used));
    return now_ + (slot + kSlots - first) % kSlots;
  }
  return far_.empty() ? kNoCycle : far_.front().when;
}

void CallWheel::call_far(unsigned target, Cycle when) {
  // A repeated request for this far cycle is in the heap already.
  if (last_far_[target] == when) return;
  last_far_[target] = when;
  far_.push_back({when, target});
  std::push_heap(far_.begin(), far_.end(), kLater);
}

void CallWheel::bring_near() {
  while (!far_.empty() && far_.front().when - now_ < kSlots) {
    set(far_.front().target, far_.front().when);
    std::pop_heap(far_.begin(), far_.end(), kLater);
    far_.pop_back();
  }
}

}  // namespace pmufab::cmn
