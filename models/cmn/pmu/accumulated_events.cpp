// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/pmu/accumulated_events.h"

#include <utility>

#include "models/cmn/pmu/pmu.h"

namespace pmufab::cmn {

std::uint64_t AccumulatedEvents::fired(const Event& event, Picoseconds when) const {
  if (event.occupancy == nullptr) return event.condition->cycles(clock_.edges_before(when));
  return event.occupancy->sum(pmu_.filter_value(event.source, event.filter), clock_.edges_before(when)) >> width_;
}

void AccumulatedEvents::choose(Picoseconds when) {
  counted_.clear();
  for (unsigned index = 0; index < events_.size(); ++index) {
    Event& event = events_[index];
    if (!pmu_.listens(event.source, event.id)) continue;
    event.fired = fired(event, when);
    counted_.push_back(index);
  }
}

void AccumulatedEvents::count(Picoseconds when) {
  for (const unsigned index : counted_) {
    Event& event = events_[index];
    const std::uint64_t now = fired(event, when);
    if (now <= event.fired) continue;  // less: at the end of a plain sc_start(), which the mesh may have passed
    const std::uint64_t amount = now - std::exchange(event.fired, now);
    pmu_.node_event(event.source, event.id, kEveryClass, amount, when);
  }
}

AccumulatedEvents::Pace AccumulatedEvents::pace(Cycle now) const {
  Pace pace{std::uint64_t{1} << width_, 0, 0};
  for (const unsigned index : counted_) {
    const Event& event = events_[index];
    if (event.occupancy == nullptr) {
      pace.rate += pace.whole;
      continue;
    }
    const unsigned code = pmu_.filter_value(event.source, event.filter);
    pace.rate += static_cast<std::uint64_t>(event.occupancy->entries(code));
    pace.begun += event.occupancy->sum(code, now) % pace.whole;
  }
  return pace;
}

}  // namespace pmufab::cmn
