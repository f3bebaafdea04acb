// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "testbench/judge/exact_clock.h"

namespace pmufab::scoreboard {

/// Threshold, invert and edge of a CPMU's counter, clock by clock (CXL 3.1, 8.2.7.2.1).
///
/// The events of clock n are those in [edge n - 1, edge n) that came after the start; they are evaluated at edge n.
/// Edges in [start, end) count. Threshold 0 with edge means any event. An idle clock has no events, and may count when
/// inverted. Idle clocks are computed.
class ThresholdClock {
 public:
  struct Rule {
    std::uint64_t threshold = 0;
    bool invert = false;
    bool edge = false;
    std::uint64_t each_clock = 0;  ///< events that every clock has
    /// @return true if events are added as they come, without evaluating clocks.
    [[nodiscard]] bool raw() const noexcept { return threshold == 0 && !edge; }
  };
  ThresholdClock(const ExactClock& clock, const Rule& rule) : clock_(clock), rule_(rule) {}

  void start(Picoseconds when) {
    next_ = clock_.edges_before(when);
    events_ = 0;
    before_ = false;
    running_ = true;
  }
  /// @param when  not before the start, nor before the last event
  void add(Picoseconds when, std::uint64_t amount) {
    look_until(clock_.edges_before(when + 1));
    events_ += amount;
  }
  /// Add the same amount at regular times: at `first` and each period after it, so many times.
  void add_each(Picoseconds first, Picoseconds period, std::uint64_t times, std::uint64_t amount) {
    std::uint64_t done = 0;
    for (; done < times && done < 2; ++done) add(first + done * period, amount);
    if (done < times && clock_.has_period(period)) {
      // Each clock has one of these times, and the last one looked at has the second.
      look(amount, times - done);
      next_ += times - done;
      return;
    }
    for (; done < times; ++done) add(first + done * period, amount);
  }
  /// @return the count of the edges before `when`, or before the stop, if that is earlier.
  [[nodiscard]] std::uint64_t total(Picoseconds when) const {
    if (!running_) return total_;
    ThresholdClock later = *this;
    later.look_until(clock_.edges_before(when));
    return later.total_;
  }
  void stop(Picoseconds when) {
    look_until(clock_.edges_before(when));
    running_ = false;
  }

 private:
  void look_until(std::uint64_t edge) {
    if (next_ >= edge) return;
    look(events_, 1);
    events_ = 0;
    look(0, edge - ++next_);
    next_ = edge;
  }
  void look(std::uint64_t events, std::uint64_t clocks) {
    if (clocks == 0) return;
    const std::uint64_t raw = events + rule_.each_clock;
    const bool now = rule_.threshold == 0 ? raw != 0 : (rule_.invert ? raw <= rule_.threshold : raw >= rule_.threshold);
    if (rule_.edge) {
      total_ += now && !before_ ? 1 : 0;
    } else {
      total_ += now ? clocks : 0;
    }
    before_ = now;
  }

  const ExactClock& clock_;
  Rule rule_;
  std::uint64_t next_ = 0;  // number of the next edge
  std::uint64_t events_ = 0;
  bool before_ = false;
  std::uint64_t total_ = 0;
  bool running_ = false;
};

}  // namespace pmufab::scoreboard
