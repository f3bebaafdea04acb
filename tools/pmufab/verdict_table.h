// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/scenario/report/results.h"
#include "testbench/scenario/run/scenario_spec.h"
#include "testbench/shell/verdict.h"

namespace pmufab::cli {

/// A line of the table that shell and boot end with.
struct VerdictLine {
  std::string counted;   ///< "-" if there is nothing
  std::string expected;  ///< by the scoreboard
  shell::Check check = shell::Check::unchecked;
  std::string event;
  std::string note;
};

/// Print it to standard error, which is the programs' too: their standard output may be for somebody else.
/// @param counted  who counted
/// @param event    title of the events' column
void print_verdicts(const std::string& counted, const std::string& event, const std::vector<VerdictLine>& lines);

/// @return what every file of --json of these commands begins with
[[nodiscard]] scenario::Json verdict_json(const scenario::ScenarioSpec& spec, bool complete, Picoseconds simulated,
                                          const std::vector<std::string>& failures);

/// @return true if one of these counts is wrong
template <typename Verdicts>
[[nodiscard]] bool any_wrong(const Verdicts& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(),
                     [](const auto& verdict) { return verdict.check == shell::Check::wrong; });
}

}  // namespace pmufab::cli
