// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/html/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/run/html/parts.h"

namespace pmufab::scenario {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Check = CounterResult::Check;
using Status = RunResult::Status;

/// How often a text stands in another.
std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++number;
  return number;
}

CounterResult page_counter(const std::string& event, std::uint64_t driver, std::uint64_t expected) {
  CounterResult counter;
  counter.event = event;
  counter.driver = driver;
  counter.expected = expected;
  counter.check = driver == expected ? Check::exact : Check::wrong;
  return counter;
}

/// A run with one measure from 1 us to 5 us.
RunResult page_run(const std::string& name, Status status, std::vector<CounterResult> counters) {
  RunResult run;
  run.scenario = name;
  run.platform = "small";
  run.drivers = "7.3.4";
  run.seed = 7;
  run.status = status;
  run.simulated_time = 6'000'000;
  MeasureResult measure;
  measure.name = "m";
  measure.start = 1'000'000;
  measure.stop = 5'000'000;
  measure.counters = std::move(counters);
  run.measures.push_back(std::move(measure));
  return run;
}

std::string page_of(const std::vector<RunResult>& runs, HtmlReport::Room room = {}) {
  HtmlReport report("run", room);
  std::string body;
  for (const RunResult& run : runs) body += report.add({.result = run, .configuration = "name: s\n", .picture = {}});
  return report.head() + body + report.tail();
}

TEST(HtmlReportTest, one_page_says_what_ran_and_what_came_out) {
  RunResult good = page_run("good", Status::passed, {page_counter("reads", 5, 5)});
  good.driver_files.push_back({.file = "arm_cspmu.c", .sha256 = "abc123", .is_used = true, .pmus = {"p"}});
  const RunResult bad = page_run("bad", Status::failed, {page_counter("writes", 1'000, 88'007)});
  const std::string page = page_of({good, bad});
  EXPECT_THAT(page, AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("</html>\n"),
                          HasSubstr("<p class=\"outcome bad\">FAILED: 1 of 2 runs passed; 1 of 2 counters wrong</p>"),
                          HasSubstr("7.3.4: arm_cspmu.c, SHA-256 abc123"), HasSubstr("<dt>seeds</dt><dd>7</dd>"),
                          HasSubstr("<td class=\"number\">-87,007</td>"), HasSubstr("name: s\n")));
  EXPECT_EQ(occurrences(page, "<tbody data-verdict="), 2U);
  EXPECT_THAT(page, HasSubstr("<tbody data-verdict=\"failed\"><tr class=\"row\"><td class=\"number\" "
                              "data-value=\"2\">2</td><td class=\"verdict bad\">FAILED</td><td>bad</td>"));
  for (const char* const outside : {"src=", "href=", "http://", "https://", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
}

TEST(HtmlReportTest, the_outcome_of_one_run_is_that_of_the_run) {
  for (const Status status : {Status::passed, Status::not_judged, Status::failed, Status::expected_failure,
                              Status::interrupted, Status::timed_out, Status::bad_input, Status::crashed})
    EXPECT_THAT(page_of({page_run("s", status, {})}), HasSubstr(">" + std::string(headline(status)) + "</p>"));
}

TEST(HtmlReportTest, the_outcome_of_several_runs_is_the_gravest) {
  const auto outcome = [](std::vector<Status> statuses) {
    std::vector<RunResult> runs;
    for (const Status status : statuses) runs.push_back(page_run("s", status, {}));
    const std::string page = page_of(runs);
    const std::size_t begin = page.find('>', page.find("<p class=\"outcome ")) + 1;
    return page.substr(begin, page.find(':', begin) - begin);
  };
  EXPECT_EQ(outcome({Status::passed, Status::expected_failure}), "PASSED");
  EXPECT_EQ(outcome({Status::passed, Status::not_judged}), "NOT JUDGED") << "the exit code is 4";
  EXPECT_EQ(outcome({Status::not_judged, Status::not_judged}), "NOT JUDGED");
  EXPECT_EQ(outcome({Status::passed, Status::not_run}), "STOPPED");
  EXPECT_EQ(outcome({Status::failed, Status::not_run}), "FAILED");
  EXPECT_EQ(outcome({Status::timed_out, Status::passed}), "FAILED");
  EXPECT_EQ(outcome({Status::failed, Status::crashed, Status::passed}), "CRASHED");
}

TEST(HtmlReportTest, whatever_a_file_says_is_text) {
  const std::string hostile = "<script>alert(1)</script>\x1b[2J\u202e\"'&\xff";
  RunResult run = page_run(hostile, Status::failed, {page_counter(hostile, 1, 2)});
  run.variant = run.platform = run.drivers = run.message = run.expected_reason = hostile;
  run.driver_files.push_back({.file = hostile, .sha256 = hostile, .pmus = {hostile}});
  run.measures[0].name = run.measures[0].counters[0].note = hostile;
  run.measures[0].checks.push_back({hostile, false, hostile});
  run.measures[0].derived.push_back({hostile, 1, hostile, {}, true});
  run.checks = {{hostile, false, hostile}, {hostile, true, hostile}};
  run.actions = run.findings = run.kernel_log = {hostile};
  run.traffic.push_back({{"name", hostile}});
  HtmlReport report("run");
  report.notice(hostile);
  report.outcome(Status::failed, hostile);
  report.section(hostile, "");
  report.failures({{hostile, 1, hostile, hostile, hostile, hostile}});
  const std::string row = report.add({.result = run, .configuration = hostile, .picture = {}});
  const std::string page = report.head() + row + report.tail();
  EXPECT_EQ(occurrences(page, "<script>"), 1U) << "the page's own";
  EXPECT_GT(occurrences(page, "&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[2J\\xe2\\x80\\xae&quot;&#39;&amp;\\xff"),
            25U);
  for (const char* const raw : {"\x1b", "\u202e", "\xff"}) EXPECT_THAT(page, Not(HasSubstr(raw)));
}

TEST(HtmlReportTest, failed_checks_come_first) {
  RunResult run = page_run("s", Status::failed, {});
  run.checks = {{"quiet", true, "all is quiet"}, {"released", false, "one is missing"}};
  const std::string page = page_of({run});
  EXPECT_LT(page.find("one is missing"), page.find("all is quiet"));
  EXPECT_THAT(page, HasSubstr("<td class=\"check bad\">✗ failed</td><td>released</td>"));
}

TEST(HtmlReportTest, what_was_cut_short_is_marked) {
  RunResult cut = page_run("s", Status::interrupted, {page_counter("reads", 5, 5)});
  cut.partial = cut.measures[0].partial = true;
  RunResult never = page_run("t", Status::not_run, {});
  const std::string page = page_of({cut, never});
  EXPECT_THAT(page, AllOf(HasSubstr("These results are partial: 1 run cut short, 1 not begun."),
                          HasSubstr("STOPPED (partial)"), HasSubstr("(partial: cut short)"),
                          HasSubstr("These results are partial: the scenario was not run to its end.")));
  EXPECT_THAT(page_of({page_run("s", Status::passed, {})}), Not(HasSubstr("partial:")));
}

TEST(HtmlReportTest, equal_runs_give_equal_bytes) {
  const RunResult run = page_run("s", Status::failed, {page_counter("reads", 5, 6)});
  EXPECT_EQ(page_of({run, run}), page_of({run, run}));
}

TEST(HtmlReportTest, a_run_takes_no_more_room_than_it_has) {
  std::vector<CounterResult> counters;
  for (int i = 0; i < 20'000; ++i)
    counters.push_back(page_counter("event" + std::to_string(i), 5, i == 19'999 ? 6 : 5));
  RunResult run = page_run("s", Status::failed, std::move(counters));
  run.kernel_log.assign(100'000, "<6>a line");
  run.message = std::string(1'000'000, 'm');
  const std::string details = run_details({.result = run}, 100'000, false);
  EXPECT_LT(details.size(), 101'000U);
  EXPECT_THAT(details, AllOf(HasSubstr("event0<"), HasSubstr("event19999<"), HasSubstr("(1,000,000 bytes in all)"),
                             HasSubstr(" kernel log lines. A run has room for 97 KiB")))
      << "what is wrong is taken before what is right";
}

TEST(HtmlReportTest, a_page_of_many_runs_stays_below_its_bound_and_says_what_is_missing) {
  const RunResult good = page_run("good", Status::passed, {page_counter("reads", 5, 5)});
  const RunResult bad = page_run("bad", Status::failed, {page_counter("reads", 5, 6)});
  HtmlReport report("run", {.run = 4'000, .page = 120'000});
  std::string body;
  for (int i = 0; i < 1'000; ++i) body += report.add({.result = i < 990 ? good : bad});
  report.section("large", std::string(200'000, 'x'));
  const std::string page = report.head() + body + report.tail();
  EXPECT_LT(page.size(), 120'000U);
  EXPECT_EQ(occurrences(page, "<tbody data-verdict=\"failed\">"), 10U) << "good runs leave room for others";
  EXPECT_EQ(occurrences(page, "<code>reads</code>"), occurrences(page, "<details")) << "details are whole or not there";
  const std::size_t rows = occurrences(page, "<tbody data-verdict=");
  EXPECT_THAT(page, AllOf(HasSubstr("Left out: " + std::to_string(1'000 - rows) + " runs, and the details of "),
                          HasSubstr("Totals are those of all runs."), HasSubstr("990 of 1,000 runs passed"),
                          HasSubstr("Left out: there is no room for it on this page.")));
}

TEST(HtmlReportTest, failures_that_do_not_fit_are_counted_row_by_row) {
  HtmlReport report("verify", {.run = 4'000, .page = 40'000});
  std::vector<HtmlFailure> failures;
  for (int i = 0; i < 300; ++i)
    failures.push_back({.kind = "kind" + std::to_string(i),
                        .cases = 1,
                        .first = "case",
                        .text = "it is wrong",
                        .file = "small.yaml",
                        .scenario = i == 1 ? std::string(20'000, 's') : "name: small"});
  report.failures(failures);
  report.section("coverage", "so much was met");
  const std::string page = report.head() + report.tail();
  EXPECT_LT(page.size(), 40'000U);
  const std::size_t rows = occurrences(page, "it is wrong");
  EXPECT_GT(rows, 20U);
  EXPECT_THAT(page, AllOf(HasSubstr(">kind0<"), HasSubstr(">kind1<"), HasSubstr(">kind2<"), Not(HasSubstr("ssssss"))));
  EXPECT_THAT(page, HasSubstr("Left out: " + std::to_string(300 - rows) + " kinds, and the smallest scenarios of "));
}

TEST(HtmlReportTest, names_of_many_runs_are_bounded) {
  HtmlReport report("run");
  for (int i = 0; i < 500; ++i) {
    RunResult run = page_run("s", Status::passed, {});
    run.platform = std::string(5'000, 'p') + std::to_string(i);
    run.seed = static_cast<std::uint64_t>(i);
    static_cast<void>(report.add({.result = run}));
  }
  EXPECT_LT(report.head().size(), 60'000U);
  EXPECT_THAT(report.head(), HasSubstr("<summary>more than 100</summary>"));
}

TEST(HtmlReportTest, a_counter_without_both_counts_has_no_difference) {
  CounterResult refused = page_counter("reads", 1, 2);
  refused.check = Check::not_opened;
  refused.driver.reset();
  CounterResult unknown = page_counter("writes", 3, 3);
  unknown.check = Check::unchecked;
  unknown.expected.reset();
  const std::string details =
      run_details({.result = page_run("s", Status::failed, {refused, unknown})}, 1 << 20, false);
  EXPECT_THAT(details,
              AllOf(HasSubstr("<td class=\"number\">–</td><td class=\"number\">2</td><td class=\"number\">–</td>"
                              "<td class=\"number\">–</td><td class=\"check bad\">✗ not opened</td>"),
                    HasSubstr("<td class=\"number\">3</td><td class=\"number\">–</td><td class=\"number\">–</td>"
                              "<td class=\"number\">–</td><td class=\"check open\">- not judged</td>")));
}

TEST(HtmlReportTest, a_counter_has_what_happened_and_what_was_lost) {
  CounterResult blind = page_counter("reads", 115'495, 115'495);
  blind.account = scoreboard::Account{200'008, 115'495, {}};
  blind.account->loss[scoreboard::LossCause::handler] = 84'513;
  const std::string details = run_details({.result = page_run("s", Status::passed, {blind})}, 1 << 20, false);
  EXPECT_THAT(details, AllOf(HasSubstr("<td class=\"number\">0</td><td class=\"number\">200,008</td>"),
                             HasSubstr("<span class=\"soft\">lost: 84,513 handler</span>")));
}

class TimeLine : public ::testing::Test {
 protected:
  /// Readings at 2, 3 and 4 us.
  static MeasureResult read_on_the_way(std::vector<std::optional<std::uint64_t>> increases) {
    MeasureResult measure = page_run("s", Status::failed, {page_counter("reads", 400, 800)}).measures[0];
    Picoseconds time = 2'000'000;
    for (const auto& increase : increases) {
      measure.intervals.push_back({time, {{increase, 0, 0}}});
      time += 1'000'000;
    }
    return measure;
  }
};

// From 1 us at the left (12) to 5 us at the right (708); 0 at the bottom (142), 800, the largest value, at the top (22).
TEST_F(TimeLine, shows_the_sum_of_the_readings_and_both_counts_at_the_end) {
  const std::string picture = time_line(read_on_the_way({100, 100, 200}), 0);
  EXPECT_THAT(picture, AllOf(HasSubstr("d=\"M12.0 142.0L186.0 127.0L360.0 112.0L534.0 82.0\""),
                             HasSubstr("cy=\"82.0\" r=\"3.5\"><title>driver: 400</title>"),
                             HasSubstr("cy=\"22.0\" r=\"6\"><title>scoreboard: 800</title>"),
                             HasSubstr("what 3 readings of the driver add up to.")));
}

TEST_F(TimeLine, has_a_gap_where_a_reading_failed) {
  EXPECT_THAT(time_line(read_on_the_way({100, std::nullopt, 200}), 0),
              HasSubstr("d=\"M12.0 142.0L186.0 127.0M534.0 97.0\""));
}

TEST_F(TimeLine, shows_impossible_readings_with_what_was_possible) {
  MeasureResult measure = read_on_the_way({});
  measure.counters[0].reads = 20;
  measure.counters[0].reads_failed = 9;
  measure.counters[0].failed_reads = {{3'000'000, 0, 200, 400}};
  const std::string picture = time_line(measure, 0);
  EXPECT_THAT(picture,
              AllOf(HasSubstr("3.000 us: 0 was read, 200 ... 400 was possible"),
                    HasSubstr("x1=\"360.0\" y1=\"112.0\" x2=\"360.0\" y2=\"82.0\""),
                    HasSubstr("cx=\"360.0\" cy=\"142.0\""), HasSubstr("the first 1 of 9"), Not(HasSubstr("<path"))));
}

TEST_F(TimeLine, is_not_there_if_nothing_was_read_on_the_way) { EXPECT_EQ(time_line(read_on_the_way({}), 0), ""); }

TEST_F(TimeLine, of_many_readings_is_no_larger) {
  const std::string picture = time_line(read_on_the_way(std::vector<std::optional<std::uint64_t>>(100'000, 1)), 0);
  EXPECT_LT(picture.size(), 10'000U);
  EXPECT_THAT(picture, HasSubstr("100,000 readings of the driver add up to (399 are drawn)"));
}

const Parts::Gap kGap = {"<", ">"};

TEST(PartsTest, take_what_is_important_first_and_leave_no_gaps) {
  Parts parts;
  parts.begin("(", ")", "line", kGap);
  for (const char* const text : {"aaaa", "bb", "c"}) parts.add(text, Parts::Importance::lengthy);
  parts.begin("[", "]", "counter", kGap);
  parts.add("good", Parts::Importance::usual);
  parts.add("wrong", Parts::Importance::failed);
  EXPECT_EQ(parts.take(1'000), "(aaaabbc)[goodwrong]");
}

TEST(PartsTest, say_what_they_leave_out_and_mark_where) {
  Parts parts;
  parts.begin("(", ")", "line", kGap);
  const std::string line(100, 'a');
  for (const char* const end : {"1", "2", "3"}) parts.add(line + end, Parts::Importance::lengthy);
  parts.begin("[", "]", "counter", kGap);
  parts.add("first", Parts::Importance::failed);
  for (int i = 0; i < 12; ++i) parts.add(line, Parts::Importance::usual);
  parts.add("wrong", Parts::Importance::failed);
  parts.add(line, Parts::Importance::usual);
  constexpr std::size_t kRoom = 600;
  const std::string text = parts.take(kRoom);
  EXPECT_THAT(text, AllOf(HasSubstr("Left out: 3 lines, "), HasSubstr("[first" + line)));
  EXPECT_THAT(text, ::testing::ContainsRegex("aaa<… [0-9]+ counters left out>wrong<… 1 counter left out>\\]$"));
  EXPECT_LE(text.substr(text.find('[')).size(), kRoom);
  EXPECT_EQ(text.find("(a"), std::string::npos) << "a part without items is not there";
}

}  // namespace
}  // namespace pmufab::scenario
