// SPDX-License-Identifier: Apache-2.0
// What counts, and when a counter overflows and interrupts.

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/tests/models/coresight/coresight_rig.h"

namespace pmufab::coresight {
namespace {

using Change = testing::InterruptProbe::Change;
using Changes = std::vector<Change>;

class CoreSightCounting : public testing::SimulationTest {
 protected:
  void check_driver_preset(unsigned width, bool atomic);
};

TEST_F(CoreSightCounting, a_counter_counts_its_event_while_it_and_the_pmu_are_enabled) {
  CoreSightRig rig({.counters = 8, .width = 32});
  run([&] {
    const auto publish = [&] {
      for (Probe& probe : rig.probes) probe.publish(1, 3, testing::now());
    };
    rig.write_type(0, 0x10);
    rig.write_type(1, 0x11);
    rig.write_type(2, 0x11);
    rig.write_type(3, 0x77);  // unknown
    publish();
    rig.cpu.put32(kPage0 + kPmcntenset, 0x0f);
    publish();
    rig.control(1);
    publish();
    publish();
    rig.put_bit(kPmcntenclr, 1);
    publish();
    rig.control(0);
    publish();
    EXPECT_EQ(rig.read_counter(0), 3U);
    EXPECT_EQ(rig.read_counter(1), 2U);
    EXPECT_EQ(rig.read_counter(2), 3U);
    EXPECT_EQ(rig.read_counter(3), 0U);
    EXPECT_EQ(rig.read_counter(4), 0U);
    rig.control(1);  // continues from its old value
    publish();
    EXPECT_EQ(rig.read_counter(0), 4U);
  });
}

TEST_F(CoreSightCounting, type_filter_and_value_can_change_while_the_counter_runs) {
  CoreSightRig rig({.counters = 8, .width = 64});
  run([&] {
    rig.cpu.put32(kPage0 + kPmcntenset, 1);
    rig.control(1);
    rig.probes[0].publish(1, 4, testing::now());  // event 0: unknown
    rig.write_type(0, 0x10);
    rig.probes[0].publish(2, 4, testing::now());
    rig.cpu.put32(kPage0 + kPmevfiltr, 1U << 5);
    rig.probes[0].publish(4, 4, testing::now());
    rig.probes[0].publish(8, 5, testing::now());
    rig.cpu.put32(kPage0 + kPmevfilt2r, 1U << 31);  // qualifier 63
    rig.probes[0].publish(16, 63, testing::now());
    rig.write_type(0, 0x11);
    rig.probes[0].publish(32, 5, testing::now());
    rig.probes[1].publish(64, 5, testing::now());
    EXPECT_EQ(rig.read_counter(0), 2U + 8U + 16U + 64U);
    rig.write_counter(0, 1000);
    rig.probes[1].publish(1, 5, testing::now());
    EXPECT_EQ(rig.read_counter(0), 1001U);
  });
}

TEST_F(CoreSightCounting, a_clock_event_on_a_regular_counter_follows_the_clock_and_keeps_its_value_on_a_change) {
  CoreSightRig rig({.counters = 8, .width = 32}, InterruptTrigger::level, 2'400'000'000);
  run([&] {
    rig.write_type(0, kClockEvent);
    rig.put_bit(kPmcntenset, 0);
    rig.put_bit(kPmcntenset, 31);
    rig.cpu.put32(kPage0 + kPmevfiltr, 1);  // whatever the filter
    testing::advance(1'000'000);
    EXPECT_EQ(rig.read_counter(0), 0U);
    rig.control(1);
    testing::advance(1'000'000);
    rig.control(0);
    testing::advance(1'000'000);
    EXPECT_EQ(rig.read_counter(0), 2400U);
    EXPECT_EQ(rig.read_counter(31), 2400U);
    rig.control(1);
    testing::advance(1'000'000);
    rig.write_type(0, 0x10);
    testing::advance(1'000'000);
    rig.probes[0].publish(7, 0, testing::now());
    EXPECT_EQ(rig.read_counter(0), 4807U);
    rig.write_type(0, kClockEvent);
    testing::advance(1'000'000);
    EXPECT_EQ(rig.read_counter(0), 7207U);
    rig.control(3);
    testing::advance(1'000'000);
    EXPECT_EQ(rig.read_counter(0), 2400U);
    EXPECT_EQ(rig.read_counter(31), 4U * 2400 + 2400);
  });
}

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

/// The driver's way: preset to half, one event more than the other half overflows, and nothing is lost.
void CoreSightCounting::check_driver_preset(unsigned width, bool atomic) {
  CoreSightRig rig({.counters = 8, .width = width, .dual_page = true, .atomic_64bit = atomic});
  testing::InterruptProbe interrupt(rig.line);
  run([&] {
    const std::uint64_t half = rig.maximum() >> 1;
    rig.write_type(2, 0x12);
    rig.write_counter(2, half);
    rig.put_bit(kPmintenset, 2);
    rig.put_bit(kPmcntenset, 2);
    rig.control(1);
    testing::advance(1000);
    rig.probes[2].publish(half, 0, testing::now());  // 2^(width-1) - 1 events
    EXPECT_EQ(rig.read_counter(2), rig.maximum() - 1);
    rig.probes[2].publish(1, 0, testing::now());
    EXPECT_EQ(rig.read_counter(2), rig.maximum());
    testing::advance(1000);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 0U);
    EXPECT_FALSE(interrupt.is_high());
    const Picoseconds when = testing::now();
    rig.probes[2].publish(1, 0, when);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 4U);
    testing::advance(1);
    EXPECT_EQ(interrupt.changes(), (Changes{{when, true}}));
    EXPECT_EQ(rig.read_counter(2), 0U);
    rig.probes[2].publish(3, 0, testing::now());  // goes on counting
    rig.control(0);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 4U);
    rig.put_bit(kPmovsclr, 2);
    EXPECT_FALSE(interrupt.is_high());
    EXPECT_EQ((rig.read_counter(2) - half) & rig.maximum(), half + 2 + 3);
    rig.write_counter(2, half);
    rig.control(1);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 0U);
  });
}

// The register side of C29; the driver side is tested with the driver host.
TEST_F(CoreSightCounting, overflow_after_half_the_range_is_exact_with_16_bits) { check_driver_preset(16, true); }
// The register side of C29; the driver side is tested with the driver host.
TEST_F(CoreSightCounting, overflow_after_half_the_range_is_exact_with_32_bits) { check_driver_preset(32, true); }
// The register side of C29; the driver side is tested with the driver host.
TEST_F(CoreSightCounting, overflow_after_half_the_range_is_exact_with_40_bits) { check_driver_preset(40, true); }
// The register side of C29; the driver side is tested with the driver host.
TEST_F(CoreSightCounting, overflow_after_half_the_range_is_exact_with_40_bits_in_halves) {
  check_driver_preset(40, false);
}
// The register side of C29; the driver side is tested with the driver host.
TEST_F(CoreSightCounting, overflow_after_half_the_range_is_exact_with_64_bits) { check_driver_preset(64, true); }

// contract C10
TEST_F(CoreSightCounting, writing_back_the_status_read_keeps_an_overflow_that_came_in_between) {
  CoreSightRig rig({.counters = 8, .width = 16});
  testing::InterruptProbe interrupt(rig.line);
  run([&] {
    for (const unsigned counter : {0U, 1U}) {
      rig.write_type(counter, 0x10 + counter);
      rig.write_counter(counter, 0xffff);
    }
    rig.cpu.put32(kPage0 + kPmintenset, 3);
    rig.cpu.put32(kPage0 + kPmcntenset, 3);
    rig.control(1);
    rig.probes[0].publish(1, 0, testing::now());
    testing::advance(100);
    const std::uint32_t status = rig.get_mask(kPmovsclr);
    EXPECT_EQ(status, 1U);
    rig.probes[1].publish(1, 0, testing::now());
    testing::advance(100);
    rig.cpu.put32(kPage0 + kPmovsclr, status);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 2U);
    EXPECT_TRUE(interrupt.is_high());
    testing::advance(100);
    EXPECT_EQ(interrupt.changes(), (Changes{{0, true}}));
    // At one instant: an event after the clear stays, an event before it is cleared.
    rig.write_counter(0, 0xffff);
    rig.cpu.put32(kPage0 + kPmovsclr, 3);
    rig.probes[0].publish(1, 0, testing::now());
    EXPECT_EQ(rig.get_mask(kPmovsclr), 1U);
    rig.cpu.put32(kPage0 + kPmovsclr, 3);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 0U);
    testing::advance(100);
    EXPECT_FALSE(interrupt.is_high());
  });
}

TEST_F(CoreSightCounting, the_line_is_the_status_and_the_interrupt_enable_whatever_the_pmu_enable) {
  CoreSightRig rig({.counters = 40, .width = 32, .cycle_counter = false});
  testing::InterruptProbe interrupt(rig.line);
  run([&] {
    const auto step = [] { testing::advance(10); };
    rig.put_bit(kPmovsset, 38);
    EXPECT_FALSE(interrupt.is_high());
    step();
    rig.put_bit(kPmintenset, 38);
    EXPECT_TRUE(interrupt.is_high());
    step();
    rig.put_bit(kPmintenclr, 38);
    EXPECT_FALSE(interrupt.is_high());
    step();
    rig.put_bit(kPmintenset, 38);
    rig.put_bit(kPmintenset, 2);
    rig.put_bit(kPmovsset, 2);
    step();
    rig.put_bit(kPmovsclr, 38);
    EXPECT_TRUE(interrupt.is_high());  // counter 2 still
    rig.control(1);
    rig.control(0);
    step();
    rig.put_bit(kPmovsclr, 2);
    EXPECT_FALSE(interrupt.is_high());
    EXPECT_EQ(interrupt.changes(), (Changes{{10, true}, {20, false}, {30, true}, {50, false}}));
  });
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

TEST_F(CoreSightCounting, cycle_and_clock_counters_overflow_one_picosecond_after_the_wrapping_edge) {
  CoreSightRig rig({.counters = 8, .width = 16}, InterruptTrigger::level, 3'000'000'000);  // 0, 334, 667, 1000, ...
  testing::InterruptProbe interrupt(rig.line);
  run([&] {
    rig.write_type(1, kClockEvent);
    rig.write_counter(31, 0xfff0);
    rig.write_counter(1, 0xfffd);
    rig.cpu.put32(kPage0 + kPmintenset, ~0U);
    rig.cpu.put32(kPage0 + kPmcntenset, 1U << 31 | 2);
    testing::advance_to(1);
    rig.control(1);
    testing::advance_to(1000);
    EXPECT_EQ(rig.read_counter(1), 0xffffU);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 0U);
    testing::advance_to(1001);
    EXPECT_EQ(rig.read_counter(1), 0U);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 2U);
    testing::advance_to(1002);
    rig.cpu.put32(kPage0 + kPmovsclr, 2);
    testing::advance_to(6000);
    // Edge 16 is the sixteenth one after the start.
    EXPECT_EQ(rig.get_mask(kPmovsclr), 1U << 31);
    EXPECT_EQ(interrupt.changes(), (Changes{{1001, true}, {1002, false}, {5335, true}}));
    // From then on a wrap every 65536 edges, each reported once it is cleared.
    rig.cpu.put32(kPage0 + kPmovsclr, ~0U);
    interrupt.clear();
    testing::advance_to(5334 + 65536ULL * 1'000'000 / 3000 + 1000);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 1U << 31 | 2);
    ASSERT_EQ(interrupt.changes().size(), 1U);
    EXPECT_EQ(interrupt.changes()[0].when, rig.clock.time_of_edge(3 + 65536) + 1);
  });
}

TEST_F(CoreSightCounting, writing_stopping_and_starting_a_clock_counter_moves_its_overflow) {
  CoreSightRig rig({.counters = 8, .width = 16});
  testing::InterruptProbe interrupt(rig.line);
  run([&] {
    rig.put_bit(kPmintenset, 31);
    rig.put_bit(kPmcntenset, 31);
    rig.write_counter(31, 0xfff0);
    rig.control(1);
    testing::advance(8'000);
    rig.control(0);  // value fff8
    testing::advance(1'000'000);
    EXPECT_TRUE(interrupt.changes().empty());
    rig.control(1);
    testing::advance(4'000);
    rig.write_counter(31, 0xfff0);
    testing::advance(15'000);  // 15 edges; the sixteenth comes now
    EXPECT_TRUE(interrupt.changes().empty());
    rig.control(5);  // C
    testing::advance(1'000'000);
    EXPECT_TRUE(interrupt.changes().empty());
    EXPECT_EQ(rig.read_counter(31), 1000U);
    rig.write_counter(31, 0xffff);
    rig.put_bit(kPmcntenclr, 31);
    testing::advance(1'000'000);
    EXPECT_TRUE(interrupt.changes().empty());
    rig.put_bit(kPmcntenset, 31);
    const Picoseconds edge = rig.clock.time_of_edge(rig.clock.edges_before(testing::now()));
    testing::advance(1'000'000);
    EXPECT_EQ(interrupt.changes(), (Changes{{edge + 1, true}}));
  });
}

TEST_F(CoreSightCounting, several_counters_overflowing_at_once_set_all_their_bits) {
  CoreSightRig rig({.counters = 64, .width = 16});
  testing::InterruptProbe interrupt(rig.line);
  run([&] {
    for (const unsigned counter : {0U, 5U, 33U, 63U}) {
      rig.write_type(counter, 0x10);
      rig.write_counter(counter, 0xffff);
      rig.put_bit(kPmintenset, counter);
      rig.put_bit(kPmcntenset, counter);
    }
    rig.control(1);
    testing::advance(50);
    rig.probes[0].publish(1, 0, testing::now());
    testing::advance(50);
    EXPECT_EQ(rig.get_mask(kPmovsclr, 0), 0x21U);
    EXPECT_EQ(rig.get_mask(kPmovsclr, 1), 0x8000'0002U);
    EXPECT_EQ(interrupt.changes(), (Changes{{50, true}}));
    rig.cpu.put32(kPage0 + kPmovsclr, 0x21);
    EXPECT_TRUE(interrupt.is_high());
    rig.cpu.put32(kPage0 + kPmovsclr + 4, 0x8000'0002);
    EXPECT_FALSE(interrupt.is_high());
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
