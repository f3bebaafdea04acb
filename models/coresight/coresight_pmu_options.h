// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tlm/clock/clock_domain.h"

namespace pmufab::coresight {

/// The choices that the Arm CoreSight PMU architecture (Arm IHI 0091) leaves to an implementer.
struct CoreSightPmuOptions {
  unsigned counters = 8;      ///< logical counters, the cycle counter included: PMCFGR.N + 1; see max_counters()
  unsigned width = 64;        ///< bits of every counter: PMCFGR.SIZE + 1; 8 ... 64
  bool cycle_counter = true;  ///< PMCFGR.CC: physical counter 31 counts the clock
  bool dual_page = false;     ///< counters and overflow status live on a second 4 KiB page (`page1`)
  bool atomic_64bit = true;   ///< counters wider than 32 bits take 8-byte accesses; else 4-byte ones only
  bool ext64 = false;         ///< 64-bit register layout (FEAT_CSPMU_EXT64); needs width > 32
  bool pmcnten = true;        ///< 64-bit layout only: PMCNTEN at 0xc10 is implemented
  unsigned implementation_defined = 0;   ///< number of 32-bit registers from 0xd80 on: 0 ... 32
  std::uint32_t pmiidr = 0;              ///< implementer and product; with 0, software reads `pmpidr` instead
  std::array<std::uint8_t, 5> pmpidr{};  ///< PMPIDR0 ... PMPIDR4
  std::uint32_t pmdevarch = 0;           ///< PMDEVARCH
  Picoseconds latency = 0;               ///< latency of one register access

  /// @return the largest `counters` that the register map holds: 256 with counters of up to 32 bits, 128 with wider
  ///         ones, 64 in the 64-bit layout.
  [[nodiscard]] unsigned max_counters() const noexcept { return ext64 ? 64 : width > 32 ? 128 : 256; }
  /// @return one more than the largest physical counter number.
  [[nodiscard]] unsigned counter_numbers() const noexcept { return cycle_counter && counters <= 31 ? 32 : counters; }
  /// @return true if physical counter `counter` exists. With a cycle counter and at most 31 counters in all, the
  ///         regular ones are 0 ... counters - 2 and the cycle counter is 31; otherwise they are 0 ... counters - 1.
  [[nodiscard]] bool has_counter(unsigned counter) const noexcept {
    if (cycle_counter && counters <= 31) return counter == 31 || counter + 1 < counters;
    return counter < counters;
  }
};

}  // namespace pmufab::coresight
