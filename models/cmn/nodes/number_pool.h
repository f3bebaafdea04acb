#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pmufab::cmn {

/// Numbers 0 ... n-1, given out the lowest free one first.
class NumberPool {
 public:
  explicit NumberPool(unsigned numbers) : free_((numbers + 63) / 64, ~std::uint64_t{0}), left_(numbers) {
    if (numbers % 64 != 0) free_.back() = (std::uint64_t{1} << numbers % 64) - 1;
  }

  [[nodiscard]] bool empty() const noexcept { return left_ == 0; }
  [[nodiscard]] unsigned taken() const noexcept { return taken_; }
  /// @pre not empty()
  unsigned take() noexcept {
    std::size_t word = 0;
    while (free_[word] == 0) ++word;
    const auto bit = static_cast<unsigned>(std::countr_zero(free_[word]));
    free_[word] &= free_[word] - 1;
    --left_;
    ++taken_;
    return static_cast<unsigned>(word) * 64 + bit;
  }
  void give_back(unsigned number) noexcept {
    free_[number / 64] |= std::uint64_t{1} << number % 64;
    ++left_;
    --taken_;
  }

 private:
  std::vector<std::uint64_t> free_;  // a bit per number
  unsigned left_;
  unsigned taken_ = 0;
};

}  // namespace pmufab::cmn
