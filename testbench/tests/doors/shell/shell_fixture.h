// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {

/// Types commands into a shell on a platform of two sockets with traffic.
class Shell : public Cli {
 protected:
  /// The results of a shell: output of all programs, and the verdicts.
  struct Session {
    Outcome outcome;
    nlohmann::json report;    ///< --json
    nlohmann::json verdicts;  ///< "events" of it
  };

  std::vector<std::string> arguments(const std::string& commands) const {
    std::vector<std::string> words = {"shell"};
    words.insert(words.end(), platform.begin(), platform.end());
    words.insert(words.end(), {"--json", (folder / "verdicts.json").string(), "--", "sh", "-c", commands});
    return words;
  }

  Session type(const std::string& commands) { return finish_session(start(arguments(commands))); }

  Session finish_session(pid_t pid) {
    Session session{finish(pid), {}, {}};
    const std::string text = read(folder / "verdicts.json");
    if (text.empty()) return session;
    session.report = nlohmann::json::parse(text);
    session.verdicts = session.report.at("events");
    return session;
  }

  /// Every count was compared and is correct.
  static void expect_exact(const Session& session, std::size_t events) {
    ASSERT_EQ(session.verdicts.size(), events) << session.outcome.err;
    for (const nlohmann::json& verdict : session.verdicts) {
      EXPECT_EQ(verdict.at("check"), "exact") << verdict;
      EXPECT_EQ(verdict.at("driver"), verdict.at("expected")) << verdict;
    }
    EXPECT_EQ(session.outcome.exit_code, 0) << session.outcome.err;
  }

  /// Fields of perf stat -x, line by line, without blanks.
  static std::vector<std::vector<std::string>> table(const std::string& text, char separator = ',') {
    std::vector<std::vector<std::string>> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      if (line.empty() || line.front() == '#') continue;
      std::vector<std::string>& fields = lines.emplace_back();
      std::istringstream rest(line);
      for (std::string field; std::getline(rest, field, separator);)
        fields.push_back(field.substr(std::min(field.find_first_not_of(' '), field.size())));
    }
    return lines;
  }

  std::vector<std::string> platform = {shipped("platforms/tegra410-2s.yaml"), "--traffic",
                                       shipped("traffic/mixed.yaml")};
};

}  // namespace pmufab::testing
