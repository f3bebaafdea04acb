// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/campaigns/interleave/amounts.h"

namespace pmufab::interleave {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

constexpr std::size_t kMost = 1000;

AccessRecord read_of(std::uint64_t address, unsigned size, std::uint64_t value) {
  AccessRecord access;
  access.address = address;
  access.size = size;
  access.value = value;
  return access;
}

TEST(Amounts, a_value_has_the_distance_to_the_end_of_each_width) {
  const auto amounts = candidate_amounts({read_of(0x10, 4, 0xffff'fff0)}, {}, kMost).amounts;
  EXPECT_THAT(amounts, Contains(0x10U));
  EXPECT_THAT(amounts, Contains(0xff'0000'0010U)) << "of 40 bits";
  EXPECT_THAT(amounts, Not(Contains(0xffff'fff0U)));
}

TEST(Amounts, halves_make_one_counter) {
  const auto amounts = candidate_amounts({read_of(0x14, 4, 0x8000'0000), read_of(0x10, 4, 5)}, {}, kMost).amounts;
  EXPECT_THAT(amounts, Contains(0x7fff'ffff'ffff'fffbU));
  EXPECT_THAT(amounts, Contains(0xffff'fffbU));
}

TEST(Amounts, a_counter_that_counts_down_wraps_below_0) {
  const std::vector<AccessRecord> none = {read_of(0x10, 4, 0x8000'0000), read_of(0x14, 4, 5), read_of(0x18, 4, 0xffff)};
  const auto down = counting_down(none, {read_of(0x10, 4, 0x7fff'ffff), read_of(0x14, 4, 6), read_of(0x18, 4, 0)});
  EXPECT_THAT(down, ElementsAre(0x10U)) << "another one has wrapped";
  EXPECT_THAT(candidate_amounts(turned(none, down), {}, kMost).amounts, Contains(0x8000'0001U));
  const Wrapped wrapped = what_wrapped(turned(none, down), turned({read_of(0x10, 4, 0xffff'ffff)}, down));
  EXPECT_THAT(wrapped.fallen, ElementsAre(0U));
  EXPECT_THAT(what_wrapped(turned(none, down), turned({read_of(0x10, 4, 0)}, down)).fallen, ::testing::IsEmpty());
}

TEST(Amounts, four_counters_may_share_a_register) {
  const auto amounts = candidate_amounts({read_of(0x20, 8, 0x0000'fffe'0000'0007)}, {}, kMost).amounts;
  EXPECT_THAT(amounts, Contains(2U));
  EXPECT_THAT(amounts, Contains(0xfff9U));
}

TEST(Amounts, counters_that_the_call_does_not_read_wrap_too) {
  const auto amounts =
      candidate_amounts({read_of(0x0, 4, 1)}, {read_of(0x10, 4, 0x8000'0000), read_of(0x18, 4, 0xf)}, kMost).amounts;
  EXPECT_THAT(amounts, ::testing::IsSupersetOf<std::uint64_t>({0xff, 0x8000'0000, 0xf1}));
}

TEST(Amounts, of_too_many_those_of_single_registers_are_kept) {
  std::vector<AccessRecord> accesses;
  for (std::uint64_t i = 0; i < 100; ++i) accesses.push_back(read_of(0x1000 + 16 * i, 4, 0xffff'0000 + 97 * i));
  const Candidates all = candidate_amounts(accesses, {}, 1'000'000);
  EXPECT_TRUE(all.is_all);
  EXPECT_GT(all.amounts.size(), 10'000U) << "each register may be above each part of another one";
  const Candidates some = candidate_amounts(accesses, {}, kMost);
  EXPECT_FALSE(some.is_all);
  EXPECT_EQ(some.amounts.size(), kMost);
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_THAT(some.amounts, Contains(0x1'0000 - 97 * i)) << i;
  EXPECT_TRUE(
      candidate_amounts({read_of(0x10, 4, 5)}, {}, candidate_amounts({read_of(0x10, 4, 5)}, {}, kMost).amounts.size())
          .is_all);
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

TEST(Amounts, other_accesses_alone_are_an_effect) {
  const Wrapped other{.fallen = {}, .differs = 4};
  const Wrapped later{.fallen = {}, .differs = 7};
  EXPECT_THAT(choose_amounts({{1, {}, {}}, {16, other, other}, {32, other, other}, {64, later, other}}),
              ElementsAre(16U, 64U))
      << "as when an interrupt comes, and the driver reads nothing that falls";
}

}  // namespace
}  // namespace pmufab::interleave
