// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/tegra410/parameters.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::tegra410 {

/// Bytes of one request of the CMEM latency PMU, and of one part of a read.
inline constexpr unsigned kCmemPartBytes = 32;

/// Computes when the 14 x 3 controllers of local CMEM answer reads. Each controller answers in order.
class CmemControllers {
 public:
  /// The controller of a line.
  struct Place {
    unsigned instance;
    unsigned controller;  ///< number within the instance
  };

  CmemControllers(Picoseconds latency, Picoseconds service) noexcept : latency_(latency), service_(service) {}

  [[nodiscard]] static constexpr Place place(std::uint64_t line) noexcept {
    return {static_cast<unsigned>(line % kCmemInstances),
            static_cast<unsigned>(line / kCmemInstances % kCmemControllersPerInstance)};
  }

  /// A read of `parts` parts leaves the fabric at `start`. Starts at one controller never run backwards.
  /// @return the time at which its answer is back
  Picoseconds read(Place place, unsigned parts, Picoseconds start) noexcept {
    Picoseconds& last = last_end_[place.instance * kCmemControllersPerInstance + place.controller];
    last = std::max(start + latency_, last + service_ * parts);
    return last;
  }

 private:
  Picoseconds latency_;
  Picoseconds service_;
  std::array<Picoseconds, kCmemInstances * kCmemControllersPerInstance> last_end_{};
};

}  // namespace pmufab::tegra410
