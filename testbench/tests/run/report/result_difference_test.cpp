// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/report/result_difference.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/run/yaml/input_error.h"

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
  EXPECT_EQ(text_of(difference), "same 1, better 0, worse 0\n");
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
            HasSubstr("driver file arm-cmn.c: SHA-256 aaaaaaaaaaaa..., then bbbbbbbbbbbb... (in 1 run)\n"),
            HasSubstr("worse: all: arm_cmn_0/dtc_cycles/: 1,000, then 999 (scoreboard: 1,000); exact, then wrong"),
            HasSubstr("worse: check released: good, then failed: a counter is lost\n"),
            HasSubstr("same 0, better 0, worse 1\n")));
  // The other way round, it is better.
  EXPECT_EQ(compare({bad}, {good_run()}).worse(), 0U);
  EXPECT_THAT(text_of(compare({bad}, {good_run()})), HasSubstr("better 1, worse 0"));
}

TEST(ResultDifference, only_what_differs_is_told_and_a_driver_file_once) {
  std::vector<RunResult> before;
  for (const char* name : {"one", "two", "three"}) before.push_back(good_run()), before.back().scenario = name;
  std::vector<RunResult> after = before;
  for (RunResult& run : after) run.driver_files[0].sha256 = std::string(64, 'b');
  const std::string files = "driver file arm-cmn.c: SHA-256 aaaaaaaaaaaa..., then bbbbbbbbbbbb... (in 3 runs)\n";
  EXPECT_EQ(text_of(compare(before, after)), files + "same 3, better 0, worse 0\n");
  std::ostringstream everything;
  compare(before, after).write_text(everything, true);
  EXPECT_EQ(everything.str(), files +
                                  "one (Linux 7.3): same: passed both times\n"
                                  "two (Linux 7.3): same: passed both times\n"
                                  "three (Linux 7.3): same: passed both times\n"
                                  "same 3, better 0, worse 0\n");
}

TEST(ResultDifference, what_is_worse_comes_first) {
  std::vector<RunResult> before;
  for (const char* name : {"same", "changed", "better", "worse"})
    before.push_back(good_run()), before.back().scenario = name;
  std::vector<RunResult> after = before;
  after[1].measures[0].counters[0].driver = after[1].measures[0].counters[0].expected = 1001;
  before[2].status = RunResult::Status::failed;
  before[2].checks[0].ok = false;
  // In a run, too: its second counter is wrong now.
  for (RunResult* run : {&before[3], &after[3]}) {
    run->measures[0].counters.push_back(run->measures[0].counters[0]);
    run->measures[0].counters[1].event = "arm_cmn_0/rxreq_dct/";
  }
  after[3].status = RunResult::Status::failed;
  after[3].measures[0].counters[0].driver = after[3].measures[0].counters[0].expected = 7;
  after[3].measures[0].counters[1].check = perf::Check::wrong;
  const std::string text = text_of(compare(before, after));
  std::vector<std::size_t> places;
  for (const char* part : {"worse (Linux", "worse: all: arm_cmn_0/rxreq_dct/", "changed: all: arm_cmn_0/dtc_cycles/",
                           "better (Linux", "changed (Linux", "same 1, better 1, worse 1, changed otherwise 1\n"})
    places.push_back(text.find(part));
  EXPECT_TRUE(std::ranges::is_sorted(places)) << text;
  EXPECT_NE(places.back(), std::string::npos) << text;
  EXPECT_EQ(text.find("same (Linux"), std::string::npos) << text;
}

TEST(ResultDifference, a_count_that_changes_and_stays_right_is_only_changed) {
  RunResult other = good_run();
  other.measures[0].counters[0].driver = other.measures[0].counters[0].expected = 1001;
  const ResultDifference difference = compare({good_run()}, {other});
  EXPECT_EQ(difference.worse(), 0U);
  EXPECT_THAT(text_of(difference), AllOf(HasSubstr("mesh (Linux 7.3): changed: passed both times\n"),
                                         HasSubstr("1,000, then 1,001 (scoreboard: 1,000, then 1,001)\n")));
}

TEST(ResultDifference, counters_and_checks_that_are_missing_are_worse) {
  RunResult other = good_run();
  other.measures[0].counters.clear();
  EXPECT_EQ(compare({good_run()}, {other}).worse(), 1U);
  EXPECT_THAT(text_of(compare({good_run()}, {other})),
              AllOf(HasSubstr("mesh (Linux 7.3): worse: passed both times\n"),
                    HasSubstr("worse: all: arm_cmn_0/dtc_cycles/: 1,000, then none"), HasSubstr("exact, then absent")));
  EXPECT_EQ(compare({other}, {good_run()}).worse(), 0U);
  EXPECT_THAT(text_of(compare({other}, {good_run()})), HasSubstr("same 0, better 0, worse 0, changed otherwise 1\n"));
  other = good_run();
  other.measures.clear();
  EXPECT_EQ(compare({good_run()}, {other}).worse(), 1U);
  other = good_run();
  other.checks.clear();
  EXPECT_EQ(compare({good_run()}, {other}).worse(), 1U);
  EXPECT_THAT(text_of(compare({good_run()}, {other})), HasSubstr("worse: check released: good, then absent"));
  // A check that a result has only if it fails.
  other = good_run();
  other.status = RunResult::Status::failed;
  other.checks.push_back({"kernel_panic", false, "the kernel died"});
  EXPECT_EQ(compare({good_run()}, {other}).worse(), 1U);
  EXPECT_EQ(compare({other}, {good_run()}).worse(), 0U);
  // A remark: register accesses stretched a window, or a driver had nothing to bind.
  other = good_run();
  other.measures[0].checks.push_back({"window", true, "10 us were asked for"});
  other.checks.push_back({"drivers", true, "a.c (yours) was not used"});
  EXPECT_EQ(compare({other}, {good_run()}).worse(), 0U);
}

TEST(ResultDifference, a_share_of_time_that_falls_by_more_than_ten_points_is_worse) {
  const auto with_share = [](Picoseconds running) {
    RunResult run = good_run();
    run.measures[0].counters[0].time_enabled = 1000;
    run.measures[0].counters[0].time_running = running;
    return run;
  };
  EXPECT_EQ(compare({with_share(910)}, {with_share(810)}).worse(), 0U);
  const ResultDifference difference = compare({with_share(910)}, {with_share(310)});
  EXPECT_EQ(difference.worse(), 1U);
  EXPECT_THAT(text_of(difference), HasSubstr("counted 91.0 % of the time, then 31.0 %"));
  EXPECT_EQ(compare({with_share(310)}, {with_share(910)}).worse(), 0U);
}

TEST(ResultDifference, a_wrong_count_that_is_off_by_more_than_ten_points_more_is_worse) {
  const auto with_count = [](std::uint64_t driver) {
    RunResult run = good_run();
    run.status = RunResult::Status::failed;
    run.measures[0].counters[0].driver = driver;
    run.measures[0].counters[0].check = perf::Check::wrong;
    return run;
  };
  EXPECT_EQ(compare({with_count(950)}, {with_count(900)}).worse(), 0U);
  EXPECT_EQ(compare({with_count(990)}, {with_count(0)}).worse(), 1U);
  EXPECT_EQ(compare({with_count(1010)}, {with_count(4000)}).worse(), 1U);
  EXPECT_EQ(compare({with_count(100)}, {with_count(990)}).worse(), 0U);
  EXPECT_EQ(compare({with_count(100)}, {with_count(990)}).to_json()["runs"][0]["change"], "better");
}

TEST(ResultDifference, runs_of_other_drivers_belong_together_if_each_is_alone) {
  RunResult older = good_run();
  older.drivers = "7.2";
  EXPECT_EQ(compare({older}, {good_run()}).worse(), 0U);
  EXPECT_THAT(text_of(compare({older}, {good_run()})), HasSubstr("drivers of Linux 7.2, then 7.3 (in 1 run)\n"));
  // With two of them, only the equal ones do. The other is missing.
  const ResultDifference difference = compare({older, good_run()}, {good_run()});
  EXPECT_EQ(difference.worse(), 1U);
  EXPECT_THAT(text_of(difference), HasSubstr("mesh (Linux 7.2): worse: passed, then absent\n"));
}

TEST(ResultDifference, runs_with_one_title_belong_together_in_their_order) {
  RunResult bad = good_run();
  bad.status = RunResult::Status::failed;
  bad.measures[0].counters[0].driver = 999;
  bad.measures[0].counters[0].check = perf::Check::wrong;
  EXPECT_THAT(text_of(compare({good_run(), bad}, {good_run(), bad})), HasSubstr("same 2, better 0, worse 0\n"));
  EXPECT_THAT(text_of(compare({good_run(), bad}, {bad, good_run()})), HasSubstr("same 0, better 1, worse 1\n"));
  EXPECT_THAT(text_of(compare({good_run(), good_run()}, {good_run(), good_run(), good_run()})),
              HasSubstr("same 2, better 0, worse 0, changed otherwise 1\n"))
      << "one is new";
  // Of other drivers, too, if there are as many.
  RunResult older = good_run();
  older.drivers = "7.2";
  EXPECT_EQ(compare({older, older}, {good_run(), good_run()}).worse(), 0U);
  EXPECT_EQ(compare({older, older}, {good_run()}).worse(), 2U);
}

TEST(ResultDifference, a_run_that_is_missing_is_worse_even_if_it_had_failed) {
  RunResult bad = good_run();
  bad.status = RunResult::Status::failed;
  const ResultDifference difference = compare({bad}, {});
  EXPECT_EQ(difference.worse(), 1U);
  EXPECT_THAT(text_of(difference), HasSubstr("mesh (Linux 7.3): worse: failed, then absent\n"));
}

/// Folders of results that nobody may read.
class UnreadableFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "pmufab-compare-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    std::filesystem::create_directories(folder / "a");
    std::ofstream(folder / "a" / "result.json") << R"({"runs": [{"scenario": "s", "status": "passed"}]})";
    std::filesystem::permissions(folder, std::filesystem::perms(0755));
    std::filesystem::permissions(folder / "a", std::filesystem::perms(0));
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0) {
      ASSERT_EQ(seteuid(kNobody), 0);  // root may read everything
    }
  }
  void TearDown() override {
    if (getuid() == 0) {
      ASSERT_EQ(seteuid(0), 0);
    }
    std::filesystem::permissions(folder / "a", std::filesystem::perms(0700));
    std::filesystem::remove_all(folder);
  }
  std::filesystem::path folder;
};

TEST_F(UnreadableFolder, is_bad_input) {
  try {
    static_cast<void>(read_results(folder));
    FAIL() << "it was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr((folder / "a").string()), HasSubstr("cannot be read: Permission denied")));
  }
  EXPECT_THROW(static_cast<void>(read_results(folder / "a")), InputError);
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
