// SPDX-License-Identifier: Apache-2.0
// What a CPMU counts, and when it overflows, freezes and sends messages.

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/fabrics/cxl/tests/model/cxl_cpmu_rig.h"

namespace pmufab::cxl {
namespace {

using enum CounterType;
using testing::advance;
using testing::advance_to;
using testing::now;
using Times = std::vector<Picoseconds>;

using CxlCpmuCounting = testing::SimulationTest;

TEST_F(CxlCpmuCounting, a_counter_that_freezes_all_stops_at_its_wrap_with_the_events_of_that_clock) {
  CpmuRig rig({.counters = std::vector<CpmuCounterParameters>(4), .width = 16});
  run([&] {
    const std::uint64_t armed = kEnable | kInterrupt | kGlobalFreeze;
    rig.put(configuration(0), armed | events(1) | group(kM2sReq));
    rig.put(configuration(1), armed | events(1) | group(kM2sReq));  // overflows in the same instant
    rig.put(configuration(2), armed | events(2) | group(kM2sReq));
    rig.put(configuration(3), armed | events(1) | group(kClock));
    for (int i = 0; i < 65'535; ++i) rig.publish(0);
    advance(5'300);
    const Picoseconds overflow = now();
    rig.publish(0);
    rig.publish(1);
    advance(600);
    rig.publish(1);
    advance(100);  // the edge at 6000 ps: an access at that instant is late
    rig.publish(1);
    advance(10'000);
    rig.publish(0);
    EXPECT_EQ(rig.get(data(0)), 0U);
    EXPECT_EQ(rig.get(data(1)), 0U);
    EXPECT_EQ(rig.get(data(2)), 2U);
    EXPECT_EQ(rig.get(data(3)), 6U);
    EXPECT_EQ(rig.get(kOverflowStatus), 3U);
    EXPECT_EQ(rig.take_messages(), (Times{overflow, overflow}));
  });
}

// An access at the instant of a DDR command, or of a clock edge, comes before it. So a handler that the event calls must
// not be as early. Messages of links come in the order of calls.
TEST_F(CxlCpmuCounting, an_overflow_by_a_timed_event_is_told_one_picosecond_after_it) {
  CpmuRig rig({.counters = std::vector<CpmuCounterParameters>(2), .width = 8});
  run([&] {
    rig.put(configuration(0), kEnable | kInterrupt | events(1) | group(kDdr));
    rig.put(configuration(1), kEnable | kInterrupt | events(1) | group(kM2sReq));
    advance(5'000);
    rig.publish(3, 256);
    EXPECT_EQ(rig.get(kOverflowStatus), 1U);
    advance(1'000);
    EXPECT_EQ(rig.take_messages(), Times{5'001});
    rig.publish(0, 256);
    advance(1);
    EXPECT_EQ(rig.take_messages(), Times{6'000});
  });
}

TEST_F(CxlCpmuCounting, traffic_ahead_of_time_freezes_exactly_and_tells_in_its_own_time) {
  CpmuRig rig({.counters = std::vector<CpmuCounterParameters>(4), .width = 8});
  run([&] {
    const std::uint64_t armed = kEnable | kInterrupt | kGlobalFreeze;
    rig.put(configuration(0), armed | events(1) | group(kM2sReq));
    rig.put(configuration(1), armed | events(2) | group(kM2sReq));
    rig.put(configuration(2), armed | threshold(1) | events(2) | group(kM2sReq));
    rig.put(configuration(3), armed | kInvert | threshold(1) | events(2) | group(kM2sReq));
    rig.probes[0].publish(255, 0, 100);
    rig.probes[0].publish(1, 0, 7'400);
    rig.probes[1].publish(5, 0, 7'999);
    rig.probes[1].publish(5, 0, 8'000);
    rig.probes[0].publish(1000, 0, 9'000);
    rig.probes[1].publish(1000, 0, 300'000);  // without the freeze, idle clocks would have overflowed counter 3
    advance_to(7'399);
    EXPECT_TRUE(rig.take_messages().empty());
    advance_to(500'000);
    EXPECT_EQ(rig.take_messages(), Times{7'400});
    EXPECT_EQ(rig.get(data(0)), 0U);
    EXPECT_EQ(rig.get(data(1)), 5U);
    EXPECT_EQ(rig.get(data(2)), 0U);  // the freeze precedes the sample of that clock
    EXPECT_EQ(rig.get(data(3)), 8U);
    EXPECT_EQ(rig.get(kOverflowStatus), 1U);
    EXPECT_EQ(rig.get(kFreeze), 0xfU);
  });
}

TEST_F(CxlCpmuCounting, an_overflow_found_late_by_traffic_ahead_of_time_keeps_its_instant) {
  CpmuRig rig({.counters = std::vector<CpmuCounterParameters>(3), .width = 8});
  run([&] {
    rig.put(data(0), 254);
    rig.put(configuration(0), kEnable | kInterrupt | kGlobalFreeze | threshold(1) | events(1) | group(kM2sReq));
    rig.put(configuration(1), kEnable | events(2) | group(kM2sReq));
    rig.probes[0].publish(1, 0, 100);
    rig.probes[0].publish(1, 0, 1'500);   // its clock is sampled at 2000 ps
    rig.probes[0].publish(1, 0, 50'000);  // only this event discovers it
    EXPECT_EQ(rig.get(kOverflowStatus), 1U);
    rig.put(configuration(2), kEnable | events(2) | group(kM2sReq));  // starts while the freeze is under way
    rig.probes[1].publish(3, 0, 2'999);
    rig.probes[1].publish(3, 0, 3'000);
    EXPECT_EQ(rig.get(kFreeze), 0U);
    advance(2'000);
    EXPECT_TRUE(rig.take_messages().empty());
    advance(98'000);
    EXPECT_EQ(rig.take_messages(), Times{2'001});
    EXPECT_EQ(rig.get(data(0)), 0U);
    EXPECT_EQ(rig.get(data(1)), 3U);
    EXPECT_EQ(rig.get(data(2)), 3U);
    EXPECT_EQ(rig.get(kFreeze), 7U);
  });
}

TEST_F(CxlCpmuCounting, overflows_by_the_clock_come_on_time_with_nothing_stepped) {
  CpmuRig rig({.counters = std::vector<CpmuCounterParameters>(4), .width = 48});
  run(
      [&] {
        constexpr Picoseconds kHour = 3600ULL * 1'000'000'000'000;
        const std::uint64_t hour = 3600ULL * 1'000'000'000;
        rig.put(data(0), (1ULL << 48) - hour);
        rig.put(data(1), (1ULL << 48) - 2 * hour);
        rig.put(data(2), (1ULL << 48) - 1);
        rig.put(configuration(0), kEnable | kInterrupt | events(1) | group(kClock));
        rig.put(configuration(1),
                kEnable | kInterrupt | kGlobalFreeze | threshold(3) | kInvert | events(7) | group(kM2sReq));
        rig.put(configuration(2), kEnable | kInterrupt | threshold(2) | events(1) | group(kM2sReq));
        rig.put(configuration(3), kEnable | events(1) | group(kM2sReq));
        advance(3 * kHour / 2);
        EXPECT_EQ(rig.take_messages(), Times{kHour - 1'000 + 1});
        rig.publish(0, 4);  // one busy clock: counter 1 is a clock late, and counter 2 overflows
        advance(kHour);
        EXPECT_EQ(rig.take_messages(), (Times{3 * kHour / 2 + 1'001, 2 * kHour + 1}));
        EXPECT_EQ(rig.get(data(0)), hour + 1);  // the edge of the overflow, and then the freeze at the next
        EXPECT_EQ(rig.get(data(1)), 0U);
        EXPECT_EQ(rig.get(data(2)), 0U);
        EXPECT_EQ(rig.get(data(3)), 4U);
      },
      4ULL * 3600 * 1'000'000'000'000);
}

TEST_F(CxlCpmuCounting, an_access_with_a_delay_sees_what_happens_until_then) {
  CpmuRig rig({.counters = std::vector<CpmuCounterParameters>(4), .width = 48});
  run([&] {
    rig.put(data(0), (1ULL << 48) - 40);
    rig.put(configuration(0), kEnable | kInterrupt | events(1) | group(kClock));
    advance(30'000);
    for (const auto& [delay, status] : {std::pair{Picoseconds{8'000}, 0}, std::pair{Picoseconds{15'000}, 1}}) {
      testing::Initiator::Access read{.command = tlm::TLM_READ_COMMAND,
                                      .address = kBase + kOverflowStatus,
                                      .data = std::vector<std::uint8_t>(8),
                                      .delay = delay};
      rig.cpu.wait_for_delay = false;
      EXPECT_TRUE(rig.cpu.transport(read).ok());
      EXPECT_EQ(read.data[0], status) << delay;
    }
  });
}

// contract B15
TEST_F(CxlCpmuCounting, a_whole_turn_of_clock_ticks_ends_at_its_edge_even_after_days) {
  CpmuRig rig({.counters = std::vector<CpmuCounterParameters>(1), .width = 48});
  constexpr Picoseconds kTurn = 1'000ULL << 48;  // 78 hours of a clock of 1 GHz
  run(
      [&] {
        rig.put(kFreeze, 1);
        rig.put(configuration(0), kEnable | kInterrupt | kGlobalFreeze | events(1) | group(kClock));
        advance_to(5'500);
        rig.put(kFreeze, 0);
        advance_to(kTurn + 4'999);  // the tick at 6 ns is the first
        EXPECT_EQ(rig.get(data(0)), (1ULL << 48) - 1);
        advance_to(kTurn + 5'000);
        EXPECT_TRUE(rig.take_messages().empty());
        advance_to(2 * kTurn);
        EXPECT_EQ(rig.take_messages(), Times{kTurn + 5'001});
        EXPECT_EQ(rig.get(data(0)), 0U);
        EXPECT_EQ(rig.get(kOverflowStatus), 1U);
        EXPECT_EQ(rig.get(kFreeze), 1U);
      },
      3 * kTurn);
}
}  // namespace
}  // namespace pmufab::cxl
