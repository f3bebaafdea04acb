// SPDX-License-Identifier: Apache-2.0
// perf's own tests that concern PMUs, which linux-perf installs, on every ready-made platform; and the perf of each Debian
// release, which tools/fetch-perf fetches.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testbench/tests/doors/shell/shell_fixture.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

/// "cmn600-small", "machines/n1sdp"
std::vector<std::string> all_platforms() {
  const fs::path folder = PMUFAB_SOURCE_DIR "/scenarios/platforms";
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") names.push_back(fs::relative(entry.path(), folder).replace_extension());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// @return the folder of perf's scripts; empty: they are not installed
std::string scripts() {
  for (const char* const place : {"/usr/lib/perf-core", "/usr/libexec/perf-core"}) {
    const fs::path folder = fs::path(place) / "tests/shell";
    if (fs::exists(folder / "stat_all_pmu.sh")) return folder.string();
  }
  return "";
}

/// Runs scripts and prints their exit codes, and what those printed that failed. With --per-thread -a, perf looks at
/// every thread of the computer. If one of them ends meanwhile, perf 6.1 says so, and its scripts fail: they try again.
constexpr const char* kRun = R"(run() {
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    output=$("$1" 2>&1); code=$?
    case "$output" in
      *"parse CPUs map: No such file"* | *"resolve comm name"*) ;;
      *) break;;
    esac
  done
  echo "${1##*/}: exit $code"
  [ $code = 0 ] || echo "$output"
}
)";

class PerfScripts : public Shell, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    Shell::SetUp();
    if (scripts().empty()) GTEST_SKIP() << "perf's tests are not installed";
    // perf starts once for each event, which takes ten minutes of processor time on all platforms.
    static const std::set<std::string> usual = {"cmn-s3-r1p0", "cmn600-small", "cxl-exact", "machines/n1sdp",
                                                "tegra410-1s-small"};
    if (!usual.contains(GetParam()) && std::getenv("PMUFAB_EVERY_PLATFORM") == nullptr)
      GTEST_SKIP() << "PMUFAB_EVERY_PLATFORM=1 in the environment runs it";
    platform = {shipped("platforms/" + GetParam() + ".yaml")};
  }

  /// The driver counts wrongly here if one event after the other is counted (docs/contract.md, B1 and following).
  bool has_known_defects() const { return GetParam() == "cxl-typical" || GetParam() == "cxl-switch"; }
};

/// Newer perfs give PMUs whose names differ in a number at the end one name, without it, and count all of them.
/// @param name  as perf lists it: "arm_cmn_0/hnf_cache_miss/" (6.1), "arm_cmn/hnf_cache_miss/" (6.12)
/// @param files  those of all PMUs' events: "arm_cmn_0/events/hnf_cache_miss"
/// @return the events of single PMUs
std::vector<std::string> events_of(const std::string& name, const std::set<std::string>& files) {
  const std::size_t slash = name.find('/');
  const std::string pmu = name.substr(0, slash);
  const std::string event = name.substr(slash + 1, name.size() - slash - 2);
  const std::string folder = "/events/";
  if (files.contains(pmu + folder + event)) return {name};
  std::vector<std::string> events;
  for (const std::string& file : files) {
    const std::string owner = file.substr(0, file.find('/'));
    if (file == fmt::format("{}{}{}", owner, folder, event) && std::regex_match(owner, std::regex(pmu + "_[0-9a-f]+")))
      events.push_back(fmt::format("{}/{}/", owner, event));
  }
  return events.empty() ? std::vector{name} : events;
}

TEST_P(PerfScripts, all_events_of_all_pmus_can_be_counted_by_name) {
  const Session session =
      type("(cd /sys/bus/event_source/devices; ls -d */events/*); " + scripts() + "/stat_all_pmu.sh || echo exit $?");
  const std::string& out = session.outcome.out;
  std::multiset<std::string> tested;
  std::set<std::string> files;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("/events/") != std::string::npos) files.insert(line);
    if (line.rfind("Testing ", 0) != 0) continue;
    for (const std::string& event : events_of(line.substr(8), files)) tested.insert(event);
  }
  EXPECT_THAT(out, Not(HasSubstr("exit ")));
  // The driver publishes only the cycles of a described PMU, and that platform's PMU has no counter for them.
  ASSERT_EQ(tested.empty(), GetParam() == "soc/soc-64bit") << out << session.outcome.err;
  std::size_t counted = 0;
  for (const auto& verdict : session.verdicts) {
    if (tested.erase(verdict.at("event")) > 0) ++counted;
  }
  // CPMU 9 of that platform has fixed counters alone, which count several events together.
  for (const std::string& refused : tested) EXPECT_THAT(refused, HasSubstr("cxl_pmu_mem0.9/"));
  EXPECT_EQ(counted, session.verdicts.size());
  if (has_known_defects()) return;
  EXPECT_TRUE(session.report.at("failures").empty()) << session.report.at("failures");
  EXPECT_EQ(session.outcome.exit_code, 0) << session.outcome.err;
}

TEST_P(PerfScripts, csv_and_json_lines_and_the_basics_of_perf_stat_are_as_perf_wants_them) {
  std::string commands = kRun;
  const std::vector<std::string> names = {
      "stat+csv_output.sh",  "stat+csv_summary.sh", "stat+json_output.sh",     "stat.sh",
      "stat+shadow_stat.sh", "stat_all_metrics.sh", "stat_all_metricgroups.sh"};
  for (const std::string& name : names) commands += fmt::format("run {}/{}\n", scripts(), name);
  const Session session = type(commands);
  // 2: this perf, or this computer, has nothing to test.
  std::vector<std::string> ended;
  std::istringstream lines(session.outcome.out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t place = line.find(".sh: exit ");
    if (place == std::string::npos) continue;
    ended.push_back(line.substr(0, place + 3));
    const std::string code = line.substr(line.rfind(' ') + 1);
    // 3: none of the metrics could be tested, because perf has no table of the platform's CPUs.
    const bool has_none = code == "3" && line.starts_with("stat_all_metrics.sh");
    EXPECT_TRUE(code == "0" || code == "2" || has_none) << line << "\n" << session.outcome.out;
  }
  EXPECT_EQ(ended, names) << session.outcome.out;
  EXPECT_THAT(session.outcome.out, HasSubstr("stat+csv_output.sh: exit 0\n"));
  EXPECT_THAT(session.outcome.out, HasSubstr("stat+json_output.sh: exit 0\n"));
}

/// Those of perf's built-in tests that read a PMU's files. perf 6.1 skips two of them where no PMU is called cpu (its
/// tests/parse-events.c, test_pmu()); newer ones parse the events of all PMUs. "Test event parsing" needs tracepoints.
TEST_P(PerfScripts, builtin_tests_parse_events_and_formats) {
  const Session session = type("perf test 'PMU events from sysfs' 'aliased events' 'terms' 'perf pmu format' 2>&1");
  // By what is tested. Newer perfs print a line when a test starts, too.
  std::map<std::string, std::string> results;
  std::istringstream lines(session.outcome.out);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, std::regex("PMU events from|aliased events|terms|pmu format")))
      results[line.substr(0, line.rfind(": "))] = line.substr(line.rfind(": "));
  }
  std::size_t passed = 0;
  for (const auto& [name, result] : results) {
    EXPECT_THAT(result, ::testing::AnyOf(HasSubstr(": Ok"), HasSubstr(": Skip"))) << name;
    passed += result.find(": Ok") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(passed, 3U) << session.outcome.out;
}

INSTANTIATE_TEST_SUITE_P(Platforms, PerfScripts, ::testing::ValuesIn(all_platforms()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
});

/// By the suite of Debian that it is in.
class PerfVersion : public Shell, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Shell::SetUp();
    if (!fs::exists(folder_of_perf() / "wrapped/perf")) GTEST_SKIP() << "tools/fetch-perf --arm64 fetches this perf";
  }
  static fs::path folder_of_perf() { return fs::path(PMUFAB_SOURCE_DIR) / ".cache/perf" / GetParam(); }
  Session type_with_it(const std::string& commands) {
    return type(fmt::format("PATH={}:$PATH; {}", (folder_of_perf() / "wrapped").string(), commands));
  }
};

TEST_P(PerfVersion, counts_software_events_beside_those_of_pmus) {
  const Session session = type_with_it(
      "perf stat -x, -a -e cpu-clock,nvidia_ucf_pmu_0/slc_access_rd/ sleep 0.1 2>&1;"
      "perf stat -x, -C 0 -e '{task-clock,nvidia_ucf_pmu_0/slc_access_rd/,dummy}' sleep 0.1 2>&1");
  const auto lines = table(session.outcome.out);
  ASSERT_EQ(lines.size(), 5U) << session.outcome.out;
  expect_exact(session, 2);
  // 0.1 s are 0.1 simulated ms, on each of 176 CPUs.
  EXPECT_NEAR(std::stod(lines[0].at(0)), 17.6, 0.1);
  EXPECT_NEAR(std::stod(lines[2].at(0)), 0.1, 0.01);
  EXPECT_GT(std::stod(lines[3].at(0)), 0);
  EXPECT_EQ(lines[4].at(0), "0");
}

TEST_P(PerfVersion, is_not_kept_from_counting_by_an_event_that_is_refused) {
  const Session session =
      type_with_it("perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/u,nvidia_ucf_pmu_0/slc_access_rd/ sleep 0.1");
  expect_exact(session, 1);
  EXPECT_THAT(session.outcome.err, HasSubstr("<not supported>      nvidia_ucf_pmu_0/slc_access_rd/u"));
  EXPECT_THAT(session.outcome.err, Not(HasSubstr("No supported events found")));
}

TEST_P(PerfVersion, divides_a_weak_group_that_is_too_large) {
  std::string events;
  for (const char* event : {"slc_access_rd", "slc_access_wr", "slc_bytes_rd", "slc_bytes_wr", "slc_hit_rd",
                            "mem_access_rd", "mem_access_wr", "mem_bytes_rd"})
    events += fmt::format("{}nvidia_ucf_pmu_0/{}/", events.empty() ? "{" : ",", event);
  const Session session = type_with_it(fmt::format("perf stat -a -e '{}}}:W' sleep 0.1", events));
  expect_exact(session, 8);
  EXPECT_THAT(session.outcome.err, ::testing::AllOf(Not(HasSubstr("<not")), HasSubstr("%)")));
}

TEST_P(PerfVersion, knows_no_events_and_metrics_of_the_hosts_cpus) {
  const Session session = type_with_it("perf list --raw-dump metric 2>&1; perf stat -e dummy true 2>&1");
  // Of Intel and of AMD.
  for (const char* const name : {"tma_", "backend_bound", "umc_", "Invalid CPUID"})
    EXPECT_THAT(session.outcome.out, Not(HasSubstr(name)));
}

/// Which perf knows since Linux 6.4, by the identifier that the driver shows. This mesh is idle.
TEST_P(PerfVersion, of_arm64_knows_the_metrics_of_meshes) {
  const std::string suite = GetParam();
  if (!suite.ends_with("-arm64") || suite.starts_with("bookworm")) GTEST_SKIP() << "this perf has no such metrics";
  platform = {shipped("platforms/cmn600-small.yaml")};
  const Session session = type_with_it("perf stat -a -M slc_miss_rate sleep 0.1");
  expect_exact(session, 2);
  EXPECT_THAT(session.outcome.err, ::testing::AllOf(HasSubstr("hnf_slc_sf_cache_access"), HasSubstr("slc_miss_rate")));
}

INSTANTIATE_TEST_SUITE_P(Debian, PerfVersion,
                         ::testing::Values("bookworm", "trixie", "trixie-backports", "bookworm-arm64", "trixie-arm64",
                                           "trixie-backports-arm64"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace pmufab::testing
