// SPDX-License-Identifier: Apache-2.0
// Times in which an event counts: requests of the perf core and the control register on the bus.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/tests/judge/perf_session.h"
#include "testbench/tests/judge/refusal.h"

namespace pmufab::scoreboard::test::windows_test {
namespace {

using Match = EventResult::Match;
using Call = PerfSession::Call;
constexpr const char* kPmu = PerfSession::kUcf0;
constexpr const char* kCmem = PerfSession::kCmem0;
const EventTerms kReads = {{"slc_access_rd"}};

class Windows : public ::testing::Test {
 protected:
  PerfSession session;

  void count_reads_as(int event) {
    session.board.expect(event, kPmu, kReads);
    session.add(kPmu, event);
  }
  std::uint64_t expected(int event) const { return session.result(event).expected; }
};

TEST_F(Windows, an_event_counts_between_enabling_and_disabling) {
  session.play("3 off count:1 4 on 5 off 6 del:1=5 on 7");
  EXPECT_EQ(expected(1), 5);
  EXPECT_EQ(session.result(1).match, Match::exact);
  EXPECT_FALSE(session.result(1).running);
  EXPECT_EQ(session.board.findings().failures(), 0);
}

// Eight counters, one of them of cycles.
TEST_F(Windows, a_refusal_is_held_against_the_counters_that_are_free) {
  session.disable(kPmu);
  const auto refuse = [&](int event, const EventTerms& terms) {
    return refuse_event(session.board, session.now, kPmu, event, terms);
  };
  EXPECT_EQ(refuse(100, kReads), "0 of 7 counters used");
  EXPECT_EQ(session.result(100).refusal, "its driver answered ENOSPC with 0 of 7 counters used");
  for (int event = 1; event <= 6; ++event) count_reads_as(event);
  EXPECT_EQ(refuse(101, kReads), "6 of 7 counters used");
  session.board.expect(7, kPmu, {{"bus_cycles"}});  // on a counter of any event
  session.add(kPmu, 7);
  EXPECT_EQ(refuse(102, kReads), "");
  EXPECT_EQ(session.result(102).refusal, "");
  EXPECT_EQ(refuse(103, {{"cycles"}}), "the cycle counter free");
  session.board.expect(8, kPmu, {{"cycles"}});
  session.add(kPmu, 8);
  EXPECT_EQ(refuse(104, {{"cycles"}}), "");
  session.del(kPmu, 3, 0);
  EXPECT_EQ(refuse(105, kReads), "6 of 7 counters used");
  // What somebody counts whose meaning is not known may take anything.
  session.add(kPmu, 9);
  EXPECT_EQ(refuse(106, kReads), "");
}

TEST_F(Windows, the_register_write_inside_the_call_is_the_instant) {
  session.play("count:1 [pmu_enable 1 pmcr=1");
  const Picoseconds opened = session.now;
  session.play("20 pmu_enable] 300 [pmu_disable 4000 pmcr=0");
  const Picoseconds closed = session.now;
  session.play("50000 pmu_disable]");
  EXPECT_EQ(expected(1), 4'320);
  ASSERT_EQ(session.result(1).windows.size(), 1U);
  EXPECT_EQ(session.result(1).windows[0].begin, opened);
  EXPECT_EQ(session.result(1).windows[0].end, closed);
  EXPECT_EQ(session.result(1).window_time, closed - opened);
}

TEST_F(Windows, among_things_of_one_instant_the_order_of_the_calls_decides) {
  session.play("count:1");
  const auto read_at_100 = [&] {
    session.fabric.on_request(request(gpu(0), FabricOpcode::read_once, kGmem, 8, 100'000));
  };
  const auto control_at_100 = [&](std::uint64_t value) {
    session.board.on_bus_access({100'000, PerfSession::kPmcr, value, 4, true, true});
  };
  session.begin(Call::pmu_enable, kPmu);
  read_at_100();
  control_at_100(1);
  read_at_100();
  read_at_100();
  session.now = 100'000;
  session.end(Call::pmu_enable, kPmu);
  EXPECT_EQ(expected(1), 2);
  EXPECT_EQ(session.noted("order_of_time"), 0);
}

TEST_F(Windows, a_forgotten_enabling_write_is_exposed) {
  session.play("count:1 [pmu_enable 1 pmu_enable] 20 off del:1=0");
  EXPECT_EQ(expected(1), 20) << "the perf core wanted it from the end of the call";
  EXPECT_EQ(session.result(1).match, Match::mismatch);
  EXPECT_THAT(session.result(1).explanation, ::testing::HasSubstr("the driver counted nothing"));
  EXPECT_EQ(session.noted("pmu_not_started"), 1);
}

TEST_F(Windows, a_forgotten_disabling_write_is_exposed) {
  session.play("count:1 on 20 [pmu_disable 3 pmu_disable] 4 del:1=27");
  EXPECT_EQ(expected(1), 20) << "the perf core wanted it up to the begin of the call";
  EXPECT_EQ(session.result(1).match, Match::mismatch);
  EXPECT_THAT(session.result(1).explanation, ::testing::HasSubstr("7 too many"));
  EXPECT_EQ(session.noted("pmu_not_stopped"), 1);
}

TEST_F(Windows, a_write_of_the_wrong_value_is_a_forgotten_write) {
  session.play("count:1 [pmu_enable pmcr=6 1 pmu_enable] 2 off del:1=0");
  EXPECT_EQ(expected(1), 2);
  EXPECT_EQ(session.noted("pmu_not_started"), 1);
}

TEST_F(Windows, a_write_the_bus_refused_and_one_to_another_pmu_are_no_control_writes) {
  session.play("count:1 [pmu_enable");
  session.write(PerfSession::kPmcr, 1, false);
  session.write(PerfSession::kPmcr + 0x1'0000, 1);
  session.play("1 pmcr=1 2 pmu_enable]");
  EXPECT_EQ(expected(1), 2);
}

TEST_F(Windows, nothing_is_missing_when_no_event_wants_the_pmu) {
  session.begin(Call::pmu_enable, kPmu);  // drivers do not touch the register then
  session.play("pmu_enable] [pmu_disable pmu_disable]");
  EXPECT_TRUE(session.board.findings().list().empty());
}

TEST_F(Windows, adding_a_second_event_costs_the_first_the_pause_and_nothing_else) {
  session.play(
      "count:1 on 1 [pmu_disable pmcr=0 pmu_disable] 20 count:2 300 on 4000 off del:1=4001 on 50000 off del:2=54000");
  EXPECT_EQ(session.result(1).match, Match::exact);
  EXPECT_EQ(session.result(2).match, Match::exact);
  EXPECT_EQ(session.result(1).windows.size(), 2U);
  EXPECT_EQ(expected(1), 4'001);
  EXPECT_EQ(expected(2), 54'000);
}

TEST_F(Windows, an_event_added_and_deleted_several_times_accumulates) {
  session.board.expect(1, kPmu, kReads);
  std::uint64_t count = 0;
  for (int turn = 1; turn <= 3; ++turn) {
    session.play("add:1 on");
    session.traffic(turn);
    count += static_cast<std::uint64_t>(turn);
    session.play("off 10");
    session.del(kPmu, 1, count);
    session.traffic(10);
  }
  EXPECT_EQ(expected(1), 6);
  EXPECT_EQ(session.result(1).match, Match::exact);
}

TEST_F(Windows, stopping_and_starting_one_event_leaves_the_other_alone) {
  session.play("count:1 count:2 on 1 [stop:1 20 stop:1=1] 300 [start:1 4000 start:1] 50000");
  EXPECT_EQ(expected(1), 50'001);
  EXPECT_EQ(expected(2), 54'321);
}

TEST_F(Windows, an_event_the_driver_refused_does_not_count) {
  session.board.expect(1, kPmu, kReads);
  session.begin(Call::add, kPmu, 1);
  session.board.on_add_failed(kPmu, 1, -11);
  session.play("add:1] on 5");
  EXPECT_EQ(expected(1), 0);
  EXPECT_EQ(session.result(1).match, Match::not_counted);
  EXPECT_EQ(session.noted("pmu_not_started"), 0);
}

TEST_F(Windows, what_was_counted_before_the_meaning_was_told_is_not_judged) {
  session.play("add:1 on 5");
  EXPECT_EQ(session.board.result(1), std::nullopt);
  EXPECT_TRUE(session.board.results().empty());
  session.board.expect(1, kPmu, kReads);
  session.traffic(2);
  EXPECT_EQ(expected(1), 2);
}

// --- interrupts

TEST_F(Windows, an_interrupt_handler_pauses_the_counting_between_its_writes) {
  session.play("count:1 on 1 [interrupt 20 pmcr=0 300 pmcr=1 4000 interrupt] 50000");
  EXPECT_EQ(expected(1), 54'021);
  EXPECT_TRUE(session.board.findings().list().empty());
}

TEST_F(Windows, a_handler_is_known_by_what_it_writes_not_by_the_name_it_runs_under) {
  session.play("count:1 on [?interrupt pmcr=0 3 pmcr=1 4 ?interrupt]");
  EXPECT_EQ(expected(1), 4);
}

TEST_F(Windows, a_handler_that_leaves_the_pmu_stopped_is_exposed) {
  session.play("count:1 on [interrupt pmcr=0 3 interrupt] 4");
  EXPECT_EQ(expected(1), 4) << "the perf core still wants it";
  EXPECT_EQ(session.noted("handler_left_pmu_stopped"), 1);
  EXPECT_EQ(session.board.findings().failures(), 1);
}

TEST_F(Windows, a_handler_that_starts_an_idle_pmu_is_noted_and_harmless) {
  session.play("count:1 on off del:1=0 [pmu_enable pmu_enable] [interrupt pmcr=0 pmcr=1 interrupt] 5");
  EXPECT_EQ(session.noted("handler_started_idle_pmu"), 1);
  EXPECT_EQ(session.board.findings().failures(), 0);
  EXPECT_EQ(session.result(1).match, Match::exact);
}

TEST_F(Windows, a_handler_that_starts_a_pmu_the_perf_core_has_disabled_is_exposed) {
  session.play("count:1 [interrupt pmcr=0 pmcr=1 interrupt] 5");
  EXPECT_EQ(expected(1), 0);
  EXPECT_EQ(session.noted("pmu_started_while_disabled"), 1);
}

TEST_F(Windows, a_handler_inside_another_call_does_not_confuse_that_call) {
  session.play("count:1 on [pmu_disable 1 [interrupt pmcr=0 20 pmcr=1 interrupt] 300 pmcr=0 4000 pmu_disable]");
  EXPECT_EQ(expected(1), 301);
  EXPECT_EQ(session.board.findings().failures(), 0);
}

TEST_F(Windows, an_end_that_fits_no_begin_is_reported) {
  session.play("[pmu_disable pmu_enable]");
  EXPECT_EQ(session.noted("call_nesting"), 1);
}

TEST_F(Windows, writes_outside_any_call_are_not_followed) {
  session.write(PerfSession::kPmcr, 6);  // a driver's probe
  EXPECT_TRUE(session.board.findings().list().empty());
  session.play("count:1 on");
  session.write(PerfSession::kPmcr, 0);  // a write by hand
  session.traffic(5);
  EXPECT_EQ(expected(1), 5);
  EXPECT_EQ(session.noted("control_write_outside_calls"), 1);
}

TEST_F(Windows, requests_and_writes_told_out_of_order_are_noted) {
  session.play("count:1 on");
  session.fabric.on_request(request(gpu(0), FabricOpcode::read_once, kGmem, 8, 1));
  EXPECT_EQ(session.noted("order_of_time"), 1);
  session.fabric.on_request(request(gpu(0), FabricOpcode::read_once, kGmem, 8, session.now + 10'000));
  session.disable(kPmu);
  EXPECT_EQ(session.noted("order_of_time"), 2);
  session.fabric.on_request(request(gpu(0), FabricOpcode::read_once, kGmem, 8, session.now));
  EXPECT_EQ(session.noted("acceptance_order"), 1);
}

// --- drivers' own transactions

TEST_F(Windows, a_transaction_around_reads_pauses_the_counting) {
  session.play(
      "count:1 on 1 [start_txn pmcr=0 start_txn] 20 [read:1 300 read:1=1] [commit_txn pmcr=1 commit_txn] 4000");
  EXPECT_EQ(expected(1), 4'001);
  EXPECT_EQ(session.result(1).match, Match::within) << "the read was exact";
  EXPECT_TRUE(session.board.findings().list().empty());
}

TEST_F(Windows, enabling_inside_a_transaction_takes_effect_when_it_ends) {
  session.play(
      "[start_txn pmcr=0 start_txn] [pmu_disable pmu_disable] count:1 [pmu_enable pmu_enable] 5 [commit_txn pmcr=1 "
      "commit_txn] 7 off del:1=7");
  EXPECT_EQ(session.result(1).match, Match::exact);
  EXPECT_TRUE(session.board.findings().list().empty());
}

TEST_F(Windows, a_transaction_that_leaves_the_pmu_stopped_is_exposed) {
  session.play("count:1 on [start_txn pmcr=0 start_txn] [commit_txn commit_txn] 4");
  EXPECT_EQ(expected(1), 4) << "the perf core still wants it";
  EXPECT_EQ(session.noted("transaction_left_pmu_stopped"), 1);
}

// --- cycles

TEST_F(Windows, a_handler_inside_a_disabling_call_without_a_write_counts_nothing_after_it) {
  session.play("count:1 on 1 [pmu_disable [interrupt pmcr=0 pmcr=1 interrupt] 20 pmu_disable]");
  EXPECT_EQ(expected(1), 1);
  EXPECT_EQ(session.result(1).windows.size(), 1U) << "the one up to the handler";
}

// --- CMEM control registers

TEST_F(Windows, a_cmem_driver_that_forgets_the_clock_gate_is_exposed) {
  session.board.expect(1, kCmem, {{"cycles"}});
  session.add(kCmem, 1);
  session.begin(Call::pmu_enable, kCmem);
  session.write(PerfSession::kCtrl, 1);
  session.end(Call::pmu_enable, kCmem);
  const Picoseconds wanted = session.now;
  session.now += 50'000;
  session.disable(kCmem);
  session.del(kCmem, 1, 0);
  EXPECT_EQ(session.result(1).windows.at(0).begin, wanted);
  EXPECT_EQ(session.result(1).match, Match::mismatch);
  EXPECT_EQ(session.noted("pmu_not_started"), 1);
}

TEST_F(Windows, clearing_stops_the_cmem_pmu_as_well) {
  session.board.expect(1, kCmem, {{"cycles"}});
  session.add(kCmem, 1);
  session.enable(kCmem);
  session.begin(Call::pmu_disable, kCmem);
  session.write(PerfSession::kCtrl, 2);
  const Picoseconds closed = session.now;
  session.end(Call::pmu_disable, kCmem);
  EXPECT_EQ(session.result(1).windows.at(0).end, closed);
  EXPECT_EQ(session.noted("pmu_not_stopped"), 0);
}

}  // namespace
}  // namespace pmufab::scoreboard::test::windows_test
