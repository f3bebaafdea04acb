// SPDX-License-Identifier: Apache-2.0
#include "models/pmu/carry_path.h"

#include <algorithm>
#include <stdexcept>

#include "models/pmu/counter.h"

namespace pmufab {

CarryPath::CarryPath(Picoseconds latency, std::size_t capacity)
    : latency_(latency), carries_(std::max<std::size_t>(capacity, 1)), alarm_([this] { settle(simulated_time()); }) {}

CarryPath::CarryPath(Picoseconds latency, const Queue& queue, std::size_t capacity) : CarryPath(latency, capacity) {
  if (queue.clock == nullptr || queue.per_cycle == 0)
    throw std::invalid_argument("a queue of carries needs a clock and must let at least one through per cycle");
  queue_ = queue;
}

void CarryPath::deliver(Counter& target, std::uint64_t amount, Picoseconds when) { target.add(amount, when); }

void CarryPath::take(Counter& target, std::uint64_t amount, Picoseconds when) {
  if (queue_.clock == nullptr) {
    append({when + latency_, &target, amount});
  } else {
    for (std::uint64_t i = 0; i < amount; ++i) enqueue(target, when + latency_);
  }
  if (!carries_.empty()) alarm_.set(carries_.front().arrival);
}

void CarryPath::append(const Carry& carry) {
  if (carries_.full()) carries_.set_capacity(2 * carries_.capacity());
  if (carries_.empty() || carries_.back().arrival <= carry.arrival) {
    carries_.push_back(carry);
  } else {
    carries_.insert(std::upper_bound(carries_.begin(), carries_.end(), carry,
                                     [](const Carry& a, const Carry& b) { return a.arrival < b.arrival; }),
                    carry);
  }
}

void CarryPath::enqueue(Counter& target, Picoseconds arrival) {
  // The carries that leave after this one arrives were all sent before it: they are in the queue when it arrives.
  const auto first = std::upper_bound(carries_.begin(), carries_.end(), arrival,
                                      [](Picoseconds when, const Carry& carry) { return when < carry.arrival; });
  const auto waiting = static_cast<std::size_t>(carries_.end() - first);
  const std::uint64_t edge = std::max(queue_.clock->edges_before(arrival), next_edge_);
  const bool leaves_later = edge == next_edge_ && leaving_ == queue_.per_cycle;
  const Picoseconds leaves = queue_.clock->time_of_edge(edge + (leaves_later ? 1 : 0));
  if (queue_.room != 0 && leaves > arrival && waiting >= queue_.room) {
    ++lost_;
    return;
  }
  if (edge != next_edge_ || leaves_later) leaving_ = 0;
  next_edge_ = edge + (leaves_later ? 1 : 0);
  ++leaving_;
  if (leaves > arrival) longest_queue_ = std::max(longest_queue_, waiting + 1);
  append({leaves, &target, 1});
}

void CarryPath::settle(Picoseconds when) {
  while (!carries_.empty() && carries_.front().arrival <= when) {
    const Carry carry = carries_.front();
    carries_.pop_front();
    carry.target->add(carry.amount, carry.arrival);
  }
  alarm_.set(carries_.empty() ? kNever : carries_.front().arrival);
}

void CarryPath::clear() {
  carries_.clear();
  alarm_.cancel();
  next_edge_ = 0;
  leaving_ = 0;
}

}  // namespace pmufab
