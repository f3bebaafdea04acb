// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include <gtest/gtest.h>

#include "testbench/fabrics/tegra410/judge/request_timeline.h"

namespace pmufab::scoreboard::test {
namespace {

/// 1 GHz: an edge every 1000 ps, at 0, 1000, 2000, ...
class RequestTimelineTest : public ::testing::Test {
 protected:
  RequestTimeline timeline{ExactClock(1'000'000'000), 6};
};

TEST_F(RequestTimelineTest, a_request_counts_when_it_leaves_and_at_every_edge_until_it_is_back) {
  timeline.add(1500, 4500, 2, 0);  // edges 2000, 3000, 4000
  EXPECT_EQ(timeline.before(1500)[0], (RequestSums{0, 0, 0}));
  EXPECT_EQ(timeline.before(1501)[0], (RequestSums{2, 0, 6000}));
  EXPECT_EQ(timeline.before(2000)[0], (RequestSums{2, 0, 6000}));
  EXPECT_EQ(timeline.before(2001)[0], (RequestSums{2, 2, 6000}));
  EXPECT_EQ(timeline.before(4001)[0], (RequestSums{2, 6, 6000}));
  EXPECT_EQ(timeline.before(9999)[0], (RequestSums{2, 6, 6000}));
}

TEST_F(RequestTimelineTest, an_edge_at_the_start_counts_and_one_at_the_end_does_not) {
  timeline.add(1000, 3000, 1, 0);
  EXPECT_EQ(timeline.before(9999)[0].outstanding, 2);
}

TEST_F(RequestTimelineTest, a_window_cuts_requests_that_cross_its_borders) {
  const std::size_t begin = timeline.checkpoint(2500);
  timeline.add(1500, 4500, 1, 0);  // left before the window: 3000, 4000 lie inside
  timeline.add(4500, 7500, 2, 1);  // leaves inside: 5000 of 5000, 6000, 7000
  timeline.add(6000, 6500, 1, 2);  // after the window
  const std::size_t end = timeline.checkpoint(6000);
  EXPECT_EQ(timeline.between(begin, end), (RequestSums{2, 2 + 2, 6000}));
}

TEST_F(RequestTimelineTest, a_request_told_late_corrects_earlier_checkpoints) {
  const std::size_t begin = timeline.checkpoint(1000);
  const std::size_t middle = timeline.checkpoint(3000);
  const std::size_t end = timeline.checkpoint(6000);
  timeline.add(1500, 4500, 1, 0);
  EXPECT_EQ(timeline.between(begin, middle), (RequestSums{1, 1, 3000}));
  EXPECT_EQ(timeline.between(middle, end), (RequestSums{0, 2, 0}));
}

TEST_F(RequestTimelineTest, lanes_are_kept_apart) {
  timeline.add(0, 1000, 1, 0);
  timeline.add(0, 2000, 2, 5);
  const std::vector<RequestSums> sums = timeline.before(5000);
  ASSERT_EQ(sums.size(), 6U);
  EXPECT_EQ(sums[0], (RequestSums{1, 1, 1000}));
  EXPECT_EQ(sums[5], (RequestSums{2, 4, 4000}));
  for (const std::size_t other : {1U, 2U, 3U, 4U}) EXPECT_EQ(sums[other], RequestSums{});
}

TEST_F(RequestTimelineTest, requests_long_ended_are_not_forgotten) {
  const std::size_t begin = timeline.checkpoint(0);
  for (Picoseconds i = 0; i < 200'000; ++i) timeline.add(i * 1000, i * 1000 + 1500, 1, i % 6);
  const std::size_t end = timeline.checkpoint(200'000 * 1000 + 5000);
  // Each read covers the edge at which it leaves, and the next one.
  EXPECT_EQ(timeline.between(begin, end), (RequestSums{200'000, 400'000, 200'000 * 1500}));
}

// As by a system-level cache that takes 20 us, longer than sums go back.
TEST(RequestTimelineAhead, sums_of_now_are_right_after_many_requests_that_start_later) {
  constexpr Picoseconds kAhead = 20'000'000;
  RequestTimeline timeline(ExactClock(1'000'000'000), 1, kAhead);
  const std::size_t begin = timeline.checkpoint(0);
  constexpr Picoseconds kRequests = 5'000;
  for (Picoseconds i = 0; i < kRequests; ++i) timeline.add(i * 10'000 + kAhead, i * 10'000 + kAhead + 1500, 1, 0);
  // It is 50 us. Those that were told in the first 30 us have left.
  const std::size_t now = timeline.checkpoint(kRequests * 10'000);
  EXPECT_EQ(timeline.between(begin, now), (RequestSums{3'000, 6'000, 3'000 * 1500}));
}

TEST_F(RequestTimelineTest, what_takes_no_time_is_kept_when_older_requests_are_settled) {
  timeline.add_at_once(11'500'000, false, 7, 0);
  (void)timeline.checkpoint(21'500'000);  // settles what is older than 10 us
  EXPECT_EQ(timeline.before(21'500'000)[0].requests, 7);
  timeline.add_at_once(11'500'000, false, 5, 0);
  EXPECT_EQ(timeline.before(21'500'000)[0].requests, 12);
}

TEST_F(RequestTimelineTest, checkpoints_are_forgotten_with_their_user_and_others_are_not) {
  Checkpoints others(timeline);
  std::size_t begin = 0;
  {
    Checkpoints mine(timeline);
    begin = others.take(1000);
    const std::size_t middle = mine.take(3000);
    EXPECT_NO_THROW((void)timeline.at(middle));
  }
  EXPECT_THROW((void)timeline.at(begin + 1), std::out_of_range);
  const std::size_t end = others.take(6000);
  timeline.add(1500, 4500, 1, 0);  // late: covers the removed checkpoint
  EXPECT_EQ(timeline.between(begin, end), (RequestSums{1, 3, 3000}));
}

TEST_F(RequestTimelineTest, asking_far_back_is_an_error_and_not_a_wrong_number) {
  timeline.checkpoint(1'000'000'000);
  EXPECT_NO_THROW((void)timeline.before(1'000'000'000 - 5'000'000));
  EXPECT_THROW((void)timeline.before(1), std::logic_error);
  // Requests told late, as many as are settled at once, do not make older sums possible.
  for (int i = 0; i < 1'024; ++i) timeline.add(985'000'000, 985'001'000, 1, 0);
  EXPECT_THROW((void)timeline.before(980'000'000), std::logic_error);
}

}  // namespace
}  // namespace pmufab::scoreboard::test
