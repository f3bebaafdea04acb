// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "testbench/guest/guest_session.h"
#include "testbench/guest/perf/perf_output.h"
#include "testbench/guest/prepared_guest.h"
#include "testbench/guest/qemu_command.h"
#include "testbench/process/child_process.h"
#include "testbench/process/descriptor.h"
#include "testbench/scenario/report/report.h"
#include "testbench/scenario/yaml/input_error.h"
#include "testbench/scenario/yaml/quantity.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/simulator_process.h"
#include "tools/pmufab/verdict_table.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using process::Descriptor;
using scenario::InputError;

constexpr const char* kMessagesName = "qemu.log";

constexpr const char* kMoreOnBoot =
    R"(An unmodified Debian arm64 kernel boots in an unmodified QEMU, whose devices are the platform: tools/guest/prepare gets
both, once. The kernel's own drivers, and others of the same kernel built from its source, find the PMUs by ACPI and PCI.
COMMAND runs there as root (perf, lspci, setpci, bash, gawk and BusyBox are there), then the machine is turned off. What
perf stat counted is compared with the scoreboard: the verdicts are printed to standard error, as is all that pmufab
itself says, and --json FILE writes them to a file. Without COMMAND there is a shell on the console.

Time: a second of the guest is a simulated second (--time-scale 1). The traffic begins when perf has opened its events,
and is played once; traffic that is too much to be simulated in time takes as long as it takes. With --clock instructions
each instruction of the guest takes 32 ns instead, and boots give the same output and the same --json, clock cycles
included, as often as that was tried; testbench/guest/README.md tells what is not sure. That takes longer.

Without PLATFORM a platform of two Tegra410 sockets is used. The exit code is COMMAND's, 1 if a count was wrong or the
guest did not come to its end, 2 for bad input (or a guest that is not prepared) or if the verdicts could not be printed,
and 3 if the simulator died.

Examples:
  tools/guest/prepare
  pmufab boot --traffic scenarios/traffic/fixed.yaml -- perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 1
  pmufab boot scenarios/platforms/cmn600-small.yaml --set 'mesh_traffic=[{name: flits, rate: 0.05, count: 2000}]' \
    -- perf stat -a -e arm_cmn_0/mxp_e_req_txflit_valid/ sleep 1
  pmufab boot scenarios/platforms/cxl-exact.yaml
)";

fs::path find_guest(const std::string& given) {
  std::vector<fs::path> places;
  if (!given.empty()) {
    places.emplace_back(given);
  } else if (const char* variable = std::getenv("PMUFAB_GUEST"); variable != nullptr && *variable != '\0') {
    places.emplace_back(variable);
  } else {
    places = {".cache/guest", PMUFAB_SOURCE_FOLDER "/.cache/guest"};
  }
  std::error_code error;
  for (const fs::path& place : places) {
    if (fs::exists(place / ".complete", error)) return fs::absolute(place);
  }
  throw InputError(fmt::format("there is no guest in {}", places.front().string()),
                   "tools/guest/prepare makes one; --guest and the variable PMUFAB_GUEST name another folder");
}

/// @return the plugin that lets QEMU count instructions; nothing for the clock on the wall
fs::path clock_plugin_of(const std::string& clock, bool interactive) {
  if (clock == "wall") return {};
  if (clock != "instructions") throw InputError(fmt::format("--clock {} is neither wall nor instructions", clock));
  if (interactive)
    throw InputError("a shell on the console has the clock on the wall: nobody types the same twice",
                     "say what to run: pmufab boot --clock instructions ... -- COMMAND");
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"../testbench/guest/pmufab_instruction_clock.so",
                            "../" PMUFAB_LIBRARY_FOLDER "/pmufab/pmufab_instruction_clock.so"}) {
    if (fs::exists(program / place, error)) return fs::canonical(program / place);
  }
  throw InputError("the plugin pmufab_instruction_clock.so is not there", "build it: cmake --build --preset release");
}

/// The archive of the guest with ours behind it, where the kernel finds it.
void write_initrd(const fs::path& guest, const fs::path& file, std::uint64_t aperture, const Arguments& command,
                  bool is_deterministic) {
  std::ofstream out(file, std::ios::binary);
  out << std::ifstream(guest / "initrd", std::ios::binary).rdbuf();
  constexpr std::streamoff kAlignment = 4;
  while (out && out.tellp() % kAlignment != 0) out.put('\0');
  out << guest::boot_archive(aperture, command, is_deterministic);
  out.close();
  if (!out) throw InputError(fmt::format("{} cannot be written", file.string()), "is the disk of $TMPDIR full?");
}

/// Those that ask for an end, without those that were ignored when this was called first: nohup means it.
const sigset_t& told_signals() {
  static const sigset_t set = [] {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction now {};
      if (sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_IGN) sigaddset(&signals, number);
    }
    return signals;
  }();
  return set;
}

/// The virtual machine, and what the command in it prints.
class VirtualMachine {
 public:
  /// @param messages  file for what QEMU says
  /// @param printed   file the command in it prints to; none: it prints to QEMU's standard output
  VirtualMachine(const Arguments& command, bool interactive, const fs::path& messages, const fs::path& printed)
      : is_file_(!printed.empty()) {
    int output[2] = {-1, -1};
    if (!interactive && pipe2(output, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    const pid_t parent = getpid();
    pid_ = process::start_child([&]() -> int { start(command, output[1], parent, messages); });
    if (!interactive) {
      close(output[1]);
      output_ = Descriptor(output[0]);
      constexpr mode_t kMine = 0600;
      if (is_file_) output_ = Descriptor(open(printed.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, kMine));
    }
    process_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  }
  ~VirtualMachine() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      process::wait_for(pid_);
    }
    // QEMU leaves it as it was only when it ends by itself.
    if (has_terminal_) tcsetattr(STDIN_FILENO, TCSANOW, &terminal_);
  }
  VirtualMachine(const VirtualMachine&) = delete;
  VirtualMachine& operator=(const VirtualMachine&) = delete;

  enum class End : std::uint8_t { itself, simulator_died, too_long, told };
  /// Wait for its end, printing what comes.
  End run(pid_t simulator, std::chrono::seconds most) {
    const Descriptor other(static_cast<int>(syscall(SYS_pidfd_open, simulator, 0)));
    const Descriptor signals(signalfd(-1, &told_signals(), SFD_CLOEXEC));
    const auto last = std::chrono::steady_clock::now() + most;
    bool ended = false;
    while (true) {
      // Who does not read what is printed must not keep anything from coming to its end.
      const bool taken = is_taken();
      std::array<pollfd, 4> files{{{is_file_ || !taken ? -1 : output_.get(), POLLIN, 0},
                                   {ended ? -1 : process_.get(), POLLIN, 0},
                                   {other.get(), POLLIN, 0},
                                   {signals.get(), POLLIN, 0}}};
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(last - std::chrono::steady_clock::now()).count();
      if (left <= 0) return End::too_long;
      // Nothing tells that a file has become longer.
      const std::int64_t longest = ended && taken ? 0 : is_file_ || !taken ? 100 : 1000;
      if (poll(files.data(), files.size(), static_cast<int>(std::min(left, longest))) < 0) continue;
      if (files[3].revents != 0) return End::told;
      if (files[1].revents != 0) {
        process_end_ = process::process_end(process::wait_for(std::exchange(pid_, -1)));
        ended = true;
      }
      if (!ended && files[2].revents != 0) return End::simulator_died;
      if (!taken) continue;
      const bool more = (ended || is_file_ || files[0].revents != 0) && pass_on();
      if (ended && !more) return End::itself;
    }
  }

  [[nodiscard]] const std::string& printed() const noexcept { return printed_; }
  /// @return how its process ended; nothing unless it did by itself or by somebody else's doing
  [[nodiscard]] const std::optional<process::ProcessEnd>& process_end() const noexcept { return process_end_; }

 private:
  [[noreturn]] static void start(const Arguments& command, int output, pid_t parent, const fs::path& messages) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kInternalError);
    sigprocmask(SIG_UNBLOCK, &told_signals(), nullptr);
    if (output >= 0) {
      // A group of its own: Ctrl-C is for us.
      setpgid(0, 0);
      dup2(output, STDOUT_FILENO);
      const int nothing = open("/dev/null", O_RDONLY);
      dup2(nothing, STDIN_FILENO);
    }
    constexpr mode_t kMine = 0600;
    const int told = open(messages.c_str(), O_WRONLY | O_CREAT | O_APPEND, kMine);
    dup2(told, STDERR_FILENO);
    std::vector<char*> words;
    Arguments copy = command;
    for (std::string& word : copy) words.push_back(word.data());
    words.push_back(nullptr);
    execv(words.front(), words.data());
    complain("pmufab: {}: {}\n", command.front(), std::strerror(errno));
    _exit(kInternalError);
  }

  /// @return true if standard output takes at least what pass_on() prints, or has failed
  static bool is_taken() {
    pollfd output{STDOUT_FILENO, POLLOUT, 0};
    return poll(&output, 1, 0) != 0;
  }

  /// @return true if something came
  bool pass_on() {
    if (!output_) return false;
    std::array<char, 4096> bytes;
    const ssize_t size = read(output_.get(), bytes.data(), bytes.size());
    if (size <= 0) {
      if (size == 0 ? !is_file_ : errno != EINTR) output_.reset();
      return size < 0 && errno == EINTR;
    }
    // What is compared in the end; the rest of an endless output is only passed on.
    constexpr std::size_t kMost = 64 << 20;
    if (printed_.size() < kMost) printed_.append(bytes.data(), static_cast<std::size_t>(size));
    std::fwrite(bytes.data(), 1, static_cast<std::size_t>(size), stdout);
    std::fflush(stdout);
    return true;
  }

  pid_t pid_ = -1;
  termios terminal_{};
  const bool has_terminal_ = tcgetattr(STDIN_FILENO, &terminal_) == 0;
  const bool is_file_;
  Descriptor output_;
  Descriptor process_;
  std::string printed_;
  std::optional<process::ProcessEnd> process_end_;
};

void print(const std::vector<perf::Verdict>& verdicts, const guest::GuestResult& result) {
  for (const std::string& report : result.reports) complain("pmufab: {}\n", report);
  for (const std::string& failure : result.failures) complain("pmufab: {}\n", failure);
  print_verdicts("guest", "event", verdicts);
}

/// @param code  of the command; nothing if the guest did not come to its end
void write_json(const fs::path& file, const guest::GuestResult& result, const std::vector<perf::Verdict>& verdicts,
                const scenario::ScenarioSpec& spec, const std::string& guest_title, std::optional<int> code) {
  scenario::Json json = verdict_json(spec, result.ended && code, result.simulated, result.failures);
  if (code) json["exit_code"] = *code;
  json["guest"] = guest_title;
  json["register_accesses"] = result.accesses;
  json["interrupts"] = result.interrupts;
  json["interrupts_raised"] = result.raised;
  json["traffic_ended"] = result.traffic_ended;
  json["reports"] = result.reports;
  write_verdicts(file, std::move(json), "guest", verdicts);
}

/// @return true if next to nothing more can be written there
bool is_full(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  constexpr std::uintmax_t kLeast = 1 << 16;
  return !error && space.available < kLeast;
}

std::string read_text(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Without the warnings that QEMU gives of every boot.
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

/// What QEMU and a guest that did not come to its end said last.
void print_last_words(const fs::path& session) {
  constexpr std::size_t kLast = 2000;
  for (const auto& [name, who] :
       {std::pair{kMessagesName, "QEMU"}, std::pair{guest::kConsoleName, "the guest's console"}}) {
    const std::string text = without_noise(read_text(session / name));
    if (!text.empty())
      complain("pmufab: the end of what {} said:\n{}\n", who, text.substr(text.size() - std::min(text.size(), kLast)));
  }
}

/// @return the exit code of the command; nothing if the guest did not come so far, which has been said
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

}  // namespace

int boot_command(const Arguments& all_arguments) {
  const auto [arguments, command] = split_at_dashes(all_arguments);
  constexpr std::int64_t kDefaultMemory = 1024;
  constexpr std::int64_t kDefaultTimeout = 600;
  po::options_description options("Options");
  add_platform_options(options);
  options.add_options()("guest", po::value<std::string>()->default_value("")->value_name("DIR"),
                        "what tools/guest/prepare made (default: $PMUFAB_GUEST, .cache/guest)")(
      "cpus", po::value<std::int64_t>()->default_value(2)->value_name("N"), "CPUs of each socket in the guest")(
      "memory", po::value<std::int64_t>()->default_value(kDefaultMemory)->value_name("N"), "MiB of the guest")(
      "time-scale", po::value<std::string>()->default_value("1")->value_name("X"), "simulated seconds per second")(
      "clock", po::value<std::string>()->default_value("wall")->value_name("CLOCK"),
      "the guest's: wall, or instructions, with which two boots are the same")(
      "timeout", po::value<std::int64_t>()->default_value(kDefaultTimeout)->value_name("N"),
      "seconds COMMAND and the boot may take")("json", po::value<std::string>()->default_value("")->value_name("FILE"),
                                               "write the verdicts")("log", po::bool_switch(),
                                                                     "tell what happens between guest and platform");
  add_driver_options(options, "newest");
  const auto parsed =
      parse(arguments, options, "platform",
            {"pmufab boot [options] [PLATFORM] [-- COMMAND...]",
             "Boot a real kernel whose PMUs are the platform's, with traffic and a judge.", kMoreOnBoot});
  if (!parsed) return kPassed;
  const po::variables_map& map = *parsed;
  const std::vector<std::string> files = values_of(map, "platform");
  if (files.size() > 1) throw InputError("one platform at a time", "a command stands behind --");
  const scenario::ScenarioSpec spec = scenario_of(map, files.empty() ? std::string() : files.front(), "boot");
  const driver_host::DriverSet drivers = find_newest_driver(map, spec.platform);
  const std::string json = map["json"].as<std::string>();
  if (!json.empty()) check_writable(json);
  const bool interactive = command.empty();
  const fs::path clock_plugin = clock_plugin_of(map["clock"].as<std::string>(), interactive);
  if (interactive && isatty(STDIN_FILENO) != 1)
    throw InputError("a shell on the guest's console needs a terminal", "say what to run: pmufab boot ... -- COMMAND");
  for (const char* option : {"driver", "drivers"}) {
    if (!map[option].defaulted())
      throw InputError(fmt::format("--{} has no effect in a guest, whose kernel has its own drivers", option),
                       "pmufab shell and pmufab run take other drivers");
  }

  constexpr std::uint64_t kMebibyte = 1 << 20;
  constexpr std::int64_t kMostCpus = 8;
  constexpr std::int64_t kMostMemory = 1 << 16;
  constexpr std::int64_t kMostSeconds = 1'000'000;
  const std::uint64_t nodes = spec.platform.sockets;
  guest::GuestOptions session;
  session.time_scale = time_scale_of(map["time-scale"].as<std::string>());
  session.is_deterministic = !clock_plugin.empty();
  session.log = map["log"].as<bool>();
  session.topology.cpus_per_node = static_cast<unsigned>(number_of(map, "cpus", 1, kMostCpus));
  session.topology.memory_per_node = number_of(map, "memory", 512, kMostMemory) / nodes * kMebibyte;
  const std::chrono::seconds most(number_of(map, "timeout", 1, kMostSeconds));
  const fs::path guest_folder = find_guest(map["guest"].as<std::string>());
  const std::string guest_title = guest::look_at_guest(guest_folder);
  const ScratchFolder scratch;
  session.folder = scratch.path();

  const sigset_t& told = told_signals();
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  Simulator simulator = start_simulator(scratch.path(), [&](int stop, const std::function<void()>& on_ready) {
    session.stop = stop;
    session.on_ready = on_ready;
    guest::run_guest_session(spec, drivers, session);
    return kPassed;
  });
  sigprocmask(SIG_BLOCK, &told, nullptr);
  std::optional<VirtualMachine::End> end;
  std::optional<process::ProcessEnd> process_end;
  std::string printed;
  if (simulator.ready()) {
    const auto description = nlohmann::json::parse(read_text(scratch.path() / guest::kDescriptionName));
    const fs::path initrd = scratch.path() / guest::kInitrdName;
    try {
      write_initrd(guest_folder, initrd, description.at("aperture_base"), command, session.is_deterministic);
    } catch (const InputError&) {
      // The simulator's journal is on the same disk: one of the two says that it is full.
      const int status = simulator.end();
      if (WIFEXITED(status) && WEXITSTATUS(status) == kBadInput) return kBadInput;
      throw;
    }
    guest::QemuOptions machine;
    machine.guest = guest_folder;
    machine.session = scratch.path();
    machine.initrd = initrd;
    machine.cpus = description.at("cpus");
    machine.memory = session.topology.memory_per_node * nodes;
    machine.below_ports = description.at("below_ports").get<std::vector<bool>>();
    machine.clock_plugin = clock_plugin;
    machine.interactive = interactive;
    VirtualMachine virtual_machine(guest::qemu_command(machine), interactive, scratch.path() / kMessagesName,
                                   session.is_deterministic ? scratch.path() / guest::kOutputName : fs::path());
    end = virtual_machine.run(simulator.pid(), interactive ? std::chrono::seconds(kMostSeconds) : most);
    printed = virtual_machine.printed();
    process_end = virtual_machine.process_end();
  }
  const int status = simulator.end();
  if (!simulator.ready() && WIFEXITED(status)) return WEXITSTATUS(status);  // it has said why

  const guest::GuestResult result = guest::read_guest_journal(scratch.path());
  const std::vector<perf::Verdict> verdicts = guest::compare(result.runs, guest::find_counts(printed));
  if (!interactive) print(verdicts, result);
  const std::optional<int> code = code_of_command(scratch.path());
  if (!json.empty()) write_json(json, result, verdicts, spec, guest_title, code);
  if (const std::optional<int> failed = check_simulator(status, result.ended)) return *failed;
  if (end == VirtualMachine::End::too_long)
    complain("pmufab: the guest took longer than {} s (--timeout); it was stopped\n", most.count());
  if (end == VirtualMachine::End::told) complain("pmufab: stopped by a signal\n");
  if (!code) {
    if (process_end && (!process_end->exited || process_end->status != 0))
      complain("pmufab: QEMU: {}\n", process::describe(*process_end, false));
    const bool disk_is_full = is_full(scratch.path());
    complain("pmufab: the guest did not come to its end{}\n", disk_is_full ? ", and the disk of $TMPDIR is full" : "");
    if (end != VirtualMachine::End::told) print_last_words(scratch.path());
    return disk_is_full ? kBadInput : kCheckFailed;
  }
  const bool wrong = (any_wrong(verdicts) && !interactive) || !result.failures.empty();
  return finish_standard_error(wrong ? kCheckFailed : *code);
}

}  // namespace pmufab::cli
