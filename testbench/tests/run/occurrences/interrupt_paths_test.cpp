// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>
#include <systemc>

#include "testbench/run/occurrences/interrupt_paths.h"

namespace pmufab::scenario {
namespace {

using Fate = InterruptFate::Kind;

/// One device with a line of number 40, and one function that sends messages.
class InterruptPathsTest : public ::testing::Test {
 protected:
  explicit InterruptPathsTest(InterruptTrigger trigger = InterruptTrigger::level) : line("line", trigger) {
    platform::FirmwareDescription firmware;
    platform::AcpiDevice device;
    device.interrupts.push_back({40, &line});
    device.interrupts.push_back({40, &line});
    firmware.devices.push_back(device);
    firmware.msi.address = 0x1000;
    firmware.msi.count = 2;
    firmware.msi.sources.push_back(&message);
    shown = paths.cut(firmware);
    shown.devices[0].interrupts[0].line->listen([this](bool high) { seen += high ? '/' : '\\'; });
    shown.msi.sources[0]->listen(
        [this](std::uint64_t /*address*/, std::uint32_t number) { seen += 'm' + std::to_string(number); });
  }

  InterruptLine line;
  MessageInterrupt message{"message"};
  Fate fate = Fate::arrives;
  int first = 0;  // two faults
  int second = 0;
  const void* holder = &first;
  InterruptPaths paths{[this](std::uint32_t) {
    return InterruptFate{.kind = fate, .delay = 10'000'000, .holder = holder, .doubled = [this] { ++doubled; }};
  }};
  int doubled = 0;
  platform::FirmwareDescription shown;
  std::string seen;
};

class InterruptEdgesTest : public InterruptPathsTest {
 protected:
  InterruptEdgesTest() : InterruptPathsTest(InterruptTrigger::edge) {}
};

TEST_F(InterruptPathsTest, a_line_arrives_as_it_is) {
  EXPECT_EQ(shown.devices[0].interrupts[0].line, shown.devices[0].interrupts[1].line);
  line.drive(true);
  line.drive(false);
  message.send(0x1000, 8192);
  EXPECT_EQ(seen, "/\\m8192");
}

TEST_F(InterruptPathsTest, a_lost_one_is_not_seen_and_the_next_is) {
  fate = Fate::lost;
  line.drive(true);
  line.drive(false);
  message.send(0x1000, 8192);
  EXPECT_EQ(seen, "");
  fate = Fate::arrives;
  line.drive(true);
  EXPECT_EQ(seen, "/");
}

TEST_F(InterruptPathsTest, a_held_level_that_dropped_since_does_not_arrive) {
  fate = Fate::held;
  line.drive(true);
  message.send(0x1000, 8193);
  EXPECT_EQ(seen, "");
  line.drive(false);
  paths.release(&first);
  EXPECT_EQ(seen, "m8193");
  line.drive(true);
  paths.release(&first);
  paths.release(&first);
  EXPECT_EQ(seen, "m8193/");
}

TEST_F(InterruptPathsTest, who_lets_go_lets_go_its_own_alone) {
  fate = Fate::held;
  line.drive(true);
  holder = &second;
  message.send(0x1000, 8193);
  paths.release(&second);
  EXPECT_EQ(seen, "m8193");
  paths.release(&first);
  EXPECT_EQ(seen, "m8193/");
}

TEST_F(InterruptPathsTest, what_is_forgotten_never_arrives) {
  fate = Fate::held;
  line.drive(true);
  message.send(0x1000, 8193);
  paths.forget();
  paths.release(&first);
  EXPECT_EQ(seen, "");
}

TEST_F(InterruptPathsTest, each_rise_of_a_level_is_late_by_its_own_delay) {
  fate = Fate::late;
  line.drive(true);
  sc_core::sc_start({5, sc_core::SC_US});
  line.drive(false);
  sc_core::sc_start({1, sc_core::SC_US});
  line.drive(true);
  sc_core::sc_start({9, sc_core::SC_US});
  EXPECT_EQ(seen, "");
  sc_core::sc_start({2, sc_core::SC_US});
  EXPECT_EQ(seen, "/");
}

TEST_F(InterruptEdgesTest, each_late_edge_arrives) {
  fate = Fate::late;
  for (int i = 0; i < 2; ++i) {
    line.drive(true);
    line.drive(false);
    sc_core::sc_start({6, sc_core::SC_US});
  }
  EXPECT_EQ(seen, "/\\");
  sc_core::sc_start({5, sc_core::SC_US});
  EXPECT_EQ(seen, "/\\/\\");
}

TEST_F(InterruptPathsTest, one_that_is_still_pending_does_not_come_twice) {
  fate = Fate::doubled;
  line.drive(true);
  sc_core::sc_start({11, sc_core::SC_US});
  EXPECT_EQ(doubled, 0);
  line.drive(false);
  line.drive(true);
  line.drive(false);
  sc_core::sc_start({11, sc_core::SC_US});
  EXPECT_EQ(doubled, 1);
  EXPECT_EQ(seen, "/\\/\\/");
}

TEST_F(InterruptEdgesTest, a_held_edge_arrives_although_its_line_dropped) {
  fate = Fate::held;
  line.drive(true);
  line.drive(false);
  paths.release(&first);
  EXPECT_EQ(seen, "/\\");
}

TEST_F(InterruptPathsTest, a_pretended_level_stays_until_its_handlers_were_called) {
  EXPECT_TRUE(paths.pretend(40));
  EXPECT_EQ(seen, "/");
  paths.handled([](std::uint32_t number) { return number == 41; });
  EXPECT_EQ(seen, "/");
  paths.handled([](std::uint32_t number) { return number == 40; });
  EXPECT_EQ(seen, "/\\");
  line.drive(true);
  EXPECT_FALSE(paths.pretend(40)) << "it is high";
  EXPECT_TRUE(paths.pretend(8192));
  EXPECT_EQ(seen, "/\\/m8192");
}

TEST_F(InterruptEdgesTest, a_pretended_edge_needs_no_handler) {
  EXPECT_TRUE(paths.pretend(40));
  EXPECT_EQ(seen, "/\\");
}

}  // namespace
}  // namespace pmufab::scenario
