// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "testbench/fabrics/tegra410/judge/reference_ucf.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/judge/coresight/coresight_pmu_judge.h"
#include "testbench/judge/exact_clock.h"

namespace pmufab::scoreboard {

/// Judges the PMU of one UCF.
class UcfPmuJudge final : public CoreSightPmuJudge {
 public:
  /// @param reference  must outlive the judge
  UcfPmuJudge(const CoreSightPmuSpec& spec, ReferenceUcf& reference, const ExactClock& clock);

  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override;
  [[nodiscard]] Publication publication() const override;
  /// Cycles, or an event of requests from one source to one destination.
  [[nodiscard]] Injection injection(const EventTerms& terms, unsigned unit) override;

 private:
  unsigned socket_;
  bool has_cycle_counter_;
  ReferenceUcf& reference_;
  ExactClock clock_;
};

}  // namespace pmufab::scoreboard
