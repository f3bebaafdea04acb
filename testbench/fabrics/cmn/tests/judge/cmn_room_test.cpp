// SPDX-License-Identifier: Apache-2.0
// What a mesh has left for an event that its driver refuses.
#include <string>

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/judge/cmn_session.h"

namespace pmufab::scoreboard::test {
namespace {

EventTerms watchpoint(std::uint64_t xp, std::uint64_t port, std::uint64_t group = 0) {
  return {{"watchpoint_down"},
          {"bynodeid", 1},
          {"nodeid", xp},
          {"wp_dev_sel", port},
          {"wp_grp", group},
          {"wp_val", 4U << 29},
          {"wp_mask", ~(std::uint64_t{0x7f} << 29)}};
}

TEST(CmnRoom, a_port_without_a_dtm_has_none_for_watchpoints) {
  CmnJudgeSpec spec = CmnSession::mesh();
  spec.multiple_dtm = true;
  CmnSession session(spec);
  EXPECT_EQ(session.refuse(1, watchpoint(CmnSession::kXp0, 0)), "0 of 8 counters used");
  EXPECT_EQ(session.refuse(2, watchpoint(CmnSession::kXp0, 2)), "");
  EXPECT_EQ(session.refuse(3, watchpoint(CmnSession::kXp5, 2)), "0 of 8 counters used") << "four ports, two DTMs";
}

TEST(CmnRoom, a_direction_has_two_watchpoints) {
  CmnSession session;
  session.count(1, watchpoint(CmnSession::kXp0, 0, 0));
  EXPECT_EQ(session.refuse(2, watchpoint(CmnSession::kXp0, 0, 2)), "1 of 8 counters used");
  EXPECT_EQ(session.refuse(3, watchpoint(CmnSession::kXp5, 0, 0)), "1 of 8 counters used");
  session.count(4, watchpoint(CmnSession::kXp0, 1, 2));
  EXPECT_EQ(session.refuse(5, watchpoint(CmnSession::kXp0, 1, 2)), "");
}

// All of them are active, where a virtual machine's kernel has refused one.
TEST(CmnRoom, a_member_of_a_group_is_not_in_its_own_way) {
  CmnSession session;
  session.count(1, watchpoint(CmnSession::kXp0, 0, 0));
  session.count(2, watchpoint(CmnSession::kXp0, 0, 2));
  EXPECT_EQ(session.board.room_beside(2, {1}), "1 of 8 counters used");
  EXPECT_EQ(session.board.room_beside(2, {}), "0 of 8 counters used");
}

TEST(CmnRoom, there_is_one_cycle_counter_and_eight_others) {
  CmnSession session;
  const EventTerms ticks = {{"dtc_cycles"}};
  EXPECT_EQ(session.refuse(1, ticks), "no cycle counter used");
  session.count(2, ticks);
  EXPECT_EQ(session.refuse(3, ticks), "");
  EXPECT_EQ(session.refuse(4, watchpoint(CmnSession::kXp5, 0)), "0 of 8 counters used");
}

}  // namespace
}  // namespace pmufab::scoreboard::test
