// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/tegra410/part/pmu_row.h"
#include "testbench/judge/coresight/coresight_pmu_judge.h"
#include "testbench/judge/events/event_truth.h"
#include "testbench/judge/exact_clock.h"
#include "testbench/judge/pmu_judge.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::toy {

/// Requests at the boundary of a socket's fabric, by requester: CPUs, others.
struct WriteWires {
  struct Sum {
    std::uint64_t writes = 0;
    std::uint64_t bytes = 0;
  };
  std::array<Sum, 2> by_requester{};  // CPUs, others
};

/// The meaning of the PMU's events, from its description alone: terms `event`, `filter` and `cycles`.
class WritePmuJudge final : public scoreboard::CoreSightPmuJudge {
 public:
  /// @param clock  of the fabric; it and `wires` must outlive the judge
  WritePmuJudge(const platform::PmuRow& row, const WriteWires& wires, const scoreboard::ExactClock& clock);

  /// @throws std::invalid_argument for a term the PMU does not have
  [[nodiscard]] std::unique_ptr<scoreboard::EventTruth> truth(const scoreboard::EventTerms& terms) override;

 private:
  const WriteWires& wires_;
  const scoreboard::ExactClock& clock_;
};

/// The truth: it adds up what the socket accepts, and judges the PMU by that. Give it to the platform as boundary
/// observer.
class WriteJudge final : public scoreboard::FabricJudge, public BoundaryObserver {
 public:
  WriteJudge(const platform::PmuRow& row, std::uint64_t clock_hz);

  void on_request(const Request& request) override;
  void on_memory_access(const MemoryAccess& /*access*/) override {}
  [[nodiscard]] std::vector<scoreboard::PmuJudge*> pmus() override { return {&pmu_}; }

 private:
  WriteWires wires_;
  scoreboard::ExactClock clock_;
  WritePmuJudge pmu_;
};

}  // namespace pmufab::toy
