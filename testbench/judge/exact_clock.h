// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "tlm/clock/clock_domain.h"

namespace pmufab::scoreboard {

/// Rising edges of a clock of `frequency_hz`: edge n lies at ceil(n * 10^12 / frequency_hz) ps, n = 0, 1, 2, ...
///
/// The judge has its own arithmetic on purpose, and does not share ClockDomain's.
class ExactClock {
 public:
  explicit ExactClock(std::uint64_t frequency_hz) noexcept
      : frequency_hz_(frequency_hz), common_(std::gcd(frequency_hz, std::uint64_t{kPicosecondsPerSecond})) {}

  /// Let `cycles` cycles pass at once, just before `when`: what they cause may happen at that instant. Calls are in order
  /// of time. Times of single edges (time_of) do not include them.
  void pass(std::uint64_t cycles, Picoseconds when) {
    passed_.push_back({when, (passed_.empty() ? 0 : passed_.back().sum) + cycles});
  }

  /// @return the number of edges in [begin, end); 0 if end <= begin.
  [[nodiscard]] std::uint64_t edges_in(Picoseconds begin, Picoseconds end) const noexcept {
    return end <= begin ? 0 : edges_before(end) - edges_before(begin);
  }
  /// @return the time of edge `number`.
  [[nodiscard]] Picoseconds time_of(std::uint64_t number) const noexcept {
    return static_cast<Picoseconds>((static_cast<Wide>(number) * kPicosecondsPerSecond + frequency_hz_ - 1) /
                                    frequency_hz_);
  }

  /// @return true if its edges are the multiples of `period`, as no cycles have passed at once.
  [[nodiscard]] bool has_period(Picoseconds period) const noexcept {
    return passed_.empty() && kPicosecondsPerSecond % frequency_hz_ == 0 &&
           period == kPicosecondsPerSecond / frequency_hz_;
  }

  /// @return the number of edges in [0, when), which is the number of the first edge from `when` on.
  [[nodiscard]] std::uint64_t edges_before(Picoseconds when) const noexcept {
    if (when == 0) return 0;
    const auto later = std::upper_bound(passed_.begin(), passed_.end(), when,
                                        [](Picoseconds t, const Passed& one) { return t < one.when; });
    const std::uint64_t passed = later == passed_.begin() ? 0 : std::prev(later)->sum;
    // Edge n is before `when` exactly if n * 10^12 <= (when - 1) * f, because ceil(x) < when means x <= when - 1.
    const Wide product = static_cast<Wide>(when - 1) * (frequency_hz_ / common_);
    const std::uint64_t divisor = kPicosecondsPerSecond / common_;
    // Most products fit 64 bits, whose division is much faster.
    const std::uint64_t edges = product >> 64U == 0 ? static_cast<std::uint64_t>(product) / divisor
                                                    : static_cast<std::uint64_t>(product / divisor);
    return passed + edges + 1;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;

  /// Cycles that passed at once at `when`, with all before.
  struct Passed {
    Picoseconds when;
    std::uint64_t sum;
  };

  std::uint64_t frequency_hz_;
  std::uint64_t common_;        // greatest divisor of it and 10^12
  std::vector<Passed> passed_;  // in order of time
};

}  // namespace pmufab::scoreboard
