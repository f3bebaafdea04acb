// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/judge/events/event_result.h"
#include "testbench/judge/losses.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scoreboard {

/// One term of a user's event text: `name` or `name=value`.
struct EventTerm {
  std::string name;
  std::optional<std::uint64_t> value{};  ///< absent for a bare word; a bare filter word means 1, as in perf
};
using EventTerms = std::vector<EventTerm>;

/// An instant at which a truth was marked, and its progress then.
struct Mark {
  Picoseconds when = 0;
  std::uint64_t position = 0;  ///< defined by the kind of truth: a count so far, a time, the number of a checkpoint
};

/// A span of time in which an event must count.
struct Span {
  Mark begin;
  Mark end;
};

/// What one event of the user must count, by its documented meaning. The judge of its PMU makes one for each event.
class EventTruth {
 public:
  virtual ~EventTruth() = default;

  /// @return the event in words, for reports.
  [[nodiscard]] virtual std::string text() const = 0;
  /// Mark the present instant. Called in simulation order.
  [[nodiscard]] virtual Mark mark(Picoseconds when) = 0;
  /// Nobody will ask for spans that begin or end at this mark again. Called at most once for a mark.
  virtual void forget(const Mark& /*mark*/) {}
  /// @return the instant before which nothing more becomes known: spans that ended before it keep their counts.
  [[nodiscard]] virtual Picoseconds final_before() const { return std::numeric_limits<Picoseconds>::max(); }
  /// A span is counted for good. Called in order of time, for spans that ended before final_before(). From now on
  /// `spans` below lack it, and its marks may be forgotten: here a truth adds up what it still has to say of it.
  virtual void settle(const Span& /*span*/) {}
  /// @return the count of a span between two of its marks. It may be called again later, and return another value after
  ///         late information.
  [[nodiscard]] virtual std::uint64_t count(const Span& span) const = 0;

  /// The driver accepted the event, or gave it up; whether its PMU counts is independent. For truths that depend on the
  /// order of events.
  virtual void activated() {}
  virtual void deactivated() {}
  /// @return true if it counts cycles on the counter that a PMU has for them alone.
  [[nodiscard]] virtual bool takes_cycle_counter() const { return false; }
  /// An event began, or stopped, to count. Here a truth can record more than the mark, to explain a difference.
  virtual void opened() {}
  virtual void closed() {}

  /// @name What happens while the event does not count
  /// From window_opened() to window_closed() the truth takes in everything that happens, whether the event counts or not.
  /// The mark of that instant has been taken right before.
  /// @{
  virtual void window_opened() {}
  virtual void window_closed() {}
  /// @return what happened between two marks within a window. It differs from count() if the event counts otherwise when
  ///         it is interrupted, or if it has a gate of its own.
  [[nodiscard]] virtual std::uint64_t happened(const Span& span) const { return count(span); }
  /// @return why a driver reports another number than was counted, where this kind of event knows more than the width of
  ///         the PMU's counters tells; nothing where it does not
  /// @param spans  those that are not settled, including the open one
  [[nodiscard]] virtual std::optional<LossCause> cause_of_difference([[maybe_unused]] std::span<const Span> spans,
                                                                     [[maybe_unused]] std::uint64_t counted,
                                                                     [[maybe_unused]] std::uint64_t reported) const {
    return std::nullopt;
  }
  /// @}

  /// @name Events with a gate of their own
  /// A driver may put an event on a counter that other registers than the PMU's control register start and stop. Such an
  /// event counts from when the driver starts it to when the driver stops it, whatever the rest of its PMU does.
  /// @{
  /// @param begin  of the call that has just added or started the event
  /// @return where it began to count; nothing if it counts while the PMU does.
  [[nodiscard]] virtual std::optional<Mark> own_begin(Picoseconds /*begin*/) { return std::nullopt; }
  /// @param end  of the call that has just stopped or deleted an event with a gate of its own
  /// @return where it ended.
  [[nodiscard]] virtual Mark own_end(Picoseconds /*begin*/, Picoseconds end) { return mark(end); }
  /// @return whether what lets this event count, apart from others of its PMU, does so; nothing if that is its PMU
  [[nodiscard]] virtual std::optional<bool> is_on() const { return std::nullopt; }
  /// @}

  /// @return true if the driver's reading of a running event may differ from the truth in this way. Hardware that is
  ///         read in pieces can change in between.
  /// @param low, high  the truth at begin and end of the call
  [[nodiscard]] virtual bool allows(std::uint64_t value, std::uint64_t low, std::uint64_t high) const {
    return low <= value && value <= high;
  }
  /// @return true if readings of a running event must never decrease.
  [[nodiscard]] virtual bool grows() const { return true; }

  /// Add to a result what this kind of event reports besides its count.
  /// @param spans  those that are not settled, including the open one
  virtual void describe(std::span<const Span> spans, EventResult& result) const = 0;
  /// @return what is known about the difference to the driver's value.
  [[nodiscard]] virtual std::string explain(std::span<const Span> spans, std::uint64_t driver) const = 0;
};

}  // namespace pmufab::scoreboard
