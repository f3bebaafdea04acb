// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pmufab::scoreboard {

/// Collects other counts that a wrong value equals. A value of 0 equals too many to be informative.
class EqualCounts {
 public:
  explicit EqualCounts(std::uint64_t driver) : driver_(driver) {}
  void offer(std::uint64_t count, const std::string& what) {
    if (count == driver_ && driver_ != 0 && equal_.size() < kKept) equal_.push_back(what);
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const std::string& what : equal_) text += (text.empty() ? "equals " : "; or ") + what;
    return text;
  }

 private:
  static constexpr std::size_t kKept = 4;
  std::uint64_t driver_;
  std::vector<std::string> equal_;
};

}  // namespace pmufab::scoreboard
