// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tlm/clock/clock_domain.h"

namespace pmufab::scoreboard {

/// Events at regular times: `count` of them, `period` apart.
struct EventRun {
  Picoseconds first = 0;
  std::uint64_t count = 1;

  /// @return how many come before `when`.
  [[nodiscard]] std::uint64_t before(Picoseconds when, Picoseconds period) const noexcept {
    return when <= first ? 0 : std::min<std::uint64_t>(count, (when - first - 1) / period + 1);
  }
};

/// Runs of events that are reported in any order, some of them ahead of their time. The times of all runs longer than one
/// event are multiples of the period.
class EventRuns {
 public:
  /// @param period  of the runs; 1 if there are single events only
  explicit EventRuns(Picoseconds period) : period_(period) {}

  void add(const EventRun& run) {
    // What lasts is often told in parts.
    if (!runs_.empty() && runs_.back().first + runs_.back().count * period_ == run.first) {
      runs_.back().count += run.count;
    } else {
      runs_.push_back(run);
    }
  }
  [[nodiscard]] Picoseconds period() const noexcept { return period_; }
  /// @return how many events there are before `when`.
  [[nodiscard]] std::uint64_t before(Picoseconds when) const noexcept {
    std::uint64_t sum = 0;
    for (const EventRun& run : runs_) sum += run.before(when, period_);
    return sum;
  }
  /// Call `take(first, times, amount)` for the events before `when`, in order: at `first` and each period after it, so many
  /// times, so many events come at once.
  template <typename Take>
  void each_before(Picoseconds when, Take take) {
    changes_.clear();
    for (const EventRun& run : runs_) {
      const std::uint64_t count = run.before(when, period_);
      if (count == 0) continue;
      changes_.emplace_back(run.first, 1);
      changes_.emplace_back(run.first + count * period_, -1);
    }
    std::sort(changes_.begin(), changes_.end());
    std::int64_t amount = 0;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      amount += changes_[i].second;
      if (amount == 0 || changes_[i + 1].first == changes_[i].first) continue;
      take(changes_[i].first, (changes_[i + 1].first - changes_[i].first) / period_,
           static_cast<std::uint64_t>(amount));
    }
  }
  /// Forget the events before `when`. @return how many they were
  std::uint64_t forget_before(Picoseconds when) {
    std::uint64_t sum = 0;
    std::erase_if(runs_, [&](EventRun& run) {
      const std::uint64_t count = run.before(when, period_);
      sum += count;
      run.first += count * period_;
      run.count -= count;
      return run.count == 0;
    });
    return sum;
  }

 private:
  Picoseconds period_;
  std::vector<EventRun> runs_;
  std::vector<std::pair<Picoseconds, std::int64_t>> changes_;  // of the amount at an edge; for each_before()
};

/// Counts events that are reported late, or ahead of their time, up to marked instants. A mark taken earlier is corrected.
/// Memory is needed for marks, and for events younger than the last call of settle().
class LateCount {
 public:
  /// @param period  of runs, as EventRuns has it
  explicit LateCount(Picoseconds period) : runs_(period) {}

  void add(const EventRun& run) {
    for (auto mark = marks_.rbegin(); mark != marks_.rend() && mark->second.when > run.first; ++mark)
      mark->second.count += run.before(mark->second.when, runs_.period());
    runs_.add(run);
  }
  /// Nobody will mark an instant before `when` any more.
  void settle(Picoseconds when) { settled_ += runs_.forget_before(when); }
  /// Mark an instant, not before the latest one. @return its number
  std::size_t mark(Picoseconds when) {
    marks_.emplace_hint(marks_.end(), next_, Marked{when, settled_ + runs_.before(when)});
    return next_++;
  }
  void forget(std::size_t mark) { marks_.erase(mark); }
  /// @return the events before a mark.
  /// @throws std::out_of_range for a forgotten one
  [[nodiscard]] std::uint64_t at(std::size_t mark) const { return marks_.at(mark).count; }

 private:
  struct Marked {
    Picoseconds when;
    std::uint64_t count;
  };
  EventRuns runs_;
  std::uint64_t settled_ = 0;
  std::map<std::size_t, Marked> marks_;  // by number, in order of time
  std::size_t next_ = 0;
};

}  // namespace pmufab::scoreboard
