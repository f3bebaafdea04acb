// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "models/pmu/carry_path.h"
#include "models/pmu/counter.h"
#include "models/pmu/cycle_counter.h"
#include "testbench/support/simulation_test.h"

namespace pmufab {
namespace {

using PmuCounter = testing::SimulationTest;

TEST_F(PmuCounter, wraps_at_its_width_and_tells_how_often) {
  for (const unsigned width : {8U, 16U, 32U, 40U, 48U, 63U, 64U}) {
    Probe probe("p");
    Counter counter(width);
    std::vector<std::uint64_t> wraps;
    counter.on_overflow(
        [](void* context, std::uint64_t n, Picoseconds when) {
          EXPECT_EQ(when, 7U);
          static_cast<std::vector<std::uint64_t>*>(context)->push_back(n);
        },
        &wraps);
    counter.select(probe, 1);
    counter.enable(true, 0);
    const std::uint64_t maximum = width == 64 ? ~0ULL : (1ULL << width) - 1;
    EXPECT_EQ(counter.maximum(), maximum);
    counter.set_value(maximum - 1, 0);
    probe.publish(1, 0, 7);
    EXPECT_EQ(counter.value(7), maximum);
    EXPECT_FALSE(counter.overflowed());
    EXPECT_TRUE(wraps.empty());
    probe.publish(1, 0, 7);
    EXPECT_EQ(counter.value(7), 0U) << width;
    EXPECT_TRUE(counter.overflowed());
    EXPECT_EQ(wraps, std::vector<std::uint64_t>{1});
    counter.clear_overflow();
    probe.publish(maximum, 0, 7);
    EXPECT_FALSE(counter.overflowed());
    if (width < 60) {
      probe.publish(3 * (maximum + 1) + 5, 0, 7);
      EXPECT_EQ(counter.value(7), 4U);  // maximum + 3 turns + 5
      EXPECT_EQ(wraps.back(), 4U);
    }
  }
}

TEST_F(PmuCounter, freezing_at_an_instant_takes_what_came_before_it_and_nothing_later) {
  struct Seen {
    std::uint64_t wraps = 0;
    Picoseconds when = 0;
  };
  for (const unsigned width : {1U, 8U, 63U, 64U}) {
    Probe probe("p");
    Counter counter(width);
    Seen seen;
    counter.on_overflow(
        [](void* context, std::uint64_t wraps, Picoseconds when) {
          Seen& now = *static_cast<Seen*>(context);
          now = {now.wraps + wraps, when};
        },
        &seen);
    counter.select(probe, 1);
    counter.freeze_at(5);  // not running: nothing
    counter.enable(true, 10);
    const std::uint64_t maximum = counter.maximum();
    counter.set_value(maximum - 1, 10);
    counter.freeze_at(100);
    counter.freeze_at(200);
    EXPECT_EQ(counter.value(20), maximum - 1) << width;
    probe.publish(1, 0, 20);
    EXPECT_EQ(counter.value(20), maximum) << width;
    probe.publish(2, 0, 99);
    EXPECT_EQ(counter.value(99), 1U) << width;
    EXPECT_EQ(seen.wraps, 1U) << width;
    EXPECT_EQ(seen.when, 99U);
    probe.publish(1, 0, 100);
    probe.publish(maximum, 0, 150);
    EXPECT_EQ(counter.value(150), 1U) << width;
    EXPECT_TRUE(counter.is_running());
    counter.freeze(true, 100);
    EXPECT_EQ(counter.value(160), 1U) << width;
    counter.freeze(false, 160);
    probe.publish(1, 0, 170);
    EXPECT_EQ(counter.value(170), 2U & maximum) << width;
    // While it waits, a value can be written. Amounts can have any size.
    counter.freeze_at(400);
    counter.set_value(maximum, 300);
    seen = {};
    probe.publish(maximum, 0, 300);
    EXPECT_EQ(counter.value(300), maximum - 1) << width;
    EXPECT_EQ(seen.wraps, 1U) << width;
    if (width == 8) {
      probe.publish(3 * 256, 0, 300);
      EXPECT_EQ(seen.wraps, 4U);
    }
    counter.enable(false, 400);
    EXPECT_EQ(counter.value(500), maximum - 1) << width;
  }
}

TEST_F(PmuCounter, widths_outside_1_to_64_are_refused) {
  EXPECT_THROW(Counter{0}, std::invalid_argument);
  EXPECT_THROW(Counter{65}, std::invalid_argument);
}

TEST_F(PmuCounter, a_snapshot_keeps_the_value_of_its_instant) {
  Probe probe("p");
  Counter counter(16);
  counter.select(probe, 1);
  counter.enable(true, 0);
  probe.publish(3, 0, 1);
  EXPECT_EQ(counter.shadow(), 0U);
  counter.snapshot(2);
  probe.publish(3, 0, 3);
  EXPECT_EQ(counter.shadow(), 3U);
  EXPECT_EQ(counter.value(3), 6U);
}

TEST_F(PmuCounter, carries_directly_into_a_counter_in_the_same_call) {
  Probe probe("p");
  Counter small(16);
  Counter big(32);
  small.select(probe, 1);
  small.carry_into(&big);
  small.enable(true, 0);
  big.enable(true, 0);
  probe.publish(65535, 0, 1);
  EXPECT_EQ(big.value(1), 0U);
  probe.publish(1, 0, 1);
  EXPECT_EQ(big.value(1), 1U);
  probe.publish(131072 + 7, 0, 1);
  EXPECT_EQ(big.value(1), 3U);
  EXPECT_EQ(small.value(1), 7U);
}

TEST_F(PmuCounter, a_stopped_target_holds_and_loses_the_carry) {
  Counter small(8);
  Counter big(32);
  small.carry_into(&big);
  small.enable(true, 0);
  small.add(256, 1);
  EXPECT_EQ(big.value(1), 0U);
}

TEST_F(PmuCounter, carries_of_many_counters_arrive_after_the_latency_in_order) {
  CarryPath path(1000);
  Counter a(8);
  Counter b(8);
  Counter total(32);
  std::vector<Picoseconds> arrivals;
  total.set_value(0xffff'fffe, 0);
  total.on_overflow([](void* context, std::uint64_t,
                       Picoseconds when) { static_cast<std::vector<Picoseconds>*>(context)->push_back(when); },
                    &arrivals);
  for (Counter* counter : {&a, &b, &total}) counter->enable(true, 0);
  a.carry_into(&total, &path);
  b.carry_into(&total, &path);
  run([&] {
    testing::advance_to(100);
    a.add(256, 100);
    b.add(256, 100);  // the same instant: both arrive
    b.add(256, 400);  // ahead of simulated time
    a.add(512, 250);  // sorted in between; two wraps at once
    EXPECT_EQ(path.under_way(), 4U);
    testing::advance_to(1099);
    EXPECT_EQ(total.value(1099), 0xffff'fffeU);
    testing::advance_to(1101);
    EXPECT_EQ(total.value(1101), 0U);
    EXPECT_EQ(arrivals, std::vector<Picoseconds>{1100});
    testing::advance_to(1251);
    EXPECT_EQ(total.value(1251), 2U);
    path.settle(1400);  // an access ahead of time sees all that arrives before it
    EXPECT_EQ(total.value(1400), 3U);
    EXPECT_EQ(path.under_way(), 0U);
    testing::advance_to(2000);
    EXPECT_EQ(total.value(2000), 3U);
    a.add(256, 2000);
    path.clear();
    testing::advance_to(4000);
    EXPECT_EQ(total.value(4000), 3U);
  });
}

TEST_F(PmuCounter, more_carries_than_room_are_kept) {
  CarryPath path(50, 2);
  Counter small(8);
  Counter total(64);
  small.carry_into(&total, &path);
  small.enable(true, 0);
  total.enable(true, 0);
  run([&] {
    for (unsigned i = 0; i < 1000; ++i) small.add(256, i / 30);
    EXPECT_EQ(path.under_way(), 1000U);
    testing::advance(200);
    EXPECT_EQ(total.value(200), 1000U);
  });
}

TEST_F(PmuCounter, a_queue_lets_so_many_carries_through_per_clock_and_loses_what_it_has_no_room_for) {
  const ClockDomain clock("clk", 1'000'000'000);  // an edge each 1,000 ps
  CarryPath path(300, {.clock = &clock, .per_cycle = 2, .room = 3});
  Counter small(8);
  Counter total(32);
  small.carry_into(&total, &path);
  small.enable(true, 0);
  total.enable(true, 0);
  run([&] {
    testing::advance_to(5'000);
    small.add(4 * 256, 5'000);  // arrive at 5,300: three wait, the fourth is lost
    EXPECT_EQ(path.lost(), 1U);
    EXPECT_EQ(path.under_way(), 3U);
    testing::advance_to(5'999);
    EXPECT_EQ(total.value(5'999), 0U);
    testing::advance_to(6'001);
    EXPECT_EQ(total.value(6'001), 2U);
    small.add(256, 6'001);  // leaves with the third, at 7,000
    small.add(256, 6'100);  // waits for 8,000
    testing::advance_to(7'001);
    EXPECT_EQ(total.value(7'001), 4U);
    small.add(256, 7'700);  // arrives at an edge, 8,000, and leaves at it
    EXPECT_EQ(path.lost(), 1U);
    testing::advance_to(8'001);
    EXPECT_EQ(total.value(8'001), 6U);
    EXPECT_EQ(path.under_way(), 0U);
    EXPECT_EQ(path.longest_queue(), 3U);
    EXPECT_THROW(CarryPath(0, CarryPath::Queue{}), std::invalid_argument);
  });
}

// ---- Counters of cycles

using PmuCycleCounter = testing::SimulationTest;
constexpr Picoseconds kSecond = 1'000'000'000'000;

struct Log {
  std::vector<Picoseconds> overflows;
  explicit Log(CycleCounter& counter) {
    counter.on_overflow([](void* context, Picoseconds when) { static_cast<Log*>(context)->overflows.push_back(when); },
                        this);
  }
};

TEST_F(PmuCycleCounter, cycles_that_pass_at_once_count_while_it_runs) {
  const ClockDomain clock("clk", 1'000'000'000);
  CycleCounter counter(clock, 40);
  counter.pass(5, 0);
  EXPECT_EQ(counter.value(0), 0U);
  counter.start(0);
  counter.start(700);  // it runs already
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

TEST_F(PmuCycleCounter, widths_outside_1_to_64_are_refused) {
  const ClockDomain clock("clk", 1000);
  EXPECT_THROW(CycleCount(clock, 0), std::invalid_argument);
  EXPECT_THROW(CycleCount(clock, 65), std::invalid_argument);
}

}  // namespace
}  // namespace pmufab
