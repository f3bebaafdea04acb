// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/run/runner.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>

#include "testbench/scenario/run/session.h"

namespace pmufab::scenario {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;  // for time-outs and progress only: nothing of it reaches a result

constexpr int kJournalLost = 4;               // exit code of a run that cannot write its journal
constexpr std::chrono::seconds kPatience{5};  // from asking a child to stop to making it

volatile std::sig_atomic_t stop_requested = 0;

void request_stop(int) { stop_requested = 1; }

RunResult known_of(const RunPlan& plan) {
  RunResult known;
  known.scenario = plan.spec.name;
  known.variant = plan.spec.variant;
  known.platform = plan.spec.platform_name;
  known.drivers = plan.drivers.kernel_version;
  known.seed = plan.spec.seed;
  return known;
}

RunResult never_begun(const RunPlan& plan) {
  RunResult run = known_of(plan);
  run.message = "the user stopped the program before its turn";
  return run;
}

/// The process of one run, seen from the parent.
struct Child {
  std::size_t index = 0;
  pid_t pid = -1;
  int progress_pipe = -1;
  fs::path journal;
  fs::path output;
  Clock::time_point started;
  double fraction = 0;
  bool stopping = false;
  Clock::time_point asked;  // to stop
  bool killed = false;      // because it did not
  bool timed_out = false;   // that is why it was asked
};

/// Everything the child does. @return its exit code
int be_child(const RunPlan& plan, const RunnerOptions& options, const Child& child, int progress_pipe, pid_t parent) {
  // Only the parent receives the terminal's interrupt, and passes it on.
  setpgid(0, 0);
  process::end_with(parent, SIGKILL);
  struct sigaction action {};
  action.sa_handler = request_stop;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  process::redirect_output(child.output, true, !options.echo_log);
  int code = 3;
  try {
    Journal journal(child.journal);
    SessionOptions session;
    session.echo_log =
        true;  // unless the user wants to see it, for the parent: of a run that crashes nothing else is left
    session.interrupted = [] { return stop_requested != 0; };
    int last = -1;
    session.progress = [&](double fraction) {
      const int percent = static_cast<int>(fraction * 100);
      if (percent == last) return;
      last = percent;
      const auto byte = static_cast<char>(percent);
      static_cast<void>(!write(progress_pipe, &byte, 1));
    };
    code = run_session(plan.spec, plan.drivers, journal, session);
  } catch (const JournalError&) {
    return kJournalLost;  // the parent says it: where this would be kept there is no room either
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  return code;
}

class Runner {
 public:
  Runner(const std::vector<RunPlan>& plans, const RunnerOptions& options)
      : plans_(plans), options_(options), results_(plans.size()) {}

  std::vector<RunResult> run() {
    std::size_t next = 0;
    while (true) {
      const int interrupted = options_.interrupted ? options_.interrupted() : 0;
      if (interrupted > 0) next = plans_.size();
      while (next < plans_.size() && children_.size() < std::max(1U, options_.jobs)) start(next++);
      if (children_.empty() && next == plans_.size()) break;
      wait_a_little();
      for (Child& child : children_) look_after(child, interrupted);
      reap();
      report(false);
      if (options_.on_progress) show_progress();
    }
    report(true);
    std::vector<RunResult> results;
    for (std::size_t i = 0; i < plans_.size(); ++i)
      results.push_back(results_[i] ? std::move(*results_[i]) : never_begun(plans_[i]));
    return results;
  }

 private:
  void start(std::size_t index) {
    Child child;
    child.index = index;
    child.journal = options_.scratch / fmt::format("{}.journal", index);
    child.output = options_.scratch / fmt::format("{}.output", index);
    child.started = Clock::now();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    const pid_t parent = getpid();
    child.pid = process::start_child([&] {
      close(ends[0]);
      return be_child(plans_[index], options_, child, ends[1], parent);
    });
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    child.progress_pipe = ends[0];
    children_.push_back(std::move(child));
  }

  /// Wait until a child writes or ends, or some time has passed.
  void wait_a_little() {
    std::vector<pollfd> wait;
    for (const Child& child : children_) wait.push_back({child.progress_pipe, POLLIN, 0});
    poll(wait.data(), wait.size(), 200);
    for (std::size_t i = 0; i < wait.size(); ++i) {
      char bytes[64];
      const ssize_t count = read(wait[i].fd, bytes, sizeof bytes);
      if (count > 0) children_[i].fraction = static_cast<double>(bytes[count - 1]) / 100;
    }
  }

  void look_after(Child& child, int interrupted) {
    const auto limit = std::chrono::seconds(options_.timeout_seconds);
    const bool late = options_.timeout_seconds > 0 && Clock::now() - child.started > limit;
    if ((interrupted > 0 || late) && !child.stopping) {
      kill(child.pid, SIGINT);
      child.stopping = true;
      child.timed_out = interrupted == 0;
      child.asked = Clock::now();
    }
    // A child whose driver never returns does not react to the first signal.
    if (!child.killed && (interrupted > 1 || (child.stopping && Clock::now() - child.asked > kPatience))) {
      kill(child.pid, SIGKILL);
      child.killed = true;
    }
  }

  void reap() {
    for (std::size_t i = 0; i < children_.size();) {
      const std::optional<int> status = process::ended(children_[i].pid);
      if (!status) {
        ++i;
        continue;
      }
      Child child = std::move(children_[i]);
      children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
      close(child.progress_pipe);
      process::ProcessEnd end = process::process_end(*status);
      end.timed_out = child.timed_out;
      end.stopped = child.killed;
      RunResult& result =
          results_[child.index].emplace(read_journal(child.journal, known_of(plans_[child.index]), end));
      if (end.exited && end.status == kJournalLost) {
        result.status = RunResult::Status::bad_input;
        result.message =
            JournalError(fmt::format("its results cannot be written to {}", options_.scratch.string())).what();
      }
      std::ifstream stream(child.output, std::ios::binary);
      std::string output(std::istreambuf_iterator<char>(stream), {});
      std::vector<std::string> log = process::take_kernel_log(output);
      if (result.kernel_log.empty()) result.kernel_log = std::move(log);
      outputs_.emplace_back(child.index, std::move(output));
      ++done_;
      std::error_code ignored;
      fs::remove(child.journal, ignored);
      fs::remove(child.output, ignored);
    }
  }

  /// Hand over results in the order of the plans, as far as they are there.
  void report(bool everything) {
    while (reported_ < plans_.size() && (everything || results_[reported_])) {
      const RunResult result = results_[reported_] ? *results_[reported_] : never_begun(plans_[reported_]);
      for (const auto& [index, text] : outputs_) {
        if (index == reported_ && !text.empty() && options_.on_output) options_.on_output(result.title(), text);
      }
      if (options_.on_result) options_.on_result(plans_[reported_], result);
      ++reported_;
    }
  }

  void show_progress() {
    RunnerProgress progress;
    progress.done = done_;
    progress.all = plans_.size();
    progress.fraction = static_cast<double>(done_);
    for (const Child& child : children_) progress.fraction += child.fraction;
    progress.fraction /= static_cast<double>(plans_.size());
    if (!children_.empty()) progress.running = known_of(plans_[children_.front().index]).title();
    options_.on_progress(progress);
  }

  const std::vector<RunPlan>& plans_;
  const RunnerOptions& options_;
  std::vector<std::optional<RunResult>> results_;
  std::vector<std::pair<std::size_t, std::string>> outputs_;
  std::vector<Child> children_;
  std::size_t done_ = 0;
  std::size_t reported_ = 0;
};

}  // namespace

std::vector<RunResult> run_all(const std::vector<RunPlan>& plans, const RunnerOptions& options) {
  return Runner(plans, options).run();
}

}  // namespace pmufab::scenario
