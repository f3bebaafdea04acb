// SPDX-License-Identifier: Apache-2.0
// The perf of each Debian release in a shell. tools/fetch-perf fetches them.
#include <algorithm>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testbench/tests/shell/shell_fixture.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

/// By the suite of Debian that it is in.
class PerfVersion : public Shell, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Shell::SetUp();
    if (!fs::exists(folder_of_perf() / "wrapped/perf")) GTEST_SKIP() << "tools/fetch-perf fetches this perf";
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

INSTANTIATE_TEST_SUITE_P(Debian, PerfVersion, ::testing::Values("bookworm", "trixie", "trixie-backports"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace pmufab::testing
