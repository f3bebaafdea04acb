// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "tlm/clock/clock_domain.h"

namespace pmufab::shell {

/// How long events of a PMU that has too few counters keep their turn: perf_event_mux_interval_ms in the generated /sys.
/// Programs write the file, and the simulator looks at it.
class MuxIntervals {
 public:
  /// @param devices     /sys/bus/event_source/devices
  /// @param time_scale  simulated seconds per second of programs
  MuxIntervals(std::filesystem::path devices, double time_scale)
      : devices_(std::move(devices)), time_scale_(time_scale) {}

  /// @return the simulated time of a turn; at least 1 ps. A number that the kernel would refuse is replaced by the one
  ///         before, in the file too
  [[nodiscard]] Picoseconds of(const std::string& pmu);

 private:
  std::filesystem::path devices_;
  double time_scale_;
  std::map<std::string, int> accepted_;  // milliseconds
};

}  // namespace pmufab::shell
