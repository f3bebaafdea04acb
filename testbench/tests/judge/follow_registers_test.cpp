// SPDX-License-Identifier: Apache-2.0
// Events that are not counted by the perf core. Windows follow from writes to control registers alone.
#include <gtest/gtest.h>

#include "testbench/tests/judge/perf_session.h"

namespace pmufab::scoreboard::test::follow_registers_test {
namespace {

constexpr const char* kPmu = PerfSession::kUcf0;
constexpr const char* kOther = PerfSession::kUcf1;
constexpr const char* kCmemPmu = PerfSession::kCmem0;
const EventTerms kReads = {{"slc_access_rd"}};

constexpr std::uint64_t kSocket = 0x1'0000;
constexpr std::uint64_t kEnableSet = PerfSession::kEnableSet;
constexpr std::uint64_t kEnableClear = PerfSession::kEnableClear;

class FollowRegisters : public ::testing::Test {
 protected:
  FollowRegisters() {
    for (const std::uint64_t socket : {std::uint64_t{0}, kSocket}) session.write(kEnableSet + socket, 1);
  }
  PerfSession session;

  void begin(int event) { session.board.begin(event, session.now); }
  void end(int event) { session.board.end(event, session.now); }
  void expect_and_begin(int event, const EventTerms& terms = kReads, const char* pmu = kPmu) {
    session.board.expect(event, pmu, terms);
    begin(event);
  }
  [[nodiscard]] std::uint64_t expected(int event) const { return session.board.expected(event, session.now); }
};

TEST_F(FollowRegisters, an_event_counts_while_its_pmu_is_let_count) {
  session.board.follow_registers();
  expect_and_begin(1);
  session.traffic(100);
  session.control(kPmu, true);
  session.traffic(5);
  session.control(kPmu, false);
  session.traffic(1000);
  session.control(kPmu, true);
  session.traffic(2);
  session.control(kPmu, false);
  end(1);
  EXPECT_EQ(expected(1), 7U);
  EXPECT_EQ(session.result(1).windows.size(), 2U);
  EXPECT_FALSE(session.result(1).running);
}

TEST_F(FollowRegisters, nothing_before_the_begin_and_after_the_end_is_counted) {
  session.board.follow_registers();
  session.board.expect(1, kPmu, kReads);
  session.control(kPmu, true);
  session.traffic(100);
  EXPECT_EQ(expected(1), 0U) << "it is expected, and has not begun";
  begin(1);
  session.traffic(5);
  end(1);
  session.traffic(1000);
  session.control(kPmu, false);
  session.control(kPmu, true);
  session.traffic(10000);
  EXPECT_EQ(expected(1), 5U);
}

TEST_F(FollowRegisters, a_pmu_that_was_let_count_before_is_known) {
  session.control(kPmu, true);
  session.board.follow_registers();
  expect_and_begin(1);
  session.traffic(5);
  end(1);
  EXPECT_EQ(expected(1), 5U);
}

TEST_F(FollowRegisters, an_event_without_an_end_counts_on) {
  session.board.follow_registers();
  session.control(kPmu, true);
  expect_and_begin(1);
  session.traffic(5);
  EXPECT_EQ(expected(1), 5U);
  session.traffic(3);
  EXPECT_EQ(expected(1), 8U);
  EXPECT_TRUE(session.result(1).running);
  EXPECT_TRUE(session.result(1).windows.empty());
}

TEST_F(FollowRegisters, to_begin_and_to_end_again_changes_nothing) {
  session.board.follow_registers();
  session.control(kPmu, true);
  expect_and_begin(1);
  session.traffic(5);
  begin(1);
  session.traffic(3);
  end(1);
  session.traffic(100);
  end(1);
  EXPECT_EQ(expected(1), 8U);
  EXPECT_EQ(session.result(1).windows.size(), 1U);
}

TEST_F(FollowRegisters, an_event_that_begins_anew_counts_on_from_what_it_had) {
  session.board.follow_registers();
  session.control(kPmu, true);
  expect_and_begin(1);
  session.traffic(5);
  end(1);
  session.traffic(100);
  begin(1);
  session.traffic(3);
  end(1);
  EXPECT_EQ(expected(1), 8U);
}

TEST_F(FollowRegisters, an_end_without_a_begin_is_nothing) {
  session.board.follow_registers();
  session.control(kPmu, true);
  session.board.expect(1, kPmu, kReads);
  end(1);
  session.traffic(5);
  EXPECT_EQ(expected(1), 0U);
}

TEST_F(FollowRegisters, events_nobody_expects_are_nothing) {
  session.board.follow_registers();
  session.control(kPmu, true);
  begin(7);
  session.traffic(5);
  end(7);
  EXPECT_FALSE(session.board.result(7).has_value());
  EXPECT_TRUE(session.board.results().empty());
  expect_and_begin(8);
  session.board.forget(8);
  session.traffic(5);
  end(8);
  EXPECT_FALSE(session.board.result(8).has_value());
  EXPECT_TRUE(session.board.findings().list().empty());
}

TEST_F(FollowRegisters, what_is_written_again_changes_nothing) {
  session.board.follow_registers();
  expect_and_begin(1);
  for (int i = 0; i < 4; ++i) {
    session.control(kPmu, true);
    session.traffic(1);
  }
  session.control(kPmu, false);
  session.control(kPmu, false);
  end(1);
  EXPECT_EQ(expected(1), 4U);
  EXPECT_EQ(session.result(1).windows.size(), 1U);
}

TEST_F(FollowRegisters, a_write_that_was_refused_lets_nothing_count) {
  session.board.follow_registers();
  expect_and_begin(1);
  session.write(PerfSession::kPmcr, 1, false);
  session.traffic(5);
  EXPECT_EQ(expected(1), 0U);
  session.control(kPmu, true);
  session.write(PerfSession::kPmcr, 0, false);
  session.traffic(3);
  EXPECT_EQ(expected(1), 3U);
}

TEST_F(FollowRegisters, pmus_and_events_are_told_apart) {
  session.board.follow_registers();
  expect_and_begin(1);
  expect_and_begin(2, kReads, kOther);
  session.control(kOther, true);
  session.traffic(5, 0);
  session.traffic(30, 1);
  session.control(kPmu, true);
  expect_and_begin(3);
  session.traffic(100, 0);
  session.control(kOther, false);
  session.traffic(1000, 1);
  end(1);
  session.traffic(20, 0);
  end(3);
  end(2);
  EXPECT_EQ(expected(1), 100U);
  EXPECT_EQ(expected(2), 30U);
  EXPECT_EQ(expected(3), 120U);
}

TEST_F(FollowRegisters, cycles_are_those_of_the_window) {
  session.board.follow_registers();
  session.control(kPmu, true);
  expect_and_begin(1, {{"cycles"}});  // an edge, and a step of the session, at every nanosecond
  session.traffic(5);
  end(1);
  session.traffic(5);
  EXPECT_EQ(expected(1), 5U);
}

TEST_F(FollowRegisters, a_pmu_of_two_control_registers_counts_while_both_let_it) {
  session.board.follow_registers();
  expect_and_begin(1, {{"cycles"}}, kCmemPmu);
  session.control(kCmemPmu, true);
  session.traffic(5);
  const std::uint64_t on = expected(1);
  EXPECT_GT(on, 0U);
  session.control(kCmemPmu, false);
  const std::uint64_t off = expected(1);
  session.traffic(100);
  EXPECT_EQ(expected(1), off);
}

TEST_F(FollowRegisters, reads_of_counters_and_the_perf_cores_order_are_not_judged) {
  session.board.follow_registers();
  session.control(kPmu, true);  // without any event
  expect_and_begin(1);
  session.read(PerfSession::kPage1);
  session.control(kPmu, false);
  end(1);
  EXPECT_TRUE(session.board.findings().list().empty());
  EXPECT_EQ(session.result(1).reads, 0U);
}

TEST(WithoutFollowing, registers_alone_let_nothing_count) {
  PerfSession session;
  session.board.expect(1, kPmu, kReads);
  session.board.begin(1, session.now);
  session.control(kPmu, true);
  session.traffic(5);
  EXPECT_EQ(session.board.expected(1, session.now), 0U);
}

TEST_F(FollowRegisters, a_coresight_pmu_without_an_enabled_counter_counts_nothing) {
  session.board.follow_registers();
  session.control(kPmu, true);
  expect_and_begin(1);
  session.traffic(5);
  session.write(kEnableSet + 4, 2);
  session.write(kEnableClear, 1);
  session.traffic(3);
  session.write(kEnableClear + 4, 2);
  session.traffic(1000);
  session.write(kEnableSet + kSocket, 1);  // of another PMU
  session.traffic(1000);
  session.write(kEnableSet, 4);
  session.traffic(2);
  EXPECT_EQ(expected(1), 10U);
}

TEST_F(FollowRegisters, counters_enabled_before_their_pmu_count_when_it_does) {
  session.board.follow_registers();
  session.write(kEnableClear, 1);
  expect_and_begin(1);
  session.write(kEnableSet, 1);
  session.traffic(1000);
  session.control(kPmu, true);
  session.traffic(5);
  EXPECT_EQ(expected(1), 5U);
}

}  // namespace
}  // namespace pmufab::scoreboard::test::follow_registers_test
