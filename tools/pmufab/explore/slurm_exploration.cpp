// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/explore/slurm_exploration.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/process/child_process.h"
#include "testbench/run/report/report.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/user_program.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using explore::Database;

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The folder beside a database in which a job array works: the number of the job, the script and the log of its tasks,
/// and their databases. It is there until these are put together.
class TaskFolder {
 public:
  explicit TaskFolder(const fs::path& database) : path_(fs::absolute(database).string() + ".tasks") {}

  [[nodiscard]] fs::path of(const std::string& name) const { return path_ / name; }
  [[nodiscard]] fs::path database_of(unsigned task) const { return of(fmt::format("{}.sqlite", task)); }
  /// @return the number of the job that works here; "": none
  [[nodiscard]] std::string job() const { return read_file(of("job")); }
  [[nodiscard]] unsigned tasks() const {
    unsigned tasks = 0;
    std::ifstream(of("tasks")) >> tasks;
    return tasks;
  }
  void make() const {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) throw scenario::InputError(fmt::format("cannot write '{}': {}", path_.string(), error.message()));
  }
  void remove() const { fs::remove_all(path_); }
  /// Remove the database of a task, and what SQLite keeps beside it: a killed task leaves its log, which would be applied
  /// to the next file of that name.
  void remove_database_of(unsigned task) const {
    for (const char* suffix : kSuffixes) fs::remove(database_of(task).string() + suffix);
  }
  /// Move the database of a task out of the way of the next one. @return where it is
  [[nodiscard]] fs::path keep(unsigned task) const {
    fs::path kept;
    for (unsigned number = 1; kept.empty() || fs::exists(kept); ++number)
      kept = path_.string() + fmt::format("-left-out-{}.sqlite", number);
    for (const char* suffix : kSuffixes) {
      const fs::path file = database_of(task).string() + suffix;
      if (fs::exists(file)) fs::rename(file, kept.string() + suffix);
    }
    return kept;
  }
  /// @return the last line of a task's log
  [[nodiscard]] std::string last_words(unsigned task) const {
    std::string text = read_file(of(fmt::format("{}.log", task)));
    while (text.ends_with('\n')) text.pop_back();
    return text.substr(text.rfind('\n') + 1);
  }

 private:
  /// Of a database's files.
  static constexpr std::array<const char*, 3> kSuffixes = {"", "-wal", "-shm"};

  fs::path path_;
};

/// @return the part in "pmufab: 12 of 40 points, 3 s left, 30.0 %", the line of a task's progress; 0 for other lines
double fraction_in(const std::string& line) {
  constexpr std::string_view kEnd = " %";
  if (!line.ends_with(kEnd)) return 0;
  const std::size_t begin = line.rfind(' ', line.size() - kEnd.size() - 1);
  constexpr double kPercent = 100;
  return begin == std::string::npos ? 0 : std::strtod(line.c_str() + begin, nullptr) / kPercent;
}

class SlurmExplorer {
 public:
  explicit SlurmExplorer(const SlurmExploration& exploration)
      : exploration_(exploration), folder_(exploration.database) {}

  explore::Outcome run() {
    if (!folder_.job().empty()) finish(folder_.job(), folder_.tasks());
    explore::Outcome outcome = look();
    const std::uint64_t before = outcome.points;
    while (!outcome.is_complete && interrupts() == 0) {
      const std::uint64_t points = outcome.points;
      finish(submit(), exploration_.tasks);
      outcome = look();
      if (outcome.points == points) break;
    }
    if (outcome.is_complete) {
      folder_.remove();
    } else if (interrupts() == 0) {
      complain("pmufab: no task of Slurm has run a new point; {} ends with: {}\n", folder_.of("1.log").string(),
               folder_.last_words(1));
    }
    outcome.run = outcome.points - std::min(before, outcome.points);
    outcome.is_interrupted = interrupts() > 0;
    return outcome;
  }

 private:
  /// What is there.
  explore::Outcome look() {
    Database database(exploration_.database, Database::Mode::write);
    const std::unique_ptr<explore::Design> design = exploration_.design();
    explore::ExploreOptions options = exploration_.options;
    options.runs_nothing = true;
    options.on_progress = {};
    return explore::explore(exploration_.study, exploration_.points, *design, database, options);
  }

  std::string submit() {
    folder_.make();
    bool has_results = false;
    {
      Database database(exploration_.database, Database::Mode::write);
      has_results = database.costs().runs > 0;
    }
    // What is there is not run again. Nobody has the file open.
    for (unsigned task = 1; task <= exploration_.tasks; ++task) {
      folder_.remove_database_of(task);
      if (has_results) fs::copy_file(exploration_.database, folder_.database_of(task));
    }
    const std::string script =
        fmt::format("#!/bin/sh\nexec {} --shard \"$SLURM_ARRAY_TASK_ID/{}\" --db {}/\"$SLURM_ARRAY_TASK_ID\".sqlite\n",
                    exploration_.command, exploration_.tasks, process::shell_word(folder_.of("").parent_path()));
    write_file(folder_.of("script"), script);
    slurm::JobArray array;
    array.name = "pmufab-" + exploration_.study.name;
    array.script = folder_.of("script");
    array.log = folder_.of("%a.log");
    array.tasks = exploration_.tasks;
    array.processors = exploration_.processors;
    std::string job = slurm::submit(array);
    write_file_durably(folder_.of("tasks"), std::to_string(exploration_.tasks));
    write_file_durably(folder_.of("job"), job);
    return job;
  }

  /// Wait for a job, and take over what its tasks have.
  void finish(const std::string& job, unsigned tasks) {
    wait_for(job, tasks);
    Database database(exploration_.database, Database::Mode::write);
    for (unsigned task = 1; task <= tasks; ++task) {
      const fs::path part = folder_.database_of(task);
      if (!fs::exists(part)) continue;
      try {
        take_over(database, part);
        folder_.remove_database_of(task);
      } catch (const explore::DatabaseError& error) {
        const fs::path kept = folder_.keep(task);
        complain("pmufab: task {} is left out: {}; its file is {}\n", task, error.what(), kept.string());
      }
    }
    fs::remove(folder_.of("job"));
  }

  /// @param part  of this study; or of an earlier version of it, some of whose runs this one may need
  void take_over(Database& database, const fs::path& part) const {
    if (Database(part, Database::Mode::read).study_text() == database.study_text()) {
      database.merge(exploration_.study, part);
    } else {
      database.adopt(part);
    }
  }

  void wait_for(const std::string& job, unsigned tasks) {
    constexpr std::chrono::milliseconds kTurn{200};
    constexpr unsigned kTurnsBetween = 5;  // from one question to the next
    bool is_cancelled = false;
    for (unsigned turn = 0;; ++turn) {
      if (interrupts() > 0 && !std::exchange(is_cancelled, true)) slurm::cancel(job);
      if (turn % kTurnsBetween == 0) {
        const std::optional<slurm::Tasks> left = slurm::tasks_of(job);
        if (left && left->have_ended()) return;
        tell(job, tasks, left);
      }
      std::this_thread::sleep_for(kTurn);
    }
  }

  void tell(const std::string& job, unsigned tasks, const std::optional<slurm::Tasks>& left) const {
    if (!left) {
      exploration_.on_progress(0, fmt::format("Slurm does not answer; job {}", job));
      return;
    }
    const std::size_t ended = tasks - left->running.size() - left->waiting.size();
    auto done = static_cast<double>(ended);
    for (const unsigned task : left->running) done += fraction_in(folder_.last_words(task));
    exploration_.on_progress(done / tasks,
                             fmt::format("Slurm job {}: {} of {} ended, {} run, {} wait", job, ended,
                                         scenario::counted(tasks, "task"), left->running.size(), left->waiting.size()));
  }

  const SlurmExploration& exploration_;
  TaskFolder folder_;
};

}  // namespace

explore::Outcome explore_on_slurm(const SlurmExploration& exploration) { return SlurmExplorer(exploration).run(); }

}  // namespace pmufab::cli

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
