// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/soc/wire/occurrence.h"
#include "testbench/scoreboard/core/coresight_pmu_judge.h"
#include "testbench/scoreboard/core/exact_clock.h"
#include "testbench/scoreboard/core/pmu_judge.h"
#include "testbench/scoreboard/soc/soc_judge_spec.h"

namespace pmufab::scoreboard {

class SocWires;
class Tegra410Judge;

/// Judges one described PMU, by its description and by what happens at its socket's sources.
class SocPmuJudge final : public CoreSightPmuJudge {
 public:
  /// @param sources  of the description; it and `wires` must outlive the judge
  SocPmuJudge(const SocPmuSpec& spec, const std::vector<soc::SourceDescription>& sources, unsigned sockets,
              std::shared_ptr<SocWires> wires, const Tegra410Judge* ucfs);

  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override;
  [[nodiscard]] Publication publication() const override;
  /// Cycles, or an occurrence that the event counts as one. The judge hears occurrences on the wire.
  [[nodiscard]] Injection injection(const EventTerms& terms, unsigned unit) override;

 private:
  SocPmuSpec spec_;
  const std::vector<soc::SourceDescription>& sources_;
  unsigned sockets_;
  std::shared_ptr<SocWires> wires_;
  const Tegra410Judge* ucfs_;
  ExactClock clock_;
  ExactClock edges_;  // without the cycles that were injected, at which nothing is outstanding
};

/// Hears what happens at the sources of described PMUs.
class SocJudge final : public FabricJudge, public soc::OccurrenceObserver {
 public:
  /// @param ucfs  judges the platform's Tegra410 sockets and outlives this one; null: there are none
  SocJudge(SocJudgeSpec spec, Chronicle& chronicle, const Tegra410Judge* ucfs);

  [[nodiscard]] std::vector<PmuJudge*> pmus() override;
  void on_occurrence(unsigned source, const soc::Occurrence& occurrence, Picoseconds when) override;

 private:
  SocJudgeSpec spec_;
  Chronicle& chronicle_;
  std::shared_ptr<SocWires> wires_;
  std::vector<std::unique_ptr<SocPmuJudge>> pmus_;
};

}  // namespace pmufab::scoreboard
