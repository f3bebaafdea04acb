// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/pmu/alarm.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/probe/event_sink.h"

namespace pmufab {

/// The threshold, invert and edge stage in front of a counter. Raw events go in, increments per clock come out.
///
/// The raw events of clock j are those in [edge j - 1, edge j). The condition is sampled at edge j. Sampling edges in
/// [on, off) of a running window count; events before `on` are not seen.
/// - threshold 0, no edge: every raw event passes at once (invert is ignored);
/// - threshold T > 0: +1 per clock with raw >= T, or, inverted, per clock with raw <= T, idle clocks included;
/// - edge: +1 when the condition becomes true (with threshold 0 the condition is "any event"). It is false before `on`.
///
/// Source: CXL 3.1, 8.2.7.2.1. Idle clocks are computed, not stepped.
class ClockCondition {
 public:
  struct Settings {
    std::uint64_t threshold = 0;
    bool invert = false;
    bool edge = false;

    /// @return true if raw events pass as they come.
    [[nodiscard]] bool is_raw() const noexcept { return threshold == 0 && !edge; }
    bool operator==(const Settings&) const = default;
  };
  using OnLastIncrement = void (*)(void* context, Picoseconds when);

  explicit ClockCondition(const ClockDomain& clock);
  ClockCondition& operator=(ClockCondition&&) = delete;

  /// Change the settings. Only while stopped.
  void configure(const Settings& settings) noexcept { settings_ = settings; }
  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }

  /// Raw events go in here: let a probe watch this sink. Times never run backwards.
  [[nodiscard]] EventSink& input() noexcept { return input_; }
  /// Increments come out here, at the next raw event, settle() or stop(). If such a bunch wraps the output, the first
  /// wrap is reported with its own time, one picosecond after its sampling edge.
  void set_output(EventSink* output) noexcept { output_ = output; }
  /// Call `function` after each raw event that finds the output one increment before its wrap. Only then can an event
  /// bring the wrap forward, so an owner that schedules the wrap calls time_of_increments() again.
  void on_last_increment(OnLastIncrement function, void* context) noexcept {
    on_last_ = function;
    context_ = context;
  }

  void start(Picoseconds when) noexcept;
  void stop(Picoseconds when);
  /// Stop at `when`, which may lie ahead: raw events and sampling edges from then on do not count, even if they come
  /// before stop() is called. An earlier stop time stays.
  void stop_at(Picoseconds when) noexcept { end_ = std::min(end_, when); }
  [[nodiscard]] bool is_running() const noexcept { return running_; }

  /// Put out the increments of all sampling edges before `when`.
  void settle(Picoseconds when);
  /// @return the number of increments that settle(when) would put out.
  [[nodiscard]] std::uint64_t unsettled(Picoseconds when) const noexcept;
  /// @return the first instant at which `increments` more increments will have come out if no further event arrives;
  ///         kNever if there is none. For scheduling an overflow. `increments` is at least 1.
  [[nodiscard]] Picoseconds time_of_increments(std::uint64_t increments) const noexcept;

 private:
  struct State {
    std::uint64_t next_edge = 0;  // first sampling edge not evaluated yet
    std::uint64_t raw = 0;        // events that belong to that edge
    bool condition = false;       // at the previous sampling edge
  };
  static void received(void* context, std::uint64_t wraps, Picoseconds when);
  void take(std::uint64_t amount, Picoseconds when);
  void settle_with_wrap(Picoseconds when);
  [[nodiscard]] bool holds(std::uint64_t raw) const noexcept;
  [[nodiscard]] bool step(State& state) const noexcept;
  [[nodiscard]] std::uint64_t evaluate(State& state, std::uint64_t end_edge) const noexcept;

  const ClockDomain& clock_;
  Settings settings_;
  EventSink input_{64};
  EventSink* output_ = nullptr;
  OnLastIncrement on_last_ = nullptr;
  void* context_ = nullptr;
  State state_;
  bool running_ = false;
  Picoseconds end_ = kNever;
};

}  // namespace pmufab
