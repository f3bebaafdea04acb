// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/fabrics/soc/judge/soc_judge_spec.h"
#include "testbench/fabrics/tegra410/judge/pcie/root_complex_listener.h"
#include "testbench/judge/coresight/coresight_pmu_judge.h"
#include "testbench/judge/exact_clock.h"
#include "testbench/judge/pmu_judge.h"
#include "tlm/transaction/occurrence.h"

namespace pmufab::scoreboard {

class CmnJudge;
class CxlJudge;
class SocWires;
class Tegra410Judge;

/// Judges of the platform's fabrics, which see what happens at sources that are fabrics. They outlive the judge of described
/// PMUs. Null: the platform has no such fabric.
struct SocFabricJudges {
  Tegra410Judge* sockets = nullptr;
  CxlJudge* cxl = nullptr;
  std::vector<CmnJudge*> meshes{};
};

/// What the events of one described PMU count, by its description and by what happens at its socket's sources.
class SocEvents {
 public:
  /// @param sources  of the description; it and `wires` must outlive this
  SocEvents(SocPmuSpec spec, const std::vector<soc::SourceDescription>& sources, unsigned sockets,
            std::shared_ptr<SocWires> wires, const SocFabricJudges& fabrics);

  [[nodiscard]] const SocPmuSpec& spec() const noexcept { return spec_; }
  /// As PmuJudge has them. @{
  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms);
  [[nodiscard]] Injection injection(const EventTerms& terms);
  /// @}

 private:
  SocPmuSpec spec_;
  const std::vector<soc::SourceDescription>& sources_;
  unsigned sockets_;
  std::shared_ptr<SocWires> wires_;
  SocFabricJudges fabrics_;
  ExactClock clock_;
  std::map<std::uint64_t, ExactClock> others_;  // other clocks than the PMU's, by frequency
  ExactClock edges_;  // without the cycles that were injected, at which nothing is outstanding
};

/// Judges one described CoreSight PMU.
class SocPmuJudge final : public CoreSightPmuJudge {
 public:
  explicit SocPmuJudge(std::unique_ptr<SocEvents> events);

  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override { return events_->truth(terms); }
  [[nodiscard]] Publication publication() const override;
  /// Where all counters share filters, nothing is said if another event has a counter.
  [[nodiscard]] std::optional<std::string> room_for(const EventTruth& refused,
                                                    const std::vector<const EventTruth*>& active) const override;
  /// Cycles, or an occurrence that the event counts as one. The judge hears those of streams and plug-ins on the wire.
  [[nodiscard]] Injection injection(const EventTerms& terms, unsigned /*unit*/) override {
    return events_->injection(terms);
  }

 private:
  std::unique_ptr<SocEvents> events_;
};

/// Hears what happens at the sources of described PMUs.
class SocJudge final : public FabricJudge, public OccurrenceObserver, private RootComplexListener {
 public:
  SocJudge(SocJudgeSpec spec, Chronicle& chronicle, const SocFabricJudges& fabrics);
  ~SocJudge() override;

  [[nodiscard]] std::vector<PmuJudge*> pmus() override;
  void on_occurrence(unsigned source, const Occurrence& occurrence, Picoseconds when) override;

 private:
  class MeshEar;
  struct SeenOccurrence {
    Picoseconds when;
    Occurrence occurrence;
    unsigned source;
  };

  void see_occurrence(const SeenOccurrence& seen);
  void on_device_request(const DeviceRequest& request) override;
  void on_target_request(Picoseconds when, unsigned socket, unsigned root_complex,
                         const PcieTgtRequest& request) override;
  /// Something happens at the sources of a socket that have this cause.
  void tell(soc::Cause cause, unsigned socket, const Occurrence& occurrence, Picoseconds when);

  SocJudgeSpec spec_;
  Chronicle& chronicle_;
  SocFabricJudges fabrics_;
  std::shared_ptr<SocWires> wires_;
  std::vector<std::unique_ptr<PmuJudge>> pmus_;
  std::vector<std::unique_ptr<MeshEar>> mesh_ears_;
};

}  // namespace pmufab::scoreboard
