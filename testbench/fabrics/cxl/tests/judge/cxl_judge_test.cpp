// SPDX-License-Identifier: Apache-2.0
// The meaning of terms, what a PMU misses, and explanations of wrong counts. What events count, cxl_cross_test.cpp
// shows.
#include <algorithm>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cxl/judge/cxl_event_names.h"
#include "testbench/fabrics/cxl/judge/cxl_meaning.h"
#include "testbench/fabrics/cxl/tests/judge/cxl_session.h"
#include "testbench/judge/threshold_clock.h"

namespace pmufab::scoreboard::test {
namespace {

using ::testing::HasSubstr;
using Match = EventResult::Match;
using CxlCall = CxlSession::Call;

const EventTerms kMemRd = {{"m2s_req_memrd"}};
const EventTerms kTicks = {{"clock_ticks"}};

class CxlJudgeTest : public ::testing::Test {
 protected:
  CxlSession session;
};

TEST(CxlJudge, a_vendors_group_counts_once_though_two_capabilities_have_it_and_has_no_filter) {
  CxlJudgeSpec spec = CxlSession::hierarchy();
  spec.pmus[0].hdm_filter = true;
  spec.pmus[0].groups.push_back({0x19e5, 0x0001});
  spec.pmus[0].vendor_events.push_back(spec.pmus[0].vendor_events.front());
  CxlSession session(std::move(spec));
  session.disable();
  session.count(1, {{"vid", 0x19e5}, {"gid", 1}, {"mask", 8}}, 6, 8);
  session.count(2, {{"vid", 0x19e5}, {"gid", 1}, {"mask", 8}, {"hdm_filter_en"}, {"hdm", 2}}, 6, 8);
  session.enable();
  for (int i = 0; i < 3; ++i) {
    session.pass(CxlSession::message(CxlClass::m2s_req, 2, CxlSession::kH, 9));
    session.fabric.on_access(session.now, CxlSession::kDevice, false, 0);
    session.pass(CxlSession::message(CxlClass::s2m_drs, 0, CxlSession::kH, 9));
  }
  session.disable();
  EXPECT_EQ(session.expected(1), 3);
  EXPECT_EQ(session.expected(2), 3);
}

TEST(CxlJudge, accesses_that_wait_long_count_in_each_window_for_the_time_they_wait_there) {
  constexpr Picoseconds kPause = 60'000'000;
  constexpr Picoseconds kWindow = 5'000'000;
  constexpr int kWaiting = 4;
  CxlJudgeSpec spec = CxlSession::hierarchy();
  CxlDdrSpec& ddr = *spec.components[CxlSession::kDevice].ddr;
  ddr.throttles[1] = {1, 1'000'000, kPause};
  ddr.separate_queues = false;
  spec.pmus[0].groups.push_back({kCxlVendor, kQueueOccupancyGroup});
  spec.pmus[0].separate_queues = false;
  CxlSession session(std::move(spec));
  for (int i = 0; i < kWaiting; ++i) {
    session.pass(CxlSession::message(CxlClass::m2s_req, 8, CxlSession::kH));  // MemSpecRd
    session.fabric.on_access(session.now, CxlSession::kDevice, false, 0);
  }
  for (const int event : {1, 2, 3}) {
    session.disable();
    session.count(event, {{"vid", kCxlVendor}, {"gid", kQueueOccupancyGroup}, {"mask", 4}}, 7, 4);
    session.enable();
    const Picoseconds begin = session.now;
    session.now = begin + kWindow;
    session.disable();
    // Each waiting access counts once in each clock.
    EXPECT_EQ(session.expected(event), kWaiting * (session.now - begin) / 1'000) << event;
    session.del(event, session.expected(event));
  }
}

TEST_F(CxlJudgeTest, of_no_event_at_all_is_said_that_0_is_all_it_can_count) {
  const EventTerms nothing = {{"vid", 0x1e98}, {"gid", 0x20}, {"mask", 0}};
  session.board.expect(1, CxlSession::kPmu, nothing);
  EXPECT_THAT(session.board.result(1)->remark, HasSubstr("no such event"));
  session.board.expect(2, CxlSession::kPmu, kMemRd);
  EXPECT_EQ(session.board.result(2)->remark, "");
}

// Each read is an edge. The handler's pause hides one of three, and what it interrupts is no edge for the user.
TEST_F(CxlJudgeTest, thresholds_go_on_where_a_handler_pauses_the_pmu) {
  session.disable();
  session.count(1, {{"m2s_req_memrd"}, {"edge"}}, 1, 2);
  session.count(2, {{"clock_ticks"}, {"threshold", 1}, {"edge"}}, 0, 1);
  session.enable();
  session.reads(1);
  session.now += 10'000;
  session.begin(CxlCall::interrupt);
  session.write(0x18, CxlSession::kAll);
  session.now += 10'000;
  session.reads(1);
  session.now += 10'000;
  session.write(0x18, 0);
  session.end(CxlCall::interrupt);
  session.now += 10'000;
  session.reads(1);
  session.now += 10'000;
  session.disable();
  session.del(1, 2);
  session.del(2, 2);
  Losses hidden;
  hidden[LossCause::handler] = 1;
  EXPECT_EQ(session.result(1).account, (Account{3, 2, hidden}));
  hidden[LossCause::handler] = -1;  // its condition holds all the time, and begins anew with the PMU
  EXPECT_EQ(session.result(2).account, (Account{1, 2, hidden}));
  EXPECT_EQ(session.noted("losses_do_not_add_up"), 0);
}

TEST_F(CxlJudgeTest, what_comes_after_an_overflow_that_stops_the_counters_is_frozen) {
  session.disable();
  session.count(1, kMemRd, 1, 2);
  session.enable();
  session.reads(5);
  session.write(0x10, 1);  // the driver sees an overflow, of whatever counter
  session.reads(20);
  session.disable();
  session.del(1, 5);
  Losses frozen;
  frozen[LossCause::frozen] = 20;
  EXPECT_EQ(session.result(1).account, (Account{25, 25, frozen}));
}

// Software that freezes the counters, reads the status, and lets them count again. Counter 1 has 16 bits.
TEST_F(CxlJudgeTest, what_comes_between_an_overflow_and_a_handler_that_goes_on_is_frozen) {
  session.disable();
  session.count(1, kMemRd, 1, 2);
  session.count(2, {{"s2m_drs_memdata"}}, 2, 1);
  session.enable();
  const auto handle = [&] {
    session.begin(CxlCall::interrupt);
    session.write(0x18, CxlSession::kAll);
    session.read(0x10, 0x2);
    session.write(0x10, 0x2);
    session.write(0x18, 0);
    session.end(CxlCall::interrupt);
  };
  session.reads(65'536);
  session.reads(20);
  handle();
  session.reads(65'536);
  session.reads(30);
  handle();
  session.reads(7);
  session.disable();
  session.write(0x10, 0x2);  // it clears what it has not read: there is no overflow
  session.del(1, 2 * 65'536 + 7);
  session.del(2, 7);
  Losses frozen;
  frozen[LossCause::frozen] = 50;
  EXPECT_EQ(session.result(1).account, (Account{2 * 65'536 + 57, 2 * 65'536 + 57, frozen}));
  EXPECT_THAT(session.result(1).explanation, HasSubstr("missed while an overflow had frozen the counters"));
  frozen[LossCause::frozen] = 2 * 65'536 + 50;  // nobody knows when the other counter wrapped
  EXPECT_EQ(session.result(2).account, (Account{2 * 65'536 + 57, 2 * 65'536 + 57, frozen}));
}

// What software has seen wrap was in the counter, and what comes after the last handler is in it.
TEST_F(CxlJudgeTest, a_turn_that_software_forgets_or_a_rest_that_it_drops_is_not_frozen) {
  session.disable();
  for (const int event : {1, 2}) session.count(event, kMemRd, 1, 2);
  session.enable();
  session.reads(65'556);
  session.begin(CxlCall::interrupt);
  session.write(0x18, CxlSession::kAll);
  session.read(0x10, 0x2);
  session.write(0x10, 0x2);
  session.write(0x18, 0);
  session.end(CxlCall::interrupt);
  session.reads(10);
  session.disable();
  session.del(1, 65'535);  // its counter has had 65,536
  session.del(2, 9);       // and this one the last 10 at least
  Losses other;
  other[LossCause::unexplained] = 31;
  EXPECT_EQ(session.result(1).account, (Account{65'566, 65'566, other}));
  other[LossCause::unexplained] = 65'557;
  EXPECT_EQ(session.result(2).account, (Account{65'566, 65'566, other}));
}

TEST_F(CxlJudgeTest, a_second_window_starts_clocks_anew) {
  session.disable();
  session.count(1, {{"m2s_req_memrd"}, {"threshold", 255}, {"invert"}}, 1, 2);
  session.count(2, {{"m2s_req_memrd"}, {"threshold", 256}}, 1, 2);  // the documented meaning, whatever the field has
  session.enable();                                                 // one step more in the window
  session.disable();                                                // two
  session.now += 1'000'000;
  session.enable();
  session.disable();
  EXPECT_EQ(session.expected(1), 6);
  EXPECT_EQ(session.expected(2), 0);
}

TEST(ThresholdClockTest, equals_stepping_through_all_clocks) {
  std::mt19937 random(7);
  const ExactClock clock(1'700'000'000);
  for (int round = 0; round < 200; ++round) {
    const ThresholdClock::Rule rule{static_cast<unsigned>(random() % 4), random() % 2 == 0, random() % 2 == 0,
                                    random() % 2};
    const Picoseconds begin = random() % 5'000;
    const Picoseconds end = begin + random() % 60'000;
    std::vector<Picoseconds> events;
    for (std::uint64_t i = random() % 40; i > 0; --i) events.push_back(begin + random() % 70'000);
    std::sort(events.begin(), events.end());
    ThresholdClock judged(clock, rule);
    judged.start(begin);
    for (const Picoseconds event : events) {
      if (event < end) judged.add(event, 1);
    }
    // Edge n at ceil(n * 10000 / 17).
    std::uint64_t counted = 0;
    bool before = false;
    Picoseconds last = begin;
    for (std::uint64_t n = 0;; ++n) {
      const Picoseconds edge = (n * 10'000 + 16) / 17;
      if (edge >= end) break;
      if (edge < begin) continue;
      const auto events_of_clock = static_cast<std::uint64_t>(
          std::count_if(events.begin(), events.end(), [&](Picoseconds e) { return e >= last && e < edge; }));
      const std::uint64_t raw = events_of_clock + rule.each_clock;
      const bool now = rule.threshold == 0 ? raw > 0 : rule.invert ? raw <= rule.threshold : raw >= rule.threshold;
      counted += now && !(rule.edge && before) ? 1 : 0;
      before = now;
      last = edge;
    }
    EXPECT_EQ(judged.total(end), counted) << round;
  }
}

TEST_F(CxlJudgeTest, terms_are_the_kernels) {
  const CxlPmuSpec pmu = CxlSession::hierarchy().pmus[0];
  EXPECT_EQ(to_string(cxl_meaning({{"m2s_req_memrd"}, {"hdm_filter_en"}, {"hdm", 3}, {"threshold", 2}}, pmu)),
            "m2s_req_memrd, decoders 0x3, at least 2 in a clock");
  const CxlProgram raw =
      cxl_meaning({{"config", 0x1e98'8000'0000'0004}, {"config1", 1U << 19}, {"config2", 0x00ff'ff03ULL << 32}}, pmu);
  EXPECT_EQ(raw.group, 0x8000);
  EXPECT_EQ(raw.mask, 4);
  EXPECT_EQ(raw.location, 0x00ff'ff03);
  EXPECT_EQ(to_string(raw), "ddr_casrd, channel, rank, bank group and bank 0x00ffff03");
  const CxlProgram full =
      cxl_meaning({{"config", 0x1e98'0020'8000'0001}, {"config1", 0xf'1234}, {"config2", 0x89ab'cdef'0000'4321}}, pmu);
  EXPECT_EQ(full.vendor, 0x1e98);
  EXPECT_EQ(full.group, 0x20);
  EXPECT_EQ(full.mask, 0x8000'0001);
  EXPECT_EQ(full.threshold, 0x1234);
  EXPECT_TRUE(full.invert && full.edge);
  EXPECT_EQ(full.hdm, 0x4321);
  EXPECT_EQ(full.location, 0x89ab'cdef);
  // As in real perf: if a term is repeated its bits are added; the bits of a word are not.
  EXPECT_EQ(cxl_meaning({{"m2s_req_memrd"}, {"mask", 1}}, pmu).mask, cxl_meaning({{"m2s_req_memrd"}}, pmu).mask | 1U);
  EXPECT_EQ(cxl_meaning({{"mask", 6}, {"config", 0x1e98'0020'0000'0010}, {"mask", 1}}, pmu).mask, 0x17U);
  EXPECT_EQ(cxl_event_of_name("s2m_bisnp_datablktee"), (CxlEventId{0x23, 13}));
  EXPECT_EQ(cxl_event_of_name("d2h_rsp_rspvfwdv"), (CxlEventId{0x11, 22}));
  EXPECT_EQ(cxl_event_name({0x20, 10}), "m2s_req_memcleanevict");
  for (const EventTerms& wrong : std::vector<EventTerms>{{},
                                                         {{"hdm", 1}},
                                                         {{"m2s_req_memrd"}, {"m2s_req_meminv"}},
                                                         {{"m2s_req_memrd", 1}},
                                                         {{"mask"}},
                                                         {{"mask", 0x1'0000'0000}},
                                                         {{"m2s_req_memrd"}, {"threshold", 0x1'0000}},
                                                         {{"rank", 1}}})
    EXPECT_THROW((void)cxl_meaning(wrong, pmu), std::invalid_argument);
  CxlPmuSpec plain = pmu;
  plain.hdm_filter = plain.ddr_filter = false;
  EXPECT_THROW((void)cxl_meaning({{"m2s_req_memrd"}, {"hdm_filter_en", 1}}, plain), std::invalid_argument);
  EXPECT_THROW((void)cxl_meaning({{"ddr_act"}, {"crb", 1}}, plain), std::invalid_argument);
}

TEST_F(CxlJudgeTest, interleaving_is_taken_out_behind_lower_decoders) {
  const std::vector<CxlDecoder> decoders = {{0x1000, 0x400, 2, 256}, {0x4000, 0x1000, 4, 512}};
  EXPECT_EQ(decoder_of(decoders, 0x13ff), 0U);
  EXPECT_EQ(decoder_of(decoders, 0x1400), std::nullopt);
  EXPECT_EQ(device_address(decoders, 0, 0x1200), 0x100);
  EXPECT_EQ(device_address(decoders, 0, 0x12c0), 0x1c0);
  EXPECT_EQ(device_address(decoders, 1, 0x4000), 0x200);
  EXPECT_EQ(device_address(decoders, 1, 0x4840), 0x200 + 0x240);
}

// The known mistakes of the driver of Linux 7.3, as they show in its registers and its value.
TEST_F(CxlJudgeTest, a_group_index_never_written_is_named) {
  session.disable();
  session.board.expect(1, CxlSession::kPmu, kMemRd);
  session.board.expect(2, CxlSession::kPmu, {{"s2m_drs_memdata"}});
  session.add(1, 1, CxlSession::configuration(0, 2));
  session.add(2, 2, CxlSession::configuration(0, 1));
  session.enable();
  session.reads(10);
  session.disable();
  session.del(1, 0);
  session.del(2, 23);  // 20 messages, the end of one call, the begin of the next, the write
  EXPECT_EQ(session.expected(1), 10);
  EXPECT_EQ(session.result(1).match, Match::mismatch);
  EXPECT_THAT(session.result(1).explanation, HasSubstr("equals the event with the same bits in group index 0"));
  EXPECT_EQ(session.expected(2), 10);
  EXPECT_THAT(session.result(2).explanation,
              HasSubstr("equals the event with the same bits in group index 0 (clock_ticks)"));
}

TEST_F(CxlJudgeTest, bits_left_in_a_counter_are_named) {
  session.disable();
  session.board.expect(1, CxlSession::kPmu, {{"m2s_req_meminv"}});
  session.board.expect(2, CxlSession::kPmu, kMemRd);
  session.board.expect(3, CxlSession::kPmu, kMemRd);
  session.add(1, 1, CxlSession::configuration(1, 0x3));
  session.add(2, 2, CxlSession::configuration(1, 0x2, 0, false, true));
  session.add(3, 3, CxlSession::configuration(1, 0x2));
  session.enable();
  session.reads(10);
  session.pass(CxlSession::message(CxlClass::m2s_req, 0, CxlSession::kH, 5));
  session.pass(CxlSession::message(CxlClass::s2m_ndr, 0, CxlSession::kH, 5));
  session.disable();
  session.del(1, 11);
  session.del(2, 9);
  session.del(3, 10);
  EXPECT_EQ(session.expected(1), 1);
  EXPECT_THAT(session.result(1).explanation,
              HasSubstr("equals the union with the mask counted before on that counter"));
  // Ten reads, each in its own clock with one between. There are as many edges as reads, so nine is no edge count.
  EXPECT_THAT(session.result(2).explanation, HasSubstr("was written as edges, as set before on that counter"));
  EXPECT_EQ(session.result(3).match, Match::exact);
}

TEST_F(CxlJudgeTest, wraps_and_freezes_are_named) {
  session.disable();
  session.count(1, kMemRd, 1, 2);
  session.count(2, kTicks, 0, 1);
  session.count(3, {{"s2m_drs_memdata"}}, 2, 1);
  session.enable();
  session.reads(70'000);
  session.begin(CxlCall::interrupt);
  session.write(0x10, 0x6);
  session.end(CxlCall::interrupt);
  session.reads(1'000);
  session.disable();
  session.del(1, 71'000 + 65'536);
  session.del(3, 65'536);
  EXPECT_EQ(session.expected(1), 71'000);
  EXPECT_THAT(session.result(1).explanation, HasSubstr("2^16 too many: the wrap was counted twice"));
  EXPECT_THAT(session.result(3).explanation, HasSubstr("stopped at the overflow: never unfrozen"));
  session.del(2, session.expected(2) - 65'536);
  EXPECT_THAT(session.result(2).explanation, HasSubstr("1 * 2^16 missing"));
}

TEST_F(CxlJudgeTest, mistakes_of_both_kinds_are_named_together) {
  session.disable();
  session.board.expect(1, CxlSession::kPmu, {{"m2s_req_meminv"}});
  session.board.expect(2, CxlSession::kPmu, {{"m2s_req_meminv"}});
  for (const int event : {1, 2}) session.add(event, static_cast<unsigned>(event), CxlSession::configuration(1, 3));
  session.enable();
  session.reads(65'600);
  session.begin(CxlCall::interrupt);
  session.write(0x10, 0x6);
  session.end(CxlCall::interrupt);
  session.reads(400);
  session.disable();
  session.del(1, 65'536);
  session.del(2, 66'000 + 65'536);
  for (const int event : {1, 2}) EXPECT_THAT(session.result(event).explanation, HasSubstr("was written as the union"));
  EXPECT_THAT(session.result(1).explanation, HasSubstr(", and stopped at the overflow: never unfrozen"));
  EXPECT_THAT(session.result(2).explanation, HasSubstr(", and 2^16 too many: the wrap was counted twice"));
}

TEST_F(CxlJudgeTest, a_fixed_counter_counts_what_it_is_for) {
  CxlJudgeSpec spec = CxlSession::hierarchy();
  spec.pmus[0].fixed = {{4, 1, 0x2}};
  CxlSession fixed(spec);
  fixed.disable();
  fixed.board.expect(1, CxlSession::kPmu, kMemRd);
  fixed.add(1, 4, 0x701);
  fixed.enable();
  fixed.reads(3);
  fixed.disable();
  fixed.del(1, 2);
  EXPECT_EQ(fixed.expected(1), 3);
  EXPECT_EQ(fixed.result(1).explanation, "1 missing");
}

TEST_F(CxlJudgeTest, a_fixed_counter_has_its_own_threshold) {
  CxlJudgeSpec spec = CxlSession::hierarchy();
  spec.pmus[0].fixed = {{4, 1, 0x2, 3}};
  CxlSession fixed(spec);
  fixed.read(0x220, std::uint64_t{1} << 59 | 0x2U << 24 | 3U << 16 | 1U);
  EXPECT_EQ(fixed.noted("cxl_fixed_counter"), 0);
  fixed.read(0x220, std::uint64_t{1} << 59 | 0x2U << 24 | 1U);
  EXPECT_EQ(fixed.noted("cxl_fixed_counter"), 1);
  fixed.disable();
  fixed.board.expect(1, CxlSession::kPmu, kMemRd);
  fixed.add(1, 4, 0x701);
  fixed.enable();
  fixed.reads(3);
  fixed.disable();
  fixed.del(1, 0);  // never three reads in a clock
  EXPECT_EQ(fixed.expected(1), 3);
  EXPECT_THAT(fixed.result(1).explanation, HasSubstr("at least 3 in a clock"));
}

// Each of two counters counts one thing. A threshold has no place in a fixed counter.
TEST_F(CxlJudgeTest, fixed_counters_have_no_room_for_other_events) {
  CxlJudgeSpec spec = CxlSession::hierarchy();
  spec.pmus[0].has_configurable = false;
  spec.pmus[0].fixed = {{.counter = 0, .group_index = 0, .mask = 1}, {.counter = 1, .group_index = 1, .mask = 2}};
  CxlSession fixed(spec);
  EXPECT_EQ(fixed.refuse(1, kTicks), "fixed counter 0 free");
  EXPECT_EQ(fixed.refuse(2, kMemRd), "fixed counter 1 free");
  EXPECT_EQ(fixed.refuse(3, {{"m2s_req_memrd"}, {"threshold", 2}}), "");
  EXPECT_EQ(fixed.refuse(4, {{"m2s_req_memspecrd"}}), "");
}

TEST_F(CxlJudgeTest, event_capabilities_are_what_the_rules_of_messages_say) {
  const std::uint64_t m2s_req = std::uint64_t{kCxlVendor} << 48 | std::uint64_t{0x20} << 32;
  session.read(0x100, std::uint64_t{kCxlVendor} << 48 | 1);
  session.read(0x108, m2s_req | 0xffff);
  session.read(0x130, std::uint64_t{0x19e5} << 48 | std::uint64_t{1} << 32 | 0x8);
  session.read(0x138, 0);
  EXPECT_EQ(session.noted("cxl_event_capability"), 0);
  session.read(0x108, m2s_req | 0x7fff);
  session.read(0x108, m2s_req | 0x5ffb);
  session.read(0x130, std::uint64_t{0x19e5} << 48 | std::uint64_t{1} << 32 | 0xc);
  session.read(0x138, m2s_req | 0xffff);
  EXPECT_EQ(session.noted("cxl_event_capability"), 4);
}

TEST_F(CxlJudgeTest, wires_that_break_the_links_rules_are_found) {
  CxlJudgeSpec spec = CxlSession::hierarchy();
  spec.links[0].latency = 10'000;
  spec.links[0].lanes[static_cast<std::size_t>(CxlClass::h2d_rsp)] = {1, 2};
  CxlSession link(spec);
  const CxlMessage go = CxlSession::message(CxlClass::h2d_rsp, 4, 0x1000);
  link.now = 99'000;
  link.leave(go);  // at 100 ns
  link.fabric.on_message(100'000, 0, CxlEnd::upper, go);
  EXPECT_EQ(link.noted("link_too_fast"), 1);
  link.fabric.on_message(100'500, 0, CxlEnd::upper, go);
  EXPECT_EQ(link.noted("link_off_edge"), 1);
  EXPECT_EQ(link.noted("link_without_credit"), 1);
  link.now = 110'000;
  link.arrive(go);
  link.arrive(CxlSession::message(CxlClass::h2d_rsp, 1, 0x1000));
  EXPECT_EQ(link.noted("message_changed"), 1);
  EXPECT_EQ(link.noted("link_latency"), 0);
  link.now = 120'000;
  link.leave(go);  // credits are back at 120 ns
  EXPECT_EQ(link.noted("link_without_credit"), 1);
  link.arrive(go);
  EXPECT_EQ(link.noted("link_latency"), 1);
  link.board.finish();
  EXPECT_EQ(link.noted("message_lost"), 1);
  link.arrive(go);
  link.arrive(go);
  EXPECT_EQ(link.noted("message_from_nowhere"), 1);
}

TEST_F(CxlJudgeTest, a_specification_that_cannot_be_is_refused) {
  Chronicle chronicle;
  CxlJudgeSpec spec = CxlSession::hierarchy();
  spec.links[0].lower = 2;
  EXPECT_THROW(CxlJudge(spec, chronicle), std::invalid_argument);
  spec = CxlSession::hierarchy();
  spec.components[1].ddr->banks = 3;
  EXPECT_THROW(CxlJudge(spec, chronicle), std::invalid_argument);
  spec = CxlSession::hierarchy();
  spec.pmus[0].fixed = {{0, 9, 1}};
  EXPECT_THROW(CxlJudge(spec, chronicle), std::invalid_argument);
  spec = CxlSession::hierarchy();
  spec.pmus[0].groups.push_back({kCxlVendor, 0x8005});
  EXPECT_THROW(CxlJudge(spec, chronicle), std::invalid_argument);
}

}  // namespace
}  // namespace pmufab::scoreboard::test
