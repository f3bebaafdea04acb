// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "models/dwc/wire/link.h"
#include "testbench/fabrics/dwc/judge/dwc_judge_spec.h"
#include "testbench/fabrics/dwc/judge/dwc_wires.h"
#include "testbench/judge/pmu_judge.h"

namespace pmufab::scoreboard {

/// Judges the PMU of one DesignWare root port, by what happens on its link and by the writes that switch its counters.
class DwcPmuJudge final : public PmuJudge {
 public:
  explicit DwcPmuJudge(DwcPortSpec spec);

  /// No register switches the PMU as a whole: events have gates of their own.
  bool see_write(const MmioBus::BusAccess& access) override;
  void see_read(const MmioBus::BusAccess& access) override;
  [[nodiscard]] bool written_on() const override { return wanted; }
  [[nodiscard]] bool lets_count() const override { return wires_.is_any_on(); }
  [[nodiscard]] bool is_counter_read(const MmioBus::BusAccess& access) const override;
  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override;
  [[nodiscard]] Publication publication() const override;
  /// One counter measures times. Of lanes, only the first event certainly has one: they share a register that selects.
  [[nodiscard]] std::optional<std::string> room_for(const EventTruth& refused,
                                                    const std::vector<const EventTruth*>& active) const override;
  /// Cycles, units of 16 bytes, or events of a lane. The judge hears these on the wire.
  [[nodiscard]] Injection injection(const EventTerms& terms, unsigned unit) override;

  [[nodiscard]] DwcWires& wires() noexcept { return wires_; }

 private:
  DwcPortSpec spec_;
  DwcWires wires_;
};

/// Hears the links of DesignWare root ports.
class DwcJudge final : public FabricJudge, public dwc::LinkObserver {
 public:
  DwcJudge(const DwcJudgeSpec& spec, Chronicle& chronicle);

  [[nodiscard]] std::vector<PmuJudge*> pmus() override;
  void on_event(unsigned port, const dwc::LinkEvent& event, Picoseconds when) override;
  void on_state(unsigned port, dwc::LinkState state, Picoseconds when) override;

 private:
  struct SeenEvent {
    Picoseconds when;
    dwc::LinkEvent event;
    unsigned port;
  };
  struct SeenState {
    Picoseconds when;
    unsigned port;
    dwc::LinkState state;
  };

  void note(Picoseconds when);
  void see_event(const SeenEvent& seen);
  void see_state(const SeenState& seen);

  Chronicle& chronicle_;
  std::vector<std::unique_ptr<DwcPmuJudge>> ports_;
};

}  // namespace pmufab::scoreboard
