// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/perf/account.h"
#include "testbench/run/report/report.h"

/// What `perf stat -x` and `perf stat -j` print (man perf-stat: CSV FORMAT, JSON FORMAT), as perf 6.1 prints it.
namespace pmufab::scenario {
namespace {

using Check = CounterResult::Check;

constexpr Picoseconds kNanosecond = 1'000;

/// One line of perf: a counter, and what it counted in the time the line is about.
struct Line {
  const CounterResult& counter;
  std::optional<std::uint64_t> count;
  std::uint64_t enabled = 0;  // ns
  std::uint64_t running = 0;  // ns
  std::string time;           // of an interval, in seconds: as wide as perf's

  [[nodiscard]] bool was_counted() const noexcept { return count && enabled > 0 && running > 0; }

  [[nodiscard]] std::uint64_t scaled() const { return perf::scaled_up(count.value_or(0), {enabled, running}); }
  [[nodiscard]] std::string_view words() const noexcept {
    return counter.check == Check::not_opened || counter.check == Check::refused ? "<not supported>" : "<not counted>";
  }
  /// perf computes it in whole percent, and prints 100 for an event without any time.
  [[nodiscard]] std::string percentage() const {
    return fmt::format("{}.00", running == enabled ? 100 : 100 * running / enabled);
  }
};

/// All lines of perf: those of each interval, or those of the end if there are no intervals.
template <typename Write>
void for_each_line(const RunResult& run, const Write& write) {
  for (const MeasureResult& measure : run.measures) {
    for (const IntervalResult& interval : measure.intervals) {
      const Picoseconds since_start = (interval.time - measure.start) / kNanosecond;
      for (std::size_t i = 0; i < measure.counters.size() && i < interval.counts.size(); ++i) {
        const IntervalCount& count = interval.counts[i];
        write(Line{measure.counters[i], count.increase, count.time_enabled / kNanosecond,
                   count.time_running / kNanosecond,
                   fmt::format("{}.{:09}", since_start / 1'000'000'000, since_start % 1'000'000'000)});
      }
    }
    if (!measure.intervals.empty()) continue;
    for (const CounterResult& counter : measure.counters) {
      write(Line{counter, counter.driver, counter.time_enabled / kNanosecond, counter.time_running / kNanosecond, {}});
    }
  }
}

}  // namespace

void write_perf_csv(std::ostream& out, const RunResult& run, const std::string& separator) {
  for_each_line(run, [&](const Line& line) {
    if (!line.time.empty()) fmt::print(out, "{:>16}{}", line.time, separator);
    // The unit is empty, and so are both columns of the metric.
    fmt::print(out, "{1}{0}{0}{2}{0}{3}{0}{4}{0}{0}\n", separator,
               line.was_counted() ? fmt::format("{}", line.scaled()) : line.words(), line.counter.event, line.running,
               line.percentage());
  });
}

void write_perf_json(std::ostream& out, const RunResult& run) {
  for_each_line(run, [&](const Line& line) {
    const bool counted = line.was_counted();
    fmt::print(out,
               R"({{{}"counter-value" : "{}", "unit" : "", "event" : {}, "event-runtime" : {}, "pcnt-running" : {}, )"
               R"("metric-value" : 0.000000, "metric-unit" : "{}"}})"
               "\n",
               line.time.empty() ? "" : fmt::format(R"("interval" : {}, )", line.time),
               counted ? fmt::format("{}.000000", line.scaled()) : line.words(), Json(line.counter.event).dump(),
               line.running, line.percentage(),
               counted ? "(null)" : "");  // perf 6.1 prints the C library's word for a unit that is not there
  });
}

}  // namespace pmufab::scenario
