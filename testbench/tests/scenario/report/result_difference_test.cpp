// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/report/result_difference.h"

#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmufab::scenario {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A run that passed: one counter, one check, one driver file.
RunResult good_run() {
  RunResult run;
  run.scenario = "mesh";
  run.drivers = "7.3";
  run.status = RunResult::Status::passed;
  MeasureResult measure;
  measure.name = "all";
  CounterResult counter;
  counter.event = "arm_cmn_0/dtc_cycles/";
  counter.driver = counter.expected = 1000;
  counter.check = perf::Check::exact;
  measure.counters = {counter};
  run.measures = {measure};
  run.checks = {{"released", true, "all can be had again"}};
  driver_host::DriverFile file;
  file.file = "arm-cmn.c";
  file.sha256 = std::string(64, 'a');
  file.pmus = {"arm_cmn_0"};
  run.driver_files = {file};
  return run;
}

std::string text_of(const ResultDifference& difference) {
  std::ostringstream text;
  difference.write_text(text);
  return text.str();
}

ResultDifference compare(const std::vector<RunResult>& before, const std::vector<RunResult>& after) {
  std::vector<Json> one;
  std::vector<Json> other;
  for (const RunResult& run : before) one.push_back(to_json(run));
  for (const RunResult& run : after) other.push_back(to_json(run));
  return {one, other};
}

TEST(ResultDifference, equal_results_have_none) {
  const ResultDifference difference = compare({good_run()}, {good_run()});
  EXPECT_EQ(difference.worse(), 0U);
  EXPECT_EQ(text_of(difference), "1 run: 0 worse, 0 better, 0 changed, 1 the same\n");
}

TEST(ResultDifference, a_count_and_a_check_that_fail_now_are_worse) {
  RunResult bad = good_run();
  bad.status = RunResult::Status::failed;
  bad.measures[0].counters[0].driver = 999;
  bad.measures[0].counters[0].check = perf::Check::wrong;
  bad.checks[0] = {"released", false, "a counter is lost"};
  bad.driver_files[0].sha256 = std::string(64, 'b');
  const ResultDifference difference = compare({good_run()}, {bad});
  EXPECT_EQ(difference.worse(), 1U);
  EXPECT_THAT(
      text_of(difference),
      AllOf(HasSubstr("mesh (Linux 7.3): worse: passed, then failed\n"),
            HasSubstr("driver file arm-cmn.c: SHA-256 aaaaaaaaaaaa..., then bbbbbbbbbbbb...\n"),
            HasSubstr("worse: all: arm_cmn_0/dtc_cycles/: 1,000, then 999 (scoreboard: 1,000); exact, then wrong"),
            HasSubstr("worse: check released: good, then failed: a counter is lost\n"),
            HasSubstr("1 run: 1 worse, 0 better, 0 changed, 0 the same\n")));
  // The other way round, it is better.
  EXPECT_EQ(compare({bad}, {good_run()}).worse(), 0U);
  EXPECT_THAT(text_of(compare({bad}, {good_run()})), HasSubstr("0 worse, 1 better"));
}

TEST(ResultDifference, a_count_that_changes_and_stays_right_is_only_changed) {
  RunResult other = good_run();
  other.measures[0].counters[0].driver = other.measures[0].counters[0].expected = 1001;
  const ResultDifference difference = compare({good_run()}, {other});
  EXPECT_EQ(difference.worse(), 0U);
  EXPECT_THAT(text_of(difference), AllOf(HasSubstr("mesh (Linux 7.3): changed: passed both times\n"),
                                         HasSubstr("1,000, then 1,001 (scoreboard: 1,000, then 1,001)\n")));
}

TEST(ResultDifference, runs_of_other_drivers_belong_together_if_each_is_alone) {
  RunResult older = good_run();
  older.drivers = "7.2";
  EXPECT_EQ(compare({older}, {good_run()}).worse(), 0U);
  EXPECT_THAT(text_of(compare({older}, {good_run()})), HasSubstr("mesh (Linux 7.2, then 7.3)"));
  // With two of them, only the equal ones do. The other is missing.
  const ResultDifference difference = compare({older, good_run()}, {good_run()});
  EXPECT_EQ(difference.worse(), 1U);
  EXPECT_THAT(text_of(difference), HasSubstr("mesh (Linux 7.2): worse: passed, then absent\n"));
}

TEST(ResultDifference, json_has_both_sides) {
  RunResult bad = good_run();
  bad.status = RunResult::Status::failed;
  bad.measures[0].counters[0].driver = 5;
  bad.measures[0].counters[0].check = perf::Check::wrong;
  const Json json = compare({good_run()}, {bad}).to_json();
  EXPECT_EQ(json["worse"], 1);
  const Json& run = json["runs"][0];
  EXPECT_EQ(run["status"], Json::array({"passed", "failed"}));
  EXPECT_EQ(run["counters"][0]["driver"], Json::array({1000, 5}));
  EXPECT_EQ(run["counters"][0]["change"], "worse");
  EXPECT_TRUE(run["driver_files"].empty());
}

}  // namespace
}  // namespace pmufab::scenario
