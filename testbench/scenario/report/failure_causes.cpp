// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/report/failure_causes.h"

#include <algorithm>
#include <cctype>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace pmufab::scenario {
namespace {

using Check = CounterResult::Check;

constexpr std::uint64_t kShownInFull = 3;

/// The text with each number, decimal or hexadecimal, replaced by '#'.
std::string without_numbers(const std::string& text) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::string kind;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      kind += text[i++];
      continue;
    }
    while (i < text.size() && (is_word(text[i]) || text[i] == ',')) ++i;
    kind += '#';
  }
  return kind;
}

/// All failures of a run, in words.
std::vector<std::string> failures_of(const RunResult& run) {
  std::vector<std::string> failures;
  const auto add_check = [&](const CheckResult& check) {
    if (!check.ok) failures.push_back(fmt::format("{}: {}", check.name, check.text));
  };
  for (const MeasureResult& measure : run.measures) {
    for (const CounterResult& counter : measure.counters) {
      if (counter.check == Check::wrong) failures.push_back(fmt::format("{}: {}", counter.pmu, counter.note));
      if (counter.check == Check::not_opened)
        failures.push_back(fmt::format("{}: not opened: {}", counter.pmu, counter.note));
    }
    for (const CheckResult& check : measure.checks) add_check(check);
  }
  for (const CheckResult& check : run.checks) add_check(check);
  return failures;
}

}  // namespace

bool FailureCauses::add(const RunResult& run) {
  if (run.status != RunResult::Status::failed) return false;
  bool is_known = true;
  std::set<std::string> of_run;
  for (const std::string& failure : failures_of(run)) {
    const std::string kind = without_numbers(failure);
    auto cause = std::find_if(causes_.begin(), causes_.end(), [&](const Cause& known) { return known.kind == kind; });
    if (cause == causes_.end())
      cause = causes_.insert(cause, {kind, failure, fmt::format("{}, Linux {}", run.title(), run.drivers)});
    ++cause->failures;
    if (!of_run.insert(kind).second) continue;
    is_known = is_known && cause->runs >= kShownInFull;
    ++cause->runs;
  }
  return is_known && !of_run.empty();
}

void FailureCauses::write(std::ostream& out) const {
  std::vector<const Cause*> several;
  for (const Cause& cause : causes_) {
    if (cause.failures > 1) several.push_back(&cause);
  }
  if (several.empty()) return;
  std::stable_sort(several.begin(), several.end(),
                   [](const Cause* one, const Cause* other) { return one->failures > other->failures; });
  fmt::print(out, "Failures by cause:\n");
  for (const Cause* const cause : several) {
    fmt::print(out, "  {} of {}, first in {}: {}\n", counted(cause->failures, "failure"), counted(cause->runs, "run"),
               cause->where, cause->first);
  }
}

}  // namespace pmufab::scenario
