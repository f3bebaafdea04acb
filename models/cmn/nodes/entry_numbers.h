// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace pmufab::cmn {

/// Numbers of tracker entries. Allocation takes the lowest free number.
class EntryNumbers {
 public:
  explicit EntryNumbers(unsigned entries)
      : free_((entries + 63) / 64, ~std::uint64_t{0}), left_(entries), all_(entries) {
    if (entries % 64 != 0) free_.back() = (std::uint64_t{1} << entries % 64) - 1;
  }
  [[nodiscard]] unsigned free() const noexcept { return left_; }
  [[nodiscard]] unsigned used() const noexcept { return all_ - left_; }
  [[nodiscard]] unsigned size() const noexcept { return all_; }
  /// @pre one is free
  unsigned allocate() noexcept {
    assert(left_ > 0);
    --left_;
    unsigned word = 0;
    while (free_[word] == 0) ++word;
    const auto bit = static_cast<unsigned>(std::countr_zero(free_[word]));
    free_[word] &= free_[word] - 1;
    return word * 64 + bit;
  }
  void release(unsigned entry) noexcept {
    assert(entry < all_ && (free_[entry / 64] >> entry % 64 & 1U) == 0);
    free_[entry / 64] |= std::uint64_t{1} << entry % 64;
    ++left_;
  }

 private:
  std::vector<std::uint64_t> free_;
  unsigned left_;
  unsigned all_;
};

}  // namespace pmufab::cmn
