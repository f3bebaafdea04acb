// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "testbench/fabrics/cmn/judge/cmn_judge.h"
#include "testbench/fabrics/cxl/judge/cxl_judge.h"
#include "testbench/fabrics/cxl/judge/reference_ddr.h"
#include "testbench/fabrics/soc/judge/soc_meaning.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge.h"
#include "testbench/fabrics/tegra410/judge/ucf_events.h"
#include "testbench/judge/counts/late_count.h"
#include "testbench/judge/events/event_truth.h"

/// What events of described PMUs must count whose sources are fabrics. The fabrics' judges see them.
namespace pmufab::scoreboard {

/// @return what an event must count that the UCF of a Tegra410 socket causes
/// @param judge  of the sockets; must outlive the truth
[[nodiscard]] std::unique_ptr<EventTruth> ucf_truth(const SocMeaning& meaning, UcfEvent event, unsigned socket,
                                                    const Tegra410Judge& judge);

/// @return what an event must count of the messages that CXL components send and receive
/// @param judge  of the hierarchy; must outlive the truth. Null: nothing happens
[[nodiscard]] std::unique_ptr<EventTruth> message_truth(const SocMeaning& meaning, const CxlJudge* judge);

/// @return what an event must count of the events of homes
/// @param meshes  their judges, which must outlive the truth
[[nodiscard]] std::unique_ptr<EventTruth> home_truth(const SocMeaning& meaning, const std::vector<CmnJudge*>& meshes);

/// What an event must count of the commands of DDR memory. Commands are reported late, and in any order. Positions of marks
/// are numbers of the counts it keeps.
class SocCommandTruth final : public EventTruth {
 public:
  /// @param judge  of the hierarchy; must outlive the truth. Null: nothing happens
  SocCommandTruth(SocMeaning meaning, const CxlJudge* judge);
  ~SocCommandTruth() override;
  SocCommandTruth(const SocCommandTruth&) = delete;
  SocCommandTruth& operator=(const SocCommandTruth&) = delete;

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] Mark mark(Picoseconds when) override;
  void forget(const Mark& mark) override { commands_.forget(mark.position); }
  [[nodiscard]] std::uint64_t count(const Span& span) const override;
  [[nodiscard]] Picoseconds final_before() const override;
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

 private:
  /// Listens to the memory of one component.
  struct Ear final : ReferenceDdr::Listener {
    Ear(SocCommandTruth& its_truth, unsigned number, ReferenceDdr& its_memory)
        : truth(its_truth), component(number), memory(its_memory) {}
    void on_command(const DdrCommand& command) override { truth.hear(component, command); }
    void on_passed(Picoseconds when) override {
      passed = when;
      truth.settle_commands();
    }
    SocCommandTruth& truth;
    unsigned component;
    ReferenceDdr& memory;
    Picoseconds passed = 0;  // no command before it will come
  };

  void hear(unsigned component, const DdrCommand& command);
  void settle_commands();

  SocMeaning meaning_;
  std::deque<Ear> ears_;  // deque: memories keep references
  LateCount commands_;    // that pass
};

}  // namespace pmufab::scoreboard
