// SPDX-License-Identifier: Apache-2.0
#include "tlm/clock/clock_domain.h"

#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace pmufab {

namespace {
constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;
}  // namespace

ClockDomain::ClockDomain(std::string name, std::uint64_t frequency_hz)
    : name_(std::move(name)), frequency_hz_(frequency_hz) {
  if (frequency_hz == 0 || frequency_hz > kPicosecondsPerSecond) {
    throw std::invalid_argument(fmt::format(
        "clock '{}': {} Hz is outside 1 Hz ... 1 THz, which a 1 ps time scale can show", name_, frequency_hz));
  }
  const std::uint64_t divisor = std::gcd(frequency_hz, kPicosecondsPerSecond);
  numerator_ = frequency_hz / divisor;
  denominator_ = kPicosecondsPerSecond / divisor;
  short_limit_ = std::numeric_limits<std::uint64_t>::max() / numerator_;
  short_edges_ = (std::numeric_limits<std::uint64_t>::max() - (numerator_ - 1)) / denominator_;
}

Picoseconds ClockDomain::time_of_late_edge(std::uint64_t edge) const noexcept {
  constexpr Picoseconds kEndOfTime = std::numeric_limits<Picoseconds>::max();
  const Wide time = (static_cast<Wide>(edge) * denominator_ + (numerator_ - 1)) / numerator_;
  return time > kEndOfTime ? kEndOfTime : static_cast<Picoseconds>(time);
}

}  // namespace pmufab
