// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "testbench/scoreboard/cmn/cmn_judge.h"
#include "testbench/scoreboard/core/event_truth.h"
#include "testbench/scoreboard/cxl/cxl_judge.h"
#include "testbench/scoreboard/cxl/cxl_tally.h"
#include "testbench/scoreboard/cxl/reference_ddr.h"
#include "testbench/scoreboard/soc/soc_meaning.h"
#include "testbench/scoreboard/tegra410/tegra410_judge.h"
#include "testbench/scoreboard/tegra410/ucf_events.h"

/// What events of described PMUs must count whose sources are fabrics. The fabrics' judges see them.
namespace pmufab::scoreboard {

/// What an event must count that the UCF of a Tegra410 socket causes. Its marks are counts so far.
class SocUcfTruth final : public EventTruth {
 public:
  /// @param event   of the UCF
  /// @param judge   of the sockets; must outlive the truth
  SocUcfTruth(SocMeaning meaning, UcfEvent event, unsigned socket, const Tegra410Judge& judge)
      : meaning_(std::move(meaning)), event_(event), socket_(socket), judge_(judge) {}

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] Mark mark(Picoseconds when) override;
  [[nodiscard]] std::uint64_t count(const Span& span) const override { return span.end.position - span.begin.position; }
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

 private:
  SocMeaning meaning_;
  UcfEvent event_;
  unsigned socket_;
  const Tegra410Judge& judge_;
};

/// What an event must count of the messages that CXL components send and receive. Its marks are counts so far.
class SocMessageTruth final : public EventTruth {
 public:
  /// @param judge  of the hierarchy; must outlive the truth. Null: nothing happens
  SocMessageTruth(SocMeaning meaning, const CxlJudge* judge);

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] Mark mark(Picoseconds when) override;
  [[nodiscard]] std::uint64_t count(const Span& span) const override { return span.end.position - span.begin.position; }
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

 private:
  struct Place {
    const CxlTally* tally;
    std::uint16_t group;
    unsigned opcode;
    unsigned decoder;
  };
  SocMeaning meaning_;
  std::vector<Place> places_;  // that pass
};

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
  [[nodiscard]] std::uint64_t count(const Span& span) const override;
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
    SocCommandTruth& truth;
    unsigned component;
    ReferenceDdr& memory;
  };
  struct Counted {
    Picoseconds when;
    std::uint64_t count;  // commands before that instant
  };

  void hear(unsigned component, const DdrCommand& command);
  void settle();

  SocMeaning meaning_;
  std::deque<Ear> ears_;            // deque: memories keep references
  std::vector<Picoseconds> times_;  // of commands that pass, in any order
  std::size_t room_;                // when there are as many times, old ones are only counted
  std::uint64_t settled_ = 0;       // commands older than those
  std::vector<Counted> marks_;      // in the order taken
};

/// What an event must count of the events of homes. Its marks are counts so far.
class SocHomeTruth final : public EventTruth {
 public:
  /// @param meshes  their judges, which must outlive the truth
  SocHomeTruth(SocMeaning meaning, const std::vector<CmnJudge*>& meshes);

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] Mark mark(Picoseconds when) override;
  [[nodiscard]] std::uint64_t count(const Span& span) const override { return span.end.position - span.begin.position; }
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

 private:
  struct Place {
    CmnJudge* mesh;
    std::uint16_t node;
    unsigned event;
  };
  SocMeaning meaning_;
  std::vector<Place> places_;  // that pass
};

}  // namespace pmufab::scoreboard
