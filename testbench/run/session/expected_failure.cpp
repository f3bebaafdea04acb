// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/session/expected_failure.h"

#include <fnmatch.h>

#include <algorithm>

#include <fmt/format.h>

#include "testbench/run/session/kernel_selection.h"

namespace pmufab::scenario {
namespace {

using Check = CounterResult::Check;

/// Names that are expected, and which of them have been met. `*` in a name stands for anything.
class Names {
 public:
  explicit Names(const std::vector<std::string>& names) : names_(names), met_(names.size(), false) {}
  /// @return true if `name` is expected.
  bool take(const std::string& name) {
    bool found = false;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (fnmatch(names_[i].c_str(), name.c_str(), FNM_NOESCAPE) != 0) continue;
      met_[i] = true;
      found = true;
    }
    return found;
  }
  [[nodiscard]] std::vector<std::string> not_met() const {
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!met_[i]) rest.push_back(names_[i]);
    }
    return rest;
  }

 private:
  const std::vector<std::string>& names_;
  std::vector<bool> met_;
};

/// Compares what failed with what should have.
class FailureComparison {
 public:
  explicit FailureComparison(const ExpectedFailures& expected)
      : events_(expected.events), not_opened_(expected.not_opened), checks_(expected.checks) {}

  void look_at(const MeasureResult& measure) {
    for (const CounterResult& counter : measure.counters) {
      if (counter.check == Check::not_opened && !not_opened_.take(counter.event))
        add(fmt::format("'{}' could not be opened in {}", counter.event, measure.name));
      if (counter.check == Check::wrong && !events_.take(counter.event))
        add(fmt::format("'{}' is wrong in {}", counter.event, measure.name));
    }
    for (const DerivedResult& derived : measure.derived) {
      if (!derived.ok) add(fmt::format("'{}' is wrong in {}", derived.name, measure.name));
    }
    look_at(measure.checks);
  }

  void look_at(const std::vector<CheckResult>& checks) {
    for (const CheckResult& check : checks) {
      if (!check.ok && !checks_.take(check.name)) add(fmt::format("the check '{}' failed", check.name));
    }
  }

  std::string result() {
    for (const std::string& event : events_.not_met()) add(fmt::format("no wrong count of '{}'", event));
    for (const std::string& event : not_opened_.not_met()) add(fmt::format("'{}' could be opened", event));
    for (const std::string& check : checks_.not_met()) add(fmt::format("the check '{}' did not fail", check));
    return text_;
  }

 private:
  void add(const std::string& what) {
    text_ += text_.empty() ? "not the expected failure: " : "; ";
    text_ += what;
  }

  Names events_;
  Names not_opened_;
  Names checks_;
  std::string text_;
};

}  // namespace

Json begin_record(const ScenarioSpec& spec, const std::string& kernel_version) {
  bool must_fail = false;
  if (spec.expected_failure) {
    const std::vector<std::string>& selectors = spec.expected_failure->drivers;
    must_fail = selectors.empty() || std::ranges::any_of(selectors, [&](const std::string& selector) {
                  return selects(selector, kernel_version);
                });
  }
  Json record;
  record["must_fail"] = must_fail;
  record["reason"] = must_fail ? spec.expected_failure->reason : "";
  if (must_fail) {
    record["wrong_events"] = spec.expected_failure->events;
    record["not_opened_events"] = spec.expected_failure->not_opened;
    record["failed_checks"] = spec.expected_failure->checks;
  }
  return record;
}

ExpectedFailures expected_failures(const Json& begin_record) {
  ExpectedFailures expected;
  expected.events = begin_record.value("wrong_events", expected.events);
  expected.not_opened = begin_record.value("not_opened_events", expected.not_opened);
  expected.checks = begin_record.value("failed_checks", expected.checks);
  return expected;
}

bool all_passed(const RunResult& run) {
  return std::ranges::all_of(run.measures, [](const MeasureResult& m) { return m.passed(); }) &&
         std::ranges::all_of(run.checks, [](const CheckResult& check) { return check.ok; });
}

std::string difference(const RunResult& run, const ExpectedFailures& expected) {
  FailureComparison comparison(expected);
  for (const MeasureResult& measure : run.measures) comparison.look_at(measure);
  comparison.look_at(run.checks);
  return comparison.result();
}

}  // namespace pmufab::scenario
