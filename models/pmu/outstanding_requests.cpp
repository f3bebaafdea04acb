// SPDX-License-Identifier: Apache-2.0
#include "models/pmu/outstanding_requests.h"

#include <algorithm>

#include "models/pmu/alarm.h"
#include "models/pmu/occupancy_count.h"

namespace pmufab {

OutstandingRequests::OutstandingRequests(const ClockDomain& clock, std::size_t capacity)
    : clock_(clock), kept_(std::max<std::size_t>(capacity, 1)) {}

void OutstandingRequests::make_room() {
  // No counter reads times before simulated time.
  const Picoseconds present = simulated_time();
  kept_.erase(
      std::remove_if(kept_.begin(), kept_.end(), [&](const Request& request) { return request.end <= present; }),
      kept_.end());
  if (2 * kept_.size() > kept_.capacity()) kept_.set_capacity(2 * kept_.capacity());
}

void OutstandingRequests::count(const Request& request) {
  const std::uint64_t first = clock_.edges_before(request.start);
  const std::uint64_t end = clock_.edges_before(request.end);
  for (const Watch& watch : watches_) {
    if (watch.selection.holds(request.qualifier, request.id)) watch.count->tell(first, end);
  }
}

void OutstandingRequests::unwatch(const OccupancyCount& count) {
  std::erase_if(watches_, [&](const Watch& watch) { return watch.count == &count; });
}

std::uint64_t OutstandingRequests::remaining(const Selection& selection, std::uint64_t edge) const noexcept {
  std::uint64_t sum = 0;
  for (const Request& request : kept_) {
    if (!selection.holds(request.qualifier, request.id)) continue;
    const std::uint64_t end = clock_.edges_before(request.end);
    if (end <= edge) continue;
    const std::uint64_t first = std::max(clock_.edges_before(request.start), edge);
    sum += end - std::min(first, end);
  }
  return sum;
}

std::map<std::uint64_t, std::int64_t> OutstandingRequests::changes(const Selection& selection,
                                                                   std::uint64_t edge) const {
  std::map<std::uint64_t, std::int64_t> changes{{edge, 0}};
  for (const Request& request : kept_) {
    if (!selection.holds(request.qualifier, request.id)) continue;
    const std::uint64_t first = std::max(clock_.edges_before(request.start), edge);
    const std::uint64_t end = clock_.edges_before(request.end);
    if (end <= first) continue;
    ++changes[first];
    --changes[end];
  }
  return changes;
}

}  // namespace pmufab
