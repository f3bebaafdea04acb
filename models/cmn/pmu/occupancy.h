// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// Filter code 0, which means all for most events; the only code of events without a filter.
inline constexpr std::uint16_t kAllCode = 1;

/// The fill level of a queue, for the events that accumulate it. Each cycle an accumulator adds the number of entries
/// after that cycle's changes; the event fires each time the accumulator wraps.
///
/// There is an accumulator for each code of the event's filter (inferred: a single one would have to be cleared when
/// software selects another code). Cycles are computed, not stepped.
class Occupancy {
 public:
  static constexpr unsigned kCodes = 16;

  /// Entries enter (positive) or leave the queue in cycle `now`, which is never before that of an earlier change.
  /// @param codes  filter codes of the entries, bit c for code c; include bit 0 where code 0 means all
  void change(std::uint16_t codes, int entries, Cycle now) noexcept {
    for (unsigned code = 0; codes != 0; ++code, codes = static_cast<std::uint16_t>(codes >> 1U)) {
      if ((codes & 1U) == 0) continue;
      Accumulator& one = accumulators_[code];
      assert(entries >= 0 || one.entries >= -entries);
      one.sum += (now - one.since) * static_cast<std::uint64_t>(one.entries);
      one.since = now;
      one.entries += entries;
    }
  }
  /// @return the sum of the entries over all cycles before `end`.
  [[nodiscard]] std::uint64_t sum(unsigned code, Cycle end) const noexcept {
    const Accumulator& one = accumulators_[code % kCodes];
    return end <= one.since ? one.sum : one.sum + (end - one.since) * static_cast<std::uint64_t>(one.entries);
  }
  [[nodiscard]] int entries(unsigned code) const noexcept { return accumulators_[code % kCodes].entries; }

 private:
  struct Accumulator {
    std::uint64_t sum = 0;  // over the cycles before `since`
    Cycle since = 0;
    int entries = 0;
  };
  std::array<Accumulator, kCodes> accumulators_{};
};

}  // namespace pmufab::cmn
