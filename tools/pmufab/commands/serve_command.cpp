// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "testbench/doors/register_server/register_session.h"
#include "testbench/run/process/child_process.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/end_signals.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/places.h"
#include "tools/pmufab/simulator_process.h"
#include "tools/pmufab/user_program.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using register_server::Listener;
using scenario::InputError;

constexpr const char* kSocketName = "registers";

/// @param given  "127.0.0.1:4711"
std::uint16_t listening_port(const std::string& given) {
  constexpr std::string_view kHost = "127.0.0.1:";
  std::uint16_t port = 0;
  const char* const end = given.data() + given.size();
  if (given.starts_with(kHost)) {
    const auto [stop, error] = std::from_chars(given.data() + kHost.size(), end, port);
    if (error == std::errc() && stop == end) return port;
  }
  throw InputError(fmt::format("--listen {} is no port of this machine's loopback address", given),
                   "--listen 127.0.0.1:4711, or 127.0.0.1:0 for any free port");
}

Listener listener_of(const po::variables_map& map, const fs::path& scratch) {
  const std::string port = map["listen"].as<std::string>();
  const std::string file = map["socket"].as<std::string>();
  if (!port.empty() && !file.empty()) throw InputError("--listen and --socket exclude each other");
  try {
    if (!port.empty()) return register_server::listen_at_port(listening_port(port));
    return register_server::listen_at_file(file.empty() ? scratch / kSocketName : fs::path(file));
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::address_in_use)
      throw InputError(fmt::format("nobody can listen there: {}", error.what()),
                       port.empty() ? "if no other pmufab uses that file, remove it" : "choose another port");
    if (error.code() == std::errc::filename_too_long)
      throw InputError(fmt::format("the path is too long for a socket: {}", error.what()),
                       file.empty() ? "set TMPDIR to a shorter one" : "choose a shorter one");
    throw InputError(fmt::format("nobody can listen there: {}", error.what()));
  }
}

/// The file of a socket goes with the command, not with the simulator.
class SocketFile {
 public:
  explicit SocketFile(const Listener& listener) : path_(listener.is_local ? listener.address : std::string()) {}
  ~SocketFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  SocketFile& operator=(SocketFile&&) = delete;

 private:
  std::string path_;
};

/// In a child: become the command, which finds the server, and the Python module for it.
[[noreturn]] void become_client(const std::string& address, std::vector<std::string> words) {
  setenv("PMUFAB_REGISTERS", address.c_str(), 1);
  std::string places = (data_folder() / "tools" / "python").string();
  if (const char* const others = std::getenv("PYTHONPATH"); others != nullptr && *others != '\0')
    places += std::string(":") + others;
  setenv("PYTHONPATH", places.c_str(), 1);
  become_program(std::move(words));
}

/// Wait for a signal that ends the program, or for the simulator's death.
void wait_for_end(EndSignals& signals, pid_t simulator) {
  const process::Descriptor process = process::watch(simulator);
  while (true) {
    pollfd files[] = {{process.get(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}};
    poll(files, 2, -1);
    if (files[0].revents != 0 || signals.take()) return;
  }
}

/// @return a set without a library unless drivers are wanted: a new chip has none yet
driver_host::DriverSet drivers_of(const po::variables_map& options, const platform::PlatformSpec& platform) {
  if (options["load-drivers"].as<bool>()) return find_newest_driver(options, platform);
  for (const char* const name : {"driver", "driver-dir", "drivers"}) {
    if (!options[name].defaulted())
      throw InputError(fmt::format("--{} chooses drivers, and none are loaded", name), "add --load-drivers");
  }
  return {};
}

int run_serve(const Request& request) {
  const po::variables_map& map = request.options;
  if (request.words.size() != 1)
    throw InputError(request.words.empty() ? "no platform is given" : "there is more than one platform",
                     "pmufab serve PLATFORM [-- COMMAND...]");
  const std::string realtime = map["realtime"].as<std::string>();
  register_server::SessionOptions session;
  if (!realtime.empty()) session.scale = time_scale_of(realtime, "--realtime");
  session.loads_drivers = map["load-drivers"].as<bool>();
  session.echo_log = map["kernel-log"].as<bool>();
  const scenario::ScenarioSpec spec = scenario_of(map, request.words.front(), "serve");
  const driver_host::DriverSet drivers = drivers_of(map, spec.platform);

  EndSignals signals;
  const ScratchFolder scratch;
  std::optional<Listener> listener = listener_of(map, scratch.path());
  const SocketFile file(*listener);
  const std::string address = listener->address;
  if (map["verbose"].as<bool>()) session.on_news = [](const std::string& text) { complain("pmufab: {}\n", text); };
  Simulator simulator = start_simulator(scratch.path(), signals, [&](int stop, const std::function<void()>& on_ready) {
    session.stop = stop;
    session.on_ready = on_ready;
    return register_server::run_register_session(spec, drivers, *listener, session) ? kPassed : kCheckFailed;
  });
  listener.reset();  // the simulator has its own
  std::optional<int> ended;
  if (simulator.state() == Simulator::State::ready) {
    if (request.program.empty()) {
      fmt::print("registers of {} at {}\n", spec.platform_name, address);
      std::fflush(stdout);
      wait_for_end(signals, simulator.pid());
    } else {
      ended = UserProgram(signals, simulator.pid(), [&]() -> int { become_client(address, request.program); }).wait();
    }
  }
  const Simulator::End end = simulator.end(simulator.state() != Simulator::State::failed);
  if (simulator.state() == Simulator::State::failed && WIFEXITED(end.status)) return WEXITSTATUS(end.status);
  if (simulator.state() != Simulator::State::stopped) {
    if (const std::optional<int> failed = check_simulator(end, true)) return *failed;
  }
  if (!request.program.empty() && !ended) return kCheckFailed;
  return ended ? exit_code_of(*ended) : kPassed;
}

}  // namespace

Command serve_command() {
  return {
      .name = "serve",
      .arguments = "[options] PLATFORM [-- COMMAND...]",
      .summary = "serve the registers of a platform to gdb, Python and other debuggers",
      .description =
          R"(Builds the platform, starts its traffic, and serves its registers by the GDB remote serial protocol, until SIGINT or
SIGTERM, or until COMMAND ends. No driver runs, unless --load-drivers is given. Nothing is judged.

  $ gdb -ex 'target remote /tmp/pmufab-scratch.../registers'

The server listens at a Unix socket in a private folder, or at --socket FILE, or at --listen 127.0.0.1:PORT. It prints
where. COMMAND finds it in the variable PMUFAB_REGISTERS, and the Python modules pmufab_registers and
arm_ds.debugger_v1. Only this user's programs are served, up to 64 at a time.

An aligned read or write of 1, 2, 4 or 8 bytes is one access of the bus. It takes no simulated time. Time stands still
until a client lets it pass ("monitor run 10us" in gdb), for all clients, or follows the wall clock with --realtime. "monitor help" lists
the other commands.)",
      .options =
          platform_options() +
          Options{text("socket", "FILE", "listen at a Unix socket of this name"),
                  text("listen", "ADDRESS", "listen at 127.0.0.1:PORT instead of at a Unix socket"),
                  text("realtime", "X", "X simulated seconds pass in each second of the wall clock"),
                  flag("load-drivers",
                       "load the drivers before anybody is served: those of --driver, --driver-dir or --drivers"),
                  flag("kernel-log", "show the kernel log as it grows"),
                  flag("verbose", "say when clients come, go and are refused")} +
          driver_options("newest"),
      .words = Words::platforms,
      .runs_program = true,
      .examples = {{"pmufab serve scenarios/platforms/tegra410-2s.yaml --traffic scenarios/traffic/mixed.yaml"},
                   {"pmufab serve scenarios/platforms/tegra410-2s.yaml --realtime 0.001 -- python3 script.py"},
                   {"pmufab serve scenarios/platforms/cmn600-small.yaml --listen 127.0.0.1:4711"}},
      .exit_codes = {{"N", "the exit code of COMMAND"},
                     {"0", "without COMMAND: SIGINT, SIGTERM or SIGHUP has ended it"},
                     {"1", "SIGTERM or SIGHUP has ended it and COMMAND, or the drivers could not be loaded"},
                     {"2", "bad input, or nobody can listen there"},
                     {"3", "the simulator died"}},
      .run = run_serve,
  };
}

}  // namespace pmufab::cli
