// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "models/pmu/cycle_counter.h"
#include "testbench/support/simulation_test.h"

namespace pmufab {
namespace {

using PmuCycleCounter = testing::SimulationTest;
constexpr Picoseconds kSecond = 1'000'000'000'000;

struct Log {
  std::vector<Picoseconds> overflows;
  std::vector<Picoseconds> called;
  explicit Log(CycleCounter& counter) {
    counter.on_overflow(
        [](void* context, Picoseconds when) {
          static_cast<Log*>(context)->overflows.push_back(when);
          static_cast<Log*>(context)->called.push_back(simulated_time());
        },
        this);
  }
};

TEST_F(PmuCycleCounter, counts_the_edges_of_half_open_windows) {
  const ClockDomain clock("clk", 1'000'000'000);  // edges at 0, 1000, 2000 ...
  CycleCounter counter(clock, 64);
  EXPECT_EQ(counter.value(5000), 0U);
  counter.start(1000);
  EXPECT_EQ(counter.value(1000), 0U);
  EXPECT_EQ(counter.value(1001), 1U);  // the edge at the instant of the start counts
  EXPECT_EQ(counter.value(3000), 2U);
  counter.stop(3000);  // the edge at the instant of the stop does not
  EXPECT_EQ(counter.value(9000), 2U);
  counter.start(3000);
  counter.stop(3000);
  EXPECT_EQ(counter.value(9000), 2U);
  counter.start(9001);
  counter.set_value(100, 10'000);
  EXPECT_EQ(counter.value(10'000), 100U);
  EXPECT_EQ(counter.value(12'000), 102U);
}

TEST_F(PmuCycleCounter, cycles_that_pass_at_once_count_while_it_runs) {
  const ClockDomain clock("clk", 1'000'000'000);
  CycleCounter counter(clock, 40);
  counter.pass(5, 0);
  EXPECT_EQ(counter.value(0), 0U);
  counter.start(0);
  counter.pass(1'000'000'000'000, 1'500);
  EXPECT_EQ(counter.value(1'500), 1'000'000'000'002U);
  EXPECT_EQ(counter.value(2'001), 1'000'000'000'003U);
  EXPECT_FALSE(counter.overflowed(2'001));
}

TEST_F(PmuCycleCounter, cycles_that_pass_at_once_wrap_it_then_or_bring_its_wrap_forward) {
  const ClockDomain clock("clk", 1'000'000'000);
  CycleCounter counter(clock, 40);
  Log log(counter);
  counter.start(1);
  run([&] {
    testing::advance_to(500);
    counter.pass(std::uint64_t{1} << 39, 500);
    EXPECT_TRUE(log.overflows.empty());
    testing::advance_to(5'500);  // five edges
    counter.pass((std::uint64_t{1} << 39) - 7, 5'500);
    EXPECT_TRUE(log.overflows.empty());
    testing::advance_to(9'000);
    EXPECT_EQ(log.overflows, std::vector<Picoseconds>{7'001});
    counter.clear_overflow(9'000);
    counter.pass(std::uint64_t{1} << 40, 9'000);
    EXPECT_EQ(log.overflows, (std::vector<Picoseconds>{7'001, 9'000}));
    EXPECT_EQ(counter.value(9'000), 1U);
  });
}

TEST_F(PmuCycleCounter, does_not_drift_at_a_frequency_that_divides_nothing) {
  const ClockDomain clock("clk", 2'400'000'007);
  CycleCounter counter(clock, 64);
  counter.start(0);
  EXPECT_EQ(counter.value(kSecond), 2'400'000'007U);
  EXPECT_EQ(counter.value(3600 * kSecond), 3600ULL * 2'400'000'007U);
}

TEST_F(PmuCycleCounter, overflow_is_reported_once_at_the_picosecond_after_the_wrapping_edge) {
  const ClockDomain clock("clk", 3'000'000'000);  // edges at 0, 334, 667, 1000, 1334, ...
  CycleCounter counter(clock, 16);
  Log log(counter);
  counter.set_value(0xfffd, 0);
  counter.start(1);  // counts 334 -> fffe, 667 -> ffff, 1000 -> 0
  run([&] {
    EXPECT_EQ(counter.overflow_time(), 1001U);
    testing::advance_to(1000);
    EXPECT_EQ(counter.value(1000), 0xffffU);
    EXPECT_FALSE(counter.overflowed(1000));
    testing::advance_to(1002);
    EXPECT_EQ(counter.value(1001), 0U);
    EXPECT_TRUE(counter.overflowed(1001));
    EXPECT_EQ(log.overflows, std::vector<Picoseconds>{1001});
    EXPECT_EQ(log.called, std::vector<Picoseconds>{1001});
    // While the status is set, further wraps change nothing and need no event.
    EXPECT_EQ(counter.overflow_time(), kNever);
    testing::advance(kSecond / 1000);
    EXPECT_EQ(log.overflows.size(), 1U);
    const Picoseconds when = testing::now();
    counter.clear_overflow(when);
    EXPECT_FALSE(counter.overflowed(when));
    const std::uint64_t left = 0xffff - counter.value(when);
    EXPECT_EQ(counter.overflow_time(), clock.time_of_edge(clock.edges_before(when) + left) + 1);
  });
}

TEST_F(PmuCycleCounter, writes_starts_and_stops_move_the_overflow) {
  const ClockDomain clock("clk", 1'000'000'000);
  CycleCounter counter(clock, 8);
  Log log(counter);
  run([&] {
    counter.start(0);
    EXPECT_EQ(counter.overflow_time(), 255'001U);
    testing::advance_to(100'500);
    counter.stop(100'500);
    EXPECT_EQ(counter.overflow_time(), kNever);
    testing::advance_to(1'000'000);
    EXPECT_TRUE(log.overflows.empty());
    counter.start(1'000'000);  // value 101
    EXPECT_EQ(counter.overflow_time(), 1'154'001U);
    counter.set_value(0, 1'000'000);
    EXPECT_EQ(counter.overflow_time(), 1'255'001U);
    testing::advance_to(1'255'000);
    counter.set_value(0, 1'255'000);  // before the wrapping edge: no overflow
    testing::advance_to(1'300'000);
    EXPECT_TRUE(log.overflows.empty());
    EXPECT_EQ(counter.value(1'300'000), 45U);
    counter.reset();
    EXPECT_EQ(counter.value(1'300'000), 0U);
    testing::advance(10'000'000);
    EXPECT_TRUE(log.overflows.empty());
  });
}

TEST_F(PmuCycleCounter, an_access_ahead_of_simulated_time_sees_the_overflow_before_it) {
  const ClockDomain clock("clk", 1'000'000'000);
  CycleCounter counter(clock, 8);
  Log log(counter);
  run([&] {
    counter.start(0);
    EXPECT_TRUE(counter.overflowed(255'001));
    counter.stop(300'000);
    EXPECT_EQ(log.overflows, std::vector<Picoseconds>{255'001});
    counter.clear_overflow(300'000);
    testing::advance(1'000'000);
    EXPECT_EQ(log.overflows.size(), 1U);
    EXPECT_EQ(counter.value(1'000'000), 300U - 256U);
  });
}

TEST_F(PmuCycleCounter, an_overflow_beyond_the_end_of_time_is_never_scheduled) {
  const ClockDomain clock("clk", 1);  // one edge a second; simulated time ends after 18446744 of them
  for (const unsigned width : {25U, 32U, 63U, 64U}) {
    CycleCounter counter(clock, width);
    counter.start(0);
    EXPECT_EQ(counter.overflow_time(), kNever) << width;
    counter.set_value(counter.maximum(), 5);
    EXPECT_EQ(counter.overflow_time(), kSecond + 1) << width;
  }
  CycleCounter counter(clock, 24);
  counter.start(0);
  EXPECT_EQ(counter.overflow_time(), 16777215 * kSecond + 1);
}

TEST_F(PmuCycleCounter, an_idle_simulated_hour_costs_nothing) {
  const ClockDomain clock("clk", 2'400'000'000);
  CycleCounter small(clock, 16);
  CycleCounter big(clock, 64);
  const auto begin = std::chrono::steady_clock::now();
  run(
      [&] {
        small.start(0);
        big.start(0);
        testing::advance(3600 * kSecond);
        EXPECT_EQ(big.value(3600 * kSecond), 3600ULL * 2'400'000'000U);
        EXPECT_EQ(small.value(3600 * kSecond), 3600ULL * 2'400'000'000U % 65536);
      },
      4000 * kSecond);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(500));
}

TEST_F(PmuCycleCounter, widths_outside_1_to_64_are_refused) {
  const ClockDomain clock("clk", 1000);
  EXPECT_THROW(CycleCount(clock, 0), std::invalid_argument);
  EXPECT_THROW(CycleCount(clock, 65), std::invalid_argument);
}

}  // namespace
}  // namespace pmufab
