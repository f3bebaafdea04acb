// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/nodes/reference_sbsx.h"

#include <algorithm>

#include "testbench/fabrics/cmn/judge/chi.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
namespace req = chi::req;

namespace {

constexpr unsigned kRequest = 0x01;  // rd_req; wr_req and cmo_req follow
constexpr unsigned kSbsxTxrspRetryAck = 0x04;
constexpr unsigned kTxdatFlitv = 0x05;
constexpr unsigned kTxrspFlitv = 0x06;
constexpr unsigned kTrackerOccupancy = 0x11;  // reads; writes and CMOs follow
constexpr unsigned kWdbOccupancy = 0x14;
constexpr unsigned kReadAxiOccupancy = 0x15;
constexpr unsigned kCmoAxiOccupancy = 0x16;
constexpr unsigned kRdbOccupancy = 0x17;
constexpr unsigned kArStall = 0x21;
constexpr unsigned kAwStall = 0x22;
constexpr unsigned kWStall = 0x23;
constexpr unsigned kSbsxTxdatStall = 0x24;
constexpr unsigned kTxrspStall = 0x25;

}  // namespace

ReferenceSbsx::ReferenceSbsx(const CmnNode& node, unsigned number, ReferenceSurroundings& around)
    : ReferenceNode(node, number, around),
      counts_(add_source(cmn::NodeType::sbsx)),
      room_(around.spec().sbsx.entries),
      free_wdb_(around.spec().sbsx.wdb_entries),
      axi_(around.spec().sbsx.axi) {
  counts_.provide(kArStall, [this](Cycle end) { return axi_.ar.valid_not_ready(end); });
  counts_.provide(kAwStall, [this](Cycle end) { return axi_.aw.valid_not_ready(end); });
  counts_.provide(kWStall, [this](Cycle end) { return axi_.w.valid_not_ready(end); });
}

void ReferenceSbsx::wake(Cycle now) {
  while (const auto serial = reads_.take(now)) end(now, *serial);
  while (const auto serial = writes_.take(now)) end(now, *serial);
}

void ReferenceSbsx::arrive(Cycle now, Channel channel, const FlitFields& flit) {
  if (channel == Channel::req) {
    if (flit.opcode != req::kPrefetchTgt) request(now, flit);
  } else if (channel == Channel::dat) {
    write_data(now, flit);
  }
}

void ReferenceSbsx::held(Channel channel) {
  if (channel == Channel::dat) counts_.fire(kSbsxTxdatStall);
  if (channel == Channel::rsp) counts_.fire(kTxrspStall);
}

void ReferenceSbsx::finish() {
  ReferenceNode::finish();
  for (const Request& one : requests_)
    fail("node_request_unfinished", "it never completes " + describe_flit(Channel::req, one.flit));
}

void ReferenceSbsx::has_sent(Cycle now, Channel channel, const FlitFields& flit) {
  if (channel == Channel::rsp) counts_.fire(kTxrspFlitv);
  if (channel != Channel::dat) return;
  counts_.fire(kTxdatFlitv);
  if (flit.opcode == chi::dat::kCompData) counts_.occupy(kRdbOccupancy, 1, -1, now);
}

void ReferenceSbsx::request(Cycle now, const FlitFields& flit) {
  Request one;
  if (flit.opcode == req::kReadNoSnp) {
    one.kind = Kind::read;
  } else if (req::is_write_no_snp(flit.opcode)) {
    one.kind = Kind::write;
  } else if (req::is_cmo(flit.opcode)) {
    one.kind = Kind::cmo;
  } else {
    fail("node_message_unasked", "an SBSX takes no such request: " + describe_flit(Channel::req, flit));
    return;
  }
  switch (room_.admit(flit)) {
    case ReferenceRoom::Admission::retried:
      counts_.fire(kSbsxTxrspRetryAck);
      expect_response(flit, chi::rsp::kRetryAck);
      return;
    case ReferenceRoom::Admission::unasked:
      fail("node_message_unasked", "AllowRetry 0 without a grant: " + describe_flit(Channel::req, flit));
      return;
    case ReferenceRoom::Admission::admitted:
      break;
  }
  one.serial = ++serials_;
  one.number = numbers_.take();
  one.flit = flit;
  one.data = DataArrival(has_two_flits(flit));
  const auto kind = static_cast<unsigned>(one.kind);
  counts_.fire(kRequest + kind);
  counts_.occupy(kTrackerOccupancy + kind, 1, 1, now);
  requests_.push_back(one);
  if (one.kind == Kind::write) {
    give_buffers(now);
    return;
  }
  counts_.occupy(one.kind == Kind::read ? kReadAxiOccupancy : kCmoAxiOccupancy, 1, 1, now);
  const Cycle when = axi_.read(now);
  reads_.add(when, one.serial);
  wake_at(when);
}

void ReferenceSbsx::give_buffers(Cycle now) {
  for (Request& one : requests_) {
    if (free_wdb_ == 0) return;
    if (one.kind != Kind::write || one.has_buffer) continue;
    one.has_buffer = true;
    --free_wdb_;
    counts_.occupy(kWdbOccupancy, 1, 1, now);
    expect_response(one.flit, chi::rsp::kCompDbidResp, static_cast<std::uint16_t>(one.number));
  }
}

void ReferenceSbsx::write_data(Cycle now, const FlitFields& flit) {
  const auto found = std::find_if(requests_.begin(), requests_.end(), [&](const Request& one) {
    return one.kind == Kind::write && one.number == flit.txnid && one.flit.srcid == flit.srcid && one.has_buffer &&
           !one.data.complete();
  });
  if (found == requests_.end()) {
    fail("node_message_unasked", "nothing waits for this message: " + describe_flit(Channel::dat, flit));
    return;
  }
  found->cancelled = found->cancelled || flit.opcode == chi::dat::kWriteDataCancel;
  if (!found->data.take()) return;
  if (found->cancelled) {
    end(now, found->serial);
    return;
  }
  const Cycle when = axi_.write(now, has_two_flits(found->flit) ? 2 : 1);
  writes_.add(when, found->serial);
  wake_at(when);
}

void ReferenceSbsx::end(Cycle now, std::uint64_t serial) {
  const auto one =
      std::find_if(requests_.begin(), requests_.end(), [&](const Request& other) { return other.serial == serial; });
  const Request ended = *one;
  requests_.erase(one);
  numbers_.free(ended.number);
  counts_.occupy(kTrackerOccupancy + static_cast<unsigned>(ended.kind), 1, -1, now);
  switch (ended.kind) {
    case Kind::read: {
      const bool two = has_two_flits(ended.flit);
      counts_.occupy(kReadAxiOccupancy, 1, -1, now);
      counts_.occupy(kRdbOccupancy, 1, two ? 2 : 1, now);
      Message data{Channel::dat, chi::dat::kCompData};
      data.target = ended.flit.srcid;
      data.txnid = ended.flit.txnid;
      data.dbid = static_cast<std::uint16_t>(ended.number);
      data.resp = chi::kUc;
      expect_data(data, two);
      break;
    }
    case Kind::write:
      counts_.occupy(kWdbOccupancy, 1, -1, now);
      ++free_wdb_;
      break;
    case Kind::cmo:
      counts_.occupy(kCmoAxiOccupancy, 1, -1, now);
      expect_response(ended.flit, chi::rsp::kComp);
      break;
  }
  if (const auto sender = room_.release()) expect_grant(*sender);
  give_buffers(now);
}

}  // namespace pmufab::scoreboard
