// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "tlm/clock/clock_domain.h"

namespace pmufab::process {

/// Chooses how much to simulate before the owner looks at something else: about a given wall-clock time, estimated from
/// earlier slices.
class TimeSlice {
 public:
  using Duration = std::chrono::steady_clock::duration;

  /// @param wall  wall-clock time of a slice
  explicit TimeSlice(Duration wall) : wall_(wall) {}

  [[nodiscard]] Picoseconds length() const noexcept { return length_; }
  /// Forget the speed of simulation, because the work is about to change.
  void restart() noexcept { length_ = kFirst; }
  /// Record that so much was simulated, and how long that took. Less than a whole slice says nothing about a longer
  /// one.
  void learn(Picoseconds simulated, Duration took) noexcept;

  static constexpr Picoseconds kFirst = 1'000'000;
  static constexpr Picoseconds kShortest = 100'000;
  static constexpr Picoseconds kLongest = 1'000'000'000'000'000;

 private:
  Duration wall_;
  Picoseconds length_ = kFirst;
};

}  // namespace pmufab::process
