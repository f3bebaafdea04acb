// SPDX-License-Identifier: Apache-2.0
// RN-I and RN-D. Expected counts come from docs/cmn-nodes.md, 4.6.

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/nodes/requester/rn_i.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_io_rig.h"

namespace pmufab {
namespace {

using cmn::Channel;
using cmn::Cycle;
using cmn::Operation;
using cmn::OperationKind;
using testing::IoRig;
using testing::kTravel;
using testing::ListSource;
using testing::Partner;
using Kind = IoRig::Kind;

using CmnIoRequester = testing::SimulationTest;

constexpr unsigned kRnI = 0xa;
constexpr std::uint64_t kIo = std::uint64_t{4} << 44;

/// The home beside the RN-I at XP 4, and all others, as partners.
struct RequesterRig : IoRig {
  explicit RequesterRig(cmn::Product product = cmn::Product::cmn700) : IoRig(product) {
    for (const std::uint16_t id : addresses.nodes(cmn::DeviceKind::home)) homes.push_back(partner(id));
    for (const std::uint16_t id : addresses.nodes(cmn::DeviceKind::io_home)) io.push_back(partner(id));
  }
  std::unique_ptr<Partner> partner(std::uint16_t id) { return std::make_unique<Partner>(mesh, id); }
  /// @return an address of the home at XP 4.
  [[nodiscard]] std::uint64_t near() const {
    std::uint64_t address = 0;
    while (addresses.home_of(address) != id(4, 0)) address += 64;
    return address;
  }
  [[nodiscard]] Partner& home() {
    for (const auto& one : homes) {
      if (one->id == id(4, 0)) return *one;
    }
    throw std::logic_error("no home at XP 4");
  }
  std::vector<std::unique_ptr<Partner>> homes;
  std::vector<std::unique_ptr<Partner>> io;
};

Operation operation(OperationKind kind, std::uint64_t address, std::uint8_t lpid = 0, std::uint8_t size = 6) {
  Operation one;
  one.kind = kind;
  one.address = address;
  one.lpid = lpid;
  one.size = size;
  return one;
}

/// A home that answers immediately: data of reads and CompDBIDResp of writes.
void answer_at_once(Partner& home) {
  home.answer = [&home](const cmn::Arrival& arrival, Cycle now) {
    if (arrival.channel != Channel::req) return;
    const cmn::FlitFields& fields = arrival.fields;
    if (fields.opcode == cmn::chi::req::kReadOnce || fields.opcode == cmn::chi::req::kReadNoSnp) {
      home.send_data(fields.srcid, cmn::chi::dat::kCompData, fields.txnid, fields.size == 6 ? 2 : 1, now);
    } else {
      home.respond(fields.srcid, cmn::chi::rsp::kCompDbidResp, fields.txnid, now,
                   static_cast<std::uint16_t>(fields.txnid + 3));
    }
  };
}

// From sending a request, to a home at the same XP, until its answer arrives.
constexpr Cycle kAnswer = 2 * kTravel;

TEST_F(CmnIoRequester, counts_requests_flits_and_beats_of_its_ports) {
  RequesterRig rig;
  cmn::RnI node(rig.mesh, rig.addresses, rig.place(4, 1), {});
  ListSource source;
  answer_at_once(rig.home());
  run([&] {
    ASSERT_TRUE(rig.probe());
    node.set_source(&source);
    const std::uint64_t near = rig.near();
    // All operations come in one cycle; requests go one per cycle from g on. Answers to reads are two flits, which come
    // after 10 and 11 cycles. So DAT towards the RN-I: read 1 g + 10, g + 11; read 2 (one cycle later) g + 12, g + 13;
    // read 3, of 16 bytes: g + 14.
    rig.expect(kRnI, rig.id(4, 1),
               {{0x01, 4},  // two flits of two beats
                {0x02, 4},
                {0x03, 1},  // a flit of one beat
                {0x04, 5},
                {0x05, 2 + 1},
                {0x06, 5},
                {0x07, 0},
                {0x0c, 4},  // LPID 3: port 0, two flits
                {0x0d, 0},
                {0x0e, 1},  // 16 bytes: a beat
                {0x0f, 3},
                {0x10, 2},
                {0x0b, 0},
                {0x0a, 0},
                {0x08, 11, Kind::sum},  // TxnID 0
                {0x13, 12, Kind::sum},  // TxnID 1, sent a cycle later, its last flit two
                {0x14, 12, Kind::sum},  // TxnID 2
                {0x15, 0, Kind::sum},
                {0x18, 11, Kind::sum},
                {0x19, 12, Kind::sum},
                {0x1a, 12, Kind::sum},
                {0x1b, 0, Kind::sum},
                // CompDBIDResp arrives after 10 cycles, and data is ready 4 later. The first message takes two cycles;
                // the second is ready a cycle later and goes behind it.
                {0x09, 10 + 4 + 1 + (10 + 4 + 1), Kind::sum}},
               [&] {
                 source.left = {operation(OperationKind::read_once, near), operation(OperationKind::read_once, near, 1),
                                operation(OperationKind::read_no_snp, near, 5, 4),
                                operation(OperationKind::write_unique_full, near, 3),
                                operation(OperationKind::write_unique_ptl, near, 2, 4)};
                 node.ask(rig.soon());
                 rig.pass(100);
               });
    EXPECT_EQ(node.pending(), 0U);
    EXPECT_EQ(source.done.size(), 5 * rig.runs);
  });
}

TEST_F(CmnIoRequester, of_cmn600_accumulates_all_its_reads) {
  RequesterRig rig(cmn::Product::cmn600);
  cmn::RnI node(rig.mesh, rig.addresses, rig.place(4, 1), {});
  ListSource source;
  answer_at_once(rig.home());
  run([&] {
    ASSERT_TRUE(rig.probe());
    node.set_source(&source);
    rig.expect(kRnI, rig.id(4, 1), {{0x08, 11 + 12, Kind::sum}, {0x13, 0}, {0x14, 0}, {0x0f, 2}}, [&] {
      source.left = {operation(OperationKind::read_once, rig.near()), operation(OperationKind::read_once, rig.near())};
      node.ask(rig.soon());
      rig.pass(100);
    });
  });
}

TEST_F(CmnIoRequester, sends_again_when_it_has_both_retryack_and_credit) {
  RequesterRig rig;
  cmn::RnI node(rig.mesh, rig.addresses, rig.place(4, 1), {});
  ListSource source;
  Partner& home = rig.home();
  bool credit_first = false;
  home.answer = [&](const cmn::Arrival& arrival, Cycle now) {
    if (arrival.channel != Channel::req) return;
    const cmn::FlitFields& fields = arrival.fields;
    if (fields.allowretry != 0) {
      home.respond(fields.srcid, cmn::chi::rsp::kPCrdGrant, 0, credit_first ? now : now + 30);
      home.respond(fields.srcid, cmn::chi::rsp::kRetryAck, fields.txnid, credit_first ? now + 30 : now);
    } else {
      home.send_data(fields.srcid, cmn::chi::dat::kCompData, fields.txnid, 2, now);
    }
  };
  run([&] {
    ASSERT_TRUE(rig.probe());
    node.set_source(&source);
    // The entry counts from the first sending: 10, 30 until the other answer, 4 of latency, 10 and a second flit.
    rig.expect(kRnI, rig.id(4, 1), {{0x06, 2}, {0x07, 1}, {0x0f, 1}, {0x08, kAnswer + 30 + 4 + kAnswer + 1, Kind::sum}},
               [&] {
                 source.left = {operation(OperationKind::read_once, rig.near())};
                 node.ask(rig.soon());
                 rig.pass(200);
               });
    credit_first = true;
    rig.expect(kRnI, rig.id(4, 1), {{0x06, 2}, {0x07, 1}, {0x0f, 1}, {0x08, kAnswer + 30 + 4 + kAnswer + 1, Kind::sum}},
               [&] {
                 source.left = {operation(OperationKind::read_once, rig.near())};
                 node.ask(rig.soon());
                 rig.pass(200);
               });
    EXPECT_EQ(node.pending(), 0U);
  });
}

TEST_F(CmnIoRequester, cancels_writes_and_waits_for_completion) {
  RequesterRig rig;
  cmn::RnI node(rig.mesh, rig.addresses, rig.place(4, 1), {});
  ListSource source;
  Partner* const io = rig.io.front().get();
  std::uint64_t address = kIo;
  while (rig.addresses.io_node(address) != io->id) address += cmn::SystemAddressMap::kPage;
  io->answer = [&](const cmn::Arrival& arrival, Cycle now) {
    if (arrival.channel != Channel::req) return;
    EXPECT_EQ(arrival.fields.order, 2U);
    io->respond(arrival.fields.srcid, cmn::chi::rsp::kDbidResp, arrival.fields.txnid, now, 9);
    io->respond(arrival.fields.srcid, cmn::chi::rsp::kComp, arrival.fields.txnid, now + 50);
  };
  run([&] {
    ASSERT_TRUE(rig.probe());
    node.set_source(&source);
    // The first I/O home is at XP 0, below XP 4: one more link each way. Comp comes 50 cycles after DBIDResp.
    ASSERT_EQ(io->id, rig.id(0, 1));
    rig.expect(kRnI, rig.id(4, 1),
               {{0x0b, 1}, {0x05, 2}, {0x0c, 0}, {0x10, 1}, {0x09, 2 * (kTravel + 3) + 50, Kind::sum}}, [&] {
                 Operation one = operation(OperationKind::write_no_snp_ptl, address);
                 one.cancel = true;
                 source.left = {one};
                 node.ask(rig.soon());
                 rig.pass(200);
               });
    EXPECT_EQ(node.pending(), 0U);
    EXPECT_EQ(io->count(Channel::dat, cmn::chi::dat::kWriteDataCancel), 2 * rig.runs);
  });
}

TEST_F(CmnIoRequester, asks_only_while_both_trackers_have_room) {
  RequesterRig rig;
  cmn::RnI node(rig.mesh, rig.addresses, rig.place(4, 1), {.rrt_entries = 2, .wrt_entries = 1});
  ListSource source;
  answer_at_once(rig.home());
  run([&] {
    node.set_source(&source);
    for (std::uint32_t i = 0; i < 20; ++i) {
      source.left.push_back(
          operation(i % 3 == 2 ? OperationKind::write_unique_full : OperationKind::read_once, rig.near()));
      source.left.back().tag = i;
    }
    node.ask(rig.soon());
    rig.pass(1'000);
    EXPECT_EQ(source.done.size(), 20U);
    EXPECT_EQ(node.pending(), 0U);
    for (const Partner::Got& got : rig.home().got) {
      if (got.channel != Channel::req) continue;
      EXPECT_TRUE(got.fields.txnid < 2 || got.fields.txnid == 0x80);
    }
  });
}

TEST_F(CmnIoRequester, rn_d_counts_as_rn_i_does_and_answers_dvm_snoops) {
  RequesterRig rig;
  cmn::RnI node(rig.mesh, rig.addresses, rig.place(5, 0), {});
  cmn::RnI other(rig.mesh, rig.addresses, rig.place(4, 1), {});
  ListSource source;
  for (const auto& home : rig.homes) answer_at_once(*home);
  Partner& dvm = *rig.io.front();
  run([&] {
    ASSERT_TRUE(rig.probe());
    node.set_source(&source);
    rig.expect(kRnI, rig.id(5, 0), {{0x06, 3}, {0x04, 4}, {0x0f, 2}, {0x10, 1}}, [&] {
      source.left = {operation(OperationKind::read_once, 0), operation(OperationKind::write_unique_full, 64),
                     operation(OperationKind::read_once, 128)};
      node.ask(rig.soon());
      rig.pass(100);
    });
    cmn::FlitFields snoop;
    snoop.opcode = cmn::chi::snp::kSnpDvmOp;
    snoop.tgtid = rig.id(5, 0);
    snoop.txnid = 0x85;
    dvm.post(Channel::snp, snoop, rig.soon());
    rig.pass(50);
    EXPECT_EQ(dvm.count(Channel::rsp, cmn::chi::rsp::kSnpResp), 0U) << "half a snoop";
    snoop.addr = 8;
    dvm.post(Channel::snp, snoop, rig.soon());
    rig.pass(50);
    EXPECT_EQ(dvm.count(Channel::rsp, cmn::chi::rsp::kSnpResp), 1U);
    EXPECT_EQ(dvm.got.back().fields.txnid, 0x85U);
  });
}

}  // namespace
}  // namespace pmufab
