// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "testbench/fabrics/tegra410/judge/request_timeline.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/judge/exact_clock.h"
#include "testbench/judge/pmu_judge.h"

namespace pmufab::scoreboard {

/// Judges the PMU of one chip-to-chip interface of a socket, which runs while CTRL of its broadcast window is 1.
class C2cPmuJudge final : public PmuJudge {
 public:
  /// @param clock  of the interface
  /// @param ahead  how long before it starts see_request() may tell of a request, at most
  C2cPmuJudge(C2cPmuSpec spec, const ExactClock& clock, Picoseconds ahead);

  [[nodiscard]] const C2cPmuSpec& spec() const noexcept { return spec_; }

  /// A read or write for `line` crosses the interface in [start, end), to or from `peer`.
  void see_request(bool is_in, bool is_write, unsigned peer, std::uint64_t line, Picoseconds start, Picoseconds end);

  bool see_write(const MmioBus::BusAccess& access) override;
  [[nodiscard]] bool written_on() const override { return control_value_ == 1; }
  [[nodiscard]] Publication publication() const override;
  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override;
  /// Cycles, or requests at the first instance of the (first selected) peer: requests that take no time, or, for
  /// outstanding ones, that are so at one clock edge.
  [[nodiscard]] Injection injection(const EventTerms& terms, unsigned unit) override;
  /// Each kind of event has a counter that any number of events may read.
  [[nodiscard]] std::optional<std::string> room_for(const EventTruth& refused,
                                                    const std::vector<const EventTruth*>& active) const override;
  [[nodiscard]] unsigned units(const EventTerms& terms) const override;

 private:
  C2cPmuSpec spec_;
  std::uint64_t control_value_ = 0;
  ExactClock clock_;
  RequestTimeline timeline_;  // a lane for each traffic and instance, traffic * instances + instance
};

}  // namespace pmufab::scoreboard
