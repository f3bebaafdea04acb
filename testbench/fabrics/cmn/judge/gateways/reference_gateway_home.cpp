// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/gateways/reference_gateway_home.h"

#include "testbench/fabrics/cmn/judge/chi.h"
#include "testbench/fabrics/cmn/judge/gateways/reference_gateway.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
using Kind = ReferenceLinkMessage::Kind;
namespace req = chi::req;

namespace {

// Event numbers of CCHA; those of CXHA are 0x40 lower.
constexpr unsigned kRddatbyp = 0x61;
constexpr unsigned kChirspUpStall = 0x62;
constexpr unsigned kChidatUpStall = 0x63;
constexpr unsigned kReqtrkOcc = 0x67;
constexpr unsigned kHaRdbOcc = 0x68;
constexpr unsigned kHaRdbypOcc = 0x69;
constexpr unsigned kHaWdbOcc = 0x6a;
constexpr unsigned kReqtrkAlloc = 0x6e;
constexpr unsigned kHaRdbAlloc = 0x6f;
constexpr unsigned kHaRdbypAlloc = 0x70;
constexpr unsigned kHaWdbAlloc = 0x71;
constexpr unsigned kCcg = 0x40;

// Events of RN-I.
constexpr unsigned kRniRxdatFlits = 0x04;
constexpr unsigned kRniTxdatFlits = 0x05;
constexpr unsigned kRniTxreqFlitsTotal = 0x06;
constexpr unsigned kRniTxreqFlitsRetried = 0x07;
constexpr unsigned kRniRrtOccOvfl = 0x08;
constexpr unsigned kRniWrtOccOvfl = 0x09;
constexpr unsigned kRniRrtAlloc = 0x0f;
constexpr unsigned kRniWrtAlloc = 0x10;

std::uint8_t opcode_here(std::uint8_t opcode) {
  switch (opcode) {
    case req::kWriteNoSnpFull:
    case req::kWriteUniqueFull:
      return req::kWriteUniqueFull;
    case req::kWriteNoSnpPtl:
    case req::kWriteUniquePtl:
      return req::kWriteUniquePtl;
    default:
      return req::kReadOnce;
  }
}

/// @return true for a request of a home that acts for a local coherency node.
bool is_of_home(std::uint8_t opcode) { return opcode == req::kReadNoSnp || req::is_write_no_snp(opcode); }

}  // namespace

bool ReferenceGatewayHome::arrive(Cycle now, Channel channel, const FlitFields& flit) {
  if (channel == Channel::rsp) return response(flit);
  return channel == Channel::dat && flit.opcode == chi::dat::kCompData && read_data(now, flit);
}

void ReferenceGatewayHome::request(Cycle now, const ReferenceLinkMessage& message) {
  const auto number = static_cast<std::uint16_t>(numbers_.take());
  Entry& entry = entries_[number];
  entry.message = message;
  entry.message.ha_entry = number;
  entry.is_write = message.kind == Kind::write;
  entry.data = DataArrival(has_two_flits(message.request));
  fire(kReqtrkAlloc);
  occupy(kReqtrkOcc, 1, now);
  gateway_.rni_.fire(entry.is_write ? kRniWrtAlloc : kRniRrtAlloc);
  gateway_.rni_.occupy(entry.is_write ? kRniWrtOccOvfl : kRniRrtOccOvfl, 1, 1, now);
  if (entry.is_write) {
    fire(kHaWdbAlloc);
    occupy(kHaWdbOcc, 1, now);
  }
  post(number, true);
}

void ReferenceGatewayHome::post(std::uint16_t number, bool allow_retry) {
  const Entry& entry = entries_.at(number);
  ReferenceGateway::Message message{Channel::req, opcode_here(entry.message.request.opcode)};
  message.txnid = number;
  message.address = entry.message.request.addr & ~kOtherMesh;
  message.allowretry = static_cast<std::uint8_t>(allow_retry ? 1 : 0);
  message.pcrdtype = std::uint8_t{0};
  if (!allow_retry) message.target = entry.home;
  gateway_.expect(message, [this, number](Cycle, const FlitFields& flit) {
    Entry& sent = entries_.at(number);
    sent.home = flit.tgtid;
    check(sent, flit);
  });
}

void ReferenceGatewayHome::check(const Entry& entry, const FlitFields& flit) const {
  const FlitFields& asked = entry.message.request;
  if (!gateway_.around().addresses().is_home_of(flit.tgtid, flit.addr))
    gateway_.fail("node_wrong_home", "another home serves the address of " + describe_flit(Channel::req, flit));
  const std::uint8_t lpid = is_of_home(asked.opcode) ? 1 : 0;
  if (flit.qos != asked.qos || flit.size != asked.size || flit.ns != asked.ns || flit.memattr != asked.memattr ||
      flit.lpid != lpid || flit.expcompack != 0)
    gateway_.fail("node_message_unexpected",
                  "QoS, Size, NS, MemAttr, LPID or ExpCompAck differs: " + describe_flit(Channel::req, flit));
}

bool ReferenceGatewayHome::response(const FlitFields& flit) {
  if (flit.opcode == chi::rsp::kPCrdGrant) {
    ++grants_[flit.srcid];
    send_again(flit.srcid);
    return true;
  }
  const auto found = entries_.find(flit.txnid);
  if (found == entries_.end() || found->second.home != flit.srcid || found->second.may_send) return false;
  Entry& entry = found->second;
  if (flit.opcode == chi::rsp::kRetryAck) {
    retried_[flit.srcid].push_back(flit.txnid);
    send_again(flit.srcid);
    return true;
  }
  if (flit.opcode != chi::rsp::kCompDbidResp || !entry.is_write) return false;
  entry.may_send = true;
  ReferenceGateway::Message data{Channel::dat, chi::dat::kNonCopyBackWrData};
  data.target = flit.srcid;
  data.txnid = flit.dbid;
  gateway_.expect_data(data, has_two_flits(entry.message.request),
                       [this, number = flit.txnid](Cycle now, const FlitFields&) { data_sent(now, number); });
  return true;
}

void ReferenceGatewayHome::send_again(std::uint16_t home) {
  if (grants_[home] == 0 || retried_[home].empty()) return;
  --grants_[home];
  const std::uint16_t number = retried_[home].front();
  retried_[home].pop_front();
  post(number, false);
}

void ReferenceGatewayHome::data_sent(Cycle now, std::uint16_t number) {
  occupy(kHaWdbOcc, -1, now);
  ReferenceLinkMessage answer = entries_.at(number).message;
  answer.kind = Kind::write_answer;
  gateway_.link_->hand_over(now, answer);
}

bool ReferenceGatewayHome::read_data(Cycle now, const FlitFields& flit) {
  const auto found = entries_.find(flit.txnid);
  if (found == entries_.end() || found->second.is_write || found->second.home != flit.srcid ||
      found->second.data.complete())
    return false;
  gateway_.rni_.fire(kRniRxdatFlits);
  if (!found->second.data.take()) return true;
  ReferenceLinkMessage answer = found->second.message;
  answer.kind = Kind::read_answer;
  answer.bypass = gateway_.link_->is_empty();
  if (answer.bypass) fire(kRddatbyp);
  fire(answer.bypass ? kHaRdbypAlloc : kHaRdbAlloc);
  occupy(answer.bypass ? kHaRdbypOcc : kHaRdbOcc, 1, now);
  gateway_.link_->hand_over(now, answer);
  return true;
}

void ReferenceGatewayHome::answer_left(Cycle now, const ReferenceLinkMessage& message) {
  const bool is_write = message.kind == Kind::write_answer;
  if (!is_write) occupy(message.bypass ? kHaRdbypOcc : kHaRdbOcc, -1, now);
  occupy(kReqtrkOcc, -1, now);
  gateway_.rni_.occupy(is_write ? kRniWrtOccOvfl : kRniRrtOccOvfl, 1, -1, now);
  entries_.erase(message.ha_entry);
  numbers_.free(message.ha_entry);
}

void ReferenceGatewayHome::sent(Channel channel, const FlitFields& flit) {
  if (channel == Channel::req) {
    gateway_.rni_.fire(kRniTxreqFlitsTotal);
    if (flit.allowretry == 0) gateway_.rni_.fire(kRniTxreqFlitsRetried);
  }
  // The other DAT flits of a gateway are its RA's.
  if (channel == Channel::dat && flit.opcode == chi::dat::kNonCopyBackWrData) gateway_.rni_.fire(kRniTxdatFlits);
}

void ReferenceGatewayHome::held(Channel channel) { fire(channel == Channel::rsp ? kChirspUpStall : kChidatUpStall); }

void ReferenceGatewayHome::finish() const {
  for (const auto& [number, entry] : entries_)
    gateway_.fail("node_request_unfinished",
                  "its request tracker never ends " + describe_flit(Channel::req, entry.message.request));
}

void ReferenceGatewayHome::fire(unsigned id) { gateway_.ha_.fire(gateway_.is_ccg_ ? id : id - kCcg); }

void ReferenceGatewayHome::occupy(unsigned id, int entries, Cycle now) {
  gateway_.ha_.occupy(gateway_.is_ccg_ ? id : id - kCcg, 1, entries, now);
}

}  // namespace pmufab::scoreboard
