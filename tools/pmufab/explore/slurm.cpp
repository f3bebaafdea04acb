// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/explore/slurm.h"

#include <cctype>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/user_program.h"

namespace pmufab::cli::slurm {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string submit(const JobArray& array) {
  const ProgramReply reply =
      ask_program({"sbatch", "--parsable", "--requeue", "--open-mode=append", "--ntasks=1", "--job-name=" + array.name,
                   fmt::format("--cpus-per-task={}", array.processors), fmt::format("--array=1-{}", array.tasks),
                   "--output=" + array.log.string(), array.script.string()});
  if (reply.exit_code == kNoSuchProgram)
    throw scenario::InputError("--on slurm: there is no command sbatch here",
                               "it is in Debian's package slurm-client; --shard K/N is for other schedulers");
  // "123", or "123;cluster"
  std::string job = reply.out.substr(0, reply.out.find_first_not_of("0123456789"));
  if (reply.exit_code != 0 || job.empty())
    throw scenario::InputError(fmt::format("--on slurm: sbatch took no job: {}", first_line(reply.errors)),
                               "does sinfo show a partition? SBATCH_PARTITION, SBATCH_TIMELIMIT and the like choose");
  return job;
}

std::optional<Tasks> tasks_of(const std::string& job) {
  const ProgramReply reply = ask_program({"squeue", "--noheader", "--array", "--me", "--format=%F %K %T"});
  if (reply.exit_code != 0) return std::nullopt;
  Tasks tasks;
  std::istringstream lines(reply.out);
  for (std::string id, state, task; lines >> id >> task >> state;) {
    if (id != job || task.empty() || std::isdigit(static_cast<unsigned char>(task.front())) == 0) continue;
    const auto number = static_cast<unsigned>(std::stoul(task));
    (state == "PENDING" ? tasks.waiting : tasks.running).insert(number);
  }
  return tasks;
}

void cancel(const std::string& job) { static_cast<void>(ask_program({"scancel", job})); }

}  // namespace pmufab::cli::slurm
