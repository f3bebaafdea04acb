#pragma once

#include "models/coresight/coresight_pmu.h"

namespace pmufab::coresight {

/// One physical counter. Its value lives in `cycles` while it counts a clock, in `events` otherwise.
struct CoreSightPmu::Slot {
  Slot(CoreSightPmu& owner, unsigned number, unsigned width, const ClockDomain& clock)
      : pmu(owner), index(number), events(width), cycles(clock, width) {
    events.on_overflow(&CoreSightPmu::counter_wrapped, this);
  }

  [[nodiscard]] std::uint64_t value(Picoseconds when) const {
    return clocked ? cycles.value(when) : events.value(when);
  }
  void set_value(std::uint64_t value, Picoseconds when) {
    if (clocked) {
      cycles.set_value(value, when);
    } else {
      events.set_value(value, when);
    }
  }
  /// While stopped: let the value live in `cycles` (true) or `events`.
  void set_clocked(bool by_clock, Picoseconds when) {
    if (clocked == by_clock) return;
    const std::uint64_t kept = value(when);
    clocked = by_clock;
    set_value(kept, when);
  }

  CoreSightPmu& pmu;
  unsigned index;
  Counter events;
  CycleCount cycles;
  bool clocked = false;
  bool running = false;
  bool resolved = false;  // `input` is what the program means
  CounterInput input;
  Picoseconds overflow_time = kNever;  // when a clock will overflow it, unless its status is set already
};

}  // namespace pmufab::coresight
