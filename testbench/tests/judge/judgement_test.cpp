// SPDX-License-Identifier: Apache-2.0
// The driver's values compared with expected ones: reads, final values, explanations, CMEM, and the report.
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/tests/judge/perf_session.h"

namespace pmufab::scoreboard::test::judgement_test {
namespace {

using Match = EventResult::Match;
using Call = PerfSession::Call;
using Op = FabricOpcode;
using ::testing::HasSubstr;
constexpr const char* kPmu = PerfSession::kUcf0;
constexpr const char* kCmemPmu = PerfSession::kCmem0;
const EventTerms kReads = {{"slc_access_rd"}};

class Judgement : public ::testing::Test {
 protected:
  PerfSession session;

  void start(int event, const EventTerms& terms, const char* pmu = kPmu) {
    session.board.expect(event, pmu, terms);
    session.disable(pmu);
    session.add(pmu, event);
    session.enable(pmu);
  }
  void stop(int event, std::uint64_t value, const char* pmu = kPmu) {
    session.disable(pmu);
    session.del(pmu, event, value);
  }
  void read_once(const Requester& from, std::uint64_t address, std::uint32_t length = 64) {
    session.fabric.on_request(request(from, Op::read_once, address, length, session.now));
  }
  void on_the_wires(Picoseconds start_time, Picoseconds end_time, std::uint64_t address, std::uint32_t length = 64) {
    session.fabric.on_memory_access({start_time, end_time, address, length, false, 0});
  }
};

// --- final values

TEST_F(Judgement, a_final_value_off_by_one_is_a_mismatch) {
  for (const std::uint64_t value : {4U, 5U, 6U}) {
    PerfSession s;
    s.board.expect(1, kPmu, kReads);
    s.add(kPmu, 1);
    s.enable(kPmu);
    s.traffic(5);
    s.disable(kPmu);
    s.del(kPmu, 1, value);
    EXPECT_EQ(s.result(1).match, value == 5 ? Match::exact : Match::mismatch) << value;
    EXPECT_EQ(s.result(1).driver, value);
  }
}

TEST_F(Judgement, an_altered_expectation_is_reported) {
  // The same counts with the wrong meaning. The judge must not agree.
  for (const auto& [terms, verdict] :
       {std::pair{kReads, Match::exact}, std::pair{EventTerms{{"slc_bytes_rd"}}, Match::mismatch},
        std::pair{EventTerms{{"slc_access_wr"}}, Match::mismatch},
        std::pair{EventTerms{{"slc_access_rd"}, {"src_loc_cpu", 1}}, Match::mismatch},
        std::pair{EventTerms{{"slc_access_rd"}, {"src_loc_noncpu", 1}}, Match::exact},
        std::pair{EventTerms{{"slc_access_rd"}, {"dst_rem", 1}}, Match::mismatch},
        std::pair{EventTerms{{"event", 0x115}}, Match::mismatch}}) {
    PerfSession s;
    s.board.expect(1, kPmu, terms);
    s.add(kPmu, 1);
    s.enable(kPmu);
    s.traffic(5);  // reads of 8 bytes each
    s.disable(kPmu);
    s.del(kPmu, 1, 5);
    EXPECT_EQ(s.result(1).match, verdict);
  }
}

TEST_F(Judgement, an_unknown_event_number_must_read_zero) {
  start(1, {{"event", 0x115}});
  session.traffic(5);
  stop(1, 0);
  EXPECT_EQ(session.result(1).match, Match::exact);
  EXPECT_THAT(session.result(1).remark, HasSubstr("no such event"));
  start(2, kReads);
  stop(2, 0);
  EXPECT_EQ(session.result(2).match, Match::exact);
  EXPECT_EQ(session.result(2).remark, "") << "an event that is there, and did not come";
}

// --- reads while running

TEST_F(Judgement, a_read_may_be_anything_between_begin_and_end_of_the_call) {
  for (const std::uint64_t value : {4U, 5U, 7U, 8U}) {
    PerfSession s;
    s.board.expect(1, kPmu, kReads);
    s.add(kPmu, 1);
    s.enable(kPmu);
    s.traffic(5);
    s.begin(Call::read, kPmu, 1);
    s.traffic(2);
    s.end(Call::read, kPmu, 1, value);
    const EventResult result = s.result(1);
    EXPECT_EQ(result.match, value >= 5 && value <= 7 ? Match::within : Match::mismatch) << value;
    EXPECT_TRUE(result.running);
    ASSERT_TRUE(result.last_read);
    EXPECT_EQ(result.last_read->low, 5);
    EXPECT_EQ(result.last_read->high, 7);
    EXPECT_FALSE(result.last_read->sampled);
  }
}

TEST_F(Judgement, the_last_read_up_to_an_instant_is_told) {
  start(1, kReads);
  std::vector<Picoseconds> ends;
  for (const std::uint64_t value : {3U, 8U}) {
    session.traffic(static_cast<int>(value));
    session.begin(Call::read, kPmu, 1);
    session.end(Call::read, kPmu, 1, value);
    ends.push_back(session.now);
  }
  EXPECT_FALSE(session.board.last_read(1, ends[0] - 1));
  EXPECT_EQ(session.board.last_read(1, ends[1] - 1).value().low, 3U);
  EXPECT_EQ(session.board.last_read(1, ends[1]).value().low, 11U);
  EXPECT_FALSE(session.board.last_read(2, ends[1]));
}

TEST_F(Judgement, an_event_that_is_forgotten_leaves_nothing_and_others_as_they_are) {
  start(1, kReads);
  start(2, kReads);
  session.traffic(5);
  stop(1, 4);
  session.enable(kPmu);
  session.board.forget(1);
  session.traffic(2);
  stop(2, 7);
  EXPECT_FALSE(session.board.result(1));
  EXPECT_EQ(session.board.results().size(), 1U);
  EXPECT_EQ(session.result(2).match, Match::exact);
  session.add(kPmu, 3);
  session.board.forget(3);
  session.board.forget(3);
  EXPECT_EQ(session.noted("event_without_expectation"), 1) << "it is said all the same, once";
}

TEST_F(Judgement, a_counter_read_on_the_bus_makes_the_read_exact) {
  start(1, kReads);
  session.play("5 [read:1 2");
  session.read(PerfSession::kPage1 + 0x008);
  session.play("4 read:1=7]");
  EXPECT_EQ(session.result(1).match, Match::within);
  EXPECT_EQ(session.result(1).reads_sampled, 1);

  session.begin(Call::read, kPmu, 1);
  session.read(PerfSession::kPage1 + 0x008);
  session.traffic(1);
  session.end(Call::read, kPmu, 1, 12);  // possible within the call, but not the register's value
  EXPECT_EQ(session.result(1).match, Match::mismatch);
  EXPECT_EQ(session.result(1).reads_failed, 1);
  ASSERT_EQ(session.result(1).failed_reads.size(), 1U);
  EXPECT_EQ(session.result(1).failed_reads[0].low, 11);
  EXPECT_EQ(session.result(1).explanation, "") << "the count of all windows is 12, too";
}

TEST_F(Judgement, of_a_counter_read_in_halves_the_last_low_half_tells_the_instant) {
  start(1, kReads);
  session.begin(Call::read, kPmu, 1);
  session.read(PerfSession::kPage1 + 0x00c);  // high
  session.traffic(1);
  session.read(PerfSession::kPage1 + 0x008);  // low
  session.traffic(20);
  session.read(PerfSession::kPage1 + 0x00c);  // high: it changed, so read again
  session.traffic(300);
  session.read(PerfSession::kPage1 + 0x008);
  session.traffic(4000);
  session.read(PerfSession::kPage1 + 0x00c);
  session.end(Call::read, kPmu, 1, 321);
  EXPECT_EQ(session.result(1).match, Match::within);
  EXPECT_EQ(session.result(1).last_read->low, 321);
  EXPECT_EQ(session.result(1).last_read->high, 321);
}

TEST_F(Judgement, reads_of_control_registers_or_in_other_calls_are_no_samples) {
  start(1, kReads);
  session.begin(Call::read, kPmu, 1);
  session.read(PerfSession::kPage0 + 0xe04);
  session.read(PerfSession::kPage1 + 0xc80);
  session.begin(Call::interrupt, kPmu);
  session.read(PerfSession::kPage1 + 0x008);
  session.play("interrupt] 3 read:1=2]");
  EXPECT_EQ(session.result(1).reads_sampled, 0);
  EXPECT_EQ(session.result(1).match, Match::within);
}

TEST_F(Judgement, cycles_are_sampled_at_the_instant_of_the_register_read) {
  start(1, {{"cycles"}});
  const Picoseconds opened =
      session.result(1).windows.empty() ? session.now - 1000 : 0;  // the write before the end of the call
  session.now += 40'000;
  session.begin(Call::read, kPmu, 1);
  session.read(PerfSession::kPage1 + 0x0f8);
  const std::uint64_t edges = (session.now - opened) / 1000;
  session.end(Call::read, kPmu, 1, edges);
  EXPECT_EQ(session.result(1).match, Match::within);
  session.begin(Call::read, kPmu, 1);
  session.read(PerfSession::kPage1 + 0x0f8);
  session.end(Call::read, kPmu, 1, edges + 4);  // three steps later: 3 edges
  EXPECT_EQ(session.result(1).match, Match::mismatch);
}

TEST_F(Judgement, reads_never_go_back) {
  start(1, kReads);
  session.play("5 [read:1 5 read:1=9] [read:1 read:1=10]");
  EXPECT_EQ(session.result(1).match, Match::within);

  PerfSession late;  // 9, then 8: each is possible, but not both
  late.board.expect(1, kPmu, kReads);
  late.add(kPmu, 1);
  late.enable(kPmu);
  late.traffic(5);
  late.begin(Call::read, kPmu, 1);
  late.traffic(5);
  late.end(Call::read, kPmu, 1, 9);
  late.begin(Call::read, kPmu, 1);
  late.end(Call::read, kPmu, 1, 8);
  EXPECT_EQ(late.result(1).match, Match::mismatch);
  EXPECT_FALSE(late.result(1).failed_reads.at(0).monotonic);
}

TEST_F(Judgement, a_wrong_read_is_not_forgiven_by_a_right_final_value) {
  start(1, kReads);
  session.play("5 [read:1 read:1=4]");
  stop(1, 5);
  EXPECT_EQ(session.result(1).driver, 5);
  EXPECT_EQ(session.result(1).expected, 5);
  EXPECT_EQ(session.result(1).match, Match::mismatch);
}

TEST_F(Judgement, expected_tells_the_count_of_a_running_event) {
  start(1, kReads);
  start(2, {{"cycles"}});
  const Picoseconds opened = session.now - 1000;
  session.traffic(7);
  EXPECT_EQ(session.board.expected(1, session.now), 7);
  EXPECT_EQ(session.board.expected(2, opened + 9'000), 9);
  EXPECT_EQ(session.board.expected(99, session.now), 0);
}

// --- explanations

TEST_F(Judgement, a_filter_gone_wrong_is_named) {
  start(1, {{"slc_access_rd"}, {"src_loc_cpu", 1}, {"dst_loc_cmem", 1}});
  for (int i = 0; i < 3; ++i) read_once(cpu(0, 0), kCmem);
  for (int i = 0; i < 10; ++i) read_once(gpu(0), kGmem);
  for (int i = 0; i < 100; ++i) read_once(cpu(0, 0), kGmem);
  stop(1, 103);  // the destination filter was missing
  EXPECT_THAT(session.result(1).explanation, HasSubstr("100 too many"));
  EXPECT_THAT(session.result(1).explanation, HasSubstr("equals this event of loc_cpu -> any"));
  EXPECT_THAT(session.result(1).explanation, HasSubstr("loc_cpu -> loc_gmem: 100"));
}

TEST_F(Judgement, another_event_counted_instead_is_named) {
  start(1, {{"slc_bytes_rd"}});
  session.traffic(5);
  stop(1, 5);
  EXPECT_THAT(session.result(1).explanation, HasSubstr("35 missing"));
  EXPECT_THAT(session.result(1).explanation, HasSubstr("slc_access_rd"));
}

TEST(JudgementOfNarrowCounter, a_loss_is_told_in_turns_of_the_counters_own_width) {
  Tegra410JudgeSpec spec = PerfSession::platform();
  for (CoreSightPmuSpec& pmu : spec.coresight_pmus) pmu.width = 22;
  const auto result_of = [&](std::uint64_t lost) {
    PerfSession session(spec);
    session.board.expect(1, kPmu, {{"cycles"}});
    session.play("add:1 on");
    session.now += 100'000'000'000;  // 100 ms, of an edge at every nanosecond
    session.disable(kPmu);
    const std::uint64_t all = 100'000'003;  // three steps, too, from the write that enables to the one that disables
    session.del(kPmu, 1, all - lost);
    return session.result(1);
  };
  const EventResult right = result_of(0);
  EXPECT_EQ(right.match, Match::exact) << right.expected;
  EXPECT_THAT(result_of(18U << 22U).explanation, HasSubstr("75497472 missing: 18 times 2^22"));
  EXPECT_THAT(result_of(1U << 22U).explanation, HasSubstr("4194304 missing: 2^22"));
}

// --- CMEM

TEST_F(Judgement, reads_of_a_cmem_event_while_it_runs_lie_between_begin_and_end) {
  start(1, {{"rd_req"}}, kCmemPmu);
  on_the_wires(session.now, session.now + 90'000, kCmem);
  const Picoseconds later = session.now + 1500;
  session.begin(Call::read, kCmemPmu, 1);
  on_the_wires(later, later + 90'000, kCmem + 64);
  session.end(Call::read, kCmemPmu, 1, 3);
  EXPECT_EQ(session.result(1).match, Match::within);
  EXPECT_EQ(session.result(1).last_read->low, 2);
  EXPECT_EQ(session.result(1).last_read->high, 4);
  session.begin(Call::read, kCmemPmu, 1);
  session.end(Call::read, kCmemPmu, 1, 5);
  EXPECT_EQ(session.result(1).match, Match::mismatch);
}

TEST_F(Judgement, a_cmem_driver_that_skips_an_instance_or_a_controller_is_named) {
  // 1 request at instance 0, 2 at instance 1, ... each on a controller of its own number of requests.
  const auto count = [&](PerfSession& s, std::uint64_t value) {
    s.board.expect(1, kCmemPmu, {{"rd_req"}});
    s.add(kCmemPmu, 1);
    s.enable(kCmemPmu);
    for (std::uint64_t line = 0; line < 42; ++line) {
      for (std::uint64_t i = 0; i <= line; ++i) {
        s.fabric.on_memory_access({s.now, s.now + 5000, kCmem + 64 * line, 32, false, 0});
      }
    }
    s.disable(kCmemPmu);
    s.del(kCmemPmu, 1, value);
    return s.result(1);
  };
  const std::uint64_t all = 42 * 43 / 2;
  const std::uint64_t instance13 = 14 + 28 + 42;         // lines 13, 27, 41
  const std::uint64_t controller2 = (29 + 42) * 14 / 2;  // lines 28 ... 41
  PerfSession right;
  EXPECT_EQ(count(right, all).match, Match::exact);
  PerfSession no_instance;
  EXPECT_THAT(count(no_instance, all - instance13).explanation, HasSubstr("rd_req without instance 13"));
  PerfSession no_controller;
  EXPECT_THAT(count(no_controller, all - controller2).explanation, HasSubstr("rd_req without controller 2"));
}

// --- other checks

TEST_F(Judgement, memory_accesses_are_compared_with_what_the_requests_need) {
  session.fabric.on_request(request(gpu(0), Op::read_shared, kCmem, 64, 1'000));
  on_the_wires(21'000, 111'000, kCmem);
  session.board.finish();
  EXPECT_EQ(session.board.findings().failures(), 0);
  session.fabric.on_request(request(gpu(0), Op::read_shared, kCmem, 64, 2'000));  // a hit
  on_the_wires(22'000, 112'000, kCmem);                                           // that reads memory all the same
  session.fabric.on_request(request(gpu(0), Op::read_shared, kCmem + 64, 64, 3'000));
  session.board.finish();
  EXPECT_EQ(session.noted("memory_access_unexpected"), 1);
  EXPECT_EQ(session.noted("memory_access_missing"), 1);
}

TEST_F(Judgement, a_request_the_fabric_had_to_refuse_is_a_failure) {
  session.fabric.on_request(request(gpu(0), Op::read_once, kCmem + 60, 8, 1'000));
  EXPECT_EQ(session.noted("request_must_be_refused"), 1);
  EXPECT_EQ(session.fabric.tally(0), UcfTally{});
}

TEST_F(Judgement, expectations_are_checked_when_told) {
  EXPECT_TRUE(session.board.judges(kPmu));
  EXPECT_FALSE(session.board.judges("armv8_pmuv3_0"));
  EXPECT_THROW(session.board.expect(1, "armv8_pmuv3_0", kReads), std::invalid_argument);
  EXPECT_THROW(session.board.expect(1, kPmu, {{"rd_req"}}), std::invalid_argument);
  EXPECT_THROW(session.board.expect(1, kCmemPmu, kReads), std::invalid_argument);
  EXPECT_TRUE(session.board.results().empty());
}

TEST_F(Judgement, an_event_nobody_explained_is_noted_at_the_end) {
  session.add(kPmu, 7);
  session.board.finish();
  EXPECT_EQ(session.noted("event_without_expectation"), 1);
}

}  // namespace
}  // namespace pmufab::scoreboard::test::judgement_test
