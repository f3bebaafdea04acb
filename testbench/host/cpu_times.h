// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tlm/clock/clock_domain.h"

namespace pmufab::driver_host {

/// Times of a CPU complex that differ from one occasion to the next. Asked in the order in which things happen.
class CpuTimes {
 public:
  virtual ~CpuTimes() = default;
  /// An interrupt leaves its device. @return how long it takes to the CPU; nothing: it never arrives
  [[nodiscard]] virtual std::optional<Picoseconds> interrupt_delay() = 0;
  /// A handler begins. @return how long it takes besides its register accesses
  [[nodiscard]] virtual Picoseconds handler_time() = 0;
  /// @return when the CPU goes on, if it does nothing at present; otherwise `now`
  [[nodiscard]] virtual Picoseconds goes_on_at(Picoseconds now) = 0;
};

}  // namespace pmufab::driver_host
