// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/study/study.h"

#include <gmock/gmock.h>

#include "testbench/tests/campaigns/explore/study_text.h"

namespace pmufab::explore::study_test {
namespace {

using pmufab::testing::mistake_in;
using pmufab::testing::study_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kHead = "name: s\nscenario: base.yaml\n";
const std::string kResponses = "responses: {wrong: {value: counters_wrong}}\n";

std::vector<std::string> labels(const std::string& axis) {
  const Study study = study_of(kHead + "axes: {a: " + axis + "}\n" + kResponses);
  std::vector<std::string> labels;
  for (const AxisValue& value : study.axes[0].values) labels.push_back(value.label);
  return labels;
}

std::vector<double> numbers(const std::string& axis) {
  const Study study = study_of(kHead + "axes: {a: " + axis + "}\n" + kResponses);
  std::vector<double> numbers;
  for (const AxisValue& value : study.axes[0].values) numbers.push_back(value.number.value_or(-1));
  return numbers;
}

std::string mistake_of_axis(const std::string& axis) {
  return mistake_in(kHead + "axes:\n  a: " + axis + "\n" + kResponses);
}

TEST(Axis, has_values_ranges_and_logarithmic_ranges) {
  EXPECT_THAT(labels("{set: seed, values: [1, 5, 0x10]}"), ElementsAre("1", "5", "0x10"));
  EXPECT_THAT(numbers("{set: seed, values: [1, 5, 0x10]}"), ElementsAre(1, 5, 16));
  EXPECT_THAT(labels("{set: seed, range: {from: 8, to: 11}}"), ElementsAre("8", "9", "10", "11"));
  EXPECT_THAT(labels("{set: seed, range: {from: 0, to: 1, step: 0.25}}"), ElementsAre("0", "0.25", "0.5", "0.75", "1"));
  EXPECT_THAT(labels("{set: seed, range: {from: 0, to: 9, points: 4}}"), ElementsAre("0", "3", "6", "9"));
  EXPECT_THAT(labels("{set: host.interrupt_delay, range: {from: 0, to: 1 us, step: 500 ns}}"),
              ElementsAre("0", "500 ns", "1 us"));
  EXPECT_THAT(numbers("{set: host.interrupt_delay, range: {from: 0, to: 1 us, step: 500 ns}}"),
              ElementsAre(0, 500'000, 1'000'000));
  EXPECT_THAT(labels("{set: seed, log: {from: 1, to: 1000, points: 4}}"), ElementsAre("1", "10", "100", "1000"));
  EXPECT_THAT(labels("{set: seed, log: {from: 1, to: 8, points: 7, whole: true}}"),
              ElementsAre("1", "2", "3", "4", "6", "8"));
}

TEST(Axis, has_cases_of_several_settings) {
  const Study study =
      study_of(kHead +
               "axes:\n  a: {cases: {one: {seed: 1, platform: a.yaml}, two: {host: {rotation: 1 ms}}}}\n"
               "  b: {set: [x.y, x.z], values: [3]}\n" +
               kResponses);
  const Axis& axis = study.axes[0];
  EXPECT_EQ(axis.values[0].label, "one");
  ASSERT_EQ(axis.values[0].settings.size(), 2U);
  EXPECT_EQ(axis.values[0].settings[1].text, "platform=a.yaml");
  EXPECT_EQ(axis.values[1].settings[0].text, "host={rotation: 1 ms}");
  EXPECT_FALSE(axis.has_numbers());
  ASSERT_EQ(study.axes[1].values[0].settings.size(), 2U);
  EXPECT_EQ(study.axes[1].values[0].settings[1].text, "x.z=3");
  EXPECT_THAT(labels("{cases: [{seed: 1}, {seed: 2, x: 5 us}]}"), ElementsAre("1", "2 5 us"));
}

TEST(Axis, says_what_is_wrong) {
  EXPECT_THAT(mistake_of_axis("{set: 'a[x]', values: [1]}"),
              AllOf(HasSubstr("study.yaml:4"), HasSubstr("is not a path")));
  EXPECT_THAT(mistake_of_axis("{set: seed}"), HasSubstr("has no values"));
  EXPECT_THAT(mistake_of_axis("{set: seed, values: []}"), HasSubstr("must be a list of values"));
  EXPECT_THAT(mistake_of_axis("{set: seed, values: [1, 1]}"), HasSubstr("the value '1' twice"));
  EXPECT_THAT(mistake_of_axis("{set: seed, value: [1]}"), HasSubstr("unknown key 'value'"));
  EXPECT_THAT(mistake_of_axis("{set: seed, values: [1], range: {from: 1, to: 2}}"),
              HasSubstr("several kinds of values"));
  EXPECT_THAT(mistake_of_axis("{set: seed, range: {from: 2, to: 1}}"), HasSubstr("must be more than 'from'"));
  EXPECT_THAT(mistake_of_axis("{set: seed, range: {from: 1 us, to: 2 MHz, step: 1}}"), HasSubstr("another unit"));
  EXPECT_THAT(mistake_of_axis("{set: seed, range: {from: 1 us, to: 2 us}}"), HasSubstr("needs a step"));
  EXPECT_THAT(mistake_of_axis("{set: seed, log: {from: 0, to: 2, points: 3}}"), HasSubstr("more than 0"));
  EXPECT_THAT(mistake_of_axis("{set: seed, range: {from: a, to: 2}}"), HasSubstr("'a' is no number"));
}

TEST(Study, computes_responses_of_others) {
  const Study study = study_of(kHead +
                               "axes: {width: {set: seed, values: [4]}}\n"
                               "responses:\n  twice: \"2 * wrong\"\n  wrong: {value: counters_wrong}\n"
                               "  all: \"twice + 2 ^ width\"\n");
  ASSERT_EQ(study.responses.size(), 3U);
  EXPECT_TRUE(study.responses[0].computed);
  EXPECT_TRUE(study.responses[1].measured);
  EXPECT_THAT(study.show, ElementsAre("twice", "all"));
}

TEST(Study, refuses_names_that_do_not_exist_and_says_which_do) {
  const std::string axes = "axes: {width: {set: seed, values: [4, 5]}, rate: {set: x, values: [1]}}\n";
  EXPECT_THAT(mistake_in(kHead + axes), HasSubstr("responses: is missing"));
  EXPECT_THAT(mistake_in(kHead + kResponses), HasSubstr("axes: is missing"));
  EXPECT_THAT(mistake_in(kHead + axes + "responses: {x: \"2 * widht\"}\n"),
              AllOf(HasSubstr("study.yaml:4:"), HasSubstr("responses.x: 'widht' is unknown"),
                    HasSubstr("did you mean 'width'?")));
  EXPECT_THAT(mistake_in(kHead + axes + kResponses + "find: {smallest: widht, such_that: \"wrong == 0\"}\n"),
              AllOf(HasSubstr("study.yaml:5:"), HasSubstr("there is no axis 'widht'"), HasSubstr("'width'")));
  EXPECT_THAT(mistake_in(kHead + axes + kResponses + "find: {smallest: width, such_that: \"wrog == 0\"}\n"),
              HasSubstr("did you mean 'wrong'?"));
  EXPECT_THAT(mistake_in(kHead + axes + kResponses + "find: {smallest: width, such_that: \"1\", for_each: [rat]}\n"),
              HasSubstr("did you mean 'rate'?"));
  EXPECT_THAT(mistake_in(kHead + axes + kResponses + "show: [wrnog]\n"), HasSubstr("did you mean 'wrong'?"));
  EXPECT_THAT(mistake_in(kHead + axes + kResponses + "reponses: 3\n"), HasSubstr("unknown key 'reponses'"));
  EXPECT_THAT(mistake_in(kHead + "axes: {status: {set: seed, values: [1]}}\n" + kResponses),
              HasSubstr("a meaning of its own"));
  EXPECT_THAT(mistake_in(kHead + "axes: {Width: {set: seed, values: [1]}}\n" + kResponses), HasSubstr("is no name"));
  EXPECT_THAT(mistake_in(kHead + axes + "responses: {width: \"1\"}\n"), HasSubstr("'width' is given twice"));
  EXPECT_THAT(mistake_in(kHead + axes + "responses: {x: {event: a/b/, check: drivers, value: driver}}\n"),
              HasSubstr("'event' is given, too"));
}

TEST(Study, refuses_what_would_answer_another_question) {
  const std::string axes = "axes: {width: {set: seed, values: [5, 4, 6]}, rate: {set: x, values: [1, 2]}}\n";
  EXPECT_EQ(mistake_in(kHead + axes + kResponses), "");
  EXPECT_THAT(mistake_in(kHead + axes + kResponses + "find: {smallest: width, such_that: \"wrong == 0\"}\n"),
              AllOf(HasSubstr("study.yaml:5:"), HasSubstr("do not ascend: 5 stands before 4")));
  EXPECT_EQ(mistake_in(kHead + axes + kResponses + "find: {smallest: rate, such_that: \"wrong == 0\"}\n"), "");
  EXPECT_THAT(
      mistake_in(kHead + "axes: {a: {set: seed, values: [1]}, b: {set: [x, seed], values: [2]}}\n" + kResponses),
      HasSubstr("the axis 'b' sets 'seed', as the axis 'a' does"));
  EXPECT_THAT(mistake_in(kHead + axes + kResponses + "set: {x: 3}\n"),
              HasSubstr("the axis 'rate' sets 'x', as the study's 'set' does"));
  const std::string cases = "axes: {s: {cases: {a: {x: 1}, b: {seed: 9}}}}\n";
  EXPECT_THAT(mistake_in(kHead + cases + kResponses + "repeat: 2\n"), HasSubstr("the axis 's' sets the seed, too"));
  EXPECT_THAT(mistake_in("name: a/b\nscenario: base.yaml\n" + axes + kResponses), HasSubstr("has a '/'"));
}

TEST(Study, refuses_more_runs_than_anybody_waits_for) {
  EXPECT_THAT(mistake_in(kHead +
                         "axes:\n  a: {set: seed, range: {from: 1, to: 10000}}\n"
                         "  b: {set: x, range: {from: 1, to: 1000}}\n" +
                         kResponses),
              AllOf(HasSubstr("study.yaml:4:"), HasSubstr("make 10000000 runs (10000 of a x 1000 of b)"),
                    HasSubstr("sobol: 1000")));
}

TEST(Study, resolves_selectors_of_drivers) {
  scenario::Value document =
      scenario::parse_text(kHead + "axes: {linux: {drivers: [\">=7.2\", newest, 6.1]}}\n" + kResponses, "study.yaml");
  resolve_drivers(document, {"6.1.170", "7.2.13", "7.3.4"});
  const Study study = read_study(document);
  ASSERT_EQ(study.axes[0].values.size(), 3U);
  EXPECT_EQ(study.axes[0].values[0].label, "7.2.13");
  EXPECT_EQ(study.axes[0].values[1].label, "7.3.4");
  EXPECT_EQ(study.axes[0].values[2].label, "6.1.170");
  scenario::Value none = scenario::parse_text(kHead + "axes: {linux: {drivers: [5.10]}}\n" + kResponses, "study.yaml");
  EXPECT_THROW(resolve_drivers(none, {"7.3.4"}), scenario::InputError);
}

TEST(Study, chooses_points) {
  const std::string axes =
      "axes: {a: {set: seed, range: {from: 1, to: 100}}, b: {set: x, range: {from: 1, to: 100}}}\n";
  EXPECT_EQ(study_of(kHead + axes + kResponses).sites(false)->size(), 10'000U);
  EXPECT_EQ(study_of(kHead + axes + kResponses + "points: {latin_hypercube: 50}\n").sites(false)->size(), 50U);
  EXPECT_EQ(study_of(kHead + axes + kResponses + "points: {sobol: 64}\n").sites(false)->size(), 64U);
  const std::string find = "find: {smallest: a, such_that: \"wrong == 0\", for_each: [b]}\n";
  EXPECT_FALSE(study_of(kHead + axes + kResponses + find).sites(false));
  EXPECT_EQ(study_of(kHead + axes + kResponses + find).sites(true)->size(), 10'000U);
  EXPECT_TRUE(study_of(kHead + axes + kResponses + find + "points: grid\n").sites(false));
  EXPECT_THAT(mistake_in(kHead + axes + kResponses + "points: search\n"), HasSubstr("search needs find"));
  EXPECT_THAT(mistake_in(kHead + axes + kResponses + "points: {}\n"), HasSubstr("how many points"));
  EXPECT_THAT(mistake_in(kHead + axes + kResponses + "repeat: 3\n"), HasSubstr("sets the seed, too"));
}

TEST(Study, compares_with_a_baseline_and_knows_what_designs_cost) {
  const std::string text =
      kHead + "axes:\n  a: {set: seed, values: [1, 5 , 9]}\n  b: {set: x, values: [u, v]}\n" + kResponses;
  EXPECT_THAT(study_of(text).baseline, ElementsAre(0, 0));
  EXPECT_FALSE(study_of(text).front);
  const Study study = study_of(text + "baseline: {a: 5}\nfront: {cost: a, error: wrong, worst_over: b}\n");
  EXPECT_THAT(study.baseline, ElementsAre(1, 0));
  EXPECT_EQ(study.front->cost, "a");
  EXPECT_EQ(study.front->error, "wrong");
  EXPECT_THAT(study.front->worst_over, ElementsAre(1));
  EXPECT_THAT(mistake_in(text + "baseline: {a: 6}\n"), HasSubstr("the axis has no value '6'"));
  EXPECT_THAT(mistake_in(text + "baseline: {c: 6}\n"), HasSubstr("unknown key 'c'"));
  EXPECT_THAT(mistake_in(text + "front: {cost: b, error: wrong}\n"),
              HasSubstr("there is no response and no axis with numbers 'b'"));
  EXPECT_THAT(mistake_in(text + "front: {cost: a}\n"), HasSubstr("error"));
  EXPECT_THAT(mistake_in(text + "front: {cost: a, error: wrong, worst_over: [c]}\n"),
              HasSubstr("there is no axis 'c'"));
}

}  // namespace
}  // namespace pmufab::explore::study_test
