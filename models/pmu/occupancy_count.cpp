// SPDX-License-Identifier: Apache-2.0
#include "models/pmu/occupancy_count.h"

#include <algorithm>
#include <stdexcept>

namespace pmufab {

OccupancyCount::OccupancyCount(unsigned width)
    : maximum_(width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) {
  if (width < 1 || width > 64) throw std::invalid_argument("an occupancy counter is 1 to 64 bits wide");
}

OccupancyCount::~OccupancyCount() {
  if (running_) requests_->unwatch(*this);
}

std::uint64_t OccupancyCount::edge_at(Picoseconds when) const noexcept {
  return std::max(requests_->clock().edges_before(when), since_);
}

void OccupancyCount::start(Picoseconds when) {
  if (running_) return;
  since_ = requests_->clock().edges_before(when);
  total_ += requests_->remaining(selection_, since_);
  forget_overflow();
  requests_->watch(*this, selection_);
  running_ = true;
}

void OccupancyCount::stop(Picoseconds when) {
  if (!running_) return;
  total_ = value(when);
  requests_->unwatch(*this);
  running_ = false;
}

std::uint64_t OccupancyCount::value(Picoseconds when) const noexcept {
  if (!running_) return total_;
  return (total_ - requests_->remaining(selection_, edge_at(when))) & maximum_;
}

void OccupancyCount::set_value(std::uint64_t value, Picoseconds when) noexcept {
  total_ = value & maximum_;
  if (!running_) return;
  since_ = edge_at(when);
  total_ += requests_->remaining(selection_, since_);
}

void OccupancyCount::tell(std::uint64_t first, std::uint64_t end) {
  first = std::max(first, since_);
  if (end <= first) return;
  const std::uint64_t amount = end - first;
  total_ += amount;
  if (amount <= headroom_) {
    headroom_ -= amount;
  } else {
    headroom_ = 0;
    if (on_nearer_ != nullptr) on_nearer_(context_);
  }
}

Picoseconds OccupancyCount::next_overflow(Picoseconds when) noexcept {
  if (!running_) return kNever;
  const std::uint64_t edge = edge_at(when);
  const std::uint64_t remaining = requests_->remaining(selection_, edge);
  const std::uint64_t room = maximum_ - value(when);
  if (remaining <= room) {
    headroom_ = room - remaining;
    return kNever;
  }
  headroom_ = 0;
  // Find the first edge at which the sum, that edge included, exceeds `room`.
  std::uint64_t low = edge;
  std::uint64_t high = requests_->end_edge();
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (remaining - requests_->remaining(selection_, middle + 1) > room) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const Picoseconds time = requests_->clock().time_of_edge(low);
  return time == kNever ? kNever : time + 1;
}

}  // namespace pmufab
