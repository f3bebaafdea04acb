// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>

#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/run/report/failure_causes.h"
#include "testbench/run/report/profile.h"
#include "testbench/run/report/report.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/coverage/coverage_file.h"
#include "tools/pmufab/driver/further_drivers.h"
#include "tools/pmufab/html/html_file.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/scenario_names.h"
#include "tools/pmufab/scenarios/scenario_list.h"
#include "tools/pmufab/tracing/known_defects.h"
#include "tools/pmufab/tracing/trace_files.h"
#include "tools/pmufab/user_program.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;
using scenario::RunPlan;
using scenario::RunResult;

/// Turns a name into part of a path.
std::string as_file_name(const std::string& text) {
  std::string name;
  for (const char c : text)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-' ? c : '-';
  return name;
}

/// Prints results. In short tables, passed runs of a scenario with a matrix share a line.
class Printer {
 public:
  explicit Printer(const scenario::TextReportOptions& options) : options_(options) {}

  /// @param is_known  other runs that failed for the same causes have been printed
  void print(const RunResult& run, bool is_known) {
    if (run.status == RunResult::Status::not_run) return;  // the summary counts them
    if (run.scenario != scenario_) flush();
    scenario_ = run.scenario;
    const bool is_brief = run.status == RunResult::Status::passed || run.status == RunResult::Status::not_judged;
    if (options_.compact && is_brief && !run.variant.empty()) {
      ++brief_[run.status].runs;
      brief_[run.status].totals.add(run);
    } else if (options_.compact && is_known) {
      fmt::print(std::cout, "{}: {} (drivers of Linux {}), for causes shown above\n", scenario::headline(run.status),
                 run.title(), run.drivers);
    } else {
      scenario::write_text(std::cout, run, options_);
      print_known_defect(run);
      std::cout.flush();
    }
  }
  void flush() {
    for (const auto& [status, brief] : brief_) {
      fmt::print(std::cout, "{}: {}: {}; {}\n", scenario::headline(status), scenario_,
                 scenario::counted(brief.runs, "run"), describe(brief.totals));
    }
    std::cout.flush();
    brief_.clear();
  }

 private:
  /// Of the first wrong count that a known defect explains.
  static void print_known_defect(const RunResult& run) {
    if (run.status != RunResult::Status::failed) return;
    for (const scenario::MeasureResult& measure : run.measures) {
      for (const scenario::CounterResult& counter : measure.counters) {
        if (counter.check != scenario::CounterResult::Check::wrong) continue;
        const std::string known = known_defect_like(counter.event, counter.note, run.drivers);
        if (known.empty()) continue;
        fmt::print(std::cout, "  note: {}: {}\n\n", counter.event, printable_message(known));
        return;
      }
    }
  }

  const scenario::TextReportOptions& options_;
  std::string scenario_;
  /// Variants of the scenario that need no table.
  struct Brief {
    std::uint64_t runs = 0;
    scenario::CounterTotals totals;
  };
  std::map<RunResult::Status, Brief> brief_;
};

/// A scenario (variant) to run, and what decides about its drivers.
struct Candidate {
  std::shared_ptr<const scenario::PlannedScenario> scenario;
  std::vector<std::string> selectors;
  std::vector<std::string_view> modules;  // that its platform needs
};

/// @return what --platform and --set change, as texts of --set
std::vector<std::string> overrides_of(const po::variables_map& options) {
  std::vector<std::string> overrides = values_of(options, "set");
  if (const std::string platform = options["platform"].as<std::string>(); !platform.empty())
    overrides.insert(overrides.begin(), override_of_platform(platform));
  return overrides;
}

/// @return the scenarios of the words, as far as they drive the PMUs of --serving
/// @throws InputError if there is none
std::vector<ChosenScenario> chosen_by(const Request& request) {
  const std::vector<std::string> serving = values_of(request.options, "serving");
  if (request.words.empty() && serving.empty())
    throw InputError("no scenario is given", "pmufab run SCENARIO...; see pmufab run --help");
  std::vector<ChosenScenario> chosen = choose_scenarios(request.words);
  if (serving.empty()) return chosen;
  const std::vector<ListedScenario> able = list_scenarios(chosen, serving);
  std::erase_if(chosen, [&](const ChosenScenario& one) {
    return std::ranges::find(able, one.file, &ListedScenario::file) == able.end();
  });
  return chosen;
}

/// @return all variants of the file. None, if it was found among others and needs a trace that nobody has named
std::vector<Candidate> read_scenario(const ChosenScenario& chosen, const Request& request,
                                     const std::shared_ptr<const std::vector<std::string>>& overrides,
                                     const scenario::RunLimits& limits) {
  const auto file = std::make_shared<const scenario::ScenarioFile>(chosen.file);
  std::vector<Candidate> candidates;
  try {
    for (scenario::Variant& variant : file->variants(*overrides)) {
      scenario::ScenarioSpec spec = file->load(variant, *overrides);
      scenario::check_limits(spec, limits);
      if (!request.options["coverage"].as<std::string>().empty()) scenario::require_judge(spec, "--coverage");
      candidates.push_back({scenario::plan_scenario(file, std::move(variant), overrides, spec), std::move(spec.drivers),
                            scenario::driver_modules(spec.platform)});
    }
  } catch (const InputError& error) {
    if (chosen.how == ChosenScenario::How::named || error.reason() != scenario::kNoTraceNamed) throw;
    complain("pmufab: {}: not run: it needs --set trace=FILE\n", chosen.file.generic_string());
    return {};
  }
  return candidates;
}

/// Reads and checks every variant of every file before the first run, so that a mistake in the last one shows at once.
/// Only what makes the variant is kept.
std::vector<Candidate> read_scenarios(const Request& request, const scenario::RunLimits& limits) {
  const auto overrides = std::make_shared<const std::vector<std::string>>(overrides_of(request.options));
  std::vector<Candidate> candidates;
  for (const ChosenScenario& chosen : chosen_by(request)) {
    for (Candidate& candidate : read_scenario(chosen, request, overrides, limits))
      candidates.push_back(std::move(candidate));
  }
  return candidates;
}

std::vector<RunPlan> make_plans(const Request& request, const scenario::RunLimits& limits) {
  const po::variables_map& options = request.options;
  const std::string selector = selector_of(options);

  const std::vector<Candidate> candidates = read_scenarios(request, limits);
  using DriverSets = std::vector<driver_host::DriverSet>;
  DriverSets found = find_drivers(options);
  std::vector<WantedDrivers> wanted;
  for (const Candidate& candidate : candidates) wanted.push_back({candidate.modules, candidate.selectors});
  add_further_drivers(found, wanted, selector);
  const auto sets = std::make_shared<const DriverSets>(std::move(found));
  std::vector<RunPlan> plans;
  for (const Candidate& candidate : candidates) {
    const DriverSets able = driver_host::sets_that_hold(*sets, candidate.modules);
    DriverSets chosen = scenario::select(able, candidate.selectors);
    if (!selector.empty()) {
      std::erase_if(chosen, [&](const driver_host::DriverSet& set) {
        return selector == "newest" ? set.kernel_version != able.back().kernel_version
                                    : !scenario::selects(selector, set.kernel_version);
      });
    }
    for (const driver_host::DriverSet& set : chosen) {
      const auto kept =
          std::ranges::find_if(*sets, [&](const driver_host::DriverSet& one) { return one.library == set.library; });
      plans.push_back({candidate.scenario, {sets, &*kept}});
    }
    if (chosen.empty()) {
      complain("pmufab: {}: not run: no driver set supports its platform and matches its drivers: {}{}\n",
               candidate.scenario->name, scenario::quoted_list(candidate.selectors),
               selector.empty() ? "" : " and --drivers " + selector);
    }
  }
  if (plans.empty()) {
    std::vector<std::string> versions;
    for (const driver_host::DriverSet& set : *sets) versions.push_back(set.kernel_version);
    throw InputError("there is nothing to run: no driver set is selected",
                     "the driver sets are " + scenario::quoted_list(versions));
  }
  return plans;
}

/// A file system takes names of 255 bytes. Of a longer one, its beginning and a sum of it stay.
std::string folder_name(const std::string& title, const std::string& drivers) {
  constexpr std::size_t kLongest = 240;
  constexpr std::size_t kKept = 200;
  std::string name = as_file_name(fmt::format("{}-{}", title, drivers));
  if (name.size() <= kLongest) return name;
  const boost::uuids::name_generator_sha1 sum(boost::uuids::ns::oid());
  return fmt::format("{}-{}", name.substr(0, kKept), to_string(sum(fmt::format("{}-{}", title, drivers))));
}

std::string folder_of(const RunPlan& plan) { return folder_name(plan.scenario->title(), plan.drivers->kernel_version); }

/// Two runs in one folder of --out would overwrite each other's results.
void check_folders(const std::vector<RunPlan>& plans) {
  std::set<std::string> names;
  for (const RunPlan& plan : plans) {
    const std::string name = folder_of(plan);
    if (!names.insert(name).second)
      throw InputError(fmt::format("--out: two runs would write to the folder '{}'", name),
                       "give each scenario another name, or run them one after the other");
  }
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("cannot write '{}': {}", folder.generic_string(), error.message()));
}

/// Errors in writing show before anything runs.
void check_outputs(const po::variables_map& map, const fs::path& out, const std::vector<RunPlan>& plans) {
  if (!out.empty()) {
    check_folders(plans);
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
  // These may be in the same folder.
  for (const char* option : {"junit", "json", "csv", "html", "coverage"}) {
    if (const std::string file = map[option].as<std::string>(); !file.empty()) check_writable(file);
  }
}

void write_run_folder(const fs::path& out, const RunPlan& plan, const RunResult& run) {
  const fs::path folder = out / folder_name(run.title(), run.drivers);
  make_folder(folder);
  std::ostringstream json;
  std::ostringstream csv;
  std::ostringstream text;
  scenario::write_report(json, scenario::ReportKind::json, run);
  scenario::write_report(csv, scenario::ReportKind::csv, run);
  scenario::write_text(text, run, {.marks = false, .everything = true, .compact = false});
  write_file(folder / "result.json", json.str());
  write_file(folder / "counters.csv", csv.str());
  write_file(folder / "result.txt", text.str());
  write_file(folder / "kernel.log", run.kernel_log.empty() ? "" : fmt::format("{}\n", fmt::join(run.kernel_log, "\n")));
  write_file(folder / "effective.yaml", scenario::effective_yaml(plan.scenario->load(), run.drivers));
}

/// @throws InputError for numbers that make no sense
void check_numbers(const po::variables_map& map) {
  static_cast<void>(jobs_of(map));
  constexpr unsigned kMaximumTimeout = 10'000'000;
  if (map["timeout"].as<unsigned>() > kMaximumTimeout)
    throw InputError("--timeout: this number of seconds is not possible", fmt::format("use 0 ... {}", kMaximumTimeout));
}

/// A report of all runs, which grows with each. The user's file is there at the end. Rows make sense before that: a CSV
/// report grows beside the file, where it can be read.
class ReportFile {
 public:
  ReportFile(const fs::path& file, scenario::ReportKind kind)
      : file_(file, kind == scenario::ReportKind::csv ? OutputFile::Beside::partial : OutputFile::Beside::hidden),
        report_(scenario::make_report(kind, stream_)) {}
  void add(const RunResult& run, std::optional<double> seconds) {
    report_->add(run, seconds);
    pass_on();
  }
  void finish() {
    report_->finish();
    pass_on();
    file_.commit();
  }

 private:
  void pass_on() {
    file_.append(stream_.str());
    stream_.str({});
  }

  OutputFile file_;
  std::ostringstream stream_;
  std::unique_ptr<scenario::ReportWriter> report_;
};

/// The reports of all runs: --junit, --json, --csv and --html. One that cannot be written is dropped; the others go on.
class Reports {
 public:
  Reports(const po::variables_map& map, const fs::path& scratch, ResultWriter& results)
      : results_(results), page_(map["html"].as<std::string>(), scratch, "run") {
    using Kind = scenario::ReportKind;
    for (const auto& [option, kind] : {std::pair{"junit", Kind::junit}, {"json", Kind::json}, {"csv", Kind::csv}}) {
      const std::string file = map[option].as<std::string>();
      if (!file.empty()) files_.push_back(std::make_unique<ReportFile>(file, kind));
    }
  }
  /// Let runs tell what the reports need besides results.
  void follow(scenario::RunnerOptions& runner) {
    runner.records_load = page_.is_wanted();
    runner.on_cost = [this](const scenario::RunCost& cost) { seconds_ = cost.seconds; };
  }
  void add(const RunPlan& plan, const RunResult& run) {
    for (auto& file : files_) write(file, [&] { file->add(run, seconds_); });
    seconds_.reset();
    std::erase(files_, nullptr);
    results_.write([&] { page_.add(plan, run); });
  }
  void finish(const CoverageFile& coverage) {
    for (auto& file : files_) write(file, [&] { file->finish(); });
    results_.write([&] {
      page_.add(coverage);
      page_.finish();
    });
  }

 private:
  void write(std::unique_ptr<ReportFile>& file, const std::function<void()>& work) {
    bool done = false;
    results_.write([&] {
      work();
      done = true;
    });
    if (!done) file.reset();
  }

  ResultWriter& results_;
  std::optional<double> seconds_;  // that the next run took
  std::vector<std::unique_ptr<ReportFile>> files_;
  HtmlFile page_;
};

scenario::TextReportOptions form_of(const po::variables_map& map, std::size_t runs) {
  scenario::TextReportOptions form;
  form.marks = speaks_utf8();
  form.everything = map["verbose"].as<bool>();
  form.compact = runs > 4 && !form.everything;
  return form;
}

/// @return true if there is one run, in this process
bool runs_here(const po::variables_map& map) { return map["in-process"].as<bool>() || map["gdb"].as<bool>(); }

/// The one run of --gdb and --in-process: with the newest drivers, unless others are chosen.
void choose_one(const po::variables_map& map, std::vector<RunPlan>& plans) {
  const char* const option = map["gdb"].as<bool>() ? "--gdb" : "--in-process";
  if (!map["timeout"].defaulted() && map["timeout"].as<unsigned>() > 0)
    throw InputError(fmt::format("{} and --timeout exclude each other", option));
  if (map["profile"].as<bool>()) throw InputError(fmt::format("{} and --profile exclude each other", option));
  const auto is_first = [&](const RunPlan& plan) { return plan.scenario == plans.front().scenario; };
  if (!std::ranges::all_of(plans, is_first)) {
    const std::string variant = plans.front().scenario->variant.name;
    throw InputError(fmt::format("{} needs one run, and these are several scenarios or variants", option),
                     variant.empty() ? "give one scenario" : "choose a variant with --set: " + variant);
  }
  if (map["drivers"].as<std::string>().empty()) plans = {plans.back()};
  if (plans.size() != 1)
    throw InputError(fmt::format("{} needs one run, and --drivers chooses {} driver sets", option, plans.size()),
                     "--drivers newest chooses one");
}

/// Become gdb, which runs the plan with drivers for a debugger: those that the user names, or the kernel's with -O0.
[[noreturn]] void run_in_gdb(const po::variables_map& map, const RunPlan& plan) {
  const std::string commands = map["gdb-command"].as<std::string>();
  if (!commands.empty() && !fs::is_regular_file(commands))
    throw InputError(fmt::format("--gdb-command: there is no file '{}'", commands));
  Arguments words;
  const Arguments given = given_arguments();
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == "--gdb" || given[i].starts_with("--gdb-command=")) continue;
    if (given[i] == "--gdb-command") {
      ++i;
    } else {
      words.push_back(given[i]);
    }
  }
  // In front: behind "--" they would be names of scenarios.
  const auto command = std::ranges::find(words, "run");
  const auto place = command == words.end() ? words.begin() : std::next(command);
  Arguments added = {"--in-process"};
  if (map["driver"].as<std::string>().empty() && map["driver-dir"].as<std::string>().empty())
    added.insert(added.end(), {"--driver-dir", build_debug_drivers(plan.drivers->kernel_version).string()});
  words.insert(place, added.begin(), added.end());
  become_gdb(words, commands);
}

/// @return the runs to do. Does not return if gdb does them
std::vector<RunPlan> runs_of(const Request& request, const scenario::RunLimits& limits) {
  const po::variables_map& map = request.options;
  std::vector<RunPlan> plans = make_plans(request, limits);
  if (runs_here(map)) choose_one(map, plans);
  if (map["gdb"].as<bool>()) run_in_gdb(map, plans.front());
  if (!map["gdb-command"].as<std::string>().empty()) throw InputError("--gdb-command needs --gdb");
  return plans;
}

/// @return what does not depend on reports
scenario::RunnerOptions runner_options(const po::variables_map& map, const scenario::RunLimits& limits,
                                       const fs::path& scratch) {
  scenario::RunnerOptions runner;
  runner.jobs = jobs_of(map);
  runner.timeout_seconds = map["timeout"].as<unsigned>();
  runner.limits = limits;
  runner.echo_log = map["kernel-log"].as<bool>();
  runner.scratch = scratch;
  runner.interrupted = interrupts;
  return runner;
}

/// "12 of 40 runs, 2 min 5 s left  cmn-flits (Linux 7.3.4)", and since when that one runs if it keeps the others waiting
std::string in_words(const scenario::RunnerProgress& progress, double seconds) {
  constexpr double kLong = 5;      // seconds
  constexpr double kKnown = 0.02;  // of everything: before that, a time left would be a guess
  std::string text = fmt::format("{} of {}", progress.done, scenario::counted(progress.all, "run"));
  if (progress.fraction > kKnown)
    text += fmt::format(", {} left", time_in_words(seconds * (1 - progress.fraction) / progress.fraction));
  if (progress.running.empty()) return text;
  text += "  " + progress.running;
  return progress.seconds < kLong ? text : text + " since " + time_in_words(progress.seconds);
}

/// Progress, and what runs print.
void show_on(ProgressLine& line, scenario::RunnerOptions& runner) {
  runner.on_progress = [&line](const scenario::RunnerProgress& progress) {
    line.show(progress.fraction, in_words(progress, line.seconds()));
  };
  runner.on_output = [&line](const std::string& title, const std::string& output) {
    line.clear();
    complain("--- output of {}\n{}{}---\n", title, output, output.ends_with('\n') ? "" : "\n");
  };
}

int run(const Request& request) {
  const po::variables_map& map = request.options;
  check_numbers(map);
  check_reports(map, {"junit", "json", "csv", "html", "coverage", "trace-mmio", "timeline"});
  const scenario::RunLimits limits = limits_of(map);
  const std::vector<RunPlan> plans = runs_of(request, limits);
  const auto profile = map["profile"].as<bool>() ? std::make_unique<scenario::Profile>() : nullptr;
  const fs::path out = map[map["out"].as<std::string>().empty() ? "output" : "out"].as<std::string>();
  check_outputs(map, out, plans);
  const scenario::TextReportOptions form = form_of(map, plans.size());

  Printer printer(form);
  ResultWriter results;
  CoverageFile coverage(map["coverage"].as<std::string>());
  TraceFiles traces(map, limits.trace);
  traces.check_runs(plans.size());
  scenario::Summary summary;
  scenario::ComparisonTables comparison;
  scenario::FailureCauses causes;
  int code = kPassed;
  catch_interrupts();
  ScratchFolder scratch;
  Reports reports(map, scratch.path(), results);
  ProgressLine bar;
  scenario::RunnerOptions runner = runner_options(map, limits, scratch.path());
  runner.covers = coverage.is_wanted();
  reports.follow(runner);
  runner.traces = traces.options();
  runner.profile = profile.get();
  show_on(bar, runner);
  runner.on_traces = [&](const scenario::TraceOptions& run) {
    bar.clear();
    traces.add(run);
  };
  std::set<std::string> mistakes;  // in the input: each is told once, however many runs have it
  runner.on_result = [&](const RunPlan& plan, RunResult result) {
    bar.clear();
    const bool is_bad_input = result.status == RunResult::Status::bad_input;
    const bool is_known_mistake = is_bad_input && !mistakes.insert(result.message).second;
    if (!is_known_mistake) printer.print(result, causes.add(result));
    if (is_bad_input && !is_known_mistake) complain("pmufab: {}: {}\n", result.title(), result.message);
    if (!out.empty()) results.write([&] { write_run_folder(out, plan, result); });
    reports.add(plan, result);
    results.write([&] { coverage.add(result.coverage, result.title()); });
    summary.add(result);
    comparison.add(result);
    code = scenario::graver(code, scenario::exit_code(result));
  };
  runs_here(map) ? scenario::run_here(plans.front(), runner) : scenario::run_all(plans, runner);
  bar.clear();
  printer.flush();
  comparison.write(std::cout);
  causes.write(std::cout);
  if (summary.runs() > 1) summary.write(std::cout);
  if (profile) profile->write(std::cout);
  std::cout.flush();
  reports.finish(coverage);
  results.write([&] { coverage.write(); });
  traces.commit();
  return traces.finish(results.finish(code));
}

std::string run_description() {
  return R"(A scenario file names a platform, traffic, and what to measure; docs/scenario-format.md describes it. pmufab runs it
once for each driver set it selects, each time in a new process. A run passes when every count equals the
scoreboard's.

SCENARIO is the path of a file, or a name. The name cmn-flits stands for a file cmn-flits.yaml. pmufab looks for it
first in the folders below scenarios/ here, then among the scenarios that come with pmufab. A folder stands for all
scenarios below it, and a pattern ('cmn-*', in quotes) for all names or paths like it. What is in folders and is no
scenario, such as platforms and traffic, is left out.

--serving takes those that drive the PMUs of a driver, of the given scenarios or of all: a kernel module (arm_cmn), its
file (arm-cmn.c), or the name of a PMU (nvidia_ucf_pmu), with or without its number. A scenario drives the PMUs that it
measures; if it measures none, those of its platform.

--csv puts the rows of each run into FILE.partial as soon as it and the runs before it have ended, and renames that file
to FILE behind the last one. If pmufab is killed, FILE.partial stays and has the rows of all these runs; a last line
without a line break was being written. The next command that writes FILE replaces it. A pipe or a device gets
everything at the end.

)" + trace_description() +
         "\n\n" + limit_description();
}

}  // namespace

Command run_command() {
  constexpr unsigned kUsualTimeout = 600;
  return {
      .name = "run",
      .arguments = "[options] [SCENARIO...]",
      .summary = "run scenarios with every driver set, and check every counter against the scoreboard",
      .description = run_description(),
      .options =
          Options{
              serving_option(),
              text("platform", "FILE", "platform or plug-in, in place of that of the scenarios"),
              list("set", "PATH=VALUE", "change a value of the scenario; may be given several times"),
              text("junit", "FILE", "write a JUnit report"),
              text("json", "FILE", "write all results as JSON"),
              text("csv", "FILE", "write all counters as comma-separated values"),
              html_option(),
              text("coverage", "FILE", "write what the drivers met, for pmufab coverage"),
              text("out", "DIR", "write a folder per run: results, effective configuration, kernel log"),
              text("output", "DIR", "the same as --out"),
              jobs_option(),
              number<unsigned>("timeout", "SECONDS", "stop a run that takes longer (0: never)", kUsualTimeout),
              limit_option(),
              flag("verbose,v", "print full tables, for every run"),
              flag("kernel-log", "show kernel logs as they grow"),
              flag("profile", "print where the processor time went: traffic, models, judge, drivers, ..."),
              flag("gdb", "run one scenario in gdb, with drivers built for it; it stops before they are loaded"),
              text("gdb-command", "FILE", "gdb commands that --gdb carries out then"),
              flag("in-process", "run one scenario in this process, for debuggers"),
          } +
          trace_options() + driver_options(""),
      .words = Words::scenarios,
      .examples = {{"pmufab run ucf-basic", "one scenario, with every driver set"},
                   {"pmufab run scenarios/tegra410 --drivers newest --junit results.xml",
                    "all scenarios of a folder, with the newest drivers and a report for a CI server"},
                   {"pmufab run --serving arm-cmn.c --driver my/arm-cmn.so", "every scenario that tries a driver"},
                   {"pmufab run overflow-16 --set platform.tegra410.ucf_pmu.width=20 \\\n"
                    "  --set host.interrupt_delay='5 us'",
                    "change values; they may have units"},
                   {"pmufab run cmn-flits --gdb", "set breakpoints in functions of drivers, then type continue"},
                   {"pmufab run demo --set trace=sort.trace --out results",
                    "replay a recorded program; results, effective configuration and kernel log go to results/"}},
      .exit_codes = judging_exit_codes(),
      .run = run,
  };
}

}  // namespace pmufab::cli
