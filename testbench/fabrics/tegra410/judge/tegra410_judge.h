// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/fabrics/tegra410/judge/ucf_events.h"
#include "testbench/judge/pmu_judge.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::scoreboard {

class RootComplexListener;

/// Judges the Tegra410 sockets of a platform: their UCF, CMEM latency, chip-to-chip and PCIE PMUs, and the wires to
/// memory. It is the platform's boundary observer.
class Tegra410Judge final : public FabricJudge, public BoundaryObserver {
 public:
  /// @param chronicle  must outlive the judge
  /// @throws std::invalid_argument from Tegra410JudgeSpec::validate()
  Tegra410Judge(Tegra410JudgeSpec spec, Chronicle& chronicle);
  ~Tegra410Judge() override;

  void on_request(const Request& request) override;
  void on_response(const Request& request, Picoseconds end) override;
  void on_memory_access(const MemoryAccess& access) override;
  void on_link_request(const LinkRequest& request) override;

  [[nodiscard]] std::vector<PmuJudge*> pmus() override;
  /// Report memory accesses that had to happen and were not seen.
  void finish() override;

  /// Let a listener hear the requests at root complexes, from now on, until it is removed.
  void add(RootComplexListener& listener);
  void remove(const RootComplexListener& listener);

  /// @return everything a UCF counted since the beginning, independent of PMUs.
  [[nodiscard]] const UcfTally& tally(unsigned socket) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pmufab::scoreboard
