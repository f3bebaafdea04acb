// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/judge/pmu_judge.h"

namespace pmufab::scoreboard {

/// The counters of a CoreSight PMU.
struct CoreSightCounters {
  unsigned all = 8;  ///< the cycle counter included
  bool has_cycles = true;
};

/// Observes the bus accesses of an Arm CoreSight PMU, which runs while PMCR.E is set.
class CoreSightPmuJudge : public PmuJudge {
 public:
  /// Which of the architecture's two maps of registers a PMU has.
  enum class Layout : std::uint8_t {
    ext32,  ///< FEAT_CSPMU_EXT32: all but wide counters are 32 bits
    ext64,  ///< FEAT_CSPMU_EXT64: programs, masks and PMCR are 64 bits
  };

  /// @param page0  physical address of the control registers
  /// @param page1  of the counters, if they have a separate page
  /// @param counter_width  bits of a counter
  /// @param count  how many
  CoreSightPmuJudge(std::string name, std::uint64_t page0, std::optional<std::uint64_t> page1,
                    unsigned counter_width = 64, Layout layout = Layout::ext32, CoreSightCounters count = {})
      : PmuJudge(std::move(name), counter_width),
        layout_(layout),
        control_(page0),
        counters_(page1.value_or(page0)),
        count_(count) {}

  bool see_write(const MmioBus::BusAccess& access) final;
  [[nodiscard]] bool written_on() const final;
  /// If an overflow handler runs after its counter was released, it leaves PMCR.E set with no counter enabled.
  [[nodiscard]] bool lets_count() const final;
  [[nodiscard]] bool is_counter_read(const MmioBus::BusAccess& access) const final;
  /// Cycles have a counter of their own; each other event takes one of the rest.
  [[nodiscard]] std::optional<std::string> room_for(const EventTruth& refused,
                                                    const std::vector<const EventTruth*>& active) const override;

 private:
  Layout layout_;
  std::uint64_t control_;   // page 0
  std::uint64_t counters_;  // page of the counters
  CoreSightCounters count_;
  std::uint64_t control_value_ = 0;
  std::array<std::uint32_t, 4> enables_{};  // PMCNTEN
};

}  // namespace pmufab::scoreboard
