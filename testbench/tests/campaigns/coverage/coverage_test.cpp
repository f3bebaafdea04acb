// SPDX-License-Identifier: Apache-2.0
// What was met, and what it is when runs are put together.
#include "testbench/campaigns/coverage/coverage.h"

#include <string>

#include <gmock/gmock.h>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::coverage {
namespace {

using scenario::InputError;
using ::testing::HasSubstr;

/// A run that declares two bins and meets one.
Coverage run_that_meets(const std::string& bin) {
  Coverage run;
  run.count_run();
  for (const char* const declared : {"reads", "writes"}) run.declare("toy_*", "event", declared);
  run.meet("toy_*", "event", bin);
  return run;
}

Coverage sum(Coverage first, const Coverage& second) {
  first.merge(second);
  return first;
}

TEST(Coverage, what_nobody_declared_is_no_bin) {
  Coverage run = run_that_meets("writes");
  EXPECT_FALSE(run.meet("toy_*", "event", "evictions"));
  EXPECT_FALSE(run.meet("toy_*", "topology", "square"));
  EXPECT_FALSE(run.meet("other_*", "event", "reads"));
  EXPECT_EQ(run.kinds().size(), 1U);
  EXPECT_EQ(run.kinds().at("toy_*").at("event"), (Coverage::Bins{{"reads", 0}, {"writes", 1}}));
}

TEST(Coverage, a_run_meets_a_bin_once_however_often_it_happens) {
  Coverage run = run_that_meets("reads");
  EXPECT_FALSE(run.meet("toy_*", "event", "reads"));
  run.declare("toy_*", "event", "reads");  // again, by a second PMU of the kind
  EXPECT_EQ(run.kinds().at("toy_*").at("event").at("reads"), 1U);
}

TEST(Coverage, runs_are_put_together_in_any_order_and_grouping) {
  const Coverage a = run_that_meets("reads");
  const Coverage b = run_that_meets("writes");
  Coverage c = run_that_meets("writes");
  c.declare("other_*", "event", "cycles");
  c.declare_uncaused("other_*", "stalls", "no model has them");
  Coverage d;
  d.declare_uncaused("other_*", "stalls", "a reason in other words");
  EXPECT_EQ(sum(a, b), sum(b, a));
  EXPECT_EQ(sum(c, d), sum(d, c));
  EXPECT_EQ(sum(sum(a, b), c), sum(a, sum(b, c)));
  EXPECT_EQ(sum(sum(a, b), c).kinds().at("toy_*").at("event"), (Coverage::Bins{{"reads", 1}, {"writes", 2}}));
  EXPECT_EQ(sum(a, Coverage()), a);
}

TEST(Coverage, an_event_that_something_causes_on_another_platform_is_no_uncaused_event) {
  Coverage one = run_that_meets("reads");
  one.declare_uncaused("toy_*", "snoops", "this one has no cache");
  EXPECT_EQ(one.uncaused().at("toy_*").size(), 1U);
  Coverage other;
  other.declare("toy_*", "event", "snoops");
  one.merge(other);
  EXPECT_TRUE(one.uncaused().empty());
}

TEST(Coverage, a_file_holds_all_of_it) {
  Coverage run = run_that_meets("reads");
  run.declare_uncaused("toy_*", "stalls", "no model has them");
  const Json json = Json::parse(to_text(run));
  EXPECT_EQ(Coverage::from_json(json, "file"), run);
  EXPECT_EQ(Coverage::from_json(Json::parse(to_text(Coverage())), "file"), Coverage());
}

/// @return the message with which a text is refused
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(Coverage::from_json(Json::parse(text), "bad.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "it was accepted";
}

TEST(Coverage, other_files_are_refused_with_the_reason) {
  const std::string head = R"({"format": "pmufab coverage", "version": 1, )";
  EXPECT_THAT(refusal("[]"), HasSubstr("'bad.json' holds no coverage: there is no 'format'"));
  EXPECT_THAT(refusal(R"({"format": "pmufab results"})"), HasSubstr("it is of another format"));
  EXPECT_THAT(refusal(R"({"format": "pmufab coverage", "version": 2})"), HasSubstr("another version"));
  EXPECT_THAT(refusal(head + R"("runs": -1})"), HasSubstr("'runs' is no number of runs"));
  EXPECT_THAT(refusal(head + R"("runs": 1})"), HasSubstr("there is no 'kinds'"));
  EXPECT_THAT(refusal(head + R"("runs": 1, "kinds": {"toy_*": 3}, "not_caused": {}})"),
              HasSubstr("toy_* is no object"));
  EXPECT_THAT(refusal(head + R"("runs": 1, "kinds": {"toy_*": {"event": {"reads": "1"}}}, "not_caused": {}})"),
              HasSubstr("'reads' is no number of runs"));
  EXPECT_THAT(refusal(head + R"("runs": 1, "kinds": {"toy_*": {"event": {"reads": 2}}}, "not_caused": {}})"),
              HasSubstr("more runs met 'reads' than there were"));
  EXPECT_THAT(refusal(head + R"("runs": 1, "kinds": {}, "not_caused": {"toy_*": {"stalls": 1}}})"),
              HasSubstr("'stalls' has no reason"));
  EXPECT_EQ(refusal(head + R"("runs": 1, "kinds": {}, "not_caused": {}})"), "it was accepted");
}

TEST(Coverage, a_file_that_is_not_there_is_bad_input) {
  EXPECT_THROW(static_cast<void>(read_coverage("/nowhere/at/all")), InputError);
}

}  // namespace
}  // namespace pmufab::coverage
