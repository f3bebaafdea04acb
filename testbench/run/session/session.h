// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "testbench/host/driver_host.h"
#include "testbench/run/session/journal.h"
#include "testbench/run/session/run_limits.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/tracing/tracing.h"

namespace pmufab::scenario {

class Machine;

/// 0: no. A number, because memory that is shared with a driver's process may hold any.
using SharedFlag = std::atomic<std::uint8_t>;

struct SessionOptions {
  bool echo_log = false;                      ///< kernel log to standard error
  std::function<bool()> interrupted = {};     ///< asked now and then: stop, compare what there is
  std::function<void(double)> progress = {};  ///< 0 ... 1
  bool has_spare_processor = false;           ///< for a second thread, which judges
  bool covers = false;                        ///< find out what the drivers meet: the record "coverage"
  bool records_load = false;                  ///< of meshes: the record "load"
  TraceOptions traces = {};                   ///< what is written down of the run, and where
  RunLimits limits = {};                      ///< here: of the log, of readings and of simulated time
  /// Instants, after the drivers were loaded, and who looks at the machine then. That must not change anything.
  std::vector<Picoseconds> looks = {};
  std::function<void(const Machine&)> on_look = {};
  /// Called when the drivers' host is there, and with nullptr before it goes.
  std::function<void(const driver_host::DriverHost*)> on_host = {};
  /// Receives the time since the drivers were loaded, or their loading began, often.
  std::atomic<Picoseconds>* simulated_time = nullptr;
  /// Set while the limit of simulated time holds: from when the drivers are loaded until the run ends.
  SharedFlag* is_limited = nullptr;
};

/// Run one scenario with one driver set in this process, at most once per process, and write the results to the
/// journal. Bad input found on the way (an unknown event, a broken trace) goes to the journal too.
/// @return the exit code of the process: 0 done (whatever the checks say), 2 bad input, 3 internal error
int run_session(const ScenarioSpec& spec, const driver_host::DriverSet& drivers, Journal& journal,
                const SessionOptions& options);

}  // namespace pmufab::scenario
