// SPDX-License-Identifier: Apache-2.0
#include "models/pmu/occupancy_accumulator.h"

#include <algorithm>
#include <stdexcept>

#include "models/pmu/alarm.h"

namespace pmufab {

OccupancyAccumulator::OccupancyAccumulator(const ClockDomain& clock, unsigned width, std::size_t capacity)
    : clock_(&clock),
      maximum_(width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1),
      starts_(std::max<std::size_t>(capacity, 1)),
      ends_(std::max<std::size_t>(capacity, 1)) {
  if (width < 1 || width > 64) throw std::invalid_argument("an occupancy accumulator is 1 to 64 bits wide");
}

void OccupancyAccumulator::insert_sorted(Changes& changes, const Change& change) {
  changes.insert(std::upper_bound(changes.begin(), changes.end(), change,
                                  [](const Change& a, const Change& b) { return a.when < b.when; }),
                 change);
}

void OccupancyAccumulator::make_room(Picoseconds now) {
  settle(now);
  if (starts_.full()) starts_.set_capacity(2 * starts_.capacity());
  if (ends_.full()) ends_.set_capacity(2 * ends_.capacity());
}

void OccupancyAccumulator::start(Picoseconds when) {
  if (running_) return;
  settle(when);
  state_.last_edge = clock_->edges_before(when);
  running_ = true;
}

void OccupancyAccumulator::stop(Picoseconds when) {
  if (!running_) return;
  settle(when);
  pass_time(state_, when);
  running_ = false;
}

void OccupancyAccumulator::set_values(std::uint64_t requests, std::uint64_t occupancy, Picoseconds when) {
  settle(when);
  pass_time(state_, when);
  state_.requests = requests & maximum_;
  state_.occupancy = occupancy & maximum_;
}

void OccupancyAccumulator::reset() {
  running_ = false;
  state_ = {};
  starts_.clear();
  ends_.clear();
}

bool OccupancyAccumulator::requests_overflowed(Picoseconds when) const { return state_at(when).requests > maximum_; }

bool OccupancyAccumulator::occupancy_overflowed(Picoseconds when) const { return state_at(when).occupancy > maximum_; }

void OccupancyAccumulator::pass_time(State& state, Picoseconds when) const {
  if (!running_) return;
  const std::uint64_t edge = clock_->edges_before(when);
  if (edge <= state.last_edge) return;
  state.occupancy += static_cast<Wide>(state.outstanding) * (edge - state.last_edge);
  state.last_edge = edge;
}

void OccupancyAccumulator::start_requests(State& state, const Change& change) const {
  pass_time(state, change.when);
  state.outstanding += change.amount;
  if (running_) state.requests += change.amount;
}

void OccupancyAccumulator::end_requests(State& state, const Change& change) const {
  pass_time(state, change.when);
  state.outstanding -= change.amount;
}

void OccupancyAccumulator::settle(Picoseconds when) const {
  while (!ends_.empty() || !starts_.empty()) {
    // At equal times a start goes before an end: a request that takes no time is outstanding at no edge.
    if (!starts_.empty() && (ends_.empty() || starts_.front().when <= ends_.front().when)) {
      if (starts_.front().when >= when) return;
      start_requests(state_, starts_.front());
      starts_.pop_front();
    } else {
      if (ends_.front().when >= when) return;
      end_requests(state_, ends_.front());
      ends_.pop_front();
    }
  }
}

OccupancyAccumulator::State OccupancyAccumulator::state_at(Picoseconds when) const {
  // Changes before simulated time are final: fold them in, so that the next read costs nothing.
  settle(std::min(when, simulated_time()));
  State state = state_;
  auto start = starts_.begin();
  auto end = ends_.begin();
  for (;;) {
    const bool starts_before = start != starts_.end() && start->when < when;
    const bool ends_before = end != ends_.end() && end->when < when;
    if (starts_before && (!ends_before || start->when <= end->when)) {
      start_requests(state, *start++);
    } else if (ends_before) {
      end_requests(state, *end++);
    } else {
      break;
    }
  }
  pass_time(state, when);
  return state;
}

}  // namespace pmufab
