// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/clock/clock_domain.h"

namespace pmufab::scoreboard {

/// Rising edges of a clock of `frequency_hz`: edge n lies at ceil(n * 10^12 / frequency_hz) ps, n = 0, 1, 2, ...
///
/// The judge has its own arithmetic on purpose, and does not share ClockDomain's.
class ExactClock {
 public:
  explicit ExactClock(std::uint64_t frequency_hz) noexcept : frequency_hz_(frequency_hz) {}

  /// @return the number of edges in [begin, end); 0 if end <= begin.
  [[nodiscard]] std::uint64_t edges_in(Picoseconds begin, Picoseconds end) const noexcept {
    return end <= begin ? 0 : edges_before(end) - edges_before(begin);
  }
  /// @return the time of edge `number`.
  [[nodiscard]] Picoseconds time_of(std::uint64_t number) const noexcept {
    return static_cast<Picoseconds>((static_cast<Wide>(number) * kPicosecondsPerSecond + frequency_hz_ - 1) /
                                    frequency_hz_);
  }

  /// @return the number of edges in [0, when), which is the number of the first edge from `when` on.
  [[nodiscard]] std::uint64_t edges_before(Picoseconds when) const noexcept {
    if (when == 0) return 0;
    // Edge n is before `when` exactly if n * 10^12 <= (when - 1) * f, because ceil(x) < when means x <= when - 1.
    return static_cast<std::uint64_t>(static_cast<Wide>(when - 1) * frequency_hz_ / kPicosecondsPerSecond + 1);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr Wide kPicosecondsPerSecond = 1'000'000'000'000;

  std::uint64_t frequency_hz_;
};

}  // namespace pmufab::scoreboard
