// SPDX-License-Identifier: Apache-2.0
#include "models/pmu/busy_clocks.h"

#include <algorithm>
#include <utility>

namespace pmufab {

void BusyClocks::start(const ClockCondition::Settings& settings, std::uint64_t edge, Changes changes) {
  least_ = static_cast<std::int64_t>(std::max<std::uint64_t>(settings.threshold, 1));
  is_first_alone_ = settings.edge;
  state_ = {.edge = edge};
  changes_ = std::move(changes);
}

void BusyClocks::add(std::uint64_t first, std::uint64_t end) {
  first = std::max(first, state_.edge);
  if (end <= first) return;
  ++changes_[first];
  --changes_[end];
}

std::uint64_t BusyClocks::step(State& state, Changes::const_iterator& next, std::uint64_t end) const {
  if (next != changes_.end() && next->first == state.edge) {
    state.outstanding += next->second;
    ++next;
  }
  const bool holds = state.outstanding >= least_;
  const std::uint64_t until = next == changes_.end() ? end : std::min(end, next->first);
  const std::uint64_t edges = until - std::exchange(state.edge, until);
  const bool held = std::exchange(state.holds, holds);
  if (!holds) return 0;
  return is_first_alone_ ? std::uint64_t{!held} : edges;
}

std::uint64_t BusyClocks::count(std::uint64_t edge) const {
  std::uint64_t sum = 0;
  State state = state_;
  for (auto next = changes_.begin(); state.edge < edge;) sum += step(state, next, edge);
  return sum;
}

void BusyClocks::settle(std::uint64_t edge) {
  auto next = changes_.cbegin();
  while (state_.edge < edge) step(state_, next, edge);
  changes_.erase(changes_.cbegin(), next);
}

std::optional<std::uint64_t> BusyClocks::edge_of(std::uint64_t number) const {
  State state = state_;
  for (auto next = changes_.begin(); next != changes_.end();) {
    const std::uint64_t begin = state.edge;
    const auto after = next->first == begin ? std::next(next) : next;
    if (after == changes_.end()) return std::nullopt;  // nothing is outstanding from here on
    const std::uint64_t counted = step(state, next, after->first);
    if (counted >= number) return is_first_alone_ ? begin : begin + number - 1;
    number -= counted;
  }
  return std::nullopt;
}

}  // namespace pmufab
