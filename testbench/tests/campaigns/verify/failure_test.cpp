// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/verify/failure.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace pmufab::verify {
namespace {

using scenario::RunResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunResult with_count(const std::string& pmu, perf::Check check) {
  RunResult run;
  run.status = RunResult::Status::failed;
  scenario::CounterResult counter;
  counter.event = pmu + "/event/";
  counter.pmu = pmu;
  counter.driver = 5;
  counter.expected = 7;
  counter.check = check;
  run.measures.emplace_back().counters.push_back(counter);
  return run;
}

std::string kind_of(const RunResult& run) {
  const std::vector<Failure> failures = failures_of(run);
  return failures.empty() ? "none" : failures.front().kind;
}

TEST(Failure, pmus_that_differ_in_their_numbers_fail_in_the_same_way) {
  const std::string kind = kind_of(with_count("nvidia_pcie_pmu_0_rc_4", perf::Check::wrong));
  EXPECT_EQ(kind, kind_of(with_count("nvidia_pcie_pmu_3_rc_0", perf::Check::wrong)));
  EXPECT_NE(kind, kind_of(with_count("nvidia_pcie_tgt_pmu_3_rc_0", perf::Check::wrong)));
  EXPECT_NE(kind, kind_of(with_count("nvidia_pcie_pmu_0_rc_4", perf::Check::not_opened)));
  EXPECT_THAT(failures_of(with_count("arm_cmn_0", perf::Check::exact)), IsEmpty());
}

// A case that is made shorter until nothing has its turn shows nothing of a count that was wrong.
TEST(Failure, an_event_that_never_ran_is_no_wrong_count) {
  RunResult run = with_count("arm_cmn_0", perf::Check::wrong);
  scenario::CounterResult& counter = run.measures.front().counters.front();
  counter.time_enabled = 10;
  EXPECT_EQ(kind_of(run), "event of arm_cmn_* without a counter");
  counter.time_running = 1;
  EXPECT_EQ(kind_of(run), "wrong count of arm_cmn_*");
}

TEST(Failure, checks_are_told_apart_by_the_drivers_function) {
  const auto with = [](const std::string& text) {
    RunResult run;
    run.status = RunResult::Status::failed;
    run.checks.push_back({"register_accesses", false, text});
    return run;
  };
  const std::string kind = kind_of(with("write to 0x10, in add_one() of some-driver.c"));
  EXPECT_EQ(kind, "register_accesses in add_one() of some-driver.c");
  EXPECT_EQ(kind, kind_of(with("write to 0x20, in add_one() of some-driver.c")));
  EXPECT_NE(kind, kind_of(with("write to 0x10, in del_one() of some-driver.c")));
}

TEST(Failure, each_broken_rule_is_a_failure_with_what_was_seen_first) {
  RunResult run;
  run.status = RunResult::Status::failed;
  run.checks.push_back({"scoreboard", false, "3 rules broken: leak, order"});
  run.findings = {"doubt at 1 us: none", "order at 2 us: p/x/ too early", "leak at 3 us: q", "order at 4 us: later"};
  std::vector<std::string> seen;
  for (const Failure& failure : failures_of(run)) seen.push_back(failure.kind + " | " + failure.text);
  EXPECT_THAT(seen, ElementsAre("scoreboard: order | scoreboard: order at 2 us: p/x/ too early",
                                "scoreboard: leak | scoreboard: leak at 3 us: q"));
}

TEST(Failure, a_crash_is_graver_than_a_wrong_count) {
  RunResult run = with_count("arm_cmn_0", perf::Check::wrong);
  run.status = RunResult::Status::crashed;
  run.message = "killed by SIGSEGV, in probe() of d.c";
  EXPECT_EQ(kind_of(run), "crash in probe() of d.c");
  ASSERT_EQ(failures_of(run).size(), 2U);
  EXPECT_EQ(failures_of(run).back().kind, "wrong count of arm_cmn_*");
}

TEST(Failure, what_a_case_must_fail_at_is_none_and_everything_else_is) {
  RunResult run;
  run.expected_reason = "a part has no interrupt";
  run.checks.push_back({"probe", false, "it failed"});
  run.status = RunResult::Status::expected_failure;
  EXPECT_EQ(kind_of(run), "none");
  run.status = RunResult::Status::failed;
  run.message = "not the expected failure: the check 'interrupts' failed";
  EXPECT_EQ(kind_of(run), run.message);
  run.measures = with_count("cxl_pmu_mem0.1", perf::Check::wrong).measures;
  EXPECT_THAT(kind_of(run), HasSubstr("wrong count of cxl_pmu_mem*"));
  run = {};
  run.expected_reason = "a part has no interrupt";
  run.status = RunResult::Status::unexpected_pass;
  run.message = "not the expected failure: the check 'probe' did not fail";
  EXPECT_EQ(kind_of(run), run.message);
}

TEST(Failure, events_that_a_driver_does_not_offer_are_its_failure) {
  RunResult run;
  run.status = RunResult::Status::bad_input;
  run.message = "\nevent 'x' is not there";
  EXPECT_EQ(kind_of(run), "not offered by the driver");
  EXPECT_THAT(failures_of(run).front().text, HasSubstr("event 'x'"));
  run.message = "s.yaml:9: measure 'm': \nevent syntax error: 'p/x/'\n   \\___ unknown event or term 'x' for PMU 'p'\n";
  EXPECT_EQ(failures_of(run).front().text, "not offered by the driver: unknown event or term 'x' for PMU 'p'");
  run.message = "event syntax error: 'p/x/'\n  there is no PMU 'p'";
  EXPECT_EQ(kind_of(run), "without the PMU") << "or a case would be made small by taking its hardware away";
}

}  // namespace
}  // namespace pmufab::verify
