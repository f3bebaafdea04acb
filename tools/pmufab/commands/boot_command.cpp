// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/plugin/part/plugin_spec.h"
#include "testbench/doors/guest/guest_session.h"
#include "testbench/doors/guest/perf/perf_output.h"
#include "testbench/doors/guest/qemu_command.h"
#include "testbench/run/process/child_process.h"
#include "testbench/run/report/report.h"
#include "testbench/run/session/journal.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/coverage/coverage_file.h"
#include "tools/pmufab/end_signals.h"
#include "tools/pmufab/html/html_file.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/places.h"
#include "tools/pmufab/simulator_process.h"
#include "tools/pmufab/tracing/trace_files.h"
#include "tools/pmufab/verdict_table.h"
#include "tools/pmufab/virtual_machine.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;

constexpr const char* kMessagesName = "qemu.log";

/// Each report says which drivers served the PMUs.
constexpr const char* kGuestDrivers = "those of the guest's kernel";

fs::path find_guest(const std::string& given) {
  const std::vector<fs::path> places = given.empty() ? guest_folders() : std::vector<fs::path>{given};
  std::error_code error;
  for (const fs::path& place : places) {
    if (fs::exists(place / ".complete", error)) return fs::absolute(place);
  }
  throw InputError(
      fmt::format("there is no guest in {}", places.front().string()),
      "prepare one with pmufab guest prepare, or name its folder with --guest or the variable PMUFAB_GUEST");
}

/// @return the plugin that lets QEMU count instructions; nothing if the guest has the wall clock
fs::path clock_plugin_of(const std::string& clock, bool interactive) {
  if (clock == "wall") return {};
  if (clock != "instructions") throw InputError(fmt::format("--clock {} is neither wall nor instructions", clock));
  if (interactive)
    throw InputError("--clock instructions needs a command: a shell on the console follows the wall clock",
                     "give a command: pmufab boot --clock instructions ... -- COMMAND");
  return find_library("testbench/doors/guest", "pmufab_instruction_clock.so");
}

/// The guest's archive, followed by ours, where the kernel finds it.
void write_initrd(const fs::path& guest, const fs::path& file, std::uint64_t aperture, const Arguments& command,
                  bool is_deterministic) {
  std::ifstream in(guest / "initrd", std::ios::binary);
  std::string archive(std::istreambuf_iterator<char>(in), {});
  constexpr std::size_t kAlignment = 4;
  archive.resize((archive.size() + kAlignment - 1) / kAlignment * kAlignment, '\0');
  scenario::write_whole(file, archive + guest::boot_archive(aperture, command, is_deterministic));
}

using Judged = guest::JudgedRuns;

scenario::Json metric_json(const guest::MetricVerdict& verdict) {
  scenario::Json json;
  json["metric"] = verdict.metric;
  json["unit"] = verdict.unit;
  if (verdict.value) json["guest"] = *verdict.value;
  if (verdict.expected) {
    json["low"] = verdict.expected->low;
    json["high"] = verdict.expected->high;
  }
  json["check"] = to_string(verdict.check);
  json["note"] = verdict.note;
  return json;
}

/// @param code  of the command; nothing if the guest did not finish
void write_json(const fs::path& file, const guest::GuestResult& result, const Judged& judged,
                const scenario::ScenarioSpec& spec, const Conclusion& conclusion, const std::string& guest_title,
                std::optional<int> code) {
  scenario::Json json = verdict_json(spec, result.ended && code, result.simulated, conclusion, result.failures);
  if (code) json["exit_code"] = *code;
  json["guest"] = guest_title;
  json["drivers"] = kGuestDrivers;
  json["register_accesses"] = result.accesses;
  json["interrupts"] = result.interrupts;
  json["interrupts_raised"] = result.raised;
  json["traffic_ended"] = result.traffic_ended;
  if (!judged.metrics.empty()) {
    for (const guest::MetricVerdict& metric : judged.metrics) json["metrics"].push_back(metric_json(metric));
  }
  write_verdicts(file, std::move(json), "guest", judged.counts);
}

std::string read_text(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Removes the warnings that QEMU prints at every boot.
std::string without_noise(const std::string& text) {
  std::istringstream lines(text);
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    // A firmware's shell would clear the user's screen.
    static const std::regex sequence("\x1b\\[[0-9;=?]*[A-Za-z]");
    line = std::regex_replace(line, sequence, "");
    line.erase(
        std::remove_if(line.begin(), line.end(), [](unsigned char letter) { return letter < ' ' && letter != '\t'; }),
        line.end());
    const auto has = [&](const char* words) { return line.find(words) != std::string::npos; };
    if (!has("Could not enable error recovery") && !has("externally provided fw_cfg item")) rest += line + "\n";
  }
  return rest;
}

/// The last output of QEMU and of a guest that did not finish.
void print_last_words(const fs::path& session) {
  constexpr std::size_t kLast = 2000;
  for (const auto& [name, who] :
       {std::pair{kMessagesName, "QEMU"}, std::pair{guest::kConsoleName, "the guest's console"}}) {
    const std::string text = without_noise(read_text(session / name));
    if (!text.empty())
      complain("pmufab: the last output of {}:\n{}\n", who, text.substr(text.size() - std::min(text.size(), kLast)));
  }
}

/// @return the exit code of the command; nothing if the guest did not get that far, which has been printed
std::optional<int> code_of_command(const fs::path& session) {
  std::string text = read_text(session / guest::kStatusName);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (!text.empty() && text.size() <= 3 && text.find_first_not_of("0123456789") == std::string::npos)
    return std::stoi(text);
  if (!text.empty()) complain("pmufab: the guest: {}\n", text);
  return std::nullopt;
}

std::uint64_t number_of(const po::variables_map& map, const char* option, std::int64_t least, std::int64_t most) {
  const auto value = map[option].as<std::int64_t>();
  if (value < least || value > most)
    throw InputError(fmt::format("--{} {} is not from {} to {}", option, value, least, most));
  return static_cast<std::uint64_t>(value);
}

constexpr std::uint64_t kMebibyte = 1 << 20;
constexpr std::int64_t kMostSeconds = 1'000'000;

/// What the user asked for.
struct Order {
  scenario::ScenarioSpec spec;
  driver_host::DriverSet drivers;  ///< for the simulator; the guest's kernel has its own
  Arguments command;               ///< to run in the guest; empty: a shell on the console
  guest::GuestOptions session;
  fs::path clock_plugin;  ///< empty: the guest has the wall clock
  std::chrono::seconds most{};
  fs::path guest_folder;
  std::string guest_title;
  std::string json;
  std::string html;
  CoverageFile coverage{{}};
  std::optional<TraceFiles> traces;

  [[nodiscard]] bool interactive() const { return command.empty(); }
};

/// A guest reaches what firmware tells it of. @throws InputError if a plug-in has registers that it does not
void check_plugin(const platform::PlatformSpec& spec) {
  const auto* const plugin = spec.part<platform::PluginSpec>();
  if (plugin == nullptr) return;
  for (const platform::PluginFacts::Window& window : plugin->facts.windows) {
    const bool is_described = std::ranges::any_of(plugin->facts.described, [&](const auto& range) {
      return range.base <= window.base && window.base + window.size <= range.base + range.size;
    });
    if (!is_described)
      throw InputError(fmt::format("no guest could reach the window {} of the plug-in {}: firmware does not tell of it",
                                   window.name, plugin->file),
                       "let the plug-in declare a device that has it, or use pmufab shell");
  }
}

/// @throws InputError for requests that cannot be met, before anything is started
Order read_order(const Request& request) {
  const po::variables_map& map = request.options;
  const std::vector<std::string>& files = request.words;
  if (files.size() > 1)
    throw InputError("there is more than one platform; give one at a time", "a command goes after --");
  Order order;
  order.spec = scenario_of(map, files.empty() ? std::string() : files.front(), "boot");
  require_judge(order.spec, "boot");
  check_plugin(order.spec.platform);
  order.drivers = find_newest_driver(map, order.spec.platform);
  order.json = map["json"].as<std::string>();
  if (!order.json.empty()) check_writable(order.json);
  order.html = map["html"].as<std::string>();
  if (!order.html.empty()) check_writable(order.html);
  check_reports(map, {"json", "html", "coverage", "trace-mmio", "timeline"});
  order.coverage = CoverageFile(map["coverage"].as<std::string>());
  order.session.covers = order.coverage.is_wanted();
  order.traces.emplace(map, scenario::RunLimits{}.trace);
  order.command = request.program;
  order.clock_plugin = clock_plugin_of(map["clock"].as<std::string>(), order.interactive());
  if (order.interactive() && isatty(STDIN_FILENO) != 1)
    throw InputError("a shell on the guest's console needs a terminal", "give a command: pmufab boot ... -- COMMAND");
  for (const char* option : {"driver", "drivers"}) {
    if (!map[option].defaulted())
      throw InputError(fmt::format("--{} has no effect in a guest: its kernel has its own drivers", option),
                       "pmufab shell and pmufab run take other drivers");
  }
  constexpr std::int64_t kMostCpus = 8;
  constexpr std::int64_t kMostMemory = 1 << 16;
  order.session.time_scale = time_scale_of(map["time-scale"].as<std::string>());
  order.session.is_deterministic = !order.clock_plugin.empty();
  order.session.log = map["log"].as<bool>();
  order.session.topology.cpus_per_node = static_cast<unsigned>(number_of(map, "cpus", 1, kMostCpus));
  // QEMU's CPUs do not always take turns at the same moments, so a CPU that no PMU needs is left out.
  if (order.session.is_deterministic && map["cpus"].defaulted()) order.session.topology.cpus_per_node = 1;
  order.session.topology.memory_per_node =
      number_of(map, "memory", 512, kMostMemory) / order.spec.platform.sockets * kMebibyte;
  order.most = std::chrono::seconds(number_of(map, "timeout", 1, kMostSeconds));
  order.guest_folder = find_guest(map["guest"].as<std::string>());
  order.guest_title = guest::look_at_guest(order.guest_folder);
  return order;
}

/// How the virtual machine ended, and the output of its command.
struct MachineEnd {
  VirtualMachine::End end{};
  std::optional<process::ProcessEnd> process;
  std::string printed;
};

/// Run the guest while a simulator serves it. @param folder  of the session
/// @throws InputError if the disk is full
MachineEnd run_guest(const Order& order, const fs::path& folder, pid_t simulator, EndSignals& signals) {
  const auto description = nlohmann::json::parse(read_text(folder / guest::kDescriptionName));
  guest::QemuOptions machine;
  machine.guest = order.guest_folder;
  machine.session = folder;
  machine.initrd = folder / guest::kInitrdName;
  machine.cpus = description.at("cpus");
  machine.memory = order.session.topology.memory_per_node * order.spec.platform.sockets;
  machine.below_ports = description.at("below_ports").get<std::vector<bool>>();
  machine.clock_plugin = order.clock_plugin;
  machine.interactive = order.interactive();
  write_initrd(order.guest_folder, machine.initrd, description.at("aperture_base"), order.command,
               order.session.is_deterministic);
  VirtualMachine virtual_machine(guest::qemu_command(machine), machine.interactive, folder / kMessagesName,
                                 order.session.is_deterministic ? folder / guest::kOutputName : fs::path());
  const VirtualMachine::End end =
      virtual_machine.run(simulator, machine.interactive ? std::chrono::seconds(kMostSeconds) : order.most, signals);
  return {end, virtual_machine.process_end(), virtual_machine.printed()};
}

/// Print why a guest did not finish. @return the exit code
int explain(const std::optional<MachineEnd>& machine, const fs::path& folder) {
  if (machine && machine->process && (!machine->process->exited || machine->process->status != 0))
    complain("pmufab: QEMU: {}\n", process::describe(*machine->process));
  const bool disk_is_full = is_full(folder);
  complain("pmufab: the guest did not finish{}\n", disk_is_full ? ", and the disk of $TMPDIR is full" : "");
  if (!machine || machine->end != VirtualMachine::End::told) print_last_words(folder);
  return disk_is_full ? kBadInput : kCheckFailed;
}

/// @param code  of the command; nothing if the guest did not finish
void write_page(const Order& order, const fs::path& scratch, const guest::GuestResult& result, const Judged& judged,
                const Conclusion& conclusion, std::optional<int> code) {
  HtmlFile page(order.html, scratch, "boot");
  if (!page.is_wanted()) return;
  const Booted boot{.spec = order.spec,
                    .result = result,
                    .counts = judged.counts,
                    .metrics = judged.metrics,
                    .conclusion = conclusion,
                    .drivers = kGuestDrivers,
                    .is_complete = result.ended && code,
                    .exit_code = code.value_or(0),
                    .console = without_noise(read_text(scratch / guest::kConsoleName))};
  page.report().notice(fmt::format("The guest is {}.", order.guest_title));
  page.add(boot_result(boot), order.spec, scenario::to_yaml(order.spec.effective));
  page.add(order.coverage);
  page.finish();
}

/// The files that the user wants. @param code  as above
void write_results(ResultWriter& results, Order& order, const fs::path& scratch, const guest::GuestResult& result,
                   const Judged& judged, const Conclusion& conclusion, std::optional<int> code) {
  results.write([&] {
    order.coverage.add(result.coverage, "the guest");
    order.coverage.write();
  });
  results.write([&] {
    if (!order.json.empty()) write_json(order.json, result, judged, order.spec, conclusion, order.guest_title, code);
  });
  results.write([&] { write_page(order, scratch, result, judged, conclusion, code); });
}

int boot(const Request& request) {
  Order order = read_order(request);
  EndSignals signals;
  const ScratchFolder scratch;
  order.session.folder = scratch.path();
  order.session.traces = order.traces->options().in(
      scratch.path() / "trace-", fmt::format("boot (platform {}, {})", order.spec.platform_name, order.guest_title));
  // A guest runs for long, and mostly waits.
  constexpr Picoseconds kBetweenLooks = 100'000'000;
  if (order.session.traces.timeline) order.session.traces.timeline->every = kBetweenLooks;
  Simulator simulator = start_simulator(scratch.path(), signals, [&](int stop, const std::function<void()>& on_ready) {
    order.session.stop = stop;
    order.session.on_ready = on_ready;
    guest::run_guest_session(order.spec, order.drivers, order.session);
    return kPassed;
  });
  std::optional<MachineEnd> machine;
  if (simulator.state() == Simulator::State::ready) {
    try {
      machine = run_guest(order, scratch.path(), simulator.pid(), signals);
    } catch (const InputError&) {
      // The simulator's journal is on the same disk, so one of the two reports that it is full.
      const int status = simulator.end(false).status;
      if (WIFEXITED(status) && WEXITSTATUS(status) == kBadInput) return kBadInput;
      throw;
    }
  }
  const bool told = machine && machine->end == VirtualMachine::End::told;
  const Simulator::End end = simulator.end(told || simulator.state() == Simulator::State::stopped);
  order.traces->add(order.session.traces);  // also of a simulator that failed
  order.traces->commit();
  // It has printed the reason.
  if (simulator.state() == Simulator::State::failed && WIFEXITED(end.status))
    return order.traces->finish(WEXITSTATUS(end.status));

  const guest::GuestResult result = guest::read_guest_journal(scratch.path());
  Judged judged;  // on the console, perf's output is not seen
  if (!order.interactive()) {
    const guest::PerfOutput printed = guest::read_perf_output(machine ? machine->printed : std::string());
    judged = guest::judge_runs(result.runs, printed, result.printed);
  }
  print_verdicts("guest", "event", judged.counts);
  print_metrics(judged.metrics);
  if (!judged.counts.empty()) complain("\n  The drivers are {}: {}.\n", kGuestDrivers, order.guest_title);
  print_failures(result.failures);
  const std::optional<int> code = code_of_command(scratch.path());
  const Conclusion conclusion = conclude(judged.counts, result.failures, judged.metrics);
  ResultWriter results;
  const auto finish = [&](int its_code) { return order.traces->finish(results.finish(its_code)); };
  write_results(results, order, scratch.path(), result, judged, conclusion, code);
  if (simulator.state() != Simulator::State::stopped) {
    if (const std::optional<int> failed = check_simulator(end, result.ended)) return finish(*failed);
  }
  if (machine && machine->end == VirtualMachine::End::too_long)
    complain("pmufab: the guest took longer than {} s (--timeout); it was stopped\n", order.most.count());
  if (end.stopped) print_stopped();
  if (!code) return finish(explain(machine, scratch.path()));
  if (end.stopped) return finish_standard_error(finish(kCheckFailed));
  conclusion.print();
  return finish_standard_error(finish(conclusion.exit_code(*code)));
}

}  // namespace

Command boot_command() {
  constexpr std::int64_t kDefaultMemory = 1024;
  constexpr std::int64_t kDefaultTimeout = 600;
  return {
      .name = "boot",
      .arguments = "[options] [PLATFORM] [-- COMMAND...]",
      .summary = "boot a real kernel in QEMU, with the platform as its devices, and check what it counts",
      .description =
          R"(Boots an unmodified Debian arm64 kernel in an unmodified QEMU. The devices of the machine are the platform. pmufab
guest prepare gets kernel and QEMU, once. The kernel's drivers find the PMUs through ACPI and PCI. Drivers that
Debian's kernel leaves out are built from the source of the same kernel.

COMMAND runs in the guest as root; perf, lspci, setpci, bash, gawk and BusyBox are there. When COMMAND ends, the
machine is turned off. pmufab compares the counts of perf stat with the scoreboard. It prints its verdicts and
messages to standard error; --json FILE writes the verdicts to a file. Without COMMAND there is a shell on the
console, and no verdict is printed.

Time: one second in the guest is one simulated second (--time-scale 1). The traffic begins when perf has opened its
events, and is played once. A traffic too heavy to be simulated at that speed takes longer. With --clock instructions,
each instruction of the guest takes 32 ns. Every boot then gives the same output and the same --json file, clock
cycles included. docs/guest.md describes the limits. Such boots take longer.

Without PLATFORM a platform of two Tegra410 sockets is used.

)" + trace_description() +
          R"(
Of a guest, only register accesses and the platform's interrupts are known: not the CPU, nor what the kernel does.)",
      .options =
          platform_options() +
          Options{
              text("guest", "DIR", "folder of the prepared guest (default: $PMUFAB_GUEST, .cache/guest, or the cache)"),
              number<std::int64_t>("cpus", "N", "CPUs of each socket in the guest; with --clock instructions 1", 2),
              number<std::int64_t>("memory", "N", "memory of the guest in MiB", kDefaultMemory),
              text("time-scale", "X", "simulated seconds per second", "1"),
              text("clock", "wall|instructions", "clock of the guest; with instructions every boot is the same",
                   "wall"),
              number<std::int64_t>("timeout", "N", "stop the guest if boot and COMMAND take longer than N seconds",
                                   kDefaultTimeout),
              text("json", "FILE", "write the verdicts as JSON"),
              text("coverage", "FILE", "write what the guest's drivers met, for pmufab coverage"),
              flag("log", "report what happens between guest and platform"),
          } +
          Options{html_option()} + trace_options() + driver_options("newest"),
      .words = Words::platforms,
      .runs_program = true,
      .examples = {{"pmufab guest prepare"},
                   {"pmufab boot --traffic scenarios/traffic/fixed.yaml \\\n"
                    "  -- perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 1"},
                   {"pmufab boot scenarios/platforms/cmn600-small.yaml \\\n"
                    "  --set 'mesh_traffic=[{name: flits, rate: 0.05, count: 2000}]' \\\n"
                    "  -- perf stat -a -e arm_cmn_0/mxp_e_req_txflit_valid/ sleep 1"},
                   {"pmufab boot scenarios/platforms/cxl-exact.yaml"}},
      .exit_codes = {{"N", "the exit code of COMMAND"},
                     {"1",
                      "a count was wrong, a driver or the hardware made another mistake, or the guest did not finish"},
                     {"2", "bad input, a guest that is not prepared, or verdicts that could not be printed"},
                     {"3", "the simulator died"},
                     {"4", "COMMAND ended with 0 and nothing failed, but not one of its counts could be judged"}},
      .run = boot,
  };
}

}  // namespace pmufab::cli
