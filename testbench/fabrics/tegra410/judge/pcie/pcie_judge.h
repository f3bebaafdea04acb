// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "testbench/fabrics/tegra410/judge/pcie/pcie_requests.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/judge/coresight/coresight_pmu_judge.h"
#include "testbench/judge/exact_clock.h"

namespace pmufab::scoreboard {

/// Judges the PCIE PMU of one root complex.
class PciePmuJudge final : public CoreSightPmuJudge {
 public:
  /// @param requests  of the root complex; must outlive the judge
  /// @param clock     of the SOC fabric
  PciePmuJudge(const CoreSightPmuSpec& spec, PcieRequests& requests, const ExactClock& clock);

  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override;
  [[nodiscard]] Publication publication() const override;
  /// All counters have one requester id: where events name different ones, or some none, there is no room.
  [[nodiscard]] std::optional<std::string> room_for(const EventTruth& refused,
                                                    const std::vector<const EventTruth*>& active) const override;
  [[nodiscard]] std::unique_ptr<EventTruth> truth_of_member(const EventTerms& terms, const EventTerms& leader) override;
  /// Cycles, or an event of requests of devices below one root port to one destination. They have no requester id that
  /// a filter could name, so only root ports select them.
  [[nodiscard]] Injection injection(const EventTerms& terms, unsigned unit) override;

 private:
  bool has_cycle_counter_;
  PcieRequests& requests_;
  ExactClock clock_;
};

/// @return which other count the driver's value of a PCIE event equals, in words: other root ports, another device,
///         other destinations, another event, ...
/// @param counted  the root complex's requests within the event's windows, with `outstanding` filled in
/// @param edges    of the PMU's clock within them
[[nodiscard]] std::string explain_pcie(const PcieMeaning& meaning, const std::vector<PcieLane>& counted,
                                       std::uint64_t edges, std::uint64_t driver);

}  // namespace pmufab::scoreboard
