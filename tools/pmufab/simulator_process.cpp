// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/simulator_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "testbench/process/child_process.h"
#include "testbench/scenario/yaml/input_error.h"

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

}  // namespace

Simulator start_simulator(const fs::path& folder,
                          const std::function<int(int stop, const std::function<void()>& on_ready)>& work) {
  int stop[2];
  int ready[2];
  if (pipe2(stop, O_CLOEXEC) != 0 || pipe2(ready, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t pid = process::start_child([&] {
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
  char done = 0;
  ssize_t size = 0;
  do {
    size = read(ready[0], &done, 1);
  } while (size < 0 && errno == EINTR);
  close(ready[0]);
  return {pid, stop[1], size == 1};
}

int Simulator::end() {
  static_cast<void>(!write(stop_, "s", 1));
  close(stop_);
  return process::wait_for(std::exchange(pid_, -1));
}

std::optional<int> check_simulator(int status, bool ended) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == kPassed && ended) return std::nullopt;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kBadInput) return kBadInput;
  complain("pmufab: the simulator died: {}\n", process::describe(process::process_end(status)));
  return kInternalError;
}

Options platform_options() {
  return {
      list("traffic", "FILE",
           "traffic of sockets; may be given several times (default: none). For flits, CHI and CXL traffic: "
           "--set 'chi_traffic=[...]'"),
      text("seed", "N", "seed of the traffic", "1"),
      list("set", "PATH=VALUE", "change a value, as in pmufab run"),
  };
}

scenario::ScenarioSpec scenario_of(const po::variables_map& map, const std::string& platform, const std::string& name) {
  Value document = Value::map();
  document.add("name", Value::of(name, true));
  document.add("seed", Value::of(map["seed"].as<std::string>()));
  if (!platform.empty()) document.add("platform", Value::of(platform, true));
  Value traffic = Value::sequence();
  for (const std::string& file : values_of(map, "traffic")) traffic.items.push_back(Value::of(file, true));
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
    for (const char* key : {"duration", "measure", "actions", "expect", "expected_failure", "drivers"}) {
      if (scenario::is_override_of(text, key))
        throw InputError(fmt::format("--set {}: here the commands you run decide what is measured, and when", text),
                         "write a scenario, and use pmufab run");
    }
  }
  return scenario::ScenarioFile(document, fs::path()).load({}, overrides);
}

double time_scale_of(const std::string& text) {
  char* end = nullptr;
  const double scale = std::strtod(text.c_str(), &end);
  constexpr double kLeast = 1e-9;
  constexpr double kMost = 1e3;
  if (text.empty() || *end != '\0' || !(scale >= kLeast && scale <= kMost))
    throw InputError(fmt::format("--time-scale {} is not a number from 1e-9 to 1000", text),
                     "with 0.001 one second of a program is one simulated millisecond");
  return scale;
}

}  // namespace pmufab::cli
