// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/dwc/wire/link.h"
#include "testbench/fabrics/dwc/judge/dwc_judge_spec.h"
#include "testbench/fabrics/dwc/judge/dwc_meaning.h"
#include "testbench/fabrics/dwc/judge/dwc_wires.h"
#include "testbench/judge/events/event_truth.h"
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

/// What an event of a DesignWare root port must count. Its marks are numbers of checkpoints.
///
/// The PMU has no switch of its own: each event counts from the write that switches on its counter to the last reading
/// in the call that stops it.
class DwcTruth final : public EventTruth {
 public:
  /// @param wires  outlives the truth
  /// @param width  bits of its counter
  DwcTruth(DwcMeaning meaning, const DwcWires& wires, unsigned width)
      : meaning_(std::move(meaning)), wires_(wires), width_(width) {}

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] bool is_timed() const noexcept { return meaning_.is_timed; }
  [[nodiscard]] Mark mark(Picoseconds when) override { return keep(when, wires_.progress(meaning_, when)); }
  void forget(const Mark& mark) override { checkpoints_.erase(mark.position); }
  void settle(const Span& span) override;
  [[nodiscard]] std::uint64_t count(const Span& span) const override;
  [[nodiscard]] std::uint64_t happened(const Span& span) const override;
  [[nodiscard]] std::optional<LossCause> cause_of_difference(std::span<const Span> spans, std::uint64_t counted,
                                                             std::uint64_t reported) const override;
  [[nodiscard]] std::optional<Mark> own_begin(Picoseconds begin) override;
  [[nodiscard]] Mark own_end(Picoseconds begin, Picoseconds end) override;
  void describe(std::span<const Span> spans, EventResult& result) const override;
  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override;

 private:
  struct Checkpoint {
    DwcProgress progress;
    bool has_gate = false;  // its counter's switch was seen
  };
  [[nodiscard]] Mark keep(Picoseconds when, const DwcProgress& progress);
  /// @return what drivers drop between reading and clearing, in all spans.
  [[nodiscard]] std::uint64_t dropped(std::span<const Span> spans) const;

  DwcMeaning meaning_;
  const DwcWires& wires_;
  unsigned width_;
  bool has_gate_ = false;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Checkpoint> checkpoints_;
  // Of settled spans.
  std::uint64_t settled_count_ = 0;
  std::uint64_t settled_dropped_ = 0;
};

}  // namespace pmufab::scoreboard
