// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/pacer.h"

#include <algorithm>
#include <cassert>

namespace pmufab::traffic {
namespace {

constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;

/// @return the rate in requests per second, at least 1.
std::uint64_t rate_of(const PacingSpec& pacing) noexcept {
  return std::max<std::uint64_t>(1, rounded(pacing.requests_per_us * 1e6));
}

}  // namespace

Pacer::Pacer(const PacingSpec& pacing, const std::optional<BurstSpec>& burst, Picoseconds base, RandomStream& random)
    : kind_(pacing.kind), base_(base) {
  if (burst) {
    on_ = burst->on;
    off_ = burst->off;
  }
  switch (kind_) {
    case Kind::fixed:
      rate_ = rate_of(pacing);
      gap_ = kPicosecondsPerSecond / rate_;
      gap_remainder_ = kPicosecondsPerSecond % rate_;
      break;
    case Kind::exponential:
      mean_ = static_cast<double>(kPicosecondsPerSecond) / static_cast<double>(rate_of(pacing));
      active_ = random_gap(random);
      break;
    case Kind::back_to_back:
      gap_ = pacing.gap;
      break;
  }
}

Picoseconds Pacer::random_gap(RandomStream& random) const { return rounded(random.exponential() * mean_); }

void Pacer::advance(RandomStream& random) {
  last_ = active_;
  switch (kind_) {
    case Kind::fixed: {
      active_ += gap_;
      if (gap_remainder_ == 0) return;
      // active_ is rounded up: it is one above the whole part exactly when there is a remainder.
      if (remainder_ != 0) --active_;
      remainder_ += gap_remainder_;
      if (remainder_ >= rate_) {
        remainder_ -= rate_;
        ++active_;
      }
      if (remainder_ != 0) ++active_;
      return;
    }
    case Kind::exponential:
      active_ += random_gap(random);
      return;
    case Kind::back_to_back:
      active_ += gap_;
      return;
  }
}

std::uint64_t Pacer::estimate(const PacingSpec& pacing, const std::optional<BurstSpec>& burst,
                              Picoseconds duration) noexcept {
  auto active = static_cast<double>(duration);
  if (burst) active *= static_cast<double>(burst->on) / static_cast<double>(burst->on + burst->off);
  const double gap = pacing.kind == Kind::back_to_back
                         ? static_cast<double>(pacing.gap)
                         : static_cast<double>(kPicosecondsPerSecond) / static_cast<double>(rate_of(pacing));
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(active / gap));
}

GeometricGaps::GeometricGaps(double probability) {
  assert(probability >= kSmallestProbability && probability <= 1);
  double longer = 1;
  for (std::uint64_t& entry : longer_) {
    entry = static_cast<std::uint64_t>(longer * 0x1p32);
    longer *= 1 - probability;
  }
  unsigned gap = 1;
  for (unsigned upper = 256; upper-- > 0;) {
    // The largest number with these upper bits has the shortest gap.
    const std::uint64_t largest = std::uint64_t{upper} << 24 | 0xffffff;
    while (gap < kLongest && largest < longer_[gap]) ++gap;
    shortest_[upper] = static_cast<std::uint16_t>(gap);
  }
}

}  // namespace pmufab::traffic
