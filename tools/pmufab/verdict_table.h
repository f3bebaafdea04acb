// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "testbench/perf/verdict.h"
#include "testbench/scenario/report/results.h"
#include "testbench/scenario/run/scenario_spec.h"

namespace pmufab::cli {

/// Print the final table of shell and boot to standard error. Standard output belongs to the programs that ran.
/// @param counter  who counted: "driver", "guest"
/// @param event    title of the events' column
void print_verdicts(const char* counter, const std::string& event, const std::vector<perf::Verdict>& verdicts);

/// Print what else was wrong to standard error, a line each. @param failures  scenario::run_failures()
void print_failures(const std::vector<std::string>& failures);

/// @return the beginning of every --json file of these commands
[[nodiscard]] scenario::Json verdict_json(const scenario::ScenarioSpec& spec, bool complete, Picoseconds simulated,
                                          const std::vector<std::string>& failures);

/// Add the verdicts to the result of verdict_json(), and write it to the user's file. @param counter  as above
void write_verdicts(const std::filesystem::path& file, scenario::Json json, const char* counter,
                    const std::vector<perf::Verdict>& verdicts);

/// @return true if at least one count is wrong
[[nodiscard]] bool any_wrong(const std::vector<perf::Verdict>& verdicts);

}  // namespace pmufab::cli
