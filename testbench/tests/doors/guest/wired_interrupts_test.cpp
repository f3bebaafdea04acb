// SPDX-License-Identifier: Apache-2.0
// Interrupt lines of a platform as messages to a virtual machine.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/doors/guest/devices/wired_interrupts.h"
#include "testbench/support/simulation_test.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::guest {
namespace {

using Written = std::pair<std::uint64_t, std::vector<std::uint8_t>>;

constexpr std::uint64_t kDoorbell = 0x0802'0040;
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1'000 * kMillisecond;

class WiredInterruptsTest : public testing::SimulationTest {
 protected:
  struct BusMaster final : vfio_user::Client {
    void interrupt(unsigned /*kind*/, unsigned /*vector*/) override { ADD_FAILURE() << "not a message"; }
    void write_memory(std::uint64_t address, std::span<const std::uint8_t> data) override {
      written.push_back({address, {data.begin(), data.end()}});
    }
    std::vector<Written> written;
  };

  /// An APMT node with an edge, and a device with two levels.
  WiredInterruptsTest() {
    platform::ApmtNode node{};
    node.overflow_interrupt = platform::InterruptResource{40, &edge};
    firmware.apmt.push_back(node);
    platform::AcpiDevice device;
    device.interrupts = {{41, &first}, {42, &second}};
    firmware.devices.push_back(device);
  }

  using Numbers = std::vector<unsigned>;
  /// The numbers of the messages sent up to `now`.
  Numbers deliver(WiredInterrupts& interrupts, std::uint64_t now) {
    master.written.clear();
    interrupts.deliver(&master, now);
    Numbers told;
    for (const auto& [address, data] : master.written) {
      EXPECT_EQ(address, kDoorbell);
      EXPECT_EQ(data.size(), 4U);
      EXPECT_EQ(data[1] | data[2] | data[3], 0) << "little endian";
      told.push_back(data[0]);
    }
    return told;
  }
  static void pulse(InterruptLine& line) {
    line.drive(true);
    line.drive(false);
  }
  InterruptLine edge{"edge", InterruptTrigger::edge};
  InterruptLine first{"first", InterruptTrigger::level};
  InterruptLine second{"second", InterruptTrigger::level};
  platform::FirmwareDescription firmware;
  const std::map<std::uint32_t, std::uint32_t> numbers{{40, 128}, {41, 129}, {42, 130}};
  const std::map<std::uint32_t, std::uint32_t> shared{{40, 128}, {41, 129}, {42, 129}};
  BusMaster master;
};

TEST_F(WiredInterruptsTest, are_told_once_for_each_edge) {
  WiredInterrupts interrupts(firmware, kDoorbell, numbers);
  EXPECT_EQ(deliver(interrupts, 0), Numbers{});
  pulse(edge);
  EXPECT_TRUE(interrupts.any_high()) << "there is something to deliver";
  EXPECT_EQ(deliver(interrupts, 1), Numbers{128});
  EXPECT_FALSE(interrupts.any_high());
  EXPECT_EQ(deliver(interrupts, 100 * kSecond), Numbers{});
  pulse(edge);
  EXPECT_EQ(deliver(interrupts, 100 * kSecond), Numbers{128}) << "at once, however soon after the last";
  // As in a GIC, an interrupt is pending only once.
  pulse(edge);
  pulse(edge);
  EXPECT_EQ(deliver(interrupts, 100 * kSecond), Numbers{128});
  EXPECT_EQ(interrupts.delivered(), 3U);
}

TEST_F(WiredInterruptsTest, of_an_edge_that_stays_high_are_told_once) {
  WiredInterrupts interrupts(firmware, kDoorbell, numbers);
  edge.drive(true);
  EXPECT_EQ(deliver(interrupts, 1), Numbers{128});
  EXPECT_EQ(deliver(interrupts, 100 * kSecond), Numbers{});
  EXPECT_TRUE(interrupts.any_high()) << "its handler has not been at work";
  edge.drive(false);
  EXPECT_FALSE(interrupts.any_high());
}

TEST_F(WiredInterruptsTest, of_a_level_are_not_told_again_while_its_handler_may_be_at_work) {
  WiredInterrupts interrupts(firmware, kDoorbell, numbers);
  first.drive(true);
  EXPECT_EQ(deliver(interrupts, kSecond), Numbers{129});
  EXPECT_EQ(deliver(interrupts, kSecond + WiredInterrupts::kAgain - 1), Numbers{});
  EXPECT_EQ(deliver(interrupts, kSecond + WiredInterrupts::kAgain), Numbers{129});
}

TEST_F(WiredInterruptsTest, wait_for_a_bus_master) {
  WiredInterrupts interrupts(firmware, kDoorbell, numbers);
  pulse(edge);
  interrupts.deliver(nullptr, 1);
  EXPECT_EQ(interrupts.delivered(), 0U);
  EXPECT_EQ(deliver(interrupts, 2), Numbers{128});
}

TEST_F(WiredInterruptsTest, of_a_level_are_told_again_as_long_as_it_is_high) {
  WiredInterrupts interrupts(firmware, kDoorbell, numbers);
  first.drive(true);
  EXPECT_EQ(deliver(interrupts, kSecond), Numbers{129});
  EXPECT_EQ(deliver(interrupts, kSecond + kMillisecond), Numbers{}) << "its handler may be at work";
  EXPECT_TRUE(interrupts.any_high());
  EXPECT_EQ(deliver(interrupts, 2 * kSecond), Numbers{129});
  EXPECT_EQ(deliver(interrupts, 3 * kSecond), Numbers{129});
  first.drive(false);
  EXPECT_FALSE(interrupts.any_high());
  EXPECT_EQ(deliver(interrupts, 4 * kSecond), Numbers{});
}

TEST_F(WiredInterruptsTest, of_a_level_that_was_short_are_not_lost) {
  WiredInterrupts interrupts(firmware, kDoorbell, numbers);
  pulse(first);
  EXPECT_EQ(deliver(interrupts, 0), Numbers{129});
  // It fell and rose while its handler ran, which is a new cause.
  first.drive(true);
  EXPECT_EQ(deliver(interrupts, 1), Numbers{129});
  first.drive(false);
  first.drive(true);
  EXPECT_EQ(deliver(interrupts, 2), Numbers{129});
}

TEST_F(WiredInterruptsTest, of_lines_with_one_number_end_with_the_last_line) {
  WiredInterrupts interrupts(firmware, kDoorbell, shared);
  first.drive(true);
  second.drive(true);
  EXPECT_EQ(deliver(interrupts, 1), Numbers{129});
  first.drive(false);
  EXPECT_EQ(deliver(interrupts, kSecond), Numbers{129}) << "the other one is high";
  second.drive(false);
  EXPECT_EQ(deliver(interrupts, 2 * kSecond), Numbers{});
  // Each of them has its own cause.
  second.drive(true);
  EXPECT_EQ(deliver(interrupts, 2 * kSecond + 1), Numbers{129});
  first.drive(true);
  EXPECT_EQ(deliver(interrupts, 2 * kSecond + 2), Numbers{129});
}

TEST_F(WiredInterruptsTest, of_a_line_that_is_high_from_the_beginning_are_told) {
  first.drive(true);
  WiredInterrupts interrupts(firmware, kDoorbell, numbers);
  EXPECT_EQ(deliver(interrupts, 0), Numbers{129});
}

TEST_F(WiredInterruptsTest, are_told_together) {
  WiredInterrupts interrupts(firmware, kDoorbell, numbers);
  second.drive(true);
  pulse(edge);
  first.drive(true);
  EXPECT_EQ(deliver(interrupts, 0), (Numbers{128, 129, 130}));
}

TEST_F(WiredInterruptsTest, need_a_number_but_no_line) {
  firmware.apmt[0].overflow_interrupt->line = nullptr;
  WiredInterrupts interrupts(firmware, kDoorbell, numbers);
  pulse(edge);
  EXPECT_EQ(deliver(interrupts, 0), Numbers{});
  EXPECT_THROW(WiredInterrupts(firmware, kDoorbell, {{40, 128}, {41, 129}}), std::out_of_range);
}

TEST_F(WiredInterruptsTest, leave_their_lines_when_they_go) {
  alignas(WiredInterrupts) std::array<std::byte, sizeof(WiredInterrupts)> place{};
  std::destroy_at(new (place.data()) WiredInterrupts(firmware, kDoorbell, numbers));
  // A listener that stayed behind would find this pattern, and change it or crash.
  place.fill(std::byte{0xa5});
  for (InterruptLine* const line : {&edge, &first, &second}) line->drive(true);
  EXPECT_TRUE(std::all_of(place.begin(), place.end(), [](std::byte byte) { return byte == std::byte{0xa5}; }));
}

TEST_F(WiredInterruptsTest, wake_who_waits_for_a_line_to_rise) {
  WiredInterrupts interrupts(firmware, kDoorbell, numbers);
  unsigned woken = 0;
  run([&] {
    for (InterruptLine* const line : {&edge, &first}) {
      line->drive(true);
      const auto before = testing::now();
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_US), interrupts.raised());
      woken += testing::now() == before ? 1 : 0;
      line->drive(false);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_US), interrupts.raised());
      EXPECT_GT(testing::now(), before) << "falling is none of anybody's business";
    }
  });
  EXPECT_EQ(woken, 2U);
}

}  // namespace
}  // namespace pmufab::guest
