// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/review/trial.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "testbench/campaigns/interleave/exploration.h"
#include "testbench/campaigns/verify/campaign.h"
#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/run/session/kernel_selection.h"
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
using Status = RunResult::Status;
using Clock = std::chrono::steady_clock;

constexpr unsigned kMostTimeouts = 3;  // a driver that hangs would take all the time
constexpr double kLongestRun = 10;     // seconds of processor time for a short run

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

bool is_for(const scenario::ScenarioSpec& spec, const std::string& kernel) {
  return std::ranges::any_of(spec.drivers, [&](const auto& selector) { return scenario::selects(selector, kernel); });
}

/// The runs of a scenario, each with both drivers, one behind the other. Whether a scenario leaves out the kernel, because
/// its drivers have a known defect, is no matter: the change may mend it. What only older kernels do is no matter, either.
void add_plans(const fs::path& path, const TrialOptions& options, std::vector<RunPlan>& plans,
               std::map<const scenario::PlannedScenario*, Trial::Expectation>& expectations) {
  const auto none = std::make_shared<const std::vector<std::string>>();
  const auto file = std::make_shared<const scenario::ScenarioFile>(path);
  for (scenario::Variant& variant : file->variants(*none)) {
    const scenario::ScenarioSpec spec = file->load(variant, *none);
    const auto able = driver_host::sets_that_hold({*options.before}, scenario::driver_modules(spec.platform));
    const bool is_of_older = !is_for(spec, options.cases_for);
    if (able.empty() || (is_of_older && !is_for(spec, options.before->kernel_version))) continue;
    const auto planned = scenario::plan_scenario(file, std::move(variant), none, spec);
    Trial::Expectation& expectation = expectations[planned.get()];
    if (is_of_older) expectation = Trial::Expectation::older;
    if (spec.expected_failure && spec.expected_failure->is_rule) expectation = Trial::Expectation::rule;
    plans.push_back({planned, options.before});
    plans.push_back({planned, options.after});
  }
}

}  // namespace

Trial try_scenarios(const std::vector<fs::path>& files, const TrialOptions& options) {
  Trial trial{.name = "scenario", .renamed = options.renamed, .changed_events = options.changed_events};
  std::vector<RunPlan> plans;
  std::map<const scenario::PlannedScenario*, Trial::Expectation> expectations;
  for (const fs::path& file : files) add_plans(file, options, plans, expectations);
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
    trial.add(*before, std::move(run), expectations.at(plan.scenario.get()));
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
    // Of a case that hangs. Processor time does not depend on what else runs.
    limit_processor_time(campaign_.runner, std::max(kLongestRun, seconds / 8));
    campaign_.names_drivers = false;
    campaign_.run_options = " --driver " + options.library;
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
  Trial trial{.name = "random case", .renamed = options.renamed, .changed_events = options.changed_events};
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
  if (after.results().empty() && !is_review_interrupted(options))
    trial.notes.emplace_back("no random case ended within --for");
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
  subject.unused_drivers_are_right = true;
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
               .where = name,
               .text = fmt::format("{} ({})", outcomes[i].what, name_of(schedules[i])),
               .runs = 1,
               .file = {},
               .scenario = exploration.as_scenario(schedules[i])};
  }
  return explored;
}

/// @return the event whose count is wrong, or the check that failed: what kinds begin with
std::string_view subject_of(const Finding& finding) {
  constexpr std::string_view kEnd = "/: ";
  const std::string_view kind = finding.kind;
  return kind.substr(0, kind.find(kEnd));
}

/// A schedule that is wrong with both drivers is the same. So is one that only drivers with other accesses have, unless
/// nothing was wrong with its event, or check, before.
void add_explored(const Explored& before, const Explored& after, Trial& trial) {
  const auto is_new = [](const std::string& schedule, const Finding& finding, const Explored& others) {
    if (const auto other = others.find(schedule); other != others.end()) return !other->second.has_value();
    return std::ranges::none_of(
        others, [&](const auto& one) { return one.second && subject_of(*one.second) == subject_of(finding); });
  };
  for (const auto& [schedule, finding] : after) {
    if (finding && is_new(schedule, *finding, before)) {
      ++trial.worse;
      add_finding(trial.worse_findings, *finding);
    } else {
      ++trial.same;
    }
  }
  for (const auto& [schedule, finding] : before) {
    if (!finding || !is_new(schedule, *finding, after)) continue;
    ++trial.better;
    if (trial.same > 0 && after.contains(schedule)) --trial.same;
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
