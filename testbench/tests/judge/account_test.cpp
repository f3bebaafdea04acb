// SPDX-License-Identifier: Apache-2.0
// What happened, what was counted, what was reported, and why the three differ.
#include <gtest/gtest.h>

#include "testbench/tests/judge/perf_session.h"

namespace pmufab::scoreboard::test::account_test {
namespace {

using Call = PerfSession::Call;
constexpr const char* kPmu = PerfSession::kUcf0;
const EventTerms kReads = {{"slc_access_rd"}};

/// The perf core puts an event on a counter, or takes it off.
void schedule(PerfSession& session, int event) {
  session.disable(kPmu);
  session.add(kPmu, event);
  session.enable(kPmu);
}
void unschedule(PerfSession& session, int event, std::uint64_t reported) {
  session.disable(kPmu);
  session.del(kPmu, event, reported);
  session.enable(kPmu);
}

class AccountOfEvent : public ::testing::Test {
 protected:
  PerfSession session;

  /// The user enables an event that has a counter at once.
  void enable(int event, const EventTerms& terms = kReads) {
    session.board.expect(event, kPmu, terms);
    session.board.enabling(event);
    schedule(session, event);
    session.board.enabled(event, session.now);
  }
  void disable(int event, std::uint64_t reported) {
    session.board.disabling(event, session.now);
    unschedule(session, event, reported);
    session.board.disabled(event);
  }
  [[nodiscard]] Account account(int event) const {
    const EventResult result = session.result(event);
    EXPECT_TRUE(result.account.adds_up(result.driver.value_or(0)));
    EXPECT_EQ(result.account.counted, result.expected);
    EXPECT_EQ(session.noted("losses_do_not_add_up"), 0U);
    return result.account;
  }
  static Losses only(LossCause cause, std::int64_t amount) {
    Losses losses;
    losses[cause] = amount;
    return losses;
  }
};

TEST_F(AccountOfEvent, that_counts_all_the_time_loses_nothing) {
  session.traffic(1000);
  enable(1);
  session.traffic(5);
  disable(1, 5);
  session.traffic(1000);
  EXPECT_EQ(account(1), (Account{5, 5, {}}));
}

TEST_F(AccountOfEvent, what_a_handler_misses_that_stops_the_pmu_has_happened) {
  enable(1);
  session.play("5 [?interrupt");
  session.traffic(20);  // before the first write
  session.play("pmcr=0 300 pmcr=1 ?interrupt] 4000");
  disable(1, 4025);
  EXPECT_EQ(account(1), (Account{4325, 4025, only(LossCause::handler, 300)}));
}

TEST_F(AccountOfEvent, what_the_driver_does_not_report_is_lost_besides) {
  enable(1);
  session.play("[?interrupt pmcr=0 300 pmcr=1 ?interrupt] 40");
  disable(1, 37);
  Losses losses = only(LossCause::handler, 300);
  losses[LossCause::unexplained] = 3;
  EXPECT_EQ(account(1), (Account{340, 40, losses}));
}

TEST_F(AccountOfEvent, too_much_reported_is_a_negative_loss) {
  enable(1);
  session.traffic(40);
  disable(1, 42);
  EXPECT_EQ(account(1), (Account{40, 40, only(LossCause::unexplained, -2)}));
}

TEST_F(AccountOfEvent, a_transaction_of_reads_that_stops_the_pmu_is_reading) {
  enable(1);
  session.board.on_call(Call::start_txn, true, kPmu, 0, perf::PerfCallObserver::kReadTransaction, session.now);
  session.play("pmcr=0 start_txn] 20 [commit_txn pmcr=1 commit_txn] 3");
  disable(1, 3);
  EXPECT_EQ(account(1), (Account{23, 3, only(LossCause::reading, 20)}));
}

TEST_F(AccountOfEvent, switching_another_event_on_costs_it_the_pause) {
  enable(1);
  session.traffic(1);
  session.board.expect(2, kPmu, kReads);
  session.board.enabling(2);
  session.play("off 20 add:2 on");
  session.board.enabled(2, session.now);
  session.traffic(300);
  session.board.disabling(1, session.now);
  session.play("off 4000 del:1=301 on");
  session.board.disabled(1);
  session.traffic(7);
  disable(2, 307);
  EXPECT_EQ(account(1), (Account{321, 301, only(LossCause::disabled, 20)}));
  EXPECT_EQ(account(2), (Account{4307, 307, only(LossCause::disabled, 4000)}));
}

TEST_F(AccountOfEvent, an_event_that_waits_for_its_turn_misses_what_happens) {
  enable(1);
  session.board.expect(2, kPmu, kReads);
  session.board.enabling(2);  // there is no counter for it
  session.board.enabled(2, session.now);
  session.play("5 off del:1=5 20 add:2 on 300");
  disable(2, 300);
  session.traffic(4000);
  session.board.disabling(1, session.now);
  session.board.disabled(1);
  session.traffic(50'000);
  // While events are changed, the perf core has the PMU disabled: nobody has a turn.
  Losses first;
  first[LossCause::disabled] = 20;
  first[LossCause::not_scheduled] = 4300;
  EXPECT_EQ(account(1), (Account{4325, 5, first}));
  EXPECT_EQ(account(2), (Account{325, 300, only(LossCause::not_scheduled, 25)}));
}

TEST_F(AccountOfEvent, an_event_that_never_has_a_turn_misses_everything) {
  session.board.expect(1, kPmu, kReads);
  session.board.enabling(1);
  session.enable(kPmu);
  session.board.enabled(1, session.now);
  session.traffic(5);
  EXPECT_EQ(account(1), (Account{5, 0, only(LossCause::not_scheduled, 5)}));
  session.traffic(5);
  session.board.disabling(1, session.now);
  session.board.disabled(1);
  session.traffic(5);
  EXPECT_EQ(account(1), (Account{10, 0, only(LossCause::not_scheduled, 10)}));
}

TEST_F(AccountOfEvent, while_the_user_has_it_disabled_nothing_happens_to_it) {
  enable(1);
  session.traffic(5);
  disable(1, 5);
  session.traffic(1000);
  session.board.enabling(1);
  schedule(session, 1);
  session.board.enabled(1, session.now);
  session.traffic(20);
  disable(1, 25);
  EXPECT_EQ(account(1), (Account{25, 25, {}}));
}

TEST_F(AccountOfEvent, a_handler_in_the_call_that_disables_it_belongs_to_its_time_if_it_counts_again) {
  enable(1);
  session.traffic(5);
  session.board.disabling(1, session.now);
  session.play("[?interrupt pmcr=0 20 pmcr=1 ?interrupt] 300 off 4000 del:1=305");
  session.board.disabled(1);
  session.traffic(50'000);
  EXPECT_EQ(account(1), (Account{325, 305, only(LossCause::handler, 20)}));
}

TEST_F(AccountOfEvent, without_the_user_its_time_is_from_where_it_first_counts_to_where_it_last_stops) {
  session.board.expect(1, kPmu, kReads);
  session.traffic(1000);
  schedule(session, 1);
  session.traffic(5);
  unschedule(session, 1, 5);
  session.traffic(20);
  EXPECT_EQ(account(1), (Account{5, 5, {}}));
  schedule(session, 1);
  session.traffic(300);
  unschedule(session, 1, 305);
  session.traffic(4000);
  EXPECT_EQ(account(1), (Account{325, 305, only(LossCause::not_scheduled, 20)}));
}

TEST_F(AccountOfEvent, a_driver_that_forgets_to_stop_the_pmu_loses_nothing_of_the_time_before) {
  enable(1);
  session.traffic(20);
  session.board.disabling(1, session.now);
  session.play("[pmu_disable 3 pmu_disable] 4 del:1=27");
  session.board.disabled(1);
  EXPECT_EQ(account(1), (Account{20, 20, only(LossCause::unexplained, -7)}));
}

TEST_F(AccountOfEvent, cycles_happen_while_nothing_counts_them) {
  enable(1, {{"cycles"}});  // an edge at every nanosecond, as the session's steps
  session.play("[?interrupt pmcr=0");
  const Picoseconds stopped = session.now;
  session.play("40 pmcr=1");
  const std::int64_t blind = static_cast<std::int64_t>(session.now - stopped) / 1000;
  session.end(Call::interrupt, "");
  const std::uint64_t counted = session.board.expected(1, session.now + 1000);  // the next step stops it
  disable(1, counted + 1);
  const Account account = this->account(1);
  EXPECT_EQ(account.loss[LossCause::handler], blind);
  EXPECT_EQ(blind, 41);
}

TEST(AccountOfNarrowCounter, whole_turns_that_are_missing_are_ambiguous_wraps) {
  Tegra410JudgeSpec spec = PerfSession::platform();
  for (CoreSightPmuSpec& pmu : spec.coresight_pmus) pmu.width = 10;
  for (const auto& [reported, cause] :
       {std::pair{2500U, LossCause::unexplained}, std::pair{1476U, LossCause::ambiguous_wrap},
        std::pair{452U, LossCause::ambiguous_wrap}, std::pair{3524U, LossCause::unexplained},
        std::pair{453U, LossCause::unexplained}}) {
    PerfSession session(spec);
    session.board.expect(1, kPmu, kReads);
    schedule(session, 1);
    session.traffic(2500);
    unschedule(session, 1, reported);
    const Account account = session.result(1).account;
    Losses losses;
    losses[cause] = 2500 - static_cast<std::int64_t>(reported);
    EXPECT_EQ(account, (Account{2500, 2500, losses})) << reported;
  }
}

TEST(AccountOfLateReads, is_right_when_reads_are_told_later_than_gates_close) {
  PerfSession session;
  constexpr const char* kCmemPmu = PerfSession::kCmem0;
  session.board.expect(1, kCmemPmu, {{"rd_req"}});
  session.add(kCmemPmu, 1);
  session.enable(kCmemPmu);
  session.now = 100'000;
  session.begin(Call::interrupt, "");
  session.control(kCmemPmu, false);
  const Picoseconds stopped = session.now;
  session.now = 200'000;
  session.control(kCmemPmu, true);
  session.end(Call::interrupt, "");
  session.now = 300'000;
  session.disable(kCmemPmu);
  session.del(kCmemPmu, 1, 3);
  // Of these, which are told only now, two left while the handler had stopped the PMU.
  ASSERT_LT(stopped, 150'000U);
  for (const Picoseconds when : {50'000U, 60'000U, 150'000U, 160'000U, 250'000U, 400'000U})
    session.fabric.on_memory_access({when, when + 1000, kCmem, 32, false, 0});
  const Account account = session.result(1).account;
  EXPECT_EQ(account.happened, 5U);
  EXPECT_EQ(account.counted, 3U);
  EXPECT_EQ(account.loss[LossCause::handler], 2);
}

}  // namespace
}  // namespace pmufab::scoreboard::test::account_test
