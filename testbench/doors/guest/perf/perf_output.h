// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/doors/guest/perf/perf_expectations.h"
#include "testbench/perf/verdict.h"

namespace pmufab::guest {

/// A count that perf printed.
struct PrintedCount {
  std::string event;                   ///< as perf printed it; of a metric: without a PMU
  std::optional<std::uint64_t> value;  ///< nothing: "not counted" or "not supported"
  bool scaled = false;                 ///< an estimate: the event had a counter only for part of the time
  std::optional<double> time{};        ///< with -I: seconds since this perf began to count
  bool is_never = false;               ///< "not counted": the event never had a counter
  std::size_t table = 0;               ///< the one of perf's own tables that it stands in, from 1; 0: in none
};

/// A metric that perf printed, at the end of the line of one of its events.
struct PrintedMetric {
  std::string name;
  std::string unit;          ///< "%", "MB/s"; may be empty
  double value = 0;          ///< may be no number
  double error = 0;          ///< of the digits that are not printed, at most
  bool is_estimate = false;  ///< its events had counters only for part of the time
  bool is_interval = false;  ///< with -I
  std::size_t table = 0;     ///< as above
};

/// What perf stat printed.
struct PerfOutput {
  std::vector<PrintedCount> counts{};
  std::vector<PrintedMetric> metrics{};
  std::size_t tables = 0;  ///< of perf's own: "Performance counter stats for"
};

/// Finds counts and metrics in the output of perf stat: its own table, -x or -j. Other lines may stand between them.
[[nodiscard]] PerfOutput read_perf_output(std::string_view text);

/// Compares what perf printed with what it must have counted. If perf printed several counts of an event (-I), their
/// sum is compared; the count of --summary is left out. Counts are paired with events by name. One is not judged if another
/// perf may have printed it: one whose events are not known.
/// @param runs  what each perf must have counted, in order
[[nodiscard]] std::vector<perf::Verdict> compare(const std::vector<std::vector<ExpectedEvent>>& runs,
                                                 const std::vector<PrintedCount>& printed);

/// The result for a metric.
struct MetricVerdict {
  std::string metric;
  std::string unit;
  std::optional<double> value{};  ///< what perf printed; nothing if that is not known
  std::optional<Range> expected{};
  perf::Check check = perf::Check::unchecked;
  std::string note{};
};

/// Compares the metrics that perf printed with those of the scoreboard's counts. Where a formula has the time for which
/// perf counted, perf's own is taken: it prints that, too.
[[nodiscard]] std::vector<MetricVerdict> compare_metrics(const std::vector<std::vector<ExpectedEvent>>& runs,
                                                         const PerfOutput& printed);

/// All results of a boot.
struct JudgedRuns {
  std::vector<perf::Verdict> counts;
  std::vector<MetricVerdict> metrics;
};

/// Compares what perfs printed. If each has printed a table, a table belongs to the perf at the same place; what a perf
/// printed to a file is its own. All else is paired by name.
/// @param runs     what each perf must have counted, in order
/// @param printed  what they printed to the same output
/// @param files    what they printed to files, by the index of the run
[[nodiscard]] JudgedRuns judge_runs(const std::vector<std::vector<ExpectedEvent>>& runs, const PerfOutput& printed,
                                    const std::map<std::size_t, std::string>& files);

}  // namespace pmufab::guest
