// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include "testbench/run/checks/broken_parts.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/machine.h"

namespace pmufab::scenario {

/// Whether a driver gives back all counters, watchpoints and filters. At the end of a run, groups of events like those
/// of the run are put on the PMUs. Freshly loaded drivers must add as many. So nothing needs to be known about the
/// hardware. No count of this is judged. From a SystemC thread process.
class ReleaseCheck {
 public:
  explicit ReleaseCheck(Machine& machine) : machine_(machine) {}

  /// Look how many events fit, and whether events are taken that are not the PMU's to count. Before the drivers are
  /// unloaded, when no event is open.
  /// @param broken  PMUs of which nothing can be said, with the reason
  void look_at_used(const BrokenParts& broken);
  /// What to do with the platform that was reset.
  struct Steps {
    std::function<void()> before_loading;  ///< what firmware does; empty: nothing
    std::function<void()> when_loaded;     ///< before the first event is opened
    std::function<void()> at_end = {};     ///< before they are unloaded; empty: nothing
  };
  /// Reset the platform, load the drivers again, look how many events fit, and unload them.
  /// @return "released": failed if it is another number than that of look_at_used(), or if the kernel panicked
  [[nodiscard]] CheckResult compare_with_fresh(const Steps& steps);

  /// @return simulated time that look_at_used() took
  [[nodiscard]] Picoseconds taken() const noexcept { return taken_; }

 private:
  using Rooms = std::map<std::string, unsigned>;  // events that are added, by "pmu/config=1/"
  [[nodiscard]] Rooms rooms(bool foreign);
  [[nodiscard]] CheckResult compare(const Steps& steps);

  Machine& machine_;
  Rooms used_;
  BrokenParts broken_;
  std::string panic_;  // of look_at_used()
  Picoseconds taken_ = 0;
};

}  // namespace pmufab::scenario
