// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/campaigns/verify/failure.h"
#include "testbench/run/report/failure_causes.h"
#include "testbench/run/report/result_difference.h"
#include "tools/pmufab/review/trial.h"

namespace pmufab::cli {
namespace {

using scenario::Json;
using scenario::RunResult;
using verify::Failure;
using Status = RunResult::Status;

// Kinds of findings, before the name of a PMU.
constexpr std::string_view kLessTime = "less of the time for ";
constexpr std::string_view kWrongCount = "wrong count of ";  // as verify::failures_of() has it
constexpr const char* kNoPmu = "the drivers registered no PMU";

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

/// What the same check of several things found in two runs, of a kind.
struct Problems {
  std::vector<std::string> before;
  std::vector<std::string> after;
};

/// @return by what it says without numbers and the driver's functions: a function may have another name
std::map<std::string, Problems> problems_of(const std::string& before, const std::string& after) {
  static const std::regex place(R"( in \w+\(\) of [\w.-]+)");
  static const std::regex count(R"(^the kernel warned \S+ times?: )");
  std::map<std::string, Problems> problems;
  const auto add = [&](const std::string& text, std::vector<std::string> Problems::*to) {
    std::string rest = std::regex_replace(text, count, "") + " | ";
    for (std::size_t end = rest.find(" | "); end != std::string::npos; end = rest.find(" | ")) {
      const std::string problem = rest.substr(0, end);
      rest.erase(0, end + 3);
      (problems[scenario::without_numbers(std::regex_replace(problem, place, ""))].*to).push_back(problem);
    }
  };
  add(before, &Problems::before);
  add(after, &Problems::after);
  return problems;
}

/// Where such a check failed in both runs, what it found in one of them alone becomes a check of its own.
void tell_problems_apart(RunResult& before, RunResult& after) {
  for (const char* const name : {"kernel_warnings", "failing_calls"}) {
    const auto old_check = std::ranges::find(before.checks, name, &scenario::CheckResult::name);
    const auto new_check = std::ranges::find(after.checks, name, &scenario::CheckResult::name);
    const bool do_both_fail =
        old_check != before.checks.end() && new_check != after.checks.end() && !old_check->ok && !new_check->ok;
    if (!do_both_fail) continue;
    const std::map<std::string, Problems> problems = problems_of(old_check->text, new_check->text);
    constexpr std::size_t kAll = 10;  // of more, the kernel's log tells no others
    if (problems.size() >= kAll) continue;
    unsigned number = 0;
    for (const auto& [what, found] : problems) {
      if (found.before.size() == found.after.size()) continue;
      const bool is_worse = found.before.size() < found.after.size();
      const std::string its = fmt::format("{} {}", name, ++number);
      const std::string& text = is_worse ? found.after.back() : found.before.back();
      before.checks.push_back({its, is_worse, text});
      after.checks.push_back({its, !is_worse, text});
    }
  }
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

/// "all: port_0/L1/" -> "port_0"
std::string pmu_of(const Json& counter) {
  const std::string name = counter["name"].get<std::string>();
  const std::size_t begin = name.find(": ");
  return begin == std::string::npos ? name : name.substr(begin + 2, name.find('/', begin) - begin - 2);
}

/// What is worse, where nothing is wrong.
Failure loss_in(const Json& difference) {
  for (const Json& counter : difference["counters"]) {
    if (counter["change"] != "worse") continue;
    const std::string name = counter["name"].get<std::string>();
    const Json& share = counter["time_share_percent"];
    if (share.is_array() && share[0].is_number() && share[1].is_number())
      return {std::string(kLessTime) + scenario::without_numbers(pmu_of(counter)),
              fmt::format("{}: counted {:.1f} % of the time, then {:.1f} %", name, share[0].get<double>(),
                          share[1].get<double>())};
    return {"a counter is missing", fmt::format("{}: is missing now", name)};
  }
  for (const Json& check : difference["checks"]) {
    if (check["change"] == "worse")
      return {fmt::format("check {}", check["name"].get<std::string>()),
              fmt::format("check {}: is missing now", check["name"].get<std::string>())};
  }
  return {"another end", fmt::format("{}, then {}", difference["status"][0].dump(), difference["status"][1].dump())};
}

Finding finding_of(const Failure& failure, const std::string& where) {
  return {failure.kind, where, failure.text, 1, {}, {}};
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

/// The events, terms and PMUs that a driver lacks, so that a run could not begin, or a measure of it.
std::set<std::string> missing_names(const RunResult& run) {
  static const std::regex pattern(
      R"((?:unknown (?:event or )?term|there is no PMU|no value assigned for term) '([^']+)'|too big for format \(([^=]+)=)");
  static const std::regex quoted("'([^']+)'");
  std::set<std::string> names;
  const auto add = [&](const std::string& text, const std::regex& what) {
    for (std::sregex_iterator found(text.begin(), text.end(), what), end; found != end; ++found)
      names.insert(what.mark_count() == 1 || (*found)[1].matched ? found->str(1) : found->str(2));
  };
  add(run.message, pattern);
  for (const scenario::CheckResult& check : run.checks) {
    if (check.name == "published") add(check.text, pattern);
    if (check.name == "probe" && check.text.find(kNoPmu) != std::string::npos) add(check.text, quoted);
  }
  return names;
}

/// @return those of the names that a text has, and not as a part of a longer one
std::set<std::string> names_in(const std::string& text, const std::set<std::string>& names) {
  static const std::regex word(R"(\w+(?:[.-]\w+)*)");
  std::set<std::string> found;
  for (std::sregex_iterator one(text.begin(), text.end(), word), end; !names.empty() && one != end; ++one) {
    if (names.contains(one->str())) found.insert(one->str());
  }
  return found;
}

bool names_one_of(const std::string& text, const std::set<std::string>& names) {
  return !names_in(text, names).empty();
}

/// @return whether a driver lacks names, and nothing else is wrong
bool lacks_only_names(const RunResult& run) {
  const auto is_of_names = [](const scenario::CheckResult& check) {
    return check.ok || check.name == "published" || check.name == "probe";
  };
  return !missing_names(run).empty() && std::ranges::all_of(run.checks, is_of_names) &&
         std::ranges::none_of(run.measures, is_measure_wrong);
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

/// @return whether what is wrong has to do with none of these names
bool is_wrong_elsewhere(const scenario::MeasureResult& measure, const std::set<std::string>& names) {
  const auto has_name = [&](const scenario::CounterResult& counter) { return names_one_of(counter.event, names); };
  const auto is_good = [](const auto& one) { return one.ok; };
  const bool are_counts_all =
      std::ranges::all_of(measure.checks, is_good) && std::ranges::all_of(measure.derived, is_good);
  return std::ranges::none_of(measure.counters, [&](const scenario::CounterResult& counter) {
    return (!is_good_counter(counter) || !are_counts_all) && has_name(counter);
  });
}

/// @return whether nothing is wrong but what has to do with events that there were before, in a run of which the driver
///         before left out something for want of others. It may have counted them as wrong.
/// @param renamed  what there was by another name
bool is_wrong_elsewhere(const RunResult& before, const RunResult& after, const std::set<std::string>& renamed) {
  std::set<std::string> missing = missing_names(before);
  if (missing.empty() || !came_to_its_end(after)) return false;
  std::erase_if(missing, [&](const std::string& name) { return renamed.contains(name); });
  // What drivers show of PMUs that they had before is compared in the runs that could begin, too.
  const bool lacks_pmu = before.message.find("there is no PMU") != std::string::npos || fails(before, "probe");
  const auto is_elsewhere = [&](const scenario::CheckResult& check) {
    if (check.ok) return true;
    return check.name == "published" ? !lacks_pmu && !names_one_of(check.text, missing) : fails(before, check.name);
  };
  return std::ranges::all_of(after.checks, is_elsewhere) &&
         std::ranges::all_of(after.measures, [&](const auto& one) { return is_wrong_elsewhere(one, missing); });
}

/// @return whether nothing is worse but that counters have less of the time, because an event of their PMU that could not
///         be opened takes turns with them now
bool is_shared_with_more(const Json& run) {
  std::set<std::string> opened;  // PMUs
  for (const Json& counter : run["counters"]) {
    if (counter["check"][0] == "not_opened" && counter["change"] == "better") opened.insert(pmu_of(counter));
  }
  const auto is_shared = [&](const Json& counter) {
    return counter["change"] != "worse" || (counter["check"][0] == counter["check"][1] &&
                                            !counter["check"][1].is_null() && opened.contains(pmu_of(counter)));
  };
  return std::ranges::all_of(run["counters"], is_shared) &&
         std::ranges::none_of(run["checks"], [](const Json& check) { return check["change"] == "worse"; });
}

}  // namespace

void add_finding(std::vector<Finding>& findings, const Finding& finding) {
  const auto known = std::ranges::find(findings, finding.kind, &Finding::kind);
  if (known == findings.end()) {
    findings.push_back(finding);
  } else if (known->is_expected && !finding.is_expected) {
    const std::uint64_t runs = known->runs + finding.runs;
    *known = finding;
    known->runs = runs;
  } else {
    known->runs += finding.runs;
  }
}

void Trial::add(const RunResult& before, RunResult after, Expectation expectation) {
  forget_unused_drivers(before, after);
  for (const scenario::MeasureResult& measure : after.measures) {
    for (const scenario::CounterResult& counter : measure.counters) {
      const bool is_judged = counter.check != perf::Check::not_opened && counter.expected.value_or(0) > 0;
      if (is_judged) counted.merge(names_in(counter.event, changed_events));
    }
  }
  const bool is_rule = expectation == Expectation::rule;
  RunResult old_run = is_rule ? before : as_seen(before);
  RunResult new_run = is_rule ? after : as_seen(after);
  tell_problems_apart(old_run, new_run);
  const scenario::ResultDifference difference({to_json(old_run)}, {to_json(new_run)});
  const Json run = difference.to_json()["runs"][0];
  std::string change = run["change"].get<std::string>();
  const std::string title = after.title();
  const std::optional<Failure> wrong = only_in(new_run, old_run);
  const std::optional<Failure> mended = only_in(old_run, new_run);
  // What is right now may need fewer checks: an event that is refused as it must be has no window.
  const bool loses_counter =
      std::ranges::any_of(run["counters"], [](const Json& counter) { return counter["change"] == "worse"; });
  if (change == "worse" && !wrong && mended && (!loses_counter || is_shared_with_more(run))) change = "better";
  if (change == "worse" && new_run.status == Status::bad_input && has_only_failed(old_run)) change = "same";
  if (change == "worse" && expectation == Expectation::older && lacks_only_names(after)) change = "same";
  // What ended a run before anything was counted is worse than any count.
  const bool ends_now = !came_to_its_end(old_run) && old_run.status != Status::bad_input && came_to_its_end(new_run);
  if (change == "worse" && ends_now && has_only_failed(old_run)) change = "better";
  // What could not begin did not crash.
  if (old_run.status == Status::bad_input && new_run.status != Status::bad_input && !came_to_its_end(new_run))
    change = "worse";
  const bool lost_nothing = old_run.status == Status::bad_input || !loses_counter;
  if (change == "worse" && lost_nothing && is_wrong_elsewhere(before, after, renamed)) change = "same";
  if (change == "worse") {
    ++worse;
    Finding finding = finding_of(wrong ? *wrong : loss_in(run), title);
    finding.is_expected = after.is_good();
    add_finding(worse_findings, finding);
  } else if (change == "better") {
    ++better;
    Finding finding = finding_of(mended ? *mended : Failure{"another end", before.message}, title);
    if (wrong && mended && wrong->kind == mended->kind) finding.text += "; still wrong: " + wrong->text;
    add_finding(better_findings, finding);
  } else {
    ++same;
    if (change == "changed" && new_run.is_good()) ++changed;
  }
}

void bear_shorter_turns(std::vector<Trial>& trials) {
  std::map<std::string, Finding*> mended;  // wrong counts, by PMU
  for (Trial& trial : trials) {
    for (Finding& finding : trial.better_findings) {
      if (finding.kind.starts_with(kWrongCount)) mended.emplace(finding.kind.substr(kWrongCount.size()), &finding);
    }
  }
  for (const Trial& trial : trials) {
    for (const Finding& finding : trial.worse_findings) {
      if (finding.kind.starts_with(kWrongCount)) mended.erase(finding.kind.substr(kWrongCount.size()));
    }
  }
  for (Trial& trial : trials) {
    std::erase_if(trial.worse_findings, [&](const Finding& finding) {
      if (!finding.kind.starts_with(kLessTime)) return false;
      const auto right_now = mended.find(finding.kind.substr(kLessTime.size()));
      if (right_now == mended.end()) return false;
      right_now->second->text += fmt::format("; at the cost of turns: {}", finding.text);
      trial.worse -= finding.runs;
      trial.same += finding.runs;
      return true;
    });
  }
}

}  // namespace pmufab::cli
