// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/judge/events/event_truth.h"

namespace pmufab::scoreboard {

/// @return the number of a term; 1 for a flag (largest 1) without a value, as in perf.
/// @throws std::invalid_argument that names the term, if it has no value or one above `largest`
[[nodiscard]] inline std::uint64_t number_of(const EventTerm& term, std::uint64_t largest) {
  if (!term.value && largest != 1) throw std::invalid_argument(fmt::format("term '{}' needs a value", term.name));
  const std::uint64_t value = term.value.value_or(1);
  if (value > largest)
    throw std::invalid_argument(fmt::format("term '{}' takes at most {:#x}, not {:#x}", term.name, largest, value));
  return value;
}

/// Set the event that a term selects.
/// @throws std::invalid_argument if another term selected a different event
inline void set_event(std::optional<std::uint64_t>& event, std::uint64_t number, const EventTerm& term) {
  if (event && *event != number) throw std::invalid_argument(fmt::format("term '{}' names a second event", term.name));
  event = number;
}

}  // namespace pmufab::scoreboard
