// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tlm/clock/clock_domain.h"

namespace pmufab::driver_host {

/// Handlers that left the CPU hardly any time for anything else. They took 90 % of the time of a hundred calls in a
/// row, and of each ten calls that follow.
struct InterruptStorm {
  Picoseconds begin = 0;
  Picoseconds end = 0;
  Picoseconds busy = 0;  ///< of that time, in handlers
  std::uint64_t calls = 0;
  std::uint32_t number = 0;  ///< the interrupt that took most of it at the beginning
  std::string pmu;           ///< whose it is; empty: not known

  [[nodiscard]] double share() const noexcept { return static_cast<double>(busy) / static_cast<double>(end - begin); }
};

}  // namespace pmufab::driver_host
