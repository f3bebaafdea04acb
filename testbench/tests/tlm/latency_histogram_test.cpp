// SPDX-License-Identifier: Apache-2.0
#include "tlm/spec/latency_histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace pmufab {
namespace {

/// @return the smallest value that so many of a thousand do not exceed, found by sorting
std::uint64_t exact_percentile(std::vector<std::uint64_t> values, unsigned per_thousand) {
  std::sort(values.begin(), values.end());
  const std::size_t rank = (values.size() * per_thousand + 999) / 1000;
  return values[rank - 1];
}

TEST(LatencyHistogram, of_nothing_is_0) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.minimum(), 0U);
  EXPECT_EQ(histogram.maximum(), 0U);
  EXPECT_EQ(histogram.mean(), 0);
  EXPECT_EQ(histogram.percentile(990), 0U);
}

TEST(LatencyHistogram, of_small_values_is_exact) {
  LatencyHistogram histogram;
  std::vector<std::uint64_t> values;
  for (std::uint64_t value = 0; value < 256; ++value) values.push_back(value);
  for (const std::uint64_t value : values) histogram.add(value);
  for (const unsigned per_thousand : {1U, 10U, 500U, 990U, 999U, 1000U})
    EXPECT_EQ(histogram.percentile(per_thousand), exact_percentile(values, per_thousand)) << per_thousand;
  EXPECT_EQ(histogram.mean(), 127.5);
  EXPECT_EQ(histogram.sum(), 255U * 128U);
}

TEST(LatencyHistogram, of_one_value_has_it_everywhere) {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1'000'003}, ~std::uint64_t{0}}) {
    LatencyHistogram histogram;
    histogram.add(value);
    EXPECT_EQ(histogram.minimum(), value);
    EXPECT_EQ(histogram.percentile(500), value);
    EXPECT_EQ(histogram.percentile(999), value);
    EXPECT_EQ(histogram.maximum(), value);
  }
}

TEST(LatencyHistogram, what_takes_no_time_can_be_left_out) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.count_above_zero(), 0U);
  histogram.add(0);
  histogram.add(0);
  EXPECT_EQ(histogram.count_above_zero(), 0U);
  EXPECT_EQ(histogram.least_above_zero(), 0U);
  EXPECT_EQ(histogram.mean_above_zero(), 0);
  histogram.add(1'000'003);
  histogram.add(5);
  EXPECT_EQ(histogram.count_above_zero(), 2U);
  EXPECT_EQ(histogram.least_above_zero(), 5U);
  EXPECT_EQ(histogram.mean_above_zero(), 500'004);
  EXPECT_EQ(histogram.minimum(), 0U);
}

TEST(LatencyHistogram, percentiles_are_within_0_4_percent) {
  std::mt19937_64 random(7);
  LatencyHistogram histogram;
  std::vector<std::uint64_t> values;
  for (unsigned i = 0; i < 100'003; ++i) {
    const std::uint64_t value = random() >> (random() % 60);  // of every magnitude
    values.push_back(value);
    histogram.add(value);
  }
  EXPECT_EQ(histogram.minimum(), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(histogram.maximum(), *std::max_element(values.begin(), values.end()));
  for (const unsigned per_thousand : {1U, 100U, 500U, 900U, 990U, 999U, 1000U}) {
    const auto exact = static_cast<double>(exact_percentile(values, per_thousand));
    EXPECT_NEAR(static_cast<double>(histogram.percentile(per_thousand)), exact, 0.004 * exact) << per_thousand;
  }
}

}  // namespace
}  // namespace pmufab
