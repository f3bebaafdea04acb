// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/verdict_table.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "testbench/perf/verdict_json.h"
#include "testbench/scenario/report/report.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"

namespace pmufab::cli {
namespace {

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
  complain("\n  {:>20}  {:>20}  {}  {}\n", counter, "scoreboard", "check", event);
  for (const perf::Verdict& verdict : verdicts) {
    complain("  {:>20}  {:>20}  {:5}  {}{}\n", text_of(verdict.count), expected_text(verdict),
             perf::mark_of(verdict.check, speaks_utf8()), verdict.event,
             verdict.note.empty() ? std::string() : fmt::format("   ({})", verdict.note));
  }
}

void print_failures(const std::vector<std::string>& failures) {
  for (const std::string& failure : failures) complain("pmufab: {}\n", failure);
}

scenario::Json verdict_json(const scenario::ScenarioSpec& spec, bool complete, Picoseconds simulated,
                            const std::vector<std::string>& failures) {
  scenario::Json json;
  json["program"] = "pmufab";
  json["version"] = scenario::version();
  json["platform"] = spec.platform_name;
  json["complete"] = complete;
  json["simulated_time_ps"] = simulated;
  json["failures"] = failures;
  return json;
}

void write_verdicts(const std::filesystem::path& file, scenario::Json json, const char* counter,
                    const std::vector<perf::Verdict>& verdicts) {
  json["events"] = scenario::Json::array();
  for (const perf::Verdict& verdict : verdicts) json["events"].push_back(perf::to_json(verdict, counter));
  write_file(file, json.dump(2) + "\n");
}

bool any_wrong(const std::vector<perf::Verdict>& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(),
                     [](const perf::Verdict& verdict) { return verdict.check == perf::Check::wrong; });
}

}  // namespace pmufab::cli
