// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/campaigns/interleave/time_line.h"

namespace pmufab::interleave {
namespace {

/// Readings of two accesses each.
std::vector<AccessRecord> readings(std::uint64_t number) {
  std::vector<AccessRecord> all;
  for (std::uint64_t call = 1; call <= number; ++call) {
    for (std::uint64_t access = 1; access <= 2; ++access) {
      AccessRecord record;
      record.when = (call * 10 + access) * 1000;
      record.place = {"pmu", Trigger::Call::read, call, access};
      record.address = 0x1000 + access;
      record.name = access == 1 ? "HIGH" : "LOW";
      record.function = "read_it() of driver.c";
      all.push_back(record);
    }
  }
  return all;
}

Schedule event_before(std::uint64_t call, std::uint64_t access) {
  Step step;
  step.source = "pmu/a/";
  step.count = 3;
  step.at.pmu = "pmu";
  step.at.call = Trigger::Call::read;
  step.at.nth_call = call;
  step.at.access = access;
  return {{step}};
}

TEST(ScheduleTimeLine, a_step_stands_before_its_access) {
  const std::string text = draw_time_line(readings(9), event_before(5, 2));
  const std::size_t step = text.find("3 times pmu/a/");
  const std::size_t call = text.find("read call 5 of pmu\n");
  ASSERT_NE(step, std::string::npos) << text;
  ASSERT_NE(call, std::string::npos) << text;
  const std::size_t high = text.find("HIGH", call);
  EXPECT_LT(high, step);
  EXPECT_LT(step, text.find("LOW", call));
  EXPECT_THAT(text, ::testing::HasSubstr("0x1001  HIGH"));
  EXPECT_THAT(text, ::testing::HasSubstr("read_it() of driver.c"));
}

TEST(ScheduleTimeLine, only_calls_around_the_steps_are_shown) {
  const std::string text = draw_time_line(readings(20), event_before(10, 1));
  EXPECT_THAT(text, ::testing::HasSubstr("read call 9 of pmu"));
  EXPECT_THAT(text, ::testing::HasSubstr("read call 11 of pmu"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("read call 3 of pmu")));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("read call 17 of pmu")));
}

TEST(ScheduleTimeLine, a_step_after_the_last_access_of_its_call_stands_there) {
  const std::string text = draw_time_line(readings(3), event_before(3, 3));
  EXPECT_GT(text.find("3 times pmu/a/"), text.find("LOW", text.find("read call 3 of pmu\n")));
}

}  // namespace
}  // namespace pmufab::interleave
