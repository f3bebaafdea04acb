// SPDX-License-Identifier: Apache-2.0
// Metrics of perf: their formulas, the lines that perf prints, and the comparison of both.

#include "testbench/doors/guest/perf/metric.h"

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/doors/guest/perf/perf_output.h"

namespace pmufab::guest {
namespace {

using Words = std::vector<std::string>;
using perf::Check;

Metric metric_of(const std::string& expression, const std::string& scale = "") {
  return {"m", "cmn", expression, scale, "arm_cmn"};
}

/// Events a = 2, b = 8, c = 10 ... 20, zero = 0; time = 0.5 s.
std::optional<Range> count(const std::string& name) {
  const std::map<std::string, Range> counts{{"a", {2, 2}},    {"b", {8, 8}},     {"c", {10, 20}},
                                            {"zero", {0, 0}}, {"maybe", {0, 1}}, {"duration_time", {0.5, 0.5}}};
  const auto found = counts.find(name);
  return found == counts.end() ? std::nullopt : std::optional(found->second);
}

TEST(Metric, is_what_perf_list_describes) {
  // As perf of Linux 7.3 prints it.
  const std::vector<Metric> metrics = parse_metrics(R"([
{
	"MetricGroup": "cmn",
	"MetricName": "slc_miss_rate",
	"MetricExpr": "hnf_cache_miss / hnf_slc_sf_cache_access",
	"ScaleUnit": "100%",
	"BriefDescription": "The system level cache miss rate",
	"Unit": "arm_cmn"
},
{
	"MetricName": "insn_per_cycle"
}
])");
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].name, "slc_miss_rate");
  EXPECT_EQ(metrics[0].groups, "cmn");
  EXPECT_EQ(metrics[0].scale, "100%");
  EXPECT_EQ(metrics[0].pmus, "arm_cmn");
  EXPECT_EQ(events_of(metrics[0]), (Words{"hnf_cache_miss", "hnf_slc_sf_cache_access"}));
  EXPECT_EQ(metrics[1].pmus, "");
  for (const char* const text : {"", "perf: not found", "{}", "[1, {}, null]"})
    EXPECT_TRUE(parse_metrics(text).empty()) << text;
}

TEST(Metric, is_computed_as_its_formula_says) {
  struct Case {
    const char* expression;
    const char* scale;
    double low;
    double high;
  };
  for (const Case& each : std::vector<Case>{{"a / b", "100%", 25, 25},
                                            {"a * 32 / 1e6 / duration_time", "1MB/s", 128e-6, 128e-6},
                                            {"b - a - 1", "", 5, 5},
                                            {"(a + b) * 2", "", 20, 20},
                                            {"a + b * 2", "", 18, 18},
                                            {"a / c", "", 0.1, 0.2},
                                            {"b - c", "", -12, -2},
                                            {"(b - c) * a", "", -24, -4}}) {
    const std::optional<Range> value = evaluate(metric_of(each.expression, each.scale), count);
    ASSERT_TRUE(value) << each.expression;
    EXPECT_DOUBLE_EQ(value->low, each.low) << each.expression;
    EXPECT_DOUBLE_EQ(value->high, each.high) << each.expression;
  }
  EXPECT_TRUE(std::isnan(evaluate(metric_of("a / zero"), count)->low)) << "as in perf";
}

TEST(Metric, of_an_unknown_formula_or_count_is_unknown) {
  for (const char* const expression :
       {"", "a +", "a b", "(a", "a)", "min(a, b)", "a if b else c", "#num_cpus", "a & b"}) {
    EXPECT_FALSE(evaluate(metric_of(expression), count)) << expression;
    EXPECT_FALSE(events_of(metric_of(expression))) << expression;
  }
  EXPECT_FALSE(evaluate(metric_of("a / nobody"), count));
  EXPECT_FALSE(evaluate(metric_of("a / maybe"), count)) << "its divisor may be 0";
  EXPECT_FALSE(evaluate(metric_of(std::string(100'000, '(')), count));
  EXPECT_EQ(events_of(metric_of("a * b / a / duration_time")), (Words{"a", "b"}));
}

TEST(PrintedMetric, is_found_in_each_form_of_perf_stat) {
  for (
      const char* const text :
      {"              1697      hnf_slc_sf_cache_access          #     69.0 %  slc_miss_rate          \n"
       "              1171      hnf_cache_miss                                                        \n",
       "1697,,hnf_slc_sf_cache_access,673371420,100.00,69.0,%  "
       "slc_miss_rate\n1171,,hnf_cache_miss,673371420,100.00,,\n",
       R"({"counter-value" : "1697.000000", "unit" : "", "event" : "hnf_slc_sf_cache_access", "event-runtime" : 1037, "pcnt-running" : 100.00})"
       "\n"
       R"({"counter-value" : "1171.000000", "unit" : "", "event" : "hnf_cache_miss", "event-runtime" : 1037, "pcnt-running" : 100.00, "metric-value" : "69.0", "metric-unit" : "%  slc_miss_rate"})"
       "\n"}) {
    const PerfOutput output = read_perf_output(text);
    ASSERT_EQ(output.counts.size(), 2U) << text;
    EXPECT_EQ(output.counts[0].event, "hnf_slc_sf_cache_access");
    EXPECT_EQ(output.counts[0].value, 1697U);
    ASSERT_EQ(output.metrics.size(), 1U) << text;
    EXPECT_EQ(output.metrics[0].name, "slc_miss_rate");
    EXPECT_EQ(output.metrics[0].unit, "%");
    EXPECT_DOUBLE_EQ(output.metrics[0].value, 69.0);
    EXPECT_DOUBLE_EQ(output.metrics[0].error, 0.05);
    EXPECT_FALSE(output.metrics[0].is_estimate);
  }
  const PerfOutput shared = read_perf_output("  0  a   #  nan %  rate  (49.72%)\n  5  b  # 0.25 ratio\n");
  ASSERT_EQ(shared.metrics.size(), 2U);
  EXPECT_TRUE(std::isnan(shared.metrics[0].value));
  EXPECT_TRUE(shared.metrics[0].is_estimate);
  EXPECT_EQ(shared.metrics[1].name, "ratio");
  EXPECT_EQ(shared.metrics[1].unit, "");
}

class MetricVerdicts : public ::testing::Test {
 protected:
  /// @param shared  what perf printed behind the metric
  static MetricVerdict judge(const std::string& printed, std::uint64_t high = 20, const std::string& doubt = "") {
    const Metric metric{"rate", "", "a / b", "100%", "arm_cmn"};
    const std::vector<ExpectedEvent> run{
        {"a", 5, 5, "", ""}, {"b", 20, high, "", doubt}, {"rate", {}, {}, "", "", false, false, metric}};
    const std::vector<MetricVerdict> verdicts =
        compare_metrics({run}, read_perf_output("  5  a  #  " + printed + "\n  20  b\n"));
    EXPECT_EQ(verdicts.size(), 1U);
    return verdicts.at(0);
  }
};

TEST_F(MetricVerdicts, compare_the_digits_that_perf_prints) {
  EXPECT_EQ(judge("25.0 %  rate").check, Check::exact);
  EXPECT_EQ(judge("25 %  rate").check, Check::exact);
  EXPECT_EQ(judge("25.1 %  rate").check, Check::wrong);
  EXPECT_EQ(judge("24.9 %  rate").check, Check::wrong);
  EXPECT_EQ(judge("nan %  rate").check, Check::wrong);
  EXPECT_EQ(judge("22.0 %  rate", 25).check, Check::within);
  EXPECT_EQ(judge("19.0 %  rate", 25).check, Check::wrong);
}

TEST_F(MetricVerdicts, say_why_a_metric_is_not_judged) {
  EXPECT_EQ(judge("19.0 %  rate", 25, "there was traffic").check, Check::unchecked);
  EXPECT_EQ(judge("19.0 %  rate", 25, "there was traffic").note, "there was traffic");
  EXPECT_EQ(judge("25.0 %  rate  (50.00%)").check, Check::unchecked);
  EXPECT_EQ(judge("25.0 %  other").note, "it is not in perf's output");
  EXPECT_EQ(judge("25.0 %  rate\n 1 b # 25.0 % rate").note, "it is unclear which perf printed which metric");
  const Metric metric{"rate", "", "a / b", "100%", "arm_cmn"};
  const std::vector<ExpectedEvent> run{
      {"a", 5, 5, "", ""}, {"b", {}, {}, "no such node", ""}, {"rate", {}, {}, "", "", false, false, metric}};
  EXPECT_EQ(compare_metrics({run}, read_perf_output("5 a # 1.0 % rate\n")).at(0).note, "not judged: b: no such node");
}

TEST_F(MetricVerdicts, take_the_time_that_perf_printed) {
  const Metric metric{"speed", "", "a * 32 / 1e6 / duration_time", "1MB/s", "arm_cmn"};
  const std::vector<ExpectedEvent> run{{"a", 1000000, 1000000, "", ""},
                                       {"speed", {}, {}, "", "", false, false, metric}};
  const auto check = [&](const std::string& text) {
    return compare_metrics({run}, read_perf_output(text)).at(0).check;
  };
  EXPECT_EQ(check("  1,000,000  a  #  64.0 MB/s  speed\n  500000000  duration_time\n"), Check::exact);
  EXPECT_EQ(check("  1,000,000  a  #  32.0 MB/s  speed\n  500000000  duration_time\n"), Check::wrong);
  EXPECT_EQ(check("  1,000,000  a  #  64.0 MB/s  speed\n"), Check::unchecked);
}

}  // namespace
}  // namespace pmufab::guest
