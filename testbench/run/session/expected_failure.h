// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/run/results/results.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario {

/// What a run that is known to fail must fail at: all of it, and nothing else. `*` stands for anything.
struct ExpectedFailures {
  std::vector<std::string> events;      ///< counted wrong, in at least one measure; texts as in reports
  std::vector<std::string> not_opened;  ///< events the driver refuses, in at least one measure
  std::vector<std::string> checks;      ///< of the run or of a measure: "kernel_warnings", "interrupts", ...
};

/// @return the first record of a run's journal: whether it must fail with these drivers, why, and at what.
[[nodiscard]] Json begin_record(const ScenarioSpec& spec, const std::string& kernel_version);
/// @return what begin_record() put there. @throws nlohmann::json::exception if it is something else
[[nodiscard]] ExpectedFailures expected_failures(const Json& begin_record);

/// @return true if nothing that was checked failed.
[[nodiscard]] bool all_passed(const RunResult& run);

/// @return what did not fail as it should have, and what failed although it should not; "" if there is no such thing
[[nodiscard]] std::string difference(const RunResult& run, const ExpectedFailures& expected);

}  // namespace pmufab::scenario
