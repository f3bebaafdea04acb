#pragma once

#include <cstdint>
#include <memory>

#include "testbench/scoreboard/exact_clock.h"
#include "testbench/scoreboard/pmu_judge.h"
#include "testbench/scoreboard/reference_ucf.h"
#include "testbench/scoreboard/tegra410_judge_spec.h"

namespace pmufab::scoreboard {

/// Judges the PMU of one UCF: an Arm CoreSight PMU that runs while PMCR.E is set.
class UcfPmuJudge final : public PmuJudge {
 public:
  /// Both must outlive the judge.
  UcfPmuJudge(const UcfPmuSpec& spec, const ReferenceUcf& reference, const ExactClock& clock);

  bool see_write(const MmioBus::BusAccess& access) override;
  [[nodiscard]] bool written_on() const override;
  [[nodiscard]] bool is_counter_read(const MmioBus::BusAccess& access) const override;
  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override;

 private:
  unsigned socket_;
  std::uint64_t control_;   // page 0
  std::uint64_t counters_;  // the page the counters are in
  std::uint64_t control_value_ = 0;
  const ReferenceUcf& reference_;
  const ExactClock& clock_;
};

}  // namespace pmufab::scoreboard
