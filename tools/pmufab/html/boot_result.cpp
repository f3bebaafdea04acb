// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/html/boot_result.h"

#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace pmufab::cli {
namespace {

using scenario::CounterResult;
using scenario::with_separators;
using Status = scenario::RunResult::Status;

/// Bounds that are not one number are told in words.
std::string with_words(const std::string& words, const std::string& note) {
  return words.empty() || note.empty() ? words + note : words + "; " + note;
}

CounterResult counter_of(const perf::Verdict& verdict) {
  CounterResult counter;
  counter.event = verdict.event;
  counter.driver = verdict.count;
  counter.check = verdict.check;
  if (verdict.low == verdict.high) counter.expected = verdict.low;
  const bool is_range = verdict.low && verdict.high && *verdict.low != *verdict.high;
  counter.note = with_words(is_range ? fmt::format("the scoreboard says {} ... {}", with_separators(*verdict.low),
                                                   with_separators(*verdict.high))
                                     : "",
                            verdict.note);
  counter.account = verdict.account;
  if (verdict.opening) {
    counter.pmu = verdict.opening->pmu;
    counter.time_enabled = verdict.opening->turns.enabled;
    counter.time_running = verdict.opening->turns.running;
  }
  return counter;
}

CounterResult counter_of(const guest::MetricVerdict& verdict) {
  CounterResult counter;
  counter.event = verdict.metric;
  counter.check = verdict.check;
  std::string words = verdict.value ? fmt::format("a metric: {:.6g} {}", *verdict.value, verdict.unit) : "a metric";
  if (verdict.expected)
    words += fmt::format(", the scoreboard says {:.6g} ... {:.6g}", verdict.expected->low, verdict.expected->high);
  counter.note = with_words(words, verdict.note);
  return counter;
}

/// @param failure  "register_accesses: ..."
scenario::CheckResult check_of(const std::string& failure) {
  const std::size_t colon = failure.find(": ");
  if (colon == std::string::npos) return {"failed", false, failure};
  return {failure.substr(0, colon), false, failure.substr(colon + 2)};
}

}  // namespace

scenario::RunResult boot_result(const Booted& boot) {
  scenario::RunResult run;
  run.scenario = "boot";
  run.platform = boot.spec.platform_name;
  run.drivers = boot.drivers;
  run.seed = boot.spec.seed;
  run.status = boot.is_complete ? boot.conclusion.status : Status::interrupted;
  run.partial = !boot.is_complete;
  run.simulated_time = boot.result.simulated;
  scenario::MeasureResult measure;
  measure.name = "perf in the guest";
  measure.stop = boot.result.simulated;
  measure.partial = run.partial;
  for (const perf::Verdict& verdict : boot.counts) measure.counters.push_back(counter_of(verdict));
  for (const guest::MetricVerdict& verdict : boot.metrics) measure.counters.push_back(counter_of(verdict));
  if (!measure.counters.empty()) run.measures.push_back(std::move(measure));
  for (const std::string& failure : boot.result.failures) run.checks.push_back(check_of(failure));
  if (boot.exit_code != 0) {
    run.checks.push_back({"command", false, fmt::format("it ended with exit code {}", boot.exit_code)});
    if (run.status == Status::passed || run.status == Status::not_judged) run.status = Status::failed;
  }
  std::istringstream lines(boot.console);
  for (std::string line; std::getline(lines, line);) run.kernel_log.push_back(line);
  return run;
}

}  // namespace pmufab::cli
