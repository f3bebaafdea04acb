// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "testbench/scenario/occurrences/hardware_gate.h"

namespace pmufab::interleave {

using scenario::AccessRecord;

/// @param accesses  of one call, as they were without anything added
/// @return how often an event may have to happen until something that the driver reads or writes there wraps: for each
///         value, its 32-bit halves, its 16-bit parts, two halves together and a value above a 16-bit part, the distance to the end of
///         each usual width. Nothing is presumed about which register counts what.
[[nodiscard]] std::vector<std::uint64_t> candidate_amounts(const std::vector<AccessRecord>& accesses);

/// What more occurrences made different.
struct Wrapped {
  std::set<std::size_t> fallen;        ///< accesses that read less than before
  std::optional<std::size_t> differs;  ///< the first access that is another one
  [[nodiscard]] bool empty() const noexcept { return fallen.empty() && !differs; }
  auto operator<=>(const Wrapped&) const = default;
};

/// Compares the accesses of two runs, up to the first that is another one.
[[nodiscard]] Wrapped what_wrapped(const std::vector<AccessRecord>& before, const std::vector<AccessRecord>& after);

/// An amount, and what it made wrap: compared with nothing, and with one occurrence.
struct Trial {
  std::uint64_t amount = 0;
  Wrapped from_none;
  Wrapped from_one;
};

/// @param trials  by amount, ascending
/// @return the smallest amount for each effect, up to the one that makes the widest counter wrap. More may be a whole turn
///         of it, which no driver can tell from none
[[nodiscard]] std::vector<std::uint64_t> choose_amounts(const std::vector<Trial>& trials);

}  // namespace pmufab::interleave
