// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"
#include "testbench/fabrics/cxl/judge/wires/cxl_wires.h"
#include "testbench/judge/pmu_judge.h"

namespace pmufab::scoreboard {

class CxlTally;
class ReferenceDdr;

/// Judges a CXL hierarchy: the messages on its links, their answers, and what the CPMUs of its components count.
///
/// Written from docs/cxl-messages.md and the specification of the CPMU, without code of models/.
class CxlJudge final : public FabricJudge {
 public:
  /// @param chronicle  must outlive the judge
  /// @throws std::invalid_argument for an impossible specification
  CxlJudge(CxlJudgeSpec spec, Chronicle& chronicle);
  ~CxlJudge() override;

  /// A message leaves one end of a link or arrives at the other; it leaves if messages of its class start from that
  /// end. Calls are in the order of events.
  /// @param link  index in the specification
  void on_message(Picoseconds when, unsigned link, CxlEnd end, const CxlMessage& message);
  /// An access enters the memory controller of a component.
  void on_access(Picoseconds when, unsigned component, bool write, std::uint64_t device_address);

  [[nodiscard]] std::vector<PmuJudge*> pmus() override;
  /// Report requests without answers, messages that never arrived, and missing accesses to memory.
  void finish() override;

  /// @return messages with that event that a component sent or received since the beginning.
  [[nodiscard]] std::uint64_t count(unsigned component, std::uint16_t group, unsigned bit) const;

  /// @name For judges of other PMUs. Components are numbered as in the specification
  /// @{
  [[nodiscard]] unsigned components() const;
  /// @return the messages that a component sent and received.
  [[nodiscard]] const CxlTally& messages(unsigned component) const;
  /// @return the memory of a component; nullptr: it has none.
  [[nodiscard]] ReferenceDdr* memory(unsigned component) const;
  /// @}

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pmufab::scoreboard
