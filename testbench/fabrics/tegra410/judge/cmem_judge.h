// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "testbench/fabrics/tegra410/judge/request_timeline.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/judge/exact_clock.h"
#include "testbench/judge/pmu_judge.h"

namespace pmufab::scoreboard {

/// Judges the CMEM latency PMU of one socket, which runs while CTRL is 1 and CG_CTRL enables the clock.
class CmemPmuJudge final : public PmuJudge {
 public:
  /// @param timeline     of the reads, a lane for each memory controller; must outlive the judge
  /// @param controllers  per instance
  CmemPmuJudge(const CmemPmuSpec& spec, RequestTimeline& timeline, std::size_t controllers, const ExactClock& clock);

  bool see_write(const MmioBus::BusAccess& access) override;
  [[nodiscard]] bool written_on() const override;
  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override;
  [[nodiscard]] Publication publication() const override;
  /// Cycles, or reads at a memory controller (unit: by instance, then by controller): for rd_req reads that take no time, for
  /// rd_cum_outs reads that are outstanding at one clock edge.
  [[nodiscard]] Injection injection(const EventTerms& terms, unsigned unit) override;
  /// Each kind of event has a counter that any number of events may read.
  [[nodiscard]] std::optional<std::string> room_for(const EventTruth& refused,
                                                    const std::vector<const EventTruth*>& active) const override;
  [[nodiscard]] unsigned units(const EventTerms& terms) const override;

 private:
  std::uint64_t control_;  // the broadcast window
  std::uint64_t control_value_ = 0;
  std::uint64_t clock_gate_value_ = 0;
  RequestTimeline& timeline_;
  std::size_t controllers_;
  ExactClock clock_;
};

}  // namespace pmufab::scoreboard
