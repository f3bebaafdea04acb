// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/homes/reference_home_memory.h"

#include <algorithm>

#include <fmt/format.h>

#include "testbench/fabrics/cmn/judge/chi.h"
#include "testbench/fabrics/cmn/judge/homes/home_events.h"
#include "testbench/fabrics/cmn/judge/homes/reference_home.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;

namespace {

constexpr std::uint16_t kFirstWriteEntry = 0x400;
constexpr std::uint16_t kLastWriteEntry = 0x7ff;

}  // namespace

void ReferenceHomeMemory::read(unsigned entry, std::uint64_t address, const FlitFields& cause) {
  Request request;
  request.opcode = chi::req::kReadNoSnp;
  request.address = address;
  request.is_read = true;
  request.qos_class = qos_class(cause);
  request.txnid = static_cast<std::uint16_t>(entry);
  add(request);
}

void ReferenceHomeMemory::write(std::uint8_t opcode, std::uint64_t address, bool two_flits, const FlitFields* cause) {
  Request request;
  request.opcode = opcode;
  request.address = address;
  request.two_flits = two_flits;
  if (cause != nullptr) request.qos_class = qos_class(*cause);
  add(request);
}

void ReferenceHomeMemory::add(Request request) {
  request.serial = ++serials_;
  post(*requests_.push_back(request), true);
}

ReferenceHomeMemory::Requests::iterator ReferenceHomeMemory::with_serial(std::uint64_t serial) {
  return std::find_if(requests_.begin(), requests_.end(),
                      [serial](const Request& request) { return request.serial == serial; });
}

void ReferenceHomeMemory::post(const Request& request, bool allow_retry) {
  const bool remote = (request.address & kOtherMesh) != 0;
  NodeCounts& counts = home_.counts_;
  const unsigned code = request.qos_class.value_or(0);
  if (home_.is_hn_s()) {
    constexpr NodeCounts::Codes kSn = 0b11;
    constexpr NodeCounts::Codes kHome = 0b101;
    counts.fire(remote ? home_event("mc_reqs_remote") : home_event("mc_reqs_local"), remote ? kHome : kSn);
    counts.fire(remote ? home_event("class_mc_reqs_remote") : home_event("class_mc_reqs_local"), 1U << code);
  } else {
    counts.fire(home_event("mc_reqs_local"));
    counts.fire(home_event("class_mc_reqs_local"), 1U << code);
  }
  ReferenceHome::Message message{Channel::req, request.opcode};
  message.target = request.target;
  message.txnid = request.txnid;
  message.address = request.address;
  message.allowretry = static_cast<std::uint8_t>(allow_retry ? 1 : 0);
  home_.expect(message, [this, serial = request.serial](Cycle /*now*/, const FlitFields& flit) {
    if (!home_.around().addresses().is_memory_of(home_.node().node_id, flit.addr, flit.tgtid))
      home_.fail("node_wrong_memory", "another memory node serves the address of " + describe_flit(Channel::req, flit));
    const Requests::iterator sent = with_serial(serial);
    if (sent == requests_.end()) return;  // its answer came before it left
    if (!sent->is_read && (flit.txnid < kFirstWriteEntry || flit.txnid > kLastWriteEntry))
      home_.fail("node_message_unexpected", "it has no such TxnID for writes: " + describe_flit(Channel::req, flit));
    sent->txnid = flit.txnid;
    sent->target = flit.tgtid;
  });
}

bool ReferenceHomeMemory::response(const FlitFields& flit) {
  if (flit.opcode == chi::rsp::kPCrdGrant) {
    ++grants_[flit.srcid];
    resend(flit.srcid);
    return true;
  }
  const auto found = std::find_if(requests_.begin(), requests_.end(), [&](const Request& request) {
    return request.txnid == flit.txnid && request.target == flit.srcid;
  });
  if (found == requests_.end()) return false;
  if (flit.opcode == chi::rsp::kRetryAck) {
    const bool remote = (found->address & kOtherMesh) != 0;
    constexpr NodeCounts::Codes kSn = 0b11;
    constexpr NodeCounts::Codes kHome = 0b101;
    if (home_.is_hn_s()) {
      home_.counts_.fire(remote ? home_event("mc_retries_remote") : home_event("mc_retries_local"),
                         remote ? kHome : kSn);
    } else {
      home_.counts_.fire(home_event("mc_retries_local"));
    }
    retried_[flit.srcid].push_back(found->serial);
    resend(flit.srcid);
    return true;
  }
  if (found->is_read || flit.opcode != chi::rsp::kCompDbidResp) return false;
  ReferenceHome::Message data{Channel::dat, chi::dat::kNonCopyBackWrData};
  data.target = flit.srcid;
  data.txnid = flit.dbid;
  home_.expect_data(data, found->two_flits);
  requests_.erase(found);
  return true;
}

void ReferenceHomeMemory::read_answered(unsigned entry) {
  const auto found = std::find_if(requests_.begin(), requests_.end(),
                                  [&](const Request& request) { return request.is_read && request.txnid == entry; });
  if (found != requests_.end()) requests_.erase(found);
}

void ReferenceHomeMemory::resend(std::uint16_t target) {
  if (grants_[target] == 0 || retried_[target].empty()) return;
  --grants_[target];
  const Requests::iterator request = with_serial(retried_[target].front());
  retried_[target].pop_front();
  if (request != requests_.end()) post(*request, false);
}

}  // namespace pmufab::scoreboard
