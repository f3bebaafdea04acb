// SPDX-License-Identifier: Apache-2.0
// The judge's reference home, fed flit by flit. The counts come from docs/cmn-nodes.md, by hand.
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/judge/chi.h"
#include "testbench/fabrics/cmn/tests/judge/cmn_session.h"

namespace pmufab::scoreboard::test::cmn_home_judge_test {
namespace {

using cmn::Channel;
using cmn::DeviceType;
using cmn::FlitFields;
using enum cmn::Interface;
namespace req = chi::req;
namespace rsp = chi::rsp;
namespace snp = chi::snp;
namespace dat = chi::dat;

constexpr std::uint16_t kFirst = 0x00;   // RN-F at XP 0
constexpr std::uint16_t kHome = 0x04;    // HN-F at XP 0
constexpr std::uint16_t kMemory = 0x20;  // SN-F at XP 1
constexpr std::uint16_t kSecond = 0x24;  // RN-F at XP 1
constexpr std::uint64_t kAddress = 0x1000;

/// An HN-F with two POCQ entries, two RN-Fs and an SN-F. A flit arrives one step after it was transmitted, which is two
/// cycles.
class CmnHome : public ::testing::Test {
 protected:
  static CmnJudgeSpec mesh() {
    CmnJudgeSpec spec = CmnSession::mesh();
    spec.devices.resize(6);
    spec.devices[0] = {DeviceType::rn_f_chie, DeviceType::hn_f};
    spec.devices[1] = {DeviceType::sn_f_chie, DeviceType::rn_f_chie};
    spec.nodes = {{cmn::NodeType::hn_f, kHome, 0, 0, 1, 0, false}};
    spec.home.pocq_entries = 2;
    return spec;
  }
  void send(Channel channel, std::uint16_t from, std::uint16_t to, FlitFields fields) {
    fields.srcid = from;
    fields.tgtid = to;
    const auto port = [](std::uint16_t id) { return (id >> 2U & 1U) != 0 ? 1U : 0U; };
    const unsigned at = from >> 5U;
    const unsigned target = to >> 5U;
    session.upload(at, port(from), fields, 0, channel);
    if (at != target) session.transmit({{at, at < target ? east : west}}, 0, channel);
    session.transmit({{target, port(to) == 0 ? port0 : port1}}, 0, channel);
  }
  static FlitFields request(std::uint8_t opcode, std::uint16_t txnid, std::uint64_t address = kAddress) {
    return {.addr = address, .txnid = txnid, .opcode = opcode, .size = 6, .allowretry = 1};
  }
  static FlitFields message(std::uint8_t opcode, std::uint16_t txnid, std::uint16_t dbid = 0, std::uint8_t resp = 0) {
    return {.txnid = txnid, .dbid = dbid, .opcode = opcode, .resp = resp};
  }
  void data(std::uint16_t from, std::uint16_t to, FlitFields fields) {
    send(Channel::dat, from, to, fields);
    fields.dataid = 2;
    send(Channel::dat, from, to, fields);
  }
  /// A ReadShared by the first RN-F that memory serves, until its data.
  void read_from_memory(std::uint64_t address = kAddress) {
    FlitFields read = request(req::kReadShared, 5, address);
    read.expcompack = 1;
    send(Channel::req, kFirst, kHome, read);
    send(Channel::req, kHome, kMemory, request(req::kReadNoSnp, 0, address));
    data(kMemory, kHome, message(dat::kCompData, 0, 9, chi::kUc));
    data(kHome, kFirst, message(dat::kCompData, 5, 0, chi::kUc));
  }
  void acknowledge(std::uint16_t from) { send(Channel::rsp, from, kHome, message(rsp::kCompAck, 0)); }
  void settle() { session.fabric.on_begin(session.now += 100'000); }

  CmnSession session{mesh()};
};

TEST_F(CmnHome, what_arrives_after_the_pmu_was_let_loose_counts_and_what_arrived_before_does_not) {
  session.count(1, {{"hnf_pocq_reqs_recvd"}});
  send(Channel::req, kFirst, kHome, request(req::kReadOnce, 1));
  session.now -= 1000;  // the next step is at the same instant as the last
  session.enable();     // its write comes a step later, in the cycle in which the request arrives
  session.fabric.on_begin(session.now);
  send(Channel::req, kFirst, kHome, request(req::kReadOnce, 2));
  settle();
  EXPECT_EQ(session.expected(1), 2U) << "the cycle had not begun";
}

TEST_F(CmnHome, a_read_from_memory_on_a_hit_is_exposed) {
  read_from_memory();
  acknowledge(kFirst);
  send(Channel::req, kSecond, kHome, request(req::kReadOnce, 1));
  EXPECT_EQ(session.board.findings().failures(), 0U);
  send(Channel::req, kHome, kMemory, request(req::kReadNoSnp, 0));
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U);
  EXPECT_THAT(session.board.findings().list().back().text, ::testing::HasSubstr("hnf 0x4: it sent ReadNoSnp to 0x20"));
}

TEST_F(CmnHome, a_snoop_nobody_asked_for_is_exposed) {
  send(Channel::snp, kHome, kFirst, request(snp::kSnpCleanInvalid, 0));
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U);
}

TEST_F(CmnHome, a_retry_with_free_entries_is_exposed) {
  send(Channel::req, kFirst, kHome, request(req::kReadOnce, 1));
  send(Channel::rsp, kHome, kFirst, message(rsp::kRetryAck, 1));
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U);
}

TEST_F(CmnHome, data_that_never_come_are_told_at_the_end) {
  send(Channel::req, kFirst, kHome, request(req::kReadNoSnp, 1));
  send(Channel::req, kHome, kMemory, request(req::kReadNoSnp, 0));
  data(kMemory, kHome, message(dat::kCompData, 0));
  session.read(0);  // time passes outside of the mesh
  session.read(0);
  session.board.finish();
  EXPECT_EQ(session.noted("node_message_missing"), 2U) << "two flits";
  EXPECT_EQ(session.noted("node_request_unfinished"), 1U);
}

TEST_F(CmnHome, a_count_of_another_filter_or_event_of_the_node_explains_a_difference) {
  for (const int event : {1, 2, 3}) session.count(event, {{"hnf_class_mc_reqs_class3"}});
  session.enable();
  for (const std::uint8_t qos : std::initializer_list<std::uint8_t>{15, 12, 12}) {  // classes 0, 1, 1
    FlitFields read = request(req::kReadNoSnp, 5);
    read.qos = qos;
    send(Channel::req, kFirst, kHome, read);
    read.txnid = 0;
    send(Channel::req, kHome, kMemory, read);
    data(kMemory, kHome, message(dat::kCompData, 0, 9));
    data(kHome, kFirst, message(dat::kCompData, 5));
  }
  settle();
  session.disable();
  const auto explanation = [&](int event, std::uint64_t value) {
    session.del(event, value);
    EXPECT_EQ(session.expected(event), 0U);
    return session.result(event).explanation;
  };
  EXPECT_THAT(explanation(1, 1), ::testing::HasSubstr("this event without a filter"));
  EXPECT_THAT(explanation(2, 2), ::testing::HasSubstr("this event with filter 1"));
  EXPECT_THAT(explanation(3, 3), ::testing::HasSubstr("event 0x5 of the node"));
}

TEST_F(CmnHome, data_in_a_state_the_rules_do_not_give_are_exposed) {
  FlitFields read = request(req::kReadShared, 5);
  read.expcompack = 1;
  send(Channel::req, kFirst, kHome, read);
  send(Channel::req, kHome, kMemory, request(req::kReadNoSnp, 0));
  data(kMemory, kHome, message(dat::kCompData, 0));
  send(Channel::dat, kHome, kFirst, message(dat::kCompData, 5, 0, chi::kSc));
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U) << "nobody else has the line: UC";
}

/// As CmnHome, with a second home and a second SN-F at XP 2: each home and each SN-F has half of the lines.
class CmnTwoHomes : public CmnHome {
 protected:
  static CmnJudgeSpec two() {
    CmnJudgeSpec spec = mesh();
    spec.devices[2] = {DeviceType::hn_f, DeviceType::sn_f_chie};
    // Logical ids differ from the order of places: the home at XP 0 is the second.
    spec.nodes = {{cmn::NodeType::hn_f, kHome, 1, 0, 1, 0, false}, {cmn::NodeType::hn_f, 0x40, 0, 2, 0, 0, false}};
    return spec;
  }
  void cross(Channel channel, std::uint16_t from, std::uint16_t to, FlitFields fields, CmnSession& on) {
    fields.srcid = from;
    fields.tgtid = to;
    unsigned at = from >> 5U;
    on.upload(at, from >> 2U & 1U, fields, 0, channel);
    for (; at < (to >> 5U); ++at) on.transmit({{at, east}}, 0, channel);
    on.transmit({{at, (to >> 2U & 1U) == 0 ? port0 : port1}}, 0, channel);
  }
  CmnSession both{two()};
};

TEST_F(CmnTwoHomes, a_request_for_a_line_of_another_home_is_exposed) {
  cross(Channel::req, kFirst, kHome, request(req::kReadOnce, 1, 0x40), both);
  cross(Channel::req, kFirst, 0x40, request(req::kReadOnce, 2, 0x80), both);
  both.fabric.on_begin(both.now += 10'000);
  EXPECT_EQ(both.noted("node_wrong_home"), 0U);
  cross(Channel::req, kFirst, kHome, request(req::kReadOnce, 3, 0x80), both);
  both.fabric.on_begin(both.now += 10'000);
  EXPECT_EQ(both.noted("node_wrong_home"), 1U);
}

TEST_F(CmnTwoHomes, a_request_to_the_memory_of_another_home_is_exposed) {
  cross(Channel::req, kFirst, kHome, request(req::kReadNoSnp, 1, 0x40), both);
  cross(Channel::req, kFirst, kHome, request(req::kReadNoSnp, 2, 0xc0), both);
  cross(Channel::req, kHome, 0x44, request(req::kReadNoSnp, 0, 0x40), both);
  EXPECT_EQ(both.board.findings().failures(), 0U) << "the second SN-F is the second home's";
  cross(Channel::req, kHome, kMemory, request(req::kReadNoSnp, 1, 0xc0), both);
  EXPECT_EQ(both.noted("node_wrong_memory"), 1U);
}

TEST_F(CmnHome, a_request_for_the_other_mesh_at_an_hn_f_is_exposed) {
  send(Channel::req, kFirst, kHome, request(req::kReadOnce, 1, std::uint64_t{1} << 47U));
  settle();
  EXPECT_EQ(session.noted("node_wrong_home"), 1U);
}

TEST_F(CmnHome, events_of_nodes_the_mesh_has_not_have_no_truth) {
  EXPECT_THROW(session.board.expect(1, CmnSession::kPmu, {{"sbsx_rd_req"}}), std::invalid_argument);
  EXPECT_THROW(session.board.expect(1, CmnSession::kPmu, {{"ccra_rht_occ"}}), std::invalid_argument);
  EXPECT_THROW(session.board.expect(1, CmnSession::kPmu, {{"hnf_cache_miss"}, {"bynodeid", 1}, {"nodeid", 0x24}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace pmufab::scoreboard::test::cmn_home_judge_test
