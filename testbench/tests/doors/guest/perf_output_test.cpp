// SPDX-License-Identifier: Apache-2.0
// Pairs the events perf is asked to count in a guest with the counts it prints.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testbench/doors/guest/perf/perf_arguments.h"
#include "testbench/doors/guest/perf/perf_output.h"

namespace pmufab::guest {
namespace {

using Words = std::vector<std::string>;
using perf::Check;
using perf::Verdict;

std::vector<PrintedCount> counts_in(const std::string& text) { return read_perf_output(text).counts; }

TEST(PerfArguments, name_the_events_of_perf_stat) {
  EXPECT_EQ(parse_perf_stat({"stat", "-a", "-e", "a/x/,b/y/", "sleep", "1"})->events, Words{"a/x/,b/y/"});
  EXPECT_EQ(parse_perf_stat({"stat", "-ae", "a/x/", "--event=b/y/", "--event", "c/z/", "-ed/w/"})->events,
            (Words{"a/x/", "b/y/", "c/z/", "d/w/"}));
  EXPECT_EQ(parse_perf_stat({"--no-pager", "-v", "stat", "-e", "a/x/"})->events, Words{"a/x/"});
}

TEST(PerfArguments, name_the_metrics_of_perf_stat) {
  const PerfStat stat = *parse_perf_stat(
      {"stat", "-e", "a/x/", "-M", "slc_miss_rate,cmn", "-aMone", "--metrics=two", "--metrics", "three", "sleep", "1"});
  EXPECT_EQ(stat.events, Words{"a/x/"});
  EXPECT_EQ(stat.metrics, (Words{"slc_miss_rate", "cmn", "one", "two", "three"}));
}

TEST(PerfArguments, end_where_the_command_begins) {
  EXPECT_EQ(parse_perf_stat({"stat", "-I", "100", "-x", ",", "-e", "a/x/", "sh", "-e", "no"})->events, Words{"a/x/"});
  EXPECT_EQ(parse_perf_stat({"stat", "--interval-print", "100", "-j", "-e", "a/x/", "--", "-e", "no"})->events,
            Words{"a/x/"});
  EXPECT_EQ(parse_perf_stat({"stat", "-n", "-e", "a/x/"})->events, Words{"a/x/"}) << "-n takes no value";
}

TEST(PerfArguments, tell_where_and_how_rows_are_printed) {
  EXPECT_TRUE(parse_perf_stat({"stat", "-a", "-e", "a/A/", "sleep", "-A"})->merges);
  for (const Words& words : {Words{"stat", "-A", "-e", "a/x/"}, Words{"stat", "-aAe", "a/x/"},
                             Words{"stat", "--no-aggr", "-e", "a/x/"}, Words{"stat", "-e", "a/x/", "--no-merge"}})
    EXPECT_FALSE(parse_perf_stat(words)->merges);
  for (const Words& words : {Words{"stat", "-o", "file", "x"}, Words{"stat", "-ofile"}, Words{"stat", "-ao", "file"},
                             Words{"stat", "--output=file"}, Words{"stat", "--output", "file", "x", "-o", "other"}})
    EXPECT_EQ(parse_perf_stat(words)->output, "file");
  EXPECT_EQ(parse_perf_stat({"stat", "-o", "file", "--append"})->output, "") << "it has more";
}

TEST(PerfArguments, tell_when_a_mean_is_printed) {
  EXPECT_FALSE(parse_perf_stat({"stat", "-e", "a/x/"})->repeats);
  for (const Words& words : {Words{"stat", "-r", "3", "-e", "a/x/"}, Words{"stat", "--repeat=3", "-e", "a/x/"},
                             Words{"stat", "--repeat", "3", "-e", "a/x/"}, Words{"stat", "-r3", "-e", "a/x/"}}) {
    EXPECT_TRUE(parse_perf_stat(words)->repeats);
    EXPECT_EQ(parse_perf_stat(words)->events, Words{"a/x/"});
  }
}

TEST(PerfArguments, of_other_commands_are_none_of_ours) {
  EXPECT_FALSE(parse_perf_stat({}).has_value());
  EXPECT_FALSE(parse_perf_stat({"list"}).has_value());
  EXPECT_FALSE(parse_perf_stat({"--version"}).has_value());
  EXPECT_FALSE(parse_perf_stat({"record", "stat", "-e", "a/x/"}).has_value());
}

TEST(PerfOutput, of_the_table_has_counts) {
  const auto counts = counts_in(
      "something else: 12 a/b\n"
      " Performance counter stats for 'system wide':\n\n"
      "         1,234,567      nvidia_ucf_pmu_0/event=0x111,src_loc_cpu=0x1/                                  \r\n"
      "     <not counted>      arm_cmn_0/dtc_cycles/\n"
      "                 0      cxl_pmu_mem0.0/m2s_req_memrd/                           (50.00%)\n"
      "                 7      p_0/x/                           (100.00%)\n"
      "       1.000300000 seconds time elapsed\n");
  ASSERT_EQ(counts.size(), 4U);
  EXPECT_EQ(counts[0].event, "nvidia_ucf_pmu_0/event=0x111,src_loc_cpu=0x1/");
  EXPECT_EQ(counts[0].value, 1234567U);
  EXPECT_FALSE(counts[0].scaled);
  EXPECT_FALSE(counts[1].value.has_value());
  EXPECT_EQ(counts[2].value, 0U);
  EXPECT_TRUE(counts[2].scaled);
  EXPECT_FALSE(counts[3].scaled);
}

TEST(PerfOutput, of_intervals_separated_values_and_json_has_counts) {
  const auto counts = counts_in(
      "     0.100150000             1,000      p_0/x/\n"
      "1234,,p_0/x/,1000300,100.00,,\n"
      "0.100150000,77,,p_0/y/,1000300,50.00,,\n"
      "<not counted>,,p_0/z/,0,0.00,,\n"
      "{\"counter-value\" : \"5678.000000\", \"unit\" : \"\", \"event\" : \"p_0/w/\", \"pcnt-running\" : 100.00}\n"
      "{\"interval\" : 0.1, \"counter-value\" : \"9.000000\", \"event\" : \"p_0/w/\", \"pcnt-running\" : 40.0}\n"
      "{\"broken\n");
  ASSERT_EQ(counts.size(), 6U);
  EXPECT_EQ(counts[0].value, 1000U);
  EXPECT_EQ(counts[1].value, 1234U);
  EXPECT_FALSE(counts[1].scaled);
  EXPECT_EQ(counts[2].value, 77U);
  EXPECT_TRUE(counts[2].scaled);
  EXPECT_FALSE(counts[3].value.has_value());
  EXPECT_EQ(counts[4].value, 5678U);
  EXPECT_TRUE(counts[5].scaled);
}

ExpectedEvent expected(std::uint64_t low, std::uint64_t high, const std::string& doubt = {}) {
  return {"p/x/", low, high, {}, doubt};
}

Check check_of(const ExpectedEvent& event, const std::vector<PrintedCount>& printed) {
  return compare({{event}}, printed).at(0).check;
}

TEST(GuestVerdict, is_exact_where_the_bounds_agree_and_within_where_not) {
  EXPECT_EQ(check_of(expected(5, 5), {{"p/x/", 5}}), Check::exact);
  EXPECT_EQ(check_of(expected(4, 6), {{"p/x/", 5}}), Check::within);
  EXPECT_EQ(check_of(expected(5, 5), {{"p/x/", 4}}), Check::wrong);
  EXPECT_EQ(check_of(expected(4, 6), {{"p/x/", 7}}), Check::wrong);
  EXPECT_EQ(check_of(expected(5, 5), {{"p/x/", 2}, {"p/x/", 3}}), Check::exact) << "intervals";
}

TEST(GuestVerdict, is_none_of_what_nobody_can_know) {
  EXPECT_EQ(check_of(expected(5, 5), {}), Check::unchecked);
  EXPECT_EQ(check_of({"p/x/", {}, {}, "why"}, {{"p/x/", 5}}), Check::unchecked);
  EXPECT_EQ(check_of(expected(5, 5), {{"p/x/", 5, true}}), Check::unchecked) << "an estimate";
  EXPECT_EQ(check_of(expected(5, 5, "a doubt"), {{"p/x/", 4}}), Check::unchecked);
  EXPECT_EQ(compare({{expected(5, 5, "a doubt")}}, {{"p/x/", 4}}).at(0).note, "a doubt");
  EXPECT_EQ(check_of(expected(5, 5, "a doubt"), {{"p/x/", 5}}), Check::exact);
}

TEST(GuestVerdict, of_intervals_does_not_blame_them_for_what_came_after_the_last) {
  const auto printed = [](std::uint64_t last) {
    return std::vector<PrintedCount>{{"p/x/", 3, false, 0.1}, {"p/x/", last, false, 0.2}};
  };
  EXPECT_EQ(check_of(expected(5, 5), printed(2)), Check::exact);
  EXPECT_EQ(check_of(expected(5, 5), printed(1)), Check::unchecked);
  EXPECT_EQ(compare({{expected(5, 5)}}, printed(1)).at(0).note,
            "perf -I does not print the counts after the last interval");
  EXPECT_EQ(check_of(expected(5, 5), printed(3)), Check::wrong) << "more than there was";
}

TEST(GuestVerdict, is_wrong_if_perf_could_not_count_what_it_had_to) {
  EXPECT_EQ(check_of(expected(5, 5), {{"p/x/", std::nullopt}}), Check::wrong);
}

TEST(GuestVerdict, of_several_runs_takes_what_was_printed_in_order) {
  const std::vector<PrintedCount> printed{{"p/x/", 5}, {"p/x/", 7}};
  const auto verdicts = compare({{expected(5, 5)}, {expected(7, 7)}}, printed);
  EXPECT_EQ(verdicts.at(0).check, Check::exact);
  EXPECT_EQ(verdicts.at(1).check, Check::exact);
  const auto mixed = compare({{expected(5, 5)}, {expected(7, 7)}}, {{"p/x/", 5}, {"p/x/", 7}, {"p/x/", 1}});
  EXPECT_EQ(mixed.at(0).check, Check::unchecked);
  EXPECT_EQ(mixed.at(1).check, Check::unchecked);
}

TEST(PerfOutput, of_intervals_tells_their_times) {
  const auto counts = counts_in(
      "#           time             counts unit events\n"
      "     0.100150000             1,000      p_0/x/\n"
      "     0.200300000,77,,p_0/x/,1000300,100.00,,\n"
      "{\"interval\" : 0.300400001, \"counter-value\" : \"9.000000\", \"event\" : \"p_0/x/\"}\n"
      "             1,000      p_0/x/\n");
  ASSERT_EQ(counts.size(), 4U);
  EXPECT_EQ(counts[0].time, 0.10015);
  EXPECT_EQ(counts[1].time, 0.2003);
  EXPECT_EQ(counts[2].time, 0.300400001);
  EXPECT_FALSE(counts[3].time.has_value());
}

TEST(GuestVerdict, of_several_runs_with_intervals_takes_those_of_each) {
  const PrintedCount a{"p/x/", 2, false, 0.1};
  const PrintedCount b{"p/x/", 3, false, 0.2};
  const PrintedCount c{"p/x/", 7, false, 0.10001};
  const PrintedCount d{"p/x/", 11, false, 0.2};
  const std::vector<std::vector<ExpectedEvent>> two{{expected(5, 5)}, {expected(18, 18)}};
  const auto verdicts = compare(two, {a, b, c, d});
  EXPECT_EQ(verdicts.at(0).check, Check::exact);
  EXPECT_EQ(verdicts.at(0).count, 5U);
  EXPECT_EQ(verdicts.at(1).check, Check::exact);
  EXPECT_EQ(verdicts.at(1).count, 18U);
  // With a run without intervals between two others.
  const auto three = compare({{expected(5, 5)}, {expected(1, 1)}, {expected(18, 18)}}, {a, b, {"p/x/", 1}, c, d});
  for (const Verdict& verdict : three) EXPECT_EQ(verdict.check, Check::exact);
  // A wrong count is reported for its own run.
  const auto wrong = compare({{expected(5, 5)}, {expected(17, 17)}}, {a, b, c, d});
  EXPECT_EQ(wrong.at(0).check, Check::exact);
  EXPECT_EQ(wrong.at(1).check, Check::wrong);
}

TEST(GuestVerdict, of_intervals_with_a_summary_takes_the_intervals_only) {
  for (const char* const text :
       {"     0.500150000     2      p/x/\n"
        "     1.000300000     3      p/x/\n\n"
        " Performance counter stats for 'system wide':\n\n"
        "                     5      p/x/\n",
        "     0.500150000,2,,p/x/,1000300,100.00,,\n"
        "     1.000300000,3,,p/x/,1000300,100.00,,\n"
        "         summary,5,,p/x/,2000600,100.00,,\n",
        "0.500150000,2,,p/x/,1000300,100.00,,\n"
        "1.000300000,3,,p/x/,1000300,100.00,,\n"
        "5,,p/x/,2000600,100.00,,\n",
        "{\"interval\" : 0.500150000, \"counter-value\" : \"2.000000\", \"event\" : \"p/x/\"}\n"
        "{\"interval\" : 1.000300000, \"counter-value\" : \"3.000000\", \"event\" : \"p/x/\"}\n"
        "{\"counter-value\" : \"5.000000\", \"event\" : \"p/x/\"}\n"}) {
    ASSERT_EQ(counts_in(text).size(), 3U) << text;
    const auto verdict = compare({{expected(5, 5)}}, counts_in(text)).at(0);
    EXPECT_EQ(verdict.check, Check::exact) << text;
    EXPECT_EQ(verdict.count, 5U) << text;
  }
  // Wrong intervals are not excused by a correct sum.
  EXPECT_EQ(check_of(expected(5, 5), {{"p/x/", 2, false, 0.5}, {"p/x/", 4, false, 1.0}, {"p/x/", 5}}), Check::wrong);
}

TEST(GuestVerdict, of_several_runs_takes_no_summary_for_another_run) {
  const PrintedCount a{"p/x/", 2, false, 0.5};
  const PrintedCount b{"p/x/", 3, false, 1.0};
  const PrintedCount sum{"p/x/", 5};
  const PrintedCount c{"p/x/", 7, false, 0.6};
  const auto are_exact = [](const std::vector<Verdict>& verdicts) {
    for (const Verdict& verdict : verdicts) EXPECT_EQ(verdict.check, Check::exact);
  };
  are_exact(compare({{expected(5, 5)}, {expected(7, 7)}}, {a, b, sum, c, {"p/x/", 7}}));
  are_exact(compare({{expected(5, 5)}, {expected(9, 9)}}, {a, b, sum, {"p/x/", 9}}));
  are_exact(compare({{expected(9, 9)}, {expected(5, 5)}}, {{"p/x/", 9}, a, b, sum}));
}

TEST(GuestVerdict, of_several_runs_is_none_where_one_may_have_printed_nothing) {
  const std::vector<std::vector<ExpectedEvent>> two{{expected(2, 2)}, {expected(3, 3)}};
  // Two intervals of one run, or one of each: this is ambiguous.
  for (const Verdict& verdict : compare(two, {{"p/x/", 2, false, 0.1}, {"p/x/", 3, false, 0.2}})) {
    EXPECT_EQ(verdict.check, Check::unchecked);
    EXPECT_EQ(verdict.note, "it is unclear which perf printed which count");
  }
  // An event twice in one run with intervals, beside another run.
  const std::vector<std::vector<ExpectedEvent>> three{{expected(2, 2), expected(2, 2)}, {expected(3, 3)}};
  for (const Verdict& verdict : compare(
           three, {{"p/x/", 1, false, 0.1}, {"p/x/", 1, false, 0.1}, {"p/x/", 1, false, 0.2}, {"p/x/", 1, false, 0.2}}))
    EXPECT_EQ(verdict.check, Check::unchecked);
  // Twice in one run, once each.
  for (const Verdict& verdict :
       compare({{expected(2, 2), expected(2, 2)}}, {{"p/x/", 2, false, 0.1}, {"p/x/", 2, false, 0.1}}))
    EXPECT_EQ(verdict.check, Check::exact);
}

/// The output of two perfs: the first was given a bare name, which stands for the second's event as well.
const std::string kTwoTables = R"(
 Performance counter stats for 'system wide':

                 9      p/x/
                 4      q/x/

       0.2 seconds time elapsed

 Performance counter stats for 'system wide':

                 5      p/x/

       0.2 seconds time elapsed
)";

ExpectedEvent unknown_name() { return {"x", {}, {}, "its events are not known"}; }

std::vector<Verdict> judge(const std::vector<std::vector<ExpectedEvent>>& runs, const std::string& text,
                           const std::map<std::size_t, std::string>& files = {}) {
  return judge_runs(runs, read_perf_output(text), files).counts;
}

TEST(GuestVerdict, of_several_runs_takes_the_table_of_each) {
  const auto verdicts = judge({{unknown_name()}, {expected(5, 5)}}, kTwoTables);
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].check, Check::unchecked);
  EXPECT_EQ(verdicts[1].check, Check::exact) << "the first table's p/x/ is the first perf's";
  EXPECT_EQ(judge({{unknown_name()}, {expected(14, 14)}}, kTwoTables).at(1).check, Check::wrong)
      << "the sum of two perfs' counts is none of either";
  // As perf expands the name, the first is judged, too.
  const ExpectedEvent other{"q/x/", 4, 4};
  for (const Verdict& verdict : judge({{expected(9, 9), other}, {expected(5, 5)}}, kTwoTables))
    EXPECT_EQ(verdict.check, Check::exact);
}

TEST(GuestVerdict, takes_no_table_for_a_run_that_it_cannot_be_of) {
  // The first perf's output is elsewhere, and a program has printed an old table.
  const ExpectedEvent other{"r/x/", 1, 1};
  for (const Verdict& verdict : judge({{other}, {expected(5, 5)}}, kTwoTables))
    EXPECT_EQ(verdict.check, Check::unchecked);
  // One of three perfs has printed nothing.
  EXPECT_EQ(judge({{unknown_name()}, {unknown_name()}, {expected(5, 5)}}, kTwoTables).at(2).note,
            "it is unclear which perf printed which count");
}

TEST(GuestVerdict, is_none_without_tables_where_a_name_of_another_run_stands_for_several_events) {
  const std::string text = "9,,p/x/,100,100.00,,\n4,,q/x/,100,100.00,,\n5,,p/x/,100,100.00,,\n";
  const Verdict verdict = judge({{unknown_name()}, {expected(5, 5)}}, text).at(1);
  EXPECT_EQ(verdict.check, Check::unchecked);
  EXPECT_EQ(verdict.note, "it is unclear which perf printed which count");
  EXPECT_EQ(judge({{unknown_name()}, {expected(5, 5)}}, "9,,p/x/,100,100.00,,\n").at(1).check, Check::unchecked)
      << "the second's count is in a file, and the first printed this";
  const ExpectedEvent clock{"task-clock", {}, {}, "no PMU counts it"};
  EXPECT_EQ(judge({{clock}, {expected(5, 5)}}, "5,,p/x/,100,100.00,,\n").at(1).check, Check::exact)
      << "a software event stands for itself";
}

TEST(GuestVerdict, of_a_run_that_prints_to_a_file_is_that_of_its_file) {
  const std::string in_file =
      " Performance counter stats for 'system wide':\n\n   7      p/x/\n\n 0.2 seconds time elapsed\n";
  const auto verdicts = judge({{expected(7, 7)}, {expected(9, 9)}, {expected(5, 5)}}, kTwoTables, {{0, in_file}});
  ASSERT_EQ(verdicts.size(), 3U);
  for (const Verdict& verdict : verdicts) EXPECT_EQ(verdict.check, Check::exact);
}

TEST(GuestVerdict, of_metrics_takes_the_table_of_each_run) {
  const auto run = [](std::uint64_t count) {
    ExpectedEvent metric{"rate"};
    metric.metric = Metric{"rate", "", "x / 4", "", ""};
    return std::vector<ExpectedEvent>{{"x", count, count}, metric};
  };
  const std::string table =
      " Performance counter stats for 'system wide':\n\n      {}      x      #  {}  rate\n\n"
      " 0.2 seconds time elapsed\n";
  const std::string text = fmt::format(fmt::runtime(table), 8, "2.0") + fmt::format(fmt::runtime(table), 12, "3.0");
  const auto metrics = judge_runs({run(8), run(12)}, read_perf_output(text), {}).metrics;
  ASSERT_EQ(metrics.size(), 2U);
  for (const MetricVerdict& metric : metrics) EXPECT_EQ(metric.check, Check::exact) << metric.note;
  EXPECT_EQ(judge_runs({run(12), run(8)}, read_perf_output(text), {}).metrics.at(0).check, Check::wrong);
}

TEST(GuestVerdict, on_what_the_kernel_has_to_refuse_is_no_failure) {
  ExpectedEvent of_user{"p/x/u", {}, {}, "a PMU outside of the CPUs counts in all modes"};
  of_user.is_refused = true;
  const auto verdict_on = [&](const std::string& count) {
    return judge({{of_user, expected(5, 5)}}, "     " + count + "      p/x/u\n     5      p/x/\n");
  };
  EXPECT_EQ(verdict_on("<not supported>").at(0).check, Check::refused);
  EXPECT_EQ(verdict_on("<not supported>").at(1).check, Check::exact);
  EXPECT_EQ(verdict_on("5").at(0).check, Check::wrong) << "it counts what it cannot count";
  // A group may be too large.
  ExpectedEvent member = expected(5, 5);
  member.is_member = true;
  EXPECT_EQ(judge({{member}}, "     <not supported>      p/x/\n").at(0).check, Check::unchecked);
  EXPECT_EQ(judge({{member}}, "     <not counted>      p/x/\n").at(0).check, Check::unchecked) << "no turn";
  EXPECT_EQ(judge({{expected(5, 5)}}, "     <not supported>      p/x/\n").at(0).check, Check::wrong)
      << "by itself it has to be taken";
}

TEST(PerfOutput, has_names_that_are_not_those_of_events) {
  const auto counts = counts_in(
      "                 5      my-name.1\n"
      "            480049      nvidia_cmem_latency_pmu_0/nvidia_*,cycles/\n"
      "480049,,nvidia_cmem_latency_pmu_0/nvidia_*,cycles/,1000300,100.00,,\n");
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].event, "my-name.1");
  EXPECT_EQ(counts[1].event, "nvidia_cmem_latency_pmu_0/nvidia_*,cycles/");
  EXPECT_EQ(counts[2].event, counts[1].event);
}

}  // namespace
}  // namespace pmufab::guest
