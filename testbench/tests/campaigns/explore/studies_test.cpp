// SPDX-License-Identifier: Apache-2.0
// The studies that come with pmufab, made small: what they expect holds, and bisection finds the borders of the grid.

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing::studies_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Studies : public Cli {
 protected:
  /// The text of a study, which finds its scenario from anywhere.
  static std::string text_of(const std::string& name) {
    const std::string studies = PMUFAB_SOURCE_DIR "/scenarios/studies/";
    std::string text = read(studies + name + ".yaml");
    change(text, "scenario: base/", "scenario: " + studies + "base/");
    return text;
  }
  static void change(std::string& text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << "the study has no longer: " << from;
    text.replace(at, from.size(), to);
  }
  Outcome explore(const std::string& text, const std::string& database, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"explore", write("study.yaml", text), "--db", (folder / database).string()};
    words.insert(words.end(), more.begin(), more.end());
    return pmufab(words);
  }
  /// The lines about goals, without the points that show a border.
  static std::string borders(const Outcome& outcome) {
    std::istringstream stream(outcome.out);
    std::string lines;
    for (std::string line; std::getline(stream, line);) {
      if (line.starts_with("The ")) lines += line.substr(0, line.find(" (point")) + "\n";
    }
    return lines;
  }
  /// Bisection, and then every combination: the answers must be the same words.
  void compare_with_grid(std::string text) {
    if (text.find("\npoints: grid\n") != std::string::npos) change(text, "\npoints: grid\n", "\npoints: search\n");
    const Outcome found = explore(text, "search.sqlite");
    EXPECT_EQ(found.exit_code, 0) << found.out << found.err;
    const Outcome grid = explore(text, "grid.sqlite", {"--grid"});
    EXPECT_EQ(grid.exit_code, 0) << grid.out << grid.err;
    EXPECT_EQ(borders(found), borders(grid));
    EXPECT_THAT(borders(grid), HasSubstr("The closed form"));
  }
};

/// A few points of each study, drawn from all of them, meet what it expects.
class Sampled : public Studies, public ::testing::WithParamInterface<const char*> {};

TEST_P(Sampled, meets_what_it_expects) {
  std::string text = text_of(GetParam());
  ASSERT_THAT(text, HasSubstr("\nexpect:"));
  const std::size_t points = text.find("\npoints: grid\n");
  if (points != std::string::npos) text.erase(points, 13);
  text += "points: {latin_hypercube: 5, seed: 2}\n";
  const Outcome outcome = explore(text, "sample.sqlite");
  EXPECT_THAT(outcome.out, Not(HasSubstr("The first at which it does not"))) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("holds at 5 of 5 points"));
  EXPECT_THAT(outcome.out, HasSubstr(" 0 without result"));
}
INSTANTIATE_TEST_SUITE_P(shipped, Sampled,
                         ::testing::Values("cmn-carry", "coresight-width", "cpmu-freeze", "dtc-width", "hi-lo",
                                           "mesh-saturation", "multiplexing", "ucf-full-load"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(Studies, bisection_finds_the_widths_of_coresight_counters_that_the_grid_has) {
  std::string text = text_of("coresight-width");
  change(text, "range: {from: 8, to: 20}", "range: {from: 8, to: 17}");
  change(text, "values: [20, 40, 100, 200, 500]", "values: [40, 500]");
  change(text, "values: [5 us, 10 us, 20 us, 50 us]", "values: [5 us, 50 us]");
  compare_with_grid(text);
}

TEST_F(Studies, bisection_finds_the_widths_of_global_counters_that_the_grid_has) {
  std::string text = text_of("dtc-width");
  change(text, "range: {from: 8, to: 12}", "range: {from: 8, to: 10}");
  change(text, "values: [0.5, 1]", "values: [1]");
  change(text, "values: [20 us, 50 us, 100 us, 200 us]", "values: [50 us, 100 us]");
  compare_with_grid(text);
}

TEST_F(Studies, bisection_finds_the_widths_of_cpmu_counters_that_the_grid_has) {
  std::string text = text_of("cpmu-freeze");
  change(text, "values: [0, 1 us, 5 us, 20 us, 50 us]", "values: [1 us, 20 us]");
  change(text, "values: [50 ns, 500 ns, 2 us]", "values: [500 ns]");
  compare_with_grid(text);
}

}  // namespace
}  // namespace pmufab::testing::studies_test
