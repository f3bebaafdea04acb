// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pmufab::guest {

/// perf's own event: the time for which it counted, in nanoseconds. Its expressions mean seconds.
inline constexpr std::string_view kDuration = "duration_time";

/// A number that is not known exactly; its bounds are equal if it is.
struct Range {
  double low = 0;
  double high = 0;
};

/// A number that perf computes from counts, as perf list -j describes it.
struct Metric {
  std::string name;        ///< "slc_miss_rate"
  std::string groups;      ///< that it belongs to: "cmn;other"
  std::string expression;  ///< "hnf_cache_miss / hnf_slc_sf_cache_access"
  std::string scale;       ///< factor and unit of what is printed: "100%", "1MB/s"; empty: 1
  std::string pmus;        ///< beginning of the names of its PMUs: "arm_cmn"; empty for those of CPUs
};

/// @param text  of perf list -j. @return what it describes; nothing if it is not understood
[[nodiscard]] std::vector<Metric> parse_metrics(std::string_view text);

/// @return names of the events that a metric is computed from, each once, without duration_time; nothing if the
///         expression has more than numbers, events, + - * / and parentheses
[[nodiscard]] std::optional<std::vector<std::string>> events_of(const Metric& metric);

/// @param count  of an event or duration_time; nothing if it is not known
/// @return the metric as perf prints it, with its factor. As in perf, a division by 0 is not a number. Nothing if the
///         expression is not understood, a count is not known, or a divisor may be 0 and may not.
[[nodiscard]] std::optional<Range> evaluate(const Metric& metric,
                                            const std::function<std::optional<Range>(const std::string& event)>& count);

}  // namespace pmufab::guest
