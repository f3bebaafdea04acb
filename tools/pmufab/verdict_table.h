// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "testbench/perf/verdict.h"
#include "testbench/scenario/report/results.h"
#include "testbench/scenario/run/scenario_spec.h"

namespace pmufab::cli {

/// Print the table that shell and boot end with to standard error, which is the programs' too: their standard output
/// may be for somebody else.
/// @param counter  who counted: "driver", "guest"
/// @param event    title of the events' column
void print_verdicts(const char* counter, const std::string& event, const std::vector<perf::Verdict>& verdicts);

/// @return what every file of --json of these commands begins with
[[nodiscard]] scenario::Json verdict_json(const scenario::ScenarioSpec& spec, bool complete, Picoseconds simulated,
                                          const std::vector<std::string>& failures);

/// Add the verdicts to what verdict_json() began, and write it to a file of the user's. @param counter  as above
void write_verdicts(const std::filesystem::path& file, scenario::Json json, const char* counter,
                    const std::vector<perf::Verdict>& verdicts);

/// @return true if one of these counts is wrong
[[nodiscard]] bool any_wrong(const std::vector<perf::Verdict>& verdicts);

}  // namespace pmufab::cli
