// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

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
