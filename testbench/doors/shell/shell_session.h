// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "testbench/doors/shell/perf_events.h"
#include "testbench/doors/shell/time_scale.h"
#include "testbench/host/driver_host.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/tracing/tracing.h"

namespace pmufab::shell {

/// Names in the folder of a session.
inline constexpr const char* kSocketName = "socket";    ///< of the simulator
inline constexpr const char* kSysfsName = "sys";        ///< stands for /sys
inline constexpr const char* kProcName = "proc";        ///< files in place of those of /proc
inline constexpr const char* kJournalName = "journal";  ///< verdicts, as they come

/// The results of a session: verdicts in the order in which events were closed, and other failures.
struct SessionResult {
  bool ended = false;  ///< the simulator came to its end
  Picoseconds simulated = 0;
  std::vector<driver_host::DriverFile> driver_files;  ///< those that serve PMUs, and the user's
  std::vector<perf::Verdict> verdicts;
  std::vector<std::string> failures;  ///< scenario::run_failures()
  scenario::Json coverage = {};       ///< what the drivers met (coverage::Coverage), if that was wanted
};

struct SessionOptions {
  std::filesystem::path folder;    ///< nobody else's; exists
  double time_scale = kTimeScale;  ///< simulated seconds per second of programs
  bool simulated_clock = false;    ///< clocks of all programs show simulated time; time_scale is 1 then
  int stop = -1;                   ///< file descriptor at whose end the session ends
  bool echo_log = false;           ///< kernel log to standard error
  bool covers = false;             ///< find out what the drivers meet
  scenario::TraceOptions traces;   ///< what is written down, and where
  std::function<void()> on_ready;  ///< the drivers are loaded, and programs are served from now on
};

/// Run the platform of a scenario with its traffic, and serve programs. The scenario's measures are ignored. Runs in
/// this process, at most once per process. Results go to the journal.
/// @return false if the drivers registered no PMU; the reason is printed on standard error
/// @throws scenario::InputError for a trace that cannot be replayed, drivers that cannot be loaded
bool run_session(const scenario::ScenarioSpec& spec, const driver_host::DriverSet& drivers,
                 const SessionOptions& options);

/// @return what is in the journal of a folder, as far as it goes.
[[nodiscard]] SessionResult read_journal(const std::filesystem::path& folder);

}  // namespace pmufab::shell
