// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/scenario/report/results.h"

namespace pmufab::scenario {

struct TextReportOptions {
  bool marks = true;        ///< a check mark and a cross instead of "ok" and "WRONG" (needs a UTF-8 terminal)
  bool everything = false;  ///< do not leave exact counters out of long tables
  bool compact = false;     ///< one line for a run that passed
};

/// @return the version of this program, "0.1.0".
[[nodiscard]] std::string version();

/// The result of a run as a table for people, like perf stat with the scoreboard's column beside the driver's.
void write_text(std::ostream& out, const RunResult& run, const TextReportOptions& options);

/// The counts of each interval, a line each, as perf stat -I prints them; nothing if there are no intervals.
void write_intervals(std::ostream& out, const RunResult& run);

/// Results of scenarios that are reported and not judged: for each set of settings that the variants vary, a table of
/// the driver's counts beside what happened. Nothing for other runs.
void write_comparison(std::ostream& out, const std::vector<RunResult>& runs);

/// One line over several runs, after their tables.
void write_summary(std::ostream& out, const std::vector<RunResult>& runs);

/// All runs in one JSON document: {"program", "version", "runs": [...]}.
void write_json(std::ostream& out, const std::vector<RunResult>& runs);

/// All runs as JUnit XML: a test suite for each run, a test case for each counter and check.
void write_junit(std::ostream& out, const std::vector<RunResult>& runs);

/// @return text as part of XML. Control characters, which XML cannot hold, become question marks.
[[nodiscard]] std::string xml_text(std::string_view text);

/// Every counter of every run as a line of comma-separated values, with a heading.
void write_csv(std::ostream& out, const std::vector<RunResult>& runs);

/// Exactly what `perf stat -x SEPARATOR` prints: value, unit, event, run time in ns, percentage of the time it ran, value
/// and unit of a metric (all units and the metric are empty). With intervals, the time in seconds since counting began
/// goes first, and every field is that of the interval. Counts are scaled as perf scales them.
void write_perf_csv(std::ostream& out, const RunResult& run, const std::string& separator);

/// Exactly what `perf stat -j` of perf 6.1 prints: one JSON object per line.
void write_perf_json(std::ostream& out, const RunResult& run);

/// @return 0 all passed, 1 a check failed, or a run was stopped or took too long, 2 bad input, 3 a run crashed, 4 nothing
/// failed, and not one count of a run could be judged. The gravest wins: 3, 2, 1, 4.
[[nodiscard]] int exit_code(const std::vector<RunResult>& runs);

}  // namespace pmufab::scenario
