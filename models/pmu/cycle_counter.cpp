// SPDX-License-Identifier: Apache-2.0
#include "models/pmu/cycle_counter.h"

namespace pmufab {

CycleCounter::CycleCounter(const ClockDomain& clock, unsigned width)
    : count_(clock, width), alarm_([this] {
        const Picoseconds present = simulated_time();
        settle(present);
        arm(present);
      }) {}

void CycleCounter::start(Picoseconds when) {
  settle(when);
  count_.start(when);
  arm(when);
}

void CycleCounter::stop(Picoseconds when) {
  settle(when);
  count_.stop(when);
  arm(when);
}

void CycleCounter::set_value(std::uint64_t value, Picoseconds when) {
  settle(when);
  count_.set_value(value, when);
  arm(when);
}

void CycleCounter::pass(std::uint64_t cycles, Picoseconds when) {
  settle(when);
  if (count_.pass(cycles, when) && !overflowed_) {
    overflow_time_ = when;
    settle(when);
  }
  arm(when);
}

void CycleCounter::clear_overflow(Picoseconds when) {
  settle(when);
  overflowed_ = false;
  arm(when);
}

void CycleCounter::reset() {
  const Picoseconds present = simulated_time();
  count_.stop(present);
  count_.set_value(0, present);
  overflowed_ = false;
  arm(present);
}

void CycleCounter::settle(Picoseconds when) {
  if (when < overflow_time_) return;
  const Picoseconds time = overflow_time_;
  overflowed_ = true;
  overflow_time_ = kNever;
  if (on_overflow_ != nullptr) on_overflow_(context_, time);
}

void CycleCounter::arm(Picoseconds when) {
  overflow_time_ = overflowed_ ? kNever : count_.next_overflow(when);
  alarm_.set(overflow_time_);
}

}  // namespace pmufab
