// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <gtest/gtest.h>

#include "testbench/fabrics/tegra410/judge/wires/memory_wires.h"
#include "testbench/tests/judge/scoreboard_fixture.h"

namespace pmufab::scoreboard::test {
namespace {

class MemoryWiresTest : public ::testing::Test {
 protected:
  Tegra410JudgeSpec spec = small_platform();  // slc 20 ns, cmem 90 ns, service 2 ns per part
  Findings findings;
  MemoryWires wires{spec, findings};

  static MemoryOp cmem_read(std::uint64_t address, std::uint32_t length = 64) {
    return {0, MemoryClass::cmem, address, length, false};
  }
  static BoundaryObserver::MemoryAccess read(std::uint64_t address, Picoseconds start, Picoseconds end,
                                             std::uint32_t length = 64) {
    return {start, end, address, length, false, 0};
  }
};

TEST_F(MemoryWiresTest, lines_are_spread_over_instances_first_and_controllers_then) {
  EXPECT_EQ(cmem_controller(spec, 0), 0U);
  EXPECT_EQ(cmem_controller(spec, 63), 0U);
  EXPECT_EQ(cmem_controller(spec, 64), 1U * 3);            // line 1: instance 1, controller 0
  EXPECT_EQ(cmem_controller(spec, 13 * 64), 13U * 3);      // line 13: instance 13, controller 0
  EXPECT_EQ(cmem_controller(spec, 14 * 64), 0U * 3 + 1);   // line 14: instance 0, controller 1
  EXPECT_EQ(cmem_controller(spec, 41 * 64), 13U * 3 + 2);  // line 41: instance 13, controller 2
  EXPECT_EQ(cmem_controller(spec, 42 * 64), 0U);           // and around again
  std::set<std::size_t> all;
  for (std::uint64_t line = 0; line < 42; ++line) all.insert(cmem_controller(spec, line * 64));
  EXPECT_EQ(all.size(), 42U);
}

TEST_F(MemoryWiresTest, a_read_at_the_time_the_text_says_is_right) {
  wires.expect(cmem_read(0), 1'000'000);
  wires.see(read(0, 1'020'000, 1'110'000));
  wires.finish();
  EXPECT_EQ(findings.failures(), 0) << findings.list()[0].text;
}

TEST_F(MemoryWiresTest, an_access_may_be_seen_before_its_request) {
  wires.see(read(0, 1'020'000, 1'110'000));
  wires.expect(cmem_read(0), 1'000'000);
  wires.finish();
  EXPECT_EQ(findings.failures(), 0);
}

TEST_F(MemoryWiresTest, a_busy_controller_serves_in_order) {
  const std::uint64_t line = 42 * 64;  // the same controller
  wires.expect(cmem_read(0), 1'000'000);
  wires.expect(cmem_read(line), 1'001'000);
  wires.expect(cmem_read(2 * line, 16), 1'001'000);
  wires.expect(cmem_read(64), 1'001'000);  // another controller
  wires.see(read(0, 1'020'000, 1'110'000));
  wires.see(read(line, 1'021'000, 1'114'000));          // 2 parts after the end of the one before
  wires.see(read(2 * line, 1'021'000, 1'116'000, 16));  // 1 part
  wires.see(read(64, 1'021'000, 1'111'000));
  wires.finish();
  EXPECT_EQ(findings.failures(), 0);
}

TEST_F(MemoryWiresTest, a_read_one_picosecond_late_is_found) {
  wires.expect(cmem_read(0), 1'000'000);
  wires.see(read(0, 1'020'000, 1'110'001));
  EXPECT_EQ(findings.count("memory_access_time"), 1);
  wires.expect(cmem_read(64), 1'000'000);
  wires.see(read(64, 1'020'001, 1'110'000));
  EXPECT_EQ(findings.count("memory_access_time"), 2);
}

TEST_F(MemoryWiresTest, writes_are_posted_and_other_memories_take_their_own_time) {
  wires.expect({0, MemoryClass::gmem, kGmem + 8, 8, false}, 5'000);
  wires.see({25'000, 777'000, kGmem + 8, 8, false, 0});
  wires.expect({0, MemoryClass::cmem, 0, 64, true}, 5'000);
  wires.see({25'000, 25'000, 0, 64, true, 0});
  EXPECT_EQ(findings.failures(), 0);
  wires.expect({0, MemoryClass::cxl, kCxl, 64, true}, 5'000);
  wires.see({25'000, 26'000, kCxl, 64, true, 0});
  EXPECT_EQ(findings.count("memory_access_time"), 1);
}

TEST_F(MemoryWiresTest, what_is_missing_doubled_or_wrong_is_left_over) {
  wires.expect(cmem_read(0), 0);
  wires.see(read(0, 20'000, 110'000));
  wires.see(read(0, 20'000, 110'000));                     // twice
  wires.expect(cmem_read(64), 0);                          // never
  wires.expect(cmem_read(128, 8), 0);                      // 8 bytes,
  wires.see(read(128, 20'000, 110'000, 16));               // not 16
  wires.expect({0, MemoryClass::cmem, 192, 64, true}, 0);  // a write,
  wires.see(read(192, 20'000, 110'000));                   // not a read
  wires.expect({1, MemoryClass::cmem, 256, 64, true}, 0);  // socket 1,
  wires.see({20'000, 20'000, 256, 64, true, 0});           // not 0
  EXPECT_EQ(findings.failures(), 0) << "nothing is wrong before the end";
  wires.finish();
  EXPECT_EQ(findings.count("memory_access_missing"), 4);
  EXPECT_EQ(findings.count("memory_access_unexpected"), 4);
}

}  // namespace
}  // namespace pmufab::scoreboard::test
