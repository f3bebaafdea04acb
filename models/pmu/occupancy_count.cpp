// SPDX-License-Identifier: Apache-2.0
#include "models/pmu/occupancy_count.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

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
  forget_overflow();
  if (settings_.is_raw()) {
    total_ += requests_->remaining(selection_, since_);
  } else {
    BusyClocks::Changes changes = requests_->changes(selection_, since_);
    last_end_ = changes.rbegin()->first;
    busy_.start(settings_, since_, std::move(changes));
  }
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
  if (!settings_.is_raw()) return (total_ + busy_.count(edge_at(when))) & maximum_;
  return (total_ - requests_->remaining(selection_, edge_at(when))) & maximum_;
}

void OccupancyCount::set_value(std::uint64_t value, Picoseconds when) noexcept {
  total_ = value & maximum_;
  forecast_.reset();
  if (!running_) return;
  since_ = edge_at(when);
  if (settings_.is_raw()) {
    total_ += requests_->remaining(selection_, since_);
  } else {
    busy_.settle(since_);
  }
}

void OccupancyCount::tell_busy(std::uint64_t first, std::uint64_t end) {
  // Nobody asks for the value before this instant again.
  const std::uint64_t present = requests_->clock().edges_before(simulated_time());
  if (present > since_ && busy_.is_long()) {
    total_ = (total_ + busy_.count(present)) & maximum_;
    since_ = present;
    busy_.settle(present);
  }
  busy_.add(first, end);
  last_end_ = std::max(last_end_, end);
  // At most each edge counts.
  if (is_awaited_ && on_nearer_ != nullptr && last_end_ > since_ && maximum_ - total_ < last_end_ - since_)
    on_nearer_(context_);
}

void OccupancyCount::tell(std::uint64_t first, std::uint64_t end) {
  if (!settings_.is_raw()) return tell_busy(first, end);
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

Picoseconds OccupancyCount::next_busy_overflow(std::uint64_t edge) {
  is_awaited_ = true;
  const std::uint64_t counted = busy_.count(edge);
  const std::uint64_t room = maximum_ - ((total_ + counted) & maximum_);
  std::uint64_t number = 0;
  if (__builtin_add_overflow(counted, room, &number) || __builtin_add_overflow(number, 1, &number)) return kNever;
  const std::optional<std::uint64_t> overflow = busy_.edge_of(number);
  const Picoseconds time = overflow ? requests_->clock().time_of_edge(*overflow) : kNever;
  return time == kNever ? kNever : time + 1;
}

Picoseconds OccupancyCount::next_overflow(Picoseconds when) {
  if (!running_) return kNever;
  const std::uint64_t edge = edge_at(when);
  if (!settings_.is_raw()) return next_busy_overflow(edge);
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
