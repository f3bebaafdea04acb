#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "models/cxl/ddr_controller.h"
#include "models/cxl/link.h"
#include "testbench/scoreboard/cxl_judge.h"

namespace pmufab::scoreboard::test {

/// @return a message of the models' wires in the judge's words.
[[nodiscard]] inline CxlMessage wire_message(const cxl::Message& message) {
  static_assert(static_cast<CxlClass>(cxl::MessageClass::d2h_data) == CxlClass::d2h_data);
  static_assert(static_cast<CxlClass>(cxl::MessageClass::s2m_ndr) == CxlClass::s2m_ndr);
  static_assert(static_cast<CxlMeta>(cxl::Meta::any) == CxlMeta::any);
  return {static_cast<CxlClass>(message.message_class), message.opcode, message.address, message.tag,
          static_cast<CxlMeta>(message.meta),           message.lines,  message.tee};
}

/// Tells a judge what links and memory controllers show.
class CxlListener final : public cxl::LinkObserver {
 public:
  /// @param judge  outlives the listener, which outlives what it listens to
  explicit CxlListener(CxlJudge& judge) : judge_(judge) {}

  /// Listen to the link with the next index of the judge's specification.
  void listen(cxl::Link& link) {
    links_.push_back(&link);
    link.set_observer(this);
  }
  /// Listen to the memory controller of a component.
  void listen(cxl::DdrController& controller, unsigned component) {
    controllers_.emplace_back(judge_, component);
    controller.set_observer(&controllers_.back());
  }

  void on_message(Picoseconds when, const cxl::Link& link, cxl::LinkEnd end, const cxl::Message& message) override {
    for (unsigned index = 0; index < links_.size(); ++index) {
      if (links_[index] == &link)
        judge_.on_message(when, index, end == cxl::LinkEnd::upper ? CxlEnd::upper : CxlEnd::lower,
                          wire_message(message));
    }
  }

 private:
  struct Controller final : public cxl::DdrObserver {
    Controller(CxlJudge& its_judge, unsigned its_component) : judge(its_judge), component(its_component) {}
    void on_access(Picoseconds when, bool write, std::uint64_t device_address) override {
      judge.on_access(when, component, write, device_address);
    }
    CxlJudge& judge;
    unsigned component;
  };

  CxlJudge& judge_;
  std::vector<const cxl::Link*> links_;
  std::deque<Controller> controllers_;
};

}  // namespace pmufab::scoreboard::test
