// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/study/measured_value.h"

#include <gmock/gmock.h>

namespace pmufab::explore::measured_value_test {
namespace {

using scenario::Json;
using ::testing::AllOf;
using ::testing::HasSubstr;

MeasuredValue named(const std::string& text) {
  const scenario::Value value = scenario::parse_text(text, "study.yaml");
  scenario::Value effective = scenario::Value::map();
  scenario::Reader reader(value, "responses.x", effective);
  MeasuredValue measured = read_measured_value(reader);
  reader.finish();
  return measured;
}

Json results() {
  return Json::parse(R"({"counters_wrong": 2, "status": "failed",
    "checks": [{"name": "quiet", "ok": true}, {"name": "drivers", "ok": false}],
    "traffic": [{"name": "gpu", "requests": 200008}],
    "measures": [
      {"name": "one", "counters": [
         {"event": "a/x/", "driver": 5, "lost": {"handler": 3}, "failed_reads": [{}, {}], "note": "", "none": null},
         {"event": "a/y/", "driver": 7}],
       "derived": [{"name": "latency", "value": 1.5}]},
      {"name": "two", "counters": [{"event": "a/x/", "driver": 6}], "derived": []}]})");
}

std::optional<double> value(const std::string& text) { return value_in(results(), named(text)); }

std::string mistake(const std::string& text) {
  try {
    static_cast<void>(value(text));
  } catch (const scenario::InputError& error) {
    return error.what();
  }
  return {};
}

TEST(MeasuredValue, is_taken_by_name) {
  EXPECT_EQ(value("{value: counters_wrong}"), 2);
  EXPECT_EQ(value("{event: a/y/, value: driver}"), 7);
  EXPECT_EQ(value("{event: a/x/, measure: two, value: driver}"), 6);
  EXPECT_EQ(value("{event: a/x/, measure: one, value: lost.handler}"), 3);
  EXPECT_EQ(value("{event: a/x/, measure: one, value: failed_reads}"), 2);
  EXPECT_EQ(value("{event: a/x/, measure: one, value: none}"), std::nullopt);
  EXPECT_EQ(value("{derived: latency}"), 1.5);
  EXPECT_EQ(value("{check: quiet}"), 1);
  EXPECT_EQ(value("{check: drivers}"), 0);
  EXPECT_EQ(value("{traffic: gpu, value: requests}"), 200'008);
}

TEST(MeasuredValue, is_of_the_judge_if_no_driver_says_it) {
  EXPECT_FALSE(named("{event: a/x/, value: driver}").needs_judge());
  EXPECT_FALSE(named("{event: a/x/, value: reading_latency_ps.p50}").needs_judge());
  EXPECT_FALSE(named("{event: a/x/, estimate: neighbours}").needs_judge());
  EXPECT_FALSE(named("{derived: latency}").needs_judge());
  EXPECT_FALSE(named("{value: simulated_time_ps}").needs_judge());
  EXPECT_FALSE(named("{traffic: gpu, value: requests}").needs_judge());
  EXPECT_TRUE(named("{event: a/x/, value: expected}").needs_judge());
  EXPECT_TRUE(named("{event: a/x/, value: loss.handler}").needs_judge());
  EXPECT_TRUE(named("{derived: latency, value: reference}").needs_judge());
  EXPECT_TRUE(named("{value: counters_wrong}").needs_judge());
}

TEST(MeasuredValue, combines_several) {
  EXPECT_EQ(value("{event: a/x/, value: driver, combine: sum}"), 11);
  EXPECT_EQ(value("{event: a/*/, measure: one, value: driver, combine: max}"), 7);
  EXPECT_EQ(value("{event: a/*/, value: driver, combine: min}"), 5);
}

TEST(MeasuredValue, says_what_there_is_instead) {
  EXPECT_THAT(mistake("{event: a/z/, value: driver}"),
              AllOf(HasSubstr("study.yaml:1"), HasSubstr("no event 'a/z/'"), HasSubstr("'a/x/'")));
  EXPECT_THAT(mistake("{event: a/y/, value: drver}"), AllOf(HasSubstr("no value 'drver'"), HasSubstr("'driver'")));
  EXPECT_THAT(mistake("{event: a/x/, value: driver}"), AllOf(HasSubstr("2 results"), HasSubstr("'one', 'two'")));
  EXPECT_THAT(mistake("{event: a/*/, measure: one, value: driver}"), HasSubstr("combine: sum"));
  EXPECT_THAT(mistake("{event: a/x/, measure: tow, value: driver}"), HasSubstr("did you mean 'two'?"));
  EXPECT_THAT(mistake("{event: a/x/, measure: one, value: note}"), HasSubstr("is a text, not a number"));
  EXPECT_THAT(mistake("{event: a/x/, measure: one, value: lost}"), HasSubstr("'handler'"));
  EXPECT_THAT(mistake("{event: a/x/, measure: one, value: driver.more}"), HasSubstr("nothing below"));
  EXPECT_THAT(mistake("{value: status}"), HasSubstr("is a text"));
  EXPECT_THAT(mistake("{event: a/x/}"), HasSubstr("'value' is missing"));
}

TEST(MeasuredValue, estimates_an_event_that_took_turns_from_the_intervals_of_its_measure) {
  const Json run = Json::parse(R"({"measures": [
      {"name": "m", "counters": [{"event": "a/x/"}, {"event": "a/y/"}], "intervals": [
         {"increase": [10, 0], "time_enabled_ps": [100, 100], "time_running_ps": [100, 0]},
         {"increase": [0, 7], "time_enabled_ps": [100, 100], "time_running_ps": [0, 100]},
         {"increase": [30, 0], "time_enabled_ps": [100, 100], "time_running_ps": [100, 0]}]},
      {"name": "n", "counters": [{"event": "a/z/"}], "intervals": []}]})");
  EXPECT_EQ(value_in(run, named("{event: a/x/, estimate: interpolated}")), 60);
  EXPECT_EQ(value_in(run, named("{event: a/y/, estimate: neighbours}")), 21);
  try {
    static_cast<void>(value_in(run, named("{event: a/z/, estimate: neighbours}")));
    ADD_FAILURE() << "there is nothing to estimate from";
  } catch (const scenario::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no intervals"));
  }
  EXPECT_THROW(static_cast<void>(named("{event: a/x/, estimate: neighbours, value: driver}")), scenario::InputError);
}

}  // namespace
}  // namespace pmufab::explore::measured_value_test
