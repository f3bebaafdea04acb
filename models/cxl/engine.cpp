#include "models/cxl/engine.h"

#include <algorithm>

namespace pmufab::cxl {

Engine::Engine() : times_(1, kNever), winners_(2, 0), alarm_([this] { run(); }) {}

unsigned Engine::add(Actor& actor) {
  const auto number = static_cast<unsigned>(actors_.size());
  actors_.push_back(&actor);
  if (actors_.size() > leaves_) {
    leaves_ *= 2;
    times_.resize(leaves_, kNever);
    winners_.assign(2 * leaves_, 0);
    for (std::size_t leaf = 0; leaf < leaves_; ++leaf) winners_[leaves_ + leaf] = static_cast<std::uint32_t>(leaf);
    for (unsigned leaf = 0; leaf < leaves_; ++leaf) replay(leaf);
  }
  return number;
}

Picoseconds Engine::now() const noexcept { return running_ ? now_ : std::max(now_, simulated_time()); }

void Engine::arm() { alarm_.set(times_[winners_[1]]); }

void Engine::run() {
  const Picoseconds present = simulated_time();
  // Bus accesses of this instant come first: a counter stopped now does not count what happens now.
  if (deferred_at_ != present && sc_core::sc_pending_activity_at_current_time()) {
    deferred_at_ = present;
    alarm_.set(present);
    return;
  }
  const Picoseconds end = present + kLookahead;
  running_ = true;
  while (true) {
    const std::uint32_t first = winners_[1];
    const Picoseconds when = times_[first];
    if (when >= end) break;
    // Each act may have woken processes or set alarms: ask anew.
    if (when > present &&
        to_picoseconds(sc_core::sc_time_to_pending_activity(sc_core::sc_get_curr_simcontext())) <= when - present)
      break;
    now_ = std::max(now_, when);
    // Most actors set their next time while they act, which replays; so it is not done twice.
    times_[first] = kNever;
    stale_ = first;
    ++acts_;
    actors_[first]->act(now_);
    if (stale_ == first) replay(first);
    stale_ = kNobody;
  }
  running_ = false;
  arm();
}

}  // namespace pmufab::cxl
