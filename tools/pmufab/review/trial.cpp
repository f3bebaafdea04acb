// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/review/trial.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "testbench/campaigns/interleave/exploration.h"
#include "testbench/campaigns/verify/campaign.h"
#include "testbench/campaigns/verify/failure.h"
#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/run/report/result_difference.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/review/change.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using scenario::InputError;
using scenario::Json;
using scenario::RunPlan;
using scenario::RunResult;
using verify::Failure;
using Status = RunResult::Status;
using Clock = std::chrono::steady_clock;

constexpr unsigned kMostTimeouts = 3;  // a driver that hangs would take all the time
constexpr double kLongestRun = 10;     // seconds of processor time for a short run

bool is_measure_wrong(const scenario::MeasureResult& measure) {
  using perf::Check;
  const auto is_bad = [](const auto& one) { return !one.ok; };
  return std::ranges::any_of(measure.counters,
                             [](const scenario::CounterResult& counter) {
                               return counter.check == Check::wrong || counter.check == Check::not_opened;
                             }) ||
         std::ranges::any_of(measure.checks, is_bad) || std::ranges::any_of(measure.derived, is_bad);
}

bool is_anything_wrong(const RunResult& run) {
  return std::ranges::any_of(run.checks, [](const auto& check) { return !check.ok; }) ||
         std::ranges::any_of(run.measures, is_measure_wrong);
}

bool came_to_its_end(const RunResult& run) {
  return run.is_good() || run.status == Status::failed || run.status == Status::unexpected_pass;
}

/// A run as a reviewer sees it: a defect is one whether a scenario expects it or not.
RunResult as_seen(RunResult run) {
  if (came_to_its_end(run)) {
    const bool is_bad = is_anything_wrong(run);
    if (run.status != Status::not_judged || is_bad) run.status = is_bad ? Status::failed : Status::passed;
  }
  run.expected_reason.clear();
  return run;
}

/// What one run has that is wrong, and the other has not.
std::optional<Failure> only_in(const RunResult& run, const RunResult& other) {
  const std::vector<Failure> others = verify::failures_of(other);
  for (const Failure& failure : verify::failures_of(run)) {
    if (std::ranges::none_of(others, [&](const Failure& one) { return one.kind == failure.kind; })) return failure;
  }
  for (const Failure& failure : verify::failures_of(run)) {
    if (std::ranges::none_of(others, [&](const Failure& one) { return one.text == failure.text; })) return failure;
  }
  return std::nullopt;
}

/// What is worse, where nothing is wrong.
Failure loss_in(const Json& difference) {
  for (const Json& counter : difference["counters"]) {
    if (counter["change"] != "worse") continue;
    const std::string name = counter["name"].get<std::string>();
    const Json& share = counter["time_share_percent"];
    if (share.is_array() && share[0].is_number() && share[1].is_number())
      return {"a counter has less of the time", fmt::format("{}: counted {:.1f} % of the time, then {:.1f} %", name,
                                                            share[0].get<double>(), share[1].get<double>())};
    return {"a counter is missing", fmt::format("{}: is missing now", name)};
  }
  for (const Json& check : difference["checks"]) {
    if (check["change"] == "worse")
      return {fmt::format("check {}", check["name"].get<std::string>()),
              fmt::format("check {}: is missing now", check["name"].get<std::string>())};
  }
  return {"another end", fmt::format("{}, then {}", difference["status"][0].dump(), difference["status"][1].dump())};
}

/// Count a finding; of each kind, the first is kept.
void add_finding(std::vector<Finding>& findings, const Finding& finding) {
  const auto known = std::ranges::find(findings, finding.kind, &Finding::kind);
  if (known == findings.end()) {
    findings.push_back(finding);
  } else {
    ++known->runs;
  }
}

Finding finding_of(const Failure& failure, const std::string& where) {
  return {failure.kind, where, failure.text, 1, {}, {}};
}

void limit_processor_time(scenario::RunnerOptions& runner, double seconds) {
  constexpr double kPicosecondsPerSecond = 1e12;
  const auto most = static_cast<Picoseconds>(seconds * kPicosecondsPerSecond);
  Picoseconds& limit = runner.limits.processor_time;
  limit = limit == 0 ? most : std::min(limit, most);
}

bool is_review_interrupted(const TrialOptions& options) {
  return options.runner.interrupted && options.runner.interrupted() > 0;
}

/// Let runs stop at the user's wish, and also when something is over.
template <typename IsOver>
void stop_when(scenario::RunnerOptions& runner, const std::function<int()>& asked, IsOver is_over) {
  runner.interrupted = [asked, is_over] {
    const int wish = asked ? asked() : 0;
    return wish == 0 && is_over() ? 1 : wish;
  };
}

/// The runs of a scenario, each with both drivers, one behind the other. Whether a scenario leaves out the kernel, because
/// its drivers have a known defect, is no matter: the change may mend it.
/// @param rules  gets the runs in which drivers must fail
void add_plans(const fs::path& path, const TrialOptions& options, std::vector<RunPlan>& plans,
               std::set<const scenario::PlannedScenario*>& rules) {
  const auto none = std::make_shared<const std::vector<std::string>>();
  const auto file = std::make_shared<const scenario::ScenarioFile>(path);
  for (scenario::Variant& variant : file->variants(*none)) {
    const scenario::ScenarioSpec spec = file->load(variant, *none);
    const auto able = driver_host::sets_that_hold({*options.before}, scenario::driver_modules(spec.platform));
    if (able.empty()) continue;
    const auto planned = scenario::plan_scenario(file, std::move(variant), none, spec);
    if (spec.expected_failure && spec.expected_failure->is_rule) rules.insert(planned.get());
    plans.push_back({planned, options.before});
    plans.push_back({planned, options.after});
  }
}

/// On a machine without a PMU for some of the changed drivers, they have nothing to bind, as the kernel's own.
void forget_unused_drivers(const RunResult& before, RunResult& after) {
  const auto served = [&](const driver_host::DriverFile& file) {
    return std::ranges::any_of(before.driver_files,
                               [&](const auto& one) { return one.file == file.file && !one.pmus.empty(); });
  };
  const bool is_one_lost = std::ranges::any_of(
      after.driver_files, [&](const auto& file) { return file.is_own && file.pmus.empty() && served(file); });
  if (is_one_lost) return;
  std::erase_if(after.checks, [](const auto& check) { return check.name == "drivers"; });
  const auto known = std::ranges::find(before.checks, "drivers", &scenario::CheckResult::name);
  if (known != before.checks.end()) after.checks.push_back(*known);
  const bool is_mended = after.status == Status::failed && after.expected_reason.empty() && !is_anything_wrong(after);
  if (is_mended) after.status = before.status == Status::not_judged ? Status::not_judged : Status::passed;
}

/// The event, term or PMU that a driver lacks, so that a run could not begin, or a measure of it; empty: there is none.
std::string missing_name(const RunResult& run) {
  static const std::regex pattern("(unknown (event or )?term|there is no PMU) '([^']+)'");
  std::smatch found;
  if (std::regex_search(run.message, found, pattern)) return found.str(3);
  for (const scenario::CheckResult& check : run.checks) {
    if (check.name == "published" && std::regex_search(check.text, found, pattern)) return found.str(3);
  }
  return "";
}

bool is_good_counter(const scenario::CounterResult& counter) {
  return counter.check != perf::Check::wrong && counter.check != perf::Check::not_opened;
}

/// @return whether a run failed before it counted anything: the driver had no PMU for it
bool has_only_failed(const RunResult& run) {
  return !run.is_good() && std::ranges::none_of(run.measures, [](const scenario::MeasureResult& measure) {
    return std::ranges::any_of(measure.counters, is_good_counter);
  });
}

bool fails(const RunResult& run, const std::string& check) {
  return std::ranges::any_of(run.checks, [&](const auto& one) { return one.name == check && !one.ok; });
}

/// @return whether nothing is wrong but counts of events that there were before, in a run of which the driver before left
///         out something for want of another one. It may have counted them as wrong.
bool is_wrong_elsewhere(const RunResult& before, const RunResult& after) {
  const std::string missing = missing_name(before);
  if (missing.empty() || !came_to_its_end(after)) return false;
  const bool is_of_missing = std::ranges::any_of(after.measures, [&](const scenario::MeasureResult& measure) {
    return std::ranges::any_of(measure.counters, [&](const scenario::CounterResult& counter) {
      return !is_good_counter(counter) && counter.event.find(missing) != std::string::npos;
    });
  });
  // What drivers show is compared in the runs that could begin, too.
  return !is_of_missing && std::ranges::all_of(after.checks, [&](const auto& check) {
    return check.ok || check.name == "published" || fails(before, check.name);
  });
}

}  // namespace

void Trial::add(const RunResult& before, RunResult after, Expectation expectation) {
  forget_unused_drivers(before, after);
  const bool is_rule = expectation == Expectation::rule;
  const RunResult old_run = is_rule ? before : as_seen(before);
  const RunResult new_run = is_rule ? after : as_seen(after);
  const scenario::ResultDifference difference({to_json(old_run)}, {to_json(new_run)});
  const Json run = difference.to_json()["runs"][0];
  std::string change = run["change"].get<std::string>();
  const std::string title = after.title();
  const std::optional<Failure> wrong = only_in(new_run, old_run);
  const std::optional<Failure> mended = only_in(old_run, new_run);
  // What is right now may need fewer checks: an event that is refused as it must be has no window.
  const bool loses_counter =
      std::ranges::any_of(run["counters"], [](const Json& counter) { return counter["change"] == "worse"; });
  if (change == "worse" && !wrong && mended && !loses_counter) change = "better";
  if (change == "worse" && new_run.status == Status::bad_input && has_only_failed(old_run)) change = "same";
  const bool lost_nothing = old_run.status == Status::bad_input || !loses_counter;
  if (change == "worse" && lost_nothing && is_wrong_elsewhere(before, after)) change = "same";
  if (change == "worse") {
    ++worse;
    add_finding(worse_findings, finding_of(wrong ? *wrong : loss_in(run), title));
  } else if (change == "better") {
    ++better;
    add_finding(better_findings, finding_of(mended ? *mended : Failure{"another end", before.message}, title));
  } else {
    ++same;
    if (change == "changed") ++changed;
  }
}

Trial try_scenarios(const std::vector<fs::path>& files, const TrialOptions& options) {
  Trial trial{.name = "scenario"};
  std::vector<RunPlan> plans;
  std::set<const scenario::PlannedScenario*> rules;
  for (const fs::path& file : files) add_plans(file, options, plans, rules);
  scenario::RunnerOptions runner = options.runner;
  unsigned timeouts = 0;
  std::optional<RunResult> before;
  stop_when(runner, options.runner.interrupted, [&] { return timeouts >= kMostTimeouts; });
  runner.on_progress = [&](const scenario::RunnerProgress& progress) {
    options.on_progress(progress.fraction,
                        fmt::format("{} of {} scenarios: {}", progress.done / 2, progress.all / 2, progress.running));
  };
  runner.on_result = [&](const RunPlan& plan, RunResult run) {
    if (plan.drivers == options.before) {
      before = std::move(run);
      return;
    }
    const bool is_cut = run.status == Status::not_run || before->status == Status::not_run ||
                        (run.status == Status::interrupted && !run.is_limited);
    if (is_cut) return;
    if (run.status == Status::timed_out || run.is_limited) ++timeouts;
    trial.add(*before, std::move(run),
              rules.contains(plan.scenario.get()) ? Trial::Expectation::rule : Trial::Expectation::defect);
  };
  scenario::run_all(plans, runner);
  if (timeouts >= kMostTimeouts)
    trial.notes.push_back(
        fmt::format("{} of {} scenarios ran: {} took too long", trial.runs(), plans.size() / 2, kMostTimeouts));
  return trial;
}

namespace {

/// What is compared of a run. There are many.
RunResult brief(RunResult run) {
  for (scenario::MeasureResult& measure : run.measures) measure.intervals = {};
  run.kernel_log = {};
  run.actions = {};
  run.traffic = Json::array();
  return run;
}

/// The same drivers by the version of another kernel: cases avoid the known defects of that.
Drivers called(const Drivers& drivers, const std::string& version) {
  auto set = std::make_shared<driver_host::DriverSet>(*drivers);
  set->kernel_version = version;
  return set;
}

/// A campaign with one of both drivers, which keeps the result of each case.
class Half {
 public:
  Half(const std::vector<const verify::FabricGenerator*>& fabrics, std::uint64_t seed, double seconds,
       const TrialOptions& options, Drivers drivers)
      : drivers_(std::move(drivers)) {
    for (const verify::FabricGenerator* fabric : fabrics) campaign_.targets.push_back({fabric, drivers_});
    campaign_.seed = seed;
    campaign_.out = options.out / "cases";
    campaign_.write_file = write_file;
    campaign_.runner = options.runner;
    // A case that hangs must be over before the time is. Processor time does not depend on what else runs.
    limit_processor_time(campaign_.runner, std::max(kLongestRun, seconds / 8));
    campaign_.names_drivers = false;
    campaign_.on_case = [this](const RunPlan&, const RunResult& run) { results_.push_back(brief(run)); };
  }
  [[nodiscard]] verify::CampaignOptions& campaign() noexcept { return campaign_; }
  [[nodiscard]] const std::vector<RunResult>& results() const noexcept { return results_; }
  [[nodiscard]] const verify::CampaignState& state() const noexcept { return state_; }
  void run() { verify::run_campaign(campaign_, state_); }

 private:
  Drivers drivers_;
  verify::CampaignOptions campaign_;
  verify::CampaignState state_;
  std::vector<RunResult> results_;
};

}  // namespace

Trial try_random_cases(const std::vector<const verify::FabricGenerator*>& fabrics, std::uint64_t seed, double seconds,
                       const TrialOptions& options) {
  Trial trial{.name = "random case"};
  if (fabrics.empty() || seconds <= 0) return trial;
  const Clock::time_point began = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  const auto show = [&](const verify::CampaignState& state, const std::string& what) {
    options.on_progress(std::min(1.0, passed() / seconds), fmt::format("{} random cases {}", state.next, what));
  };
  constexpr double kShareOfFirst = 0.5;  // the other half is for the same cases with the kernel's own drivers
  const Drivers stock = called(options.before, options.cases_for);
  Half after(fabrics, seed, seconds, options, called(options.after, options.cases_for));
  after.campaign().stock = stock;
  after.campaign().is_over = [&] { return passed() >= kShareOfFirst * seconds; };
  after.campaign().on_progress = show;
  // Cases are made smaller for as long again, and no longer.
  stop_when(after.campaign().runner, options.runner.interrupted, [&] { return passed() >= seconds; });
  after.run();
  Half before(fabrics, seed, seconds, options, stock);
  before.campaign().runs = after.results().size();
  before.campaign().shrinks = false;
  before.campaign().out = options.out / "cases-before";
  before.campaign().on_progress = show;
  if (!after.results().empty() && !is_review_interrupted(options)) before.run();
  const std::size_t both = std::min(before.results().size(), after.results().size());
  for (std::size_t i = 0; i < both; ++i) trial.add(before.results()[i], after.results()[i], Trial::Expectation::rule);
  for (const verify::FailureGroup& group : after.state().groups) {
    const auto found = std::ranges::find(trial.worse_findings, group.kind, &Finding::kind);
    if (found == trial.worse_findings.end()) continue;
    // What there was no time to make smaller is there as it was.
    const std::string name = group.file.empty() ? group.name + "-whole.yaml" : group.file;
    found->file = (after.campaign().out / name).generic_string();
    found->scenario = content_of(found->file);
    found->text = group.text;
  }
  return trial;
}

namespace {

constexpr unsigned kBound = 1;  // steps
constexpr std::size_t kMostSchedules = 400;

/// What became of the schedules of a scenario, by their steps: what is wrong in each, if anything.
using Explored = std::map<std::string, std::optional<Finding>>;

std::string name_of(const interleave::Schedule& schedule) {
  std::string name;
  for (const interleave::Step& step : schedule.steps) name += (name.empty() ? "" : "; ") + describe(step);
  return name;
}

/// @return what can be explored of the calls of a scenario; nothing: there is no such call, nothing that could wrap, or the
///         user does not wait for it
std::optional<interleave::Exploration> look_at(const fs::path& path, scenario::Trigger::Call call,
                                               const Drivers& drivers, const TrialOptions& options) {
  interleave::Subject subject;
  subject.document = scenario::load_file(path);
  subject.base = path.parent_path();
  subject.overrides = std::make_shared<const std::vector<std::string>>();
  subject.call = call;
  subject.drivers = drivers;
  const scenario::ScenarioFile file(subject.document, subject.base);
  std::vector<scenario::Variant> variants = file.variants(*subject.overrides);
  if (variants.size() != 1) return std::nullopt;
  subject.variant = std::move(variants.front());
  interleave::Exploration exploration(std::move(subject), options.runner);
  try {
    exploration.look();
  } catch (const InputError&) {
    return std::nullopt;
  }
  if (exploration.was_interrupted()) return std::nullopt;
  return exploration;
}

std::optional<Explored> explore(const interleave::Exploration& exploration, const std::string& name,
                                std::string_view call) {
  const std::vector<interleave::Schedule> schedules =
      interleave::all_schedules(exploration.choices(), kBound, kMostSchedules).list;
  const std::vector<interleave::Outcome> outcomes = exploration.run(schedules);
  if (exploration.was_interrupted()) return std::nullopt;  // a part says nothing of the rest
  Explored explored;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    using Kind = interleave::Outcome::Kind;
    if (outcomes[i].kind == Kind::not_run) continue;
    std::optional<Finding>& finding = explored[name_of(schedules[i])];
    if (outcomes[i].kind != Kind::failed && outcomes[i].kind != Kind::as_expected) continue;
    finding = {.kind = fmt::format("{} of {}: {}", call, exploration.choices().pmu, outcomes[i].kind_of_failure),
               .where = fmt::format("{}, {}", name, name_of(schedules[i])),
               .text = outcomes[i].what,
               .runs = 1,
               .file = {},
               .scenario = exploration.as_scenario(schedules[i])};
  }
  return explored;
}

/// @return true if there is such a schedule, and nothing is wrong in it
bool is_right_in(const Explored& explored, const std::string& schedule) {
  const auto found = explored.find(schedule);
  return found != explored.end() && !found->second;
}

/// A schedule that is wrong with both drivers, or that only drivers with other accesses have, is the same unless
/// nothing of its kind was wrong before.
void add_explored(const Explored& before, const Explored& after, Trial& trial) {
  const auto is_any_wrong = [](const Explored& explored) {
    return std::ranges::any_of(explored, [](const auto& one) { return one.second.has_value(); });
  };
  const bool was_right = !is_any_wrong(before);
  const bool is_right = !is_any_wrong(after);
  for (const auto& [schedule, finding] : after) {
    if (finding && (was_right || is_right_in(before, schedule))) {
      ++trial.worse;
      add_finding(trial.worse_findings, *finding);
    } else {
      ++trial.same;
    }
  }
  for (const auto& [schedule, finding] : before) {
    if (!finding || !(is_right || is_right_in(after, schedule))) continue;
    ++trial.better;
    if (trial.same > 0 && is_right_in(after, schedule)) --trial.same;
    add_finding(trial.better_findings, *finding);
  }
}

}  // namespace

Trial try_interleavings(const std::vector<fs::path>& files, const TrialOptions& given) {
  Trial trial{.name = "interleaving"};
  if (files.empty()) trial.notes.emplace_back("no scenario is made for interleavings (pmufab interleave takes any)");
  TrialOptions options = given;
  unsigned late = 0;
  limit_processor_time(options.runner, kLongestRun);
  options.runner.on_cost = [&](const scenario::RunCost& cost) {
    if (cost.processor_seconds >= kLongestRun) ++late;
  };
  stop_when(options.runner, given.runner.interrupted, [&] { return late >= kMostTimeouts; });
  using Call = scenario::Trigger::Call;
  // Perf's stop is a del, and migration to another CPU is a del there and an add here.
  constexpr std::array kCalls = {Call::read, Call::interrupt, Call::add, Call::del};
  std::size_t done = 0;
  for (const fs::path& file : files) {
    for (const Call call : kCalls) {
      options.on_progress(static_cast<double>(done++) / static_cast<double>(files.size() * kCalls.size()),
                          fmt::format("interleavings: {}, {}", file.stem().string(), scenario::to_string(call)));
      if (is_review_interrupted(given)) return trial;
      if (late >= kMostTimeouts) break;
      const std::optional<interleave::Exploration> changed = look_at(file, call, options.after, options);
      if (!changed) continue;
      std::optional<interleave::Exploration> stock = changed->with_drivers(options.before);
      if (!stock) stock = look_at(file, call, options.before, options);
      if (!stock) continue;
      const std::string name = file.stem().string();
      const std::optional<Explored> after = explore(*changed, name, scenario::to_string(call));
      if (!after) continue;
      const std::optional<Explored> before = explore(*stock, name, scenario::to_string(call));
      if (before) add_explored(*before, *after, trial);
    }
  }
  if (late >= kMostTimeouts)
    trial.notes.push_back(fmt::format("interleavings were broken off: {} runs took too long", kMostTimeouts));
  for (std::size_t i = 0; i < trial.worse_findings.size(); ++i) {
    Finding& finding = trial.worse_findings[i];
    finding.file = (options.out / fmt::format("interleaving-{}.yaml", i + 1)).generic_string();
    write_file(finding.file, finding.scenario);
  }
  return trial;
}

}  // namespace pmufab::cli
