// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pmufab::scoreboard {

/// Collects other counts that a wrong value equals. A value of 0 equals too many to be informative.
class Guesses {
 public:
  explicit Guesses(std::uint64_t driver) : driver_(driver) {}
  void offer(std::uint64_t count, const std::string& what) {
    if (count == driver_ && driver_ != 0 && guesses_.size() < kKept) guesses_.push_back(what);
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const std::string& guess : guesses_) text += (text.empty() ? "equals " : "; or ") + guess;
    return text;
  }

 private:
  static constexpr std::size_t kKept = 4;
  std::uint64_t driver_;
  std::vector<std::string> guesses_;
};

}  // namespace pmufab::scoreboard
