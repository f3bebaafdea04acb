// SPDX-License-Identifier: Apache-2.0
// The DVM node of HN-D, and HN-D as a whole. Expected counts come from docs/cmn-nodes.md, 4.7.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/nodes/io/io_node.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_io_rig.h"

namespace pmufab::cmn_io_dvm_test {
namespace {

using cmn::Channel;
using cmn::Cycle;
using testing::IoRig;
using testing::kTravel;
using testing::Partner;
using Kind = IoRig::Kind;

using CmnIoDvm = testing::SimulationTest;

constexpr unsigned kDvm = 0x1;
constexpr unsigned kHnI = 0x4;
constexpr std::uint8_t kDvmOp = cmn::chi::req::kDvmOp;

enum Type : unsigned { tlbi, bpi, pici, vici, sync };
constexpr std::uint64_t payload(Type type) { return std::uint64_t{type} << 11; }
constexpr std::uint64_t payload(Type type, unsigned vmid) {
  return payload(type) | 1U << 5 | std::uint64_t{vmid} << 14;
}

/// HN-D at XP 0, beside the first RN-F; RN-Fs at XPs 1 and 2, RN-Ds at XPs 5 and 6 too.
struct DvmRig : IoRig {
  explicit DvmRig(const cmn::DvmNodeParameters& parameters = {}, cmn::Product product = cmn::Product::cmn700)
      : IoRig(product), node(mesh, addresses, place(0, 1), {}, parameters), to(id(0, 1)) {
    for (const auto& [xp, port] : {std::pair{0U, 0U}, {1U, 0U}, {2U, 0U}, {5U, 0U}, {6U, 1U}}) {
      auto partner = std::make_unique<Partner>(mesh, id(xp, port));
      Partner& one = *partner;
      one.answer = [this, &one](const cmn::Arrival& arrival, Cycle now) { answer(one, arrival, now); };
      partners.push_back(std::move(partner));
    }
  }
  void answer(Partner& one, const cmn::Arrival& arrival, Cycle now) {
    const cmn::FlitFields& fields = arrival.fields;
    if (arrival.channel == Channel::snp) {
      if ((fields.addr & 8U) != 0) one.respond(to, cmn::chi::rsp::kSnpResp, fields.txnid, now);
      return;
    }
    if (arrival.channel != Channel::rsp) return;
    if (fields.opcode == cmn::chi::rsp::kDbidResp)
      one.send_data(to, cmn::chi::dat::kNonCopyBackWrData, fields.dbid, 1, now);
    if (fields.opcode == cmn::chi::rsp::kPCrdGrant) {
      EXPECT_EQ(fields.pcrdtype, 1U);
      cmn::FlitFields again;
      again.opcode = kDvmOp;
      again.tgtid = to;
      again.txnid = 0x20;
      again.pcrdtype = 1;
      one.post(Channel::req, again, now);
    }
  }
  Partner& requester() { return *partners.front(); }

  cmn::IoNode node;
  std::uint16_t to;
  std::vector<std::unique_ptr<Partner>> partners;
};

// From the arrival of an operation whose requester is at the same XP: its DBIDResp goes after 8 cycles and comes back
// as data; snoops go 8 cycles later, two flits to each target in order. The farthest target decides.
constexpr Cycle kData = 8 + 2 * kTravel;
/// @param before  flits that go before the first of the target
/// @param links   to the target
constexpr Cycle answered(Cycle before, Cycle links) { return kData + 8 + before + 1 + 2 * (kTravel + 3 * links); }

TEST_F(CmnIoDvm, operations_are_told_apart_by_type) {
  DvmRig rig;
  run([&] {
    ASSERT_TRUE(rig.probe());
    // RN-Fs get all operations; RN-Ds get TLBI and Sync.
    rig.expect(kDvm, rig.to,
               {{0x01, 1},
                {0x02, 2},
                {0x03, 1},
                {0x04, 1},
                {0x05, 1},
                {0x06, 0},
                {0x07, 4},
                {0x08, 0},
                {0x09, 2 * 4 + 4 * (2 * 2) + 2 * 4},
                {0x0a, 0},
                {0x0f, 6},
                {0x0b, 0}},
               [&] {
                 for (const Type type : {tlbi, bpi, bpi, pici, vici, sync}) {
                   rig.requester().request(rig.to, kDvmOp, 0x10, rig.soon(), payload(type));
                   rig.pass(100);
                 }
               });
    EXPECT_EQ(rig.requester().count(Channel::rsp, cmn::chi::rsp::kComp), 6 * rig.runs);
    EXPECT_EQ(rig.requester().count(Channel::snp, cmn::chi::snp::kSnpDvmOp), 0U) << "not its own";
    EXPECT_EQ(rig.partners[3]->count(Channel::snp, cmn::chi::snp::kSnpDvmOp), 2 * 2 * rig.runs) << "RN-D";
    const std::vector<Partner::Got>& got = rig.partners[1]->got;
    EXPECT_EQ(got[0].fields.addr, payload(tlbi));
    EXPECT_EQ(got[1].fields.addr, 8U);
    EXPECT_EQ(got[0].fields.txnid, 0x80U);
    EXPECT_EQ(rig.node.pending(), 0U);
  });
}

TEST_F(CmnIoDvm, of_cmn600_has_the_events_of_its_driver) {
  DvmRig rig({.trk_entries = 1, .vmid_filters = {}}, cmn::Product::cmn600);
  run([&] {
    ASSERT_TRUE(rig.probe());
    // The second operation finds the tracker full, and returns as a TLBI.
    rig.expect(kDvm, rig.to, {{0x01, 2}, {0x02, 1}, {0x03, 0}, {0x04, 1}}, [&] {
      rig.requester().request(rig.to, kDvmOp, 0x10, rig.soon(), payload(pici));
      rig.requester().request(rig.to, kDvmOp, 0x20, rig.soon(), payload(tlbi));
      rig.pass(200);
      rig.requester().request(rig.to, kDvmOp, 0x10, rig.soon(), payload(sync));
      rig.pass(100);
    });
    EXPECT_EQ(rig.requester().count(Channel::rsp, cmn::chi::rsp::kRetryAck), 1U);
    EXPECT_EQ(rig.node.pending(), 0U);
  });
}

TEST_F(CmnIoDvm, occupancy_counts_operations_and_synchronisations_until_the_last_answer) {
  DvmRig rig;
  run([&] {
    ASSERT_TRUE(rig.probe());
    // Targets: RN-Fs one and two links away, RN-Ds at (1, 1) and (2, 1), two and three away: the last decides.
    constexpr Cycle kAll = answered(6, 3);
    // Other operations than TLBI and Sync go to RN-Fs only.
    constexpr Cycle kFew = answered(2, 2);
    const auto traffic = [&] {
      rig.requester().request(rig.to, kDvmOp, 0x10, rig.soon(), payload(vici));
      rig.pass(150);
      rig.requester().request(rig.to, kDvmOp, 0x10, rig.soon(), payload(sync));
      rig.pass(150);
    };
    // One after the other, because a node has one filter.
    rig.expect(kDvm, rig.to, {{0x0c, kAll + kFew, Kind::sum, 0}}, traffic);
    rig.expect(kDvm, rig.to, {{0x0c, kFew, Kind::sum, 1}}, traffic);
    rig.expect(kDvm, rig.to, {{0x0c, kAll, Kind::sum, 2}}, traffic);
  });
}

TEST_F(CmnIoDvm, synchronisation_waits_for_operations_before_it_and_all_for_the_limit) {
  DvmRig rig({.trk_entries = 3, .snoop_limit = 1});
  run([&] {
    ASSERT_TRUE(rig.probe());
    // BPI at a, BPI at a + 1, Sync at a + 2. The first ends at kFew, the second begins to snoop then, and ends after
    // kFew - kData; the Sync waits from a + 2 + kData until then.
    constexpr Cycle kFew = answered(2, 2);
    constexpr Cycle kSecond = kFew + (kFew - kData);
    constexpr Cycle kSync = kSecond + (answered(6, 3) - kData);
    rig.expect(kDvm, rig.to,
               {{0x14, kSecond - (2 + kData)},
                {0x12, kFew - (1 + kData)},
                {0x0b, kFew - 2},  // three entries from a + 2 until the first ends
                {0x0f, 3},
                {0x0c, kFew + (kSecond - 1) + (kSync - 2), Kind::sum, 0}},
               [&] {
                 const Cycle start = rig.soon();
                 rig.requester().request(rig.to, kDvmOp, 0x10, start, payload(bpi));
                 rig.requester().request(rig.to, kDvmOp, 0x12, start, payload(bpi));
                 rig.requester().request(rig.to, kDvmOp, 0x14, start, payload(sync));
                 rig.pass(400);
               });
    EXPECT_EQ(rig.node.pending(), 0U);
  });
}

TEST_F(CmnIoDvm, vmid_filters_spare_nodes_that_do_not_have_the_vmid) {
  cmn::DvmNodeParameters parameters;
  const cmn::Topology topology = IoRig::topology_of(cmn::Product::cmn700);
  const cmn::Layout layout(topology);
  const std::uint16_t filtered = layout.xp(1).node_id;
  parameters.vmid_filters = {{filtered, 5}, {filtered, 6}};
  DvmRig rig(parameters);
  run([&] {
    ASSERT_TRUE(rig.probe());
    ASSERT_EQ(rig.partners[1]->id, filtered);
    rig.expect(kDvm, rig.to, {{0x06, 1}, {0x01, 4}, {0x09, 2 * (4 + 3 + 4 + 4)}, {0x07, 0}}, [&] {
      for (const std::uint64_t address : {payload(tlbi, 6), payload(tlbi, 7), payload(tlbi), payload(tlbi, 5)}) {
        rig.requester().request(rig.to, kDvmOp, 0x10, rig.soon(), address);
        rig.pass(100);
      }
    });
  });
}

TEST_F(CmnIoDvm, retries_of_both_halves_of_hn_d_have_credits_of_their_own) {
  DvmRig rig({.trk_entries = 1});
  testing::Filler filler(rig.mesh, 0, 1, Channel::snp, rig.id(0, 0));
  run([&] {
    ASSERT_TRUE(rig.probe());
    rig.expect(kDvm, rig.to, {{0x08, 1}, {0x0f, 2}, {0x0a, 3}}, [&] {
      const Cycle start = rig.soon();
      rig.requester().request(rig.to, kDvmOp, 0x10, start, payload(bpi));
      rig.requester().request(rig.to, kDvmOp, 0x20, start, payload(bpi));
      // The first snoop is ready 8 cycles after the data. Another source sends for three cycles.
      filler.fill(start + kTravel + kData + 8, 3);
      rig.pass(300);
    });
    EXPECT_EQ(rig.requester().count(Channel::rsp, cmn::chi::rsp::kRetryAck), 1U);
    EXPECT_EQ(rig.requester().count(Channel::rsp, cmn::chi::rsp::kComp), 2U);
  });
}

TEST_F(CmnIoDvm, hn_d_counts_dvm_and_io_events_at_once) {
  // contract A46
  DvmRig rig;
  run([&] {
    ASSERT_TRUE(rig.probe());
    auto operations = rig.driver.open(rig.driver.find(kDvm, rig.to), 0x01);
    auto snoops = rig.driver.open(rig.driver.find(kDvm, rig.to), 0x09);
    auto reads = rig.driver.open(rig.driver.find(kHnI, rig.to), 0x25);
    auto writes = rig.driver.open(rig.driver.find(kHnI, rig.to), 0x28);
    const Cycle start = rig.soon();
    for (std::uint16_t i = 0; i < 4; ++i)
      rig.requester().request(rig.to, kDvmOp, static_cast<std::uint16_t>(0x10 + i), start + 3U * i, payload(tlbi));
    for (std::uint16_t i = 0; i < 7; ++i)
      rig.partners[2]->request(rig.to, cmn::chi::req::kReadNoSnp, i, start + 2U * i);
    for (std::uint16_t i = 0; i < 5; ++i)
      rig.partners[2]->request(rig.to, cmn::chi::req::kWriteNoSnpPtl, static_cast<std::uint16_t>(8 + i), start + i, 0,
                               4);
    // Its own answers: data for the HN-I half, one flit each.
    rig.partners[2]->answer = [&](const cmn::Arrival& arrival, Cycle now) {
      if (arrival.channel == Channel::rsp && arrival.fields.opcode == cmn::chi::rsp::kCompDbidResp)
        rig.partners[2]->send_data(rig.to, cmn::chi::dat::kNonCopyBackWrData, arrival.fields.dbid, 1, now);
      rig.answer(*rig.partners[2], arrival, now);
    };
    rig.pass(400);
    EXPECT_EQ(rig.driver.close(operations), 4U);
    EXPECT_EQ(rig.driver.close(snoops), 4U * 2 * 4);
    EXPECT_EQ(rig.driver.close(reads), 7U);
    EXPECT_EQ(rig.driver.close(writes), 5U);
    EXPECT_EQ(rig.node.pending(), 0U);
  });
}

}  // namespace
}  // namespace pmufab::cmn_io_dvm_test
