// SPDX-License-Identifier: Apache-2.0
// The judge of a mesh: routes, counts, windows and reads. Inputs and expected values are made by hand.
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/judge/cmn_session.h"

namespace pmufab::scoreboard::test {
namespace {

using cmn::Channel;
using cmn::FlitEvent;
using Match = EventResult::Match;
using Call = CmnSession::Call;
using enum cmn::Interface;

// --- routes

/// What a mesh does wrong with flits. All is well before that.
struct Fault {
  const char* name;
  void (*happens)(CmnSession& session);
  const char* finding;
  std::uint64_t times = 1;
};

/// A flit for XP 5, port 3 enters at XP 0, port 0.
void enter(CmnSession& session, std::uint32_t number = 0) {
  session.upload(0, 0, CmnSession::flit(CmnSession::kXp0, CmnSession::kXp5Port3), number);
}

const Fault kFaults[] = {
    {"along_y_before_x",
     [](CmnSession& session) {
       enter(session);
       session.transmit({{0, north}});
     },
     "flit_off_route"},
    {"a_hop_left_out",
     [](CmnSession& session) {
       enter(session);
       session.transmit({{0, east}, {2, north}});
     },
     "flit_off_route"},
    {"a_change_of_channel",
     [](CmnSession& session) {
       enter(session);
       session.transmit({{0, east}}, 0, Channel::dat);
     },
     "flit_off_route"},
    {"delivery_at_another_port",
     [](CmnSession& session) {
       enter(session);
       session.transmit({{0, east}, {1, east}, {2, north}, {5, port2}});
     },
     "flit_off_route"},
    {"delivery_too_early",
     [](CmnSession& session) {
       enter(session);
       session.transmit({{0, port3}});
     },
     "flit_off_route"},
    {"delivery_twice_and_without_an_upload",
     [](CmnSession& session) {
       session.cross(1);
       session.transmit({{5, port3}});
       session.transmit({{0, east}}, 77);
     },
     "flit_from_nowhere", 2},
    {"a_number_used_again_before_delivery",
     [](CmnSession& session) {
       session.cross(2);  // after it
       enter(session);
       enter(session);
     },
     "flit_number_in_use"},
    {"targets_outside_the_mesh",
     [](CmnSession& session) {
       session.upload(0, 0, CmnSession::flit(CmnSession::kXp0, 0x60 /* x = 3 */));
       session.upload(0, 0, CmnSession::flit(CmnSession::kXp0, 0x10 /* y = 2 */), 1);
     },
     "flit_to_nowhere", 2},
    {"stalls_where_nothing_waits",
     [](CmnSession& session) {
       enter(session);
       session.stall(0, east);  // this is one that waits
       session.stall(0, north);
       session.stall(1, east);  // it is not there yet
       session.stall(0, east, Channel::dat);
       session.transmit({{0, east}});
       session.stall(session.now, 1, east, Channel::req);  // it has come in this very cycle
     },
     "stall_without_flit", 4},
};

class CmnFaults : public ::testing::TestWithParam<Fault> {};
INSTANTIATE_TEST_SUITE_P(Of, CmnFaults, ::testing::ValuesIn(kFaults),
                         [](const auto& fault) { return std::string(fault.param.name); });

TEST_P(CmnFaults, are_findings) {
  CmnSession session;
  session.cross(3);
  EXPECT_EQ(session.board.findings().failures(), 0U);
  GetParam().happens(session);
  EXPECT_EQ(session.noted(GetParam().finding), GetParam().times);
  EXPECT_EQ(session.board.findings().failures(), GetParam().times);
}

class CmnRoutes : public ::testing::Test {
 protected:
  CmnSession session;
};

TEST_F(CmnRoutes, the_right_way_is_no_finding_and_is_counted_at_each_interface) {
  session.cross(3);
  session.board.finish();
  EXPECT_TRUE(session.board.findings().list().empty());
  const std::set<std::pair<unsigned, cmn::Interface>> way{{0, east}, {1, east}, {2, north}, {5, port3}};
  for (unsigned xp = 0; xp < 6; ++xp) {
    for (const cmn::Interface interface : {east, west, north, south, port0, port1, port2, port3}) {
      EXPECT_EQ(session.fabric.count(FlitEvent::valid, xp, interface, Channel::req),
                way.contains({xp, interface}) ? 3U : 0U);
      EXPECT_EQ(session.fabric.count(FlitEvent::valid, xp, interface, Channel::dat), 0U);
      EXPECT_EQ(session.fabric.count(FlitEvent::stall, xp, interface, Channel::req), 0U);
    }
  }
}

TEST_F(CmnRoutes, flits_that_never_leave_are_told_at_the_end) {
  enter(session);
  session.transmit({{0, east}});
  session.upload(3, 0, CmnSession::flit(0x08, CmnSession::kXp0), 5);
  session.cross(1);  // number 0 again: one lost, one in use
  session.board.finish();
  EXPECT_EQ(session.noted("flits_lost"), 1U);
  EXPECT_THAT(session.board.findings().list().back().text, ::testing::HasSubstr("1 flits"));
}

TEST_F(CmnRoutes, a_flit_that_overtakes_another_of_its_buffer_is_out_of_order) {
  enter(session, 1);
  session.upload(0, 0, CmnSession::flit(CmnSession::kXp0, CmnSession::kXp0Port1), 2);
  session.upload(0, 1, CmnSession::flit(CmnSession::kXp0Port1, CmnSession::kXp5Port3), 3);
  session.transmit({{0, east}}, 3);
  EXPECT_EQ(session.noted("flit_out_of_order"), 0U) << "another port's buffer";
  session.transmit({{0, port1}}, 2);
  EXPECT_EQ(session.noted("flit_out_of_order"), 1U) << "its own port's, whatever the targets";
  session.transmit({{0, east}, {1, east}}, 1);
  EXPECT_EQ(session.noted("flit_out_of_order"), 2U) << "3 came to XP 1 before 1";
  session.transmit({{1, east}}, 3);
  session.transmit({{2, north}, {5, port3}}, 1);
  session.transmit({{2, north}, {5, port3}}, 3);
  session.board.finish();
  EXPECT_EQ(session.board.findings().failures(), 2U);
}

TEST_F(CmnRoutes, an_interface_sends_or_stalls_once_in_a_cycle_and_channel) {
  for (const std::uint32_t number : {1U, 2U, 3U})
    session.upload(0, number == 3 ? 1 : 0, CmnSession::flit(CmnSession::kXp0, CmnSession::kXp1), number);
  const Picoseconds when = session.now += 1000;
  session.transmit(when, 0, east, Channel::req, 1);
  EXPECT_EQ(session.noted("interface_used_twice"), 0U);
  session.transmit(when, 0, east, Channel::req, 2);
  EXPECT_EQ(session.noted("interface_used_twice"), 1U);
  session.stall(when, 0, east, Channel::req);
  EXPECT_EQ(session.noted("interface_used_twice"), 2U);
  EXPECT_EQ(session.board.findings().failures(), 2U) << "flit 3 waits there";
}

TEST(CmnSingleCrosspoint, has_ids_with_three_bits_of_port_and_codes_that_mean_ports) {
  CmnJudgeSpec spec = CmnSession::mesh();
  spec.columns = 1;
  spec.rows = 1;
  spec.ports_in_use = {6};
  CmnSession session(spec);
  session.count(1, {{"mxp_e_req_txflit_valid"}});  // code 0: port 0
  session.count(2, {{"type", 6}, {"eventid", 1U | 5U << 2}});
  session.count(3, {{"type", 6}, {"eventid", 1U | 6U << 2}});  // void
  session.enable();
  for (unsigned port = 0; port < 6; ++port) {
    for (unsigned i = 0; i <= port; ++i) {
      session.upload(0, 0, CmnSession::flit(0, static_cast<std::uint16_t>(port << 2 | 1U)));
      session.transmit({{0, static_cast<cmn::Interface>(static_cast<unsigned>(port0) + port)}});
    }
  }
  session.board.finish();
  EXPECT_EQ(session.board.findings().failures(), 0U);
  EXPECT_EQ(session.expected(1), 1U);
  EXPECT_EQ(session.expected(2), 6U);
  EXPECT_EQ(session.expected(3), 0U);
}

TEST(CmnJudgeSpec, that_describes_no_mesh_is_refused) {
  Scoreboard board;
  CmnJudgeSpec spec = CmnSession::mesh();
  spec.rows = 0;
  EXPECT_THROW(CmnJudge(spec, board.chronicle()), std::invalid_argument);
  spec.rows = 3;
  EXPECT_THROW(CmnJudge(spec, board.chronicle()), std::invalid_argument) << "six numbers of ports for nine XPs";
}

// --- counts and windows

class CmnCounts : public ::testing::Test {
 protected:
  static EventTerms at(std::uint16_t node, const char* event) { return {{event}, {"bynodeid", 1}, {"nodeid", node}}; }
  CmnSession session;
};

TEST_F(CmnCounts, of_cycles_are_clock_edges_between_the_writes) {
  session.count(1, {{"dtc_cycles"}});
  session.begin(Call::pmu_enable);
  session.write_pmcr(0x41);
  const Picoseconds begin = session.now;
  session.end(Call::pmu_enable);
  session.cross(10);
  session.begin(Call::pmu_disable);
  session.write_pmcr(0);
  const Picoseconds end = session.now;
  session.end(Call::pmu_disable);
  session.cross(10);
  EXPECT_EQ(end - begin, 53'000U) << "two calls' ends, ten flits of five steps, and the write";
  EXPECT_EQ(session.expected(1), 106U) << "2 GHz";
}

TEST_F(CmnCounts, a_cycle_counter_set_anew_while_it_runs_explains_what_is_missing) {
  session.count(1, {{"dtc_cycles"}});
  session.enable();
  session.cross(10);
  session.board.on_bus_access({session.now + 500, CmnSession::kPmcr - 0xc0, 0x8000000000, 8, true, true});
  session.cross(10);
  session.disable();
  session.del(1, session.expected(1) - 100);
  const EventResult result = session.result(1);
  EXPECT_EQ(result.match, Match::mismatch);
  EXPECT_THAT(result.explanation,
              ::testing::StartsWith("100 missing; the driver rewrote the running cycle counter 1 time,"));
}

/// Cycles that the driver counts with the second DTC.
class CmnSecondDtc : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kPmcr = CmnSession::kSecondPmcr;
  static constexpr std::uint64_t kControl = kPmcr - CmnSession::kPmcrAboveControl;
  static constexpr std::uint64_t kCycles = kPmcr - CmnSession::kPmcrAboveCycles;

  /// @return when the counter starts.
  Picoseconds add(bool gated) {
    session.board.expect(1, CmnSession::kPmu, {{"dtc_cycles"}});
    session.begin(Call::add, 1);
    if (gated) session.write(kControl, 0x401);
    session.write(kCycles, 0x80'0000'0000);
    const Picoseconds begin = session.now;
    session.end(Call::add, 1);
    session.cross(1);
    return begin;
  }
  static std::uint64_t cycles(Picoseconds begin, Picoseconds end) { return (end - begin) / 500; }

  CmnSession session;
};

// contract A60
TEST_F(CmnSecondDtc, counts_from_its_start_until_its_clock_is_gated_again) {
  const Picoseconds begin = add(true);
  session.enable();
  session.cross(10);
  session.disable();
  session.cross(3);  // only the first DTC stands still
  session.begin(Call::del, 1);
  session.write(kControl, 0x001);
  const Picoseconds end = session.now;
  session.cross(2);
  session.read(kCycles);
  session.end(Call::del, 1, cycles(begin, end));
  EXPECT_EQ(session.expected(1), cycles(begin, end));
  EXPECT_EQ(session.result(1).match, Match::exact);
  EXPECT_EQ(session.board.findings().failures(), 0U);
}

// Linux 6.1 does this.
TEST_F(CmnSecondDtc, counts_until_it_is_read_if_its_clock_is_left_alone) {
  const Picoseconds begin = add(false);
  session.enable();
  session.disable();
  session.begin(Call::del, 1);
  session.cross(2);
  session.read(kCycles);
  const Picoseconds end = session.now;
  session.cross(2);
  session.end(Call::del, 1, cycles(begin, end));
  EXPECT_EQ(session.result(1).match, Match::exact);
}

TEST_F(CmnSecondDtc, stands_still_while_its_own_pmcr_says_so) {
  const Picoseconds begin = add(false);
  session.write(kPmcr, 0);
  const Picoseconds stopped = session.now;
  session.enable();
  session.cross(10);
  session.disable();
  session.write(kPmcr, 0x41);
  const Picoseconds started = session.now;
  session.cross(4);
  session.begin(Call::del, 1);
  session.read(kCycles);
  const Picoseconds end = session.now;
  session.end(Call::del, 1, 0);
  EXPECT_EQ(session.expected(1), cycles(begin, stopped) + cycles(started, end));
}

// If a driver forgets the last reading, an earlier one does not excuse it.
TEST_F(CmnSecondDtc, counts_to_the_end_of_the_call_if_that_does_not_read_it) {
  const Picoseconds begin = add(false);
  session.begin(Call::read, 1);
  session.read(kCycles);
  session.end(Call::read, 1, 5);
  session.cross(4);
  session.begin(Call::del, 1);
  session.end(Call::del, 1, 5);
  EXPECT_EQ(session.expected(1), cycles(begin, session.now));
  EXPECT_EQ(session.result(1).match, Match::mismatch);
}

TEST_F(CmnCounts, begin_and_end_with_the_writes_of_pmcr_inside_the_calls) {
  session.cross(1);
  session.count(1, {{"mxp_n_req_txflit_valid"}});
  session.cross(20);
  session.begin(Call::pmu_enable);
  session.cross(300);
  session.write_pmcr(0x41);
  session.cross(4);
  session.end(Call::pmu_enable);
  session.cross(50);
  session.begin(Call::pmu_disable);
  session.cross(600);
  session.write_pmcr(0x40);
  session.cross(7);
  session.end(Call::pmu_disable);
  session.del(1, 654);
  EXPECT_EQ(session.expected(1), 654U);
  EXPECT_EQ(session.result(1).match, Match::exact);
  EXPECT_TRUE(session.board.findings().list().empty());
}

TEST_F(CmnCounts, writes_to_other_registers_and_refused_ones_switch_nothing) {
  session.count(1, {{"mxp_n_req_txflit_valid"}});
  session.enable();
  session.begin(Call::interrupt);
  session.board.on_bus_access({session.now += 1000, CmnSession::kPmcr + 8, 0, 4, true, true});
  session.board.on_bus_access({session.now += 1000, CmnSession::kPmcr, 0, 4, true, false});
  session.cross(3);
  session.end(Call::interrupt);
  EXPECT_EQ(session.expected(1), 3U);
}

TEST_F(CmnCounts, rest_from_the_start_of_a_transaction_of_reads_to_its_end) {
  session.count(1, {{"mxp_n_req_txflit_valid"}});
  session.enable();
  session.cross(1);
  session.begin(Call::start_txn);
  session.write_pmcr(0);
  session.end(Call::start_txn);
  session.cross(20);
  session.begin(Call::read, 1);
  session.end(Call::read, 1, 1);
  session.begin(Call::commit_txn);
  session.cross(300);
  session.write_pmcr(0x41);
  session.end(Call::commit_txn);
  session.cross(4'000);
  session.disable();
  session.del(1, 4'001);
  EXPECT_EQ(session.result(1).match, Match::exact);
  EXPECT_TRUE(session.board.findings().list().empty());
}

TEST_F(CmnCounts, of_a_group_begin_when_the_transaction_that_added_it_ends) {
  session.board.expect(1, CmnSession::kPmu, {{"mxp_n_req_txflit_valid"}});
  session.board.expect(2, CmnSession::kPmu, {{"mxp_e_req_txflit_valid"}});
  session.disable();
  session.begin(Call::start_txn);
  session.write_pmcr(0);
  session.end(Call::start_txn);
  session.add(1);
  session.add(2);
  session.begin(Call::pmu_enable);  // a driver writes nothing inside the transaction
  session.end(Call::pmu_enable);
  session.cross(10);
  session.begin(Call::commit_txn);
  session.write_pmcr(0x41);
  session.cross(2);
  session.end(Call::commit_txn);
  session.cross(3);
  EXPECT_EQ(session.expected(1), 5U);
  EXPECT_EQ(session.expected(2), 10U);
  EXPECT_EQ(session.board.findings().failures(), 0U);
}

TEST_F(CmnCounts, a_transaction_that_leaves_the_pmu_stopped_is_exposed) {
  session.count(1, {{"mxp_n_req_txflit_valid"}});
  session.enable();
  session.begin(Call::start_txn);
  session.write_pmcr(0);
  session.end(Call::start_txn);
  session.begin(Call::cancel_txn);
  session.end(Call::cancel_txn);
  session.cross(3);
  EXPECT_EQ(session.noted("transaction_left_pmu_stopped"), 1U);
  EXPECT_EQ(session.expected(1), 3U) << "the perf core wants it";
}

// --- reads

class CmnReads : public CmnCounts {
 protected:
  /// Five counted before, two during the call.
  void read(std::uint64_t value) {
    session.begin(Call::read, 1);
    session.cross(2);
    session.end(Call::read, 1, value);
    base += 2;
  }
  [[nodiscard]] std::uint64_t failed() const { return session.result(1).reads_failed; }
  std::uint64_t base = 0;
};

TEST_F(CmnReads, while_running_lie_between_the_counts_at_begin_and_end_or_a_carry_above) {
  session.count(1, at(CmnSession::kXp1, "mxp_e_req_txflit_valid"));
  session.enable();
  session.cross(5);
  base = 5;
  for (const std::uint64_t offset : {0U, 1U, 2U, 0x1'0000U, 0x1'0001U, 0x1'0002U}) read(base + offset);
  EXPECT_EQ(failed(), 0U) << "one local counter carries at most once between the two reads";
  read(base - 1);
  EXPECT_EQ(failed(), 1U);
  read(base + 3);
  EXPECT_EQ(failed(), 2U);
  read(base + 0x1'0003);
  EXPECT_EQ(failed(), 3U);
  read(base + 0xffff);
  EXPECT_EQ(failed(), 4U);
  read(base + 0x2'0000);
  EXPECT_EQ(failed(), 5U);
  EXPECT_EQ(session.result(1).reads, 11U);
  EXPECT_EQ(session.result(1).match, Match::mismatch);
}

TEST_F(CmnReads, of_an_event_on_all_crosspoints_may_be_a_carry_of_each_above) {
  session.count(1, {{"mxp_n_req_txflit_valid"}});
  session.enable();
  session.cross(5);
  base = 5;
  read(base + 6 * 0x1'0000 + 2);
  EXPECT_EQ(failed(), 0U);
  read(base + 7 * 0x1'0000);
  EXPECT_EQ(failed(), 1U);
}

TEST_F(CmnReads, while_nothing_is_counted_are_exact) {
  session.count(1, {{"mxp_n_req_txflit_valid"}});
  session.enable();
  session.cross(5);
  const auto read_quietly = [&](std::uint64_t value) {
    session.begin(Call::read, 1);
    session.beside(2);
    session.end(Call::read, 1, value);
  };
  read_quietly(5);
  EXPECT_EQ(failed(), 0U);
  EXPECT_EQ(session.result(1).match, Match::within);
  read_quietly(0x1'0005);
  EXPECT_EQ(failed(), 1U) << "what does not move does not carry";
  read_quietly(4);
  EXPECT_EQ(failed(), 2U);
}

TEST_F(CmnReads, at_the_end_are_exact_and_a_lost_carry_is_explained) {
  session.count(1, {{"mxp_n_req_txflit_valid"}});
  session.enable();
  session.cross(5);
  session.disable();
  session.del(1, 5 + 2 * 0x1'0000);
  EXPECT_EQ(session.result(1).match, Match::mismatch);
  EXPECT_THAT(session.result(1).explanation, ::testing::HasSubstr("2 carries of local counters"));
}

}  // namespace
}  // namespace pmufab::scoreboard::test
