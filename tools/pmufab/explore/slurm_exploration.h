// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "testbench/campaigns/explore/explorer.h"

namespace pmufab::cli {

/// A study whose points tasks of Slurm run, each a shard with a database of its own.
struct SlurmExploration {
  const explore::Study& study;
  const explore::PointMaker& points;
  std::function<std::unique_ptr<explore::Design>()> design;  ///< of the whole study, from its beginning
  explore::ExploreOptions options;
  std::filesystem::path database;  ///< has begun this study
  std::string command;             ///< of one task, without shard and database
  unsigned tasks = 1;
  unsigned processors = 1;  ///< of each task
  std::function<void(double fraction, const std::string& text)> on_progress;
};

/// Submit a job array, wait, and put the databases of its tasks together, until all points are there. A task that dies
/// is started again, as long as new points come. If this program is killed, the tasks go on, and another call waits for
/// them. If the user interrupts it, they are cancelled; what they have is kept.
/// @throws scenario::InputError if Slurm cannot be used
[[nodiscard]] explore::Outcome explore_on_slurm(const SlurmExploration& exploration);

}  // namespace pmufab::cli

/// Job arrays of Slurm, by its own commands: sbatch, squeue, scancel.
namespace pmufab::cli::slurm {

/// Tasks that do the same, each with its number in SLURM_ARRAY_TASK_ID.
struct JobArray {
  std::string name;
  std::filesystem::path script;  ///< what each task runs
  std::filesystem::path log;     ///< of each task: %a stands for its number
  unsigned tasks = 1;            ///< their numbers begin with 1
  unsigned processors = 1;       ///< of each
};

/// @return the number of the job. @throws scenario::InputError if Slurm takes no job
[[nodiscard]] std::string submit(const JobArray& array);

/// Those that have not ended.
struct Tasks {
  std::set<unsigned> running;
  std::set<unsigned> waiting;

  [[nodiscard]] bool have_ended() const noexcept { return running.empty() && waiting.empty(); }
};

/// @return nothing if Slurm does not answer
[[nodiscard]] std::optional<Tasks> tasks_of(const std::string& job);

void cancel(const std::string& job);

}  // namespace pmufab::cli::slurm
