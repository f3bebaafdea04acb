// SPDX-License-Identifier: Apache-2.0
// The judge's reference RN-I and SBSX, fed flit by flit. The counts come from docs/cmn-nodes.md, by hand.
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/judge/chi.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_axi.h"
#include "testbench/fabrics/cmn/tests/judge/cmn_session.h"

namespace pmufab::scoreboard::test::cmn_io_judge_test {
namespace {

using cmn::Channel;
using cmn::DeviceType;
using cmn::FlitFields;
using enum cmn::Interface;

constexpr std::uint16_t kRequester = 0x00;  // RN-I at XP 0
constexpr std::uint16_t kMemory = 0x04;     // SBSX beside it
constexpr std::uint16_t kIoHome = 0x20;     // HN-I at XP 1
constexpr std::uint16_t kOtherIoHome = 0x24;
constexpr std::uint16_t kHome = 0x40;  // HN-F at XP 2
constexpr std::uint64_t kIoAddress = std::uint64_t{4} << 44U;
constexpr std::uint64_t kPage = 4096;

/// An RN-I and an SBSX are judged. The test plays HN-Is and a home.
class CmnIo : public ::testing::Test {
 protected:
  static CmnJudgeSpec mesh() {
    CmnJudgeSpec spec = CmnSession::mesh();
    spec.devices.resize(6);
    spec.devices[0] = {DeviceType::rn_i, DeviceType::sbsx};
    spec.devices[1] = {DeviceType::hn_i, DeviceType::hn_i};
    spec.devices[2] = {DeviceType::hn_f};
    spec.nodes = {{cmn::NodeType::rn_i, kRequester, 0, 0, 0, 0, false},
                  {cmn::NodeType::sbsx, kMemory, 0, 0, 1, 0, false}};
    spec.rn_i = {4, 2};
    return spec;
  }
  void send(Channel channel, std::uint16_t from, std::uint16_t to, std::uint8_t opcode, std::uint16_t txnid,
            std::initializer_list<std::pair<std::uint8_t FlitFields::*, std::uint8_t>> more = {},
            std::uint64_t address = kIoAddress) {
    FlitFields fields{.addr = address, .srcid = from, .tgtid = to, .txnid = txnid, .opcode = opcode};
    for (const auto& [field, value] : more) fields.*field = value;
    const auto port = [](std::uint16_t id) { return (id >> 2U & 1U) != 0 ? 1U : 0U; };
    const unsigned target = to >> 5U;
    unsigned at = from >> 5U;
    session.upload(at, port(from), fields, 0, channel);
    for (; at < target; ++at) session.transmit({{at, east}}, 0, channel);
    for (; at > target; --at) session.transmit({{at, west}}, 0, channel);
    session.transmit({{target, port(to) == 0 ? port0 : port1}}, 0, channel);
  }
  /// A request of the RN-I.
  void ask(std::uint16_t to, std::uint8_t opcode, std::uint16_t txnid, std::uint64_t address, std::uint8_t size = 3) {
    send(Channel::req, kRequester, to, opcode, txnid, {{&FlitFields::size, size}, {&FlitFields::allowretry, 1}},
         address);
  }
  void settle() {
    session.now += 100'000;
    session.fabric.on_begin(session.now);
    session.board.finish();
  }
  CmnSession session{mesh()};
};

TEST_F(CmnIo, data_before_axi_has_answered_are_exposed) {
  send(Channel::req, kHome, kMemory, chi::req::kReadNoSnp, 1, {{&FlitFields::size, 3}, {&FlitFields::allowretry, 1}});
  send(Channel::dat, kMemory, kHome, chi::dat::kCompData, 1, {{&FlitFields::resp, chi::kUc}});
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U);
  session.now += 30'000;  // 60 cycles: R comes after 40
  send(Channel::dat, kMemory, kHome, chi::dat::kCompData, 1, {{&FlitFields::resp, chi::kUc}});
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U);
}

TEST_F(CmnIo, a_request_sent_again_that_nobody_refused_is_exposed) {
  ask(kIoHome, chi::req::kReadNoSnp, 1, kIoAddress);
  send(Channel::req, kRequester, kIoHome, chi::req::kReadNoSnp, 1, {{&FlitFields::size, 3}});
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U);
}

TEST_F(CmnIo, data_for_which_the_requester_has_no_leave_are_exposed) {
  ask(kIoHome, chi::req::kWriteNoSnpPtl, 0x80, kIoAddress);
  send(Channel::dat, kRequester, kIoHome, chi::dat::kNonCopyBackWrData, 0);
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U);
}

TEST_F(CmnIo, a_request_to_an_io_home_of_another_page_is_exposed) {
  ask(kIoHome, chi::req::kReadNoSnp, 0, kIoAddress + 2 * kPage);
  ask(kOtherIoHome, chi::req::kReadNoSnp, 1, kIoAddress + kPage + 64);
  EXPECT_EQ(session.noted("node_wrong_target"), 0U);
  ask(kIoHome, chi::req::kReadNoSnp, 2, kIoAddress + kPage);
  EXPECT_EQ(session.noted("node_wrong_target"), 1U);
  ask(kMemory, chi::req::kReadNoSnp, 3, std::uint64_t{1} << 44U);
  EXPECT_EQ(session.noted("node_wrong_target"), 2U) << "past the home";
}

TEST_F(CmnIo, snooped_requests_of_io_and_others_of_another_mesh_are_exposed) {
  constexpr std::uint64_t kOtherMesh = std::uint64_t{1} << 47U;
  ask(kIoHome, chi::req::kReadOnce, 0, kIoAddress);
  EXPECT_EQ(session.noted("node_wrong_target"), 1U);
  ask(kHome, chi::req::kReadNoSnp, 1, kOtherMesh);
  EXPECT_EQ(session.noted("node_wrong_target"), 3U) << "and there is no gateway";
}

TEST_F(CmnIo, numbers_of_transactions_that_it_has_not_are_exposed) {
  ask(kIoHome, chi::req::kReadNoSnp, 3, kIoAddress);
  ask(kIoHome, chi::req::kWriteNoSnpFull, 0x81, kIoAddress, 6);
  EXPECT_EQ(session.board.findings().failures(), 0U);
  ask(kIoHome, chi::req::kReadNoSnp, 4, kIoAddress);
  EXPECT_EQ(session.noted("node_wrong_number"), 1U) << "it has four for reads";
  ask(kIoHome, chi::req::kWriteNoSnpFull, 0x82, kIoAddress, 6);
  ask(kIoHome, chi::req::kWriteNoSnpFull, 2, kIoAddress, 6);
  EXPECT_EQ(session.noted("node_wrong_number"), 3U) << "it has two for writes, 0x80 and 0x81";
}

TEST_F(CmnIo, a_number_used_twice_at_a_time_is_exposed) {
  ask(kIoHome, chi::req::kReadNoSnp, 1, kIoAddress);
  ask(kIoHome, chi::req::kReadNoSnp, 1, kIoAddress + 64);
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U);
}

TEST_F(CmnIo, cancelled_data_to_anything_but_io_are_exposed) {
  ask(kIoHome, chi::req::kWriteNoSnpPtl, 0x80, kIoAddress);
  send(Channel::rsp, kIoHome, kRequester, chi::rsp::kCompDbidResp, 0x80);
  send(Channel::dat, kRequester, kIoHome, chi::dat::kWriteDataCancel, 0);
  EXPECT_EQ(session.board.findings().failures(), 0U);
  ask(kHome, chi::req::kWriteNoSnpPtl, 0x80, 0x1000);
  send(Channel::rsp, kHome, kRequester, chi::rsp::kCompDbidResp, 0x80);
  send(Channel::dat, kRequester, kHome, chi::dat::kWriteDataCancel, 0);
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U);
}

TEST(CoveredCycles, are_counted_alike_whether_anybody_asks_in_between_or_not) {
  CoveredCycles asked;
  CoveredCycles left;
  for (cmn::Cycle now = 0; now < 1000; now += 4) {
    for (CoveredCycles* const one : {&asked, &left}) one->add(now, now + 1, now + 3);
    EXPECT_EQ(asked.before(now + 2), now / 2 + 1);
  }
  EXPECT_EQ(left.before(1000), 500U);
}

TEST(CoveredCycles, need_no_room_for_what_is_over_nor_for_neighbours) {
  CoveredCycles scattered;
  for (cmn::Cycle now = 0; now < 1000; now += 4) scattered.add(now, now, now + 2);
  EXPECT_LE(scattered.kept(), 1U);
  CoveredCycles late;  // a channel that is always behind
  for (cmn::Cycle now = 0; now < 1000; ++now) late.add(now, now * 2, now * 2 + 2);
  EXPECT_EQ(late.kept(), 1U);
  EXPECT_EQ(late.before(1500), 1500U);
}

/// A gateway that has accepted a read of an RN-I, and another judge for the other mesh.
class CmnLinks : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kLine = 0x40;
  static constexpr Picoseconds kCycle = 500;
  /// From the flit's exit from the mesh until its CXS flit: two cycles to the gateway, twelve in it.
  static constexpr Picoseconds kOnTime = 14 * kCycle;

  static CmnJudgeSpec mesh() {
    CmnJudgeSpec spec = CmnSession::mesh();
    spec.devices.resize(6);
    spec.devices[0] = {DeviceType::rn_i};
    spec.devices[1] = {DeviceType::ccg};
    spec.nodes = {{cmn::NodeType::rn_i, kRequester, 0, 0, 0, 0, false},
                  {cmn::NodeType::ccra, kIoHome, 0, 1, 0, 0, false},
                  {cmn::NodeType::ccha, kIoHome, 0, 1, 0, 0, false},
                  {cmn::NodeType::ccla, kIoHome, 0, 1, 0, 0, false}};
    spec.links.resize(1);
    spec.links[0].node_id = kIoHome;
    return spec;
  }
  CmnLinks() {
    CmnJudge::link(session.fabric, kIoHome, other.fabric, kIoHome);
    FlitFields request = CmnSession::flit(kRequester, kIoHome, chi::req::kReadOnce, std::uint64_t{1} << 47U | kLine);
    request.allowretry = 1;
    request.size = 6;
    session.upload(0, 0, request);
    session.transmit({{0, east}, {1, port0}});
  }
  void sends(Picoseconds after, const cmn::LinkFlit& flit) {
    session.fabric.on_link_flit(session.now + after, kIoHome, true, flit);
  }
  CmnSession session{mesh()};
  CmnSession other{mesh()};
  const cmn::LinkFlit read{.address = kLine, .bytes = 16, .kind = cmn::LinkFlit::Kind::read, .last = true};
};

TEST_F(CmnLinks, the_cxs_flit_of_a_read_is_sent_when_the_rules_say_and_taken_one_latency_later) {
  constexpr Picoseconds kLatency = 20'000;
  sends(kOnTime, read);
  other.fabric.on_link_flit(session.now + kOnTime + kLatency, kIoHome, false, read);
  EXPECT_EQ(session.board.findings().failures(), 0U);
  EXPECT_EQ(other.board.findings().failures(), 0U);
}

TEST_F(CmnLinks, a_cxs_flit_in_another_cycle_is_exposed) {
  sends(kOnTime - kCycle, read);
  EXPECT_EQ(session.noted("link_flit_unexpected"), 1U) << "early";
  sends(kOnTime + kCycle, read);
  EXPECT_EQ(session.noted("link_flit_missing"), 1U) << "and late";
  EXPECT_EQ(session.noted("link_flit_unexpected"), 2U);
}

TEST_F(CmnLinks, a_cxs_flit_of_something_else_is_exposed) {
  cmn::LinkFlit flit = read;
  flit.address += 64;
  sends(kOnTime, flit);
  EXPECT_EQ(session.noted("link_flit_unexpected"), 1U);
}

TEST_F(CmnLinks, a_cxs_flit_that_never_comes_is_exposed) {
  session.fabric.on_begin(session.now + 2 * kOnTime);
  session.board.finish();
  EXPECT_EQ(session.noted("link_flit_missing"), 1U);
  EXPECT_EQ(session.noted("node_request_unfinished"), 2U) << "the RN-I's, too";
}

}  // namespace
}  // namespace pmufab::scoreboard::test::cmn_io_judge_test
