// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace pmufab::explore {

/// What happened of an event between two readings, as far as it had a counter.
struct CountedSpan {
  double enabled = 0;  ///< time in which it was wanted
  double running = 0;  ///< of that, with a counter
  double counted = 0;
};

/// How to guess what happened while others had the counter.
enum class TurnsEstimate : std::uint8_t {
  none,
  interpolated,  ///< the rate runs straight from one span with a counter to the next (Mathur and Cook, MASCOTS 2005)
  neighbours,    ///< the rate is the mean of the five nearest spans with a counter (as in CounterMiner, MICRO 2018)
};

/// @return the estimated count of all spans together; nothing if the event never had a counter
[[nodiscard]] std::optional<double> estimated_count(const std::vector<CountedSpan>& spans, TurnsEstimate how);

}  // namespace pmufab::explore
