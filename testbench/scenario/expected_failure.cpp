#include "testbench/scenario/expected_failure.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace pmufab::scenario {
namespace {

using Check = CounterResult::Check;

/// Compares what failed with what should have.
class Comparison {
 public:
  explicit Comparison(const ExpectedFailures& expected)
      : events_(expected.events.begin(), expected.events.end()),
        checks_(expected.checks.begin(), expected.checks.end()) {}

  void look_at(const MeasureResult& measure) {
    for (const CounterResult& counter : measure.counters) {
      if (counter.check == Check::not_opened) add(fmt::format("'{}' could not be opened", counter.event));
      if (counter.check != Check::wrong) continue;
      if (events_.contains(counter.event)) {
        seen_.insert("event " + counter.event);
      } else {
        add(fmt::format("'{}' is wrong in {}", counter.event, measure.name));
      }
    }
    for (const DerivedResult& derived : measure.derived) {
      if (!derived.ok) add(fmt::format("'{}' is wrong in {}", derived.name, measure.name));
    }
    look_at(measure.checks);
  }

  void look_at(const std::vector<CheckResult>& checks) {
    for (const CheckResult& check : checks) {
      if (check.ok) continue;
      if (checks_.contains(check.name)) {
        seen_.insert("check " + check.name);
      } else {
        add(fmt::format("the check '{}' failed", check.name));
      }
    }
  }

  std::string result() {
    for (const std::string& event : events_) {
      if (!seen_.contains("event " + event)) add(fmt::format("no wrong count of '{}'", event));
    }
    for (const std::string& check : checks_) {
      if (!seen_.contains("check " + check)) add(fmt::format("the check '{}' did not fail", check));
    }
    return text_;
  }

 private:
  void add(const std::string& what) {
    text_ += text_.empty() ? "another failure than the expected one: " : "; ";
    text_ += what;
  }

  std::set<std::string> events_;
  std::set<std::string> checks_;
  std::set<std::string> seen_;
  std::string text_;
};

}  // namespace

bool all_passed(const RunResult& run) {
  return std::all_of(run.measures.begin(), run.measures.end(), [](const MeasureResult& m) { return m.passed(); }) &&
         std::all_of(run.checks.begin(), run.checks.end(), [](const CheckResult& check) { return check.ok; });
}

std::string difference(const RunResult& run, const ExpectedFailures& expected) {
  Comparison comparison(expected);
  for (const MeasureResult& measure : run.measures) comparison.look_at(measure);
  comparison.look_at(run.checks);
  return comparison.result();
}

}  // namespace pmufab::scenario
