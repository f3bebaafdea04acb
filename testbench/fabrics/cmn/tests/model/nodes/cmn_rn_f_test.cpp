// SPDX-License-Identifier: Apache-2.0
// What an RN-F requests from its home and answers to snoops: docs/cmn-nodes.md, rules 1.6 to 1.8, 3.4 and 4.1. The test
// plays the home.

#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/nodes/requester/rn_f.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_node_rig.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::cmn_rn_f_test {
namespace {

using cmn::Channel;
using cmn::FlitFields;
using cmn::LineState;
using cmn::OperationKind;
using testing::advance;
using testing::ListedOperations;
using testing::ScriptedNode;
namespace req = cmn::chi::req;
namespace rsp = cmn::chi::rsp;
namespace snp = cmn::chi::snp;
namespace dat = cmn::chi::dat;
namespace resp = cmn::chi::resp;

constexpr Picoseconds kLong = 500 * 500;
// Of cmn600_small(): RN-F at XP 0, 1, 4, 5; the home of lines 0, 4, 8 ... at XP 1; an SN-F at XP 0.
constexpr std::uint16_t kRequester = 0x00;
constexpr std::uint16_t kOther = 0x20;
constexpr std::uint16_t kHome = 0x24;
constexpr std::uint16_t kMemory = 0x04;
constexpr std::uint64_t kLine = 4 * 64;  // from one line of the home to the next

/// An RN-F with room for two lines, and a home that answers as configured.
struct Rig {
  explicit Rig(const ScriptedNode::Answer& answer, unsigned outstanding = 8, unsigned limit = 1)
      : source(limit),
        home(mesh, kHome, answer),
        other(mesh, kOther),
        memory(mesh, kMemory),
        requester(mesh, map, kRequester, {.cache_sets = 1, .cache_ways = 2, .outstanding = outstanding}) {
    requester.set_source(&source);
  }
  void go() {
    requester.ask(0);
    advance(kLong);
  }
  void operate(OperationKind kind, std::uint64_t address) {
    source.add(kind, address);
    go();
  }
  void snoop(std::uint8_t opcode, std::uint64_t address, std::uint8_t rettosrc = 0) {
    FlitFields fields{.addr = address,
                      .tgtid = kRequester,
                      .txnid = 9,
                      .fwdnid = kOther,
                      .fwdtxnid = 33,
                      .opcode = opcode,
                      .rettosrc = rettosrc};
    home.post(Channel::snp, fields);
    advance(kLong);
  }
  [[nodiscard]] std::vector<std::uint8_t> requests() const {
    std::vector<std::uint8_t> opcodes;
    for (const ScriptedNode::Seen& one : home.seen) {
      if (one.channel == Channel::req) opcodes.push_back(one.fields.opcode);
    }
    return opcodes;
  }
  [[nodiscard]] const FlitFields& last() const { return home.seen.back().fields; }
  [[nodiscard]] Channel last_channel() const { return home.seen.back().channel; }

  testing::BoundMesh bound{cmn::examples::cmn600_small()};
  cmn::Mesh& mesh = bound.mesh;
  cmn::SystemAddressMap map{mesh.topology(), mesh.layout()};
  ListedOperations source;
  ScriptedNode home;
  ScriptedNode other;
  ScriptedNode memory;
  cmn::RnF requester;
};

/// Answers everything immediately: reads with data in state `granted`, ReadUnique with unique data.
ScriptedNode::Answer obliging(std::uint8_t granted = resp::kUc) {
  return [granted](ScriptedNode& home, const ScriptedNode::Seen& seen) {
    if (seen.channel != Channel::req) return;
    const FlitFields& fields = seen.fields;
    switch (fields.opcode) {
      case req::kReadShared:
      case req::kReadClean:
      case req::kReadNotSharedDirty:
        home.reply_data(fields, 5, granted);
        break;
      case req::kReadUnique:
        home.reply_data(fields, 5, resp::kUc);
        break;
      case req::kReadOnce:
      case req::kReadNoSnp:
        home.reply_data(fields, 5, resp::kI);
        break;
      case req::kWriteBackFull:
      case req::kWriteCleanFull:
      case req::kWriteEvictFull:
      case req::kWriteUniqueFull:
      case req::kWriteUniquePtl:
      case req::kWriteNoSnpFull:
      case req::kAtomicStore:
        home.reply(Channel::rsp, fields, rsp::kCompDbidResp, 6);
        break;
      case req::kAtomicSwap:
        home.reply(Channel::rsp, fields, rsp::kDbidResp, 6);
        home.reply(Channel::dat, fields, dat::kCompData, 6);
        break;
      default:
        home.reply(Channel::rsp, fields, rsp::kComp, 5);
        break;
    }
  };
}

using CmnRnF = testing::SimulationTest;

TEST_F(CmnRnF, a_load_that_misses_reads_and_acknowledges_and_the_next_one_hits) {
  Rig rig(obliging());
  run([&] {
    rig.operate(OperationKind::load, 0);
    rig.operate(OperationKind::load, 32);
    EXPECT_EQ(rig.source.finished, 2U);
    ASSERT_EQ(rig.home.seen.size(), 2U);
    EXPECT_EQ(rig.home.seen[0].fields.opcode, req::kReadNotSharedDirty);
    EXPECT_EQ(rig.home.seen[0].fields.expcompack, 1);
    EXPECT_EQ(rig.home.seen[0].fields.allowretry, 1);
    EXPECT_EQ(rig.last().opcode, rsp::kCompAck);
    EXPECT_EQ(rig.last().txnid, 5) << "the DBID of the data";
    EXPECT_EQ(rig.requester.state_of(0), LineState::unique_clean);
    EXPECT_EQ(rig.requester.pending(), 0U);
  });
}

TEST_F(CmnRnF, a_store_needs_a_line_of_its_own) {
  Rig rig(obliging(resp::kSc));
  run([&] {
    rig.operate(OperationKind::load, 0);
    EXPECT_EQ(rig.requester.state_of(0), LineState::shared_clean);
    rig.operate(OperationKind::store, 0);
    EXPECT_EQ(rig.requester.state_of(0), LineState::unique_dirty);
    rig.operate(OperationKind::store, kLine);
    EXPECT_EQ(rig.requester.state_of(kLine), LineState::unique_dirty);
    rig.operate(OperationKind::store, kLine);
    rig.operate(OperationKind::store_line, 0);
    EXPECT_EQ(rig.requests(),
              (std::vector<std::uint8_t>{req::kReadNotSharedDirty, req::kCleanUnique, req::kReadUnique}));
    EXPECT_EQ(rig.home.count(Channel::rsp, rsp::kCompAck), 3U);
    EXPECT_EQ(rig.source.finished, 5U);
  });
}

TEST_F(CmnRnF, victims_are_written_back_or_told_of_by_their_state) {
  Rig rig(obliging());
  run([&] {
    rig.operate(OperationKind::store, 0);
    rig.operate(OperationKind::load, kLine);
    rig.operate(OperationKind::load, 2 * kLine);  // in place of the oldest, which is dirty
    rig.operate(OperationKind::load, 3 * kLine);  // in place of a unique clean one
    EXPECT_EQ(rig.requests(),
              (std::vector<std::uint8_t>{req::kReadUnique, req::kReadNotSharedDirty, req::kWriteBackFull,
                                         req::kReadNotSharedDirty, req::kWriteEvictFull, req::kReadNotSharedDirty}));
    std::vector<std::uint8_t> states;
    for (const ScriptedNode::Seen& one : rig.home.seen) {
      if (one.fields.opcode != dat::kCopyBackWrData || one.channel != Channel::dat) continue;
      EXPECT_EQ(one.fields.txnid, 6) << "the DBID";
      states.push_back(one.fields.resp);
    }
    EXPECT_EQ(states, (std::vector<std::uint8_t>{resp::kUdPd, resp::kUdPd, resp::kUc, resp::kUc}));
    EXPECT_EQ(rig.requester.pending(), 0U);
  });
}

TEST_F(CmnRnF, a_shared_victim_is_evicted) {
  Rig rig(obliging(resp::kSc));
  run([&] {
    for (std::uint64_t line = 0; line < 3; ++line) rig.operate(OperationKind::load_clean, line * kLine);
    EXPECT_EQ(rig.requests(),
              (std::vector<std::uint8_t>{req::kReadClean, req::kReadClean, req::kEvict, req::kReadClean}));
    EXPECT_EQ(rig.requester.state_of(0), LineState::invalid);
  });
}

struct SnoopCase {
  std::uint8_t snoop;
  std::uint8_t rettosrc;
  LineState before;
  Channel channel;
  std::uint8_t answer;
  std::uint8_t resp;
  LineState after;
};

TEST_F(CmnRnF, answers_snoops_by_the_state_of_the_line) {
  using S = LineState;
  const std::vector<SnoopCase> cases = {
      {snp::kSnpShared, 0, S::unique_dirty, Channel::dat, dat::kSnpRespData, resp::kScPd, S::shared_clean},
      {snp::kSnpClean, 0, S::unique_clean, Channel::dat, dat::kSnpRespData, resp::kSc, S::shared_clean},
      {snp::kSnpNotSharedDirty, 0, S::shared_clean, Channel::rsp, rsp::kSnpResp, resp::kSc, S::shared_clean},
      {snp::kSnpNotSharedDirty, 1, S::shared_clean, Channel::dat, dat::kSnpRespData, resp::kSc, S::shared_clean},
      {snp::kSnpOnce, 0, S::unique_dirty, Channel::dat, dat::kSnpRespData, resp::kUc, S::unique_dirty},
      {snp::kSnpOnce, 0, S::unique_clean, Channel::dat, dat::kSnpRespData, resp::kUc, S::unique_clean},
      {snp::kSnpUnique, 0, S::unique_dirty, Channel::dat, dat::kSnpRespData, resp::kIPd, S::invalid},
      {snp::kSnpUnique, 0, S::unique_clean, Channel::dat, dat::kSnpRespData, resp::kI, S::invalid},
      {snp::kSnpUnique, 0, S::shared_clean, Channel::rsp, rsp::kSnpResp, resp::kI, S::invalid},
      {snp::kSnpCleanShared, 0, S::unique_dirty, Channel::dat, dat::kSnpRespData, resp::kUcPd, S::unique_clean},
      {snp::kSnpCleanShared, 0, S::unique_clean, Channel::rsp, rsp::kSnpResp, resp::kUc, S::unique_clean},
      {snp::kSnpCleanInvalid, 0, S::unique_dirty, Channel::dat, dat::kSnpRespData, resp::kIPd, S::invalid},
      {snp::kSnpCleanInvalid, 0, S::unique_clean, Channel::rsp, rsp::kSnpResp, resp::kI, S::invalid},
      {snp::kSnpMakeInvalid, 0, S::unique_dirty, Channel::rsp, rsp::kSnpResp, resp::kI, S::invalid},
      {snp::kSnpUnique, 0, S::invalid, Channel::rsp, rsp::kSnpResp, resp::kI, S::invalid},
      {snp::kSnpUniqueFwd, 0, S::invalid, Channel::rsp, rsp::kSnpResp, resp::kI, S::invalid},
      {snp::kSnpSharedFwd, 0, S::unique_clean, Channel::rsp, rsp::kSnpRespFwded, resp::kSc, S::shared_clean},
      {snp::kSnpCleanFwd, 0, S::unique_dirty, Channel::dat, dat::kSnpRespDataFwded, resp::kScPd, S::shared_clean},
      {snp::kSnpOnceFwd, 0, S::unique_dirty, Channel::rsp, rsp::kSnpRespFwded, resp::kUc, S::unique_dirty},
      {snp::kSnpUniqueFwd, 0, S::unique_dirty, Channel::rsp, rsp::kSnpRespFwded, resp::kI, S::invalid},
  };
  std::uint8_t granted = resp::kUc;
  Rig rig([&](ScriptedNode& home, const ScriptedNode::Seen& seen) { obliging(granted)(home, seen); });
  run([&] {
    std::uint64_t address = 0;
    for (const SnoopCase& one : cases) {
      address += kLine;
      granted = one.before == S::shared_clean ? resp::kSc : resp::kUc;
      if (one.before != S::invalid)
        rig.operate(one.before == S::unique_dirty ? OperationKind::store : OperationKind::load, address);
      ASSERT_EQ(rig.requester.state_of(address), one.before);
      rig.snoop(one.snoop, address, one.rettosrc);
      SCOPED_TRACE(::testing::Message() << "snoop " << unsigned{one.snoop} << " of state "
                                        << static_cast<unsigned>(one.before));
      EXPECT_EQ(rig.last_channel(), one.channel);
      EXPECT_EQ(rig.last().opcode, one.answer);
      EXPECT_EQ(rig.last().resp, one.resp);
      EXPECT_EQ(rig.last().txnid, 9);
      EXPECT_EQ(rig.requester.state_of(address), one.after);
    }
    // The requester to which the data was forwarded.
    ASSERT_EQ(rig.other.seen.size(), 8U);
    const std::vector<std::uint8_t> states = {resp::kSc, resp::kSc, resp::kI, resp::kUdPd};
    for (std::size_t flit = 0; flit < 8; ++flit) {
      const FlitFields& data = rig.other.seen[flit].fields;
      EXPECT_EQ(data.opcode, dat::kCompData);
      EXPECT_EQ(data.resp, states[flit / 2]);
      EXPECT_EQ(data.dataid, flit % 2 * 2);
      EXPECT_EQ(data.txnid, 33);
      EXPECT_EQ(data.homenid, kHome);
      EXPECT_EQ(data.dbid, 9);
    }
  });
}

TEST_F(CmnRnF, a_line_on_its_way_out_still_answers_snoops) {
  std::vector<FlitFields> writes;
  Rig rig([&](ScriptedNode& home, const ScriptedNode::Seen& seen) {
    if (seen.channel == Channel::req && seen.fields.opcode == req::kWriteBackFull) {
      writes.push_back(seen.fields);
    } else {
      obliging()(home, seen);
    }
  });
  run([&] {
    for (std::uint64_t line = 0; line < 3; ++line) rig.operate(OperationKind::store, line * kLine);
    ASSERT_EQ(writes.size(), 1U);
    rig.snoop(snp::kSnpCleanInvalid, 0);
    EXPECT_EQ(rig.last().opcode, dat::kSnpRespData);
    EXPECT_EQ(rig.last().resp, resp::kIPd);
    rig.operate(OperationKind::load, 0);
    EXPECT_EQ(rig.source.finished, 3U) << "the line must be gone before it is read again";
    rig.home.reply(Channel::rsp, writes[0], rsp::kCompDbidResp, 6);
    advance(kLong);
    EXPECT_EQ(rig.home.count(Channel::dat, dat::kCopyBackWrData), 2U);
    EXPECT_EQ(rig.requests().back(), req::kReadNotSharedDirty);
    for (const ScriptedNode::Seen& one : rig.home.seen) {
      if (one.channel == Channel::dat && one.fields.opcode == dat::kCopyBackWrData) {
        EXPECT_EQ(one.fields.resp, resp::kI) << "it gave its data to the snoop";
      }
    }
  });
}

TEST_F(CmnRnF, a_store_that_loses_its_shared_line_reads_it) {
  std::vector<FlitFields> upgrades;
  Rig rig([&](ScriptedNode& home, const ScriptedNode::Seen& seen) {
    if (seen.channel == Channel::req && seen.fields.opcode == req::kCleanUnique) {
      upgrades.push_back(seen.fields);
    } else {
      obliging(resp::kSc)(home, seen);
    }
  });
  run([&] {
    rig.operate(OperationKind::load, 0);
    rig.operate(OperationKind::store, 0);
    rig.snoop(snp::kSnpUnique, 0);
    rig.home.reply(Channel::rsp, upgrades.at(0), rsp::kComp, 7);
    advance(kLong);
    EXPECT_EQ(rig.requests(),
              (std::vector<std::uint8_t>{req::kReadNotSharedDirty, req::kCleanUnique, req::kReadUnique}));
    EXPECT_EQ(rig.home.count(Channel::rsp, rsp::kCompAck), 3U);
    EXPECT_EQ(rig.requester.state_of(0), LineState::unique_dirty);
    EXPECT_EQ(rig.source.finished, 2U);
  });
}

TEST_F(CmnRnF, sends_again_when_it_has_both_retry_and_credit_in_whichever_order) {
  Rig rig(
      [&](ScriptedNode& home, const ScriptedNode::Seen& seen) {
        if (seen.channel != Channel::req) return;
        if (seen.fields.allowretry == 0) obliging()(home, seen);
      },
      8, 8);
  run([&] {
    rig.source.add(OperationKind::load, 0);
    rig.source.add(OperationKind::load, kLine);
    rig.go();
    ASSERT_EQ(rig.home.seen.size(), 2U);
    const FlitFields first = rig.home.seen[0].fields;
    const FlitFields second = rig.home.seen[1].fields;
    rig.home.reply(Channel::rsp, first, rsp::kPCrdGrant);
    advance(kLong);
    EXPECT_EQ(rig.home.seen.size(), 2U) << "a credit alone is not enough";
    rig.home.reply(Channel::rsp, second, rsp::kRetryAck);
    advance(kLong);
    ASSERT_GT(rig.home.seen.size(), 2U);
    EXPECT_EQ(rig.home.seen[2].fields.txnid, second.txnid) << "the only one retried";
    EXPECT_EQ(rig.home.seen[2].fields.allowretry, 0);
    rig.home.reply(Channel::rsp, first, rsp::kRetryAck);
    advance(kLong);
    EXPECT_EQ(rig.source.finished, 1U);
    rig.home.reply(Channel::rsp, first, rsp::kPCrdGrant);
    advance(kLong);
    EXPECT_EQ(rig.source.finished, 2U);
    EXPECT_EQ(rig.requester.retries(), 2U);
    EXPECT_EQ(rig.requester.pending(), 0U);
  });
}

TEST_F(CmnRnF, writes_what_is_dirty_before_it_cleans_or_invalidates) {
  Rig rig(obliging());
  run([&] {
    rig.operate(OperationKind::store, 0);
    rig.operate(OperationKind::clean_shared, 0);
    EXPECT_EQ(rig.requester.state_of(0), LineState::unique_clean);
    rig.operate(OperationKind::store, 0);
    rig.operate(OperationKind::clean_invalid, 0);
    EXPECT_EQ(rig.requester.state_of(0), LineState::invalid);
    rig.operate(OperationKind::store_line, 0);
    rig.operate(OperationKind::make_invalid, 0);
    EXPECT_EQ(rig.requester.state_of(0), LineState::invalid);
    EXPECT_EQ(rig.requests(),
              (std::vector<std::uint8_t>{req::kReadUnique, req::kWriteCleanFull, req::kCleanShared, req::kWriteBackFull,
                                         req::kCleanInvalid, req::kMakeUnique, req::kMakeInvalid}));
    EXPECT_EQ(rig.source.finished, 6U);
    EXPECT_EQ(rig.requester.pending(), 0U);
  });
}

TEST_F(CmnRnF, every_other_operation_ends_with_its_messages) {
  Rig rig(obliging());
  run([&] {
    const std::vector<std::pair<OperationKind, std::uint8_t>> kinds = {
        {OperationKind::read_once, req::kReadOnce},
        {OperationKind::read_no_snp, req::kReadNoSnp},
        {OperationKind::write_no_snp_full, req::kWriteNoSnpFull},
        {OperationKind::write_unique_full, req::kWriteUniqueFull},
        {OperationKind::write_unique_ptl, req::kWriteUniquePtl},
        {OperationKind::clean_unique, req::kCleanUnique},
        {OperationKind::make_unique, req::kMakeUnique},
        {OperationKind::stash_shared, req::kStashOnceShared},
        {OperationKind::stash_unique, req::kStashOnceUnique},
        {OperationKind::atomic_store, req::kAtomicStore},
        {OperationKind::atomic_swap, req::kAtomicSwap},
    };
    std::uint64_t address = 0;
    unsigned finished = 0;
    for (const auto& [kind, opcode] : kinds) {
      rig.operate(kind, address += 16 * kLine);
      EXPECT_EQ(rig.requests().back(), opcode);
      EXPECT_EQ(rig.source.finished, ++finished);
    }
    EXPECT_EQ(rig.home.count(Channel::dat, dat::kNonCopyBackWrData), 2U + 2U + 2U + 1U + 1U);
    rig.operate(OperationKind::prefetch, 0);
    EXPECT_EQ(rig.memory.count(Channel::req, req::kPrefetchTgt), 1U);
    EXPECT_EQ(rig.requester.pending(), 0U);
  });
}

TEST_F(CmnRnF, pulls_the_data_a_stash_offers_unless_it_has_the_line) {
  Rig rig(obliging());
  run([&] {
    rig.snoop(snp::kSnpStashUnique, 0);
    EXPECT_EQ(rig.last().opcode, rsp::kSnpResp);
    EXPECT_EQ(rig.last().datapull, 1);
    FlitFields request{.srcid = kRequester, .txnid = rig.last().dbid};
    rig.home.reply_data(request, 11, resp::kUdPd);
    advance(kLong);
    EXPECT_EQ(rig.last().opcode, rsp::kCompAck);
    EXPECT_EQ(rig.last().txnid, 11);
    EXPECT_EQ(rig.requester.state_of(0), LineState::unique_dirty);
    rig.snoop(snp::kSnpStashShared, 0);
    EXPECT_EQ(rig.last().datapull, 0);
    EXPECT_EQ(rig.requester.pending(), 0U);
  });
}

}  // namespace
}  // namespace pmufab::cmn_rn_f_test
