// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/pmu/clock_condition.h"
#include "tlm/probe/probe.h"

namespace pmufab {

class CarryPath;

/// An event counter of 1 to 64 bits. It selects probes, wraps, reports overflow, can be enabled, frozen and snapshot,
/// and can carry into another counter.
///
/// It watches its probes only while it runs (enabled and not frozen), so a stopped counter costs nothing. Times passed
/// to it never run backwards.
class Counter {
 public:
  /// Called when the counter passed its maximum, after it has wrapped. `wraps` is the number of wraps.
  using OnOverflow = EventSink::OnWrap;

  /// @throws std::invalid_argument if the width is not 1 ... 64
  explicit Counter(unsigned width);
  ~Counter();
  Counter& operator=(Counter&&) = delete;

  /// Count events of `probe` whose qualifier is in `qualifiers`, and nothing else.
  void select(Probe& probe, std::uint64_t qualifiers);
  /// Count events of `probe` as well, for counters that sum several signals.
  void select_also(Probe& probe, std::uint64_t qualifiers);
  /// Count nothing.
  void deselect();

  /// Put `condition` between the probes and the counter; nullptr removes it. Only while disabled. The condition's
  /// output becomes this counter.
  void set_condition(ClockCondition* condition);

  void enable(bool enabled, Picoseconds when);
  /// Hold the value although the counter is enabled.
  void freeze(bool frozen, Picoseconds when);
  [[nodiscard]] bool is_running() const noexcept { return enabled_ && !frozen_; }
  /// Hold the value from `when` on, which may lie ahead. Events at or after `when` do not count, even if they come
  /// before freeze() or enable() is called; earlier events count. An earlier freeze time stays. Does nothing if the
  /// counter does not run. May be called while a probe publishes: the other watchers of that event still see it.
  void freeze_at(Picoseconds when);

  /// Add events that do not come from a probe (a carry). They are lost if the counter does not run.
  void add(std::uint64_t amount, Picoseconds when);

  /// @return the value. With a condition, clocks up to `when` are included.
  [[nodiscard]] std::uint64_t value(Picoseconds when) const;
  void set_value(std::uint64_t value, Picoseconds when);
  /// Count the condition's clocks before `when`.
  void settle(Picoseconds when) {
    if (condition_ != nullptr) condition_->settle(when);
  }
  /// @return the first instant at which the condition's clocks overflow the counter if no further event comes; kNever
  ///         if they do not, or without a condition.
  [[nodiscard]] Picoseconds next_overflow() const noexcept;
  [[nodiscard]] std::uint64_t maximum() const noexcept { return sink_.maximum(); }

  /// @return true if the counter has wrapped since the last clear_overflow().
  [[nodiscard]] bool overflowed() const noexcept { return overflowed_; }
  void clear_overflow() noexcept { overflowed_ = false; }
  void on_overflow(OnOverflow function, void* context) noexcept {
    on_overflow_ = function;
    context_ = context;
  }

  /// Each wrap adds one to `target`, through `path` if given. With a null target, wraps are dropped.
  void carry_into(Counter* target, CarryPath* path = nullptr) noexcept {
    carry_target_ = target;
    carry_path_ = path;
  }

  /// Copy the value to the shadow.
  void snapshot(Picoseconds when) { shadow_ = value(when); }
  [[nodiscard]] std::uint64_t shadow() const noexcept { return shadow_; }

 private:
  struct Selection {
    Probe* probe;
    std::uint64_t qualifiers;
  };
  static void wrapped(void* context, std::uint64_t wraps, Picoseconds when);
  static void gated_wrapped(void* context, std::uint64_t wraps, Picoseconds when);
  void overflow(std::uint64_t wraps, Picoseconds when);
  void open_gate() noexcept;
  [[nodiscard]] EventSink& input() noexcept;
  void watch();
  void unwatch();
  void running_changed(bool was_running, Picoseconds when);

  EventSink sink_;
  EventSink gated_;            // the value while freeze_at() is pending: sink_ then calls back on each event
  Picoseconds gate_ = kNever;  // time of the pending freeze_at(), without condition
  bool enabled_ = false;
  bool frozen_ = false;
  bool overflowed_ = false;
  std::vector<Selection> selections_;
  ClockCondition* condition_ = nullptr;
  OnOverflow on_overflow_ = nullptr;
  void* context_ = nullptr;
  Counter* carry_target_ = nullptr;
  CarryPath* carry_path_ = nullptr;
  std::uint64_t shadow_ = 0;
};

}  // namespace pmufab
