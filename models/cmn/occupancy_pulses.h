#pragma once

#include <array>
#include <cstdint>

#include "tlm/clock/clock_domain.h"

namespace pmufab::cmn {

/// Turns how full a queue is into the pulses of an occupancy event: an accumulator of W bits adds the occupancy at each
/// clock edge and gives a pulse each time it wraps, since an event wire carries at most one per cycle.
///
/// The width is not public (inferred: 8). Edges are computed, not stepped. A filter selects which entries are added;
/// what the accumulator holds stays when it changes. With more than 2^W entries there would be several pulses in a
/// cycle; they are all given.
///
/// A node keeps one per occupancy event. When the Pmu settles (Pmu::on_settle) it calls settle() and publishes what
/// that returns with Pmu::node_event(), every class; when the Pmu tells of a new filter (Pmu::on_select) it calls
/// select().
class OccupancyPulses {
 public:
  /// @param clock  must outlive this
  /// @param width  bits of the accumulator, 1 to 32
  /// @throws std::invalid_argument for another width
  explicit OccupancyPulses(const ClockDomain& clock, unsigned width = 8);

  /// Entries enter (positive) or leave the queue at `when`. An edge at that very instant sees the change.
  /// @param classes  filter codes the entries belong to, bit c for code c; those of code 0 are all, always
  void change(std::uint16_t classes, std::int64_t entries, Picoseconds when);
  /// Add only entries of this filter code from `when` on.
  void select(unsigned code, Picoseconds when);
  /// @return the pulses of the clock edges before `when` that no earlier call returned.
  [[nodiscard]] std::uint64_t settle(Picoseconds when);

  /// Entries of the selected code now.
  [[nodiscard]] std::uint64_t occupancy() const noexcept { return entries_[code_]; }
  /// What the accumulator holds up to the last call, for tests.
  [[nodiscard]] std::uint64_t accumulator() const noexcept { return sum_ & ((std::uint64_t{1} << width_) - 1); }

 private:
  void pass_time(Picoseconds when);

  const ClockDomain* clock_;
  unsigned width_;
  unsigned code_ = 0;
  std::array<std::uint64_t, 16> entries_{};  // by filter code
  std::uint64_t edges_ = 0;                  // clock edges that are in the sum
  std::uint64_t sum_ = 0;                    // the accumulator, and above it pulses not returned yet
};

}  // namespace pmufab::cmn
