// SPDX-License-Identifier: Apache-2.0
#include "models/pmu/cycle_count.h"

#include <algorithm>
#include <stdexcept>

namespace pmufab {

CycleCount::CycleCount(const ClockDomain& clock, unsigned width)
    : clock_(&clock), maximum_(width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) {
  if (width < 1 || width > 64) throw std::invalid_argument("a cycle counter is 1 to 64 bits wide");
}

void CycleCount::start(Picoseconds when) {
  if (running_) return;
  edge_ = clock_->edges_before(when);
  running_ = true;
}

void CycleCount::stop(Picoseconds when) {
  value_ = value(when);
  running_ = false;
}

std::uint64_t CycleCount::value(Picoseconds when) const noexcept {
  if (!running_) return value_;
  const std::uint64_t edge = clock_->edges_before(when);
  return (value_ + (edge > edge_ ? edge - edge_ : 0)) & maximum_;
}

void CycleCount::set_value(std::uint64_t value, Picoseconds when) noexcept {
  value_ = value & maximum_;
  if (running_) edge_ = clock_->edges_before(when);
}

bool CycleCount::pass(std::uint64_t cycles, Picoseconds when) noexcept {
  if (!running_) return false;
  const std::uint64_t before = value(when);
  set_value(before + cycles, when);
  return cycles > maximum_ - before;
}

Picoseconds CycleCount::next_overflow(Picoseconds when) const noexcept {
  if (!running_) return kNever;
  const std::uint64_t edge = std::max(clock_->edges_before(when), edge_);
  std::uint64_t wrapping_edge = 0;
  if (__builtin_add_overflow(edge, maximum_ - value(when), &wrapping_edge)) return kNever;
  const Picoseconds time = clock_->time_of_edge(wrapping_edge);
  return time == kNever ? kNever : time + 1;
}

}  // namespace pmufab
