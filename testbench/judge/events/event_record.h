// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/judge/counts/span_ledger.h"
#include "testbench/judge/events/event_truth.h"
#include "testbench/judge/pmu_judge.h"

namespace pmufab::scoreboard {

/// One event of the user: the spans in which it must count, the driver's values, and the verdict.
class EventRecord {
 public:
  EventRecord(perf::EventHandle handle, const PmuJudge& pmu) : handle_(handle), pmu_(pmu) {}

  /// Set the event's meaning. What it counted before is not known.
  void set_truth(std::unique_ptr<EventTruth> truth, Picoseconds when);
  [[nodiscard]] bool has_truth() const noexcept { return truth_ != nullptr; }
  /// @return its meaning; null if it is not known.
  [[nodiscard]] const EventTruth* truth() const noexcept { return truth_.get(); }
  /// The driver refused the event although there was room. The first time counts.
  void note_refusal(std::string text) {
    if (refusal_.empty()) refusal_ = std::move(text);
  }
  /// @return the event in words; empty if its meaning is not known.
  [[nodiscard]] std::string text() const { return truth_ == nullptr ? std::string() : truth_->text(); }
  [[nodiscard]] bool active() const noexcept { return active_; }
  [[nodiscard]] bool open() const noexcept { return open_.has_value(); }
  [[nodiscard]] const PmuJudge& pmu() const noexcept { return pmu_; }

  /// @name The user's calls
  /// @{ The call that enables the event, or the one that disables or closes it, begins and ends.
  void enabling() { ledger_.times().enabling(); }
  void enabled(Picoseconds when);
  void disabling(Picoseconds when);
  void disabled();
  /// @}

  void activate(Picoseconds when);
  void deactivate(Picoseconds when);
  /// The same at the end of a driver's call, for events that may have a gate of their own (see EventTruth).
  void activate_by_call(Picoseconds begin, Picoseconds end);
  void deactivate_by_call(Picoseconds begin, Picoseconds end);
  /// @return true if the event counts, and other registers than the PMU's control register let it.
  [[nodiscard]] bool has_own_gate() const noexcept { return has_own_gate_; }
  /// The PMU was started, or stopped.
  void begin_span(Picoseconds when);
  void end_span(Picoseconds when);
  /// Why the event does not count may have changed.
  void note_cause(Picoseconds when);
  /// The progress of the event: how many spans have ended so far, and a mark in the open one.
  struct Point {
    std::size_t spans = 0;
    std::optional<Span> open;
  };
  /// @return the present point; nothing if the meaning is not known.
  [[nodiscard]] std::optional<Point> point(Picoseconds when);
  /// A point of point() is not needed.
  void forget(const Point& point);
  /// @return the same, for judge_read() alone: it is forgotten when the reading has been judged for good.
  [[nodiscard]] std::optional<Point> point_of_read(Picoseconds when);
  /// The PMU should have stopped at this earlier point. A later span is dropped.
  void end_span_at(const std::optional<Point>& point);
  /// Judge a reading of the event while it counts, by a call from `begin` to `end`.
  /// @param value       what the driver has counted
  /// @param low, high   the points at begin and end of the call, of point_of_read(); nothing if they are not known
  /// @param sample      the point at which the driver read the counter itself, if it is known
  void judge_read(Picoseconds begin, Picoseconds end, std::uint64_t value, const std::optional<Point>& low,
                  const std::optional<Point>& high, const std::optional<Point>& sample);
  /// Judge for good, and forget, what cannot change any more, if much waits for it.
  /// @param busy_since  when the outermost call began that the driver is in: points from then on may still be needed
  void settle(Picoseconds busy_since);
  /// A pmu_enable call did not start the PMU while this event was active. This becomes a driver's fault once the driver
  /// has certainly accepted the event: when it is read, stopped or deleted.
  void suspect(Picoseconds when) { suspected_ = when; }
  /// @return the suspicion, if any, and clear it.
  [[nodiscard]] std::optional<Picoseconds> confirm() { return std::exchange(suspected_, std::nullopt); }
  /// @return whether it is let count: EventTruth::is_on(), or what holds for its PMU
  [[nodiscard]] bool is_on(bool pmu) const { return truth_ == nullptr ? pmu : truth_->is_on().value_or(pmu); }
  void set_driver_value(std::uint64_t value) { driver_ = value; }
  /// @return true the first time: its losses do not add up.
  [[nodiscard]] bool complain() noexcept { return !std::exchange(has_complained_, true); }

  /// @return the value the event must read at `when`, which is not before the latest instant passed to this record.
  [[nodiscard]] std::uint64_t expected(Picoseconds when);
  [[nodiscard]] EventResult result(Picoseconds when);
  /// @return the judgement of the last read that had ended at `until`; nothing if there is none. Of those before the
  ///         latest one it knows the one that keep_last_read() was called for last, and perhaps others.
  [[nodiscard]] std::optional<ReadCheck> last_read(Picoseconds until) const;
  /// Somebody will ask for the latest read.
  void keep_last_read();

 private:
  static constexpr std::size_t kLeastRoom = 64;

  struct JudgedRead {
    Picoseconds begin;
    Picoseconds end;
    std::uint64_t value;
    Point low;
    Point high;
    bool sampled;
    bool is_kept = false;  // somebody will ask for it
  };

  /// Readings and their judgements.
  struct Readings {
    std::uint64_t all = 0;
    std::uint64_t sampled = 0;
    std::uint64_t failed = 0;
    std::vector<ReadCheck> first_failed;
    std::optional<ReadCheck> last;

    void add(const ReadCheck& check);
  };

  void open(const Mark& begin);
  void close(const Mark& end);
  /// The event does not count from here on.
  void begin_gap(const Mark& begin);
  /// @return why the event does not count at present.
  [[nodiscard]] LossCause cause() const;
  /// @param spans    of spans_until()
  /// @param counted  of all spans
  [[nodiscard]] Account account(const std::vector<Span>& spans, std::uint64_t counted, const std::optional<Mark>& now);
  /// @return the spans that are not settled, with the open one up to `when`, whose end forget_end() drops again.
  [[nodiscard]] std::vector<Span> spans_until(Picoseconds when);
  void forget_end(const std::vector<Span>& spans);
  /// @return the judgements of those of reads_ that ended before `until`. What happened later is not asked for.
  [[nodiscard]] std::vector<ReadCheck> read_checks(Picoseconds until = std::numeric_limits<Picoseconds>::max()) const;
  /// Judge readings that ended before `until`, and forget them and their marks: a run may have any number of them.
  /// @return when the first of the others began, or `until`, if that is earlier
  Picoseconds settle_reads(Picoseconds until);
  [[nodiscard]] std::size_t waiting() { return reads_.size() + ledger_.waiting(); }

  perf::EventHandle handle_;
  const PmuJudge& pmu_;
  std::unique_ptr<EventTruth> truth_;
  bool active_ = false;
  bool has_own_gate_ = false;
  std::optional<Picoseconds> suspected_;
  std::optional<Mark> open_;
  SpanLedger ledger_;
  std::size_t room_ = kLeastRoom;  // when so much waits, it is settled
  bool has_complained_ = false;
  std::string refusal_;  // the first that was wrong, in words
  std::optional<std::uint64_t> driver_;
  std::deque<JudgedRead> reads_;     // those that late information may change
  std::deque<Mark> marks_of_reads_;  // in order of time
  Readings settled_;                 // those before reads_
  std::optional<ReadCheck> kept_;    // of these, the last that somebody will ask for
};

}  // namespace pmufab::scoreboard
