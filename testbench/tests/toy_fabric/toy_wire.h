// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/clock/clock_domain.h"

namespace pmufab::toy {

/// Where the PMU is. Known to hardware, driver and judge, as from a manual.
inline constexpr std::uint64_t kBase = 0x5000'0000;

/// The wire that the scoreboard listens to.
class PacketObserver {
 public:
  virtual ~PacketObserver() = default;
  virtual void on_packet(Picoseconds when) = 0;
};

}  // namespace pmufab::toy
