// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cxl/cpmu/cpmu_registers.h"
#include "models/cxl/cpmu/event_group.h"
#include "models/pmu/alarm.h"
#include "models/pmu/clock_condition.h"
#include "models/pmu/counter.h"
#include "models/pmu/cycle_count.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cxl {

/// One counter unit of a CPMU (CXL 3.1, 8.2.7.2): maps a program to what is counted, and holds the value.
///
/// Clock ticks and thresholds over them are computed. Events of probes are added as they are published, through a
/// ClockCondition where the program has a threshold or edge. A stopped unit watches nothing.
class CounterUnit {
 public:
  /// The owner of the unit.
  class Owner {
   public:
    /// The unit passed its maximum at `when`. Called while a probe publishes, or from settle().
    virtual void overflowed(CounterUnit& unit, Picoseconds when) = 0;
    /// An event at `when` may have brought the next overflow forward: call predict().
    virtual void approached(CounterUnit& unit, Picoseconds when) = 0;

   protected:
    Owner() = default;
    ~Owner() = default;
    Owner(const Owner&) = default;
    Owner& operator=(const Owner&) = default;
  };

  /// The program of a counter, apart from the group.
  struct Program {
    std::uint32_t events = 0;  ///< events of the group; those it does not have count nothing
    ClockCondition::Settings condition;
    std::uint32_t hdm_filter = 0xffff'ffff;
    std::uint32_t ddr_filter = 0xffff'ffff;
  };

  /// @param clock  the CPMU's; it and `owner` must outlive the unit
  /// @param width  1 ... 64 bits
  CounterUnit(Owner& owner, unsigned index, const ClockDomain& clock, unsigned width);
  CounterUnit& operator=(CounterUnit&&) = delete;

  [[nodiscard]] unsigned index() const noexcept { return index_; }

  /// Count nothing, or events of `group`. Only while stopped.
  void select_nothing(Picoseconds when);
  void select(const EventGroup& group, const Program& program, Picoseconds when);

  void start(Picoseconds when);
  void stop(Picoseconds when);
  /// Hold the value from `when` on, which may lie ahead. Call stop() when that time has come.
  void freeze_at(Picoseconds when);
  [[nodiscard]] bool is_running() const noexcept { return running_; }
  /// @return true if it counts events of a group that is timed.
  [[nodiscard]] bool is_timed() const noexcept { return timed_; }

  [[nodiscard]] std::uint64_t value(Picoseconds when) const {
    return clocked_ ? cycles_.value(when) : events_.value(when);
  }
  void set_value(std::uint64_t value, Picoseconds when);

  /// Count `ticks` clock ticks at once, if the unit counts ticks and runs. Settle it before, and predict() after.
  void pass_ticks(std::uint64_t ticks, Picoseconds when) {
    if (clocked_ && cycles_.pass(ticks, when)) owner_.overflowed(*this, when);
  }

  /// Compute the time at which the clock overflows the unit if no event comes. If not `wanted`, forget it.
  void predict(bool wanted, Picoseconds when);
  /// @return that time; kNever if there is none. Events may delay it.
  [[nodiscard]] Picoseconds overflow_time() const noexcept { return overflow_time_; }
  /// Count the clocks before `when`, and report the overflow predicted up to then.
  void settle(Picoseconds when);

 private:
  void set_clocked(bool clocked, Picoseconds when);
  void select_clock(const ClockCondition::Settings& settings, Picoseconds when);

  Owner& owner_;
  unsigned index_;
  Counter events_;
  ClockCondition condition_;
  CycleCount cycles_;
  bool clocked_ = false;  // cycles_ holds the value
  bool running_ = false;
  bool timed_ = false;
  Picoseconds overflow_time_ = kNever;
};

}  // namespace pmufab::cxl
