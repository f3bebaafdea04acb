// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_int.hpp>

#include "testbench/judge/exact_clock.h"

namespace pmufab::scoreboard::test {
namespace {

using boost::multiprecision::cpp_int;

/// Edge n, from the definition: ceil(n * 10^12 / f).
cpp_int edge_time(const cpp_int& n, std::uint64_t frequency_hz) {
  const cpp_int second = 1'000'000'000'000;
  return (n * second + frequency_hz - 1) / frequency_hz;
}

TEST(ExactClock, edges_of_2400_mhz_lie_at_0_417_834_1250) {
  const ExactClock clock(2'400'000'000);
  EXPECT_EQ(clock.edges_in(0, 1), 1);
  EXPECT_EQ(clock.edges_in(1, 417), 0);
  EXPECT_EQ(clock.edges_in(417, 418), 1);
  EXPECT_EQ(clock.edges_in(418, 834), 0);
  EXPECT_EQ(clock.edges_in(834, 835), 1);
  EXPECT_EQ(clock.edges_in(1250, 1251), 1);
  EXPECT_EQ(clock.edges_in(0, 1250), 3);
  EXPECT_EQ(clock.edges_in(0, 1'000'000'000'000), 2'400'000'000);
}

TEST(ExactClock, a_window_has_its_begin_and_not_its_end) {
  const ExactClock clock(1'000'000'000);
  EXPECT_EQ(clock.edges_in(1000, 1000), 0);
  EXPECT_EQ(clock.edges_in(2000, 1000), 0);
  EXPECT_EQ(clock.edges_in(1000, 1001), 1);
  EXPECT_EQ(clock.edges_in(1000, 2000), 1);
  EXPECT_EQ(clock.edges_in(1001, 2001), 1);
}

TEST(ExactClock, cycles_that_pass_at_once_lie_just_before_their_instant) {
  ExactClock clock(1'000'000'000);
  clock.pass(1'000, 1'500);
  clock.pass(std::uint64_t{1} << 63, 2'500);
  EXPECT_EQ(clock.edges_in(0, 1'499), 2);
  EXPECT_EQ(clock.edges_in(0, 1'500), 1'002);
  EXPECT_EQ(clock.edges_in(1'500, 2'499), 1);
  EXPECT_EQ(clock.edges_in(1'500, 2'500), 1 + (std::uint64_t{1} << 63));
  EXPECT_EQ(clock.edges_in(2'500, 9'000), 6);
}

TEST(ExactClock, agrees_with_counting_edges_one_by_one) {
  for (const std::uint64_t frequency :
       {1ULL, 999'999'937ULL, 2'400'000'000ULL, 333'333'333'333ULL, 1'000'000'000'000ULL}) {
    const ExactClock clock(frequency);
    const Picoseconds end = frequency == 1 ? 3'000'000'000'000 : 4'000;
    const Picoseconds step = frequency == 1 ? 250'000'000'000 : 7;
    for (Picoseconds a = 0; a < end; a += step * 13) {
      for (Picoseconds b = a; b < end; b += step * 17) {
        std::uint64_t edges = 0;
        // From a little before the first edge that may be in [a, b).
        cpp_int n = cpp_int(a) * frequency / 1'000'000'000'000;
        if (n > 0) --n;
        for (; edge_time(n, frequency) < b; ++n) {
          if (edge_time(n, frequency) >= a) ++edges;
        }
        ASSERT_EQ(clock.edges_in(a, b), edges) << frequency << " Hz [" << a << ", " << b << ")";
      }
    }
  }
}

TEST(ExactClock, does_not_drift_in_a_hundred_days) {
  const std::uint64_t frequency = 2'399'999'999;
  const ExactClock clock(frequency);
  const Picoseconds day = 86'400ULL * 1'000'000'000'000;
  const cpp_int n = cpp_int(frequency) * 86'400 * 100;
  ASSERT_EQ(edge_time(n, frequency), cpp_int(100) * day);
  EXPECT_EQ(clock.edges_in(0, 100 * day), frequency * 86'400 * 100);
  EXPECT_EQ(clock.edges_in(0, 100 * day + 1), frequency * 86'400 * 100 + 1);
}

}  // namespace
}  // namespace pmufab::scoreboard::test
