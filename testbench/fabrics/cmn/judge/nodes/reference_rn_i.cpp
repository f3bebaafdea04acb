// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/nodes/reference_rn_i.h"

#include "testbench/fabrics/cmn/judge/chi.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
namespace req = chi::req;

namespace {

constexpr unsigned kRdataBeats = 0x01;  // of port 0; ports 1 and 2 follow
constexpr unsigned kRxdatFlits = 0x04;
constexpr unsigned kTxdatFlits = 0x05;
constexpr unsigned kTxreqFlitsTotal = 0x06;
constexpr unsigned kTxreqFlitsRetried = 0x07;
constexpr unsigned kRrtOccupancy = 0x08;
constexpr unsigned kWrtOccupancy = 0x09;
constexpr unsigned kWrcancelSent = 0x0b;
constexpr unsigned kWdataBeats = 0x0c;  // of port 0
constexpr unsigned kRrtAlloc = 0x0f;
constexpr unsigned kWrtAlloc = 0x10;
constexpr unsigned kRrtOccupancySlice1 = 0x13;
constexpr unsigned kReadOccupancySlice0 = 0x18;  // CMN-700
constexpr unsigned kFirstWrite = 0x80;           // lowest TxnID of writes
constexpr unsigned kPorts = 3;
constexpr unsigned kSlices = 4;

unsigned beats(const FlitFields& request) { return request.size <= 4 ? 1 : 2; }

}  // namespace

ReferenceRnI::ReferenceRnI(const CmnNode& node, unsigned number, ReferenceSurroundings& around)
    : ReferenceNode(node, number, around), counts_(add_source(cmn::NodeType::rn_i)) {}

bool ReferenceRnI::begins(Cycle now, Channel channel, const FlitFields& flit) {
  if (channel == Channel::req) return sends_request(now, flit);
  return channel == Channel::dat && sends_data(now, flit);
}

bool ReferenceRnI::sends_request(Cycle now, const FlitFields& flit) {
  const bool is_read = flit.opcode == req::kReadOnce || flit.opcode == req::kReadNoSnp;
  if (!is_read && !req::is_write_unique(flit.opcode) && !req::is_write_no_snp(flit.opcode)) return false;
  check_request(flit, is_read);
  const auto found = transactions_.find(flit.txnid);
  if (flit.allowretry == 0) {
    if (found == transactions_.end() || !found->second.retried || grants_[flit.tgtid] == 0 ||
        found->second.request.addr != flit.addr || found->second.request.opcode != flit.opcode)
      return false;
    --grants_[flit.tgtid];
    found->second.retried = false;
    counts_.fire(kTxreqFlitsTotal);
    counts_.fire(kTxreqFlitsRetried);
    return true;
  }
  if (found != transactions_.end()) return false;  // the number is in use
  counts_.fire(kTxreqFlitsTotal);
  counts_.fire(is_read ? kRrtAlloc : kWrtAlloc);
  Transaction& made = transactions_[flit.txnid];
  made.request = flit;
  made.is_read = is_read;
  made.arriving = DataArrival(has_two_flits(flit));
  occupy(now, made, 1);
  return true;
}

void ReferenceRnI::check_request(const FlitFields& flit, bool is_read) {
  if (!around().addresses().is_rn_i_target(flit.addr, flit.tgtid))
    fail("node_wrong_target", "another node serves the address of " + describe_flit(Channel::req, flit));
  const bool snooped = flit.opcode == req::kReadOnce || req::is_write_unique(flit.opcode);
  if (snooped ? CmnAddresses::is_io(flit.addr) : CmnAddresses::is_remote(flit.addr))
    fail("node_wrong_target", "no such request goes there: " + describe_flit(Channel::req, flit));
  const ReferenceRnIParameters& parameters = around().spec().rn_i;
  const unsigned first = is_read ? 0 : kFirstWrite;
  const unsigned entries = is_read ? parameters.rrt_entries : parameters.wrt_entries;
  if (flit.txnid < first || flit.txnid >= first + entries)
    fail("node_wrong_number", "it has no such TxnID for that: " + describe_flit(Channel::req, flit));
}

bool ReferenceRnI::sends_data(Cycle now, const FlitFields& flit) {
  const bool cancels = flit.opcode == chi::dat::kWriteDataCancel;
  if (!cancels && flit.opcode != chi::dat::kNonCopyBackWrData) return false;
  for (auto& [txnid, one] : transactions_) {
    if (!one.may_send || one.sending == 0 || one.data_target != flit.tgtid || one.data_txnid != flit.txnid) continue;
    // Only I/O homes take WriteDataCancel.
    if (cancels && (one.request.opcode != req::kWriteNoSnpPtl || !CmnAddresses::is_io(one.request.addr))) return false;
    --one.sending;
    counts_.fire(kTxdatFlits);
    if (!cancels) counts_.fire(kWdataBeats + one.request.lpid % kPorts, 1, 1, beats(one.request));
    if (cancels && flit.dataid == 0) counts_.fire(kWrcancelSent);
    one.has_sent = one.sending == 0;
    end_if_done(now, txnid);
    return true;
  }
  return false;
}

void ReferenceRnI::arrive(Cycle now, Channel channel, const FlitFields& flit) {
  if (channel == Channel::rsp) {
    response(now, flit);
  } else if (channel == Channel::dat) {
    const auto found = transactions_.find(flit.txnid);
    if (found == transactions_.end() || !found->second.is_read) {
      fail("node_message_unasked", "nothing waits for this message: " + describe_flit(channel, flit));
      return;
    }
    counts_.fire(kRxdatFlits);
    counts_.fire(kRdataBeats + found->second.request.lpid % kPorts, 1, 1, beats(found->second.request));
    if (!found->second.arriving.take()) return;
    occupy(now, found->second, -1);
    transactions_.erase(found);
  } else if (channel == Channel::snp && node().type == cmn::NodeType::rn_d) {
    const auto [snoop, first] = snoops_.try_emplace({flit.srcid, flit.txnid});
    if (!snoop->second.take()) return;
    snoops_.erase(snoop);
    Message answer{Channel::rsp, chi::rsp::kSnpResp};
    answer.target = flit.srcid;
    answer.txnid = flit.txnid;
    answer.resp = chi::kI;
    expect(answer);
  }
}

void ReferenceRnI::response(Cycle now, const FlitFields& flit) {
  if (flit.opcode == chi::rsp::kPCrdGrant) {
    ++grants_[flit.srcid];
    return;
  }
  const auto found = transactions_.find(flit.txnid);
  if (found == transactions_.end()) {
    fail("node_message_unasked", "nothing waits for this message: " + describe_flit(Channel::rsp, flit));
    return;
  }
  Transaction& one = found->second;
  switch (flit.opcode) {
    case chi::rsp::kRetryAck:
      one.retried = true;
      return;
    case chi::rsp::kCompDbidResp:
    case chi::rsp::kDbidResp:
      one.may_send = true;
      one.sending = has_two_flits(one.request) ? 2 : 1;
      one.data_target = flit.srcid;
      one.data_txnid = flit.dbid;
      one.completed = one.completed || flit.opcode == chi::rsp::kCompDbidResp;
      break;
    case chi::rsp::kComp:
      one.completed = true;
      break;
    default:
      return;
  }
  end_if_done(now, flit.txnid);
}

void ReferenceRnI::end_if_done(Cycle now, std::uint16_t txnid) {
  const auto found = transactions_.find(txnid);
  if (!found->second.completed || !found->second.has_sent) return;
  occupy(now, found->second, -1);
  transactions_.erase(found);
}

void ReferenceRnI::occupy(Cycle now, const Transaction& transaction, int entries) {
  if (!transaction.is_read) {
    counts_.occupy(kWrtOccupancy, 1, entries, now);
    return;
  }
  if (around().spec().layout == WatchpointLayout::cmn600) {
    counts_.occupy(kRrtOccupancy, 1, entries, now);
    return;
  }
  const unsigned slice = transaction.request.txnid % kSlices;
  counts_.occupy(slice == 0 ? kRrtOccupancy : kRrtOccupancySlice1 + slice - 1, 1, entries, now);
  if (around().spec().layout == WatchpointLayout::cmn700) counts_.occupy(kReadOccupancySlice0 + slice, 1, entries, now);
}

void ReferenceRnI::finish() {
  ReferenceNode::finish();
  for (const auto& [txnid, one] : transactions_)
    fail("node_request_unfinished", "it never completes " + describe_flit(Channel::req, one.request));
}

}  // namespace pmufab::scoreboard
