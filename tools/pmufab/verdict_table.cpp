// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/verdict_table.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "testbench/perf/account.h"
#include "testbench/perf/verdict_json.h"
#include "testbench/run/report/report.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"

namespace pmufab::cli {
namespace {

using Status = scenario::RunResult::Status;

std::string text_of(const std::optional<std::uint64_t>& count) {
  return count ? scenario::with_separators(*count) : "-";
}

std::string expected_text(const perf::Verdict& verdict) {
  if (!verdict.low || !verdict.high) return "-";
  if (*verdict.low == *verdict.high) return text_of(verdict.low);
  return fmt::format("{} ... {}", text_of(verdict.low), text_of(verdict.high));
}

}  // namespace

void print_verdicts(const char* counter, const std::string& event, const std::vector<perf::Verdict>& verdicts) {
  if (verdicts.empty()) return;
  const bool has_happened = std::ranges::any_of(
      verdicts, [](const perf::Verdict& verdict) { return verdict.account && perf::has_blind_time(*verdict.account); });
  const auto column = [&](const std::string& text) {
    return has_happened ? fmt::format("{:>20}  ", text) : std::string();
  };
  complain("\n  {:>20}  {:>20}  {}{}  {}\n", counter, "scoreboard", column("happened"), "check", event);
  for (const perf::Verdict& verdict : verdicts) {
    std::string note = verdict.note;
    std::string happened = "-";
    if (has_happened && verdict.account) {
      happened = scenario::with_separators(verdict.account->happened);
      note = perf::with_losses(note, verdict.account->loss);
    }
    complain("  {:>20}  {:>20}  {}{:5}  {}{}\n", text_of(verdict.count), expected_text(verdict), column(happened),
             perf::mark_of(verdict.check, speaks_utf8()), verdict.event,
             note.empty() ? std::string() : fmt::format("   ({})", note));
  }
}

void print_metrics(const std::vector<guest::MetricVerdict>& metrics) {
  const auto number = [](double value, const std::string& unit) {
    return fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit);
  };
  for (const guest::MetricVerdict& verdict : metrics) {
    std::string expected = "-";
    if (verdict.expected) {
      const auto& [low, high] = *verdict.expected;
      expected = number(high, verdict.unit);
      if (low < high) expected = fmt::format("{:.6g} ... {}", low, expected);
    }
    complain("  {:>20}  {:>20}  {:5}  {}{}\n", verdict.value ? number(*verdict.value, verdict.unit) : "-", expected,
             perf::mark_of(verdict.check, speaks_utf8()), verdict.metric,
             verdict.note.empty() ? std::string() : fmt::format("   ({})", verdict.note));
  }
}

void print_failures(const std::vector<std::string>& failures) {
  for (const std::string& failure : failures) complain("pmufab: {}\n", failure);
}

void Conclusion::print() const {
  if (totals.all == 0 && status != Status::failed) return;
  complain("\npmufab: {}{}\n", scenario::headline(status), totals.all == 0 ? "" : ": " + describe(totals));
}

int Conclusion::exit_code(int command) const {
  if (status == Status::failed) return kCheckFailed;
  if (command != 0) return command;
  return status == Status::not_judged && totals.all > 0 ? kNotJudged : kPassed;
}

Conclusion conclude(const std::vector<perf::Verdict>& verdicts, const std::vector<std::string>& failures,
                    const std::vector<guest::MetricVerdict>& metrics) {
  scenario::CounterTotals totals;
  for (const perf::Verdict& verdict : verdicts) totals.add(verdict.check, verdict.count == 0);
  for (const guest::MetricVerdict& verdict : metrics) totals.add(verdict.check, false);
  return {scenario::status_of(totals, failures.empty()), totals};
}

scenario::Json verdict_json(const scenario::ScenarioSpec& spec, bool complete, Picoseconds simulated,
                            const Conclusion& conclusion, const std::vector<std::string>& failures) {
  scenario::Json json;
  json["program"] = "pmufab";
  json["version"] = scenario::version();
  json["platform"] = spec.platform_name;
  json["complete"] = complete;
  json["simulated_time_ps"] = simulated;
  json["status"] = to_string(complete ? conclusion.status : Status::failed);
  json["counters"] = conclusion.totals.all;
  json["counters_wrong"] = conclusion.totals.wrong;
  json["counters_not_judged"] = conclusion.totals.not_judged;
  json["failures"] = failures;
  return json;
}

void write_verdicts(const std::filesystem::path& file, scenario::Json json, const char* counter,
                    const std::vector<perf::Verdict>& verdicts) {
  json["events"] = scenario::Json::array();
  for (const perf::Verdict& verdict : verdicts) json["events"].push_back(perf::to_json(verdict, counter));
  write_file(file, json.dump(2) + "\n");
}

}  // namespace pmufab::cli
