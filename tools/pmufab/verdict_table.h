// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "testbench/doors/guest/perf/perf_output.h"
#include "testbench/perf/verdict.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::cli {

/// Print the final table of shell and boot to standard error. Standard output belongs to the programs that ran.
/// @param counter  who counted: "driver", "guest"
/// @param event    title of the events' column
void print_verdicts(const char* counter, const std::string& event, const std::vector<perf::Verdict>& verdicts);
/// Print the rows of metrics, below those of the events they are computed from.
void print_metrics(const std::vector<guest::MetricVerdict>& metrics);

/// Print what else was wrong to standard error, a line each. @param failures  scenario::run_failures()
void print_failures(const std::vector<std::string>& failures);

/// The verdict on a shell or a boot, as pmufab run decides it.
struct Conclusion {
  scenario::RunResult::Status status;  ///< passed, not_judged or failed
  scenario::CounterTotals totals;

  /// Print it to standard error, unless nothing was counted and nothing failed.
  void print() const;
  /// @param command  exit code of the program that ran
  /// @return kCheckFailed if something failed, else `command` unless that is 0, else kNotJudged if counts were made and
  ///         not one could be judged, else 0
  [[nodiscard]] int exit_code(int command) const;
};
/// @param failures  scenario::run_failures()
/// @param metrics   each is counted as a counter
[[nodiscard]] Conclusion conclude(const std::vector<perf::Verdict>& verdicts, const std::vector<std::string>& failures,
                                  const std::vector<guest::MetricVerdict>& metrics = {});

/// @return the beginning of every --json file of these commands. @param complete  false: it did not come to its end
[[nodiscard]] scenario::Json verdict_json(const scenario::ScenarioSpec& spec, bool complete, Picoseconds simulated,
                                          const Conclusion& conclusion, const std::vector<std::string>& failures);

/// Add the verdicts to the result of verdict_json(), and write it to the user's file. @param counter  as above
void write_verdicts(const std::filesystem::path& file, scenario::Json json, const char* counter,
                    const std::vector<perf::Verdict>& verdicts);

}  // namespace pmufab::cli
