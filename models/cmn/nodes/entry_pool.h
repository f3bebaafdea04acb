#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace pmufab::cmn {

/// Which entries of a tracker are in use. The lowest free one is given out.
class EntryPool {
 public:
  explicit EntryPool(unsigned entries) : free_((entries + 63) / 64, ~std::uint64_t{0}), left_(entries) {
    if (entries % 64 != 0) free_.back() = (std::uint64_t{1} << entries % 64) - 1;
  }

  [[nodiscard]] unsigned left() const noexcept { return left_; }
  /// @return the number of the entry. There must be one left.
  unsigned take() noexcept {
    assert(left_ > 0);
    unsigned word = 0;
    while (free_[word] == 0) ++word;
    const auto bit = static_cast<unsigned>(std::countr_zero(free_[word]));
    free_[word] &= free_[word] - 1;
    --left_;
    return word * 64 + bit;
  }
  void release(unsigned entry) noexcept {
    assert((free_[entry / 64] >> entry % 64 & 1U) == 0);
    free_[entry / 64] |= std::uint64_t{1} << entry % 64;
    ++left_;
  }

 private:
  std::vector<std::uint64_t> free_;
  unsigned left_;
};

}  // namespace pmufab::cmn
