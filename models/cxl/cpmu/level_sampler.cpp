// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/cpmu/level_sampler.h"

#include <algorithm>

namespace pmufab::cxl {

LevelSampler::LevelSampler(Engine& engine, Source& source, Picoseconds period)
    : engine_(engine), source_(source), period_(period), actor_(engine.add(*this)) {}

void LevelSampler::add(Probe& probe) {
  probes_.push_back(&probe);
  probe.on_watch(
      [](void* context) {
        LevelSampler& self = *static_cast<LevelSampler*>(context);
        if (self.engine_.time(self.actor_) != kNever) return;
        const Picoseconds now = self.engine_.now();
        self.engine_.set(self.actor_, (now + self.period_ - 1) / self.period_ * self.period_);
      },
      this);
}

bool LevelSampler::is_wanted() const {
  return std::any_of(probes_.begin(), probes_.end(), [](const Probe* probe) { return probe->is_watched(); });
}

void LevelSampler::act(Picoseconds now) {
  if (!is_wanted()) return;
  source_.sample(now);
  engine_.set(actor_, now + period_);
}

}  // namespace pmufab::cxl
