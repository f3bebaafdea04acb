// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pmufab::cmn {

/// Lines that a home's snoop filter has dropped and RN-Fs still have to give up.
class BackInvalidations {
 public:
  struct One {
    std::uint64_t line = 0;
    unsigned answers_left = 0;  ///< 0: a free number
    bool dirty = false;         ///< dirty data has arrived
  };

  /// @return its number, the lowest free one
  unsigned begin(std::uint64_t line, unsigned answers) {
    unsigned number = 0;
    while (number < all_.size() && all_[number].answers_left != 0) ++number;
    if (number == all_.size()) all_.emplace_back();
    all_[number] = {line, answers, false};
    ++under_way_;
    return number;
  }
  /// @return true if the line is being given up.
  [[nodiscard]] bool has(std::uint64_t line) const noexcept {
    if (under_way_ == 0) return false;
    for (const One& one : all_) {
      if (one.answers_left != 0 && one.line == line) return true;
    }
    return false;
  }
  /// An RN-F has answered. @return true if that was the last answer
  /// @throws std::out_of_range for a number that was never given
  bool answer(unsigned number, bool dirty) {
    One& one = all_.at(number);
    one.dirty |= dirty;
    if (--one.answers_left != 0) return false;
    --under_way_;
    return true;
  }
  /// @return a back-invalidation under way, or the one that has just ended.
  [[nodiscard]] const One& at(unsigned number) const { return all_.at(number); }
  [[nodiscard]] unsigned under_way() const noexcept { return under_way_; }

 private:
  std::vector<One> all_;  // by number; grows to the largest number in use at once
  unsigned under_way_ = 0;
};

}  // namespace pmufab::cmn
