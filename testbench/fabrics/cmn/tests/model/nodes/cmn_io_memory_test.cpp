// SPDX-License-Identifier: Apache-2.0
// SBSX and MTSX: memory behind AXI. Expected counts come from docs/cmn-nodes.md, 4.4 and 4.5.

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/nodes/memory/mtsx.h"
#include "models/cmn/nodes/memory/sbsx.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_io_rig.h"

namespace pmufab::cmn_io_memory_test {
namespace {

using cmn::Channel;
using cmn::Cycle;
using testing::IoRig;
using testing::kTravel;
using testing::Partner;
using Kind = IoRig::Kind;

using CmnIoMemory = testing::SimulationTest;

constexpr unsigned kSbsx = 0x7;
constexpr unsigned kMtsx = 0x10;
constexpr std::uint8_t kRead = cmn::chi::req::kReadNoSnp;
constexpr std::uint8_t kWrite = cmn::chi::req::kWriteNoSnpFull;
constexpr std::uint8_t kClean = cmn::chi::req::kCleanShared;

// From the arrival of a write of two flits to that of its data, with the requester at the same XP: CompDBIDResp goes
// after 8 cycles, and the second flit of data a cycle after the first.
constexpr Cycle kData = 8 + 2 * kTravel + 1;

TEST_F(CmnIoMemory, sbsx_counts_reads_writes_and_cache_maintenance_by_kind) {
  IoRig rig;
  cmn::Sbsx node(rig.mesh, rig.place(3, 1), {.axi = {.ar_period = 4}});
  Partner home(rig.mesh, rig.id(3, 0));
  home.write_with(2);
  const std::uint16_t to = rig.id(3, 1);
  run([&] {
    ASSERT_TRUE(rig.probe());
    // In one cycle each, from a on: read, read, CMO, write, PrefetchTgt. AR at a, a + 4, a + 8.
    rig.expect(kSbsx, to,
               {{0x01, 2},
                {0x02, 1},
                {0x03, 1},
                {0x04, 0},
                {0x05, 4},      // two reads of two flits
                {0x06, 1 + 1},  // CompDBIDResp, Comp
                {0x11, 40 + 43, Kind::sum},
                {0x12, kData + 21, Kind::sum},  // AW and W at once, the second beat a cycle later
                {0x13, 46, Kind::sum},          // arrives at a + 2, AR at a + 8
                {0x14, kData + 21, Kind::sum},
                {0x15, 40 + 43, Kind::sum},
                {0x16, 46, Kind::sum},
                {0x17, 2 * (8 + 9), Kind::sum},  // two flits each, sent 8 and 9 cycles after R
                {0x21, 3 + 3},                   // VALID a + 1 to a + 8 without a + 4 and a + 8
                {0x22, 0},
                {0x23, 0},
                {0x24, 0},
                {0x25, 0}},
               [&] {
                 const Cycle start = rig.soon();
                 home.request(to, kRead, 0, start);
                 home.request(to, kRead, 2, start);
                 home.request(to, kClean, 4, start);
                 home.request(to, kWrite, 6, start);
                 home.request(to, cmn::chi::req::kPrefetchTgt, 8, start);
                 rig.pass(200);
               });
    EXPECT_EQ(node.pending(), 0U);
    const std::uint64_t runs = rig.runs;
    EXPECT_EQ(home.count(Channel::dat, cmn::chi::dat::kCompData), 4 * runs);
    EXPECT_EQ(home.count(Channel::rsp, cmn::chi::rsp::kComp), runs);
    EXPECT_EQ(home.count(Channel::rsp, cmn::chi::rsp::kCompDbidResp), runs);
  });
}

TEST_F(CmnIoMemory, sbsx_waits_for_address_and_data_channels_and_buffers) {
  IoRig rig;
  cmn::Sbsx node(rig.mesh, rig.place(3, 1), {.wdb_entries = 2, .axi = {.aw_period = 10, .w_period = 3}});
  Partner home(rig.mesh, rig.id(3, 0));
  home.write_with(2);
  const std::uint16_t to = rig.id(3, 1);
  run([&] {
    ASSERT_TRUE(rig.probe());
    // Three writes; the third waits for a buffer. CompDBIDResp arrives at a + 13 and a + 14; the data flits go from a +
    // 13 to a + 16, so that messages are complete at a + 19 and a + 21. AW at a + 19, a + 29; W at a + 19, 22, 25, 28.
    // B at a + 42 and a + 49. The third has its buffer from a + 42 on, data at a + 61, W at a + 61 and a + 64, B at a
    // + 84.
    rig.expect(kSbsx, to,
               {{0x02, 3},
                {0x22, 8},                // a + 21 to a + 28
                {0x23, (8 + 2) - 4 + 2},  // a + 19 to a + 28 except four; a + 62, a + 63
                {0x12, 42 + 48 + 82, Kind::sum},
                {0x14, 42 + 48 + (84 - 42), Kind::sum}},
               [&] {
                 const Cycle start = rig.soon();
                 for (std::uint16_t txnid = 0; txnid < 6; txnid = static_cast<std::uint16_t>(txnid + 2))
                   home.request(to, kWrite, txnid, start);
                 rig.pass(300);
               });
    EXPECT_EQ(node.pending(), 0U);
  });
}

TEST_F(CmnIoMemory, sbsx_refuses_what_it_has_no_entry_for_and_holds_what_may_not_go) {
  IoRig rig(cmn::Product::cmn600);
  cmn::Sbsx node(rig.mesh, rig.place(3, 1), {.entries = 1});
  Partner home(rig.mesh, rig.id(3, 0));
  const std::uint16_t to = rig.id(3, 1);
  testing::Filler data(rig.mesh, 3, 1, Channel::dat, home.id);
  testing::Filler responses(rig.mesh, 3, 1, Channel::rsp, home.id);
  home.answer = [&](const cmn::Arrival& arrival, Cycle now) {
    if (arrival.channel != Channel::rsp || arrival.fields.opcode != cmn::chi::rsp::kPCrdGrant) return;
    cmn::FlitFields fields;
    fields.opcode = kRead;
    fields.tgtid = to;
    fields.txnid = 4;
    fields.size = 5;
    home.post(Channel::req, fields, now);
  };
  run([&] {
    ASSERT_TRUE(rig.probe());
    rig.expect(kSbsx, to,
               {{0x01, 2},
                {0x04, 1},
                {0x05, 2 + 1},
                {0x06, 2},   // RetryAck, PCrdGrant
                {0x24, 5},   // the first data, ready at a + 48, is held to a + 52
                {0x25, 4},   // RetryAck, ready at a + 9, is held to a + 12
                {0x17, 0}},  // CMN-600 has no such event
               [&] {
                 const Cycle start = rig.soon();
                 home.request(to, kRead, 0, start);
                 home.request(to, kRead, 2, start);
                 responses.fill(start + kTravel + 9, 4);
                 data.fill(start + kTravel + 48, 5);
                 rig.pass(250);
               });
    EXPECT_EQ(node.pending(), 0U);
    EXPECT_EQ(home.count(Channel::rsp, cmn::chi::rsp::kRetryAck), 2U);
  });
}

TEST_F(CmnIoMemory, mtsx_looks_up_tags_and_fetches_a_line_of_them_once) {
  IoRig rig;
  cmn::Mtsx node(rig.mesh, rig.place(7, 1), {.tc_sets = 1, .tc_ways = 1, .axi = {.ar_period = 3}});
  Partner home(rig.mesh, rig.id(7, 0));
  home.write_with(2);
  const std::uint16_t to = rig.id(7, 1);
  run([&] {
    ASSERT_TRUE(rig.probe());
    // The cache has one line of tags, so each run begins with another line than it ends with.
    // a: read X, miss: AR a, a + 3. a + 1: read X, hazard: AR a + 6. a + 2: write X, hazard. a + 3: CMO: AR a + 9.
    // R of data a + 40, of tags a + 43 (forwarded twice), of the second data a + 46; Comp at a + 49.
    // a + 100: read X, hit: done at a + 140. a + 200: read Y, miss: AR a + 200, a + 203: done at a + 243.
    // a + 300: read X of half a line, cancelled write X beside it: miss, hazard. a + 400: read Y, miss again.
    constexpr Cycle kWriteEnd = 43 + 21;  // the data arrived before: 2 + kData
    static_assert(2 + kData < 43);
    rig.expect(kMtsx, to,
               {{0x01, 1 + 1 + 1 + 1 + 1},
                {0x02, 1 + 1 + 1 + 1},
                {0x03, 1 + 1 + 1 + 1},
                {0x04, 2 + 1},
                {0x05, 2 + 1},
                {0x06, 2 + 1 + 1 + 1 + 1},
                {0x07, 1 + 1},
                {0x08, 1},
                {0x09, (2 + 1) + 1 + 2 + 2 + 2},
                {0x0a, 1},
                // The cancelled write arrives a cycle after its line's read.
                {0x0b, 43 + 45 + (kWriteEnd - 2) + 46 + 40 + 43 + 43 + 42 + 43, Kind::sum},
                {0x0c, 43 + 43 + 43 + 43, Kind::sum}},
               [&] {
                 home.write_with(2);
                 const Cycle start = rig.soon();
                 home.request(to, kRead, 0, start, 0);
                 home.request(to, kRead, 2, start, 64);
                 home.request(to, kWrite, 4, start, 2047);
                 home.request(to, kClean, 6, start, 0);
                 rig.pass(100);
                 home.request(to, kRead, 0, start + 100, 1024);
                 rig.pass(100);
                 home.request(to, kRead, 0, start + 200, 2048);
                 rig.pass(100);
                 home.write_with(1, cmn::chi::dat::kWriteDataCancel);
                 home.request(to, kRead, 0, start + 300, 0, 5);
                 home.request(to, cmn::chi::req::kWriteNoSnpPtl, 2, start + 300, 0, 4);
                 rig.pass(100);
                 home.request(to, kRead, 0, start + 400, 2048);
                 rig.pass(200);
               });
    EXPECT_EQ(node.pending(), 0U);
    EXPECT_EQ(home.count(Channel::dat, cmn::chi::dat::kCompData), (2 + 2 + 2 + 2 + 1 + 2) * rig.runs);
  });
}

TEST_F(CmnIoMemory, mtsx_gives_entries_to_who_waits_longest) {
  IoRig rig;
  cmn::Mtsx node(rig.mesh, rig.place(7, 1), {.entries = 1});
  Partner home(rig.mesh, rig.id(7, 0));
  const std::uint16_t to = rig.id(7, 1);
  run([&] {
    ASSERT_TRUE(rig.probe());
    const Cycle start = rig.soon();
    for (const std::uint16_t txnid : std::array<std::uint16_t, 3>{0, 2, 4}) home.request(to, kRead, txnid, start, 0);
    rig.pass(100);
    EXPECT_EQ(home.count(Channel::rsp, cmn::chi::rsp::kRetryAck), 2U);
    EXPECT_EQ(home.count(Channel::rsp, cmn::chi::rsp::kPCrdGrant), 1U) << "one entry, one credit";
  });
}

TEST(TagCache, replaces_the_least_recently_used_way) {
  cmn::TagCache cache(2, 2);
  EXPECT_FALSE(cache.look_up(4));
  cache.fill(4);
  cache.fill(6);
  cache.fill(5);
  EXPECT_TRUE(cache.look_up(4));
  cache.fill(8);
  EXPECT_TRUE(cache.look_up(4));
  EXPECT_FALSE(cache.look_up(6));
  EXPECT_TRUE(cache.look_up(8));
  EXPECT_TRUE(cache.look_up(5)) << "another set";
}

}  // namespace
}  // namespace pmufab::cmn_io_memory_test
