// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/guest/perf/perf_expectations.h"
#include "testbench/perf/verdict.h"

namespace pmufab::guest {

/// A count that perf printed.
struct PrintedCount {
  std::string event;                   ///< as perf printed it; of a metric: without a PMU
  std::optional<std::uint64_t> value;  ///< nothing: "not counted" or "not supported"
  bool scaled = false;                 ///< an estimate: the event had a counter only for part of the time
  std::optional<double> time{};        ///< with -I: seconds since this perf began to count
  bool is_never = false;               ///< "not counted": the event never had a counter
};

/// A metric that perf printed, at the end of the line of one of its events.
struct PrintedMetric {
  std::string name;
  std::string unit;          ///< "%", "MB/s"; may be empty
  double value = 0;          ///< may be no number
  double error = 0;          ///< of the digits that are not printed, at most
  bool is_estimate = false;  ///< its events had counters only for part of the time
  bool is_interval = false;  ///< with -I
};

/// What perf stat printed.
struct PerfOutput {
  std::vector<PrintedCount> counts{};
  std::vector<PrintedMetric> metrics{};
};

/// Finds counts and metrics in the output of perf stat: its own table, -x or -j. Other lines may stand between them.
[[nodiscard]] PerfOutput read_perf_output(std::string_view text);

/// Compares what perf printed with what it must have counted. If perf printed several counts of an event (-I), their
/// sum is compared; the count of --summary is left out.
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

}  // namespace pmufab::guest
