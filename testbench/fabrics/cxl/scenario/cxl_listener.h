// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "models/cxl/link/link.h"
#include "models/cxl/memory/ddr_controller.h"
#include "testbench/fabrics/cxl/judge/cxl_judge.h"

namespace pmufab::scenario {

/// Passes what links and memory controllers show to a judge. They and the judge outlive it.
class CxlListener {
 public:
  explicit CxlListener(scoreboard::CxlJudge& judge) : judge_(judge) {}
  ~CxlListener() {
    for (const Wire& wire : wires_) wire.link.set_observer(nullptr);
    for (const Memory& memory : memories_) memory.controller.set_observer(nullptr);
  }
  CxlListener& operator=(CxlListener&&) = delete;

  /// Listen to the link with the next index of the judge's specification.
  void listen(cxl::Link& link) {
    const auto index = static_cast<unsigned>(wires_.size());
    link.set_observer(&wires_.emplace_back(judge_, link, index));
  }
  /// Listen to the memory controller of a component.
  void listen(cxl::DdrController& controller, unsigned component) {
    controller.set_observer(&memories_.emplace_back(judge_, controller, component));
  }

 private:
  struct Wire final : public cxl::LinkObserver {
    Wire(scoreboard::CxlJudge& its_judge, cxl::Link& its_link, unsigned its_index)
        : judge(its_judge), link(its_link), index(its_index) {}
    void on_message(Picoseconds when, const cxl::Link& /*link*/, cxl::LinkEnd end,
                    const cxl::Message& message) override {
      using scoreboard::CxlClass;
      using scoreboard::CxlMeta;
      static_assert(static_cast<CxlClass>(cxl::MessageClass::d2h_data) == CxlClass::d2h_data);
      static_assert(static_cast<CxlClass>(cxl::MessageClass::s2m_ndr) == CxlClass::s2m_ndr);
      static_assert(static_cast<CxlMeta>(cxl::Meta::any) == CxlMeta::any);
      judge.on_message(when, index, end == cxl::LinkEnd::upper ? scoreboard::CxlEnd::upper : scoreboard::CxlEnd::lower,
                       {static_cast<CxlClass>(message.message_class), message.opcode, message.address, message.tag,
                        static_cast<CxlMeta>(message.meta), message.lines, message.tee});
    }
    scoreboard::CxlJudge& judge;
    cxl::Link& link;
    unsigned index;
  };
  struct Memory final : public cxl::DdrObserver {
    Memory(scoreboard::CxlJudge& its_judge, cxl::DdrController& its_controller, unsigned its_component)
        : judge(its_judge), controller(its_controller), component(its_component) {}
    void on_access(Picoseconds when, bool write, std::uint64_t device_address) override {
      judge.on_access(when, component, write, device_address);
    }
    scoreboard::CxlJudge& judge;
    cxl::DdrController& controller;
    unsigned component;
  };

  scoreboard::CxlJudge& judge_;
  std::deque<Wire> wires_;
  std::deque<Memory> memories_;
};

}  // namespace pmufab::scenario
