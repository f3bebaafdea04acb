// SPDX-License-Identifier: Apache-2.0
// HN-I and HN-P: requests to I/O, and the AXI side behind them. Expected counts come from docs/cmn-nodes.md, 4.2 and
// 4.3.

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/nodes/io/io_node.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_io_rig.h"

namespace pmufab::cmn_io_home_test {
namespace {

using cmn::Channel;
using cmn::Cycle;
using testing::IoRig;
using testing::kTravel;
using testing::Partner;
using Kind = IoRig::Kind;

using CmnIoHome = testing::SimulationTest;

constexpr unsigned kHnI = 0x4;
constexpr unsigned kHnP = 0x11;
constexpr std::uint8_t kRead = cmn::chi::req::kReadNoSnp;
constexpr std::uint8_t kWrite = cmn::chi::req::kWriteNoSnpFull;
constexpr std::uint8_t kPartialWrite = cmn::chi::req::kWriteNoSnpPtl;

TEST(AxiChannel, waits_after_a_hand_over_and_is_idle_when_ready_for_nothing) {
  cmn::AxiChannel channel(4);
  EXPECT_EQ(channel.idle().cycles(10), 10U);
  EXPECT_EQ(channel.present(10), 10U);
  EXPECT_EQ(channel.present(10), 14U);
  EXPECT_EQ(channel.present(12), 18U);
  // VALID from 10 to 18, handed over at 10, 14, 18; READY at 10, 14, 18 and from 22 on.
  const std::array<std::uint64_t, 12> waits{0, 0, 1, 2, 3, 3, 4, 5, 6, 6, 6, 6};
  for (Cycle end = 10; end < 22; ++end) {
    EXPECT_EQ(channel.waiting().cycles(end), waits[end - 10]) << end;
    EXPECT_EQ(channel.idle().cycles(end), 10U) << end;
  }
  EXPECT_EQ(channel.idle().cycles(25), 13U);
  EXPECT_EQ(channel.present(25), 25U);
  EXPECT_EQ(channel.present(27), 29U) << "VALID from 27, READY at 29";
  EXPECT_EQ(channel.waiting().cycles(40), 8U);
  EXPECT_EQ(channel.idle().cycles(40), 20U) << "22 to 24 and 33 to 39";
}

TEST(AxiChannel, presents_between_the_last_hand_over_and_ready) {
  cmn::AxiChannel channel(4);
  EXPECT_EQ(channel.present(5), 5U);
  EXPECT_EQ(channel.present(7), 9U);
  EXPECT_EQ(channel.waiting().cycles(100), 2U);
  EXPECT_EQ(channel.present(13), 13U);
  EXPECT_EQ(channel.waiting().cycles(100), 2U);
  EXPECT_EQ(channel.idle().cycles(17), 5U);
}

TEST_F(CmnIoHome, reads_pass_both_trackers_to_axi_and_back) {
  IoRig rig;
  cmn::IoNode node(rig.mesh, rig.addresses, rig.place(1, 1), {.axi = {.ar_period = 3}});
  Partner requester(rig.mesh, rig.id(1, 0));
  run([&] {
    ASSERT_TRUE(rig.probe());
    // Two reads, one cycle apart. AR of the first at a; of the second, which arrives at a + 1, at a + 3; R 40 later.
    rig.expect(kHnI, rig.id(1, 1),
               {{0x25, 2},
                {0x27, 2},
                {0x26, 0},
                {0x28, 0},
                {0x20, 40 + 42, Kind::sum},
                {0x22, 40 + 42, Kind::sum},
                {0x2b, 2},
                {0x2c, 4 + 2, Kind::rest},  // VALID a, a + 1 ... a + 3; READY not until a + 6
                {0x2a, 0},
                {0x30, 0},
                {0x2d, 0},
                {0x2e, 0, Kind::rest}},
               [&] {
                 const Cycle start = rig.soon();
                 const std::size_t before = requester.got.size();
                 requester.request(rig.id(1, 1), kRead, 2, start);
                 requester.request(rig.id(1, 1), kRead, 4, start);
                 rig.pass(200);
                 const Cycle arrived = start + kTravel;
                 ASSERT_EQ(requester.got.size() - before, 4U);
                 for (unsigned flit = 0; flit < 4; ++flit) {
                   const Partner::Got& got = requester.got[before + flit];
                   EXPECT_EQ(got.fields.opcode, cmn::chi::dat::kCompData);
                   EXPECT_EQ(got.fields.txnid, flit < 2 ? 2 : 4);
                   EXPECT_EQ(got.fields.dataid, flit % 2 * 2);
                   // Latency 8; the second read's data follows three cycles after the first's.
                   EXPECT_EQ(got.cycle, arrived + 40 + 8 + kTravel + (flit < 2 ? flit : flit + 1));
                 }
               });
    EXPECT_EQ(node.pending(), 0U);
  });
}

TEST_F(CmnIoHome, writes_wait_for_a_buffer_and_their_data) {
  IoRig rig;
  cmn::IoNode node(rig.mesh, rig.addresses, rig.place(1, 1),
                   {.wdb_entries = 1, .axi = {.aw_period = 2, .w_period = 4}});
  Partner requester(rig.mesh, rig.id(1, 0));
  requester.write_with(2);
  run([&] {
    ASSERT_TRUE(rig.probe());
    // The first arrives at a. CompDBIDResp goes at a + 8 and arrives at a + 13. Data goes then and in the cycle after,
    // and has arrived at a + 19. W at a + 19 and a + 23; B at a + 43. The second arrives at a + 1 and has the buffer
    // from a + 43 on. Its data has arrived at a + 62, its B comes at a + 86.
    rig.expect(kHnI, rig.id(1, 1),
               {{0x26, 2},
                {0x28, 2},
                {0x29, 2},
                {0x21, 43 + 85, Kind::sum},
                {0x23, 24 + 24, Kind::sum},
                {0x24, 43 + 43, Kind::sum},
                {0x2d, 0},
                {0x2e, 2 * 2, Kind::rest},  // AW handed over, then one cycle not ready
                {0x2f, 3 + 3},
                {0x25, 0},
                {0x27, 0},
                {0x2c, 0, Kind::rest}},
               [&] {
                 const Cycle start = rig.soon();
                 requester.request(rig.id(1, 1), kWrite, 2, start);
                 requester.request(rig.id(1, 1), kWrite, 4, start);
                 rig.pass(300);
               });
    EXPECT_EQ(requester.count(Channel::rsp, cmn::chi::rsp::kCompDbidResp), 6U);
    EXPECT_EQ(node.pending(), 0U);
  });
}

TEST_F(CmnIoHome, a_cancelled_write_gives_back_what_it_had_and_never_reaches_axi) {
  IoRig rig;
  cmn::IoNode node(rig.mesh, rig.addresses, rig.place(1, 1), {});
  Partner requester(rig.mesh, rig.id(1, 0));
  requester.write_with(1, cmn::chi::dat::kWriteDataCancel);
  run([&] {
    ASSERT_TRUE(rig.probe());
    // CompDBIDResp at 8, arrives at 13; the cancellation is back at 18.
    rig.expect(kHnI, rig.id(1, 1),
               {{0x26, 1},
                {0x29, 1},
                {0x28, 0},
                {0x2e, 0, Kind::rest},
                {0x21, 18, Kind::sum},
                {0x24, 18, Kind::sum},
                {0x23, 0, Kind::sum}},
               [&] {
                 requester.request(rig.id(1, 1), kPartialWrite, 2, rig.soon(), 0, 5);
                 rig.pass(100);
               });
    EXPECT_EQ(node.pending(), 0U);
  });
}

TEST_F(CmnIoHome, requests_without_an_entry_come_again_with_credits_in_order) {
  IoRig rig;
  cmn::IoNode node(rig.mesh, rig.addresses, rig.place(1, 1), {.rrt_entries = 1});
  Partner requester(rig.mesh, rig.id(1, 0));
  Partner other(rig.mesh, rig.id(0, 0));
  const std::uint16_t to = rig.id(1, 1);
  for (Partner* const one : {&requester, &other}) {
    one->answer = [one, to](const cmn::Arrival& arrival, Cycle now) {
      if (arrival.channel != Channel::rsp || arrival.fields.opcode != cmn::chi::rsp::kPCrdGrant) return;
      EXPECT_EQ(arrival.fields.pcrdtype, 0U);
      cmn::FlitFields fields;
      fields.opcode = kRead;
      fields.tgtid = to;
      fields.txnid = 8;
      fields.size = 6;
      one->post(Channel::req, fields, now);
    };
  }
  run([&] {
    ASSERT_TRUE(rig.probe());
    // Arrivals at a, a + 1 (refused), and from farther away at a + 2 (refused). The entry is free at a + 40: granted,
    // back here 8 + 2 * 5 later; then for 40 cycles; then 8 + 2 * 8 for the other.
    rig.expect(kHnI, to, {{0x25, 3}, {0x2a, 2}, {0x20, 3 * 40, Kind::sum}, {0x22, 3 * 40, Kind::sum}}, [&] {
      const Cycle start = rig.soon();
      requester.request(to, kRead, 2, start);
      requester.request(to, kRead, 4, start);
      other.request(to, kRead, 2, start - 1);
      rig.pass(100);
      EXPECT_EQ(other.count(Channel::rsp, cmn::chi::rsp::kPCrdGrant), 0U) << "the first refused is served first";
      rig.pass(300);
    });
    EXPECT_EQ(requester.count(Channel::rsp, cmn::chi::rsp::kRetryAck), 1U);
    EXPECT_EQ(other.count(Channel::rsp, cmn::chi::rsp::kRetryAck), 1U);
    EXPECT_EQ(requester.count(Channel::dat, cmn::chi::dat::kCompData), 4U);
    EXPECT_EQ(other.count(Channel::dat, cmn::chi::dat::kCompData), 2U);
    EXPECT_EQ(node.pending(), 0U);
  });
}

TEST_F(CmnIoHome, ordered_requests_of_a_source_go_one_after_the_other) {
  IoRig rig;
  cmn::IoNode node(rig.mesh, rig.addresses, rig.place(1, 1), {});
  Partner requester(rig.mesh, rig.id(1, 0));
  run([&] {
    ASSERT_TRUE(rig.probe());
    // Ordered reads at a and a + 1; the one without order at a + 2 passes. The second waits until a + 40.
    rig.expect(kHnI, rig.id(1, 1), {{0x31, 39}, {0x32, 0}, {0x20, 40 + 79 + 40, Kind::sum}, {0x22, 3 * 40, Kind::sum}},
               [&] {
                 const Cycle start = rig.soon();
                 requester.request(rig.id(1, 1), kRead, 2, start, 0, 6, 2);
                 requester.request(rig.id(1, 1), kRead, 4, start, 0, 6, 3);
                 requester.request(rig.id(1, 1), kRead, 6, start);
                 rig.pass(200);
               });
    EXPECT_EQ(node.pending(), 0U);
  });
}

TEST_F(CmnIoHome, downstream_entries_go_to_the_oldest) {
  IoRig rig;
  cmn::IoNode node(rig.mesh, rig.addresses, rig.place(1, 1), {.rdt_entries = 1});
  Partner requester(rig.mesh, rig.id(1, 0));
  run([&] {
    ASSERT_TRUE(rig.probe());
    rig.expect(kHnI, rig.id(1, 1), {{0x25, 3}, {0x27, 3}, {0x20, 40 + 79 + 118, Kind::sum}, {0x22, 3 * 40, Kind::sum}},
               [&] {
                 const Cycle start = rig.soon();
                 for (std::uint16_t txnid = 0; txnid < 6; txnid = static_cast<std::uint16_t>(txnid + 2))
                   requester.request(rig.id(1, 1), kRead, txnid, start);
                 rig.pass(300);
               });
    std::vector<std::uint16_t> order;
    for (const Partner::Got& got : requester.got) order.push_back(got.fields.txnid);
    EXPECT_EQ(order, (std::vector<std::uint16_t>{0, 0, 2, 2, 4, 4}));
  });
}

TEST_F(CmnIoHome, of_hn_p_counts_peers_with_its_second_select_and_others_with_its_first) {
  // contract A47
  IoRig rig;
  cmn::IoNode node(rig.mesh, rig.addresses, rig.place(2, 1), {});
  Partner processor(rig.mesh, rig.id(2, 0));
  Partner peer(rig.mesh, rig.id(5, 0));
  const std::uint16_t to = rig.id(2, 1);
  processor.write_with(1);
  peer.write_with(1);
  run([&] {
    ASSERT_TRUE(rig.probe());
    ASSERT_EQ(rig.addresses.nodes(cmn::DeviceKind::rn_d)[0], rig.id(5, 0));
    const auto traffic = [&] {
      const Cycle start = rig.soon();
      for (std::uint16_t txnid = 0; txnid < 6; txnid = static_cast<std::uint16_t>(txnid + 2))
        processor.request(to, kRead, txnid, start);
      processor.request(to, kPartialWrite, 6, start, 0, 4);
      peer.request(to, kRead, 0, start, 0, 6, 2);
      peer.request(to, kPartialWrite, 2, start, 0, 4);
      peer.request(to, kPartialWrite, 4, start, 0, 4);
      peer.request(to, kRead, 6, start, 0, 6, 2);
      rig.pass(300);
    };
    // Four of each select at once, in the same position.
    std::vector<testing::CmnDriver::Event> first;
    std::vector<testing::CmnDriver::Event> second;
    for (const unsigned id : {0x25U, 0x26U}) first.push_back(rig.driver.open(rig.driver.find(kHnI, to), id));
    for (const unsigned id : {0x13U, 0x04U}) second.push_back(rig.driver.open(rig.driver.find(kHnP, to), id));
    traffic();
    ++rig.runs;
    EXPECT_EQ(rig.driver.close(first[0]), 3U);
    EXPECT_EQ(rig.driver.close(first[1]), 1U);
    EXPECT_EQ(rig.driver.close(second[0]), 2U);
    EXPECT_EQ(rig.driver.close(second[1]), 2U);
    // The peer is two links away, six cycles more each way.
    constexpr Cycle kFar = kTravel + 6;
    constexpr Cycle kWriteTime = 8 + 2 * kFar + 20;
    rig.expect(kHnP, to,
               {{0x14, 2},
                {0x05, 2},
                {0x06, 2},
                {0x11, 40 + 77, Kind::sum},
                {0x01, 2 * kWriteTime, Kind::sum},
                {0x12, 40 + 40, Kind::sum},
                {0x02, 20 + 20, Kind::sum},
                {0x03, 2 * kWriteTime, Kind::sum},
                {0x07, 0},
                {0x08, 2, Kind::rest},
                {0x09, 0},
                {0x15, 0},
                {0x16, 2, Kind::rest}},
               traffic);
    rig.expect(kHnI, to, {{0x32, 37}, {0x31, 0}, {0x2a, 0}, {0x2c, 3, Kind::rest}}, traffic);
    EXPECT_EQ(node.pending(), 0U);
  });
}

TEST_F(CmnIoHome, data_that_may_not_go_is_held) {
  IoRig rig;
  cmn::IoNode node(rig.mesh, rig.addresses, rig.place(1, 1), {});
  Partner requester(rig.mesh, rig.id(1, 0));
  testing::Filler filler(rig.mesh, 1, 1, Channel::dat, requester.id);
  run([&] {
    ASSERT_TRUE(rig.probe());
    // R data at a + 40: DAT from a + 48 on. Another source sends from a + 46 to a + 50.
    rig.expect(kHnI, rig.id(1, 1), {{0x30, 3}}, [&] {
      const Cycle start = rig.soon();
      requester.request(rig.id(1, 1), kRead, 0, start);
      filler.fill(start + kTravel + 46, 5);
      rig.pass(200);
    });
  });
}

TEST_F(CmnIoHome, refuses_parameters_nothing_could_go_on_with) {
  IoRig rig;
  EXPECT_THROW(cmn::IoNode(rig.mesh, rig.addresses, rig.place(1, 1), {.rrt_entries = 129}), std::invalid_argument);
  EXPECT_THROW(cmn::IoNode(rig.mesh, rig.addresses, rig.place(2, 1), {.wdb_entries = 0}), std::invalid_argument);
  EXPECT_THROW(cmn::AxiSide({.ar_period = 0}), std::invalid_argument);
  EXPECT_THROW(cmn::AxiSide({.write_latency = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace pmufab::cmn_io_home_test
