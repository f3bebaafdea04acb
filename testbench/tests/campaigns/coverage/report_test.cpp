// SPDX-License-Identifier: Apache-2.0
// What a report says: what was never met, what cannot be reached, and how much it is.
#include "testbench/campaigns/coverage/report.h"

#include <gmock/gmock.h>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::coverage {
namespace {

using scenario::InputError;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kExclusion = "toy_* | event | *_from_mars | nobody lives there\n";

/// Four events, of which two are met, and one cannot happen.
Coverage some() {
  Coverage coverage;
  coverage.count_run();
  for (const char* const event : {"reads", "reads_from_mars", "snoops", "writes"})
    coverage.declare("toy_*", "event", event);
  coverage.meet("toy_*", "event", "reads");
  coverage.meet("toy_*", "event", "writes");
  return coverage;
}

TEST(CoverageReport, names_what_was_never_met) {
  const Report report = make_report(some(), Exclusions(kExclusion, "list"));
  ASSERT_EQ(report.kinds.size(), 1U);
  ASSERT_EQ(report.kinds[0].points.size(), 1U);
  EXPECT_THAT(report.kinds[0].points[0].missing, ElementsAre("snoops"));
  EXPECT_EQ(report.tally.met, 2U);
  EXPECT_EQ(report.tally.reachable, 3U);
  EXPECT_EQ(report.tally.excluded, 1U);
  EXPECT_THAT(text_report(report, 0), AllOf(HasSubstr("toy_*: 2 of 3 bins met (66.66 %), 1 excluded"),
                                            HasSubstr("never met: snoops"), Not(HasSubstr("from_mars"))));
  const Json json = json_report(report);
  EXPECT_EQ(json.at("kinds")[0].at("points")[0].at("never_met"), Json::array({"snoops"}));
  EXPECT_EQ(json.at("kinds")[0].at("points")[0].at("not_reachable")[0].at("reason"), "nobody lives there");
}

TEST(CoverageReport, shortens_long_lists_and_says_so) {
  Coverage coverage;
  for (int i = 10; i < 30; ++i) coverage.declare("toy_*", "event", "event" + std::to_string(i));
  const Report report = make_report(coverage, {});
  EXPECT_THAT(text_report(report, 3), AllOf(HasSubstr("event12, and 17 more"), Not(HasSubstr("event13"))));
  EXPECT_THAT(text_report(report, 0), AllOf(HasSubstr("event29"), Not(HasSubstr("more"))));
}

TEST(CoverageReport, an_excluded_bin_that_was_met_is_a_mistake) {
  Coverage coverage = some();
  const Exclusions exclusions(kExclusion, "list");
  EXPECT_THAT(make_report(coverage, exclusions).wrong_exclusions(), IsEmpty());
  coverage.meet("toy_*", "event", "reads_from_mars");
  EXPECT_THAT(make_report(coverage, exclusions).wrong_exclusions(),
              ElementsAre("toy_*: event: reads_from_mars (nobody lives there)"));
}

TEST(CoverageReport, percentages_are_never_rounded_up) {
  const Tally almost{.met = 99'999, .reachable = 100'000, .excluded = 0};
  EXPECT_EQ(almost.percent(), "99.99 %");
  EXPECT_TRUE(almost.has(99'99));
  EXPECT_FALSE(almost.has(100'00));
  EXPECT_TRUE((Tally{.met = 3, .reachable = 3, .excluded = 0}).has(100'00));
  EXPECT_FALSE(Tally{}.has(0)) << "where there is nothing to meet, nothing was met";
}

TEST(CoverageReport, events_that_nothing_causes_are_excluded_with_the_models_reason) {
  Coverage coverage = some();
  coverage.declare_uncaused("toy_*", "stalls", "no model has them");
  const Report report = make_report(coverage, {});
  EXPECT_EQ(report.tally.reachable, 4U);
  EXPECT_EQ(report.tally.excluded, 1U);
  EXPECT_EQ(report.kinds[0].points.back().excluded[0].reason, "no model has them");
}

TEST(CoverageReport, one_page_of_html_needs_no_other_file) {
  const std::string page = html_report(make_report(some(), Exclusions(kExclusion, "list")));
  EXPECT_THAT(page, AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("</html>"), HasSubstr("<li>snoops</li>"),
                          HasSubstr("reads_from_mars: nobody lives there")));
  for (const char* const outside : {"src=", "href=", "http", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
}

TEST(CoverageReport, names_with_markup_are_text_in_html) {
  Coverage coverage;
  coverage.declare("<b>&toy\"", "<i>", "<script>alert('x')</script>");
  coverage.declare("<b>&toy\"", "<i>", "<u>");
  const std::string page = html_report(make_report(coverage, Exclusions("* | * | <u> | <s>struck</s>", "list")));
  for (const char* const tag : {"<b>&", "<i>", "<script>", "<u>", "<s>"}) EXPECT_THAT(page, Not(HasSubstr(tag)));
  EXPECT_THAT(page, AllOf(HasSubstr("&lt;b&gt;&amp;toy&quot;"), HasSubstr("&lt;i&gt;"),
                          HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"),
                          HasSubstr("&lt;u&gt;: &lt;s&gt;struck&lt;/s&gt;")));
}

TEST(CoverageExclusions, stars_stand_for_any_characters) {
  const Exclusions exclusions("a*c | *x* | *  | it is so\n# a comment\n\nb | p | q | because | of this\n", "list");
  ASSERT_NE(exclusions.find("abbc", "event x use", "anything"), nullptr);
  EXPECT_EQ(exclusions.find("ac", "x", "")->reason, "it is so");
  EXPECT_EQ(exclusions.find("abcd", "x", ""), nullptr);
  EXPECT_EQ(exclusions.find("ac", "event", ""), nullptr);
  EXPECT_EQ(exclusions.find("b", "p", "q")->reason, "because | of this");
  EXPECT_EQ(exclusions.find("bb", "p", "q"), nullptr);
}

TEST(CoverageExclusions, need_a_reason) {
  for (const char* const line : {"a | b | c", "a | b | c |  ", "a | b", " | b | c | d"}) {
    EXPECT_THROW(Exclusions(line, "list"), InputError) << line;
  }
  EXPECT_THROW(Exclusions("a | b | c | d\na | b | c | e\n", "list"), InputError);
  try {
    Exclusions("\na | b | c\n", "list");
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("list:2:1: a bin is not excluded without a reason"));
  }
}

}  // namespace
}  // namespace pmufab::coverage
