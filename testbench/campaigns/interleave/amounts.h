// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "testbench/run/occurrences/hardware_gate.h"

namespace pmufab::interleave {

using scenario::AccessRecord;

/// How often an event may have to happen until something wraps.
struct Candidates {
  std::vector<std::uint64_t> amounts;  ///< ascending
  bool is_all = true;                  ///< false: there are more, which are less likely to be of a counter
};

/// @param accesses  of one call, as they were without anything added
/// @param earlier   the latest ones before that call, of other registers: a counter that the call does not read
/// @param most      amounts
/// @return for each value that the driver reads or writes there, its 32-bit halves and its 16-bit parts, then for two
///         halves together, and then for a value above a 16-bit part (in the call alone), the distance to the end of
///         each usual width. Nothing is presumed about which register counts what.
[[nodiscard]] Candidates candidate_amounts(const std::vector<AccessRecord>& accesses,
                                           const std::vector<AccessRecord>& earlier, std::size_t most);

/// @param none, one  the accesses of a call without and with one occurrence
/// @return the addresses where one makes what is read a little less: of counters that count down
[[nodiscard]] std::set<std::uint64_t> counting_down(const std::vector<AccessRecord>& none,
                                                    const std::vector<AccessRecord>& one);
/// @return the accesses as if the counters at those addresses counted up
[[nodiscard]] std::vector<AccessRecord> turned(std::vector<AccessRecord> accesses, const std::set<std::uint64_t>& down);

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
/// @return the smallest amount for each effect, up to the one that makes the widest counter wrap. More may be a whole
///         turn of it, which no driver can tell from none. If no value falls, nothing says how wide it is, and all are
///         kept
[[nodiscard]] std::vector<std::uint64_t> choose_amounts(const std::vector<Trial>& trials);

}  // namespace pmufab::interleave
