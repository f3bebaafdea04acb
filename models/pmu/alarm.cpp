// SPDX-License-Identifier: Apache-2.0
#include "models/pmu/alarm.h"

#include <utility>

namespace pmufab {

Alarm::Alarm(std::function<void()> ring) : ring_(std::move(ring)) {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&event_);
  sc_core::sc_spawn([this] { fire(); }, sc_core::sc_gen_unique_name("alarm"), &options);
}

Alarm::~Alarm() = default;

void Alarm::set(Picoseconds when) {
  if (when == time_) return;
  event_.cancel();
  time_ = when;
  if (when == kNever) return;
  const Picoseconds present = simulated_time();
  if (when > present) {
    event_.notify(to_sc_time(when - present));
  } else {
    event_.notify(sc_core::SC_ZERO_TIME);
  }
}

void Alarm::cancel() { set(kNever); }

void Alarm::fire() {
  time_ = kNever;
  ring_();
}

}  // namespace pmufab
