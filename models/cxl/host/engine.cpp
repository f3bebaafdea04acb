// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/host/engine.h"

#include <algorithm>

namespace pmufab::cxl {

Engine::Engine() : nodes_(2), alarm_([this] { run(); }) {}

unsigned Engine::add(Actor& actor) {
  const auto number = static_cast<unsigned>(actors_.size());
  actors_.push_back(&actor);
  if (actors_.size() > leaves_) {
    std::vector<Picoseconds> times(leaves_);
    for (unsigned leaf = 0; leaf < leaves_; ++leaf) times[leaf] = time(leaf);
    leaves_ *= 2;
    nodes_.assign(2 * leaves_, {});
    for (unsigned leaf = 0; leaf < leaves_; ++leaf) replay(leaf, leaf < times.size() ? times[leaf] : kNever);
  }
  return number;
}

void Engine::arm() { alarm_.set(nodes_[1].when); }

void Engine::run() {
  const Picoseconds present = simulated_time();
  // Bus accesses of this instant go first: a counter stopped now does not count what happens now.
  if (deferred_at_ != present && sc_core::sc_pending_activity_at_current_time()) {
    deferred_at_ = present;
    alarm_.set(present);
    return;
  }
  const Picoseconds end = present + kLookahead;
  running_ = true;
  ++turns_;
  while (true) {
    const unsigned first = nodes_[1].actor;
    const Picoseconds when = nodes_[1].when;
    if (when >= end) break;
    // An act may have woken processes or set alarms, so check again.
    if (when > present && time_to_activity() <= when - present) break;
    now_ = std::max(now_, when);
    // Most actors set their next time while they act, which replays the path; this avoids doing it twice.
    nodes_[leaves_ + first].when = kNever;
    stale_ = first;
    ++acts_;
    actors_[first]->act(now_);
    if (stale_ == first) replay(first, kNever);
    stale_ = kNobody;
  }
  if (!latecomers_.empty()) end_turn(present, end);
  running_ = false;
  arm();
}

void Engine::end_turn(Picoseconds present, Picoseconds end) {
  const Picoseconds reached = std::max(present + 1, present + std::min(end - present, time_to_activity()));
  for (Latecomer* const latecomer : latecomers_) latecomer->catch_up_before(reached);
  latecomers_.clear();
}

}  // namespace pmufab::cxl
