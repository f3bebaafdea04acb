// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/pmu/alarm.h"
#include "models/pmu/cycle_count.h"

namespace pmufab {

/// A CycleCount with a sticky overflow status. Its next overflow is one scheduled SystemC event.
///
/// While the status is set no event is pending, because further overflows change nothing. Idle time costs nothing.
class CycleCounter {
 public:
  /// Called once per rise of the overflow status with the instant of the overflow. That instant may lie ahead of
  /// simulated time if an access ran ahead.
  using OnOverflow = void (*)(void* context, Picoseconds when);

  /// @throws std::invalid_argument if the width is not 1 ... 64
  CycleCounter(const ClockDomain& clock, unsigned width);

  void start(Picoseconds when);
  void stop(Picoseconds when);
  [[nodiscard]] bool is_running() const noexcept { return count_.is_running(); }
  [[nodiscard]] std::uint64_t value(Picoseconds when) const noexcept { return count_.value(when); }
  void set_value(std::uint64_t value, Picoseconds when);
  [[nodiscard]] std::uint64_t maximum() const noexcept { return count_.maximum(); }

  /// Count `cycles` more at once, as if they had passed. A wrap sets the status at `when`. Does nothing while stopped.
  void pass(std::uint64_t cycles, Picoseconds when);

  [[nodiscard]] bool overflowed(Picoseconds when) const noexcept { return overflowed_ || when >= overflow_time_; }
  void clear_overflow(Picoseconds when);
  /// @return the instant at which the status will rise; kNever if it is set already or no overflow is in sight.
  [[nodiscard]] Picoseconds overflow_time() const noexcept { return overflow_time_; }
  void on_overflow(OnOverflow function, void* context) noexcept {
    on_overflow_ = function;
    context_ = context;
  }
  /// Set the value to 0, stop, and clear the status.
  void reset();

 private:
  void settle(Picoseconds when);
  void arm(Picoseconds when);

  CycleCount count_;
  bool overflowed_ = false;
  Picoseconds overflow_time_ = kNever;
  OnOverflow on_overflow_ = nullptr;
  void* context_ = nullptr;
  Alarm alarm_;
};

}  // namespace pmufab
