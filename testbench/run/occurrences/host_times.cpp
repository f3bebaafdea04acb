// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/occurrences/host_times.h"

#include <algorithm>
#include <string_view>

namespace pmufab::scenario {
namespace {

/// The CPU is there at least so long between two spans: what it does must come to an end.
constexpr Picoseconds kShortestPresence = 100'000;

std::uint64_t seed_of(std::uint64_t seed, std::string_view key) {
  return traffic::mix_bits(seed ^ traffic::hash_of(key));
}

}  // namespace

HostTimes::HostTimes(const HostSpec& spec, std::uint64_t seed)
    : interrupt_(spec.interrupt_delay, seed_of(seed, "host.interrupt_delay")),
      loss_(spec.interrupt_loss),
      lost_(seed_of(seed, "host.interrupt_loss")),
      handler_(spec.handler_time, seed_of(seed, "host.handler_time")) {
  if (!spec.away) return;
  every_.emplace(spec.away->every, seed_of(seed, "host.away.every"));
  lasting_.emplace(spec.away->lasting, seed_of(seed, "host.away.for"));
}

std::optional<Picoseconds> HostTimes::interrupt_delay() {
  const Picoseconds delay = interrupt_.draw();
  if (loss_ > 0 && lost_.happens(loss_)) return std::nullopt;
  return delay;
}

Picoseconds HostTimes::goes_on_at(Picoseconds now) {
  if (!every_) return now;
  while (now >= away_until_) {
    const Picoseconds earliest = away_until_ + kShortestPresence;
    away_from_ = std::max(away_from_ + every_->draw(), earliest);
    away_until_ = away_from_ + lasting_->draw();
  }
  return now < away_from_ ? now : away_until_;
}

std::unique_ptr<HostTimes> make_host_times(const HostSpec& spec, std::uint64_t seed) {
  const bool is_constant = spec.interrupt_delay.kind == DelaySpec::Kind::constant && spec.interrupt_loss == 0 &&
                           spec.handler_time.is_zero() && !spec.away;
  return is_constant ? nullptr : std::make_unique<HostTimes>(spec, seed);
}

}  // namespace pmufab::scenario
