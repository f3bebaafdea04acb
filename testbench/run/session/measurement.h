// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbench/judge/scoreboard.h"
#include "testbench/perf/pmu_catalog.h"
#include "testbench/perf/pmu_service.h"
#include "testbench/perf/types.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario {

/// One measure of a scenario under way: opens its events as perf stat does, reads them, compares and closes them. All
/// members must be called from a SystemC thread process.
class Measurement {
 public:
  /// @param zero      simulated time that counts as 0 in results
  /// @param rotation  how often events that share counters change them
  /// @param take      receives each interval when it is over; the result of end() has none
  /// @throws EventError if an event does not resolve
  Measurement(const MeasureSpec& spec, perf::PmuService& pmus, scoreboard::Scoreboard& judge,
              const perf::PmuCatalog& catalog, Picoseconds zero, Picoseconds rotation,
              std::function<void(const IntervalResult&)> take);

  /// Call `tell` with the text of each event, as written, just before it is opened.
  void tell_openings(std::function<void(const std::string& text)> tell) { tell_opening_ = std::move(tell); }

  /// Open and enable every event.
  /// @param stops  asked before each, because a driver may take long for many; true: the measure is without the rest
  void begin(const std::function<bool()>& stops = {});
  /// @return whether an event of that PMU is open, and enabled
  [[nodiscard]] bool counts_on(const std::string& pmu) const;
  /// Enable or disable every event that is open.
  void set_counting(bool counting);
  [[nodiscard]] bool is_counting() const noexcept { return is_counting_; }
  /// Read every event, for the interval that ends now.
  void read_interval();
  /// Read every event, so that the scoreboard judges the reading. No result has it.
  void read_again();
  /// @return number of intervals read so far
  [[nodiscard]] std::size_t intervals() const noexcept { return intervals_; }
  /// @return its events without counts: what is known if the run dies.
  [[nodiscard]] MeasureResult begun() const;
  /// Disable, read, compare and close every event. @param cut_short  by the user, or by an action on the machine
  MeasureResult end(bool cut_short);

 private:
  struct Counter {
    perf::ResolvedEvent event;
    perf::EventHandle handle = 0;                 // 0: not open
    std::optional<perf::EventReading> reading{};  // the last one; nothing if it failed
    int read_error = 0;                           // of the last reading: a negative errno
    perf::EventReading last{};                    // at the end of the interval before
    std::uint64_t increases = 0;                  // of all intervals
    std::string went_back{};                      // the first reading that was less than the one before
    std::string not_judged{};                     // why the scoreboard cannot judge it
  };
  struct Group {
    std::vector<Counter> counters;
    bool braces = false;
    std::vector<Picoseconds> latencies{};  // of its readings while it counted
    [[nodiscard]] Json latency() const;
  };

  [[nodiscard]] bool is_judged() const noexcept { return spec_.compare != MeasureSpec::Compare::unjudged; }
  void open(Group& group, unsigned number);
  void expect(const Group& group, Counter& counter);
  /// @return what is most likely wrong with an event that the driver refuses; empty: nothing is known
  [[nodiscard]] static std::string likely_reason(const Group& group, const Counter& counter);
  void read(Group& group);
  void read_running(Group& group);
  void note_interval();
  [[nodiscard]] CounterResult compare(const Counter& counter, unsigned group, const Json& latency) const;
  void add_derived(MeasureResult& result) const;
  /// Compare the time in which events counted with the one that was asked for.
  void check_window();

  const MeasureSpec& spec_;
  perf::PmuService& pmus_;
  scoreboard::Scoreboard& judge_;
  Picoseconds zero_;
  Picoseconds rotation_;
  std::vector<Group> groups_;
  std::function<void(const IntervalResult&)> take_;
  std::function<void(const std::string& text)> tell_opening_;
  std::size_t intervals_ = 0;
  bool is_counting_ = true;
  MeasureResult result_;
  std::size_t refused_as_told_ = 0;  // groups
};

/// @return the name and the words of a Linux errno given as a negative number: "EINVAL (Invalid argument)".
[[nodiscard]] std::string describe_errno(int result);

}  // namespace pmufab::scenario
