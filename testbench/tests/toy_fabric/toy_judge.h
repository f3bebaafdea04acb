// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "testbench/judge/pmu_judge.h"
#include "testbench/tests/toy_fabric/toy_wire.h"

namespace pmufab::toy {

/// Judges the toy's PMU, which the driver calls "toy_belt". It sees packets on the wire and register accesses on the
/// bus, and knows nothing of the model.
class ToyPmuJudge final : public scoreboard::PmuJudge {
 public:
  /// @param passed  packets that have passed; must outlive the judge
  explicit ToyPmuJudge(const std::uint64_t& passed) : PmuJudge("toy_belt"), passed_(passed) {}

  bool see_write(const MmioBus::BusAccess& access) override;
  [[nodiscard]] bool written_on() const override { return on_; }
  [[nodiscard]] bool is_counter_read(const MmioBus::BusAccess& access) const override;
  [[nodiscard]] std::unique_ptr<scoreboard::EventTruth> truth(const scoreboard::EventTerms& terms) override;

 private:
  const std::uint64_t& passed_;
  bool on_ = false;
};

class ToyJudge final : public scoreboard::FabricJudge, public PacketObserver {
 public:
  explicit ToyJudge(scoreboard::Chronicle& chronicle) : chronicle_(chronicle) {}

  [[nodiscard]] std::vector<scoreboard::PmuJudge*> pmus() override { return {&pmu_}; }
  void on_packet(Picoseconds when) override;

 private:
  void see_packet(const Picoseconds& when);

  scoreboard::Chronicle& chronicle_;
  std::uint64_t passed_ = 0;
  ToyPmuJudge pmu_{passed_};
};

}  // namespace pmufab::toy
