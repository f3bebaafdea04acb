// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "testbench/driver_host/driver_host.h"
#include "testbench/scenario/report/results.h"
#include "testbench/scenario/run/scenario_spec.h"

namespace pmufab::scenario {

/// One run to do: a scenario (variant) with one driver set.
struct RunPlan {
  ScenarioSpec spec;
  driver_host::DriverSet drivers;
};

/// How far the runs are: for a progress bar.
struct RunnerProgress {
  std::size_t done = 0;
  std::size_t all = 0;
  double fraction = 0;  ///< of everything, 0 ... 1
  std::string running;  ///< title of one that runs
};

struct RunnerOptions {
  unsigned jobs = 1;              ///< runs at the same time
  unsigned timeout_seconds = 0;   ///< of host time, for one run; 0: none
  bool echo_log = false;          ///< kernel logs to standard error, as they grow
  std::filesystem::path scratch;  ///< folder for what runs leave behind while they run
  /// Called for every result, in the order of the plans.
  std::function<void(const RunPlan&, const RunResult&)> on_result = {};
  /// Called a few times a second.
  std::function<void(const RunnerProgress&)> on_progress = {};
  /// Called with what a run wrote to its standard output and error, if anything, before its result.
  std::function<void(const std::string& title, const std::string& text)> on_output = {};
  /// Asked a few times a second. 1: let runs stop and keep what they have; 2: kill them.
  std::function<int()> interrupted = {};
};

/// Do all runs, each in a process of its own (SystemC elaborates once per process; a crash takes nothing else along).
/// @return results in the order of the plans; runs never begun are `not_run`
[[nodiscard]] std::vector<RunResult> run_all(const std::vector<RunPlan>& plans, const RunnerOptions& options);

}  // namespace pmufab::scenario
