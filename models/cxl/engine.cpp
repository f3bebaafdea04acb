#include "models/cxl/engine.h"

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
  // Bus accesses of this instant come first: a counter stopped now does not count what happens now.
  if (deferred_at_ != present && sc_core::sc_pending_activity_at_current_time()) {
    deferred_at_ = present;
    alarm_.set(present);
    return;
  }
  run_before(present + kLookahead, true);
}

void Engine::settle(Picoseconds when) {
  if (!running_ && nodes_[1].when < when) run_before(when, false);
}

void Engine::run_before(Picoseconds end, bool ask_kernel) {
  const Picoseconds present = simulated_time();
  running_ = true;
  while (true) {
    const unsigned first = nodes_[1].actor;
    const Picoseconds when = nodes_[1].when;
    if (when >= end) break;
    // Each act may have woken processes or set alarms: ask anew.
    if (ask_kernel && when > present &&
        to_picoseconds(sc_core::sc_time_to_pending_activity(sc_core::sc_get_curr_simcontext())) <= when - present)
      break;
    now_ = std::max(now_, when);
    // Most actors set their next time while they act, which replays; so it is not done twice.
    nodes_[leaves_ + first].when = kNever;
    stale_ = first;
    ++acts_;
    actors_[first]->act(now_);
    if (stale_ == first) replay(first, kNever);
    stale_ = kNobody;
  }
  running_ = false;
  arm();
}

}  // namespace pmufab::cxl
