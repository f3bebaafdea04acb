// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "testbench/judge/events/event_truth.h"
#include "testbench/judge/losses.h"

namespace pmufab::scoreboard {

/// The times in which the user wanted an event counted, and in these the gaps in which it did not count, with their
/// causes.
///
/// A window begins where the event begins to count, and ends where it last stops: what happens while the event itself is
/// switched on and off is not in it. An event that waits for a counter when its user has enabled it, or disables it,
/// has a window that begins after the one call, or ends before the other.
///
/// If nobody tells when the user enables and disables the event, there is one window: from where it first counts to
/// where it last stops.
class OpenTimes {
 public:
  struct Gap {
    Span span;
    LossCause cause;
  };

  /// @name The user
  /// @{ The call begins that enables the event. It does not count yet.
  void enabling();
  /// That call has ended. @return true if the event waits for a counter: then call wait()
  [[nodiscard]] bool enabled() const noexcept { return state_ == State::opening; }
  /// The window begins with a gap.
  void wait(const Mark& now, LossCause cause);
  /// The call begins that disables the event, or closes it. @return true if the event does not count: then call end()
  bool disabling();
  /// The window ends with a gap.
  void end(const Mark& now);
  /// That call has ended.
  void disabled();
  /// @}

  /// @name Counting
  /// @{ @return true if a window begins here
  bool counts_from(const Mark& mark);
  /// @return true if the window ends here
  bool counts_until(const Mark& mark, LossCause cause);
  /// @return true if there is a gap with another cause: then call change()
  [[nodiscard]] bool has_other_cause(LossCause cause) const noexcept {
    return state_ == State::open && !gap_.empty() && gap_.back().cause != cause;
  }
  /// From now on the gap has this cause.
  void change(const Mark& now, LossCause cause);
  /// @}

  /// @return true if what happens now is in a window: the user wants it.
  [[nodiscard]] bool is_open() const noexcept { return begin_.has_value(); }
  /// @return true if a window lasts that ends with a gap, now
  [[nodiscard]] bool lasts() const noexcept { return is_told_ && state_ == State::open && begin_ && !gap_.empty(); }
  /// @name What is over
  /// @{ In order of time. Whoever has taken the first one in removes it.
  [[nodiscard]] std::deque<Span>& closed_windows() noexcept { return windows_; }
  [[nodiscard]] std::deque<Gap>& ended_gaps() noexcept { return gaps_; }
  /// @}
  /// @return the beginnings of all windows.
  [[nodiscard]] std::vector<Mark> beginnings() const;
  /// @return the windows. The last one may still be open, and ends where the event stopped to count last.
  /// @param now  if the window lasts(), or if the event counts
  [[nodiscard]] std::vector<Span> windows(const std::optional<Mark>& now) const;
  /// @return the gaps in these windows, in order.
  [[nodiscard]] std::vector<Gap> gaps(const std::optional<Mark>& now) const;

 private:
  enum class State : std::uint8_t {
    closed,
    opening,  // enabled, and has not begun to count
    open,
    closing,  // being disabled: the window ends where the event last counts
  };
  struct GapBegin {
    Mark mark;
    LossCause cause;
  };
  void finish(const Mark& end);
  template <typename Gaps>
  void add_gap(Gaps& gaps, const Mark& end) const;

  bool is_told_ = false;
  State state_ = State::closed;
  std::optional<Mark> begin_;  // of the open window
  std::vector<GapBegin> gap_;  // the present gap, in parts of one cause; empty: it counts
  std::deque<Span> windows_;   // closed
  std::deque<Gap> gaps_;       // ended
};

}  // namespace pmufab::scoreboard
