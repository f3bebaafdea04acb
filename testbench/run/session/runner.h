// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/host/driver_host.h"
#include "testbench/run/report/profile.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/run_limits.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/tracing/tracing.h"

namespace pmufab::scenario {

/// One scenario (variant) to run, small enough to have many: the file, and what makes the variant. It is read again
/// when it runs.
struct PlannedScenario {
  std::shared_ptr<const ScenarioFile> file;
  Variant variant;
  std::shared_ptr<const std::vector<std::string>> overrides;  ///< texts of --set options
  // What is known of it before it runs.
  std::string name;
  std::string platform;
  std::uint64_t seed = 0;

  /// @throws InputError
  [[nodiscard]] ScenarioSpec load() const { return file->load(variant, *overrides); }
  /// "scenario", "scenario [variant]"
  [[nodiscard]] std::string title() const;
};

/// @param spec  what the file gives for that variant and these overrides; not kept
[[nodiscard]] std::shared_ptr<const PlannedScenario> plan_scenario(
    std::shared_ptr<const ScenarioFile> file, Variant variant,
    std::shared_ptr<const std::vector<std::string>> overrides, const ScenarioSpec& spec);

/// One run to do: a scenario (variant) with one driver set.
struct RunPlan {
  std::shared_ptr<const PlannedScenario> scenario;
  std::shared_ptr<const driver_host::DriverSet> drivers;
};

/// How far the runs are: for a progress bar.
struct RunnerProgress {
  std::size_t done = 0;
  std::size_t all = 0;
  double fraction = 0;  ///< of everything, 0 ... 1
  std::string running;  ///< title and drivers of the one that has run for longest
  double seconds = 0;   ///< for which it has run
};

/// What a run took. It is measured, so it is in no result.
struct RunCost {
  double seconds = 0;            ///< of host time
  double processor_seconds = 0;  ///< of its process
  std::uint64_t memory_kib = 0;  ///< the most that its process had
};

struct RunnerOptions {
  unsigned jobs = 1;              ///< runs at the same time
  unsigned timeout_seconds = 0;   ///< of host time, for one run; 0: none
  RunLimits limits = {};          ///< of one run
  bool echo_log = false;          ///< kernel logs to standard error, as they grow
  bool covers = false;            ///< find out what the drivers meet: RunResult::coverage
  bool records_load = false;      ///< of meshes: RunResult::load
  TraceOptions traces = {};       ///< what is written down of each run. Its files and titles are the runner's own
  Profile* profile = nullptr;     ///< receives where the processor time goes; not owned, null: nobody asks
  std::filesystem::path scratch;  ///< folder for what runs leave behind while they run
  /// Called in the process of a run, with what was read.
  std::function<void(ScenarioSpec&)> prepare = {};
  /// Called for every result, in the order of the plans, as soon as it and those before it are there.
  std::function<void(const RunPlan&, RunResult)> on_result = {};
  /// Called with what a run took, before its result. Not called for runs never begun.
  std::function<void(const RunCost&)> on_cost = {};
  /// Called with what was written down of a run, before its result. A file may be missing; all are removed afterwards.
  std::function<void(const TraceOptions&)> on_traces = {};
  /// Called a few times a second.
  std::function<void(const RunnerProgress&)> on_progress = {};
  /// Called with what a run wrote to its standard output and error, if anything, before its result.
  std::function<void(const std::string& title, const std::string& text)> on_output = {};
  /// Asked a few times a second. 1: let runs stop and keep what they have; 2: kill them.
  std::function<int()> interrupted = {};
};

/// Where runs come from, one after the other, and go to as each ends. So nobody has to hold all of them.
class RunSource {
 public:
  RunSource() = default;
  virtual ~RunSource() = default;
  RunSource& operator=(RunSource&&) = delete;

  /// @return nothing, if none can begin before another has ended. If none runs, that is the end.
  virtual std::optional<RunPlan> next() = 0;
  /// Called as soon as a run has ended, in the order in which they end.
  virtual void take(const RunPlan& plan, RunResult result, const RunCost& cost) = 0;
  /// @return how many runs there are, as far as it is known: for the progress
  [[nodiscard]] virtual std::size_t size() const = 0;
};

/// Do the runs of a source. `on_result` of the options is not called, and nothing is heard of runs never begun.
void run_all(RunSource& source, const RunnerOptions& options);

/// Do all runs, each in a process of its own (SystemC elaborates once per process; a crash takes nothing else along).
/// Processes that a run leaves behind are killed. Runs never begun have the result `not_run`. No result is kept.
void run_all(const std::vector<RunPlan>& plans, const RunnerOptions& options);

/// Do one run in this process, for debuggers. At most once per process. Of the limits, those of the log, of readings and
/// of simulated time hold. What the run prints goes where this program prints.
void run_here(const RunPlan& plan, const RunnerOptions& options);

}  // namespace pmufab::scenario
