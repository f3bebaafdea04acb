// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/interleave/amounts.h"

namespace pmufab::interleave {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

AccessRecord read_of(std::uint64_t address, unsigned size, std::uint64_t value) {
  AccessRecord access;
  access.address = address;
  access.size = size;
  access.value = value;
  return access;
}

TEST(Amounts, a_value_has_the_distance_to_the_end_of_each_width) {
  const auto amounts = candidate_amounts({read_of(0x10, 4, 0xffff'fff0)});
  EXPECT_THAT(amounts, Contains(0x10U));
  EXPECT_THAT(amounts, Contains(0xff'0000'0010U)) << "of 40 bits";
  EXPECT_THAT(amounts, Not(Contains(0xffff'fff0U)));
}

TEST(Amounts, halves_make_one_counter) {
  const auto amounts = candidate_amounts({read_of(0x14, 4, 0x8000'0000), read_of(0x10, 4, 5)});
  EXPECT_THAT(amounts, Contains(0x7fff'ffff'ffff'fffbU));
  EXPECT_THAT(amounts, Contains(0xffff'fffbU));
}

TEST(Amounts, four_counters_may_share_a_register) {
  const auto amounts = candidate_amounts({read_of(0x20, 8, 0x0000'fffe'0000'0007)});
  EXPECT_THAT(amounts, Contains(2U));
  EXPECT_THAT(amounts, Contains(0xfff9U));
}

TEST(Amounts, what_fell_has_wrapped) {
  const std::vector<AccessRecord> before = {read_of(4, 4, 0), read_of(0, 4, 0xffff'ffff), read_of(4, 4, 0)};
  EXPECT_TRUE(what_wrapped(before, before).empty());
  EXPECT_TRUE(what_wrapped(before, {read_of(4, 4, 1), read_of(0, 4, 0xffff'ffff), read_of(4, 4, 1)}).empty());
  EXPECT_THAT(what_wrapped(before, {read_of(4, 4, 1), read_of(0, 4, 0), read_of(4, 4, 1)}).fallen, ElementsAre(1U));
  EXPECT_EQ(what_wrapped(before, {read_of(4, 4, 0), read_of(8, 4, 0), read_of(4, 4, 1)}).differs, 1U);
  EXPECT_EQ(what_wrapped(before, {read_of(4, 4, 0)}).differs, 1U);
}

TEST(Amounts, the_smallest_of_those_with_one_effect_is_kept_and_no_whole_turn) {
  const Wrapped lower{.fallen = {1}, .differs = {}};
  const Wrapped both{.fallen = {0, 1}, .differs = {}};
  const Wrapped turn{.fallen = {}, .differs = 4};
  EXPECT_THAT(choose_amounts({{1, {}, {}}, {3, lower, lower}, {7, lower, lower}, {130, both, both}, {256, turn, {}}}),
              ElementsAre(3U, 130U));
}

}  // namespace
}  // namespace pmufab::interleave
