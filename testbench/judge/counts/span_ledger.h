// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "testbench/judge/events/event_truth.h"
#include "testbench/judge/events/open_times.h"
#include "testbench/judge/losses.h"

namespace pmufab::scoreboard {

/// The spans in which an event has counted, and the times in which its user wanted it. What cannot change any more is
/// added up and forgotten, so that an event may have any number of turns.
class SpanLedger {
 public:
  [[nodiscard]] OpenTimes& times() noexcept { return times_; }
  [[nodiscard]] const OpenTimes& times() const noexcept { return times_; }

  /// A span has ended. In order of time.
  void add(const Span& span) { spans_.push_back(span); }
  /// @return how many spans were added.
  [[nodiscard]] std::size_t number() const noexcept { return settled_.spans + spans_.size(); }
  /// @return those that are not settled.
  [[nodiscard]] const std::deque<Span>& kept() const noexcept { return spans_; }
  /// @return how many spans and gaps are not settled.
  [[nodiscard]] std::size_t waiting() { return spans_.size() + times_.ended_gaps().size(); }

  /// Count what ended before `until` for good, and let the truth forget it.
  void settle(EventTruth& truth, Picoseconds until);

  /// @return the count of all spans that are settled, and their time.
  [[nodiscard]] std::uint64_t settled_count() const noexcept { return settled_.counted; }
  [[nodiscard]] Picoseconds settled_time() const noexcept { return settled_.time; }
  /// @return how many spans are settled.
  [[nodiscard]] std::size_t settled_spans() const noexcept { return settled_.spans; }

  /// @return what happened in windows, and what of it was lost because the event did not count.
  /// @param spans  those that are not settled, with the open one
  /// @param end    where the last window ends, if it lasts
  [[nodiscard]] Account account(const EventTruth& truth, std::span<const Span> spans,
                                const std::optional<Mark>& end) const;

 private:
  struct Settled {
    std::size_t spans = 0;
    std::uint64_t counted = 0;
    Picoseconds time = 0;
    std::uint64_t happened = 0;              // in windows that are settled
    Losses loss;                             // before and in the spans
    LossCause before = LossCause::disabled;  // of the gap before the next span
  };
  class Windows;

  OpenTimes times_;
  std::deque<Span> spans_;
  Settled settled_;
};

}  // namespace pmufab::scoreboard
