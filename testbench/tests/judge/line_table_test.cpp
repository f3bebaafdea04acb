// SPDX-License-Identifier: Apache-2.0
#include "testbench/judge/line_table.h"

#include <cstdint>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>

namespace pmufab::scoreboard::test {
namespace {

TEST(LineTable, knows_nothing_at_first) {
  LineTable<int> table;
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.find(0), nullptr);
  table.erase(0);
  EXPECT_EQ(table.size(), 0U);
}

TEST(LineTable, tells_its_lines_in_order) {
  LineTable<int> table;
  EXPECT_TRUE(table.lines().empty());
  for (const std::uint64_t line : {9U, 1U, 500U, 2U}) table[line] = 1;
  table.erase(2);
  EXPECT_EQ(table.lines(), (std::vector<std::uint64_t>{1, 9, 500}));
}

TEST(LineTable, a_new_line_has_the_default_and_what_is_erased_begins_anew) {
  LineTable<std::vector<int>> table;
  EXPECT_TRUE(table[7].empty());
  table[7].push_back(1);
  ASSERT_NE(table.find(7), nullptr);
  EXPECT_EQ(*table.find(7), std::vector<int>{1});
  table.erase(7);
  EXPECT_EQ(table.find(7), nullptr);
  EXPECT_TRUE(table[7].empty());
}

/// Insertions, changes, and removals in any order. Lines are close together, far apart, or a power of two apart.
class LineTableOf : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(LineTableOf, it_knows_what_a_map_knows) {
  boost::random::mt19937 random(1);
  const auto below = [&](unsigned limit) {
    return boost::random::uniform_int_distribution<unsigned>(0, limit - 1)(random);
  };
  LineTable<unsigned> table;
  std::map<std::uint64_t, unsigned> map;
  for (unsigned i = 0; i < 100'000; ++i) {
    const std::uint64_t line = GetParam() * below(i < 50'000 ? 5'000 : 500);
    if (below(3) == 0) {
      table.erase(line);
      map.erase(line);
    } else {
      table[line] += i;
      map[line] += i;
    }
    ASSERT_EQ(table.size(), map.size());
  }
  for (std::uint64_t n = 0; n < 5'000; ++n) {
    const auto known = map.find(GetParam() * n);
    const unsigned* const found = table.find(GetParam() * n);
    ASSERT_EQ(found != nullptr, known != map.end()) << n;
    if (found != nullptr) {
      EXPECT_EQ(*found, known->second) << n;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(distances, LineTableOf, ::testing::Values(1, 3, 64, 1U << 20U, 1'000'003));

}  // namespace
}  // namespace pmufab::scoreboard::test
