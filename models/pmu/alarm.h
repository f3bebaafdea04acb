// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>

#include <systemc>

#include "tlm/clock/clock_domain.h"

namespace pmufab {

/// The instant after the end of simulated time: "never".
inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

/// Calls a function at one instant: a timer with at most one pending SystemC notification.
///
/// May be constructed before or during simulation. Must live until the simulation ends.
class Alarm {
 public:
  explicit Alarm(std::function<void()> ring);
  ~Alarm();
  Alarm& operator=(Alarm&&) = delete;

  /// Ring at `when` instead of at the time set before. A time in the past means now; kNever cancels.
  void set(Picoseconds when);
  void cancel();
  /// @return the time set, kNever if none.
  [[nodiscard]] Picoseconds time() const noexcept { return time_; }

 private:
  void fire();

  std::function<void()> ring_;
  Picoseconds time_ = kNever;
  sc_core::sc_event event_;
};

}  // namespace pmufab
