// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/simulator_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "testbench/run/process/child_process.h"
#include "testbench/run/process/descriptor.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/scenario_names.h"

namespace pmufab::cli {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;
using scenario::Value;

namespace {

/// @return true if the other end of the pipe was closed without a message, which means that its process was killed.
/// (The parent process id of its children changes only some time later.)
bool is_orphan(int stop) {
  pollfd look{stop, POLLIN, 0};
  return poll(&look, 1, 0) == 1 && (look.revents & POLLIN) == 0;
}

/// With what its drivers have started.
void kill_simulator(pid_t pid) {
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);  // it may not have its own group yet
}

/// Wait until the simulator says that it serves, or ends, or a signal comes.
Simulator::State wait_for_start(int ready, EndSignals& signals) {
  while (true) {
    pollfd files[] = {{ready, POLLIN, 0}, {signals.descriptor(), POLLIN, 0}};
    poll(files, 2, -1);
    if (signals.take()) return Simulator::State::stopped;
    if (files[0].revents == 0) continue;
    char done = 0;
    const ssize_t size = read(ready, &done, 1);
    if (size >= 0 || errno != EINTR) return size == 1 ? Simulator::State::ready : Simulator::State::failed;
  }
}

}  // namespace

Simulator start_simulator(const fs::path& folder, EndSignals& signals,
                          const std::function<int(int stop, const std::function<void()>& on_ready)>& work) {
  int stop[2];
  int ready[2];
  if (pipe2(stop, O_CLOEXEC) != 0 || pipe2(ready, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  scenario::CrashPlace crash;
  const pid_t pid = process::start_child([&] {
    crash.follow();
    close(stop[1]);
    close(ready[0]);
    setsid();
    const int code = answer_errors([&] {
      try {
        return work(stop[0], [done = ready[1]] {
          static_cast<void>(!write(done, "r", 1));
          close(done);
        });
      } catch (const std::system_error& error) {
        if (error.code() != std::errc::filename_too_long) throw;
        throw InputError(fmt::format("the path of the temporary folder is too long for a socket: {}", error.what()),
                         "set TMPDIR to a shorter one");
      }
    });
    if (is_orphan(stop[0])) {  // no other process cleans up
      std::error_code ignored;
      fs::remove_all(folder, ignored);
    }
    return code;
  });
  close(stop[0]);
  close(ready[1]);
  const Simulator::State state = wait_for_start(ready[0], signals);
  close(ready[0]);
  if (state == Simulator::State::stopped) kill_simulator(pid);  // it has no results yet
  return {signals, pid, stop[1], state, std::move(crash)};
}

Simulator::End Simulator::end(bool stopped) {
  constexpr std::chrono::seconds kPatience{5};
  constexpr std::chrono::seconds kOneWish{1};  // signals that come so soon after each other ask for one thing
  using Clock = std::chrono::steady_clock;
  static_cast<void>(!write(stop_, "s", 1));
  close(stop_);
  const pid_t pid = std::exchange(pid_, -1);
  const process::Descriptor process = process::watch(pid);
  bool killed = false;
  Clock::time_point told = Clock::now();
  for (Clock::time_point last = Clock::now() + kPatience; !killed;) {
    pollfd files[] = {{process.get(), POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}};
    constexpr int kLook = 100;  // ms
    poll(files, 2, stopped ? kLook : -1);
    if (files[0].revents != 0) break;
    const bool again = signals_.take().has_value();
    if (again && !stopped) {
      told = Clock::now();
      last = told + kPatience;
    }
    killed = stopped && ((again && Clock::now() >= told + kOneWish) || Clock::now() >= last);
    stopped = stopped || again;
  }
  if (killed) kill_simulator(pid);
  const int status = process::wait_for(pid);
  return {status, stopped, killed, crash_.place()};
}

std::optional<int> check_simulator(const Simulator::End& end, bool ended) {
  if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == kPassed && ended) return std::nullopt;
  if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == kBadInput) return kBadInput;
  process::ProcessEnd how = process::process_end(end.status);
  how.stopped = end.killed;
  how.place = end.place;
  complain("pmufab: the simulator died: {}\n", process::describe(how));
  return kInternalError;
}

void print_stopped() { complain("pmufab: stopped by a signal: the results are partial\n"); }

Options platform_options() {
  return {
      list(
          "traffic", "FILE",
          "file with traffic, as 'traffic' in a scenario names it; may be given several times (default: none). Traffic "
          "under other keys: --set 'KEY=[...]'"),
      text("seed", "N", "seed of the traffic", "1"),
      list("set", "PATH=VALUE", "change a value, as in pmufab run"),
  };
}

scenario::ScenarioSpec scenario_of(const po::variables_map& map, const std::string& platform, const std::string& name) {
  Value document = Value::map();
  document.add("name", Value::of(name, true));
  document.add("seed", Value::of(map["seed"].as<std::string>()));
  if (!platform.empty()) document.add("platform", Value::of(find_platform(platform), true));
  Value traffic = Value::sequence();
  for (const std::string& file : values_of(map, "traffic"))
    traffic.items.push_back(Value::of(find_traffic(file), true));
  document.add("traffic", std::move(traffic));
  // A scenario must measure something, for some time. Here other programs decide what and how long.
  document.add("duration", Value::of("1 ms"));
  Value measure = Value::map();
  Value events = Value::sequence();
  events.items.push_back(Value::of("pmu/event/", true));
  measure.add("events", std::move(events));
  Value measures = Value::sequence();
  measures.items.push_back(std::move(measure));
  document.add("measure", std::move(measures));
  const std::vector<std::string> overrides = values_of(map, "set");
  for (const std::string& text : overrides) {
    if (scenario::is_for_matrix(text))
      throw InputError(fmt::format("--set {}: this command has no matrix", text),
                       "write a scenario, and use pmufab run");
    for (const char* key : {"duration", "measure", "actions", "expect", "kernel_log", "expected_failure", "drivers"}) {
      if (scenario::is_override_of(text, key))
        throw InputError(fmt::format("--set {}: here the commands you run decide what is measured, and when", text),
                         "write a scenario, and use pmufab run");
    }
  }
  return scenario::ScenarioFile(document, fs::path()).load({}, overrides);
}

double time_scale_of(const std::string& text, const char* option) {
  char* end = nullptr;
  const double scale = std::strtod(text.c_str(), &end);
  constexpr double kLeast = 1e-9;
  constexpr double kMost = 1e3;
  if (text.empty() || *end != '\0' || !(scale >= kLeast && scale <= kMost))
    throw InputError(fmt::format("{} {} is not a number from 1e-9 to 1000", option, text),
                     "with 0.001 one second of a program is one simulated millisecond");
  return scale;
}

}  // namespace pmufab::cli
