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

TEST_F(FollowRegisters, events_count_between_begin_and_end_while_their_pmu_is_let_count) {
  struct Case {
    const char* name;
    const char* story;
    std::uint64_t expected;
    std::size_t windows;
  };
  const Case cases[] = {
      {"while its PMU is let count", "follow expect:1 begin:1 100 pmcr=1 5 pmcr=0 1000 pmcr=1 2 pmcr=0 end:1", 7, 2},
      {"nothing before and after", "follow expect:1 pmcr=1 100 begin:1 5 end:1 1000 pmcr=0 pmcr=1 10000", 5, 1},
      {"a PMU that was let count before", "pmcr=1 follow expect:1 begin:1 5 end:1", 5, 1},
      {"without an end", "follow pmcr=1 expect:1 begin:1 5 3", 8, 0},
      {"begins and ends again", "follow pmcr=1 expect:1 begin:1 5 begin:1 3 end:1 100 end:1", 8, 1},
      {"begins anew", "follow pmcr=1 expect:1 begin:1 5 end:1 100 begin:1 3 end:1", 8, 2},
      {"an end without a begin", "follow pmcr=1 expect:1 end:1 5", 0, 0},
      {"what is written again", "follow expect:1 begin:1 pmcr=1 1 pmcr=1 2 pmcr=0 pmcr=0 end:1", 3, 1},
      {"writes that were refused", "follow expect:1 begin:1 refused=1 5 pmcr=1 refused=0 3", 3, 0},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    PerfSession own;
    own.write(kEnableSet, 1);
    own.play(one.story);
    EXPECT_EQ(own.board.expected(1, own.now), one.expected);
    EXPECT_EQ(own.result(1).windows.size(), one.windows);
  }
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

}  // namespace
}  // namespace pmufab::scoreboard::test::follow_registers_test
