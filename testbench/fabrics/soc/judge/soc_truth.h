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
#include "testbench/fabrics/soc/judge/soc_wires.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge.h"
#include "testbench/fabrics/tegra410/judge/ucf_events.h"
#include "testbench/judge/counts/late_count.h"
#include "testbench/judge/events/event_truth.h"
#include "testbench/judge/exact_clock.h"

namespace pmufab::scoreboard {

/// What an event of a described PMU must count. Its marks are counts so far.
class SocTruth final : public EventTruth, private SocWires::Listener {
 public:
  /// @param source  its number on the wires
  /// @param clock   of the PMU; must outlive the truth
  SocTruth(SocMeaning meaning, unsigned source, std::shared_ptr<SocWires> wires, const ExactClock& clock);
  ~SocTruth() override;
  SocTruth& operator=(SocTruth&&) = delete;

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] bool takes_cycle_counter() const override { return meaning_.on_cycle_counter; }
  [[nodiscard]] Mark mark(Picoseconds when) override;
  [[nodiscard]] std::uint64_t count(const Span& span) const override;
  void settle(const Span& span) override { settled_cycles_ += clock_.edges_in(span.begin.when, span.end.when); }
  void opened() override { all_before_ = all_; }
  void closed() override { all_counted_ += all_ - all_before_; }
  [[nodiscard]] std::optional<LossCause> cause_of_difference(std::span<const Span> /*spans*/, std::uint64_t counted,
                                                             std::uint64_t reported) const override {
    const bool is_full = meaning_.fills != 0 && counted >= meaning_.fills && reported < counted;
    return is_full ? std::optional(LossCause::frozen) : std::nullopt;
  }
  void describe(std::span<const Span> spans, EventResult& result) const override;
  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override;

 private:
  static constexpr std::size_t kLeastRoom = 256;

  void hear(const Occurrence& occurrence, Picoseconds when) override;
  [[nodiscard]] bool listens() const noexcept;
  void settle_lasting(Picoseconds when);

  SocMeaning meaning_;
  unsigned source_;
  std::shared_ptr<SocWires> wires_;
  const ExactClock& clock_;
  std::uint64_t count_ = 0;  // of what has happened; of what was outstanding, of what has ended
  struct Lasting {
    Picoseconds begin;
    Picoseconds end;
    std::uint64_t repeat;
  };
  std::vector<Lasting> lasting_;   // what has passed the filters, and had not ended when settled last
  std::size_t room_ = kLeastRoom;  // when it has so many, it is settled
  // The same if nothing were filtered, to explain a difference.
  std::uint64_t all_ = 0;
  std::uint64_t all_before_ = 0;
  std::uint64_t all_counted_ = 0;
  std::uint64_t settled_cycles_ = 0;  // in settled spans
};

/// @return what an event of occurrences, or of a sum, adds for one that it counts
[[nodiscard]] std::uint64_t amount_of(const SocMeaning& meaning, const Occurrence& occurrence);

/// What events of described PMUs must count whose sources are fabrics. The fabrics' judges see them.
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
  SocCommandTruth& operator=(SocCommandTruth&&) = delete;

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
