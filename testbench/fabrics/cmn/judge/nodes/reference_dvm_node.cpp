// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/nodes/reference_dvm_node.h"

#include <algorithm>

#include "testbench/fabrics/cmn/judge/chi.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;

namespace {

constexpr unsigned kFirstNumber = 0x80;
constexpr std::uint8_t kCreditType = 1;
constexpr unsigned kSync = 4;
constexpr std::uint64_t kSecondPart = 8;  // bit 3 of a DVM snoop's address

// Event ids of CMN-600.
constexpr unsigned kRxreqDvmop = 0x01;
constexpr unsigned kRxreqDvmsync = 0x02;
constexpr unsigned kRxreqVmidFiltered = 0x03;
constexpr unsigned kRxreqRetried = 0x04;
constexpr unsigned kRxreqOccupancy = 0x05;
// Event ids of the others.
constexpr unsigned kDvmop = 0x01;  // of type 0; types 1 to 4 follow
constexpr unsigned kVmidFiltered = 0x06;
constexpr unsigned kRndopFiltered = 0x07;
constexpr unsigned kRetry = 0x08;
constexpr unsigned kTxsnpFlitv = 0x09;
constexpr unsigned kTxsnpStall = 0x0a;
constexpr unsigned kTrkfull = 0x0b;
constexpr unsigned kTrkOccupancy = 0x0c;
constexpr unsigned kTrkAlloc = 0x0f;
constexpr unsigned kTxsnpStallLimit = 0x12;
constexpr unsigned kTxsnpSyncStallOp = 0x14;

unsigned type_of(const FlitFields& flit) { return static_cast<unsigned>(flit.addr >> 11U & 7U); }
bool has_vmid(const FlitFields& flit) { return (flit.addr >> 5U & 1U) != 0; }
unsigned vmid_of(const FlitFields& flit) { return static_cast<unsigned>(flit.addr >> 14U & 0xffU); }

}  // namespace

ReferenceDvmNode::ReferenceDvmNode(const CmnNode& node, unsigned number, ReferenceSurroundings& around)
    : ReferenceNode(node, number, around),
      counts_(add_source(cmn::NodeType::dvm)),
      room_(around.spec().dvm.trk_entries) {}

void ReferenceDvmNode::arrive(Cycle now, Channel channel, const FlitFields& flit) {
  if (channel == Channel::req && flit.opcode == chi::req::kDvmOp) {
    request(now, flit);
  } else if (channel == Channel::dat && flit.txnid >= kFirstNumber) {
    const auto one = std::find_if(operations_.begin(), operations_.end(), [&](const Operation& other) {
      return kFirstNumber + other.number == flit.txnid && other.flit.srcid == flit.srcid && !other.has_data;
    });
    if (one == operations_.end()) {
      fail("node_message_unasked", "nothing waits for this message: " + describe_flit(channel, flit));
      return;
    }
    one->has_data = true;
    snoop(now);
  } else if (channel == Channel::rsp && flit.opcode == chi::rsp::kSnpResp) {
    const auto one = std::find_if(operations_.begin(), operations_.end(), [&](const Operation& other) {
      return kFirstNumber + other.number == flit.txnid && other.unanswered.contains(flit.srcid);
    });
    if (one == operations_.end()) {
      fail("node_message_unasked", "no snoop explains this: " + describe_flit(channel, flit));
      return;
    }
    one->unanswered.erase(flit.srcid);
    if (one->unanswered.empty()) {
      end(now, one);
      snoop(now);
    }
  }
  levels(now);
}

void ReferenceDvmNode::held(Channel channel) {
  if (channel == Channel::snp && !is_cmn600()) counts_.fire(kTxsnpStall);
}

void ReferenceDvmNode::has_sent(Cycle /*now*/, Channel channel, const FlitFields& /*flit*/) {
  if (channel == Channel::snp && !is_cmn600()) counts_.fire(kTxsnpFlitv);
}

void ReferenceDvmNode::finish() {
  ReferenceNode::finish();
  for (const Operation& one : operations_)
    fail("node_request_unfinished", "it never completes " + describe_flit(Channel::req, one.flit));
}

void ReferenceDvmNode::request(Cycle now, const FlitFields& flit) {
  switch (room_.admit(flit)) {
    case ReferenceRoom::Admission::retried:
      counts_.fire(is_cmn600() ? kRxreqRetried : kRetry);
      expect_response(flit, chi::rsp::kRetryAck, {}, kCreditType);
      return;
    case ReferenceRoom::Admission::unasked:
      fail("node_message_unasked", "AllowRetry 0 without a grant: " + describe_flit(Channel::req, flit));
      return;
    case ReferenceRoom::Admission::admitted:
      break;
  }
  Operation& one = operations_.emplace_back();
  one.number = numbers_.take();
  one.flit = flit;
  one.type = type_of(flit);
  const bool sync = one.type == kSync;
  counts_.occupy(is_cmn600() ? kRxreqOccupancy : kTrkOccupancy, sync ? 0b101 : 0b011, 1, now);
  if (is_cmn600()) {
    counts_.fire(sync ? kRxreqDvmsync : kRxreqDvmop);
  } else {
    counts_.fire(kDvmop + one.type);
    counts_.fire(kTrkAlloc);
  }
  choose_targets(one);
  expect_response(flit, chi::rsp::kDbidResp, static_cast<std::uint16_t>(kFirstNumber + one.number));
}

void ReferenceDvmNode::choose_targets(Operation& one) {
  const ReferenceDvmParameters& parameters = around().spec().dvm;
  bool excludes_rn_d = false;
  bool excludes_vmid = false;
  for (const std::uint16_t target : around().addresses().dvm_targets()) {
    if (target == one.flit.srcid) continue;
    const bool is_rn_d = around().device_at(target) == cmn::DeviceType::rn_d;
    if (is_rn_d && !parameters.rn_d_ops && one.type >= 1 && one.type <= 3) {
      excludes_rn_d = true;
      continue;
    }
    bool has_pairs = false;
    bool has_this = false;
    for (const auto& [node_id, vmid] : parameters.vmid_filters) {
      if (node_id != target) continue;
      has_pairs = true;
      has_this = has_this || vmid == vmid_of(one.flit);
    }
    if (has_vmid(one.flit) && one.type != kSync && has_pairs && !has_this) {
      excludes_vmid = true;
      continue;
    }
    one.targets.push_back(target);
  }
  if (excludes_rn_d && !is_cmn600()) counts_.fire(kRndopFiltered);
  if (excludes_vmid) counts_.fire(is_cmn600() ? kRxreqVmidFiltered : kVmidFiltered);
}

bool ReferenceDvmNode::waits_for_older(const Operation& sync) const {
  if (sync.type != kSync) return false;
  for (const Operation& older : operations_) {
    if (&older == &sync) return false;
    if (older.type != kSync) return true;
  }
  return false;
}

void ReferenceDvmNode::snoop(Cycle now) {
  for (auto one = operations_.begin(); one != operations_.end();) {
    if (!one->has_data || one->snooping || waits_for_older(*one)) {
      ++one;
      continue;
    }
    const auto busy = static_cast<unsigned>(
        std::count_if(operations_.begin(), operations_.end(), [](const Operation& other) { return other.snooping; }));
    if (busy >= around().spec().dvm.snoop_limit) return;
    if (one->targets.empty()) {
      end(now, one);
      one = operations_.begin();  // its end may unblock an older one
      continue;
    }
    one->snooping = true;
    for (const std::uint16_t target : one->targets) {
      one->unanswered.insert(target);
      Message message{Channel::snp, chi::snp::kSnpDvmOp};
      message.target = target;
      message.txnid = static_cast<std::uint16_t>(kFirstNumber + one->number);
      message.address = one->flit.addr & ~kSecondPart;
      expect(message);
      message.address = kSecondPart;
      expect(message);
    }
    ++one;
  }
}

void ReferenceDvmNode::end(Cycle now, Operations::iterator one) {
  expect_response(one->flit, chi::rsp::kComp);
  counts_.occupy(is_cmn600() ? kRxreqOccupancy : kTrkOccupancy, one->type == kSync ? 0b101 : 0b011, -1, now);
  numbers_.free(one->number);
  operations_.erase(one);
  if (const auto sender = room_.release()) expect_grant(*sender, kCreditType);
}

void ReferenceDvmNode::levels(Cycle now) {
  if (is_cmn600()) return;
  counts_.hold(kTrkfull, room_.used() >= around().spec().dvm.trk_entries, now);
  bool sync_waits = false;
  bool limit_waits = false;
  for (const Operation& one : operations_) {
    if (!one.has_data || one.snooping) continue;
    if (waits_for_older(one)) {
      sync_waits = true;
    } else {
      limit_waits = true;
    }
  }
  counts_.hold(kTxsnpSyncStallOp, sync_waits, now);
  counts_.hold(kTxsnpStallLimit, limit_waits, now);
}

}  // namespace pmufab::scoreboard
