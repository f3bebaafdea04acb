// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/verify/failure.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "testbench/run/report/failure_causes.h"

namespace pmufab::verify {
namespace {

using scenario::CheckResult;
using scenario::CounterResult;
using scenario::MeasureResult;
using scenario::RunResult;
using scenario::without_numbers;

/// The first line, or the first of several sentences with " | " in between.
std::string first_line(const std::string& text) {
  constexpr std::size_t kMost = 400;
  const std::size_t begin = text.find_first_not_of('\n');
  if (begin == std::string::npos) return text;
  const std::size_t end = std::min(text.find('\n', begin), text.find(" | ", begin));
  return text.substr(begin, std::min(end, begin + kMost) - begin);
}

/// @return what a text has of a pattern first; empty: nothing
std::string first_of(const std::string& text, const std::regex& pattern) {
  std::smatch found;
  return std::regex_search(text, found, pattern) ? found.str() : std::string();
}

/// The driver's function that a sentence names: " in arm_cspmu_start() of arm_cspmu.c".
std::string function_in(const std::string& text) {
  static const std::regex pattern(R"(\w+\(\) of [\w.-]+)");
  const std::string found = first_of(text, pattern);
  return found.empty() ? found : " in " + found;
}

/// The error that a refusal names: ": EBUSY".
std::string error_in(const std::string& note) {
  static const std::regex pattern(R"(: E[A-Z]+\b)");
  return first_of(note, pattern);
}

std::string count_text(const std::optional<std::uint64_t>& value) {
  return value ? scenario::with_separators(*value) : std::string("nothing");
}

Failure failure_of(const CounterResult& counter) {
  const std::string pmu = without_numbers(counter.pmu);
  if (counter.check == perf::Check::not_opened)
    return {fmt::format("event of {} not opened{}", pmu, error_in(counter.note)),
            fmt::format("{}: {}", counter.event, counter.note)};
  const std::string note = counter.note.empty() ? "" : "; " + counter.note;
  if (counter.time_enabled > 0 && counter.time_running == 0)
    return {fmt::format("event of {} without a counter", pmu), fmt::format("{}{}", counter.event, note)};
  return {fmt::format("wrong count of {}", pmu),
          fmt::format("{}: the driver counted {}, expected {}{}", counter.event, count_text(counter.driver),
                      count_text(counter.expected), note)};
}

Failure failure_of(const CheckResult& check) {
  const std::string text = first_line(check.text);
  return {check.name + function_in(text), fmt::format("{}: {}", check.name, text)};
}

/// Of the scoreboard's check, each rule that it names is a failure of its own, as it was broken first.
void add_check(const CheckResult& check, const RunResult& run, std::vector<Failure>& failures) {
  const std::size_t known = failures.size();
  std::set<std::string> kinds;
  for (const std::string& finding : run.findings) {
    const std::string rule = finding.substr(0, finding.find(" at "));
    const bool is_broken = check.name == "scoreboard" && check.text.find(rule) != std::string::npos;
    if (is_broken && kinds.insert(rule).second)
      failures.push_back({check.name + ": " + rule, check.name + ": " + finding});
  }
  if (failures.size() == known) failures.push_back(failure_of(check));
}

void add_counts(const MeasureResult& measure, std::vector<Failure>& failures) {
  for (const CounterResult& counter : measure.counters) {
    if (counter.check == perf::Check::wrong || counter.check == perf::Check::not_opened)
      failures.push_back(failure_of(counter));
  }
}

}  // namespace

std::vector<Failure> failures_of(const RunResult& run) {
  using Status = RunResult::Status;
  std::vector<Failure> failures;
  if (run.status == Status::expected_failure) return failures;
  // What a run did not live to see is not its failure: only what ended it.
  if (run.status == Status::crashed || run.status == Status::timed_out || run.status == Status::bad_input ||
      run.status == Status::interrupted) {
    // Of an event that cannot be resolved, what is wrong with it, and not where it stands.
    constexpr std::string_view kMark = "\\___ ";
    const std::size_t mark = run.message.find(kMark);
    const std::string message =
        first_line(mark == std::string::npos ? run.message : run.message.substr(mark + kMark.size()));
    const bool is_signal = run.status == Status::interrupted && !run.is_limited;
    // Events that the hardware has, and the driver does not offer, are no valid input.
    const bool has_no_pmu = run.message.find("there is no PMU") != std::string::npos;
    const char* const what = run.status == Status::crashed                   ? "crash"
                             : run.status == Status::bad_input && has_no_pmu ? "without the PMU"
                             : run.status == Status::bad_input               ? "not offered by the driver"
                             : is_signal                                     ? "stopped by a signal"
                                                                             : "took too long";
    failures.push_back({what + function_in(message), fmt::format("{}: {}", what, message)});
  }
  for (const CheckResult& check : run.checks) {
    if (!check.ok && check.name == "kernel_panic") failures.push_back(failure_of(check));
  }
  for (const MeasureResult& measure : run.measures) add_counts(measure, failures);
  for (const MeasureResult& measure : run.measures) {
    for (const CheckResult& check : measure.checks) {
      if (check.ok) continue;
      Failure& failure = failures.emplace_back(failure_of(check));
      if (run.measures.size() > 1) failure.text = fmt::format("measure '{}': {}", measure.name, failure.text);
    }
    for (const scenario::DerivedResult& figure : measure.derived) {
      if (!figure.ok) failures.push_back({"figure " + without_numbers(figure.name), figure.name + " is wrong"});
    }
  }
  // Of a case that must fail, the message says what is different. Some of its checks are meant to fail.
  if (!run.expected_reason.empty() && (run.status == Status::failed || run.status == Status::unexpected_pass)) {
    const std::string message = first_line(run.message);
    if (message.empty()) {
      failures.push_back({"unexpected pass", fmt::format("it passed, and must not: {}", run.expected_reason)});
    } else {
      failures.push_back({without_numbers(message), message});
    }
    return failures;
  }
  for (const CheckResult& check : run.checks) {
    if (!check.ok && check.name != "kernel_panic") add_check(check, run, failures);
  }
  return failures;
}

}  // namespace pmufab::verify
