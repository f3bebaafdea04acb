// SPDX-License-Identifier: Apache-2.0
// Borders that bisection finds are those of the full grid. No run is needed: the condition is one of the axes.
#include "testbench/campaigns/explore/search.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>

#include "testbench/campaigns/explore/report/findings.h"
#include "testbench/tests/campaigns/explore/study_text.h"

namespace pmufab::explore::search_test {
namespace {

using pmufab::testing::study_of;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

/// A database of its own.
class Search : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "pmufab-search-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// Carry out a design; the value `lost` of each point is that of a function.
  /// @param lost  NAN: the run takes too long
  template <typename Lost>
  std::uint64_t run(const Study& study, Design& design, const std::string& file, Lost lost) {
    Database database(folder / file, Database::Mode::write);
    database.begin(study, "study");
    std::uint64_t runs = 0;
    while (const std::optional<std::uint64_t> position = design.next()) {
      Result result;
      result.key = std::to_string(*position);
      result.status = "passed";
      result.values.resize(study.responses.size());
      const std::vector<std::size_t> at = study.grid.values_at(*position / study.grid.repeats());
      result.values[0] = lost(at, *position % study.grid.repeats());
      if (std::isnan(*result.values[0])) {
        result.status = "timed_out";
        result.values[0].reset();
      }
      if (!database.at(study, *position)) ++runs;
      database.put(study, result, {*position});
      compute(study, *position, result.values);
      design.take(*position, result);
    }
    return runs;
  }
  Findings findings(const Study& study, const std::string& file) {
    Database database(folder / file, Database::Mode::read);
    return find(study, database);
  }

  std::filesystem::path folder;
};

std::string text(const std::string& goal, const std::string& more = "") {
  return "name: s\nscenario: base.yaml\n"
         "axes:\n"
         "  width: {set: a, range: {from: 1, to: 32}}\n"
         "  rate: {set: b, log: {from: 1, to: 1000, points: 7, whole: true}}\n"
         "  delay: {set: c, values: [0, 1, 10, 1000]}\n"
         "responses: {lost: {value: counters_wrong}}\n" +
         goal + more;
}

TEST_F(Search, finds_the_borders_of_the_full_grid_with_fewer_points) {
  const Study study =
      study_of(text("find: {smallest: width, such_that: \"lost == 0\", for_each: [delay, rate],\n"
                    "       closed_form: \"max(1, ceil(log2(rate * delay + 1)))\"}\n"));
  // Lost if 2 ^ width is not more than rate times delay.
  const auto lost = [&](const std::vector<std::size_t>& at, std::uint64_t) {
    const double room = std::exp2(*study.axes[0].values[at[0]].number);
    return room > *study.axes[1].values[at[1]].number * *study.axes[2].values[at[2]].number ? 0.0 : 3.0;
  };
  SearchDesign search(study, {});
  ListDesign grid(study, *study.sites(true), {});
  EXPECT_EQ(run(study, grid, "grid", lost), 32U * 7 * 4);
  const std::uint64_t searched = run(study, search, "search", lost);
  EXPECT_LE(searched, 7U * 4 * 7);
  EXPECT_LE(searched, search.size());
  const GoalFinding by_search = findings(study, "search").goals[0];
  const GoalFinding by_grid = findings(study, "grid").goals[0];
  ASSERT_EQ(by_search.answers.size(), 28U);
  for (std::size_t i = 0; i < by_search.answers.size(); ++i) {
    EXPECT_EQ(by_search.answers[i].kind, Answer::Kind::found);
    EXPECT_EQ(by_search.answers[i].value, by_grid.answers[i].value) << i;
    EXPECT_EQ(by_search.answers[i].fails_at, by_grid.answers[i].fails_at) << i;
    EXPECT_TRUE(by_search.answers[i].agrees) << i;
  }
  EXPECT_TRUE(findings(study, "grid").are_as_expected());
}

TEST_F(Search, finds_the_largest_value) {
  const Study study = study_of(text("find: {largest: rate, such_that: \"lost == 0\", for_each: [width, delay]}\n"));
  const auto lost = [&](const std::vector<std::size_t>& at, std::uint64_t) { return at[1] > at[0] / 5 ? 1.0 : 0.0; };
  SearchDesign search(study, {});
  static_cast<void>(run(study, search, "search", lost));
  const Findings found = findings(study, "search");
  for (const Answer& answer : found.goals[0].answers) {
    const std::size_t width = combinations_of(study, study.goals[0]).values_at(answer.combination)[0];
    EXPECT_EQ(answer.kind, Answer::Kind::found);
    EXPECT_EQ(answer.value, std::min<std::size_t>(6, width / 5));
    EXPECT_EQ(answer.fails_at.has_value(), width / 5 < 6);
  }
}

TEST_F(Search, says_none_if_no_value_suffices) {
  const Study study = study_of(text("find: {smallest: width, such_that: \"lost == 0\", for_each: [rate]}\n"));
  const auto lost = [](const std::vector<std::size_t>& at, std::uint64_t) { return at[1] == 6 ? 1.0 : 0.0; };
  SearchDesign search(study, {});
  static_cast<void>(run(study, search, "search", lost));
  const Findings found = findings(study, "search");
  EXPECT_EQ(found.goals[0].answers[6].kind, Answer::Kind::none);
  EXPECT_TRUE(found.goals[0].answers[6].fails_at);
  EXPECT_EQ(found.goals[0].answers[0].kind, Answer::Kind::found);
  EXPECT_FALSE(found.goals[0].answers[0].fails_at);
  EXPECT_THAT(in_words(study, found),
              Contains(AllOf(HasSubstr("No width of the study has lost == 0 for rate=1000"), HasSubstr("fails"))));
}

TEST_F(Search, does_not_take_a_run_without_result_for_one_that_fails) {
  const Study study = study_of(text("find: {smallest: width, such_that: \"lost == 0\", for_each: [rate]}\n"));
  // The border lies between 8 and 9 bits. With rate 6, nobody knows whether 8 bits suffice; with rate 5, a run that takes
  // too long lies where the search does not look in the end.
  const auto lost = [](const std::vector<std::size_t>& at, std::uint64_t) {
    if (at[1] == 6 && at[0] == 7) return std::nan("");
    if (at[1] == 5 && at[0] == 2) return std::nan("");
    return at[0] < 8 ? 1.0 : 0.0;
  };
  SearchDesign search(study, {});
  ListDesign grid(study, *study.sites(true), {});
  static_cast<void>(run(study, search, "search", lost));
  static_cast<void>(run(study, grid, "grid", lost));
  for (const char* const file : {"search", "grid"}) {
    const Findings found = findings(study, file);
    EXPECT_EQ(found.goals[0].answers[6].kind, Answer::Kind::unfinished) << file;
    EXPECT_EQ(found.goals[0].answers[6].without_result, 4U) << file;  // one of each delay
    EXPECT_FALSE(found.are_as_expected()) << file;
    EXPECT_EQ(found.goals[0].answers[5].kind, Answer::Kind::found) << file;
    EXPECT_EQ(found.goals[0].answers[5].value, 8U) << file;
    EXPECT_THAT(in_words(study, found),
                Contains(HasSubstr("The smallest width for rate=1000 is not known: 4 points have "
                                   "no result.")))
        << file;
  }
}

TEST_F(Search, does_not_agree_with_a_closed_form_that_has_no_value) {
  const Study study =
      study_of(text("find: {smallest: width, such_that: \"lost == 0\", for_each: [delay, rate],\n"
                    "       closed_form: \"log2(0 - rate)\"}\n"));
  SearchDesign search(study, {});
  static_cast<void>(run(study, search, "search", [](const auto&, std::uint64_t) { return 0.0; }));
  const Findings found = findings(study, "search");
  EXPECT_FALSE(found.are_as_expected());
  EXPECT_THAT(in_words(study, found), Contains(HasSubstr("agrees in 0 of 28 answers")));
}

TEST_F(Search, needs_every_repetition_and_every_value_of_other_axes) {
  const Study study =
      study_of(text("find: {smallest: width, such_that: \"lost == 0\", for_each: [rate]}\n", "repeat: 3\n"));
  // One delay and one seed need more than the others.
  const auto lost = [](const std::vector<std::size_t>& at, std::uint64_t seed) {
    const std::size_t needed = at[2] == 2 && seed == 1 ? 20 : 5;
    return at[0] < needed ? 1.0 : 0.0;
  };
  SearchDesign search(study, {});
  static_cast<void>(run(study, search, "search", lost));
  const Findings found = findings(study, "search");
  for (const Answer& answer : found.goals[0].answers) EXPECT_EQ(answer.value, 20U);
}

TEST_F(Search, tells_a_condition_that_is_not_monotonic) {
  const Study study = study_of(text("find: {smallest: width, such_that: \"lost == 0\", for_each: [rate, delay]}\n"));
  const auto lost = [](const std::vector<std::size_t>& at, std::uint64_t) {
    return at[0] == 3 || at[0] > 10 ? 0.0 : 1.0;
  };
  ListDesign grid(study, *study.sites(true), {});
  static_cast<void>(run(study, grid, "grid", lost));
  const Findings found = findings(study, "grid");
  EXPECT_EQ(found.goals[0].answers[0].value, 11U);
  EXPECT_EQ(found.goals[0].answers[0].beyond, 1U);
  EXPECT_THAT(in_words(study, found), Contains(HasSubstr("not monotonic")));
}

TEST_F(Search, does_not_answer_before_both_sides_of_the_border_were_run) {
  const Study study = study_of(text("find: {smallest: width, such_that: \"lost == 0\", for_each: [rate, delay]}\n"));
  const auto lost = [](const std::vector<std::size_t>& at, std::uint64_t) { return at[0] > 10 ? 0.0 : 1.0; };
  // The best value alone, then the worst, too.
  for (const std::size_t number : {std::size_t{1}, std::size_t{2}}) {
    std::vector<std::uint64_t> sites = {study.grid.site_of({31, 0, 0})};
    if (number == 2) sites.push_back(study.grid.site_of({0, 0, 0}));
    ListDesign few(study, sites, {});
    static_cast<void>(run(study, few, "few", lost));
    EXPECT_EQ(findings(study, "few").goals[0].answers[0].kind, Answer::Kind::unfinished);
  }
  EXPECT_THAT(in_words(study, findings(study, "few")), Contains(HasSubstr("Points are missing")));
}

TEST_F(Search, is_shared_among_shards) {
  const Study study = study_of(text("find: {smallest: width, such_that: \"lost == 0\", for_each: [rate, delay]}\n"));
  const auto lost = [](const std::vector<std::size_t>& at, std::uint64_t) { return at[0] < at[1] * 3 ? 1.0 : 0.0; };
  SearchDesign whole(study, {});
  static_cast<void>(run(study, whole, "whole", lost));
  for (std::uint64_t number = 1; number <= 3; ++number) {
    SearchDesign part(study, {number, 3});
    static_cast<void>(run(study, part, "part" + std::to_string(number), lost));
  }
  {
    Database all(folder / "all", Database::Mode::write);
    all.begin(study, "study");
    for (const char* part : {"part1", "part2", "part3"}) all.merge(study, folder / part);
  }
  const Findings merged = findings(study, "all");
  const Findings expected = findings(study, "whole");
  for (std::size_t i = 0; i < expected.goals[0].answers.size(); ++i) {
    EXPECT_EQ(merged.goals[0].answers[i].kind, Answer::Kind::found);
    EXPECT_EQ(merged.goals[0].answers[i].value, expected.goals[0].answers[i].value);
  }
}

TEST_F(Search, works_with_one_value) {
  const Study study = study_of(
      "name: s\nscenario: base.yaml\naxes: {width: {set: a, values: [4]}}\nresponses: {lost: {value: counters_wrong}}\n"
      "find: {smallest: width, such_that: \"lost == 0\"}\n");
  for (const double wrong : {0.0, 1.0}) {
    SearchDesign search(study, {});
    const auto lost = [&](const std::vector<std::size_t>&, std::uint64_t) { return wrong; };
    static_cast<void>(run(study, search, "one" + std::to_string(wrong), lost));
    EXPECT_EQ(findings(study, "one" + std::to_string(wrong)).goals[0].answers[0].kind,
              wrong == 0 ? Answer::Kind::found : Answer::Kind::none);
  }
}

}  // namespace
}  // namespace pmufab::explore::search_test
