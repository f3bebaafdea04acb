// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/pmu/alarm.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab {

/// The arithmetic of a cycle counter of 1 to 64 bits. Value and time of overflow are computed from a clock; nothing is
/// stepped.
///
/// Windows are half open: running from `on` to `off` counts the rising edges in [on, off), so the value at an instant
/// does not include an edge of that instant. A wrap can be seen one picosecond after its edge.
class CycleCount {
 public:
  /// @throws std::invalid_argument if the width is not 1 ... 64
  CycleCount(const ClockDomain& clock, unsigned width);

  /// Count another clock from now on. Only while stopped.
  void use(const ClockDomain& clock) noexcept { clock_ = &clock; }
  void start(Picoseconds when);
  void stop(Picoseconds when);
  [[nodiscard]] bool is_running() const noexcept { return running_; }
  [[nodiscard]] std::uint64_t value(Picoseconds when) const noexcept;
  void set_value(std::uint64_t value, Picoseconds when) noexcept;
  /// Count `cycles` more at once, as if they had passed. Does nothing while stopped.
  /// @return true if the value wrapped
  bool pass(std::uint64_t cycles, Picoseconds when) noexcept;
  [[nodiscard]] std::uint64_t maximum() const noexcept { return maximum_; }
  [[nodiscard]] const ClockDomain& clock() const noexcept { return *clock_; }

  /// @return the first instant after `when` at which the value has wrapped once more, if it keeps running; kNever if it
  ///         is stopped or simulated time ends before that.
  [[nodiscard]] Picoseconds next_overflow(Picoseconds when) const noexcept;

 private:
  const ClockDomain* clock_;
  std::uint64_t maximum_;
  std::uint64_t value_ = 0;  // at edge_ while running; constant while stopped
  std::uint64_t edge_ = 0;   // edges before the last start or write
  bool running_ = false;
};

}  // namespace pmufab
