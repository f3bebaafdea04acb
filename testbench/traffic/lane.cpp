// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/lane.h"

namespace pmufab::traffic {
namespace {

constexpr std::size_t kRequestsPerFill = 128;

}  // namespace

Lane::Lane(std::unique_ptr<Producer> producer, std::string name)
    : producer_(std::move(producer)), buffer_(kRequestsPerFill) {
  statistics_.name = std::move(name);
  in_flight_.reserve(kRequestsPerFill);
  take_over_phase();
  find_next();
}

void Lane::take_over_phase() {
  slip_ = 0;
  deadline_ = producer_->deadline();
  limit_ = producer_->outstanding();
  catch_up_ = producer_->catch_up();
}

void Lane::retire(Picoseconds when) {
  while (!in_flight_.empty() && in_flight_.front() <= when) {
    std::pop_heap(in_flight_.begin(), in_flight_.end(), std::greater<>());
    in_flight_.pop_back();
  }
}

Picoseconds Lane::room_at() const {
  if (in_flight_.size() == limit_) return in_flight_.front();
  // The limit of the new phase is lower: more than one request has to complete.
  std::vector<Picoseconds> completions = in_flight_;
  const auto last = completions.begin() + static_cast<std::ptrdiff_t>(completions.size() - limit_);
  std::nth_element(completions.begin(), last, completions.end());
  return *last;
}

bool Lane::refill() {
  for (;;) {
    position_ = 0;
    filled_ = producer_->fill(buffer_);
    if (filled_ != 0) return true;
    const Picoseconds planned = producer_->phase_end();
    const Picoseconds ended = planned == kNever ? kNever : std::max(planned + slip_, last_);
    if (!producer_->next_phase(std::min(ended, deadline_))) return false;
    take_over_phase();
  }
}

void Lane::find_next() {
  for (;;) {
    if (position_ == filled_ && !refill()) {
      next_ = kNever;
      return;
    }
    const Picoseconds ready = std::max(buffer_[position_].when + slip_, last_);
    Picoseconds when = ready;
    if (ready < deadline_) {
      retire(ready);
      if (limit_ != 0 && in_flight_.size() >= limit_) when = room_at();
    }
    if (when >= deadline_) [[unlikely]] {
      // The phase ends with requests still waiting. Without catching up, no request of the plan is due before the
      // deadline.
      if (catch_up_) {
        ++statistics_.dropped;
        ++position_;
        continue;
      }
      position_ = filled_ = 0;
      if (!producer_->next_phase(deadline_)) {
        next_ = kNever;
        return;
      }
      take_over_phase();
      continue;
    }
    if (when != ready) {
      ++statistics_.delayed;
      statistics_.waited += when - ready;
      retire(when);
    }
    if (!catch_up_) slip_ = when - buffer_[position_].when;
    next_ = when;
    return;
  }
}

}  // namespace pmufab::traffic
