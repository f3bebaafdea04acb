// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/report/run_checks.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/host/kernel_log.h"
#include "testbench/run/results/driver_files.h"

namespace pmufab::scenario {
namespace {

/// @param good  what to say if there are no `problems`
CheckResult check_for(const char* name, const std::vector<std::string>& problems, const char* good) {
  const bool ok = problems.empty();
  return {name, ok, ok ? std::string(good) : fmt::format("{}", fmt::join(problems, " | "))};
}

/// @param zero  when the drivers were loaded
std::string text_of_storm(const driver_host::InterruptStorm& storm, Picoseconds zero) {
  return fmt::format("a storm from {} on: for {}, {} of interrupt {}{} took {:.1f} % of the time",
                     format_time(storm.begin - std::min(storm.begin, zero)), format_time(storm.end - storm.begin),
                     counted(storm.calls, "handler call"), storm.number,
                     storm.pmu.empty() ? "" : fmt::format(" ({})", storm.pmu), 100 * storm.share());
}

void add_kernel_checks(const Machine& machine, std::vector<CheckResult>& checks) {
  const driver_host::DriverHost& host = machine.host();
  checks.push_back(check_own_drivers(host.driver_files(), foreign_driver_modules(machine.platform().spec())));
  checks.push_back(check_for("probe", failed_probes(host.log()), "no probe failed"));
  const std::uint64_t warnings = host.warnings();
  checks.push_back({"kernel_warnings", warnings == 0,
                    warnings == 0 ? "no WARN()"
                                  : fmt::format("the kernel warned {}: {}", counted(warnings, "time"),
                                                fmt::join(host.warning_texts(), " | "))});
  checks.push_back(check_interrupts(machine));
}

}  // namespace

std::vector<std::string> failed_probes(const std::vector<std::string>& log) {
  std::vector<std::string> failures;
  for (const std::string& line : log) {
    if (driver_host::is_failed_probe(line)) failures.push_back(line.substr(line.find('>') + 1));
  }
  return failures;
}

Json traffic_report(const Machine& machine) {
  Json list = Json::array();
  for (const auto& fabric : machine.fabrics()) fabric->report_traffic(list);
  return list;
}

Json interrupt_report(const Machine& machine) {
  const driver_host::DriverHost& host = machine.host();
  Json report;
  report["handled"] = host.handled_interrupts();
  report["unhandled"] = host.unhandled_interrupts();
  report["lost"] = host.lost_interrupts();
  report["handler_time_ps"] = host.handler_time();
  return report;
}

CheckResult check_interrupts(const Machine& machine) {
  const driver_host::DriverHost& host = machine.host();
  std::vector<std::string> problems;
  if (const unsigned disabled = host.disabled_interrupts(); disabled > 0)
    problems.push_back(fmt::format("{} disabled: no handler cleared the interrupt (see the kernel log)", disabled));
  for (const driver_host::InterruptStorm& storm : host.interrupt_storms())
    problems.push_back(text_of_storm(storm, host.first_loaded()));
  const std::uint64_t lost = host.lost_interrupts();
  const std::string good =
      fmt::format("{} handled, {} for no driver{}", host.handled_interrupts(), host.unhandled_interrupts(),
                  lost == 0 ? "" : fmt::format(", {} lost on the way", lost));
  return check_for("interrupts", problems, good.c_str());
}

CheckResult check_traffic(const Json& traffic) {
  std::uint64_t errors = 0;
  for (const Json& item : traffic) errors += item.value("errors", std::uint64_t{0});
  return {"traffic", errors == 0,
          errors == 0 ? "every request was answered" : fmt::format("{} refused", counted(errors, "request"))};
}

std::vector<CheckResult> run_checks(const Machine& machine, Kernel kernel) {
  std::vector<CheckResult> checks;
  if (kernel == Kernel::here) add_kernel_checks(machine, checks);
  checks.push_back(check_for("register_accesses", machine.reports(), "no access was refused"));
  if (!machine.warnings().empty()) checks.push_back(check_for("models", machine.warnings(), ""));
  if (machine.is_judged()) {
    const scoreboard::Findings& findings = machine.scoreboard().findings();
    std::set<std::string> rules;
    for (const scoreboard::Finding& finding : findings.list()) {
      if (finding.severity == scoreboard::Finding::Severity::failure) rules.insert(finding.kind);
    }
    checks.push_back(
        {"scoreboard", rules.empty(),
         rules.empty() ? "no rule broken"
                       : fmt::format("{} broken: {}", counted(findings.failures(), "rule"), fmt::join(rules, ", "))});
  }
  checks.push_back(check_traffic(traffic_report(machine)));
  return checks;
}

std::string describe(const scoreboard::Finding& finding) {
  return fmt::format("{} at {}: {}", finding.kind, format_time(finding.when), finding.text);
}

std::vector<std::string> run_failures(const Machine& machine, Kernel kernel) {
  std::vector<std::string> failures;
  for (const CheckResult& check : run_checks(machine, kernel)) {
    if (!check.ok) failures.push_back(fmt::format("{}: {}", check.name, check.text));
  }
  for (const scoreboard::Finding& finding : machine.scoreboard().findings().list()) {
    if (finding.severity == scoreboard::Finding::Severity::failure)
      failures.push_back("scoreboard: " + describe(finding));
  }
  return failures;
}

}  // namespace pmufab::scenario
