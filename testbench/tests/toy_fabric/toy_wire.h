// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/clock/clock_domain.h"

namespace pmufab::toy {

/// The place of the PMU. Hardware, driver and judge know it, as from a manual.
inline constexpr std::uint64_t kBase = 0x5000'0000;

/// The wire that the scoreboard listens to.
class PacketObserver {
 public:
  virtual ~PacketObserver() = default;
  virtual void on_packet(Picoseconds when) = 0;
};

}  // namespace pmufab::toy
