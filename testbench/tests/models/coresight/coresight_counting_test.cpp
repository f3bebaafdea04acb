// SPDX-License-Identifier: Apache-2.0
// What counts, and when a counter overflows and interrupts, in cases that random programs do not have.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/tests/models/coresight/coresight_rig.h"

namespace pmufab::coresight {
namespace {

using Change = testing::InterruptProbe::Change;
using Changes = std::vector<Change>;

class CoreSightCounting : public testing::SimulationTest {};

TEST_F(CoreSightCounting, refresh_asks_the_resolver_again) {
  Probe probe("p");
  std::uint64_t qualifiers = 1;
  const ClockDomain clock("clk", 1'000'000'000);
  CoreSightPmu pmu("pmu", {.counters = 4, .width = 32}, clock, [&](const CounterProgram& program) {
    return program.event == 3 ? CounterInput::of(probe, qualifiers) : CounterInput{};
  });
  testing::Initiator cpu("cpu");
  cpu.socket.bind(pmu.socket);
  run([&] {
    cpu.put32(kPmevtyper, 3);
    cpu.put32(kPmcntenset, 3);
    cpu.put32(kPmcr, 1);
    probe.publish(1, 1, testing::now());
    EXPECT_EQ(cpu.get32(0), 0U);
    qualifiers = 2;
    pmu.refresh();
    probe.publish(1, 1, testing::now());
    EXPECT_EQ(cpu.get32(0), 1U);
    EXPECT_EQ(cpu.get32(4), 0U);
  });
}

TEST_F(CoreSightCounting, a_counter_adds_up_what_several_probes_publish) {
  Probe one("one");
  Probe other("other");
  const ProbeChoices both{{&one, 0b01}, {&other, 0b10}};
  const ProbeChoices none;
  const ClockDomain clock("clk", 1'000'000'000);
  CoreSightPmu pmu("pmu", {.counters = 4, .width = 32}, clock,
                   [&](const CounterProgram& program) { return CounterInput::of(program.event == 3 ? both : none); });
  testing::Initiator cpu("cpu");
  cpu.socket.bind(pmu.socket);
  run([&] {
    cpu.put32(kPmevtyper, 3);
    cpu.put32(kPmevtyper + 4, 4);
    cpu.put32(kPmcntenset, 3);
    cpu.put32(kPmcr, 1);
    one.publish(1, 0, testing::now());
    one.publish(2, 1, testing::now());
    other.publish(4, 0, testing::now());
    other.publish(8, 1, testing::now());
    EXPECT_EQ(cpu.get32(0), 9U);
    EXPECT_EQ(cpu.get32(4), 0U);
    cpu.put32(kPmevtyper, 4);
    other.publish(8, 1, testing::now());
    EXPECT_EQ(cpu.get32(0), 9U);
    EXPECT_FALSE(one.is_watched());
    EXPECT_FALSE(other.is_watched());
  });
}

TEST_F(CoreSightCounting, an_event_number_twice_in_a_table_is_refused) {
  Probe probe("p");
  EventTable table;
  table.add(1, probe);
  EXPECT_THROW(table.add(1, probe), std::invalid_argument);
  EXPECT_THROW(table.add_clock(1), std::invalid_argument);
}

TEST_F(CoreSightCounting, an_overflow_of_traffic_ahead_of_time_shows_at_its_own_instant) {
  CoreSightRig rig({.counters = 8, .width = 16});
  testing::InterruptProbe interrupt(rig.line);
  run([&] {
    rig.write_type(0, 0x10);
    rig.write_type(1, 0x10);
    rig.write_counter(0, 0xffff);
    rig.write_counter(1, 0xfffe);
    rig.cpu.put32(kPage0 + kPmintenset, 3);
    rig.cpu.put32(kPage0 + kPmcntenset, 3);
    rig.control(1);
    testing::advance_to(1000);
    rig.probes[0].publish(1, 0, 5777);
    rig.probes[0].publish(1, 0, 6888);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 0U);
    // An access that is ahead of simulated time sees what happens before it.
    testing::Initiator::Access ahead{
        .address = kPage0 + kPmovsclr, .data = std::vector<std::uint8_t>(4), .delay = 6000 - 1000};
    rig.cpu.wait_for_delay = false;
    EXPECT_EQ(rig.cpu.transport(ahead).data, 1U);
    ahead.delay = 5776 - 1000;
    EXPECT_EQ(rig.cpu.transport(ahead).data, 0U);
    testing::advance_to(5776);
    EXPECT_FALSE(rig.line.is_high());
    testing::advance_to(5777);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 1U);  // the first access at that instant sees it
    testing::advance_to(6887);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 1U);
    testing::advance_to(6889);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 3U);
    EXPECT_EQ(interrupt.changes(), (Changes{{5777, true}}));
  });
}

TEST_F(CoreSightCounting, accesses_ahead_of_time_move_the_line_at_their_own_instants) {
  CoreSightRig rig({.counters = 8, .width = 16});
  testing::InterruptProbe interrupt(rig.line);
  run([&] {
    rig.cpu.wait_for_delay = false;
    const auto write_at = [&](Picoseconds when, std::uint64_t reg, std::uint8_t value) {
      testing::Initiator::Access access{.command = tlm::TLM_WRITE_COMMAND,
                                        .address = kPage0 + reg,
                                        .data = {value, 0, 0, 0},
                                        .delay = when - testing::now()};
      EXPECT_TRUE(rig.cpu.transport(access).ok());
    };
    rig.put_bit(kPmintenset, 0);
    write_at(500, kPmovsset, 1);
    write_at(700, kPmovsclr, 1);
    write_at(900, kPmovsset, 1);
    testing::advance_to(2000);
    EXPECT_EQ(interrupt.changes(), (Changes{{500, true}, {700, false}, {900, true}}));
    // At one instant: down and up again is an edge; up and down again is nothing.
    interrupt.clear();
    write_at(2500, kPmovsclr, 1);
    write_at(2500, kPmovsset, 1);
    write_at(2600, kPmovsclr, 1);
    write_at(2700, kPmovsset, 1);
    write_at(2700, kPmovsclr, 1);
    testing::advance_to(3000);
    EXPECT_EQ(interrupt.changes(), (Changes{{2500, false}, {2500, true}, {2600, false}}));
  });
}

TEST_F(CoreSightCounting, accesses_ahead_of_time_see_the_clock_overflows_before_them) {
  CoreSightRig rig({.counters = 8, .width = 16});
  testing::InterruptProbe interrupt(rig.line);
  run([&] {
    rig.cpu.wait_for_delay = false;
    const auto access_at = [&](Picoseconds when, tlm::tlm_command command, std::uint64_t offset, std::uint8_t value) {
      testing::Initiator::Access access{
          .command = command, .address = kPage0 + offset, .data = {value, 0, 0, 0}, .delay = when - testing::now()};
      return rig.cpu.transport(access).data;
    };
    rig.write_type(1, kClockEvent);
    rig.write_counter(1, 0xfffe);
    rig.put_bit(kPmintenset, 1);
    rig.put_bit(kPmcntenset, 1);
    rig.control(1);  // edges at 0 and 1000: the second wraps
    EXPECT_EQ(access_at(1000, tlm::TLM_READ_COMMAND, kPmovsclr, 0), 0U);
    EXPECT_EQ(access_at(1001, tlm::TLM_READ_COMMAND, kPmovsclr, 0), 2U);
    EXPECT_EQ(access_at(9000, tlm::TLM_READ_COMMAND, 4, 0), 7U);
    access_at(9000, tlm::TLM_WRITE_COMMAND, kPmovsclr, 2);
    EXPECT_EQ(access_at(9000, tlm::TLM_READ_COMMAND, kPmovsclr, 0), 0U);
    testing::advance_to(100'000);
    EXPECT_EQ(interrupt.changes(), (Changes{{1001, true}, {9000, false}}));
    EXPECT_EQ(rig.get_mask(kPmovsclr), 0U);
  });
}

// The register side of C34; the driver side is tested with the driver host.
TEST_F(CoreSightCounting, an_edge_line_rises_anew_for_an_overflow_at_the_instant_of_the_clear) {
  CoreSightRig rig({.counters = 8, .width = 16}, InterruptTrigger::edge);
  testing::InterruptProbe interrupt(rig.line);
  run([&] {
    rig.write_type(0, 0x10);
    rig.write_counter(0, 0xffff);
    rig.put_bit(kPmintenset, 0);
    rig.put_bit(kPmcntenset, 0);
    rig.control(1);
    testing::advance(100);
    rig.probes[0].publish(1, 0, testing::now());
    testing::advance(100);
    EXPECT_EQ(rig.line.rising_edges(), 1U);
    rig.write_counter(0, 0xffff);
    rig.put_bit(kPmovsclr, 0);
    rig.probes[0].publish(1, 0, testing::now());
    testing::advance(100);
    EXPECT_EQ(rig.line.rising_edges(), 2U);
    EXPECT_EQ(interrupt.changes(), (Changes{{100, true}, {200, false}, {200, true}}));
    // A rise that is revoked at the same instant is no edge.
    rig.put_bit(kPmovsclr, 0);
    testing::advance(100);
    rig.write_counter(0, 0xffff);
    rig.probes[0].publish(1, 0, testing::now());
    rig.put_bit(kPmovsclr, 0);
    testing::advance(100);
    EXPECT_EQ(rig.line.rising_edges(), 2U);
  });
}

TEST_F(CoreSightCounting, a_handler_that_answers_at_once_may_stop_the_counter_it_was_called_for) {
  CoreSightRig rig({.counters = 8, .width = 16});
  unsigned calls = 0;
  run([&] {
    rig.line.listen([&](bool high) {
      if (!high) return;
      ++calls;
      rig.control(0);
      rig.cpu.put32(kPage0 + kPmovsclr, rig.get_mask(kPmovsclr));
      rig.write_counter(0, 0xfffe);
      rig.write_counter(1, 0xfffe);
      rig.control(1);
    });
    for (const unsigned counter : {0U, 1U}) {
      rig.write_type(counter, 0x10);
      rig.write_counter(counter, 0xfffe);
    }
    rig.cpu.put32(kPage0 + kPmintenset, 3);
    rig.cpu.put32(kPage0 + kPmcntenset, 3);
    rig.control(1);
    for (int i = 0; i < 100; ++i) {
      rig.probes[0].publish(1, 0, testing::now());
      testing::advance(10);
    }
    EXPECT_EQ(calls, 50U);
    EXPECT_FALSE(rig.line.is_high());
  });
}

TEST_F(CoreSightCounting, an_idle_hour_with_cycle_counters_running_takes_no_time) {
  CoreSightRig rig({.counters = 8, .width = 16}, InterruptTrigger::level, 2'400'000'000);
  constexpr Picoseconds kHour = 3600ULL * 1'000'000'000'000;
  run(
      [&] {
        rig.write_type(0, kClockEvent);
        rig.cpu.put32(kPage0 + kPmcntenset, ~0U);
        rig.control(1);
        testing::advance(kHour);  // stepping would exceed the test's limit of 300 s
        EXPECT_EQ(rig.read_counter(0), 3600ULL * 2'400'000'000 % 65536);
        EXPECT_EQ(rig.get_mask(kPmovsclr), 1U << 31 | 1);
      },
      2 * kHour);
}

}  // namespace
}  // namespace pmufab::coresight
