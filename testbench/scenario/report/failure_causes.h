// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "testbench/scenario/report/results.h"

namespace pmufab::scenario {

/// Puts failures of several runs together that say the same of the same kind of PMU, whatever their numbers are.
class FailureCauses {
 public:
  /// @return true for a failed run all of whose causes have been seen in a few runs before
  bool add(const RunResult& run);
  /// A line for each cause of several failures, the most frequent first: their number, and the first of them. Nothing,
  /// if there is no such cause.
  void write(std::ostream& out) const;

 private:
  struct Cause {
    std::string kind;   // the text with its numbers left out
    std::string first;  // the text
    std::string where;  // the run it came in first
    std::uint64_t failures = 0;
    std::uint64_t runs = 0;
  };
  std::vector<Cause> causes_;  // in the order in which they come
};

}  // namespace pmufab::scenario
