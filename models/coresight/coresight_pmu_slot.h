// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/coresight/coresight_pmu.h"

namespace pmufab::coresight {

/// One physical counter. `place` says which member holds its value.
struct CoreSightPmu::Slot {
  enum class Place : std::uint8_t { events, cycles, occupancy };

  Slot(CoreSightPmu& owner, unsigned number, unsigned width, const ClockDomain& clock)
      : pmu(owner), index(number), events(width), cycles(clock, width), occupancy(width) {
    events.on_overflow(&CoreSightPmu::counter_wrapped, this);
    occupancy.on_overflow_nearer(&CoreSightPmu::overflow_nearer, this);
  }

  /// @return true if time alone can make it overflow.
  [[nodiscard]] bool is_timed() const noexcept { return place != Place::events; }
  [[nodiscard]] std::uint64_t value(Picoseconds when) const {
    switch (place) {
      case Place::cycles:
        return cycles.value(when);
      case Place::occupancy:
        return occupancy.value(when);
      case Place::events:
        break;
    }
    return events.value(when);
  }
  void set_value(std::uint64_t value, Picoseconds when) {
    switch (place) {
      case Place::cycles:
        cycles.set_value(value, when);
        break;
      case Place::occupancy:
        occupancy.set_value(value, when);
        break;
      case Place::events:
        events.set_value(value, when);
        break;
    }
  }
  /// Move the value to another place. Only while stopped.
  void move(Place to, Picoseconds when) {
    if (place == to) return;
    const std::uint64_t kept = value(when);
    place = to;
    set_value(kept, when);
  }
  /// @return the first instant after `when` at which time has made it overflow; kNever if there is none.
  [[nodiscard]] Picoseconds next_overflow(Picoseconds when) {
    return place == Place::occupancy ? occupancy.next_overflow(when) : cycles.next_overflow(when);
  }

  CoreSightPmu& pmu;
  unsigned index;
  Counter events;
  CycleCount cycles;
  OccupancyCount occupancy;
  Place place = Place::events;
  bool running = false;
  bool resolved = false;  // `input` matches the present program
  CounterInput input;
  Picoseconds overflow_time = kNever;  // next overflow by time; kNever if the status is set already
};

}  // namespace pmufab::coresight
