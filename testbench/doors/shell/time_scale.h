// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "tlm/clock/clock_domain.h"

namespace pmufab::shell {

/// Simulated seconds per second of a program, if nobody says otherwise: a second of `perf stat sleep 1` is a millisecond.
inline constexpr double kTimeScale = 1e-3;

/// Nobody waits for later instants, which 64 bits nearly hold.
inline constexpr Picoseconds kEndOfTime = 9'000'000'000'000'000'000;

/// @param scale  simulated seconds per second of a program, above 0
/// @return simulated time for a program's nanoseconds, at most kEndOfTime
[[nodiscard]] inline Picoseconds scaled(std::uint64_t nanoseconds, double scale) {
  const double span = static_cast<double>(nanoseconds) * 1000.0 * scale;
  return static_cast<Picoseconds>(std::min(span, static_cast<double>(kEndOfTime)));
}

/// @return a program's nanoseconds for simulated time
[[nodiscard]] inline std::uint64_t unscaled(Picoseconds span, double scale) {
  constexpr double kMost = 1.8e19;  // below 2^64
  return static_cast<std::uint64_t>(std::min(static_cast<double>(span) / 1000.0 / scale, kMost));
}

}  // namespace pmufab::shell
