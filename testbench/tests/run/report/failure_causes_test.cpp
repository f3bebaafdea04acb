// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/report/failure_causes.h"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmufab::scenario {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

RunResult failed_run(const std::string& event, const std::string& note) {
  RunResult run;
  run.scenario = "s";
  run.drivers = "7.3";
  run.status = RunResult::Status::failed;
  CounterResult counter;
  counter.event = event;
  counter.pmu = event.substr(0, event.find('/'));
  counter.check = perf::Check::wrong;
  counter.note = note;
  run.measures.emplace_back().counters.push_back(counter);
  return run;
}

/// Causes that have seen one failure in so many runs that the next such run is not shown.
FailureCauses causes_that_know(const RunResult& run) {
  FailureCauses causes;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(causes.add(run));
  EXPECT_TRUE(causes.add(run));
  return causes;
}

std::string text_of(const FailureCauses& causes) {
  std::ostringstream text;
  causes.write(text);
  return text.str();
}

TEST(FailureCauses, the_same_event_with_other_numbers_is_known) {
  FailureCauses causes = causes_that_know(failed_run("arm_cmn_0/hnf_mc_reqs,bynodeid=1,nodeid=8/", "87 missing"));
  EXPECT_TRUE(causes.add(failed_run("arm_cmn_1/hnf_mc_reqs,bynodeid=1,nodeid=12/", "9 missing")));
  EXPECT_THAT(text_of(causes), HasSubstr("5 failures of 5 runs, first in s, Linux 7.3: "
                                         "arm_cmn_0/hnf_mc_reqs,bynodeid=1,nodeid=8/: 87 missing"));
}

TEST(FailureCauses, another_event_filter_or_sentence_is_another_cause) {
  FailureCauses causes = causes_that_know(failed_run("arm_cmn_0/hnf_mc_reqs/", "87 missing"));
  EXPECT_FALSE(causes.add(failed_run("arm_cmn_0/hnf_cache_miss/", "87 missing")));
  EXPECT_FALSE(causes.add(failed_run("arm_cmn_0/hnf_mc_reqs,bynodeid=1,nodeid=8/", "87 missing")));
  EXPECT_FALSE(causes.add(failed_run("arm_cmn_0/hnf_mc_reqs/", "87 too many")));
  EXPECT_FALSE(causes.add(failed_run("nvidia_ucf_pmu_0/event=0x111/", "87 missing")));
  EXPECT_FALSE(causes.add(failed_run("nvidia_ucf_pmu_0/event=0x112/", "87 missing")));
  EXPECT_THAT(text_of(causes), AllOf(HasSubstr("  4 failures of 4 runs, "),
                                     HasSubstr("  1 failure of 1 run, first in s, "
                                               "Linux 7.3: arm_cmn_0/hnf_cache_miss/: 87 missing"),
                                     HasSubstr("event=0x111"), HasSubstr("event=0x112")));
}

TEST(FailureCauses, a_derived_figure_beside_a_known_failure_is_news) {
  const RunResult known = failed_run("arm_cmn_0/hnf_mc_reqs/", "87 missing");
  FailureCauses causes = causes_that_know(known);
  RunResult run = known;
  DerivedResult figure;
  figure.name = "nvidia_cmem_latency_pmu_0 average latency";
  figure.ok = false;
  run.measures[0].derived.push_back(figure);
  EXPECT_FALSE(causes.add(run));
  EXPECT_THAT(text_of(causes),
              HasSubstr("1 failure of 1 run, first in s, Linux 7.3: nvidia_cmem_latency_pmu_0 average"));
}

TEST(FailureCauses, another_broken_rule_is_another_cause) {
  RunResult known;
  known.status = RunResult::Status::failed;
  known.checks.push_back({"scoreboard", false, "1 rule broken: order"});
  FailureCauses causes = causes_that_know(known);
  known.checks.back().text = "2 rules broken: leak";
  EXPECT_FALSE(causes.add(known));
}

TEST(WithoutNumbers, numbers_go_and_words_stay) {
  EXPECT_EQ(without_numbers("nvidia_ucf_pmu_0: 1,234 at 0x1f8"), "nvidia_ucf_pmu_*: * at *");
  EXPECT_EQ(without_numbers("cxl_pmu_mem0.1/m2s_req/"), "cxl_pmu_mem*/m2s_req/");
  EXPECT_EQ(without_numbers("nvidia_nvlink_c2c_pmu_3"), "nvidia_nvlink_c2c_pmu_*");
  for (const char* port : {"13018", "ffff0000/L0/", "c0e8", "1ffb0", "c00"})
    EXPECT_THAT(without_numbers(std::string("dwc_rootport_") + port), ::testing::StartsWith("dwc_rootport_*")) << port;
  EXPECT_EQ(without_numbers("nvidia_pmu_c2c"), "nvidia_pmu_c2c");
}

}  // namespace
}  // namespace pmufab::scenario
