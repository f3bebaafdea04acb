// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/html/html_file.h"

#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "testbench/campaigns/coverage/report.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/map/map_traffic.h"

namespace pmufab::cli {

HtmlFile::HtmlFile(const std::string& file, const std::filesystem::path& scratch, const std::string& command)
    : is_wanted_(!file.empty()), report_(command) {
  if (is_wanted_) files_.emplace(file, scratch / "runs-of-page");
}

void HtmlFile::add(const scenario::RunPlan& plan, const scenario::RunResult& run) {
  if (!files_) return;
  using Status = scenario::RunResult::Status;
  if (run.status == Status::not_run || run.status == Status::bad_input) {  // nothing more is known of it
    add({.result = run});
    return;
  }
  const scenario::ScenarioSpec spec = plan.scenario->load();
  if (!run.platform.empty()) {
    add(run, spec, scenario::effective_yaml(spec, run.drivers));
    return;
  }
  scenario::RunResult named = run;  // a case of a campaign: nobody has asked for these before
  named.platform = spec.platform_name;
  named.seed = spec.seed;
  add(named, spec, scenario::effective_yaml(spec, run.drivers));
}

void HtmlFile::add(const scenario::RunResult& run, const scenario::ScenarioSpec& spec, std::string configuration) {
  if (files_) add({.result = run, .configuration = std::move(configuration), .picture = mesh_section(spec, run)});
}

void HtmlFile::add(const scenario::HtmlRun& run) {
  try {
    files_->runs.append(report_.add(run));
  } catch (...) {
    files_.reset();
    throw;
  }
}

void HtmlFile::add(const CoverageFile& coverage) {
  if (!files_ || !coverage.is_wanted()) return;
  const coverage::Report met = make_report(coverage.coverage(), find_exclusions({}));
  report_.section(html_title(met), html_tables(met));
}

void HtmlFile::finish() {
  if (!files_) return;
  files_->page.write(report_.head());
  constexpr std::size_t kPiece = 1U << 20;
  std::string piece(kPiece, '\0');
  std::ifstream runs(files_->runs.temporary(), std::ios::binary);
  while (runs) {
    runs.read(piece.data(), static_cast<std::streamsize>(kPiece));
    files_->page.append(piece.substr(0, static_cast<std::size_t>(runs.gcount())));
  }
  if (!runs.is_open() || runs.bad()) throw scenario::InputError("--html: the runs of the page cannot be read again");
  files_->page.append(report_.tail());
  files_->page.commit();
}

Option html_option() { return text("html", "FILE", "write a page for a browser: all results, search, pictures"); }

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
