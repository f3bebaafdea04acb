// SPDX-License-Identifier: Apache-2.0
// The verdict on a count: one case for each rule of judge().
#include "testbench/perf/verdict.h"

#include <string>

#include <gmock/gmock.h>

#include "testbench/perf/verdict_json.h"

namespace pmufab::perf {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr Picoseconds kSecond = 1'000'000'000'000;

Count counted(std::uint64_t value) { return {.value = value, .turns = {kSecond, kSecond}}; }

Expected between(std::uint64_t low, std::uint64_t high) {
  Expected expected;
  expected.low = low;
  expected.high = high;
  return expected;
}

void expect(const Judgement& judgement, Check check, const std::string& note) {
  EXPECT_EQ(to_string(judgement.check), to_string(check));
  EXPECT_EQ(judgement.note, note);
}

TEST(Judge, says_exact_of_a_count_that_is_equal_to_the_scoreboards) {
  expect(judge(counted(7), between(7, 7)), Check::exact, "");
  expect(judge(counted(0), between(0, 0)), Check::exact, "");
}

TEST(Judge, says_wrong_of_a_count_that_is_off_by_one_and_tells_what_is_known_of_it) {
  Expected expected = between(7, 7);
  expected.explanation = "1 too few";
  expect(judge(counted(6), expected), Check::wrong, "1 too few");
  expect(judge(counted(8), expected), Check::wrong, "1 too few");
  expect(judge(counted(7), expected), Check::exact, "");  // no explanation is needed
}

TEST(Judge, says_about_between_bounds_and_wrong_beyond_them) {
  for (const std::uint64_t value : {4U, 5U, 6U}) expect(judge(counted(value), between(4, 6)), Check::within, "");
  for (const std::uint64_t value : {3U, 7U}) EXPECT_EQ(judge(counted(value), between(4, 6)).check, Check::wrong);
  EXPECT_EQ(mark_of(Check::within, false), "about");
}

TEST(Judge, compares_raw_counts_of_events_that_share_counters) {
  const Count count{.value = 7, .turns = {kSecond, kSecond * 2 / 5}};
  expect(judge(count, between(7, 7)), Check::exact, "had a counter 40 % of the time");
  EXPECT_EQ(judge(count, between(8, 8)).check, Check::wrong);
}

TEST(Judge, says_nothing_of_the_little_time_that_register_accesses_take) {
  EXPECT_THAT(judge({.value = 7, .turns = {1000, 900}}, between(7, 7)).note, IsEmpty());
  EXPECT_THAT(judge({.value = 7, .turns = {1000, 899}}, between(7, 7)).note, HasSubstr("90 % of the time"));
}

TEST(Judge, does_not_compare_what_perf_has_scaled) {
  Count count = counted(7);
  count.is_estimate = true;
  for (const std::uint64_t expected : {7U, 8U})
    expect(judge(count, between(expected, expected)), Check::unchecked,
           "an estimate: the event had a counter for part of the time only");
}

TEST(Judge, does_not_check_an_event_that_never_had_a_counter) {
  const Count count{.value = 0, .turns = {kSecond, 0}};
  expect(judge(count, between(0, 0)), Check::unchecked,
         "not counted: never had a counter (events take turns of 4 ms: count for about 30 ms; a group needs all its "
         "counters at "
         "once)");
  // Without a value the reason is printed only once.
  Count none = count;
  none.value.reset();
  EXPECT_EQ(judge(none, between(0, 0)).note, judge(count, between(0, 0)).note);
  Expected wanted = between(0, 0);
  wanted.is_nonzero = true;
  EXPECT_EQ(judge(count, wanted).check, Check::wrong) << "somebody asked for a count";
  Count impossible = count;
  impossible.value = 1;
  EXPECT_EQ(judge(impossible, between(0, 0)).check, Check::wrong);
  // An event that was not to count misses nothing.
  expect(judge({.value = 0, .turns = {0, 0}}, between(0, 0)), Check::exact, "");
}

TEST(Judge, blames_the_driver_and_not_the_turns_for_a_refusal_without_need) {
  Expected refused = between(0, 0);
  refused.refusal = "its driver answered ENOSPC with 1 of 8 counters used";
  expect(judge({.value = 0, .turns = {kSecond, 0}}, refused), Check::wrong, refused.refusal);
  EXPECT_EQ(judge({.value = 0, .turns = {kSecond, kSecond}}, refused).check, Check::wrong) << "it waited without need";
}

TEST(Judge, tells_the_turns_there_are) {
  const Count count{.value = 0, .turns = {kSecond, 0}, .rotation = 40'000'000};
  EXPECT_THAT(judge(count, between(0, 0)).note, HasSubstr("take turns of 40 us: count for about 300 us"));
}

TEST(Judge, says_wrong_of_a_count_that_could_not_be_read) {
  expect(judge({}, between(7, 7)), Check::wrong, "could not be read");
  expect(judge({.read_error = "EIO (Input/output error)"}, between(7, 7)), Check::wrong,
         "could not be read: EIO (Input/output error)");
  expect(judge({.read_error = "EIO (Input/output error)"}, not_judged("unknown term")), Check::unchecked,
         "not judged: unknown term; could not be read: EIO (Input/output error)");
}

TEST(Judge, does_not_blame_intervals_for_what_came_after_the_last_one) {
  Count sum = counted(6);
  sum.is_cut_short = true;
  expect(judge(sum, between(7, 9)), Check::unchecked, "perf -I does not print the counts after the last interval");
  sum.value = 7;
  EXPECT_EQ(judge(sum, between(7, 7)).check, Check::exact);
  sum.value = 10;
  EXPECT_EQ(judge(sum, between(7, 9)).check, Check::wrong) << "more than there was";
  EXPECT_EQ(judge(counted(6), between(7, 9)).check, Check::wrong) << "not of intervals";
}

TEST(Judge, does_not_compare_where_there_is_a_doubt_unless_the_count_is_right) {
  Expected expected = between(7, 7);
  expected.doubt = "another perf ran";
  expect(judge(counted(6), expected), Check::unchecked, "another perf ran");
  expect(judge(counted(8), expected), Check::unchecked, "another perf ran");
  expect(judge(counted(7), expected), Check::exact, "");
}

TEST(Judge, says_why_nobody_judges) {
  expect(judge(counted(7), not_judged("")), Check::unchecked, "the scoreboard does not judge this PMU");
  expect(judge(counted(7), not_judged(kNobodyJudges)), Check::unchecked, "the scoreboard does not judge this PMU");
  expect(judge(counted(7), not_judged("unknown term")), Check::unchecked, "not judged: unknown term");
  expect(judge({.value = 7, .turns = {kSecond, kSecond / 2}}, not_judged("unknown term")), Check::unchecked,
         "not judged: unknown term; had a counter 50 % of the time");
}

TEST(Judge, compares_nothing_where_that_is_not_wanted_or_nobody_knows_which_count_it_is) {
  Expected expected = between(7, 7);
  expected.is_compared = false;
  expect(judge(counted(6), expected), Check::unchecked, "");
  Count count = counted(6);
  count.unknown = "which one it is cannot be told";
  expect(judge(count, between(7, 7)), Check::unchecked, "which one it is cannot be told");
}

TEST(Judge, says_wrong_of_a_right_count_after_an_impossible_reading) {
  Expected expected = between(7, 7);
  expected.reads = 5;
  expect(judge(counted(7), expected), Check::exact, "");
  expected.reads_failed = 2;
  expected.explanation = "as if it were late";
  expect(judge(counted(7), expected), Check::wrong, "2 of 5 readings were impossible; as if it were late");
  scoreboard::EventResult judged;
  judged.reads = 3;
  judged.reads_failed = 1;
  judged.failed_reads = {{.begin = 11'400'000,
                          .end = 11'500'000,
                          .value = 0,
                          .low = 5,
                          .high = 4096,
                          .sampled = false,
                          .possible = false,
                          .monotonic = true}};
  expect(judge(counted(0), expected_of(judged, 400'000)), Check::wrong,
         "1 of 3 readings was impossible: that at 11 us was 0 instead of 5 ... 4,096");
  judged.failed_reads[0].possible = true;
  judged.failed_reads[0].monotonic = false;
  EXPECT_EQ(expected_of(judged).first_failed,
            "that at 11400 ns was 0 instead of at least as much as the one before it");
}

TEST(Judge, says_wrong_of_a_right_count_if_the_driver_was_wrong_before) {
  Expected expected = between(7, 7);
  expected.is_right = false;
  expected.summary = "mismatch";
  expect(judge(counted(7), expected), Check::wrong, "mismatch");
  expected.explanation = "it stopped late";
  expect(judge(counted(7), expected), Check::wrong, "it stopped late");
}

TEST(Judge, says_wrong_of_nothing_where_the_traffic_was_meant_to_cause_something) {
  Expected expected = between(0, 0);
  expected.is_nonzero = true;
  expect(judge(counted(0), expected), Check::wrong, "0, and the scenario says 'nonzero'");
  expected = between(1, 1);
  expected.is_nonzero = true;
  expect(judge(counted(1), expected), Check::exact, "");
}

TEST(Judge, adds_the_scoreboards_remark_to_any_compared_count) {
  Expected expected = between(0, 0);
  expected.remark = "this PMU has no such event";
  expect(judge(counted(0), expected), Check::exact, "this PMU has no such event");
  expect(judge(counted(1), expected), Check::wrong, "this PMU has no such event");
}

TEST(Expected, of_an_event_the_scoreboard_judged_is_right_only_if_all_was_exact) {
  using Match = scoreboard::EventResult::Match;
  scoreboard::EventResult judged;
  judged.expected = 7;
  for (const Match match : {Match::exact, Match::within, Match::mismatch, Match::not_counted}) {
    judged.match = match;
    EXPECT_EQ(judge(counted(7), expected_of(judged)).check, match == Match::exact ? Check::exact : Check::wrong);
  }
  judged.match = Match::not_counted;
  EXPECT_EQ(judge(counted(7), expected_of(judged)).note, "not counted");
}

TEST(Verdict, as_json_comes_back_as_it_was) {
  Verdict verdict = verdict_on("p/x/", counted(7), between(6, 8));
  EXPECT_EQ(to_json(verdict, "guest").dump(),
            R"({"event":"p/x/","guest":7,"low":6,"high":8,"check":"within","note":""})");
  EXPECT_EQ(verdict_from_json(to_json(verdict, "guest"), "guest").high, 8U);
  verdict = verdict_on("p/x/", counted(7), between(7, 7));
  verdict.opening = {"p", 3, 10, 20, {9, 8}, 2};
  const std::string text = to_json(verdict, "driver").dump();
  EXPECT_EQ(text,
            R"({"event":"p/x/","pmu":"p","cpu":3,"driver":7,"expected":7,"check":"exact","note":"","opened_ps":10,)"
            R"("closed_ps":20,"time_enabled_ps":9,"time_running_ps":8,"reads":2})");
  EXPECT_EQ(to_json(verdict_from_json(to_json(verdict, "driver"), "driver"), "driver").dump(), text);
  verdict.account = scoreboard::Account{9, 7, {}};
  verdict.account->loss[scoreboard::LossCause::handler] = 2;
  EXPECT_EQ(verdict_from_json(to_json(verdict, "driver"), "driver").account, verdict.account);
  EXPECT_THAT(to_json(verdict_on("p/x/", {}, not_judged("why")), "guest").dump(),
              AllOf(Not(HasSubstr("guest")), Not(HasSubstr("low")), HasSubstr("unchecked")));
}

TEST(Check, has_one_word_that_leads_back_to_it) {
  for (const Check check :
       {Check::exact, Check::within, Check::wrong, Check::not_opened, Check::refused, Check::unchecked})
    EXPECT_EQ(check_called(to_string(check)), check);
  EXPECT_EQ(check_called("anything"), Check::unchecked);
}

}  // namespace
}  // namespace pmufab::perf
