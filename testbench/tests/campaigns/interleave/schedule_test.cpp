// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/campaigns/interleave/schedule.h"
#include "testbench/campaigns/interleave/short_life.h"

namespace pmufab::interleave {
namespace {

constexpr std::size_t kMostSchedules = 1000;

/// One reading with two accesses: three places.
Choices one_window() {
  Choices choices;
  choices.pmu = "pmu";
  choices.windows.push_back({.window = {.call = Trigger::Call::read, .nth_call = 4, .accesses = 2},
                             .events = {{"pmu/a/", 3}, {"pmu/b/", 7}},
                             .holds = {}});
  return choices;
}

std::set<std::string> texts(const std::vector<Schedule>& schedules) {
  std::set<std::string> all;
  for (const Schedule& schedule : schedules) {
    std::string text;
    for (const Step& step : schedule.steps) text += describe(step) + "; ";
    all.insert(text);
  }
  return all;
}

TEST(Schedules, one_step_is_an_event_at_a_place) {
  const std::vector<Schedule> schedules = all_schedules(one_window(), 1, kMostSchedules).list;
  EXPECT_EQ(schedules.size(), 6U) << "two events at three places; a reading alone is no schedule";
  EXPECT_EQ(texts(schedules).size(), 6U);
  EXPECT_THAT(texts(schedules), ::testing::Contains("before access 2 of read call 4 of pmu: 7 times pmu/b/; "));
}

TEST(Schedules, two_steps_are_about_different_things) {
  Choices choices = one_window();
  EXPECT_EQ(all_schedules(choices, 2, kMostSchedules).list.size(), 6U + 9U + 6U)
      << "and both events, and each with a reading";
  Trigger until;
  until.pmu = "pmu";
  until.call = Trigger::Call::read;
  until.nth_call = 5;
  choices.windows[0].holds.push_back(until);
  const std::vector<Schedule> schedules = all_schedules(choices, 2, kMostSchedules).list;
  EXPECT_EQ(schedules.size(), 6U + 9U + 6U + 6U) << "and each with an interrupt held back";
  EXPECT_EQ(texts(schedules).size(), schedules.size()) << "none comes twice";
  choices.interrupts_anyway = true;
  EXPECT_EQ(all_schedules(choices, 1, kMostSchedules).list.size(), 8U)
      << "then holding back alone, and a reading alone, are some";
}

TEST(Schedules, fewer_steps_come_first) {
  const std::vector<Schedule> schedules = all_schedules(one_window(), 3, kMostSchedules).list;
  for (std::size_t i = 1; i < schedules.size(); ++i)
    EXPECT_LE(schedules[i - 1].steps.size(), schedules[i].steps.size());
}

TEST(Schedules, of_too_many_the_first_are_kept) {
  const std::size_t all = 6U + 9U + 6U;
  EXPECT_TRUE(all_schedules(one_window(), 2, all).is_all);
  const Schedules some = all_schedules(one_window(), 2, all - 1);
  EXPECT_FALSE(some.is_all);
  ASSERT_EQ(some.list.size(), all - 1);
  const std::vector<Schedule> whole = all_schedules(one_window(), 2, kMostSchedules).list;
  for (std::size_t i = 0; i < some.list.size(); ++i) EXPECT_EQ(texts({some.list[i]}), texts({whole[i]}));
}

TEST(Schedules, random_times_are_the_same_for_the_same_seed) {
  const std::vector<Schedule> alike = all_schedules(one_window(), 2, kMostSchedules).list;
  const auto some = random_schedules(alike, 50, 7, 100, 200);
  EXPECT_EQ(texts(some), texts(random_schedules(alike, 50, 7, 100, 200)));
  EXPECT_NE(texts(some), texts(random_schedules(alike, 50, 8, 100, 200)));
  for (const Schedule& schedule : some) {
    for (const Step& step : schedule.steps) {
      EXPECT_FALSE(step.at.is_access());
      EXPECT_GE(step.at.time, 100U);
      EXPECT_LE(step.at.time, 200U);
    }
  }
}

TEST(Schedules, steps_become_part_of_the_scenario) {
  Schedule schedule;
  schedule.steps = all_schedules(one_window(), 1, kMostSchedules).list.front().steps;
  Step hold;
  hold.kind = Step::Kind::hold;
  hold.at = schedule.steps[0].at;
  hold.until.time = 9000;
  schedule.steps.push_back(hold);
  scenario::Value document = scenario::parse_text("inject: [{at: 1 us, source: pmu/a/, count: 1}]\n", "s.yaml");
  const std::string yaml = to_yaml(with_steps(document, "pmu", schedule));
  const scenario::Value read = scenario::parse_text(yaml, "out.yaml");
  ASSERT_NE(read.find("inject"), nullptr);
  EXPECT_EQ(read.find("inject")->items.size(), 2U) << yaml;
  EXPECT_EQ(read.find("inject")->items[1].find("at")->find("call")->scalar, "4");
  ASSERT_NE(read.find("faults"), nullptr);
  EXPECT_EQ(read.find("faults")->items[0].find("until")->scalar, "9000 ps");
}

TEST(Schedules, what_a_scenario_expects_of_counts_is_expected_without_more_events) {
  const scenario::Value document = scenario::parse_text("expect: [{event: pmu/a/, equals: 5}]\n", "s.yaml");
  const Schedule more = all_schedules(one_window(), 1, kMostSchedules).list.front();
  EXPECT_EQ(with_steps(document, "pmu", more).find("expect"), nullptr);
  Schedule reading;
  reading.steps = more.steps;
  reading.steps.front().kind = Step::Kind::read;
  EXPECT_NE(with_steps(document, "pmu", reading).find("expect"), nullptr);
}

TEST(ShortLife, an_event_is_narrowed_to_one_place) {
  EXPECT_THAT(one_place_of("nvidia_ucf_pmu_0/slc_access_rd,src_loc_cpu=1/"),
              ::testing::ElementsAre("nvidia_ucf_pmu_0/slc_access_rd,src_loc_cpu=1/",
                                     "nvidia_ucf_pmu_0/slc_access_rd,src_loc_cpu=1,dst_loc_cmem=1/"));
  EXPECT_THAT(one_place_of("dwc_rootport_0/rx_memory_read,lane=3/"),
              ::testing::Each("dwc_rootport_0/rx_memory_read,lane=3/"));
  EXPECT_THAT(one_place_of("arm_cmn_0/hnf_cache_miss/"),
              ::testing::Contains("arm_cmn_0/hnf_cache_miss,bynodeid=1,nodeid=0xc/"));
  EXPECT_THAT(one_place_of("arm_cmn_0/hnf_cache_miss,bynodeid=1,nodeid=0x8/"), ::testing::SizeIs(1));
}

TEST(ShortLife, it_has_the_platform_and_the_events_and_nothing_else_that_happens) {
  const scenario::Value whole = scenario::parse_text(
      "name: n\nplatform: {kind: cxl}\nhost: {access_latency: 1 us}\ncxl_traffic: [{count: 9}]\nmeasure: [{events: "
      "[p/x/]}]\n"
      "actions: [{at: 1 us, do: reload_drivers}]\nduration: 9 s\n",
      "s.yaml");
  constexpr Picoseconds kUnit = 1'000'000;
  scenario::Value life = short_life(whole, {{"p/a/", "p/b/"}, {"p/c/"}}, kUnit);
  begin_counts(life, {{"p/a/"}, {"p/c/"}}, kUnit);
  for (const char* const key : {"name", "platform", "host"}) EXPECT_NE(life.find(key), nullptr) << key;
  for (const char* const key : {"cxl_traffic", "actions"}) EXPECT_EQ(life.find(key), nullptr) << key;
  ASSERT_EQ(life.find("measure")->items.size(), 2U);
  EXPECT_EQ(life.find("measure")->items[0].find("events")->items.size(), 2U);
  EXPECT_EQ(life.find("measure")->items[1].find("start")->scalar, "29000000 ps");
  ASSERT_EQ(life.find("inject")->items.size(), 2U);
  EXPECT_EQ(life.find("inject")->items[1].find("at")->scalar, "31000000 ps");
  EXPECT_EQ(measure_at(53'000'000, kUnit), 1U) << "it ends there";
}

}  // namespace
}  // namespace pmufab::interleave
