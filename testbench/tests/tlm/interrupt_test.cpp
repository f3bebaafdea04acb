// SPDX-License-Identifier: Apache-2.0
#include "tlm/interrupt/interrupt.h"

#include <vector>

#include <gtest/gtest.h>

#include "testbench/support/interrupt_probe.h"
#include "testbench/support/simulation_test.h"

namespace pmufab {
namespace {

using Change = testing::InterruptProbe::Change;
using Message = testing::MessageProbe::Message;

TEST(InterruptLine, starts_low_and_is_level_unless_told) {
  const InterruptLine line("irq");
  EXPECT_FALSE(line.is_high());
  EXPECT_EQ(line.trigger(), InterruptTrigger::level);
  EXPECT_EQ(line.name(), "irq");
  EXPECT_EQ(line.rising_edges(), 0U);
  EXPECT_EQ(InterruptLine("edge", InterruptTrigger::edge).trigger(), InterruptTrigger::edge);
}

TEST(InterruptLine, tells_changes_only) {
  for (const InterruptTrigger trigger : {InterruptTrigger::level, InterruptTrigger::edge}) {
    InterruptLine line("irq", trigger);
    std::vector<bool> told;
    line.listen([&](bool high) { told.push_back(high); });
    for (const bool level : {false, true, true, false, false, true, false}) line.drive(level);
    EXPECT_EQ(told, (std::vector<bool>{true, false, true, false}));
    EXPECT_EQ(line.rising_edges(), 2U);
    EXPECT_FALSE(line.is_high());
  }
}

TEST(InterruptLine, counts_and_keeps_its_level_without_a_listener) {
  InterruptLine line("irq");
  line.drive(true);
  EXPECT_TRUE(line.is_high());
  EXPECT_EQ(line.rising_edges(), 1U);
}

TEST(InterruptLine, tells_a_new_listener_a_high_level_at_once_and_a_low_one_not) {
  InterruptLine line("irq");
  std::vector<bool> told;
  line.listen([&](bool high) { told.push_back(high); });
  EXPECT_TRUE(told.empty());
  line.drive(true);
  told.clear();
  line.listen([&](bool high) { told.push_back(high); });
  EXPECT_EQ(told, (std::vector<bool>{true}));
  EXPECT_EQ(line.rising_edges(), 1U);
}

TEST(InterruptLine, replaces_and_removes_its_listener) {
  InterruptLine line("irq");
  unsigned first = 0;
  unsigned second = 0;
  line.listen([&](bool) { ++first; });
  line.listen([&](bool) { ++second; });
  line.drive(true);
  line.listen({});
  line.drive(false);
  EXPECT_EQ(first, 0U);
  EXPECT_EQ(second, 1U);
}

TEST(InterruptLine, shows_the_new_level_to_its_listener_which_may_drive_it_back) {
  InterruptLine line("irq");
  std::vector<bool> told;
  line.listen([&](bool high) {
    EXPECT_EQ(line.is_high(), high);
    told.push_back(high);
    if (high) line.drive(false);
  });
  line.drive(true);
  EXPECT_FALSE(line.is_high());
  EXPECT_EQ(told, (std::vector<bool>{true, false}));
}

using InterruptInSimulation = testing::SimulationTest;

TEST_F(InterruptInSimulation, a_change_is_told_in_the_same_delta_cycle) {
  InterruptLine line("irq");
  testing::InterruptProbe probe(line);
  run([&] {
    testing::advance(1'234);
    const auto delta = sc_core::sc_delta_count();
    line.drive(true);
    EXPECT_EQ(probe.changes(), (std::vector<Change>{{1'234, true}}));
    EXPECT_EQ(sc_core::sc_delta_count(), delta);
    testing::advance(1);
    line.drive(false);
    EXPECT_EQ(probe.changes().back(), (Change{1'235, false}));
  });
}

TEST_F(InterruptInSimulation, messages_arrive_one_by_one_at_the_time_they_are_sent) {
  MessageInterrupt interrupt("msi");
  testing::MessageProbe probe(interrupt);
  run([&] {
    interrupt.send(0xfee0'0000, 0x41);
    testing::advance(500);
    interrupt.send(0xfee0'0000, 0x41);
    interrupt.send(0xfee1'0000, 0x42);
  });
  EXPECT_EQ(probe.messages(),
            (std::vector<Message>{{0, 0xfee0'0000, 0x41}, {500, 0xfee0'0000, 0x41}, {500, 0xfee1'0000, 0x42}}));
  EXPECT_EQ(interrupt.sent(), 3U);
}

TEST(MessageInterrupt, counts_messages_nobody_hears) {
  MessageInterrupt interrupt("msi");
  interrupt.send(0, 0);
  unsigned heard = 0;
  interrupt.listen([&](std::uint64_t, std::uint32_t) { ++heard; });
  EXPECT_EQ(heard, 0U);
  interrupt.send(0, 0);
  interrupt.listen({});
  interrupt.send(0, 0);
  EXPECT_EQ(heard, 1U);
  EXPECT_EQ(interrupt.sent(), 3U);
  EXPECT_EQ(interrupt.name(), "msi");
}

}  // namespace
}  // namespace pmufab
