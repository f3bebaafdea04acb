// SPDX-License-Identifier: Apache-2.0
#include "models/pmu/occupancy_count.h"

#include <algorithm>
#include <iterator>
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
  forecast_.reset();
}

std::uint64_t OccupancyCount::value(Picoseconds when) const noexcept {
  if (!running_) return total_;
  return (total_ - requests_->remaining(selection_, edge_at(when))) & maximum_;
}

void OccupancyCount::set_value(std::uint64_t value, Picoseconds when) noexcept {
  total_ = value & maximum_;
  forecast_.reset();
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
    return;
  }
  headroom_ = 0;
  if (forecast_ && !bring_forward(first, end)) return;
  if (on_nearer_ != nullptr) on_nearer_(context_);
}

bool OccupancyCount::bring_forward(std::uint64_t first, std::uint64_t end) {
  Forecast& forecast = *forecast_;
  if (first < forecast.begin) {
    // Its register was accessed ahead of time: next_overflow() begins anew.
    forecast_.reset();
    return true;
  }
  if (first > forecast.edge) return false;
  ++forecast.changes[first];
  --forecast.changes[end];
  forecast.excess += std::min(end, forecast.edge + 1) - first;
  if (end > forecast.edge) ++forecast.outstanding;
  const std::uint64_t before = forecast.edge;
  // If the sum without this edge exceeds what was left, too, the value wraps before.
  for (auto change = std::prev(forecast.changes.upper_bound(forecast.edge)); forecast.excess > forecast.outstanding;) {
    const std::uint64_t same = forecast.edge - change->first;  // so many edges before it have as many requests
    const std::uint64_t edges =
        forecast.outstanding == 0 ? same : std::min(same, (forecast.excess - 1) / forecast.outstanding);
    forecast.edge -= edges;
    forecast.excess -= edges * forecast.outstanding;
    if (forecast.excess <= forecast.outstanding) break;
    --forecast.edge;
    forecast.excess -= forecast.outstanding;
    forecast.outstanding -= static_cast<std::uint64_t>(change->second);
    --change;
  }
  return forecast.edge != before;
}

Picoseconds OccupancyCount::time_of_forecast() const noexcept {
  const Picoseconds time = requests_->clock().time_of_edge(forecast_->edge);
  return time == kNever ? kNever : time + 1;
}

Picoseconds OccupancyCount::next_overflow(Picoseconds when) {
  if (!running_) return kNever;
  const std::uint64_t edge = edge_at(when);
  if (forecast_ && forecast_->begin <= edge && edge <= forecast_->edge) return time_of_forecast();
  forecast_.reset();
  const std::uint64_t remaining = requests_->remaining(selection_, edge);
  const std::uint64_t room = maximum_ - value(when);
  if (remaining <= room) {
    headroom_ = room - remaining;
    return kNever;
  }
  headroom_ = 0;
  // Find the first edge at which the sum, that edge included, exceeds `room`.
  Forecast& forecast = forecast_.emplace(Forecast{edge, edge, 0, 0, requests_->changes(selection_, edge)});
  std::uint64_t left = room;
  for (auto change = forecast.changes.begin();; ++change) {
    forecast.outstanding += static_cast<std::uint64_t>(change->second);
    const std::uint64_t edges = std::next(change)->first - change->first;
    if (forecast.outstanding != 0 && left / forecast.outstanding < edges) {
      const std::uint64_t full = left / forecast.outstanding;  // edges that it still has room for
      forecast.edge = change->first + full;
      forecast.excess = (full + 1) * forecast.outstanding - left;
      return time_of_forecast();
    }
    left -= edges * forecast.outstanding;
  }
}

}  // namespace pmufab
