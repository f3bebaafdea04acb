// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "testbench/scoreboard/core/scoreboard.h"

namespace pmufab::scoreboard {

std::string_view to_string(EventResult::Match match) noexcept {
  switch (match) {
    case EventResult::Match::exact:
      return "exact";
    case EventResult::Match::within:
      return "within";
    case EventResult::Match::mismatch:
      return "mismatch";
    case EventResult::Match::not_counted:
      break;
  }
  return "not counted";
}

std::string Scoreboard::report() const {
  std::string text;
  for (const EventResult& result : results()) {
    text += fmt::format("{}  {} ({}): expected {}, driver {}", to_string(result.match), result.pmu, result.meaning,
                        result.expected, result.driver ? std::to_string(*result.driver) : "nothing");
    if (!result.explanation.empty()) text += fmt::format(" [{}]", result.explanation);
    text += '\n';
    for (const ReadCheck& read : result.failed_reads) {
      text += fmt::format("    read at {} ... {} ps: {}, must be {} ... {}{}\n", read.begin, read.end, read.value,
                          read.low, read.high, read.monotonic ? "" : ", and less than the read before");
    }
  }
  for (const Finding& finding : findings().list()) {
    text += fmt::format("{}: {} ps: {} ({})\n", finding.severity == Finding::Severity::failure ? "failure" : "note",
                        finding.when, finding.text, finding.kind);
  }
  return text;
}

}  // namespace pmufab::scoreboard
