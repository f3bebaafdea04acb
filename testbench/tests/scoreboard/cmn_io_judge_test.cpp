// The judge's reference RN-I and SBSX, told flit by flit; counts are those docs/cmn-nodes.md gives by hand.
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/scoreboard/chi.h"
#include "testbench/tests/scoreboard/cmn_session.h"

namespace pmufab::scoreboard::test {
namespace {

using cmn::Channel;
using cmn::DeviceType;
using cmn::FlitFields;
using enum cmn::Interface;

constexpr std::uint16_t kRequester = 0x00;  // RN-I at XP 0
constexpr std::uint16_t kMemory = 0x04;     // SBSX beside it

class CmnIo : public ::testing::Test {
 protected:
  static CmnJudgeSpec mesh() {
    CmnJudgeSpec spec = CmnSession::mesh();
    spec.devices.resize(6);
    spec.devices[0] = {DeviceType::rn_i, DeviceType::sbsx};
    spec.nodes = {{cmn::NodeType::rn_i, kRequester, 0, 0, 0, 0, false},
                  {cmn::NodeType::sbsx, kMemory, 0, 0, 1, 0, false}};
    return spec;
  }
  void send(Channel channel, std::uint16_t from, std::uint8_t opcode, std::uint16_t txnid,
            std::initializer_list<std::pair<std::uint8_t FlitFields::*, std::uint8_t>> more = {},
            std::uint16_t dbid = 0) {
    FlitFields fields;
    fields.srcid = from;
    fields.tgtid = from == kMemory ? kRequester : kMemory;
    fields.opcode = opcode;
    fields.txnid = txnid;
    fields.dbid = dbid;
    for (const auto& [field, value] : more) fields.*field = value;
    session.upload(0, from == kMemory ? 1 : 0, fields, 0, channel);
    session.transmit({{0, from == kMemory ? port0 : port1}}, 0, channel);
  }
  void expect_counts(std::initializer_list<std::uint64_t> counts) {
    int handle = 0;
    for (const std::uint64_t count : counts) EXPECT_EQ(session.expected(++handle), count) << handle;
  }
  CmnSession session{mesh()};
};

TEST_F(CmnIo, a_write_of_a_line_is_two_flits_of_two_beats_at_the_port_of_its_lpid) {
  int handle = 0;
  for (const char* const event : {"rnid_txreq_flits_total", "rnid_wrt_alloc", "rnid_txdat_flits", "rnid_s1_wdata_beats",
                                  "rnid_s0_wdata_beats", "rnid_txreq_flits_retried", "sbsx_wr_req", "sbsx_txrsp_flitv"})
    session.count(++handle, {{event}});
  session.enable();
  send(Channel::req, kRequester, chi::req::kWriteNoSnpFull, 0x80,
       {{&FlitFields::size, 6}, {&FlitFields::allowretry, 1}, {&FlitFields::lpid, 4}});
  send(Channel::rsp, kMemory, chi::rsp::kCompDbidResp, 0x80);
  send(Channel::dat, kRequester, chi::dat::kNonCopyBackWrData, 0);
  send(Channel::dat, kRequester, chi::dat::kNonCopyBackWrData, 0, {{&FlitFields::dataid, 2}});
  session.now += 100'000;
  session.fabric.on_begin(session.now);
  session.board.finish();
  EXPECT_EQ(session.board.findings().failures(), 0U);
  expect_counts({1, 1, 2, 4, 0, 0, 1, 1});
}

TEST_F(CmnIo, data_before_axi_has_answered_are_exposed) {
  send(Channel::req, kRequester, chi::req::kReadNoSnp, 1, {{&FlitFields::size, 3}, {&FlitFields::allowretry, 1}});
  send(Channel::dat, kMemory, chi::dat::kCompData, 1, {{&FlitFields::resp, chi::kUc}});
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U);
  session.now += 30'000;  // 60 cycles: R is there after 40
  send(Channel::dat, kMemory, chi::dat::kCompData, 1, {{&FlitFields::resp, chi::kUc}});
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U);
}

TEST_F(CmnIo, a_request_sent_again_that_nobody_refused_is_exposed) {
  send(Channel::req, kRequester, chi::req::kReadNoSnp, 1, {{&FlitFields::size, 3}, {&FlitFields::allowretry, 1}});
  send(Channel::req, kRequester, chi::req::kReadNoSnp, 1, {{&FlitFields::size, 3}});
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U);
}

TEST_F(CmnIo, data_for_which_the_requester_has_no_leave_are_exposed) {
  send(Channel::req, kRequester, chi::req::kWriteNoSnpPtl, 0x80,
       {{&FlitFields::size, 3}, {&FlitFields::allowretry, 1}});
  send(Channel::dat, kRequester, chi::dat::kNonCopyBackWrData, 0);
  EXPECT_EQ(session.noted("node_message_unexpected"), 1U);
}

}  // namespace
}  // namespace pmufab::scoreboard::test
