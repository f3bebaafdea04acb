// SPDX-License-Identifier: Apache-2.0
#include "tlm/clock/clock_domain.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/support/simulation_test.h"

namespace pmufab {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr Wide kWideSecond = 1'000'000'000'000;
constexpr Picoseconds kHour = 3'600 * 1'000'000'000'000ULL;
constexpr Picoseconds kEnd = std::numeric_limits<Picoseconds>::max();

const std::vector<std::uint64_t> kFrequencies = {1,
                                                 3,
                                                 32'768,
                                                 1'000'000,
                                                 333'333'333,
                                                 999'999'937,
                                                 1'000'000'000,
                                                 2'400'000'000,
                                                 2'399'999'999,
                                                 3'000'000'000,
                                                 3'333'333'333,
                                                 7'777'777'777,
                                                 999'999'999'999,
                                                 1'000'000'000'000};

/// The definition without a division: `time` is the smallest whole picosecond that is not before edge * 10^12 /
/// frequency.
bool is_edge(std::uint64_t frequency, std::uint64_t edge, Picoseconds time) {
  const Wide exact = kWideSecond * edge;
  return Wide{time} * frequency >= exact && (time == 0 || Wide{time - 1} * frequency < exact);
}

TEST(ClockDomain, keeps_its_name_and_frequency) {
  const ClockDomain clock("ucf", 2'400'000'000);
  EXPECT_EQ(clock.name(), "ucf");
  EXPECT_EQ(clock.frequency_hz(), 2'400'000'000U);
}

TEST(ClockDomain, refuses_frequencies_the_time_scale_cannot_show) {
  EXPECT_THROW(ClockDomain("zero", 0), std::invalid_argument);
  EXPECT_THROW(ClockDomain("fast", 1'000'000'000'001), std::invalid_argument);
  EXPECT_NO_THROW(ClockDomain("slowest", 1));
  EXPECT_NO_THROW(ClockDomain("fastest", 1'000'000'000'000));
}

TEST(ClockDomain, counts_an_edge_at_zero_and_excludes_the_end_of_the_window) {
  const ClockDomain clock("1 GHz", 1'000'000'000);
  EXPECT_EQ(clock.edges_before(0), 0U);
  EXPECT_EQ(clock.edges_before(1), 1U);
  EXPECT_EQ(clock.edges_before(1'000), 1U);
  EXPECT_EQ(clock.edges_before(1'001), 2U);
  EXPECT_EQ(clock.time_of_edge(0), 0U);
  EXPECT_EQ(clock.time_of_edge(1), 1'000U);
}

TEST(ClockDomain, rounds_edges_of_a_rational_period_up_without_drift) {
  const ClockDomain clock("3 GHz", 3'000'000'000);  // period 333 1/3 ps
  EXPECT_EQ(clock.time_of_edge(1), 334U);
  EXPECT_EQ(clock.time_of_edge(2), 667U);
  EXPECT_EQ(clock.time_of_edge(3), 1'000U);
  EXPECT_EQ(clock.time_of_edge(3'000'000'000), 1'000'000'000'000U);
  EXPECT_EQ(clock.edges_before(334), 1U);
  EXPECT_EQ(clock.edges_before(335), 2U);
}

TEST(ClockDomain, places_every_edge_where_its_definition_says) {
  std::mt19937_64 random(1);
  for (const std::uint64_t frequency : kFrequencies) {
    const ClockDomain clock("any", frequency);
    const auto last = static_cast<std::uint64_t>(std::min<Wide>(Wide{kEnd} * frequency / kWideSecond, kEnd));
    for (std::uint64_t i = 0; i < 2'000; ++i) {
      const std::uint64_t edge = i < 500 ? std::min(i, last) : random() % last;
      const Picoseconds time = clock.time_of_edge(edge);
      ASSERT_TRUE(is_edge(frequency, edge, time)) << frequency << " Hz, edge " << edge << " at " << time;
      ASSERT_EQ(clock.edges_before(time), edge);
      if (time < kEnd) {
        ASSERT_EQ(clock.edges_before(time + 1), edge + 1);
      }
    }
  }
}

TEST(ClockDomain, places_edges_alike_below_and_above_64_bits_of_product) {
  for (const std::uint64_t frequency : {333'333'333ULL, 999'999'999'989ULL, 1'800'000'000ULL, 7ULL}) {
    const ClockDomain clock("any", frequency);
    const std::uint64_t divisor = std::gcd(frequency, std::uint64_t{1'000'000'000'000});
    const std::uint64_t border = (~std::uint64_t{0} - frequency / divisor) / (1'000'000'000'000 / divisor);
    for (std::uint64_t edge = border - 3; edge != border + 4; ++edge) {
      const Picoseconds time = clock.time_of_edge(edge);
      ASSERT_NE(time, kEnd);
      EXPECT_TRUE(is_edge(frequency, edge, time)) << frequency << " Hz, edge " << edge << " at " << time;
    }
  }
}

TEST(ClockDomain, counts_the_edges_of_a_window_as_walking_them_does) {
  std::mt19937_64 random(2);
  for (const std::uint64_t frequency : kFrequencies) {
    const ClockDomain clock("any", frequency);
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t first = i == 0 ? 0 : random() % 1'000'000'000'000;
      const Picoseconds start = clock.time_of_edge(first);
      if (start > kEnd / 2) continue;
      const Picoseconds period = static_cast<Picoseconds>(kWideSecond / frequency);
      const Picoseconds end = start + random() % (100 * period + 1);
      std::uint64_t walked = 0;
      for (std::uint64_t edge = first; clock.time_of_edge(edge) < end; ++edge) ++walked;
      ASSERT_EQ(clock.edges_before(end) - clock.edges_before(start), walked)
          << frequency << " Hz in [" << start << ", " << end << ")";
    }
  }
}

TEST(ClockDomain, finds_in_any_window_its_length_times_the_frequency_rounded_down_or_up) {
  std::mt19937_64 random(3);
  for (const std::uint64_t frequency : kFrequencies) {
    const ClockDomain clock("any", frequency);
    for (int i = 0; i < 2'000; ++i) {
      const Picoseconds start = random() >> (random() % 64);
      const Picoseconds length = std::min(random() >> (random() % 64), kEnd - start);
      const std::uint64_t edges = clock.edges_before(start + length) - clock.edges_before(start);
      const Wide exact = Wide{length} * frequency / kWideSecond;
      ASSERT_TRUE(edges == exact || edges == exact + 1) << frequency << " Hz, " << length << " ps from " << start;
    }
  }
}

TEST(ClockDomain, counts_an_hour_exactly) {
  EXPECT_EQ(ClockDomain("ucf", 2'400'000'000).edges_before(kHour), 8'640'000'000'000U);
  EXPECT_EQ(ClockDomain("third", 333'333'333).edges_before(kHour), 333'333'333ULL * 3'600);
  EXPECT_EQ(ClockDomain("rtc", 32'768).edges_before(kHour), 32'768U * 3'600);
  EXPECT_EQ(ClockDomain("ucf", 2'400'000'000).time_of_edge(8'640'000'000'000), kHour);
}

TEST(ClockDomain, holds_to_the_end_of_time) {
  // 2^64 - 1 ps is 18446744.073709551615 s.
  EXPECT_EQ(ClockDomain("1 THz", 1'000'000'000'000).edges_before(kEnd), kEnd);
  EXPECT_EQ(ClockDomain("1 Hz", 1).edges_before(kEnd), 18'446'744U + 1);
  EXPECT_EQ(ClockDomain("1 GHz", 1'000'000'000).edges_before(kEnd), 18'446'744'073'709'551U + 1);
  EXPECT_EQ(ClockDomain("1 THz", 1'000'000'000'000).time_of_edge(kEnd), kEnd);
}

TEST(ClockDomain, saturates_for_edges_beyond_the_end_of_time) {
  EXPECT_EQ(ClockDomain("1 Hz", 1).time_of_edge(18'446'744), 18'446'744'000'000'000'000U);
  EXPECT_EQ(ClockDomain("1 Hz", 1).time_of_edge(18'446'745), kEnd);
  EXPECT_EQ(ClockDomain("1 Hz", 1).time_of_edge(kEnd), kEnd);
  EXPECT_EQ(ClockDomain("1 GHz", 1'000'000'000).time_of_edge(kEnd), kEnd);
}

using ClockDomainInSimulation = testing::SimulationTest;

TEST_F(ClockDomainInSimulation, agrees_with_systemc_time) {
  run(
      [] {
        testing::advance(kHour);
        EXPECT_EQ(to_picoseconds(sc_core::sc_time_stamp()), kHour);
        EXPECT_EQ(to_sc_time(1'000), sc_core::sc_time(1, sc_core::SC_NS));
        EXPECT_EQ(to_picoseconds(sc_core::sc_time(3'600, sc_core::SC_SEC)), kHour);
      },
      2 * kHour);
}

}  // namespace
}  // namespace pmufab
