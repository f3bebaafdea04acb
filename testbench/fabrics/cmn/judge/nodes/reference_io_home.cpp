// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/nodes/reference_io_home.h"

#include <algorithm>

#include "testbench/fabrics/cmn/judge/chi.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
namespace req = chi::req;

namespace {

constexpr unsigned kSecondPartEntry = 0x80;
constexpr unsigned kTxrspRetryAck = 0x2a;
constexpr unsigned kTxdatStall = 0x30;
constexpr unsigned kNonPcieSerialization = 0x31;
constexpr unsigned kPcieSerialization = 0x32;

}  // namespace

ReferenceIoHome::Part::Part(const ReferenceIoHomeParameters& parameters, NodeCounts& node_counts, const Ids& names,
                            unsigned first)
    : counts(node_counts),
      ids(names),
      first_dbid(first),
      room(parameters.rrt_entries),
      free_rdt(parameters.rdt_entries),
      free_wdb(parameters.wdb_entries),
      axi(parameters.axi) {
  counts.provide(ids.ar_valid, [this](Cycle end) { return axi.ar.valid_not_ready(end); });
  counts.provide(ids.ar_ready, [this](Cycle end) { return axi.ar.ready_not_valid(end); });
  counts.provide(ids.aw_valid, [this](Cycle end) { return axi.aw.valid_not_ready(end); });
  counts.provide(ids.aw_ready, [this](Cycle end) { return axi.aw.ready_not_valid(end); });
  counts.provide(ids.w_valid, [this](Cycle end) { return axi.w.valid_not_ready(end); });
}

ReferenceIoHome::ReferenceIoHome(const CmnNode& node, unsigned number, ReferenceSurroundings& around)
    : ReferenceNode(node, number, around), counts_(add_source(cmn::NodeType::hn_i)) {
  constexpr Ids kHnI{0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f};
  constexpr Ids kHnP{0x11, 0x01, 0x12, 0x02, 0x03, 0x13, 0x04, 0x14, 0x05, 0x06, 0x15, 0x16, 0x07, 0x08, 0x09};
  parts_.emplace_back(around.spec().io_home, counts_, kHnI, 0);
  if (node.type == cmn::NodeType::hn_p)
    parts_.emplace_back(around.spec().io_home, add_source(cmn::NodeType::hn_p), kHnP, kSecondPartEntry);
}

ReferenceIoHome::Part& ReferenceIoHome::part_of(const FlitFields& request) {
  const cmn::DeviceType from = around().device_at(request.srcid);
  const bool from_pcie = from == cmn::DeviceType::rn_i || from == cmn::DeviceType::rn_d;
  return from_pcie ? parts_.back() : parts_.front();
}

void ReferenceIoHome::wake(Cycle now) {
  for (Part& part : parts_) {
    while (const auto serial = part.reads.take(now)) end(now, part, *serial);
    while (const auto serial = part.writes.take(now)) end(now, part, *serial);
    serialize(now, part);
  }
}

void ReferenceIoHome::arrive(Cycle now, Channel channel, const FlitFields& flit) {
  if (channel == Channel::req) {
    if (flit.opcode == req::kReadNoSnp || req::is_write_no_snp(flit.opcode)) {
      request(now, flit);
    } else if (flit.opcode != req::kDvmOp) {  // the DVM node takes those
      fail("node_message_unasked", "an I/O home takes no such request: " + describe_flit(channel, flit));
    }
    return;
  }
  if (channel != Channel::dat) return;  // CompAck has no effect; SnpResp belongs to the DVM node
  for (Part& part : parts_) {
    const auto found = std::find_if(part.requests.begin(), part.requests.end(), [&](const Request& one) {
      return !one.is_read && part.first_dbid + one.number == flit.txnid && one.flit.srcid == flit.srcid &&
             one.has_buffer && !one.data.complete();
    });
    if (found == part.requests.end()) continue;
    found->cancelled = found->cancelled || flit.opcode == chi::dat::kWriteDataCancel;
    if (found->data.take()) {
      if (found->cancelled) {
        end(now, part, found->serial);
      } else {
        issue(now, part);
      }
    }
    serialize(now, part);
    return;
  }
  if (flit.txnid < kSecondPartEntry || parts_.size() > 1)
    fail("node_message_unasked", "nothing waits for this message: " + describe_flit(channel, flit));
}

void ReferenceIoHome::held(Channel channel) {
  if (channel == Channel::dat) counts_.fire(kTxdatStall);
}

void ReferenceIoHome::finish() {
  ReferenceNode::finish();
  for (const Part& part : parts_) {
    for (const Request& one : part.requests)
      fail("node_request_unfinished", "it never completes " + describe_flit(Channel::req, one.flit));
  }
}

void ReferenceIoHome::request(Cycle now, const FlitFields& flit) {
  Part& part = part_of(flit);
  switch (part.room.admit(flit)) {
    case ReferenceRoom::Admission::retried:
      counts_.fire(kTxrspRetryAck);
      expect_response(flit, chi::rsp::kRetryAck);
      return;
    case ReferenceRoom::Admission::unasked:
      fail("node_message_unasked", "AllowRetry 0 without a grant: " + describe_flit(Channel::req, flit));
      return;
    case ReferenceRoom::Admission::admitted:
      break;
  }
  Request& one = part.requests.emplace_back();
  one.serial = ++serials_;
  one.number = part.numbers.take();
  one.flit = flit;
  one.is_read = flit.opcode == req::kReadNoSnp;
  one.data = DataArrival(has_two_flits(flit));
  part.counts.fire(one.is_read ? part.ids.rrt_rd_alloc : part.ids.rrt_wr_alloc);
  part.counts.occupy(one.is_read ? part.ids.rrt_rd_occ : part.ids.rrt_wr_occ, 1, 1, now);
  give_buffers(now, part);
  issue(now, part);
  serialize(now, part);
}

void ReferenceIoHome::give_buffers(Cycle now, Part& part) {
  for (Request& one : part.requests) {
    if (part.free_wdb == 0) return;
    if (one.is_read || one.has_buffer) continue;
    one.has_buffer = true;
    --part.free_wdb;
    part.counts.fire(part.ids.wdb_alloc);
    part.counts.occupy(part.ids.wdb_occ, 1, 1, now);
    expect_response(one.flit, chi::rsp::kCompDbidResp, static_cast<std::uint16_t>(part.first_dbid + one.number));
  }
}

bool ReferenceIoHome::waits_for_order(const Part& part, const Request& request) {
  constexpr unsigned kOrdered = 2;
  if (request.flit.order < kOrdered) return false;
  for (const Request& older : part.requests) {
    if (older.serial == request.serial) return false;
    if (older.flit.srcid == request.flit.srcid && older.flit.order >= kOrdered) return true;
  }
  return false;
}

void ReferenceIoHome::issue(Cycle now, Part& part) {
  for (Request& one : part.requests) {
    if (part.free_rdt == 0) return;
    const bool can = !one.issued && (one.is_read || (one.has_buffer && one.data.complete())) && !one.cancelled;
    if (!can || waits_for_order(part, one)) continue;
    one.issued = true;
    --part.free_rdt;
    part.counts.fire(one.is_read ? part.ids.rdt_rd_alloc : part.ids.rdt_wr_alloc);
    part.counts.occupy(one.is_read ? part.ids.rdt_rd_occ : part.ids.rdt_wr_occ, 1, 1, now);
    const Cycle when = one.is_read ? part.axi.read(now) : part.axi.write(now, has_two_flits(one.flit) ? 2 : 1);
    (one.is_read ? part.reads : part.writes).add(when, one.serial);
    wake_at(when);
  }
}

void ReferenceIoHome::end(Cycle now, Part& part, std::uint64_t serial) {
  const auto one = std::find_if(part.requests.begin(), part.requests.end(),
                                [&](const Request& other) { return other.serial == serial; });
  const Request ended = *one;
  if (ended.is_read) {
    Message data{Channel::dat, chi::dat::kCompData};
    data.target = ended.flit.srcid;
    data.txnid = ended.flit.txnid;
    data.dbid = static_cast<std::uint16_t>(part.first_dbid + ended.number);
    data.resp = chi::kUc;
    expect_data(data, has_two_flits(ended.flit));
  }
  part.requests.erase(one);
  part.numbers.free(ended.number);
  part.counts.occupy(ended.is_read ? part.ids.rrt_rd_occ : part.ids.rrt_wr_occ, 1, -1, now);
  if (const auto sender = part.room.release()) expect_grant(*sender);
  if (ended.has_buffer) {
    ++part.free_wdb;
    part.counts.occupy(part.ids.wdb_occ, 1, -1, now);
    give_buffers(now, part);
  }
  if (ended.issued) {
    ++part.free_rdt;
    part.counts.occupy(ended.is_read ? part.ids.rdt_rd_occ : part.ids.rdt_wr_occ, 1, -1, now);
  }
  issue(now, part);
}

void ReferenceIoHome::serialize(Cycle now, Part& part) {
  const bool waits = std::any_of(part.requests.begin(), part.requests.end(), [&](const Request& one) {
    return !one.issued && !one.cancelled && (one.is_read || (one.has_buffer && one.data.complete())) &&
           waits_for_order(part, one);
  });
  if (waits == part.serializes) return;
  part.serializes = waits;
  counts_.hold_more(parts_.size() > 1 ? kPcieSerialization : kNonPcieSerialization, waits ? 1 : -1, now);
}

}  // namespace pmufab::scoreboard
