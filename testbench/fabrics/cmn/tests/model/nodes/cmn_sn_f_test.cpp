// SPDX-License-Identifier: Apache-2.0
// What an SN-F answers: docs/cmn-nodes.md, rules 1.6 to 1.9, 3.7 and 4.1. The test plays the home.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/nodes/memory/sn_f.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_node_rig.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::cmn_sn_f_test {
namespace {

using cmn::Channel;
using cmn::FlitFields;
using testing::advance;
using testing::ScriptedNode;
namespace req = cmn::chi::req;
namespace rsp = cmn::chi::rsp;
namespace dat = cmn::chi::dat;

constexpr Picoseconds kLong = 500 * 500;
constexpr std::uint16_t kHome = 0x24;
constexpr std::uint16_t kMemory = 0x04;

struct Rig {
  explicit Rig(const cmn::SnFParameters& parameters) : home(mesh, kHome), memory(mesh, kMemory, parameters) {}

  void request(std::uint8_t opcode, std::uint16_t txnid, std::uint8_t size = 6, std::uint8_t allow_retry = 1) {
    FlitFields fields{.tgtid = kMemory, .txnid = txnid, .opcode = opcode, .size = size, .allowretry = allow_retry};
    home.post(Channel::req, fields);
  }
  void data(std::uint16_t dbid) {
    FlitFields fields{.tgtid = kMemory, .txnid = dbid, .opcode = dat::kNonCopyBackWrData};
    home.post(Channel::dat, fields);
  }

  testing::BoundMesh bound{cmn::examples::cmn600_small()};
  cmn::Mesh& mesh = bound.mesh;
  ScriptedNode home;
  cmn::SnF memory;
};

using CmnSnF = testing::SimulationTest;

TEST_F(CmnSnF, a_read_brings_two_flits_or_one_after_its_latency) {
  Rig rig({.entries = 4, .latency = 30});
  run([&] {
    rig.request(req::kReadNoSnp, 7);
    advance(kLong);
    ASSERT_EQ(rig.home.seen.size(), 2U);
    for (unsigned flit = 0; flit < 2; ++flit) {
      EXPECT_EQ(rig.home.seen[flit].fields.opcode, dat::kCompData);
      EXPECT_EQ(rig.home.seen[flit].fields.txnid, 7);
      EXPECT_EQ(rig.home.seen[flit].fields.dataid, 2 * flit);
    }
    // From XP 1 to XP 0 and back: a link and two cycles of router at each of two XPs, then rule 1.1. Cycle 0 is over
    // when the request is posted.
    EXPECT_EQ(rig.home.seen[0].cycle, 1 + 2 * (2 * 3 + 2) + 30U);
    EXPECT_EQ(rig.home.seen[1].cycle, rig.home.seen[0].cycle + 1);
    rig.request(req::kReadNoSnp, 8, 5);
    advance(kLong);
    EXPECT_EQ(rig.home.seen.size(), 3U);
    EXPECT_EQ(rig.memory.pending(), 0U);
  });
}

TEST_F(CmnSnF, a_write_is_over_when_its_data_is_there) {
  Rig rig({.entries = 4});
  run([&] {
    rig.request(req::kWriteNoSnpFull, 0x400);
    rig.request(req::kWriteNoSnpPtl, 0x401, 3);
    advance(kLong);
    ASSERT_EQ(rig.home.seen.size(), 2U);
    EXPECT_EQ(rig.home.seen[0].fields.opcode, rsp::kCompDbidResp);
    EXPECT_EQ(rig.home.seen[0].fields.dbid, 0);
    EXPECT_EQ(rig.home.seen[1].fields.dbid, 1) << "the lowest that is free";
    EXPECT_EQ(rig.memory.pending(), 2U);
    rig.data(1);
    rig.data(0);
    advance(kLong);
    EXPECT_EQ(rig.memory.pending(), 1U) << "half of a line is missing";
    rig.data(0);
    advance(kLong);
    EXPECT_EQ(rig.memory.pending(), 0U);
  });
}

TEST_F(CmnSnF, begins_requests_at_the_rate_of_its_memory) {
  Rig rig({.entries = 8, .latency = 20, .cycles_per_request = 10});
  run([&] {
    for (std::uint16_t txnid = 0; txnid < 4; ++txnid) rig.request(req::kReadNoSnp, txnid);
    advance(kLong);
    ASSERT_EQ(rig.home.seen.size(), 8U);
    for (std::size_t read = 1; read < 4; ++read)
      EXPECT_EQ(rig.home.seen[2 * read].cycle - rig.home.seen[2 * read - 2].cycle, 10U);
  });
}

TEST_F(CmnSnF, retries_what_it_has_no_room_for_and_gives_credits_in_order) {
  Rig rig({.entries = 2});
  run([&] {
    for (std::uint16_t txnid = 0; txnid < 4; ++txnid) rig.request(req::kWriteNoSnpPtl, txnid, 3);
    advance(kLong);
    EXPECT_EQ(rig.home.count(Channel::rsp, rsp::kCompDbidResp), 2U);
    EXPECT_EQ(rig.home.count(Channel::rsp, rsp::kRetryAck), 2U);
    EXPECT_EQ(rig.home.count(Channel::rsp, rsp::kPCrdGrant), 0U);
    rig.data(1);
    advance(kLong);
    EXPECT_EQ(rig.home.count(Channel::rsp, rsp::kPCrdGrant), 1U);
    rig.request(req::kReadNoSnp, 9);
    advance(kLong);
    EXPECT_EQ(rig.home.count(Channel::rsp, rsp::kRetryAck), 3U) << "the room is reserved";
    rig.request(req::kWriteNoSnpPtl, 2, 3, 0);
    advance(kLong);
    EXPECT_EQ(rig.home.count(Channel::rsp, rsp::kCompDbidResp), 3U);
    rig.data(0);
    rig.data(1);
    advance(kLong);
    EXPECT_EQ(rig.home.count(Channel::rsp, rsp::kPCrdGrant), 3U);
  });
}

TEST_F(CmnSnF, tells_how_busy_it_is_in_quarters_and_drops_prefetches) {
  Rig rig({.entries = 4});
  run([&] {
    for (std::uint16_t txnid = 0; txnid < 4; ++txnid) rig.request(req::kWriteNoSnpPtl, txnid, 3);
    rig.request(req::kPrefetchTgt, 0);
    advance(kLong);
    std::vector<unsigned> levels;
    for (const ScriptedNode::Seen& one : rig.home.seen) levels.push_back(one.fields.cbusy);
    EXPECT_EQ(levels, (std::vector<unsigned>{1, 2, 3, 3}));
    EXPECT_EQ(rig.memory.prefetches(), 1U);
  });
}

}  // namespace
}  // namespace pmufab::cmn_sn_f_test
