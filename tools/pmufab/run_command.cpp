// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <iostream>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/scenario/report/report.h"
#include "testbench/scenario/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;
using scenario::RunPlan;
using scenario::RunResult;

constexpr const char* kMoreOnRun =
    R"(A scenario file names a platform, traffic, and what to measure (scenarios/README.md describes it). It is run once for
each driver set it selects, each run in a process of its own. A run passes when every count equals the scoreboard's.

Examples:
  pmufab run scenarios/tegra410/ucf-basic.yaml
      one scenario, with every driver set that was built
  pmufab run scenarios/[!d]*.yaml --drivers newest --junit results.xml
      all scenarios but demo.yaml, which needs a trace, with the newest drivers, with a report for a CI server
  pmufab run scenarios/overflow/overflow-16.yaml --set platform.tegra410.ucf_pmu.width=20 --set host.interrupt_delay='5 us'
      something changed in passing; values may have units
  pmufab run scenarios/demo.yaml --set trace=sort.trace --out results
      replay a recorded program; results, the effective configuration and the kernel log go to results/
)";

/// A name as part of a path.
std::string as_file_name(const std::string& text) {
  std::string name;
  for (const char c : text)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-' ? c : '-';
  return name;
}

/// Prints results; of a scenario with a matrix, those that passed share a line where tables are short.
class Printer {
 public:
  explicit Printer(const scenario::TextReportOptions& options) : options_(options) {}

  void print(const RunResult& run) {
    if (run.status == RunResult::Status::not_run) return;  // the summary counts them
    if (run.scenario != scenario_) flush();
    scenario_ = run.scenario;
    if (options_.compact && run.status == RunResult::Status::passed && !run.variant.empty()) {
      ++passed_;
      totals_.add(run);
    } else {
      scenario::write_text(std::cout, run, options_);
      std::cout.flush();
    }
  }
  void flush() {
    if (passed_ > 0)
      fmt::print(std::cout, "PASSED: {}: {}; {}\n", scenario_, scenario::counted(passed_, "run"), describe(totals_));
    std::cout.flush();
    passed_ = 0;
    totals_ = {};
  }

 private:
  const scenario::TextReportOptions& options_;
  std::string scenario_;
  std::uint64_t passed_ = 0;
  scenario::CounterTotals totals_;
};

std::vector<RunPlan> make_plans(const po::variables_map& options) {
  const std::vector<std::string> files = values_of(options, "scenario");
  if (files.empty()) throw InputError("no scenario is given", "pmufab run SCENARIO...; see pmufab run --help");
  const std::vector<std::string> overrides = values_of(options, "set");
  const std::string selector = options["drivers"].as<std::string>();
  if (!selector.empty() && !scenario::is_selector(selector))
    throw InputError(fmt::format("--drivers {} selects no driver set", selector),
                     "write all, newest, 7.3, or '>=7.1 <7.3'");

  // Every file is read before the first run: a mistake in the last one shows at once.
  std::vector<scenario::ScenarioSpec> specs;
  for (const std::string& file : files) {
    const scenario::ScenarioFile scenario_file{fs::path(file)};
    for (const scenario::Variant& variant : scenario_file.variants(overrides))
      specs.push_back(scenario_file.load(variant, overrides));
  }
  const std::vector<driver_host::DriverSet> sets = find_drivers(options);
  std::vector<RunPlan> plans;
  for (const scenario::ScenarioSpec& spec : specs) {
    const std::vector<driver_host::DriverSet> able = scenario::sets_for(sets, spec.platform);
    std::vector<driver_host::DriverSet> chosen = scenario::select(able, spec.drivers);
    if (!selector.empty()) {
      std::erase_if(chosen, [&](const driver_host::DriverSet& set) {
        return selector == "newest" ? set.kernel_version != able.back().kernel_version
                                    : !scenario::selects(selector, set.kernel_version);
      });
    }
    for (const driver_host::DriverSet& set : chosen) plans.push_back({spec, set});
    if (chosen.empty()) {
      complain("pmufab: {}: not run: no driver set knows its platform and is selected by its drivers: {}{}\n",
               spec.name, scenario::quoted_list(spec.drivers), selector.empty() ? "" : " and by --drivers " + selector);
    }
  }
  if (plans.empty()) {
    std::vector<std::string> versions;
    for (const driver_host::DriverSet& set : sets) versions.push_back(set.kernel_version);
    throw InputError("there is nothing to run: no driver set is selected",
                     "there are " + scenario::quoted_list(versions));
  }
  return plans;
}

std::string folder_name(const std::string& title, const std::string& drivers) {
  return as_file_name(fmt::format("{}-{}", title, drivers));
}

std::string folder_of(const RunPlan& plan) {
  RunResult run;
  run.scenario = plan.spec.name;
  run.variant = plan.spec.variant;
  return folder_name(run.title(), plan.drivers.kernel_version);
}

/// Two runs in one folder of --out would overwrite each other's results.
void check_folders(const std::vector<RunPlan>& plans) {
  std::set<std::string> names;
  for (const RunPlan& plan : plans) {
    const std::string name = folder_of(plan);
    if (!names.insert(name).second)
      throw InputError(fmt::format("--out: two runs would write to the folder '{}'", name),
                       "give scenarios names of their own, or run them one after the other");
  }
}

/// Two reports in one file would overwrite each other.
void check_reports(const po::variables_map& map) {
  std::set<fs::path> files;
  for (const char* option : {"junit", "json", "csv"}) {
    const fs::path file = fs::path(map[option].as<std::string>()).lexically_normal();
    if (!file.empty() && !files.insert(file).second)
      throw InputError(fmt::format("--{}: another report goes to '{}' too", option, file.generic_string()));
  }
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("cannot write '{}': {}", folder.generic_string(), error.message()));
}

/// What cannot be written shows before anything runs.
void check_outputs(const po::variables_map& map, const fs::path& out, const std::vector<RunPlan>& plans) {
  if (!out.empty()) {
    try {
      make_folder(out);
      check_writable(out / "result.json");
      for (const RunPlan& plan : plans) {
        const fs::path folder = out / folder_of(plan);
        if (fs::exists(folder)) check_writable(folder / "result.json");
      }
    } catch (const InputError& error) {
      throw InputError(fmt::format("--out: results cannot go to '{}': {}", out.generic_string(), error.reason()));
    }
  }
  // These may go there, too.
  for (const char* option : {"junit", "json", "csv"}) {
    if (const std::string file = map[option].as<std::string>(); !file.empty()) check_writable(file);
  }
}

void write_run_folder(const fs::path& out, const RunPlan& plan, const RunResult& run) {
  const fs::path folder = out / folder_name(run.title(), run.drivers);
  make_folder(folder);
  std::ostringstream json;
  std::ostringstream csv;
  std::ostringstream text;
  scenario::write_json(json, {run});
  scenario::write_csv(csv, {run});
  scenario::write_text(text, run, {.marks = false, .everything = true, .compact = false});
  write_file(folder / "result.json", json.str());
  write_file(folder / "counters.csv", csv.str());
  write_file(folder / "result.txt", text.str());
  scenario::Value effective = plan.spec.effective;
  if (scenario::Value* drivers = effective.find("drivers")) {
    *drivers = scenario::Value::sequence();  // those this run was done with
    drivers->items.push_back(scenario::Value::of(run.drivers, true));
  }
  write_file(folder / "effective.yaml", scenario::to_yaml(effective));
  write_file(folder / "kernel.log", run.kernel_log.empty() ? "" : fmt::format("{}\n", fmt::join(run.kernel_log, "\n")));
}

}  // namespace

int run_command(const Arguments& arguments) {
  po::options_description options("Options");
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  options.add_options()("set", po::value<std::vector<std::string>>()->value_name("PATH=VALUE"),
                        "change a value of the scenario; may be given several times")(
      "junit", po::value<std::string>()->default_value("")->value_name("FILE"), "write a JUnit report")(
      "json", po::value<std::string>()->default_value("")->value_name("FILE"), "write all results as JSON")(
      "csv", po::value<std::string>()->default_value("")->value_name("FILE"),
      "write all counters as comma-separated values")(
      "out", po::value<std::string>()->default_value("")->value_name("DIR"),
      "write a folder per run: results, effective configuration, kernel log")(
      "output", po::value<std::string>()->default_value("")->value_name("DIR"), "the same as --out")(
      "jobs,j", po::value<unsigned>()->default_value(processors)->value_name("N"), "runs at the same time")(
      "timeout", po::value<unsigned>()->default_value(0)->value_name("SECONDS"),
      "stop a run that takes longer (0: never)")("verbose,v", po::bool_switch(),
                                                 "tables without anything left out, and for every run")(
      "kernel-log", po::bool_switch(), "show kernel logs as they grow");
  add_driver_options(options, "");
  const auto parsed = parse(arguments, options, "scenario",
                            {"pmufab run [options] SCENARIO...",
                             "Run scenario files and check every counter against the scoreboard.", kMoreOnRun});
  if (!parsed) return kPassed;
  const po::variables_map& map = *parsed;
  // A negative number arrives here as a huge one.
  constexpr unsigned kMaximumJobs = 1024;
  if (const auto jobs = map["jobs"].as<unsigned>(); jobs == 0 || jobs > kMaximumJobs)
    throw InputError("--jobs: not a number of runs at the same time", fmt::format("1 ... {}", kMaximumJobs));
  constexpr unsigned kMaximumTimeout = 10'000'000;
  if (map["timeout"].as<unsigned>() > kMaximumTimeout)
    throw InputError("--timeout: not a number of seconds", fmt::format("0 ... {}", kMaximumTimeout));
  check_reports(map);
  const std::vector<RunPlan> plans = make_plans(map);

  fs::path out = map["out"].as<std::string>();
  if (out.empty()) out = map["output"].as<std::string>();
  if (!out.empty()) check_folders(plans);
  check_outputs(map, out, plans);
  scenario::TextReportOptions text;
  text.marks = speaks_utf8();
  text.everything = map["verbose"].as<bool>();
  text.compact = plans.size() > 4 && !text.everything;

  Printer printer(text);
  catch_interrupts();
  ScratchFolder scratch;
  ProgressBar bar;
  scenario::RunnerOptions runner;
  runner.jobs = map["jobs"].as<unsigned>();
  runner.timeout_seconds = map["timeout"].as<unsigned>();
  runner.echo_log = map["kernel-log"].as<bool>();
  runner.scratch = scratch.path();
  runner.interrupted = interrupts;
  runner.on_progress = [&](const scenario::RunnerProgress& progress) {
    bar.show(progress.fraction, fmt::format("{} of {} runs  {}", progress.done, progress.all, progress.running));
  };
  runner.on_output = [&](const std::string& title, const std::string& output) {
    bar.clear();
    complain("--- output of {}\n{}{}---\n", title, output, output.ends_with('\n') ? "" : "\n");
  };
  runner.on_result = [&](const RunPlan& plan, const RunResult& run) {
    bar.clear();
    printer.print(run);
    if (run.status == RunResult::Status::bad_input) complain("pmufab: {}: {}\n", run.title(), run.message);
    if (!out.empty()) write_run_folder(out, plan, run);
  };
  const std::vector<RunResult> runs = scenario::run_all(plans, runner);
  bar.clear();
  printer.flush();
  scenario::write_comparison(std::cout, runs);
  if (runs.size() > 1) scenario::write_summary(std::cout, runs);
  std::cout.flush();

  const auto write = [&](const std::string& option, auto writer) {
    const std::string file = map[option].as<std::string>();
    if (file.empty()) return;
    std::ostringstream stream;
    writer(stream, runs);
    write_file(file, stream.str());
  };
  write("junit", scenario::write_junit);
  write("json", scenario::write_json);
  write("csv", scenario::write_csv);
  return scenario::exit_code(runs);
}

}  // namespace pmufab::cli
