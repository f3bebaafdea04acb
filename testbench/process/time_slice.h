// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "tlm/clock/clock_domain.h"

namespace pmufab::process {

/// How much may be simulated at a time by somebody who wants to look at something else between: as much as takes
/// about a given time, going by what the slices before took.
class TimeSlice {
 public:
  using Duration = std::chrono::steady_clock::duration;

  /// @param wall  time on the wall a slice is to take
  explicit TimeSlice(Duration wall) : wall_(wall) {}

  [[nodiscard]] Picoseconds length() const noexcept { return length_; }
  /// Nothing is known any more of how fast simulation is: it is about to do something else.
  void restart() noexcept { length_ = kFirst; }
  /// So much was simulated, which took so long. Less than a whole slice tells nothing of a longer one.
  void learn(Picoseconds simulated, Duration took) noexcept;

  static constexpr Picoseconds kFirst = 1'000'000;
  static constexpr Picoseconds kShortest = 100'000;
  static constexpr Picoseconds kLongest = 1'000'000'000'000'000;

 private:
  Duration wall_;
  Picoseconds length_ = kFirst;
};

}  // namespace pmufab::process
