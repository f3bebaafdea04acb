// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "testbench/fabrics/cmn/judge/cmn_judge_spec.h"
#include "testbench/judge/events/event_truth.h"
#include "testbench/judge/exact_clock.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::scoreboard {

/// The cycle counters of a mesh's DTCs, as far as software's accesses tell when they must run.
///
/// A counter runs while dt_en and pmu_en of its own DTC are set. Clearing cg_disable after it was set stops the counter,
/// too. Software that never sets cg_disable wants its cycles all the same.
class ReferenceCycleCounters {
 public:
  /// @param spec  outlives this object
  explicit ReferenceCycleCounters(const CmnJudgeSpec& spec);

  void see(const MmioBus::BusAccess& access);

  /// @return the cycles DTC `dtc` has counted before `when`, which is not before the last access seen.
  [[nodiscard]] Mark mark(unsigned dtc, Picoseconds when) const;
  /// What software last set up since `begin`: a DTC, and how far its counter was.
  struct Start {
    unsigned dtc = 0;
    Mark mark;
  };
  [[nodiscard]] std::optional<Start> last_start(Picoseconds begin) const;
  /// @return how far the counter of a DTC was when software last read it; nothing if it did not since `begin`.
  [[nodiscard]] std::optional<Mark> last_read(unsigned dtc, Picoseconds begin) const;
  /// @return how often software has written the counter of a DTC before `when`, or until then. Of long ago the number
  ///         is that of the first of the last 256 writes.
  [[nodiscard]] std::uint64_t writes_before(unsigned dtc, Picoseconds when) const;
  [[nodiscard]] std::uint64_t writes_until(unsigned dtc, Picoseconds when) const {
    return writes_before(dtc, when + 1);
  }

  /// Let cycles of the mesh pass at once: every counter that runs counts them.
  void pass(std::uint64_t cycles, Picoseconds when) { clock_.pass(cycles, when); }
  [[nodiscard]] const ExactClock& clock() const { return clock_; }

 private:
  struct Counter {
    bool is_on = true;       // dt_en
    bool is_enabled = true;  // pmu_en
    bool was_ungated = false;
    bool is_gated = false;
    Picoseconds since = 0;  // while it runs
    std::uint64_t counted = 0;
    std::deque<Picoseconds> writes;  // the last ones
    std::uint64_t writes_before_them = 0;
    std::optional<Mark> read;
  };

  [[nodiscard]] static bool runs(const Counter& counter) {
    return counter.is_on && counter.is_enabled && !counter.is_gated;
  }
  void write_control(Counter& counter, std::uint64_t value);

  ExactClock clock_;
  const CmnJudgeSpec& spec_;
  std::vector<Counter> counters_;
  std::optional<Start> start_;
};

}  // namespace pmufab::scoreboard
