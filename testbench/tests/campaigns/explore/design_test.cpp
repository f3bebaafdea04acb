// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/study/design.h"

#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include "testbench/campaigns/explore/report/statistics.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::explore::design_test {
namespace {

using ::testing::ElementsAre;

TEST(Grid, numbers_every_combination_once) {
  const Grid grid({2, 3}, 5);
  EXPECT_EQ(grid.sites(), 6U);
  EXPECT_EQ(grid.positions(), 30U);
  EXPECT_THAT(grid.values_at(0), ElementsAre(0, 0));
  EXPECT_THAT(grid.values_at(1), ElementsAre(0, 1));
  EXPECT_THAT(grid.values_at(5), ElementsAre(1, 2));
  for (std::uint64_t site = 0; site < grid.sites(); ++site) EXPECT_EQ(grid.site_of(grid.values_at(site)), site);
  EXPECT_EQ(Grid({}, 1).sites(), 1U);
  EXPECT_THROW(Grid({1'000'000, 1'000'000, 1'000'000, 1'000'000}, 1), scenario::InputError);
}

TEST(LatinHypercube, has_each_value_of_each_axis_equally_often) {
  const Grid grid({20, 5}, 1);
  const std::vector<std::uint64_t> sites = latin_hypercube(grid, 20, 7);
  std::vector<int> first(20);
  std::vector<int> second(5);
  for (const std::uint64_t site : sites) {
    ++first[grid.values_at(site)[0]];
    ++second[grid.values_at(site)[1]];
  }
  EXPECT_EQ(first, std::vector<int>(20, 1));
  EXPECT_EQ(second, std::vector<int>(5, 4));
  EXPECT_EQ(latin_hypercube(grid, 20, 7), sites);
  EXPECT_NE(latin_hypercube(grid, 20, 8), sites);
}

TEST(LatinHypercube, spreads_few_samples_over_a_long_axis) {
  const Grid grid({1000}, 1);
  const std::vector<std::uint64_t> sites = latin_hypercube(grid, 10, 1);
  ASSERT_EQ(sites.size(), 10U);
  for (std::size_t i = 0; i < sites.size(); ++i) EXPECT_EQ(sites[i] / 100, i);
}

TEST(Sobol, fills_each_quarter_of_a_plane_equally) {
  const Grid grid({256, 256}, 1);
  const std::vector<std::uint64_t> sites = sobol(grid, 64);
  std::vector<int> quarters(4);
  for (const std::uint64_t site : sites) {
    const std::vector<std::size_t> values = grid.values_at(site);
    ++quarters[values[0] / 128 * 2 + values[1] / 128];
  }
  EXPECT_GE(sites.size(), 60U);
  for (const int points : quarters) EXPECT_NEAR(points, 16, 2);
  EXPECT_EQ(std::set<std::uint64_t>(sites.begin(), sites.end()).size(), sites.size());
}

TEST(Sample, has_the_interval_of_students_distribution) {
  Sample sample;
  EXPECT_FALSE(sample.half_interval());
  for (const double number : {9.0, 10.0, 11.0, 10.0}) sample.add(number);
  EXPECT_DOUBLE_EQ(sample.mean(), 10);
  // The quantile for three degrees of freedom is 3.182 (in every table of the distribution); the deviation is
  // sqrt(2 / 3), over the root of four numbers.
  EXPECT_NEAR(*sample.half_interval(), 3.182 * std::sqrt(2.0 / 3) / 2, 0.001);
  EXPECT_DOUBLE_EQ(sample.minimum(), 9);
  EXPECT_DOUBLE_EQ(sample.maximum(), 11);
}

}  // namespace
}  // namespace pmufab::explore::design_test
