// SPDX-License-Identifier: Apache-2.0
// How long the simulation runs between two checks for clients.

#include <chrono>

#include <gtest/gtest.h>

#include "testbench/run/process/time_slice.h"

namespace pmufab::process {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kWall{4};

TEST(TimeSlice, grows_while_whole_ones_take_less_than_half_of_the_time) {
  TimeSlice slice(kWall);
  EXPECT_EQ(slice.length(), TimeSlice::kFirst);
  slice.learn(slice.length(), microseconds(1999));
  EXPECT_EQ(slice.length(), 2 * TimeSlice::kFirst);
  slice.learn(slice.length(), milliseconds(2));
  slice.learn(slice.length(), milliseconds(4));
  EXPECT_EQ(slice.length(), 2 * TimeSlice::kFirst) << "long enough";
}

TEST(TimeSlice, learns_nothing_from_a_part_that_was_quick) {
  TimeSlice slice(kWall);
  slice.learn(slice.length() - 1, microseconds(1));
  EXPECT_EQ(slice.length(), TimeSlice::kFirst);
}

TEST(TimeSlice, is_cut_as_much_as_it_took_too_long) {
  TimeSlice slice(kWall);
  slice.learn(slice.length(), milliseconds(5));
  EXPECT_EQ(slice.length(), TimeSlice::kFirst / 2);
  slice.restart();
  // A part that took too long is enough to judge the whole.
  slice.learn(slice.length() / 2, milliseconds(9));
  EXPECT_EQ(slice.length(), TimeSlice::kFirst / 3);
}

TEST(TimeSlice, stays_within_its_bounds) {
  TimeSlice slice(kWall);
  for (int i = 0; i < 100; ++i) slice.learn(slice.length(), microseconds(0));
  EXPECT_EQ(slice.length(), TimeSlice::kLongest);
  slice.learn(slice.length(), seconds(1));
  EXPECT_EQ(slice.length(), TimeSlice::kLongest / 251);
  for (int i = 0; i < 100; ++i) slice.learn(slice.length(), seconds(1));
  EXPECT_EQ(slice.length(), TimeSlice::kShortest);
}

TEST(TimeSlice, begins_anew_when_something_else_is_simulated) {
  TimeSlice slice(kWall);
  for (int i = 0; i < 10; ++i) slice.learn(slice.length(), microseconds(0));
  slice.restart();
  EXPECT_EQ(slice.length(), TimeSlice::kFirst);
}

}  // namespace
}  // namespace pmufab::process
