// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/study/measured_value.h"

#include <gtest/gtest.h>

namespace pmufab::explore::turns_estimate_test {
namespace {

constexpr CountedSpan counted(double count) { return {10, 10, count}; }
constexpr CountedSpan missed() { return {10, 0, 0}; }

TEST(TurnsEstimate, counts_what_was_counted) {
  for (const TurnsEstimate how : {TurnsEstimate::interpolated, TurnsEstimate::neighbours})
    EXPECT_DOUBLE_EQ(*estimated_count({counted(5), counted(7), counted(0)}, how), 12);
}

TEST(TurnsEstimate, interpolates_between_the_turns_around_a_span) {
  // 10, then 20 and 30 on the straight line to 40.
  EXPECT_DOUBLE_EQ(*estimated_count({counted(10), missed(), missed(), counted(40)}, TurnsEstimate::interpolated), 100);
  // Nothing is known before the first turn or after the last.
  EXPECT_DOUBLE_EQ(
      *estimated_count({missed(), counted(10), missed(), counted(30), missed()}, TurnsEstimate::interpolated),
      10 + 10 + 20 + 30 + 30);
}

TEST(TurnsEstimate, takes_the_mean_of_the_five_nearest_turns) {
  EXPECT_DOUBLE_EQ(*estimated_count({counted(10), missed(), counted(40)}, TurnsEstimate::neighbours), 10 + 25 + 40);
  EXPECT_DOUBLE_EQ(
      *estimated_count({missed(), counted(1), counted(2), counted(3), counted(4), counted(5), counted(900)},
                       TurnsEstimate::neighbours),
      3 + 15 + 900);
}

TEST(TurnsEstimate, fills_the_rest_of_a_turn_that_was_cut_short) {
  EXPECT_DOUBLE_EQ(*estimated_count({{10, 8, 16}}, TurnsEstimate::interpolated), 20);
  // What was counted in the short part of a span stays, and the rest is estimated.
  EXPECT_DOUBLE_EQ(*estimated_count({counted(10), {10, 2, 7}}, TurnsEstimate::interpolated), 10 + 7 + 8);
}

TEST(TurnsEstimate, knows_nothing_of_an_event_that_never_had_a_counter) {
  EXPECT_EQ(estimated_count({missed(), missed()}, TurnsEstimate::interpolated), std::nullopt);
}

}  // namespace
}  // namespace pmufab::explore::turns_estimate_test
