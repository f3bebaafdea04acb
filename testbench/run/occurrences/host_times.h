// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "testbench/host/interrupt_controller.h"
#include "testbench/run/occurrences/delay.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab::scenario {

/// The times of the CPUs as a scenario describes them. Each has random numbers of its own, so that a scenario may change
/// one and leave the others as they are.
class HostTimes final : public driver_host::CpuTimes {
 public:
  HostTimes(const HostSpec& spec, std::uint64_t seed);

  [[nodiscard]] std::optional<Picoseconds> interrupt_delay() override;
  [[nodiscard]] Picoseconds handler_time() override { return handler_.draw(); }
  [[nodiscard]] Picoseconds goes_on_at(Picoseconds now) override;

 private:
  Delay interrupt_;
  double loss_;
  traffic::RandomStream lost_;
  Delay handler_;
  std::optional<Delay> every_;  // nothing: the CPUs are always there
  std::optional<Delay> lasting_;
  Picoseconds away_from_ = 0;  // the latest span that was drawn
  Picoseconds away_until_ = 0;
};

/// @return null if a CPU's times are always the same: DriverHost::Options has them
[[nodiscard]] std::unique_ptr<HostTimes> make_host_times(const HostSpec& spec, std::uint64_t seed);

}  // namespace pmufab::scenario
