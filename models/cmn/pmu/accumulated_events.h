// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/cmn/description/event_select.h"
#include "models/cmn/pmu/cycle_condition.h"
#include "models/cmn/pmu/occupancy.h"
#include "models/cmn/wire/types.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cmn {

class Pmu;

/// Events of nodes that are computed, not reported: those that fire each time the accumulator of an occupancy wraps, and
/// those that fire in each cycle in which a condition holds.
class AccumulatedEvents {
 public:
  /// @param pmu    counts the events; it and the clock outlive this object
  /// @param width  bits of an accumulator
  AccumulatedEvents(Pmu& pmu, const ClockDomain& clock, unsigned width) noexcept
      : pmu_(pmu), clock_(clock), width_(width) {}

  /// @param source     index in Layout::sources()
  /// @param occupancy  not owned
  /// @param filter     whose field selects the code that is counted
  void add(unsigned source, unsigned id, const Occupancy& occupancy, FilterKind filter) {
    events_.push_back({&occupancy, nullptr, source, id, filter, 0});
  }
  /// @param source     index in Layout::sources()
  /// @param condition  not owned
  void add(unsigned source, unsigned id, const CycleCondition& condition) {
    events_.push_back({nullptr, &condition, source, id, FilterKind::none, 0});
  }

  /// @return true if a counter counts one of them.
  [[nodiscard]] bool are_counted() const noexcept { return !counted_.empty(); }
  /// Find out which of them counters count now. What happened before `when` is not theirs.
  void choose(Picoseconds when);
  /// Count what happened from the last time until `when`.
  void count(Picoseconds when);
  /// How fast the counted ones fire if nothing changes, in parts of one event: `whole` parts are one.
  struct Pace {
    std::uint64_t whole;
    std::uint64_t rate;   ///< parts in a cycle, at most
    std::uint64_t begun;  ///< parts of events that have not fired yet
  };
  [[nodiscard]] Pace pace(Cycle now) const;

 private:
  struct Event {
    const Occupancy* occupancy;  // nullptr: a condition's cycles count instead
    const CycleCondition* condition;
    unsigned source;
    unsigned id;
    FilterKind filter;
    std::uint64_t fired;  // while it is counted: how often until the last count()
  };

  [[nodiscard]] std::uint64_t fired(const Event& event, Picoseconds when) const;

  Pmu& pmu_;
  const ClockDomain& clock_;
  unsigned width_;
  std::vector<Event> events_;
  std::vector<unsigned> counted_;  // indices
};

}  // namespace pmufab::cmn
