// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testbench/tests/doors/shell/shell_fixture.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;
using Line = nlohmann::ordered_json;

constexpr const char* kEvent = "nvidia_ucf_pmu_0/slc_access_rd/";

/// What is wrong with a line of `perf stat -x';'`, by perf-stat(1), CSV FORMAT; empty if nothing is.
std::string fault_of_csv(const std::string& line, bool interval) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ';') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (interval) {
    if (!std::regex_match(fields.front(), std::regex(" *[0-9]+[.][0-9]{9}"))) return "time stamp";
    fields.erase(fields.begin());
  }
  if (fields.size() != 7) return fmt::format("{} fields", fields.size());
  if (!std::regex_match(fields[0], std::regex("[0-9]+|<not counted>|<not supported>"))) return "counter value";
  if (!fields[1].empty()) return "unit of an event that has none";
  if (fields[2].find('/') == std::string::npos) return "event name";
  if (!std::regex_match(fields[3], std::regex("[0-9]+"))) return "run time";
  if (!std::regex_match(fields[4], std::regex("[0-9]{1,3}[.]00"))) return "percentage";
  return fields[5].empty() && fields[6].empty() ? "" : "metric of an event that has none";
}

/// The same for `perf stat -j`, by perf-stat(1), JSON FORMAT.
std::string fault_of_json(const std::string& line, bool interval) {
  const Line object = Line::parse(line, nullptr, false);
  if (!object.is_object()) return "no object";
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  std::vector<std::string> wanted = {"counter-value", "unit", "event", "event-runtime", "pcnt-running"};
  if (interval) wanted.insert(wanted.begin(), "interval");
  if (object.contains("metric-value")) wanted.insert(wanted.end(), {"metric-value", "metric-unit"});
  if (keys != wanted) return fmt::format("keys {}", fmt::join(keys, ", "));
  for (const char* number : {"interval", "event-runtime", "pcnt-running"}) {
    if (object.contains(number) && !object.at(number).is_number()) return number;
  }
  const std::string value = object.at("counter-value");
  const std::regex allowed("[0-9]+[.][0-9]{6}|<not counted>|<not supported>");
  return std::regex_match(value, allowed) ? "" : "counter value";
}

/// Lines with a sign for each number, so that counts and times need not be equal.
std::vector<std::string> shapes(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.find("nvidia") == std::string::npos) continue;
    // The metric there is not: perf 6.1 writes its value as a number, perf 6.12 as text, and newer ones omit it.
    line = std::regex_replace(line, std::regex(R"(, "metric-value" : "?0.000000"?, "metric-unit" : "[^"]*")"), "");
    line = std::regex_replace(line, std::regex("^ +"), "");
    lines.push_back(std::regex_replace(line, std::regex("\\b[0-9]+\\b"), "#"));
  }
  return lines;
}

class PerfFormat : public Shell {
 protected:
  /// pmufab stat and the real perf stat count the same events for the same time.
  void expect_same_format(const std::string& form, const std::string& events) {
    const Outcome own = pmufab(
        {"stat", "--platform", platform[0], platform[1], platform[2], "-e", events, "--duration", "100 us", form});
    const Session session = type(fmt::format("perf stat -a '{}' -e {} sleep 0.1 2>&1", form, events));
    const std::vector<std::string> perf = shapes(session.outcome.out);
    EXPECT_EQ(shapes(own.out), perf) << own.out << own.err << session.outcome.out << session.outcome.err;
    EXPECT_FALSE(perf.empty());
    std::istringstream stream(own.out);
    for (std::string line; std::getline(stream, line);)
      EXPECT_EQ(form == "-j" ? fault_of_json(line, false) : fault_of_csv(line, false), "") << line;
  }
};

TEST_F(PerfFormat, fields_are_perfs) {
  expect_same_format("-x;", "nvidia_ucf_pmu_0/slc_access_rd,src_loc_cpu=1/,nvidia_ucf_pmu_1/cycles/");
  expect_same_format("-j", "nvidia_ucf_pmu_0/slc_access_rd,src_loc_cpu=1/,nvidia_ucf_pmu_1/cycles/");
}

TEST_F(PerfFormat, lines_of_events_that_took_turns_or_were_not_counted_are_perfs) {
  std::string events = kEvent;  // more than the PMU has counters
  for (int i = 0; i < 9; ++i) events += std::string(",") + kEvent;
  for (const char* form : {"-x;", "-j"}) {
    const Outcome own = pmufab({"stat", "--platform", platform[0], "-e", events, "--duration", "100 us", form});
    EXPECT_THAT(own.out, ::testing::HasSubstr("<not counted>"));
    // The turns of the shell are shorter.
    const Session session = type(fmt::format("perf stat -a '{}' -e {} sleep 0.1 2>&1", form, events));
    std::istringstream stream(own.out + session.outcome.out.substr(0, session.outcome.out.find("\n\n")));
    std::size_t lines = 0;
    for (std::string line; std::getline(stream, line);) {
      if (line.find(';') == std::string::npos && line.find('{') == std::string::npos) continue;
      EXPECT_EQ(form[1] == 'j' ? fault_of_json(line, false) : fault_of_csv(line, false), "") << line;
      ++lines;
    }
    EXPECT_EQ(lines, 20U) << session.outcome.out;
  }
}

TEST_F(PerfFormat, intervals_are_stamped_and_perfs) {
  for (const char* form : {"-x;", "-j"}) {
    Outcome own = pmufab({"stat", "--platform", platform[0], "-e", kEvent, "--duration", "250 us", "-I", "0.1", form});
    const Session session = type(fmt::format("perf stat -a -I 100 '{}' -e {} sleep 0.25 2>&1", form, kEvent));
    EXPECT_EQ(shapes(own.out), shapes(session.outcome.out)) << own.out << session.outcome.out;
    std::istringstream stream(own.out);
    std::size_t lines = 0;
    for (std::string line; std::getline(stream, line); ++lines)
      EXPECT_EQ(form[1] == 'j' ? fault_of_json(line, true) : fault_of_csv(line, true), "") << line;
    EXPECT_EQ(lines, 3U);
  }
}

/// The checker of perf's own tests, which linux-perf installs.
TEST_F(PerfFormat, perfs_own_checker_takes_the_json_lines) {
  std::string checker;
  for (const char* const place : {"/usr/lib/perf-core", "/usr/libexec/perf-core"}) {
    const fs::path file = fs::path(place) / "tests/shell/lib/perf_json_output_lint.py";
    if (fs::exists(file)) checker = file.string();
  }
  if (checker.empty()) GTEST_SKIP() << "perf's tests are not installed";
  std::string events = kEvent;  // more than the PMU has counters
  for (int i = 0; i < 9; ++i) events += std::string(",") + kEvent;
  const auto code = [&](const std::string& lines, const std::string& option) {
    return std::system(fmt::format("python3 {} {} <{} >{} 2>&1", checker, option, write("lines", lines).c_str(),
                                   (folder / "complaint").string())
                           .c_str());
  };
  for (const bool interval : {false, true}) {
    std::vector<std::string> arguments = {"stat", "--platform", platform[0],  "-e",
                                          events, "-j",         "--duration", "250 us"};
    if (interval) arguments.insert(arguments.end(), {"-I", "0.1"});
    const Outcome own = pmufab(arguments);
    EXPECT_THAT(own.out, ::testing::HasSubstr("<not counted>"));
    EXPECT_EQ(code(own.out, interval ? "--interval" : "--no-args"), 0) << read(folder / "complaint") << own.out;
    EXPECT_NE(code(own.out, interval ? "--no-args" : "--interval"), 0) << "it looks at nothing";
  }
}

/// And its checker of the fields, a function of a script that runs perf.
TEST_F(PerfFormat, perfs_own_checker_takes_the_fields) {
  const std::string script = "/usr/lib/perf-core/tests/shell/stat+csv_output.sh";
  if (read(script).find("\nfunction commachecker()") == std::string::npos)
    GTEST_SKIP() << "perf's tests are not installed, or are newer ones";
  std::string events = kEvent;  // more than the PMU has counters
  for (int i = 0; i < 9; ++i) events += std::string(",") + kEvent;
  // Older ones take lines from standard input, newer ones from a file with a separator of theirs.
  const auto code = [&](const std::string& lines, const std::string& option) {
    return std::system(fmt::format("bash -c \"csv_sep=,; stat_output={0}; "
                                   "$(sed -n '/^function commachecker/,/^}}/p' {1}); commachecker {2}\" <{0} >{3} 2>&1",
                                   write("lines", lines), script, option, (folder / "complaint").string())
                           .c_str());
  };
  for (const bool interval : {false, true}) {
    std::vector<std::string> arguments = {"stat", "--platform", platform[0],  "-e",
                                          events, "-x,",        "--duration", "250 us"};
    if (interval) arguments.insert(arguments.end(), {"-I", "0.1"});
    const Outcome own = pmufab(arguments);
    EXPECT_THAT(own.out, ::testing::HasSubstr("<not counted>"));
    EXPECT_EQ(code(own.out, interval ? "--interval" : "--no-args"), 0) << read(folder / "complaint") << own.out;
    EXPECT_NE(code(own.out, interval ? "--no-args" : "--interval"), 0) << "it looks at nothing";
  }
}

/// The checker must be able to fail.
TEST(PerfFormatChecker, finds_what_perf_does_not_print) {
  EXPECT_EQ(fault_of_csv("1;;p/a/;10;50.00;;", false), "");
  EXPECT_EQ(fault_of_csv("1;;p/a/;10;50.00", false), "5 fields");
  EXPECT_EQ(fault_of_csv("1;;p/a/;10;50.00;1;exact", false), "metric of an event that has none");
  EXPECT_EQ(fault_of_csv("1;;p/a/;10;50.00;;", true), "time stamp");
  EXPECT_EQ(fault_of_json(R"({"counter-value" : "1.000000", "unit" : "", "event" : "p/a/", "event-runtime" : 1, )"
                          R"("pcnt-running" : 1.00, "scoreboard" : 7})",
                          false),
            "keys counter-value, unit, event, event-runtime, pcnt-running, scoreboard");
}

}  // namespace
}  // namespace pmufab::testing
