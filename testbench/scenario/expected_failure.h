#pragma once

#include <string>
#include <vector>

#include "testbench/scenario/results.h"

namespace pmufab::scenario {

/// What a run that is known to fail must fail at: all of it, and nothing else.
struct ExpectedFailures {
  std::vector<std::string> events;  ///< counted wrong, in at least one measure; texts as in reports
  std::vector<std::string> checks;  ///< of the run or of a measure: "kernel_warnings", "interrupts", ...
};

/// @return true if nothing that was checked failed.
[[nodiscard]] bool all_passed(const RunResult& run);

/// @return what did not fail as it should have, and what failed although it should not; "" if there is no such thing
[[nodiscard]] std::string difference(const RunResult& run, const ExpectedFailures& expected);

}  // namespace pmufab::scenario
