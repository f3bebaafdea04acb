// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "testbench/scoreboard/core/coresight_pmu_judge.h"
#include "testbench/scoreboard/core/exact_clock.h"
#include "testbench/scoreboard/tegra410/pcie/pcie_requests.h"
#include "testbench/scoreboard/tegra410/tegra410_judge_spec.h"

namespace pmufab::scoreboard {

/// Judges the PCIE PMU of one root complex.
class PciePmuJudge final : public CoreSightPmuJudge {
 public:
  /// @param requests  of the root complex; it and `clock`, that of the SOC fabric, must outlive the judge
  PciePmuJudge(const CoreSightPmuSpec& spec, PcieRequests& requests, const ExactClock& clock);

  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override;
  [[nodiscard]] std::unique_ptr<EventTruth> truth_of_member(const EventTerms& terms, const EventTerms& leader) override;

 private:
  PcieRequests& requests_;
  const ExactClock& clock_;
};

}  // namespace pmufab::scoreboard
