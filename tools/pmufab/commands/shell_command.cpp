// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "testbench/doors/shell/protocol.h"
#include "testbench/doors/shell/shell_session.h"
#include "testbench/doors/shell/unseen_program.h"
#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/run/report/report.h"
#include "testbench/run/results/driver_files.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/coverage/coverage_file.h"
#include "tools/pmufab/end_signals.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/places.h"
#include "tools/pmufab/simulator_process.h"
#include "tools/pmufab/tracing/trace_files.h"
#include "tools/pmufab/user_program.h"
#include "tools/pmufab/verdict_table.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;

/// In a child: become the command, or a shell, on the platform.
[[noreturn]] void become_command(const fs::path& folder, const fs::path& preload, bool simulated_clock,
                                 std::vector<std::string> command) {
  // LD_PRELOAD is a list separated by blanks and colons. The library's path may contain some, the session's has none.
  const fs::path link = folder / "preload.so";
  std::error_code error_of_link;
  fs::create_symlink(preload, link, error_of_link);
  if (error_of_link) {
    complain("pmufab: {}: {}\n", link.string(), error_of_link.message());
    _exit(scenario::is_output_error(error_of_link) ? kBadInput : kInternalError);
  }
  // Nothing else is preloaded: libraries for this program, such as a sanitizer, are not for the others.
  setenv("LD_PRELOAD", link.c_str(), 1);
  setenv(PMUFAB_SHELL_SOCKET, (folder / shell::kSocketName).c_str(), 1);
  // As the kernel names it: the library compares it with what the kernel says of open files.
  setenv(PMUFAB_SHELL_SYSFS, fs::weakly_canonical(folder / shell::kSysfsName).c_str(), 1);
  // hwloc would ask the host's processors what they are.
  setenv("HWLOC_COMPONENTS", "-x86", 0);
  // perf has tables of events and metrics of this machine's CPUs, which are not the platform's. No table is of this one:
  // vendor, family, model and stepping, which perf of x86 wants.
  setenv("PERF_CPUID", "None-0-0-0", 0);
  setenv("SYSFS_PATH", (folder / shell::kSysfsName).c_str(), 1);
  unsetenv(PMUFAB_SHELL_EPOCH);  // of a shell around this one
  if (simulated_clock) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    setenv(PMUFAB_SHELL_EPOCH, std::to_string(std::chrono::nanoseconds(now).count()).c_str(), 1);
  }
  if (command.empty()) {
    const char* shell = std::getenv("SHELL");
    command.emplace_back(shell == nullptr || *shell == '\0' ? "/bin/sh" : shell);
  }
  pmufab_shell_tell_unseen(command.front().c_str());
  become_program(std::move(command));
}

/// Which drivers served the PMUs that were counted.
void print_drivers(const shell::SessionResult& result, const platform::PlatformSpec& platform) {
  std::vector<std::string> pmus;
  for (const perf::Verdict& verdict : result.verdicts) {
    if (verdict.opening) pmus.push_back(verdict.opening->pmu);
  }
  std::vector<std::string> lines = scenario::describe(result.driver_files, pmus);
  const std::string unused = scenario::describe_unused(result.driver_files, scenario::foreign_driver_modules(platform));
  if (!unused.empty()) lines.push_back(unused);
  if (!lines.empty()) complain("\n");
  for (const std::string& line : lines) complain("  {}\n", line);
}

/// @param complete  the command ended by itself, and so did the simulator
void write_json(const fs::path& file, const shell::SessionResult& result, const scenario::ScenarioSpec& spec,
                const driver_host::DriverSet& drivers, const Conclusion& conclusion, bool complete) {
  scenario::Json json = verdict_json(spec, complete, result.simulated, conclusion, result.failures);
  json["drivers"] = drivers.kernel_version;
  json["driver_files"] = scenario::to_json(result.driver_files);
  write_verdicts(file, std::move(json), "driver", result.verdicts);
}

void greet(const scenario::ScenarioSpec& spec, const driver_host::DriverSet& drivers, double time_scale) {
  complain(
      "pmufab: platform {}, drivers of Linux {}. One second here is {} of simulated time.\n"
      "pmufab: perf, lspci, setpci and sleep see the platform. Leave the shell to get the verdicts.\n",
      spec.platform_name, drivers.kernel_version,
      scenario::format_quantity(static_cast<std::uint64_t>(time_scale * 1e12), scenario::Quantity::duration));
}

/// Programs that do not load the library would run on the host unnoticed.
void check_preloadable(const fs::path& folder) {
  if (folder.string().find_first_of(" :") == std::string::npos) return;
  throw InputError(fmt::format("the temporary folder '{}' has a blank or a colon in its name", folder.string()),
                   "set TMPDIR to another folder: LD_PRELOAD takes no such name");
}

void print_session(const shell::SessionResult& result, const scenario::ScenarioSpec& spec, bool has_log) {
  print_verdicts("driver", "event, in the order of closing", result.verdicts);
  print_drivers(result, spec.platform);
  print_failures(result.failures);
  if (!result.failures.empty() && !has_log) complain("pmufab: --kernel-log shows the kernel log\n");
}

/// Say how it ended. @param of_command  its exit code @param finish  makes one of it for lost results
int code_at_end(const Simulator& simulator, const Simulator::End& end, const shell::SessionResult& result,
                const Conclusion& conclusion, int of_command, const std::function<int(int)>& finish) {
  if (simulator.state() != Simulator::State::stopped) {
    if (const std::optional<int> failed = check_simulator(end, result.ended)) return finish(*failed);
  }
  if (end.stopped) {
    print_stopped();
    return finish_standard_error(finish(kCheckFailed));
  }
  conclusion.print();
  return finish_standard_error(finish(conclusion.exit_code(of_command)));
}

/// @throws InputError for another word, or with --time-scale
bool has_simulated_clock(const po::variables_map& map) {
  const std::string clock = map["clock"].as<std::string>();
  if (clock != "host" && clock != "simulated")
    throw InputError(fmt::format("--clock '{}' is neither 'host' nor 'simulated'", clock));
  if (clock == "simulated" && !map["time-scale"].defaulted())
    throw InputError("--time-scale and --clock simulated do not go together",
                     "with a simulated clock one second of a program is one simulated second");
  return clock == "simulated";
}

/// @return the only platform's file; empty: the default one
std::string platform_of(const Request& request) {
  if (request.words.size() > 1)
    throw InputError("there is more than one platform; give one at a time", "a command goes after --");
  return request.words.empty() ? std::string() : request.words.front();
}

int run_shell(const Request& request) {
  const po::variables_map& map = request.options;
  const bool simulated_clock = has_simulated_clock(map);
  const double time_scale = simulated_clock ? 1 : time_scale_of(map["time-scale"].as<std::string>());
  const scenario::ScenarioSpec spec = scenario_of(map, platform_of(request), "shell");
  require_judge(spec, "shell");
  const driver_host::DriverSet drivers = find_newest_driver(map, spec.platform);
  const std::string json = map["json"].as<std::string>();
  if (!json.empty()) check_writable(json);
  CoverageFile coverage(map["coverage"].as<std::string>());
  check_reports(map, {"json", "coverage", "trace-mmio", "timeline"});
  TraceFiles traces(map, scenario::RunLimits{}.trace);
  const fs::path preload = find_library("testbench/doors/shell", "pmufab_shell_preload.so");

  EndSignals signals;
  const ScratchFolder scratch;
  check_preloadable(scratch.path());
  const scenario::TraceOptions traced = traces.options().in(
      scratch.path() / "trace-",
      fmt::format("shell (platform {}, drivers of Linux {})", spec.platform_name, drivers.kernel_version));
  Simulator simulator = start_simulator(scratch.path(), signals, [&](int stop, const std::function<void()>& on_ready) {
    shell::SessionOptions session;
    session.folder = scratch.path();
    session.time_scale = time_scale;
    session.simulated_clock = simulated_clock;
    session.stop = stop;
    session.echo_log = map["kernel-log"].as<bool>();
    session.covers = coverage.is_wanted();
    session.traces = traced;
    session.on_ready = on_ready;
    return shell::run_session(spec, drivers, session) ? kPassed : kCheckFailed;
  });
  std::optional<int> ended;
  if (simulator.state() == Simulator::State::ready) {
    if (request.program.empty() && isatty(STDIN_FILENO) == 1) greet(spec, drivers, time_scale);
    ended = UserProgram(signals, simulator.pid(), [&]() -> int {
              become_command(scratch.path(), preload, simulated_clock, request.program);
            }).wait();
  }
  const Simulator::End end = simulator.end(!ended && simulator.state() != Simulator::State::failed);
  traces.add(traced);  // also of a simulator that failed
  traces.commit();
  // It has printed the reason.
  if (simulator.state() == Simulator::State::failed && WIFEXITED(end.status))
    return traces.finish(WEXITSTATUS(end.status));
  const shell::SessionResult result = shell::read_journal(scratch.path());
  print_session(result, spec, map["kernel-log"].as<bool>());
  const Conclusion conclusion = conclude(result.verdicts, result.failures);
  ResultWriter results;
  results.write([&] {
    coverage.add(result.coverage, "the shell");
    coverage.write();
  });
  results.write([&] {
    if (!json.empty()) write_json(json, result, spec, drivers, conclusion, result.ended && !end.stopped);
  });
  return code_at_end(simulator, end, result, conclusion, exit_code_of(ended.value_or(0)),
                     [&](int code) { return traces.finish(results.finish(code)); });
}

}  // namespace

Command shell_command() {
  return {
      .name = "shell",
      .arguments = "[options] [PLATFORM] [-- COMMAND...]",
      .summary = "run the real perf, lspci and setpci on a platform with traffic, and check every count",
      .description =
          R"(Runs a shell or COMMAND on the platform. The system's own perf lists and counts the platform's PMUs. lspci and setpci
see its PCI functions. sleep takes simulated time. Meanwhile the traffic plays, and unmodified drivers do their work.

perf prints the drivers' counts. pmufab compares each with the scoreboard. It prints the verdicts to standard error
when the shell ends; its other messages go there too. --json FILE writes the verdicts to a file.

Time: one second of a program is one simulated millisecond (--time-scale 0.001). perf's clock shows simulated time.
--clock simulated shows simulated time to all programs, and one second of a program is one simulated second.
Computing takes no simulated time. perf without a command counts until Ctrl-C, at the pace of the wall clock.

Ctrl-C and Ctrl-\ are for the program that runs. SIGTERM and SIGHUP end all programs of the shell, and pmufab prints
the verdicts so far.

Without PLATFORM a platform of two Tegra410 sockets is used.

)" + trace_description(),
      .options =
          platform_options() +
          Options{text("time-scale", "X", "simulated seconds per second of a program",
                       fmt::format("{}", shell::kTimeScale)),
                  text("clock", "CLOCK", "host, or simulated: all programs see simulated time, not scaled", "host"),
                  text("json", "FILE", "write the verdicts as JSON"),
                  text("coverage", "FILE", "write what the drivers met, for pmufab coverage"),
                  flag("kernel-log", "show the kernel log as it grows")} +
          trace_options() + driver_options("newest"),
      .words = Words::platforms,
      .runs_program = true,
      .examples = {{"pmufab shell scenarios/platforms/tegra410-2s.yaml --traffic scenarios/traffic/mixed.yaml"},
                   {"pmufab shell --traffic scenarios/traffic/mixed.yaml \\\n"
                    "  -- perf stat -a -e nvidia_ucf_pmu_0/event=0x111/ sleep 1"},
                   {"pmufab shell scenarios/platforms/cxl-exact.yaml -- lspci -vv"}},
      .exit_codes = {{"N", "the exit code of COMMAND"},
                     {"1",
                      "a count was wrong, a driver or the hardware made another mistake, or a signal stopped pmufab"},
                     {"2", "bad input, or the verdicts could not be printed"},
                     {"3", "the simulator died"},
                     {"4", "COMMAND ended with 0 and nothing failed, but not one of its counts could be judged"}},
      .run = run_shell,
  };
}

}  // namespace pmufab::cli
