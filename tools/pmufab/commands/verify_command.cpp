// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/campaigns/coverage/report.h"
#include "testbench/campaigns/verify/campaign.h"
#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/host/module_library.h"
#include "testbench/run/process/child_process.h"
#include "testbench/run/results/driver_files.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/coverage/coverage_file.h"
#include "tools/pmufab/driver/further_drivers.h"
#include "tools/pmufab/html/html_file.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/scenario_names.h"
#include "tools/pmufab/scenarios/served_pmus.h"
#include "tools/pmufab/tracing/trace_files.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;
using verify::CampaignOptions;
using verify::CampaignState;
using verify::FabricGenerator;
using verify::FailureGroup;
using Clock = std::chrono::steady_clock;

constexpr const char* kUsualFolder = "pmufab-verify";
constexpr std::uint64_t kUsualRuns = 1000;

std::vector<std::string> fabric_names() {
  std::vector<std::string> names;
  for (const FabricGenerator* fabric : verify::fabric_generators()) names.emplace_back(fabric->name());
  return names;
}

/// "tegra410, cmn, cxl or soc"
std::string all_fabrics() {
  std::vector<std::string> names = fabric_names();
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

/// @return cases on the platform of --platform. It lives as long as the process, as those of fabrics do.
const FabricGenerator* read_own_platform(const std::string& given) {
  static std::unique_ptr<const FabricGenerator> generator;
  const fs::path file = fs::absolute(find_platform(given));
  generator = verify::generator_on(file.string(), scenario::load_platform(file, {}).spec);
  return generator.get();
}

/// @return the driver files of a set that are expected to be used, because they are the user's
std::vector<driver_host::DriverFile> given_files(const driver_host::DriverSet& set) {
  try {
    return scenario::expected_files(driver_host::files_in(set.library));
  } catch (const driver_host::DriverSetError& error) {
    throw InputError(error.what());
  }
}

/// @return the fabrics whose PMUs the user's drivers serve; all, if no driver is the user's
/// @throws InputError if there is none
std::vector<const FabricGenerator*> fabrics_served_by(const driver_host::DriverSet& own) {
  std::vector<std::string_view> modules;
  std::vector<std::string> names;
  for (const driver_host::DriverFile& file : given_files(own)) {
    names.push_back(file.file);
    for (const std::string_view module : modules_called(file.file)) modules.push_back(module);
  }
  if (names.empty()) return verify::fabric_generators();
  std::vector<const FabricGenerator*> fabrics = generators_serving(modules);
  if (!fabrics.empty()) return fabrics;
  throw InputError(
      fmt::format("no fabric has PMUs for your driver ({})", fmt::join(names, ", ")),
      fmt::format("there are PMUs for {}; --platform FILE tries it on yours, and --fabric NAME all the same",
                  scenario::quoted_list(known_modules())));
}

std::vector<const FabricGenerator*> fabrics_of(const po::variables_map& map,
                                               const std::vector<driver_host::DriverSet>& sets) {
  const std::vector<std::string> names = values_of(map, "fabric");
  const std::string platform = map["platform"].as<std::string>();
  if (!platform.empty() && !names.empty())
    throw InputError("--platform and --fabric contradict each other", "give one of them");
  if (!platform.empty()) return {read_own_platform(platform)};
  if (names.empty() && !map["driver"].as<std::string>().empty()) return fabrics_served_by(sets.front());
  if (names.empty()) return verify::fabric_generators();
  const std::vector<std::string> known = fabric_names();
  std::vector<const FabricGenerator*> chosen;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(known, name);
    if (found == known.end())
      throw InputError(fmt::format("--fabric: there is no fabric '{}'", name),
                       "there are " + scenario::quoted_list(known));
    chosen.push_back(verify::fabric_generators()[static_cast<std::size_t>(found - known.begin())]);
  }
  return chosen;
}

/// Each fabric with each driver set that has its drivers.
std::vector<verify::Target> targets_of(const po::variables_map& map) {
  const std::string selector = selector_of(map);
  using DriverSets = std::vector<driver_host::DriverSet>;
  DriverSets found = find_drivers(map);
  const std::vector<const FabricGenerator*> fabrics = fabrics_of(map, found);
  std::vector<WantedDrivers> wanted;
  for (const FabricGenerator* fabric : fabrics) wanted.push_back({fabric->driver_modules(), {}});
  add_further_drivers(found, wanted, selector);
  const auto sets = std::make_shared<const DriverSets>(std::move(found));
  std::vector<verify::Target> targets;
  for (const FabricGenerator* fabric : fabrics) {
    const DriverSets able = driver_host::sets_that_hold(*sets, fabric->driver_modules());
    for (const driver_host::DriverSet& set : scenario::select(able, {selector})) {
      if (!fabric->has_pmus(set.kernel_version))
        throw InputError(fmt::format("--platform: '{}' has no PMU for cases with drivers of Linux {}",
                                     map["platform"].as<std::string>(), set.kernel_version),
                         "a described CoreSight PMU with events, without perf_name, and with counters of 16 bits or "
                         "more; below 32 bits "
                         "with an interrupt of its own");
      const auto kept =
          std::ranges::find_if(*sets, [&](const driver_host::DriverSet& one) { return one.library == set.library; });
      targets.push_back({fabric, {sets, &*kept}});
    }
  }
  if (targets.empty()) {
    std::vector<std::string> versions;
    for (const driver_host::DriverSet& set : *sets) versions.push_back(set.kernel_version);
    throw InputError("there is nothing to run: no driver set is selected",
                     "the driver sets are " + scenario::quoted_list(versions));
  }
  return targets;
}

/// The user's drivers that no case has a PMU for.
struct UnusedDrivers {
  std::vector<std::string> files;
  bool is_all = false;  ///< there is no other driver of the user's
};

/// @param cases  how many there are: case i is for target i modulo their number
UnusedDrivers unused_drivers(const std::vector<verify::Target>& targets, std::uint64_t cases) {
  std::vector<std::string_view> met;
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < targets.size() && i < cases; ++i) {
    for (const std::string_view module : targets[i].fabric->driver_modules()) met.push_back(module);
  }
  for (const FabricGenerator* fabric : verify::fabric_generators()) {
    for (const std::string_view module : fabric->driver_modules()) known.push_back(module);
  }
  UnusedDrivers unused;
  bool is_any_met = false;
  const std::vector<driver_host::DriverFile> files = given_files(*targets.front().drivers);
  for (const driver_host::DriverFile& file : files) {
    // A case judges whether a driver of an unknown name was used.
    const bool is_met = scenario::is_for(file, met) || !scenario::is_for(file, known);
    is_any_met = is_any_met || is_met;
    if (!is_met) unused.files.push_back(file.file);
  }
  unused.is_all = !unused.files.empty() && !is_any_met;
  // Of a header's users, one is enough.
  const bool is_header = std::ranges::none_of(files, [](const driver_host::DriverFile& file) { return file.is_given; });
  if (is_header && is_any_met) unused.files.clear();
  return unused;
}

/// @throws InputError if the user's drivers are for other fabrics
void check_fabrics(const std::vector<verify::Target>& targets) {
  const UnusedDrivers unused = unused_drivers(targets, targets.size());
  if (!unused.is_all) return;
  const std::vector<driver_host::DriverFile> files = given_files(*targets.front().drivers);
  std::vector<std::string> names;
  for (const FabricGenerator* fabric : verify::fabric_generators()) {
    const std::vector<std::string_view> modules = fabric->driver_modules();
    if (std::ranges::any_of(files,
                            [&](const driver_host::DriverFile& file) { return scenario::is_for(file, modules); }))
      names.emplace_back(fabric->name());
  }
  throw InputError(fmt::format("no case would use your driver ({}): the fabrics of --fabric have no PMU for it",
                               fmt::join(unused.files, ", ")),
                   "choose " + scenario::quoted_list(names));
}

/// The number of cases, or the time until no more begin.
void read_budget(const po::variables_map& map, CampaignOptions& options) {
  const std::string span = map["for"].as<std::string>();
  const bool has_runs = !map["runs"].defaulted();
  if (!span.empty() && has_runs) throw InputError("--for and --runs contradict each other", "give one of them");
  if (span.empty()) {
    options.runs = map["runs"].as<std::uint64_t>();
    if (*options.runs == 0) throw InputError("--runs: nothing would run", "use 1 or more");
    return;
  }
  Picoseconds budget = 0;
  try {
    budget = scenario::parse_quantity(span, scenario::Quantity::duration);
  } catch (const std::exception& error) {
    throw InputError(fmt::format("--for {}: {}", span, error.what()), "for example --for 10min");
  }
  if (budget == 0) throw InputError("--for: nothing would run", "for example --for 10min");
  constexpr std::uint64_t kPicosecondsPerMicrosecond = 1'000'000;
  const Clock::time_point end = Clock::now() + std::chrono::microseconds(budget / kPicosecondsPerMicrosecond);
  options.is_over = [end] { return Clock::now() >= end; };
}

/// @return what keeps other campaigns out of the folder; null: there is nothing to keep
std::unique_ptr<OutFolderLock> read_out(const po::variables_map& map, CampaignOptions& options) {
  const std::string out = map["out"].as<std::string>();
  options.out = out.empty() ? kUsualFolder : out;
  options.keeps_state = !out.empty();
  options.resumes = map["resume"].as<bool>();
  options.write_file = write_file_durably;
  if (options.resumes && out.empty()) throw InputError("--resume: no folder is given", "name it with --out DIR");
  std::error_code error;
  if (!options.keeps_state) {
    // It is made when there is something to put into it.
    check_writable(fs::is_directory(options.out, error) ? options.out / verify::kStateFile : options.out);
    if (fs::exists(fs::symlink_status(options.out, error)) && !fs::is_directory(options.out, error))
      throw InputError(fmt::format("cannot write into '{}': it is no folder", kUsualFolder), "name one with --out DIR");
    return {};
  }
  fs::create_directories(options.out, error);
  if (error) throw InputError(fmt::format("--out: cannot write '{}': {}", out, error.message()));
  const fs::path state = options.out / verify::kStateFile;
  check_writable(state);
  auto lock = std::make_unique<OutFolderLock>(options.out, "another campaign");
  if (options.resumes && !fs::exists(state)) complain("pmufab: {} has no campaign: a new one begins there\n", out);
  if (!options.resumes && fs::exists(state))
    throw InputError(fmt::format("--out: '{}' has a campaign already", out),
                     "go on with it by --resume, or name another folder");
  return lock;
}

/// Most cases take a fraction of a second, a few take ten. A driver that goes on forever must not hold up the others.
scenario::RunLimits case_limits() {
  scenario::RunLimits limits;
  limits.processor_time = 60'000'000'000'000;
  return limits;
}

scenario::RunnerOptions runner_of(const po::variables_map& map, const fs::path& scratch) {
  scenario::RunnerOptions runner;
  runner.jobs = jobs_of(map);
  runner.timeout_seconds = map["timeout"].as<unsigned>();
  runner.limits = limits_of(map, case_limits());
  runner.scratch = scratch;
  runner.interrupted = interrupts;
  return runner;
}

void print_failure(const FailureGroup& group, const fs::path& out) {
  fmt::print(std::cout, "FAILED {}: first in {}, drivers of Linux {}\n  {}\n", group.kind, group.name, group.drivers,
             group.text);
  if (!group.file.empty())
    fmt::print(std::cout, "  {} ({})\n", (out / group.file).generic_string(), scenario::counted(group.lines, "line"));
  std::cout.flush();
}

/// @param stopped  by the user
/// @param judged   what passed says something about the drivers
void print_end(const CampaignState& state, bool stopped, bool judged) {
  for (const FailureGroup& group : state.groups)
    fmt::print(std::cout, "{}: {}\n", scenario::counted(group.cases, "case"), group.kind);
  const std::uint64_t cases = state.passed + state.not_judged + state.failed;
  fmt::print(std::cout, "{} ({}): {}, {} passed, {} failed in {}, {} not judged.\n",
             state.failed > 0 ? "FAILED"
             : stopped        ? "STOPPED"
             : judged         ? "PASSED"
                              : "NOT JUDGED",
             state.identity, scenario::counted(cases, "case"), scenario::with_separators(state.passed),
             scenario::with_separators(state.failed), scenario::counted(state.groups.size(), "kind"),
             scenario::with_separators(state.not_judged));
  std::cout.flush();
}

double fraction_of(const CampaignState& state, const CampaignOptions& options, Clock::time_point began,
                   Picoseconds budget) {
  if (options.runs) return static_cast<double>(state.next) / static_cast<double>(*options.runs);
  constexpr double kPicosecondsPerSecond = 1e12;
  return std::chrono::duration<double>(Clock::now() - began).count() * kPicosecondsPerSecond /
         static_cast<double>(budget);
}

/// How much has been met, for the progress: ", 93.21 % of 1,234 bins met".
class CoverageInWords {
 public:
  /// @param exclusions  must outlive this object
  explicit CoverageInWords(const coverage::Exclusions& exclusions) : exclusions_(exclusions) {}
  /// @return "" if nobody wants to know
  const std::string& text(const CampaignState& state) {
    if (!state.coverage || state.coverage->runs() == runs_) return text_;
    runs_ = state.coverage->runs();
    const coverage::Tally tally = make_report(*state.coverage, exclusions_).tally;
    text_ = fmt::format(", {} of {} met", tally.percent(), scenario::counted(tally.reachable, "bin"));
    return text_;
  }

 private:
  const coverage::Exclusions& exclusions_;
  std::uint64_t runs_ = 0;
  std::string text_;
};

/// The campaign ends with an error, which is told afterwards.
void keep_coverage(const CampaignState& state, CoverageFile& file) {
  if (!state.coverage || state.coverage->runs() == 0) return;  // nothing is lost
  try {
    file.add(*state.coverage);
    file.write();
  } catch (const InputError& error) {
    complain("pmufab: {}\n", error.what());
  }
}

/// How a campaign ended. @param judged  what passed says something about the drivers
scenario::RunResult::Status status_of(const CampaignState& state, bool judged) {
  using Status = scenario::RunResult::Status;
  if (state.failed > 0) return Status::failed;
  if (interrupts() > 0) return Status::interrupted;
  return judged ? Status::passed : Status::not_judged;
}

/// @param out  folder of the smallest scenarios
std::vector<scenario::HtmlFailure> failures_of(const CampaignState& state, const fs::path& out) {
  std::vector<scenario::HtmlFailure> failures;
  for (const FailureGroup& group : state.groups) {
    std::ifstream file(out / group.file, std::ios::binary);
    const std::string smallest(std::istreambuf_iterator<char>(file), {});
    failures.push_back({group.kind, group.cases, fmt::format("{}, drivers of Linux {}", group.name, group.drivers),
                        group.text, (out / group.file).generic_string(), group.file.empty() ? "" : smallest});
  }
  return failures;
}

/// The page of --html of a campaign.
class CampaignPage {
 public:
  /// @param results  is told what cannot be written
  CampaignPage(const po::variables_map& map, const fs::path& scratch, ResultWriter& results)
      : page_(map["html"].as<std::string>(), scratch, "verify"), results_(results) {}

  /// Take each case of the campaign, if the page is wanted.
  void follow(CampaignOptions& options) {
    if (!page_.is_wanted()) return;
    options.runner.records_load = true;
    options.on_case = [this](const scenario::RunPlan& plan, const scenario::RunResult& run) {
      ++cases_;
      results_.write([&] { page_.add(plan, run); });
    };
  }

  void finish(const CampaignState& state, const CampaignOptions& options, const CoverageFile& coverage,
              scenario::RunResult::Status status) {
    if (!page_.is_wanted()) return;
    scenario::HtmlReport& report = page_.report();
    report.outcome(status,
                   fmt::format("{}: {}, {} passed, {} failed in {}, {} not judged", state.identity,
                               scenario::counted(state.next, "case"), scenario::with_separators(state.passed),
                               scenario::with_separators(state.failed), scenario::counted(state.groups.size(), "kind"),
                               scenario::with_separators(state.not_judged)));
    if (state.next > cases_)
      report.notice(fmt::format("Of {} that ran before the campaign was resumed, the page has the failures alone.",
                                scenario::counted(state.next - cases_, "case")));
    report.failures(failures_of(state, options.out));
    results_.write([&] {
      page_.add(coverage);
      page_.finish();
    });
  }
  void mark_partial(const char* why) { page_.report().notice(fmt::format("These results are partial: {}.", why)); }

 private:
  HtmlFile page_;
  ResultWriter& results_;
  std::uint64_t cases_ = 0;
};

/// Run the file of each failure once more, and write down what happens.
void trace_failures(const CampaignState& state, const CampaignOptions& options, TraceFiles& traces) {
  if (!traces.is_wanted()) return;
  std::vector<scenario::RunPlan> plans;
  const auto overrides = std::make_shared<const std::vector<std::string>>();
  for (const FailureGroup& group : state.groups) {
    const auto target = std::ranges::find_if(
        options.targets, [&](const verify::Target& one) { return one.drivers->kernel_version == group.drivers; });
    if (group.file.empty() || target == options.targets.end()) continue;
    const auto file = std::make_shared<const scenario::ScenarioFile>(options.out / group.file);
    plans.push_back({scenario::plan_scenario(file, {}, overrides, file->load({}, *overrides)), target->drivers});
  }
  scenario::RunnerOptions runner = options.runner;
  runner.traces = traces.options();
  runner.on_traces = [&](const scenario::TraceOptions& run) { traces.add(run); };
  run_all(plans, runner);
  traces.commit();
}

/// @return the kernel's own drivers of this version; null if there are none
std::shared_ptr<const driver_host::DriverSet> find_stock(const std::string& version) {
  std::vector<driver_host::DriverSet> sets;
  try {
    sets = find_stock_drivers();
  } catch (const InputError&) {  // nobody has built any
  }
  const auto found = std::ranges::find_if(sets, [&](const auto& set) { return set.kernel_version == version; });
  if (found != sets.end()) return std::make_shared<const driver_host::DriverSet>(*found);
  complain("pmufab: small cases are not checked with the kernel's own drivers: there are none of Linux {}\n", version);
  return {};
}

/// The campaign that the user wants; its folder and its runner are left to the caller.
CampaignOptions read_campaign(const po::variables_map& map) {
  CampaignOptions options;
  options.targets = targets_of(map);
  check_fabrics(options.targets);
  options.seed = map["seed"].as<std::uint64_t>();
  options.most_kinds = map["failures"].as<std::uint64_t>();
  options.shrinks = !map["no-shrink"].as<bool>();
  read_budget(map, options);
  for (const char* option : {"driver", "driver-dir"}) {
    if (const std::string value = map[option].as<std::string>(); !value.empty())
      options.run_options += fmt::format(" --{} {}", option, process::shell_word(value));
  }
  options.names_drivers = map["driver"].as<std::string>().empty();
  if (!options.names_drivers && options.shrinks)
    options.stock = find_stock(options.targets.front().drivers->kernel_version);
  return options;
}

int run_verify(const Request& request) {
  const po::variables_map& map = request.options;
  CampaignOptions options = read_campaign(map);
  const std::unique_ptr<OutFolderLock> lock = read_out(map, options);
  check_reports(map, {"html", "coverage", "trace-mmio"});
  CoverageFile coverage(map["coverage"].as<std::string>());
  TraceFiles traces(map, limits_of(map).trace);
  options.covers = coverage.is_wanted();
  if (options.covers) options.exclusions = find_exclusions({});
  catch_interrupts();
  ScratchFolder scratch;
  options.runner = runner_of(map, scratch.path());
  ResultWriter results;
  CampaignPage page(map, scratch.path(), results);
  page.follow(options);
  const Clock::time_point began = Clock::now();
  const Picoseconds budget =
      options.runs ? 0 : scenario::parse_quantity(map["for"].as<std::string>(), scenario::Quantity::duration);
  ProgressBar bar;
  CoverageInWords percent(options.exclusions);
  options.on_progress = [&](const CampaignState& state, const std::string& what) {
    bar.show(std::min(1.0, fraction_of(state, options, began, budget)),
             fmt::format("{} cases, {} failed in {}{}  {}", state.next, state.failed,
                         scenario::counted(state.groups.size(), "kind"), percent.text(state), what));
  };
  options.on_failure = [&](const FailureGroup& group) {
    bar.clear();
    print_failure(group, options.out);
  };
  CampaignState state;
  try {
    verify::run_campaign(options, state);
  } catch (const std::exception&) {
    bar.clear();
    keep_coverage(state, coverage);
    page.mark_partial("the campaign ended with an error");
    page.finish(state, options, coverage, scenario::RunResult::Status::failed);
    throw;
  }
  bar.clear();
  const UnusedDrivers unused = unused_drivers(options.targets, state.next);
  const bool judged = state.passed > 0 && !unused.is_all;
  print_end(state, interrupts() > 0, judged);
  if (!unused.files.empty())
    complain("pmufab: {} (yours) was not used: no case had a PMU for it\n", fmt::join(unused.files, ", "));
  if (state.coverage) coverage.add(*state.coverage);
  results.write([&] { coverage.write(); });
  if (interrupts() > 0) page.mark_partial("the campaign was stopped before its end");
  page.finish(state, options, coverage, status_of(state, judged));
  trace_failures(state, options, traces);
  const int code = state.failed > 0 || interrupts() > 0 ? kCheckFailed : judged ? kPassed : kNotJudged;
  return traces.finish(results.finish(code));
}

}  // namespace

Command verify_command() {
  constexpr unsigned kUsualTimeout = 300;
  return {
      .name = "verify",
      .arguments = "[options]",
      .summary = "run drivers on random machines with random perf sessions, and shrink what fails",
      .description =
          R"(Each case is a scenario of its own: a random machine of a fabric, traffic that reaches what its PMUs count, and a
perf session with everything that perf and the kernel do: groups, more events than counters, readings, refused events,
CPUs that go and come back, drivers that are loaded again, counters that wrap. A case is judged as any scenario is.

The first failure of each kind is shrunk to the smallest scenario that still fails in the same way. It is written as a
file that pmufab run takes. Further failures of that kind are counted. docs/verify.md tells more.

With --driver, the machines are those of the fabrics that the driver serves; a library may hold several drivers.

With --platform, machines are not drawn: all cases run on that platform, with the traffic of its plug-in and random
streams at the sources of its file. Sessions open events of its described PMUs, and let counters of 16 bits or more wrap.

The same seed, fabrics and drivers give the same cases. With --out the campaign can be interrupted at any time, and
go on with --resume.

)" + access_log_description() +
          R"(
A campaign writes nothing of that on its way: at its end, the file of each failure is run once more and written down.

)" + limit_description(case_limits()),
      .options =
          Options{
              list("fabric", "NAME",
                   (all_fabrics() + "; may be given several times (default: those that --driver serves, or all)")
                       .c_str()),
              text("platform", "FILE",
                   "in place of --fabric: random sessions on the described PMUs of this platform or plug-in"),
              number<std::uint64_t>("seed", "N", "another seed gives other cases", 1),
              number<std::uint64_t>("runs", "N", "how many cases", kUsualRuns),
              text("for", "TIME", "in place of --runs: how long cases are begun, such as 10min"),
              number<std::uint64_t>("failures", "N", "stop after failures of N kinds (0: never)", 0),
              flag("no-shrink", "write failing cases as they are"),
              text("out", "DIR", "folder for failing scenarios (default: pmufab-verify) and for the campaign's state"),
              text("coverage", "FILE", "write what the drivers met, for pmufab coverage"),
              html_option(),
              flag("resume", "go on with the campaign in that folder"),
              jobs_option(),
              number<unsigned>("timeout", "SECONDS", "a case that takes longer has failed (0: never)", kUsualTimeout),
              limit_option(),
          } +
          access_log_options() + driver_options("newest"),
      .examples = {{"pmufab verify --driver arm-cmn.so --for 10min",
                    "look for mistakes in a driver, on its own fabrics"},
                   {"pmufab verify --fabric tegra410 --runs 500 --seed 7 --out campaign",
                    "500 cases; Ctrl-C interrupts, --resume goes on"}},
      .exit_codes = {{"0", "every case passed"},
                     {"1", "a case failed, crashed or took too long, or the user stopped the campaign"},
                     {"2", "bad input, or output that could not be written"},
                     {"3", "an internal error"},
                     {"4", "nothing failed, and not one count could be judged, or no case used your driver"}},
      .run = run_verify,
  };
}

}  // namespace pmufab::cli
