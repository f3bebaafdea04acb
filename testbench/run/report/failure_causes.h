// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/run/results/results.h"

namespace pmufab::scenario {

/// Puts failures of several runs together that say the same of the same event of a kind of PMU, of the same figure or
/// of the same check, whatever their numbers are.
class FailureCauses {
 public:
  /// @return true for a failed run all of whose causes have been seen in a few runs before
  bool add(const RunResult& run);
  /// A line for each cause, the most frequent first: how many failures it has, and the first of them. Nothing, if none
  /// has several.
  void write(std::ostream& out) const;

 private:
  struct Cause {
    std::string kind;   // equal for equal causes
    std::string first;  // the text
    std::string where;  // the run it came in first
    std::uint64_t failures = 0;
    std::uint64_t runs = 0;
  };
  std::vector<Cause> causes_;  // in the order in which they come
};

/// @return the text with '*' for every number, decimal or hexadecimal, with its separators: equal for PMUs of one kind
///         and for messages of one cause. Digits in the middle of a word, as in "c2c" or "m2s_req", are no number.
[[nodiscard]] std::string without_numbers(std::string_view text);

}  // namespace pmufab::scenario
