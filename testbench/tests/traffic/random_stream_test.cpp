// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/random_stream.h"

#include <cstdint>

#include <gtest/gtest.h>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>

namespace pmufab::traffic {
namespace {

class UniformBelowTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(UniformBelowTest, draws_what_boosts_distribution_draws) {
  boost::random::mt19937_64 ours(7);
  boost::random::mt19937_64 boosts(7);
  const UniformBelow below(GetParam());
  for (int i = 0; i < 1000; ++i) {
    const auto expected = boost::random::uniform_int_distribution<std::uint64_t>(0, GetParam() - 1)(boosts);
    ASSERT_EQ(below(ours), expected);
  }
  EXPECT_EQ(ours, boosts) << "it has drawn another number of times";
}

// Two of the last three reject many draws. Below 2^32 and above, the draw is computed in different ways.
INSTANTIATE_TEST_SUITE_P(limits, UniformBelowTest,
                         ::testing::Values(1, 2, 3, 15, 64, 67, 1'000'000, std::uint64_t{1} << 26, 0xc000'0001,
                                           0xffff'ffff, 0x1'0000'0001, std::uint64_t{1} << 63,
                                           (std::uint64_t{1} << 63) + 1,
                                           (std::uint64_t{1} << 63) + (std::uint64_t{1} << 62), ~std::uint64_t{0}));

}  // namespace
}  // namespace pmufab::traffic
