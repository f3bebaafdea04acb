// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <systemc>

#include "testbench/scenario/report/report.h"
#include "testbench/scenario/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"

namespace {

using namespace pmufab;

constexpr const char* kHelp =
    R"(pmufab: a virtual platform for performance-monitoring hardware. Traffic flows through a model of the hardware,
unmodified Linux drivers program its PMUs, and an independent scoreboard says what every counter must read.

Usage: pmufab COMMAND [options]

Commands:
  run SCENARIO...   run scenario files with every driver set; check every counter against the scoreboard
  list [PLATFORM]   the PMUs and events the drivers publish, as perf list does
  stat -e EVENT...  count events on a platform, as perf stat does
  shell [PLATFORM]  a shell in which the real perf, lspci and setpci are on a platform
  boot [PLATFORM]   boot a real kernel in QEMU whose PMUs are the platform's, and count there
  regs PLATFORM     the registers of a platform, after the drivers have been loaded
  map PLATFORM      the meshes of a platform: what is where, under which ids, and where flits go
  trace import      turn the output of valgrind's lackey tool, or CSV, into a trace
  trace record      write the operations of a scenario's CXL traffic to a trace
  trace info        what is in a trace
  driver build      compile a driver of yours into a library that --driver takes

  pmufab COMMAND --help explains each one, with examples.
  pmufab --version prints the version.

A first look:
  pmufab list
  pmufab stat -e 'nvidia_ucf_pmu_0/slc_access_rd/,nvidia_ucf_pmu_0/cycles/' --traffic scenarios/traffic/mixed.yaml
  pmufab run scenarios/tegra410/ucf-basic.yaml

Exit codes: 0 everything passed; 1 a check failed, the user stopped it, or it took too
long; 2 bad input, or output that could not be written; 3 an internal error, or a run crashed.
)";

int dispatch(const cli::Arguments& arguments) {
  static const std::vector<std::pair<std::string, int (*)(const cli::Arguments&)>> commands = {
      {"run", cli::run_command},     {"list", cli::list_command},   {"stat", cli::stat_command},
      {"shell", cli::shell_command}, {"boot", cli::boot_command},   {"regs", cli::regs_command},
      {"map", cli::map_command},     {"trace", cli::trace_command}, {"driver", cli::driver_command}};
  if (arguments.empty()) {
    cli::complain("{}", kHelp);
    return cli::kBadInput;
  }
  const std::string& command = arguments.front();
  if (command == "--help" || command == "-h" || command == "help") {
    fmt::print("{}", kHelp);
    return cli::kPassed;
  }
  if (command == "--version") {
    fmt::print("pmufab {}\n", scenario::version());
    return cli::kPassed;
  }
  std::vector<std::string> names;
  for (const auto& [name, function] : commands) {
    if (name == command) return function(cli::Arguments(arguments.begin() + 1, arguments.end()));
    names.push_back(name);
  }
  std::string suggestion = scenario::did_you_mean(command, names);
  if (suggestion.empty()) suggestion = "commands are " + scenario::quoted_list(names);
  throw scenario::InputError(fmt::format("there is no command '{}'", command), suggestion);
}

}  // namespace

// The SystemC library asks for this function; simulations here are started with sc_start() in processes of their own.
int sc_main(int, char*[]) { return 0; }

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  cli::prepare_standard_streams();
  return cli::finish_standard_output(
      cli::answer_errors([&] { return dispatch(cli::Arguments(argv + 1, argv + argc)); }));
}
