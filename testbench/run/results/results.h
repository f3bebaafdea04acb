// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "testbench/host/driver_sets.h"
#include "testbench/judge/losses.h"
#include "testbench/judge/scoreboard.h"
#include "testbench/perf/check.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/spec/latency_histogram.h"
#include "tlm/spec/named_fields.h"
#include "tlm/spec/printable.h"

namespace pmufab::scenario {

/// Keys stay in the order they are added: result files are for people too, and compared byte by byte.
using Json = nlohmann::ordered_json;

/// A reading on the way that was impossible.
struct FailedRead {
  Picoseconds time = 0;  ///< since the drivers were loaded
  std::uint64_t value = 0;
  std::uint64_t low = 0;  ///< bounds of what was possible
  std::uint64_t high = 0;

  static constexpr auto named_fields() {
    return std::tuple(NamedField{"time_ps", &FailedRead::time}, NamedField{"value", &FailedRead::value},
                      NamedField{"low", &FailedRead::low}, NamedField{"high", &FailedRead::high});
  }
};

/// The result of one counter of a measure.
struct CounterResult {
  using Check = perf::Check;
  std::string event;
  std::string pmu;
  unsigned group = 0;                     ///< number of its group in the measure
  std::optional<std::uint64_t> driver;    ///< what reading the event gave
  std::optional<std::uint64_t> expected;  ///< what the scoreboard says
  Check check = Check::unchecked;
  Picoseconds time_enabled = 0;
  Picoseconds time_running = 0;
  std::uint64_t reads = 0;                       ///< readings on the way the scoreboard judged
  std::uint64_t reads_failed = 0;                ///< of these, the impossible ones
  std::vector<FailedRead> failed_reads{};        ///< the first eight
  std::string note;                              ///< why it is wrong, or what is worth knowing
  Json reading_latency = {};                     ///< of readings in ps: to_json(LatencyHistogram)
  std::optional<scoreboard::Account> account{};  ///< what became of its occurrences, if the scoreboard knows
};

/// A figure computed from counts by the formulas of the kernel's document.
struct DerivedResult {
  std::string name;  ///< "nvidia_cmem_latency_pmu_0 average latency"
  double value = 0;
  std::string unit;                 ///< "GB/s", "requests/cycle", "ns"
  std::optional<double> reference;  ///< the traffic's own, where it is known
  bool ok = true;                   ///< within 0.1 % of the reference

  static constexpr auto named_fields() {
    return std::tuple(NamedField{"name", &DerivedResult::name}, NamedField{"value", &DerivedResult::value},
                      NamedField{"unit", &DerivedResult::unit}, NamedField{"reference", &DerivedResult::reference},
                      NamedField{"ok", &DerivedResult::ok});
  }
};

/// What a counter did since the reading before.
struct IntervalCount {
  std::optional<std::uint64_t> increase;  ///< nothing if it could not be read
  Picoseconds time_enabled = 0;
  Picoseconds time_running = 0;
};

/// One reading of all events of a measure on the way.
struct IntervalResult {
  Picoseconds time = 0;               ///< since the drivers were loaded
  std::vector<IntervalCount> counts;  ///< one for each counter
};

/// A check that is about no single counter.
struct CheckResult {
  std::string name;
  bool ok = false;
  std::string text;

  static constexpr auto named_fields() {
    return std::tuple(NamedField{"name", &CheckResult::name}, NamedField{"ok", &CheckResult::ok},
                      NamedField{"text", &CheckResult::text});
  }
};

struct MeasureResult {
  std::string name;
  Picoseconds start = 0;  ///< times count from the loaded drivers
  Picoseconds stop = 0;
  bool partial = false;                 ///< cut short
  bool is_compared = true;              ///< false: the scenario wants no comparison (`compare: none`)
  std::optional<Picoseconds> window{};  ///< how long it was to count, if the scenario says so
  std::vector<CounterResult> counters;
  std::vector<IntervalResult> intervals;
  std::vector<DerivedResult> derived;
  std::vector<CheckResult> checks;

  [[nodiscard]] bool passed() const noexcept;

  static constexpr auto named_fields() {
    return std::tuple(NamedField{"name", &MeasureResult::name}, NamedField{"start_ps", &MeasureResult::start},
                      NamedField{"stop_ps", &MeasureResult::stop}, NamedField{"partial", &MeasureResult::partial},
                      NamedField{"compared", &MeasureResult::is_compared},
                      NamedField{"window_ps", &MeasureResult::window}, NamedField{"counters", &MeasureResult::counters},
                      NamedField{"intervals", &MeasureResult::intervals},
                      NamedField{"derived", &MeasureResult::derived}, NamedField{"checks", &MeasureResult::checks});
  }
};

/// One scenario (variant) with one driver set.
struct RunResult {
  enum class Status : std::uint8_t {
    passed,
    not_judged,        ///< nothing failed, and not one count was compared
    failed,            ///< a check failed
    expected_failure,  ///< failed, as the scenario says it must
    unexpected_pass,   ///< the scenario says it must fail, and it did not
    interrupted,       ///< the user or a limit stopped it; what was measured is kept
    timed_out,         ///< it took longer than the user allows; what was measured is kept
    bad_input,
    crashed,  ///< the process died or reported an internal error
    not_run,
  };
  std::string scenario;
  std::string variant;
  std::string platform;
  std::string drivers;                                ///< kernel version
  std::vector<driver_host::DriverFile> driver_files;  ///< those that serve PMUs, and the user's
  std::uint64_t seed = 0;
  Status status = Status::not_run;
  std::string message;          ///< bad input, crash: what happened
  std::string expected_reason;  ///< of an expected failure
  bool partial = false;         ///< not all of the scenario was run
  bool is_limited = false;      ///< interrupted by a limit, not by the user
  bool is_lost = false;         ///< its files could not be written, as on a full disk: it says nothing about the driver
  Picoseconds simulated_time = 0;
  std::vector<MeasureResult> measures;
  std::vector<CheckResult> checks;    ///< of the run as a whole
  std::vector<std::string> actions;   ///< what was done to the machine, with times
  std::vector<std::string> findings;  ///< of the scoreboard
  std::vector<std::string> kernel_log;
  Json traffic = Json::array();  ///< one object per generator
  Json busiest = {};  ///< by network ("cmn0", "cmn0_homes"): resource, use, stall; null if there is none, or no traffic
  Json interrupts = {};        ///< handled, unhandled, lost, handler_time_ps; null if the run did not come to its end
  Json coverage = {};          ///< what the drivers met (coverage::Coverage), if that was wanted and the run ended
  Json load = Json::array();   ///< of each mesh (MeshLoad), if that was wanted; in no report but --html
  std::vector<Json> accesses;  ///< of drivers, if they were recorded; in no report

  /// "scenario", "scenario [variant]"
  [[nodiscard]] std::string title() const;
  [[nodiscard]] bool passed() const noexcept { return status == Status::passed || status == Status::expected_failure; }
  /// @return true if nothing is wrong, as far as anybody can say
  [[nodiscard]] bool is_good() const noexcept { return passed() || status == Status::not_judged; }
  /// @return true if counts were to be compared, and none could be
  [[nodiscard]] bool lacks_judge() const noexcept;
  [[nodiscard]] std::uint64_t counters() const noexcept;
  [[nodiscard]] std::uint64_t counters_wrong() const noexcept;
  [[nodiscard]] std::uint64_t counters_not_judged() const noexcept;
};

[[nodiscard]] std::string_view to_string(RunResult::Status status) noexcept;

/// What to_json(LatencyHistogram) has besides `count`, in the order of tables.
inline constexpr std::array<const char*, 6> kLatencyKeys = {"minimum", "mean", "p50", "p99", "p999", "maximum"};
/// Counts them, and has minimum, mean, percentiles (p50, p99, p999: 99.9 %) and maximum, which are null if there are none.
[[nodiscard]] Json to_json(const LatencyHistogram& latencies);
/// Add what an operation takes that had to send something: the least, as in a fabric at rest, and the mean, under load.
/// @param unit  "ps" or "cycles"
void add_idle_and_loaded(const LatencyHistogram& latencies, const char* unit, Json& traffic);
/// Add a resource to what Fabric::report_busiest() tells, unless nobody used it.
/// @param use, stall  in the unit of `time`
void add_busiest(const std::string& network, const std::string& resource, double use, double stall, double time,
                 Json& networks);
/// @return whether an object of that kind has a latency at all
[[nodiscard]] bool has_latency(const Json& latency);
/// The latencies of a stream of traffic, as Fabric::report_traffic() tells them.
struct TrafficLatency {
  Json latency;
  bool in_cycles = false;  ///< of the mesh, instead of picoseconds
};
[[nodiscard]] TrafficLatency latency_of(const Json& traffic);
[[nodiscard]] Json to_json(const RunResult& run);
// Of a counter and of an interval, as `json = counter` and json.get<CounterResult>() call them. The second ones throw
// nlohmann::json::exception if it is not what the first ones made.
void to_json(Json& json, const CounterResult& counter);
void from_json(const Json& json, CounterResult& counter);
void to_json(Json& json, const IntervalResult& interval);
void from_json(const Json& json, IntervalResult& interval);

/// Text of time for people: "1.25 ms".
[[nodiscard]] std::string format_time(Picoseconds time);
using pmufab::with_separators;
/// "1 counter", "1,234 counters"
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view what);

/// What became of counters, of one run or of many.
struct CounterTotals {
  std::uint64_t all = 0;
  std::uint64_t wrong = 0;
  std::uint64_t wrong_as_expected = 0;  ///< of those, in runs that fail at what they are expected to fail at
  std::uint64_t not_judged = 0;
  std::uint64_t zero = 0;  ///< counts of 0 that are right
  // Of the wrong ones, those that are not about a difference of two counts:
  std::uint64_t not_opened = 0;     ///< the driver refused the event
  std::uint64_t not_counted = 0;    ///< never had a counter, or could not be read
  std::uint64_t read_wrong = 0;     ///< equal to the scoreboard's, but with an impossible reading on the way
  std::uint64_t not_as_wanted = 0;  ///< equal to the scoreboard's, and not what the scenario expects

  void add(const RunResult& run) noexcept;
  void add(perf::Check check, bool is_zero) noexcept;
};
/// The verdict on a run that came to its end: the only place that decides it.
/// @param good  false: something failed, if only a check that is about no counter
/// @return passed, not_judged or failed. Without a single count that was compared, nothing has passed.
[[nodiscard]] RunResult::Status status_of(const CounterTotals& totals, bool good) noexcept;
/// @return the word with which reports begin: "PASSED", "NOT JUDGED", "FAILED, as expected"
[[nodiscard]] std::string_view headline(RunResult::Status status) noexcept;
/// "22 counters, none wrong", "2 counters, none wrong; every count is 0", "3 counters, not judged",
/// "53 of 60 counters wrong, all as expected"; if not all that failed are wrong counts,
/// "3 of 20 counters failed: 2 counts wrong, 1 event not opened"
[[nodiscard]] std::string describe(const CounterTotals& totals);

/// A count as the formulas see it.
struct DerivedInput {
  std::string pmu;
  std::string event;                                     ///< published name, "slc_bytes_rd"; empty for raw events
  scoreboard::Figure figure = scoreboard::Figure::none;  ///< what a formula makes of the count alone
  bool filtered = false;                                 ///< it has filter terms
  std::uint64_t count = 0;
  Picoseconds elapsed = 0;              ///< the time it had a counter
  bool complete = true;                 ///< it was counted all the time
  scoreboard::Ratio mean_latency_ps{};  ///< the traffic's own
};

}  // namespace pmufab::scenario
