// SPDX-License-Identifier: Apache-2.0
// The interrupt lines of a block of counters.
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/pmu/counter_block.h"
#include "testbench/support/interrupt_probe.h"
#include "testbench/support/simulation_test.h"

namespace pmufab {
namespace {

using ::testing::ElementsAre;
using Change = testing::InterruptProbe::Change;

/// A block of 40 counters with three lines: for counters 0-7, 8-15 and 16-39.
class PmuCounterBlock : public testing::SimulationTest {
 protected:
  PmuCounterBlock() {
    for (unsigned line = 0; line < 3; ++line) {
      lines.emplace_back("line");
      block.connect_interrupt(lines.back(), 8 * line, line == 2 ? 24 : 8);
    }
  }
  [[nodiscard]] std::array<bool, 3> high() const {
    return {lines[0].is_high(), lines[1].is_high(), lines[2].is_high()};
  }

  const ClockDomain clock{"clock", 1'000'000'000};
  CounterBlock block{{.name = "block", .counters = std::vector<bool>(40, true)}, clock, {}};
  std::deque<InterruptLine> lines;
};

TEST_F(PmuCounterBlock, a_line_is_high_while_an_overflow_of_one_of_its_counters_is_there_and_enabled) {
  struct Row {
    unsigned word;
    std::uint32_t enables;
    std::uint32_t overflows;
    std::array<bool, 3> high;
  };
  const std::vector<Row> rows = {
      {0, 0xffff'ffff, 0x0, {false, false, false}},   {0, 0x1, 0x1, {true, false, false}},
      {0, 0xffff'ffff, 0x80, {true, false, false}},   {0, 0xffff'ff7f, 0x80, {false, false, false}},
      {0, 0x100, 0xffff'ffff, {false, true, false}},  {0, 0x8001, 0x8001, {true, true, false}},
      {0, 0xffff'ffff, 0x8000, {false, true, false}}, {0, 0xffff'ffff, 0x1'0000, {false, false, true}},
      {1, 0xffff'ffff, 0x80, {false, false, true}},   {1, 0xffff'ffff, 0x100, {false, false, false}},  // no counter 40
  };
  run([&] {
    for (const Row& row : rows) {
      block.put_interrupt_enables(row.word, row.enables, testing::now());
      block.set_overflow(row.word, row.overflows, testing::now());
      EXPECT_EQ(high(), row.high) << row.word << std::hex << ": " << row.enables << ", " << row.overflows;
      block.put_interrupt_enables(row.word, 0, testing::now());
      EXPECT_EQ(high(), (std::array{false, false, false}));
      block.put_interrupt_enables(row.word, row.enables, testing::now());
      EXPECT_EQ(high(), row.high) << "enabled afterwards";
      block.clear_overflow(row.word, row.overflows, testing::now());
      EXPECT_EQ(high(), (std::array{false, false, false}));
    }
    block.set_overflow(0, 0x101, testing::now());
    block.put_interrupt_enables(0, 0x101, testing::now());
    InterruptLine late("late");
    block.connect_interrupt(late, 8, 1);
    EXPECT_TRUE(late.is_high()) << "connected while an overflow is there";
    block.reset();
    EXPECT_FALSE(late.is_high());
    EXPECT_EQ(high(), (std::array{false, false, false}));
  });
}

TEST_F(PmuCounterBlock, each_line_changes_at_the_instants_of_its_own_counters) {
  run([&] {
    testing::InterruptProbe first(lines[0]);
    testing::InterruptProbe second(lines[1]);
    block.put_interrupt_enables(0, 0x101, testing::now());
    block.set_overflow(0, 0x1, 10'000);  // ahead of simulated time
    block.set_overflow(0, 0x100, 15'000);
    block.clear_overflow(0, 0x1, 20'000);
    block.clear_overflow(0, 0x100, 40'000);
    EXPECT_TRUE(first.changes().empty());
    sc_core::wait(100, sc_core::SC_NS);
    EXPECT_THAT(first.changes(), ElementsAre(Change{10'000, true}, Change{20'000, false}));
    EXPECT_THAT(second.changes(), ElementsAre(Change{15'000, true}, Change{40'000, false}));
  });
}

}  // namespace
}  // namespace pmufab
