// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/session/runner.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "models/plugin/part/plugin_part.h"
#include "testbench/run/process/captured_output.h"
#include "testbench/run/process/child_process.h"
#include "testbench/run/process/crash_report.h"
#include "testbench/run/process/descriptor.h"
#include "testbench/run/process/process_tree.h"
#include "testbench/run/process/resource_limits.h"
#include "testbench/run/process/shared_memory.h"
#include "testbench/run/report/profile.h"
#include "testbench/run/session/session.h"
#include "testbench/run/yaml/quantity.h"
#include "tlm/spec/printable.h"

namespace pmufab::scenario {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;  // for time-outs and progress only: nothing of it reaches a result

constexpr std::chrono::seconds kPatience{5};             // from asking a child to stop to making it
constexpr std::chrono::seconds kLastWords{1};            // from then on, to say where it is
constexpr std::chrono::milliseconds kBetweenLooks{100};  // at the processes of a run
constexpr int kCrashed = 3;                              // exit code of a run that could not end
constexpr Picoseconds kSecond = 1'000'000'000'000;

/// What the process of a run tells its parent without writing. A driver may write here, too, by mistake: a flag is set
/// only if it is 1.
struct Shared {
  std::atomic<Picoseconds> simulated_time{0};
  std::atomic<int> percent{0};
  std::atomic<int> write_error{0};  // errno, if the journal could not be written
  SharedFlag processor_time_is_over{0};
  SharedFlag is_limited{0};   // the limit of simulated time holds, and the run did not end at it itself
  process::SharedText place;  // the function that did not return
  ProfileSamples samples{};
};

volatile std::sig_atomic_t stop_requested = 0;
SharedFlag* processor_time_is_over = nullptr;  // in a child
Shared* told_parent = nullptr;                 // in a child
const driver_host::DriverHost* host_of_run = nullptr;

void request_stop(int signal) {
  if (signal == SIGXCPU) *processor_time_is_over = 1;
  stop_requested = 1;
}

/// Tells the parent where a driver or a plug-in is that does not return, or has crashed. For a driver, this does what a
/// signal's handler must not do, and may wait for ever. That does not matter, because the process is killed right
/// afterwards.
/// @param library   whose function is the innermost on the stack
/// @param is_sound  the heap is most likely in order
void tell_place(const std::string& library, bool is_sound) {
  std::array<char, process::SharedText::kRoom> room;
  if (const std::string_view place = platform::plugin_place(library, room); !place.empty())
    told_parent->place.tell(place);
  else if (is_sound && host_of_run != nullptr)
    told_parent->place.tell(host_of_run->driver_function());
}

RunResult known_of(const RunPlan& plan) {
  RunResult known;
  known.scenario = plan.scenario->name;
  known.variant = plan.scenario->variant.name;
  known.platform = plan.scenario->platform;
  known.drivers = plan.drivers->kernel_version;
  known.seed = plan.scenario->seed;
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
  process::CapturedOutput output;
  process::SharedMemory<Shared> shared;
  Clock::time_point started;
  Clock::time_point looked;  // at its processes
  bool stopping = false;
  Clock::time_point asked;  // to stop
  bool questioned = false;  // where it is, because it did not
  bool killed = false;      // soon afterwards
  bool timed_out = false;   // that is why it was asked
  std::string limit;        // that is why
  process::Descriptor end;  // can be read when it has ended
};

/// A run that has ended and waits for its turn to be reported.
struct Finished {
  process::ProcessEnd end;
  RunCost cost{};
  Picoseconds simulated_time = 0;
  int write_error = 0;
  std::string output;  // if it is not in a file
};

/// The plans of a list, and their results in the order of the list.
class ListedRuns : public RunSource {
 public:
  ListedRuns(const std::vector<RunPlan>& plans, const RunnerOptions& options) : plans_(plans), options_(options) {}

  std::optional<RunPlan> next() override {
    return next_ < plans_.size() ? std::optional(plans_[next_++]) : std::nullopt;
  }
  void take(const RunPlan& plan, RunResult result, const RunCost& cost) override {
    ++taken_;
    if (options_.on_cost) options_.on_cost(cost);
    if (options_.on_result) options_.on_result(plan, std::move(result));
  }
  [[nodiscard]] std::size_t size() const override { return plans_.size(); }
  /// @return those that were never begun: the last ones
  [[nodiscard]] std::vector<RunPlan> rest() const {
    return {plans_.begin() + static_cast<std::ptrdiff_t>(taken_), plans_.end()};
  }

 private:
  const std::vector<RunPlan>& plans_;
  const RunnerOptions& options_;
  std::size_t next_ = 0;
  std::size_t taken_ = 0;
};

void follow_signals(Shared& shared) {
  processor_time_is_over = &shared.processor_time_is_over;
  struct sigaction action {};
  action.sa_handler = request_stop;
  for (const int signal : {SIGINT, SIGTERM, SIGXCPU}) sigaction(signal, &action, nullptr);
  told_parent = &shared;
  action.sa_handler = [](int /*signal*/) { tell_place(process::library_on_stack(), true); };
  sigaction(SIGUSR1, &action, nullptr);
  process::tell_of_crashes(tell_place);
  std::signal(SIGPIPE, SIG_IGN);
}

/// @return what is written down of a run, with its files in the scratch folder
TraceOptions traces_of(const RunPlan& plan, const RunnerOptions& options, std::size_t index) {
  const std::string title = fmt::format("{} (platform {}, drivers of Linux {})", plan.scenario->title(),
                                        plan.scenario->platform, plan.drivers->kernel_version);
  return options.traces.in(options.scratch / fmt::format("{}.", index), title);
}

/// @param session  what depends on the process in which it runs
int run_plan(const RunPlan& plan, const RunnerOptions& options, std::size_t index, const fs::path& file,
             SessionOptions session) {
  Journal journal(file);
  ScenarioSpec spec;
  try {
    spec = plan.scenario->load();
    if (options.prepare) options.prepare(spec);
  } catch (const InputError& error) {  // the file was good when the runs were planned
    journal.write_error(Journal::Cause::input, error.what());
    return 2;
  }
  session.limits = options.limits;
  session.covers = options.covers;
  session.records_load = options.records_load;
  session.traces = traces_of(plan, options, index);
  return run_session(spec, *plan.drivers, journal, session);
}

/// Everything the child does. @return its exit code
int be_child(const RunPlan& plan, const RunnerOptions& options, Child& child, const fs::path& journal, pid_t parent,
             bool has_spare_processor) {
  // Only the parent receives the terminal's interrupt, and passes it on.
  setpgid(0, 0);
  process::end_with(parent, SIGKILL);
  process::adopt_orphans(true);
  follow_signals(*child.shared);
  child.output.redirect(true, !options.echo_log);
  process::close_parents_files();  // a driver has no business with reports
  process::limit_resources({.memory = options.limits.memory,
                            .files = options.limits.files,
                            .processor_seconds = (options.limits.processor_time + kSecond - 1) / kSecond});
  Shared& shared = *child.shared;
  SessionOptions session;
  // Unless the user wants to see it, for the parent: of a run that crashes nothing else is left.
  session.echo_log = true;
  session.has_spare_processor = has_spare_processor;
  session.interrupted = [] { return stop_requested != 0; };
  session.progress = [&](double fraction) { shared.percent = static_cast<int>(fraction * 100); };
  session.on_host = [](const driver_host::DriverHost* host) { host_of_run = host; };
  session.simulated_time = &shared.simulated_time;
  session.is_limited = &shared.is_limited;
  try {
    if (options.profile == nullptr) return run_plan(plan, options, child.index, journal, std::move(session));
    ProcessorSamples samples;
    const int code = run_plan(plan, options, child.index, journal, std::move(session));
    options.profile->sort(samples.stop(), shared.samples);
    return code;
  } catch (const JournalError& error) {
    child.shared->write_error = error.number();  // where this would be kept there is no room either
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  return kCrashed;
}

class Runner {
 public:
  /// @param in_order  results are handed over in the order in which the runs began
  Runner(RunSource& source, const RunnerOptions& options, bool in_order)
      : source_(source), options_(options), in_order_(in_order), strangers_(process::all_children(getpid())) {
    process::adopt_orphans(true);
  }
  ~Runner() { process::adopt_orphans(false); }
  Runner& operator=(Runner&&) = delete;

  void run() {
    while (true) {
      const int interrupted = options_.interrupted ? options_.interrupted() : 0;
      const bool begins = interrupted == 0 && begin_runs();
      if (children_.empty() && !begins) break;
      wait_a_little();
      for (Child& child : children_) look_after(child, interrupted);
      reap();
      report();
      if (options_.on_progress) show_progress();
    }
  }

 private:
  [[nodiscard]] fs::path journal_of(std::size_t index) const {
    return options_.scratch / fmt::format("{}.journal", index);
  }
  [[nodiscard]] fs::path output_of(std::size_t index) const {
    return options_.scratch / fmt::format("{}.output", index);
  }

  /// Begin as many as may run. @return true if one began
  bool begin_runs() {
    bool begins = false;
    while (children_.size() < std::max(1U, options_.jobs)) {
      if (!plans_.contains(begun_)) {
        std::optional<RunPlan> plan = source_.next();
        if (!plan) break;
        plans_.emplace(begun_, std::move(*plan));
      }
      if (!start(begun_)) break;
      ++begun_;
      begins = true;
    }
    return begins;
  }

  /// @return whether there are two processors for each of the runs that may run at the same time. Where memory is scarce,
  ///         a run does without the second, because what a thread needs would be missing.
  [[nodiscard]] bool has_spare_processors() const {
    if (options_.limits.memory != 0 && options_.limits.memory < process::kMuchMemory) return false;
    const std::size_t runs = std::min<std::size_t>(std::max(1U, options_.jobs), source_.size());
    return 2 * runs <= process::processors();
  }

  /// @return false if it must be tried again, because other runs use up what a process needs
  bool start(std::size_t index) {
    try {
      fork_child(index);
    } catch (const std::system_error& error) {
      if (!children_.empty()) return false;
      Finished run;
      run.end.exited = true;
      run.end.status = EXIT_FAILURE;
      run.end.limit = fmt::format("it could not be started: {}", error.what());
      finished_.emplace(index, std::move(run));
      ++done_;
    }
    return true;
  }

  void fork_child(std::size_t index) {
    Child child{.index = index,
                .output = process::CapturedOutput(options_.limits.log),
                .shared = {},
                .started = Clock::now(),
                .looked = {},
                .asked = {},
                .limit = {},
                .end = {}};
    const pid_t parent = getpid();
    child.pid = process::start_child([&] {
      children_.clear();  // the other runs' pipes
      return be_child(plans_.at(index), options_, child, journal_of(index), parent, has_spare_processors());
    });
    child.output.begin();
    try {
      child.end = process::watch(child.pid);
    } catch (const std::system_error&) {
      child.end = {};  // without a descriptor to spare, it is asked now and then
    }
    children_.push_back(std::move(child));
  }

  /// Wait until a child writes or ends, or some time has passed.
  void wait_a_little() {
    constexpr int kLong = 200;
    constexpr int kShort = 5;  // nothing tells when a child ends
    int timeout = kLong;
    std::vector<pollfd> wait;
    for (const Child& child : children_) wait.push_back({child.output.descriptor(), POLLIN, 0});
    for (const Child& child : children_) {
      wait.push_back({child.end.get(), POLLIN, 0});
      if (!child.end) timeout = kShort;
    }
    poll(wait.data(), wait.size(), timeout);
    for (std::size_t i = 0; i < children_.size(); ++i) {
      if (wait[i].revents != 0) children_[i].output.read();
    }
  }

  void look_after(Child& child, int interrupted) {
    const Clock::time_point now = Clock::now();
    const auto timeout = std::chrono::seconds(options_.timeout_seconds);
    const bool late = options_.timeout_seconds > 0 && now - child.started > timeout;
    if ((interrupted > 0 || late) && !child.stopping) {
      kill(child.pid, SIGINT);
      child.stopping = true;
      child.timed_out = interrupted == 0;
      child.asked = now;
    }
    // A run stops by itself, unless a driver keeps it.
    const Picoseconds most = options_.limits.simulated_time;
    if (most > 0 && child.shared->is_limited == 1 && child.shared->simulated_time > most && !child.stopping) {
      child.stopping = true;
      child.asked = now;
      child.limit =
          fmt::format("it simulated more than --limit simulated-time={}", format_quantity(most, Quantity::duration));
    }
    // The kernel kills it some seconds later.
    if (child.shared->processor_time_is_over == 1 && !child.stopping) {
      child.stopping = true;
      child.asked = now - kPatience;
    }
    // A child whose driver never returns does not react to the first signal.
    if (child.stopping && !child.questioned && now - child.asked > kPatience) {
      kill(child.pid, SIGUSR1);
      child.questioned = true;
    }
    const bool is_silent =
        child.questioned && (now - child.asked > kPatience + kLastWords || child.shared->place.is_told());
    if (!child.killed && (interrupted > 1 || is_silent)) end_now(child);
    if (now - child.looked > kBetweenLooks) {
      child.looked = now;
      count_processes(child);
    }
  }

  /// The kernel's own limit (RLIMIT_NPROC) is about all processes of a user, and not for root.
  void count_processes(Child& child) {
    const std::uint64_t most = options_.limits.processes;
    if (most == 0 || child.killed || process::count_descendants(child.pid, most) <= most) return;
    child.limit = fmt::format("its drivers started more than {} processes (--limit processes=N allows more)", most);
    end_now(child);
  }

  static void end_now(Child& child) {
    kill(-child.pid, SIGKILL);  // at once with what it started, so that nothing can start more
    kill(child.pid, SIGKILL);
    child.killed = true;
  }

  void reap() {
    for (std::size_t i = 0; i < children_.size();) {
      rusage used{};
      const std::optional<int> status = process::ended(children_[i].pid, &used);
      if (!status) {
        ++i;
        continue;
      }
      Child child = std::move(children_[i]);
      children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
      kill(-child.pid, SIGKILL);
      std::vector<pid_t> wanted = strangers_;
      for (const Child& other : children_) wanted.push_back(other.pid);
      process::end_other_children(wanted);
      finish(child, *status, used);
    }
  }

  void finish(Child& child, int status, const rusage& used) {
    Finished run;
    const auto seconds = [](const timeval& time) {
      constexpr double kMicrosecond = 1e-6;
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicrosecond;
    };
    run.cost = {std::chrono::duration<double>(Clock::now() - child.started).count(),
                seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<std::uint64_t>(used.ru_maxrss)};
    if (options_.profile != nullptr) options_.profile->add(child.shared->samples, run.cost.processor_seconds);
    run.end = process::process_end(status);
    run.end.asked = child.stopping;
    run.end.timed_out = child.timed_out;
    run.end.stopped = child.killed;
    run.end.limit = std::move(child.limit);
    if (child.shared->processor_time_is_over == 1) {
      const Picoseconds most = options_.limits.processor_time;
      run.end.limit =
          most == 0 ? "it used up the processor time that a process may use here (ulimit -t)"
                    : fmt::format("it used up --limit processor-time={}", format_quantity(most, Quantity::duration));
    }
    run.simulated_time = child.shared->simulated_time;
    run.end.place = printable(child.shared->place.text());
    if (run.end.exited && run.end.status == kCrashed) run.write_error = child.shared->write_error;
    run.output = child.output.finish();
    // A slow run may have thousands of quick ones waiting behind it.
    if (in_order_ && child.index != plans_.begin()->first && !run.output.empty()) {
      std::ofstream file(output_of(child.index), std::ios::binary);
      file << run.output;
      file.close();
      if (file) run.output.clear();
    }
    finished_.emplace(child.index, std::move(run));
    ++done_;
  }

  /// Hand over results, as far as it is their turn.
  void report() {
    for (auto run = finished_.begin(); run != finished_.end(); run = finished_.erase(run)) {
      const std::size_t index = run->first;
      if (in_order_ && index != plans_.begin()->first) return;
      const RunPlan plan = plans_.at(index);
      std::string output;
      RunResult result = result_of(index, run->second, output);
      std::error_code ignored;
      fs::remove(journal_of(index), ignored);
      fs::remove(output_of(index), ignored);
      const TraceOptions traces = traces_of(plan, options_, index);
      if (options_.on_traces) options_.on_traces(traces);
      traces.remove();
      if (!output.empty() && options_.on_output) options_.on_output(result.title(), output);
      plans_.erase(index);
      source_.take(plan, std::move(result), run->second.cost);
    }
  }

  /// @param output  receives what the run printed, without its kernel log
  RunResult result_of(std::size_t index, Finished& run, std::string& output) const {
    RunResult known = known_of(plans_.at(index));
    known.simulated_time = run.simulated_time;
    RunResult result = known;
    try {
      result = read_journal(journal_of(index), known, run.end);
    } catch (const std::exception& error) {
      result.status = RunResult::Status::crashed;
      result.partial = true;
      result.message = fmt::format("its results cannot be read: {}", error.what());
    }
    constexpr std::uint64_t kKibibyte = 1024;
    // What needs much may just be large, and not stuck.
    if (const std::uint64_t memory = run.cost.memory_kib * kKibibyte;
        process::is_killed(run.end) && !result.message.empty() && memory >= process::kMuchMemory)
      result.message += fmt::format("; it had simulated {} and needed {:.1f} GiB of memory",
                                    format_quantity(run.simulated_time, Quantity::duration),
                                    static_cast<double>(memory) / static_cast<double>(process::kMuchMemory));
    if (run.write_error == EBADF) {
      result.status = RunResult::Status::crashed;
      result.message = "its results cannot be written any more: its file was closed (does a driver close files?)";
    } else if (run.write_error != 0) {
      result.status = RunResult::Status::bad_input;
      result.is_lost = true;
      result.message =
          JournalError(fmt::format("its results cannot be written to {}", options_.scratch.string()), run.write_error)
              .what();
    }
    output = std::move(run.output);
    if (output.empty()) {
      std::ifstream file(output_of(index), std::ios::binary);
      output.assign(std::istreambuf_iterator<char>(file), {});
    }
    output = printable_lines(output);  // whatever drivers and plug-ins have printed themselves
    std::vector<std::string> log = process::take_kernel_log(output);
    if (result.kernel_log.empty()) result.kernel_log = std::move(log);
    return result;
  }

  void show_progress() {
    RunnerProgress progress;
    progress.done = done_;
    progress.all = source_.size();
    progress.fraction = static_cast<double>(done_);
    for (const Child& child : children_) progress.fraction += static_cast<double>(child.shared->percent) / 100;
    progress.fraction /= static_cast<double>(std::max<std::size_t>(1, progress.all));
    if (!children_.empty()) {
      const Child& oldest = children_.front();
      const RunPlan& plan = plans_.at(oldest.index);
      progress.running = fmt::format("{} (Linux {})", plan.scenario->title(), plan.drivers->kernel_version);
      progress.seconds = std::chrono::duration<double>(Clock::now() - oldest.started).count();
    }
    options_.on_progress(progress);
  }

  RunSource& source_;
  const RunnerOptions& options_;
  bool in_order_;
  std::vector<pid_t> strangers_;          // children of this process that are no runs
  std::map<std::size_t, RunPlan> plans_;  // of runs that begin, run, or wait to be handed over
  std::map<std::size_t, Finished> finished_;
  std::vector<Child> children_;
  std::size_t begun_ = 0;
  std::size_t done_ = 0;
};

}  // namespace

std::string PlannedScenario::title() const {
  RunResult run;
  run.scenario = name;
  run.variant = variant.name;
  return run.title();
}

std::shared_ptr<const PlannedScenario> plan_scenario(std::shared_ptr<const ScenarioFile> file, Variant variant,
                                                     std::shared_ptr<const std::vector<std::string>> overrides,
                                                     const ScenarioSpec& spec) {
  return std::make_shared<const PlannedScenario>(PlannedScenario{.file = std::move(file),
                                                                 .variant = std::move(variant),
                                                                 .overrides = std::move(overrides),
                                                                 .name = spec.name,
                                                                 .platform = spec.platform_name,
                                                                 .seed = spec.seed});
}

void run_all(RunSource& source, const RunnerOptions& options) { Runner(source, options, false).run(); }

void run_all(const std::vector<RunPlan>& plans, const RunnerOptions& options) {
  ListedRuns runs(plans, options);
  Runner(runs, options, true).run();
  for (const RunPlan& plan : runs.rest()) {
    if (options.on_result) options.on_result(plan, never_begun(plan));
  }
}

void run_here(const RunPlan& plan, const RunnerOptions& options) {
  const Clock::time_point started = Clock::now();
  const fs::path journal = options.scratch / "0.journal";
  std::atomic<Picoseconds> simulated{0};
  SessionOptions session;
  session.echo_log = options.echo_log;
  session.interrupted = [&options] { return options.interrupted && options.interrupted() > 0; };
  session.simulated_time = &simulated;
  process::ProcessEnd end;
  end.exited = true;
  std::string lost;  // why the rest of the journal is
  try {
    end.status = run_plan(plan, options, 0, journal, session);
  } catch (const JournalError& error) {
    end.status = kCrashed;
    lost = error.what();
  }
  end.asked = session.interrupted();
  RunResult known = known_of(plan);
  known.simulated_time = simulated;
  RunResult result = read_journal(journal, known, end);
  if (!lost.empty()) {
    result.status = RunResult::Status::bad_input;
    result.message = lost;
  }
  const TraceOptions traces = traces_of(plan, options, 0);
  if (options.on_traces) options.on_traces(traces);
  traces.remove();
  if (options.on_cost) options.on_cost({.seconds = std::chrono::duration<double>(Clock::now() - started).count()});
  if (options.on_result) options.on_result(plan, std::move(result));
}

}  // namespace pmufab::scenario
