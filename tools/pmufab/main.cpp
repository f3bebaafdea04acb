// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "testbench/fabrics/plugin/scenario/plugin_probe.h"
#include "testbench/run/process/resource_limits.h"
#include "testbench/run/report/report.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/documents/documents.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/scenario_names.h"

namespace pmufab::cli {
namespace {

using scenario::InputError;

/// The first word of a command of two words: "driver" of "driver build". Empty for other commands.
std::string group_of(const Command& command) {
  const std::size_t blank = command.name.find(' ');
  return blank == std::string::npos ? std::string() : command.name.substr(0, blank);
}

bool is_help(const std::string& word) { return word == "--help" || word == "-h" || word == "help"; }

/// "run SCENARIO...   run scenario files ...", a line for each command.
std::string listing(const std::vector<Command>& commands) {
  constexpr int kWidth = 33;
  std::string text;
  for (const Command& command : commands) {
    std::string usage = command.name + " " + command.arguments;
    if (const std::size_t place = usage.find("[options] "); place != std::string::npos) usage.erase(place, 10);
    text += fmt::format("  {:<{}} {}\n", usage, kWidth, command.summary);
  }
  return text;
}

std::string overview() {
  Command whole = program();
  whole.description += "\n\nCommands:\n" + listing(all_commands()) +
                       "\n  pmufab COMMAND --help explains each one, with examples.\n"
                       "  pmufab --version prints the version.";
  return help_text(whole);
}

/// Arguments that begin with half a command: "pmufab driver", "pmufab trace --help", "pmufab trace improt".
int run_group(const std::string& group, const std::vector<Command>& members, const Arguments& arguments) {
  if (!arguments.empty() && is_help(arguments.front())) {
    fmt::print(
        "Usage: pmufab {} COMMAND [options]\n\nCommands:\n{}\n  pmufab {} COMMAND --help explains each one, with "
        "examples.\n",
        group, listing(members), group);
    return kPassed;
  }
  std::vector<std::string> names;
  for (const Command& command : members) names.push_back(command.name.substr(group.size() + 1));
  const std::string choice = scenario::quoted_list(names);
  if (arguments.empty())
    throw InputError(fmt::format("pmufab {} needs a second word", group), "choose one of " + choice);
  const std::string suggestion = scenario::did_you_mean(arguments.front(), names);
  throw InputError(fmt::format("there is no command '{} {}'", group, arguments.front()),
                   suggestion.empty() ? choice : suggestion);
}

int dispatch(const Arguments& arguments) {
  if (arguments.empty()) {
    complain("{}", overview());
    return kBadInput;
  }
  const std::string& word = arguments.front();
  if (is_help(word)) {
    fmt::print("{}", overview());
    return kPassed;
  }
  if (word == "--version") {
    fmt::print("pmufab {}\n", scenario::version());
    return kPassed;
  }
  // For the shell's completion and for the build. Users need neither.
  if (word == "--scenario-names") {
    for (const std::string& name : scenario_names()) fmt::print("{}\n", name);
    return kPassed;
  }
  if (word == "--write-documents" && arguments.size() == 2) {
    write_documents(arguments[1]);
    return kPassed;
  }
  std::vector<std::string> names;
  std::vector<Command> group;
  for (const Command& command : all_commands()) {
    const bool has_two = !word.empty() && group_of(command) == word;
    const std::ptrdiff_t size = has_two ? 2 : 1;
    if (has_two) group.push_back(command);
    if (command.name == word || (has_two && arguments.size() > 1 && command.name == word + " " + arguments[1])) {
      const Arguments rest(arguments.begin() + size, arguments.end());
      if (asks_for_help(command, rest)) {
        fmt::print("{}", help_text(command));
        return kPassed;
      }
      const Request request = parse(command, rest);
      preload_sanitizer(request.options);
      if (has_run_limits(request.options)) scenario::limit_probes(limits_of(request.options).memory);
      return command.run(request);
    }
    std::string name = group_of(command).empty() ? command.name : group_of(command);
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  if (word.empty()) throw InputError("the command is an empty word", "commands are " + scenario::quoted_list(names));
  if (!group.empty()) return run_group(word, group, Arguments(arguments.begin() + 1, arguments.end()));
  const std::string suggestion = scenario::did_you_mean(word, names);
  throw InputError(fmt::format("there is no command '{}'", word),
                   suggestion.empty() ? "commands are " + scenario::quoted_list(names) : suggestion);
}

}  // namespace

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = {run_command(),           interleave_command(),
                                                verify_command(),        review_command(),
                                                compare_command(),       explain_command(),
                                                list_command(),          stat_command(),
                                                shell_command(),         boot_command(),
                                                regs_command(),          firmware_command(),
                                                import_acpi_command(),   import_tree_command(),
                                                import_rdl_command(),    import_svd_command(),
                                                serve_command(),         map_command(),
                                                coverage_command(),      explore_export_command(),
                                                explore_merge_command(), explore_report_command(),
                                                explore_command(),       trace_import_command(),
                                                trace_record_command(),  trace_info_command(),
                                                driver_fetch_command(),  driver_build_command(),
                                                driver_cache_command(),  guest_prepare_command()};
  return commands;
}

Command program() {
  return {
      .name = {},
      .arguments = "COMMAND [options]",
      .summary = "a virtual platform for performance-monitoring hardware",
      .description =
          R"(Traffic flows through a model of the hardware. Unmodified Linux drivers program its PMUs. An independent scoreboard
computes what every counter must read.)",
      .options = {},
      .examples = {{"pmufab driver fetch", "once, unless the drivers were built together with pmufab"},
                   {"pmufab list", "the PMUs and events that the drivers publish"},
                   {"pmufab stat -e 'nvidia_ucf_pmu_0/slc_access_rd/,nvidia_ucf_pmu_0/cycles/' --traffic "
                    "scenarios/traffic/mixed.yaml"},
                   {"pmufab run ucf-basic"}},
      .exit_codes = judging_exit_codes(),
      .run = {},
  };
}

}  // namespace pmufab::cli

// The SystemC library refers to this function. Simulations here call sc_start() in their own processes.
int sc_main(int, char*[]) { return 0; }

[[gnu::section(".preinit_array"),
  gnu::used]] static void (*const kBeforeLibraries)() = pmufab::process::take_memory_early;

int main(int argc, char* argv[]) {
  using namespace pmufab;
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  cli::take_arguments(argv);
  cli::prepare_process();
  return cli::finish_standard_output(
      cli::answer_errors([&] { return cli::dispatch(cli::Arguments(argv + 1, argv + argc)); }));
}
