// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/session/run_limits.h"

#include <string>

#include <gmock/gmock.h>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Picoseconds kMicrosecond = 1'000'000;

template <typename Work>
std::string refusal_of(const Work& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RunLimits, are_set_by_name_with_units) {
  RunLimits limits;
  for (const char* text : {"log=64 KiB", "memory=2GiB", "files=20", "processes=0", "readings=7", "processor-time=90 s",
                           "simulated-time=5 ms"})
    set_limit(limits, text);
  EXPECT_EQ(limits.log, 65536U);
  EXPECT_EQ(limits.memory, 2ULL << 30);
  EXPECT_EQ(limits.files, 20U);
  EXPECT_EQ(limits.processes, 0U);
  EXPECT_EQ(limits.readings, 7U);
  EXPECT_EQ(limits.processor_time, 90'000'000 * kMicrosecond);
  EXPECT_EQ(limits.simulated_time, 5'000 * kMicrosecond);
}

TEST(RunLimits, that_are_unknown_or_impossible_are_refused) {
  RunLimits limits;
  const auto refused = [&](const char* text) { return refusal_of([&] { set_limit(limits, text); }); };
  EXPECT_THAT(refused("memry=1"), AllOf(HasSubstr("there is no limit 'memry'"), HasSubstr("'memory'")));
  EXPECT_THAT(refused("memory"), HasSubstr("gives no value"));
  EXPECT_THAT(refused("memory=much"), HasSubstr("'much' is not a number"));
  EXPECT_THAT(refused("log=0"), HasSubstr("is outside 4 KiB ... 1 GiB"));
  EXPECT_THAT(refused("readings=0"), HasSubstr("is outside 1 ... "));
  EXPECT_THAT(refused("processor-time=5"), HasSubstr("processor-time=5"));
}

TEST(RunLimits, of_readings_are_checked_where_the_time_of_a_measure_is_known) {
  ScenarioSpec spec;
  spec.duration = 100 * kMicrosecond;
  MeasureSpec& measure = spec.measures.emplace_back();
  measure.name = "m";
  measure.interval = kMicrosecond;
  RunLimits limits;
  limits.readings = 100;
  const auto check = [&] { return refusal_of([&] { check_limits(spec, limits); }); };
  EXPECT_EQ(check(), "no error");
  limits.readings = 99;
  EXPECT_THAT(check(), AllOf(HasSubstr("measure 'm'"), HasSubstr("1 us in 100 us makes more than 99 interval readings"),
                             HasSubstr("--limit readings=N")));
  measure.start = kMicrosecond;
  EXPECT_EQ(check(), "no error");
  measure.stop = 101 * kMicrosecond;
  EXPECT_NE(check(), "no error");
  measure.window = 50 * kMicrosecond;
  EXPECT_EQ(check(), "no error");
  measure.window = 0;
  measure.stop.reset();
  spec.duration.reset();
  EXPECT_EQ(check(), "no error") << "the end is not known";
}

}  // namespace
}  // namespace pmufab::scenario
