// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/interleave/exploration.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "testbench/campaigns/interleave/time_line.h"
#include "testbench/perf/event_syntax.h"
#include "testbench/run/occurrences/occurrences.h"
#include "testbench/run/report/failure_causes.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::interleave {
namespace {

using scenario::InputError;
using scenario::RunResult;
using scenario::Value;
using Check = scenario::CounterResult::Check;

constexpr std::size_t kHolds = 3;  // calls that an interrupt may be held back for

std::vector<AccessRecord> accesses_of(const RunResult& run) {
  std::vector<AccessRecord> accesses;
  for (const scenario::Json& access : run.accesses) accesses.push_back(scenario::access_from_json(access));
  return accesses;
}

bool is_one_of(const std::vector<std::string>& patterns, const std::string& name) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0; });
}

/// @return a name that no other schedule of the scenario has: "dwc-basic-read-1-access-2"
std::string name_of(const std::string& base, const Schedule& schedule) {
  std::string name = base;
  for (const Step& step : schedule.steps) {
    const Trigger& at = step.at;
    name += at.is_access() ? fmt::format("-{}-{}-access-{}", scenario::to_string(*at.call), at.nth_call, at.access)
                           : fmt::format("-at-{}-ps", at.time);
    if (step.kind == Step::Kind::hold) name += "-held";
    if (step.kind == Step::Kind::read) name += "-reading";
  }
  return name;
}

/// Everything that is wrong in a run. Whether all steps came is no matter of the driver.
class Failures {
 public:
  /// @param left_out  a check that may fail; empty: none
  explicit Failures(const RunResult& run, std::string_view left_out = {}) : left_out_(left_out) {
    for (const scenario::MeasureResult& measure : run.measures) look_at(measure);
    look_at(run.checks);
    using Status = RunResult::Status;
    const bool is_broken_off = run.status == Status::bad_input || run.status == Status::crashed ||
                               run.status == Status::timed_out || run.status == Status::interrupted;
    if (is_broken_off) add(nullptr, std::string(to_string(run.status)), run.message);
  }

  [[nodiscard]] bool empty() const noexcept { return list_.empty(); }
  [[nodiscard]] bool are_expected(const scenario::ExpectedFailureSpec& expected) const {
    return std::ranges::all_of(
        list_, [&](const One& one) { return one.expected != nullptr && is_one_of(expected.*one.expected, one.name); });
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const One& one : list_) all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", one.name, one.text);
    return all;
  }

 private:
  using Names = std::vector<std::string> scenario::ExpectedFailureSpec::*;
  struct One {
    Names expected;  // the list that may name it; null: none
    std::string name;
    std::string text;
  };

  void look_at(const scenario::MeasureResult& measure) {
    for (const scenario::CounterResult& counter : measure.counters) {
      if (counter.check == Check::not_opened)
        add(&scenario::ExpectedFailureSpec::not_opened, counter.event, counter.note);
      if (counter.check != Check::wrong) continue;
      std::string text = counter.note;
      if (counter.driver && counter.expected && *counter.driver != *counter.expected)
        text = fmt::format("{} instead of {}{}{}", scenario::with_separators(*counter.driver),
                           scenario::with_separators(*counter.expected), text.empty() ? "" : ", ", text);
      add(&scenario::ExpectedFailureSpec::events, counter.event, text);
    }
    for (const scenario::DerivedResult& derived : measure.derived) {
      if (!derived.ok) add(nullptr, derived.name, "wrong");
    }
    look_at(measure.checks);
  }

  void look_at(const std::vector<scenario::CheckResult>& checks) {
    for (const scenario::CheckResult& check : checks) {
      if (!check.ok && check.name != scenario::kOccurrences && check.name != left_out_)
        add(&scenario::ExpectedFailureSpec::checks, check.name, check.text);
    }
  }

  void add(Names expected, std::string name, std::string text) {
    list_.push_back({expected, std::move(name), std::move(text)});
  }

  std::string_view left_out_;
  std::vector<One> list_;
};

}  // namespace

Exploration::Exploration(Subject subject, scenario::RunnerOptions options)
    : subject_(std::move(subject)), options_(std::move(options)) {
  const scenario::ScenarioFile file(subject_.document, subject_.base);
  spec_ = file.load(subject_.variant, *subject_.overrides);
  effective_ = spec_.effective;
}

/// Of times in a short life: a reading takes many accesses.
Picoseconds Exploration::unit() const {
  constexpr Picoseconds kLeast = 1'000'000;
  constexpr Picoseconds kAccesses = 20;
  return std::max(kLeast, kAccesses * spec_.host.access_latency);
}

std::vector<RunResult> Exploration::run_documents(const std::vector<Value>& documents, bool record) const {
  std::vector<scenario::RunPlan> plans;
  for (const Value& document : documents) {
    auto file = std::make_shared<const scenario::ScenarioFile>(document, subject_.base);
    plans.push_back(
        {scenario::plan_scenario(std::move(file), subject_.variant, subject_.overrides, spec_), subject_.drivers});
  }
  scenario::RunnerOptions options = options_;
  std::vector<RunResult> results;
  options.prepare = [record](scenario::ScenarioSpec& spec) { spec.records_accesses = record; };
  options.on_result = [&results](const scenario::RunPlan&, RunResult result) { results.push_back(std::move(result)); };
  scenario::run_all(plans, options);
  const auto lost = std::ranges::find_if(results, [](const RunResult& run) { return run.is_lost; });
  if (lost != results.end()) throw InputError(lost->message);
  interrupted_ = interrupted_ || (options_.interrupted && options_.interrupted() > 0);
  return results;
}

void Exploration::look() {
  const std::vector<RunResult> runs = run_documents({subject_.document}, true);
  const RunResult& run = runs.front();
  using Status = RunResult::Status;
  if (run.status == Status::bad_input) throw InputError(run.message);
  if (run.status == Status::crashed || run.status == Status::timed_out)
    throw InputError(fmt::format("the scenario as it is does not run to its end: {}", run.message));
  recorded_ = accesses_of(run);
  recorded_whole_ = recorded_;
  if (interrupted_) return;
  const std::vector<std::string> pmus = pmus_to_try();
  bool wraps = false;
  for (const std::string& pmu : pmus) {
    if (!wraps && !interrupted_) wraps = look_at(pmu, run);
  }
  if (interrupted_) return;
  if (pmus.size() > 1) notes_.push_back(fmt::format("one of {} PMUs is explored (--pmu chooses another)", pmus.size()));
  if (is_short_)
    notes_.emplace_back("a short life of its events, without the scenario's traffic (--whole: the scenario as it is)");
  if (choices_.windows.empty() && (!is_short_ || is_anything_in_bulk_))
    throw InputError(fmt::format("the driver of {} accesses no register in such a call: {}", subject_.pmu,
                                 scenario::to_string(subject_.call)),
                     "it does in " + scenario::quoted_list(other_calls_));
  if (interrupted_ || !has_interrupt()) return;
  for (Choices::OfWindow& of : choices_.windows) find_holds(of);
}

std::optional<Exploration> Exploration::with_drivers(std::shared_ptr<const driver_host::DriverSet> drivers) const {
  Exploration other = *this;
  other.subject_.drivers = std::move(drivers);
  const std::vector<AccessRecord> accesses = accesses_of(other.run_documents({subject_.document}, true).front());
  const auto is_same = [](const AccessRecord& one, const AccessRecord& two) {
    const auto facts = [](const AccessRecord& of) {
      return std::tie(of.when, of.place.pmu, of.place.call, of.place.nth_call, of.place.access, of.address, of.size,
                      of.is_write, of.value);
    };
    return facts(one) == facts(two);
  };
  if (!std::ranges::equal(accesses, recorded_, is_same)) return std::nullopt;
  return other;
}

bool Exploration::look_at(const std::string& pmu, const RunResult& whole_run) {
  subject_.pmu = pmu;
  choices_ = {};
  choices_.pmu = pmu;
  recorded_ = recorded_whole_;
  find_windows();
  is_short_ = is_short_ || (!subject_.whole && (spec_.injections.empty() || choices_.windows.empty()));
  if (is_short_) {
    const bool is_possible = shorten(whole_run);
    find_windows();
    if (!is_possible) return false;
    is_anything_in_bulk_ = true;
  }
  find_amounts();
  return std::ranges::any_of(choices_.windows, [](const Choices::OfWindow& of) { return !of.events.empty(); });
}

std::vector<OpenTogether> Exploration::opened_events(const RunResult& whole_run) {
  constexpr std::size_t kMost = 6;  // every pair of them is a schedule, at each pair of accesses
  std::vector<OpenTogether> all;
  std::set<std::string> known;
  std::size_t left = 0;
  for (const scenario::MeasureResult& measure : whole_run.measures) {
    OpenTogether events;
    for (const scenario::CounterResult& counter : measure.counters) {
      if (counter.pmu != subject_.pmu || !counter.driver || !known.insert(counter.event).second) continue;
      const bool has_room = !subject_.sources.empty() || known.size() - left <= kMost;
      left += has_room ? 0 : 1;
      if (has_room) events.push_back(counter.event);
    }
    if (!events.empty()) all.push_back(std::move(events));
  }
  if (left > 0)
    left_out_.push_back(fmt::format("{} of {} that the scenario measures, behind the first {}",
                                    scenario::counted(left, "event"), subject_.pmu, kMost));
  return all;
}

std::string Exploration::source_of(const std::string& event) {
  constexpr std::size_t kAtOnce = 16;
  const std::vector<std::string> texts = one_place_of(event);
  std::string refused;
  for (std::size_t first = 0; first < texts.size() && !interrupted_; first += first == 0 ? 1 : kAtOnce) {
    const std::size_t end = std::min(first == 0 ? 1 : first + kAtOnce, texts.size());
    std::vector<Value> documents;
    for (std::size_t i = first; i < end; ++i) {
      documents.push_back(subject_.document);
      begin_counts(documents.back(), {{texts[i]}}, unit());
    }
    const std::vector<RunResult> runs = run_documents(documents, false);
    for (std::size_t i = first; i < end && i - first < runs.size(); ++i) {
      if (runs[i - first].status != RunResult::Status::bad_input) return texts[i];
      if (refused.empty()) refused = runs[i - first].message;
    }
  }
  // "NAME: inject[0].source: 'EVENT': why" (what may help)
  if (const std::size_t place = refused.find("source: "); place != std::string::npos) refused.erase(0, place + 8);
  if (!interrupted_) left_out_.push_back(refused);
  return {};
}

bool Exploration::shorten(const RunResult& whole_run) {
  const std::vector<OpenTogether> measures = opened_events(whole_run);
  if (measures.empty()) return false;
  subject_.document = short_life(effective_, measures, unit());
  subject_.variant = {};
  subject_.overrides = std::make_shared<const std::vector<std::string>>();
  spec_ = scenario::ScenarioFile(subject_.document, subject_.base).load(subject_.variant, *subject_.overrides);
  sources_of_life_.clear();
  for (const OpenTogether& events : measures) {
    sources_of_life_.push_back(subject_.sources);
    for (const std::string& event : events) {
      if (!subject_.sources.empty() || interrupted_) continue;
      if (std::string source = source_of(event); !source.empty()) sources_of_life_.back().push_back(std::move(source));
    }
  }
  begin_counts(subject_.document, sources_of_life_, unit());
  const bool is_any = std::ranges::any_of(sources_of_life_, [](const auto& sources) { return !sources.empty(); });
  if (interrupted_ || !is_any) return false;
  const auto run_again = [&] { recorded_ = accesses_of(run_documents({subject_.document}, true).front()); };
  run_again();
  if (subject_.call == Trigger::Call::interrupt) {
    let_overflow();
    run_again();
  }
  spec_ = scenario::ScenarioFile(subject_.document, subject_.base).load(subject_.variant, *subject_.overrides);
  return !interrupted_;
}

void Exploration::let_overflow() {
  constexpr std::size_t kMostAmounts = 100;
  const Window first{.call = Trigger::Call::read, .nth_call = 1, .accesses = 0};
  std::vector<AccessRecord> read = from_window(recorded_, first);
  std::erase_if(read, [&](const AccessRecord& access) {
    return access.place.call != first.call || access.place.nth_call != first.nth_call;
  });
  for (const std::string& source : sources_of_life_.front()) {
    for (const std::uint64_t amount : candidate_amounts(read, before_window(first), kMostAmounts).amounts) {
      Value document = subject_.document;
      add_between_readings(document, source, amount, unit());
      const std::vector<AccessRecord> accesses = accesses_of(run_documents({document}, true).front());
      const bool overflows = std::ranges::any_of(accesses, [&](const AccessRecord& access) {
        return access.place.pmu == subject_.pmu && access.place.call == Trigger::Call::interrupt;
      });
      if (overflows) subject_.document = std::move(document);
      if (overflows || interrupted_) return;
    }
  }
}

/// A fault of the interrupt is bad input if the driver has asked for none.
bool Exploration::has_interrupt() const {
  Step late;
  late.kind = Step::Kind::hold;
  late.until.time = 1;
  const std::vector<RunResult> runs = run_documents({with_steps(subject_.document, subject_.pmu, {{late}})}, false);
  return runs.front().status != RunResult::Status::bad_input;
}

std::vector<std::string> Exploration::pmus_to_try() const {
  std::set<std::string> pmus;
  for (const AccessRecord& access : recorded_) pmus.insert(access.place.pmu);
  std::vector<std::string> names(pmus.begin(), pmus.end());
  if (names.empty()) throw InputError("no driver is called for a PMU of this scenario", "does it measure events?");
  if (subject_.pmu.empty()) return names;
  if (!pmus.contains(subject_.pmu))
    throw InputError(fmt::format("no driver accesses registers for a PMU '{}'", subject_.pmu),
                     "there are " + scenario::quoted_list(names));
  return {subject_.pmu};
}

void Exploration::find_windows() {
  choices_.windows.clear();
  std::set<std::string> others;
  for (const AccessRecord& access : recorded_) {
    if (access.place.pmu != subject_.pmu) continue;
    others.insert(std::string(scenario::to_string(access.place.call)));
    choices_.interrupts_anyway = choices_.interrupts_anyway || access.place.call == Trigger::Call::interrupt;
    const bool is_wanted =
        access.place.call == subject_.call && (subject_.nth_call == 0 || subject_.nth_call == access.place.nth_call);
    if (!is_wanted) continue;
    auto& windows = choices_.windows;
    if (windows.empty() || windows.back().window.nth_call != access.place.nth_call)
      windows.push_back({.window = {.call = subject_.call, .nth_call = access.place.nth_call}});
    windows.back().window.accesses = access.place.access;
  }
  other_calls_.assign(others.begin(), others.end());
}

std::vector<std::string> Exploration::sources() const {
  if (!subject_.sources.empty()) return subject_.sources;
  std::vector<std::string> all;
  for (const scenario::MeasureSpec& measure : spec_.measures) {
    for (const std::string& text : measure.events) {
      for (const perf::WrittenGroup& group : perf::parse_events(text)) {
        for (const perf::WrittenEvent& event : group.events) {
          const bool is_wanted = fnmatch(event.pmu.c_str(), subject_.pmu.c_str(), 0) == 0;
          if (is_wanted && std::ranges::find(all, event.text) == all.end()) all.push_back(event.text);
        }
      }
    }
  }
  return all;
}

std::vector<AccessRecord> Exploration::from_window(const std::vector<AccessRecord>& all, const Window& window) const {
  const auto first = std::ranges::find_if(all, [&](const AccessRecord& access) {
    return access.place.pmu == subject_.pmu && access.place.call == window.call &&
           access.place.nth_call == window.nth_call;
  });
  return {first, all.end()};
}

std::vector<AccessRecord> Exploration::before_window(const Window& window) const {
  std::map<std::uint64_t, AccessRecord> latest;
  for (const AccessRecord& access : recorded_) {
    if (access.place.pmu != subject_.pmu) continue;
    if (access.place.call == window.call && access.place.nth_call == window.nth_call) break;
    latest[access.address] = access;
  }
  for (const AccessRecord& access : from_window(recorded_, window)) {
    if (access.place.call == window.call && access.place.nth_call == window.nth_call) latest.erase(access.address);
  }
  std::vector<AccessRecord> others;
  for (auto& [address, access] : latest) others.push_back(std::move(access));
  return others;
}

/// In a short life, one measure follows the other, and what the others count makes no difference.
std::vector<std::string> Exploration::sources_of(const Window& window) const {
  if (!is_short_) return sources();
  const Picoseconds begin = from_window(recorded_, window).front().when;
  return sources_of_life_[std::min(measure_at(begin, unit()), sources_of_life_.size() - 1)];
}

void Exploration::find_amounts() {
  for (Choices::OfWindow& of : choices_.windows) {
    for (const std::string& source : sources_of(of.window)) {
      if (!interrupted_) find_amounts(of, source);
    }
  }
}

/// Let an event happen as often as it may take, and see what wraps.
void Exploration::find_amounts(Choices::OfWindow& of, const std::string& source) {
  constexpr std::size_t kMostInWhole = 2000;
  constexpr std::size_t kMostInShortLife = 150;  // on a platform of any size, of PMUs in which nothing may wrap
  const std::size_t most = is_short_ ? kMostInShortLife : kMostInWhole;
  std::vector<AccessRecord> none = from_window(recorded_, of.window);
  // What is at 0 falls only from where one occurrence has brought it.
  std::vector<AccessRecord> one;
  std::vector<Trial> trials;
  std::set<std::uint64_t> down;
  const std::string refused = try_amounts(of.window, source, {1}, [&](std::uint64_t amount, const auto& accesses) {
    down = counting_down(none, accesses);
    none = turned(none, down);
    one = turned(accesses, down);
    trials.push_back({amount, what_wrapped(none, one), {}});
  });
  if (!refused.empty()) {
    if (std::ranges::find(left_out_, refused) == left_out_.end()) left_out_.push_back(refused);
    return;
  }
  is_anything_in_bulk_ = true;
  std::vector<AccessRecord> own = none;
  own.resize(std::min<std::size_t>(own.size(), of.window.accesses));
  const Candidates candidates = candidate_amounts(own, turned(before_window(of.window), down), most);
  try_amounts(of.window, source, candidates.amounts, [&](std::uint64_t amount, const auto& accesses) {
    const std::vector<AccessRecord> up = turned(accesses, down);
    trials.push_back({amount, what_wrapped(none, up), what_wrapped(one, up)});
  });
  if (interrupted_) return;
  for (const std::uint64_t amount : choose_amounts(trials)) of.events.push_back({source, amount});
  if (!candidates.is_all)
    left_out_.push_back(fmt::format("{} call {}: more than {} amounts of {}", scenario::to_string(of.window.call),
                                    of.window.nth_call, scenario::with_separators(most), source));
}

std::string Exploration::try_amounts(
    const Window& window, const std::string& source, const std::vector<std::uint64_t>& amounts,
    const std::function<void(std::uint64_t amount, const std::vector<AccessRecord>& accesses)>& take) const {
  constexpr std::size_t kAtOnce = 50;  // with all their accesses in memory
  std::string refused;
  for (std::size_t first = 0; first < amounts.size() && !interrupted_; first += kAtOnce) {
    const std::size_t end = std::min(first + kAtOnce, amounts.size());
    std::vector<Value> documents;
    Step step;
    step.source = source;
    step.at.pmu = subject_.pmu;
    step.at.call = window.call;
    step.at.nth_call = window.nth_call;
    for (std::size_t i = first; i < end; ++i) {
      step.count = amounts[i];
      documents.push_back(with_steps(subject_.document, subject_.pmu, {{step}}));
    }
    const std::vector<RunResult> runs = run_documents(documents, true);
    for (std::size_t i = first; i < end && !interrupted_; ++i) {
      const RunResult& run = runs[i - first];
      if (run.status == RunResult::Status::bad_input) {
        refused = run.message;
      } else {
        take(amounts[i], from_window(accesses_of(run), window));
      }
    }
  }
  return refused;
}

/// An interrupt that comes in a call is taken after it at the earliest, and may be taken after one of the next ones.
void Exploration::find_holds(Choices::OfWindow& of) const {
  const std::vector<AccessRecord> rest = from_window(recorded_, of.window);
  const AccessRecord* last = nullptr;
  for (const AccessRecord& access : rest) {
    const bool is_own = access.place.call == of.window.call && access.place.nth_call == of.window.nth_call;
    const bool is_new =
        last == nullptr || access.place.call != last->place.call || access.place.nth_call != last->place.nth_call;
    last = &access;
    if (is_own || !is_new || access.place.pmu != subject_.pmu || access.place.call == Trigger::Call::interrupt)
      continue;
    Trigger until;
    until.pmu = subject_.pmu;
    until.call = access.place.call;
    until.nth_call = access.place.nth_call;
    until.access = ~std::uint64_t{0};  // at its end
    of.holds.push_back(until);
    if (of.holds.size() == kHolds) return;
  }
}

Outcome Exploration::outcome_of(const RunResult& run) const {
  Outcome outcome;
  if (run.status == RunResult::Status::not_run || (run.status == RunResult::Status::interrupted && interrupted_))
    return outcome;
  const Failures failures(run, subject_.unused_drivers_are_right ? "drivers" : "");
  if (failures.empty()) {
    const bool reached = std::ranges::all_of(run.checks, [](const scenario::CheckResult& check) { return check.ok; });
    outcome.kind = Outcome::Kind::passed;
    if (run.status == RunResult::Status::not_judged) outcome.kind = Outcome::Kind::not_judged;
    if (!reached) outcome.kind = Outcome::Kind::not_reached;
    return outcome;
  }
  const bool expected = !run.expected_reason.empty() && failures.are_expected(*spec_.expected_failure);
  outcome.kind = expected ? Outcome::Kind::as_expected : Outcome::Kind::failed;
  outcome.what = failures.text();
  outcome.kind_of_failure = scenario::without_numbers(outcome.what);
  return outcome;
}

std::vector<Outcome> Exploration::run(const std::vector<Schedule>& schedules) const {
  constexpr std::size_t kAtOnce = 500;  // documents in memory
  std::vector<Outcome> outcomes;
  for (std::size_t first = 0; first < schedules.size() && !interrupted_; first += kAtOnce) {
    std::vector<Value> documents;
    for (std::size_t i = first; i < std::min(first + kAtOnce, schedules.size()); ++i)
      documents.push_back(with_steps(subject_.document, subject_.pmu, schedules[i]));
    for (const RunResult& result : run_documents(documents, false)) outcomes.push_back(outcome_of(result));
  }
  outcomes.resize(schedules.size());
  return outcomes;
}

Outcome Exploration::run(const Schedule& schedule, std::string& time_line) const {
  const RunResult result = run_documents({with_steps(subject_.document, subject_.pmu, schedule)}, true).front();
  time_line = draw_time_line(accesses_of(result), schedule);
  return outcome_of(result);
}

std::string Exploration::as_scenario(const Schedule& schedule) const {
  const scenario::ScenarioFile file(with_steps(subject_.document, subject_.pmu, schedule), subject_.base);
  Value effective = file.load(subject_.variant, *subject_.overrides).effective;
  // It is about the scenario, and not about what this schedule shows.
  std::erase_if(effective.entries, [](const Value::Entry& entry) { return entry.key == "expected_failure"; });
  std::string description;
  for (const Step& step : schedule.steps) description += (description.empty() ? "" : "; ") + describe(step);
  const auto put = [&effective](const std::string& key, std::string text) {
    Value* value = effective.find(key);
    if (value == nullptr) value = &effective.add(key, {});
    *value = Value::of(std::move(text), true);
  };
  put("name", name_of(spec_.name, schedule));
  put("description", description);
  return to_yaml(effective);
}

}  // namespace pmufab::interleave
