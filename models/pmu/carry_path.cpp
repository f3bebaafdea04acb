#include "models/pmu/carry_path.h"

#include <algorithm>

#include "models/pmu/counter.h"

namespace pmufab {

CarryPath::CarryPath(Picoseconds latency, std::size_t capacity)
    : latency_(latency), carries_(std::max<std::size_t>(capacity, 1)), alarm_([this] { settle(simulated_time()); }) {}

void CarryPath::send(Counter& target, std::uint64_t amount, Picoseconds when) {
  if (latency_ == 0) {
    target.add(amount, when);
    return;
  }
  const Carry carry{when + latency_, &target, amount};
  if (carries_.full()) carries_.set_capacity(2 * carries_.capacity());
  if (carries_.empty() || carries_.back().arrival <= carry.arrival) {
    carries_.push_back(carry);
  } else {
    carries_.insert(std::upper_bound(carries_.begin(), carries_.end(), carry,
                                     [](const Carry& a, const Carry& b) { return a.arrival < b.arrival; }),
                    carry);
  }
  alarm_.set(carries_.front().arrival);
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
}

}  // namespace pmufab
