// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/verdict_table.h"

#include <string_view>

#include <fmt/format.h>

#include "testbench/scenario/report/report.h"
#include "tools/pmufab/cli.h"

namespace pmufab::cli {
namespace {

std::string_view mark_of(shell::Check check) {
  const bool symbols = speaks_utf8();
  switch (check) {
    case shell::Check::exact:
      return symbols ? "✓" : "ok";
    case shell::Check::within:
      return symbols ? "≈" : "about";
    case shell::Check::wrong:
      return symbols ? "✗" : "WRONG";
    case shell::Check::unchecked:
      break;
  }
  return "-";
}

}  // namespace

void print_verdicts(const std::string& counted, const std::string& event, const std::vector<VerdictLine>& lines) {
  if (lines.empty()) return;
  complain("\n  {:>20}  {:>20}  {}  {}\n", counted, "scoreboard", "check", event);
  for (const VerdictLine& line : lines) {
    complain("  {:>20}  {:>20}  {:5}  {}{}\n", line.counted, line.expected, mark_of(line.check), line.event,
             line.note.empty() ? std::string() : fmt::format("   ({})", line.note));
  }
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

}  // namespace pmufab::cli
