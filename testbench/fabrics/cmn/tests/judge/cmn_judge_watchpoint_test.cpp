// SPDX-License-Identifier: Apache-2.0
// The judge of a mesh: the counts of watchpoints, and the room for them. Inputs and expected values are made by hand.
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/judge/cmn_session.h"

namespace pmufab::scoreboard::test {
namespace {

using Match = EventResult::Match;

constexpr std::uint64_t kAll = ~std::uint64_t{0};

class CmnWatchpoints : public ::testing::Test {
 protected:
  static EventTerms up(std::initializer_list<EventTerm> more = {}) { return terms("watchpoint_up", more); }
  static EventTerms down(std::initializer_list<EventTerm> more = {}) { return terms("watchpoint_down", more); }
  /// REQ group 0 of a CMN-700: opcode in bits 35:29.
  static EventTerm opcode(std::uint64_t value) { return {"wp_val", value << 29}; }
  static EventTerm opcode_only() { return {"wp_mask", ~(std::uint64_t{0x7f} << 29)}; }
  static EventTerm any() { return {"wp_mask", kAll}; }

  /// One flit of opcode 4, two of 7, four of 1 from XP 0 port 0 to XP 5 port 3; eight of 4 to XP 0 port 1.
  void traffic() { traffic(session); }
  static void traffic(CmnSession& session) {
    session.cross(1, 4, 0x1000);
    session.cross(2, 7, 0x1000);
    session.cross(4, 1, 0x2000);
    session.beside(8, 4, 0x2000);
  }
  CmnSession session;

 private:
  static EventTerms terms(const char* name, std::initializer_list<EventTerm> more) {
    EventTerms all{{name}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(CmnWatchpoints, do_not_see_returns_of_link_credits) {
  session.count(1, up({any()}));
  session.count(2, up({opcode(4), opcode_only(), {"wp_exclusive", 1}}));
  session.enable();
  session.cross(3, 0);
  session.cross(1, 1);
  EXPECT_EQ(session.expected(1), 1U);
  EXPECT_EQ(session.expected(2), 1U);
}

class CmnCombined : public CmnWatchpoints {
 protected:
  /// Opcode 4, and address 0x2000.
  EventTerms primary = up({opcode(4), opcode_only(), {"wp_combine", 1}});
  EventTerms secondary =
      up({{"wp_grp", 1}, {"wp_val", 0x2000U << 4}, {"wp_mask", ~(std::uint64_t{0xf000} << 4)}, {"wp_combine", 1}});
};

TEST_F(CmnCombined, watchpoints_count_where_both_match_on_the_one_added_first) {
  const EventTerms other_way = down({any(), {"wp_dev_sel", 1}, {"wp_combine", 1}});
  struct Pair {
    EventTerms first;
    std::optional<EventTerms> second;
    std::uint64_t of_first;
  };
  for (const auto& [first, second, of_first] :
       {Pair{primary, secondary, 8}, Pair{secondary, primary, 8}, Pair{primary, {}, 0}, Pair{primary, other_way, 0}}) {
    CmnSession fresh;
    fresh.count(1, first);
    if (second) fresh.count(2, *second);
    fresh.enable();
    traffic(fresh);
    EXPECT_EQ(fresh.expected(1), of_first);
    if (second) {
      EXPECT_EQ(fresh.expected(2), 0U);
    }
  }
}

TEST_F(CmnCombined, the_order_of_adding_decides_not_that_of_opening) {
  session.board.expect(1, CmnSession::kPmu, primary);
  session.board.expect(2, CmnSession::kPmu, secondary);
  session.add(2);
  session.add(1);
  session.enable();
  traffic();
  session.disable();
  session.enable();
  EXPECT_EQ(session.expected(1), 0U);
  EXPECT_EQ(session.expected(2), 8U);
}

TEST_F(CmnCombined, a_primary_that_comes_back_takes_its_old_place) {
  session.count(1, primary);
  session.count(2, secondary);
  session.enable();
  traffic();
  session.disable();
  session.del(1, 8);
  session.enable();
  traffic();
  EXPECT_EQ(session.expected(2), 0U) << "alone in second place";
  session.disable();
  session.add(1);
  session.enable();
  traffic();
  session.disable();
  session.del(1, 16);
  session.del(2, 0);
  EXPECT_EQ(session.result(1).match, Match::exact);
  EXPECT_EQ(session.result(2).match, Match::exact);
}

TEST_F(CmnCombined, a_pair_that_waits_for_its_turn_misses_what_both_match) {
  session.board.expect(1, CmnSession::kPmu, primary);
  session.board.expect(2, CmnSession::kPmu, secondary);
  for (const int event : {1, 2}) session.board.enabling(event);
  session.enable();
  for (const int event : {1, 2}) session.board.enabled(event, session.now);
  traffic();
  session.disable();
  session.add(1);
  session.add(2);
  session.enable();
  traffic();
  session.disable();
  session.del(1, 8);
  session.del(2, 0);
  session.enable();
  traffic();
  Losses waited;
  waited[LossCause::not_scheduled] = 16;
  EXPECT_EQ(session.result(1).account, (Account{24, 8, waited}));
  EXPECT_EQ(session.result(2).account, Account{});
}

TEST_F(CmnWatchpoints, that_nobody_wants_any_more_see_nothing) {
  session.board.expect(1, CmnSession::kPmu, up({any()}));
  session.board.enabling(1);
  session.add(1);
  session.enable();
  session.board.enabled(1, session.now);
  traffic();
  session.board.disabling(1, session.now);
  session.disable();
  session.del(1, 15);
  session.board.disabled(1);
  traffic();
  EXPECT_EQ(session.result(1).account, (Account{15, 15, {}}));
}

TEST_F(CmnCombined, an_aggregate_pairs_with_an_event_of_one_crosspoint_there_alone) {
  session.count(1, primary);
  EventTerms at_xp0 = secondary;
  at_xp0.insert(at_xp0.end(), {{"bynodeid", 1}, {"nodeid", CmnSession::kXp0}});
  session.count(2, at_xp0);
  session.enable();
  traffic();
  session.upload(5, 0, CmnSession::flit(0x48, CmnSession::kXp5Port3, 4, 0x2000));
  session.transmit({{5, cmn::Interface::port3}});
  EXPECT_EQ(session.expected(1), 8U) << "at XP 5 it has no partner";
  EXPECT_EQ(session.expected(2), 0U);
}

TEST(CmnCombinedOfTwoDtms, pairs_of_one_number_are_apart) {
  CmnJudgeSpec spec = CmnSession::mesh();
  spec.multiple_dtm = true;
  CmnSession session(spec);
  const auto pair = [](std::uint64_t port, std::uint64_t opcode, std::uint64_t group) -> EventTerms {
    const std::uint64_t shift = group == 0 ? 29 : 11;
    return {{"watchpoint_down"},
            {"wp_dev_sel", port},
            {"wp_grp", group},
            {"wp_val", opcode << shift},
            {"wp_mask", ~(std::uint64_t{0x7f} << shift)},
            {"wp_combine", 1}};
  };
  session.count(1, pair(1, 4, 0));
  session.count(2, pair(3, 4, 0));
  session.count(3, pair(1, 4, 2));
  session.count(4, pair(3, 4, 2));
  session.enable();
  session.cross(3, 4);  // down at XP 5 port 3: the second DTM
  session.cross(5, 7);
  session.beside(9, 4);  // down at XP 0 port 1: the first
  EXPECT_EQ(session.expected(1), 9U);
  EXPECT_EQ(session.expected(2), 3U);
  EXPECT_EQ(session.expected(3), 0U);
  EXPECT_EQ(session.expected(4), 0U);
}

// What a mesh has left for an event that its driver refuses.

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
