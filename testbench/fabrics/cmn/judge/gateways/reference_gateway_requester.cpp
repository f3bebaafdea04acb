// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/gateways/reference_gateway_requester.h"

#include <algorithm>

#include "testbench/fabrics/cmn/judge/chi.h"
#include "testbench/fabrics/cmn/judge/gateways/reference_gateway.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
using Kind = ReferenceLinkMessage::Kind;
namespace req = chi::req;

namespace {

// Event numbers of CCRA; those of CXRA are 0x40 lower.
constexpr unsigned kRhtOcc = 0x41;
constexpr unsigned kRaRdbOcc = 0x43;
constexpr unsigned kRaWdbOcc = 0x44;
constexpr unsigned kReqChains = 0x47;
constexpr unsigned kReqChainAvglen = 0x48;
constexpr unsigned kCxreqPcrdStalls = 0x4b;
constexpr unsigned kCxdatPcrdStalls = 0x4e;
constexpr unsigned kExternalChirspStalls = 0x51;
constexpr unsigned kExternalChidatStalls = 0x52;
constexpr unsigned kRhtAlloc = 0x56;
constexpr unsigned kRaRdbAlloc = 0x58;
constexpr unsigned kRaWdbAlloc = 0x59;
constexpr unsigned kChainWrap = 256;  // the accumulator of lengths has 8 bits

bool is_gateway_request(std::uint8_t opcode) {
  return opcode == req::kReadNoSnp || opcode == req::kReadOnce || req::is_write_no_snp(opcode) ||
         req::is_write_unique(opcode);
}

}  // namespace

ReferenceGatewayRequester::ReferenceGatewayRequester(ReferenceGateway& gateway, const ReferenceLinkParameters& link)
    : gateway_(gateway), room_(link.rht_entries), req_credits_(link.reqtrk_entries), dat_credits_(link.write_buffers) {}

bool ReferenceGatewayRequester::arrive(Cycle now, Channel channel, const FlitFields& flit) {
  if (channel == Channel::req) {
    if (flit.opcode != req::kPrefetchTgt) request(now, flit);
    return true;
  }
  if (channel == Channel::dat && flit.opcode == chi::dat::kNonCopyBackWrData) {
    write_data(now, flit);
    return true;
  }
  return channel == Channel::rsp && flit.opcode == chi::rsp::kCompAck && acknowledged(now, flit);
}

void ReferenceGatewayRequester::request(Cycle now, const FlitFields& flit) {
  if (!is_gateway_request(flit.opcode)) {
    gateway_.fail("node_message_unasked", "a gateway takes no such request: " + describe_flit(Channel::req, flit));
    return;
  }
  if (!gateway_.around().addresses().is_gateway_for(flit.addr, gateway_.node().node_id))
    gateway_.fail("node_wrong_target", "another node serves the address of " + describe_flit(Channel::req, flit));
  switch (room_.admit(flit)) {
    case ReferenceRoom::Admission::retried:
      gateway_.expect_response(flit, chi::rsp::kRetryAck);
      return;
    case ReferenceRoom::Admission::unasked:
      gateway_.fail("node_message_unasked", "AllowRetry 0 without a grant: " + describe_flit(Channel::req, flit));
      return;
    case ReferenceRoom::Admission::admitted:
      break;
  }
  const auto number = static_cast<std::uint16_t>(numbers_.take());
  Entry& entry = entries_[number];
  entry.request = flit;
  entry.is_write = req::is_write(flit.opcode);
  entry.data = DataArrival(has_two_flits(flit));
  fire(kRhtAlloc);
  occupy(kRhtOcc, 1, now);
  if (!entry.is_write) {
    waiting_.push_back(number);
    return;
  }
  fire(kRaWdbAlloc);
  occupy(kRaWdbOcc, 1, now);
  gateway_.expect_response(flit, chi::rsp::kCompDbidResp, number);
}

void ReferenceGatewayRequester::write_data(Cycle /*now*/, const FlitFields& flit) {
  const auto found = entries_.find(flit.txnid);
  if (found == entries_.end() || !found->second.is_write || found->second.request.srcid != flit.srcid ||
      found->second.data.complete()) {
    gateway_.fail("node_message_unasked", "nothing waits for this message: " + describe_flit(Channel::dat, flit));
    return;
  }
  if (found->second.data.take()) waiting_.push_back(found->first);
}

bool ReferenceGatewayRequester::acknowledged(Cycle now, const FlitFields& flit) {
  const auto found = entries_.find(flit.txnid);
  if (found == entries_.end() || !found->second.answered || found->second.request.expcompack == 0) return false;
  free(now, flit.txnid);
  return true;
}

void ReferenceGatewayRequester::hand_over(Cycle now) {
  const auto lacks_req = [&] { return !waiting_.empty() && req_credits_ == 0; };
  const auto lacks_dat = [&] {
    return !waiting_.empty() && entries_.at(waiting_.front()).is_write && dat_credits_ == 0;
  };
  for (; !waiting_.empty() && !lacks_req() && !lacks_dat(); waiting_.pop_front()) {
    const Entry& entry = entries_.at(waiting_.front());
    --req_credits_;
    if (entry.is_write) --dat_credits_;
    count_chain(entry.request);
    ReferenceLinkMessage message;
    message.kind = entry.is_write ? Kind::write : Kind::read;
    message.request = entry.request;
    message.ra_entry = waiting_.front();
    gateway_.link_->hand_over(now, message);
  }
  gateway_.ra_.hold(own(kCxreqPcrdStalls), lacks_req(), now);
  gateway_.ra_.hold(own(kCxdatPcrdStalls), lacks_dat(), now);
}

void ReferenceGatewayRequester::count_chain(const FlitFields& request) {
  const bool continues = any_before_ && request.opcode == before_.opcode && request.srcid == before_.srcid &&
                         request.addr >> kLineShift == (before_.addr >> kLineShift) + 1;
  if (continues) {
    if (!in_chain_) fire(kReqChains);
    chain_lengths_ += in_chain_ ? 1 : 2;
    if (chain_lengths_ >= kChainWrap) {
      chain_lengths_ -= kChainWrap;
      fire(kReqChainAvglen);
    }
  }
  in_chain_ = continues;
  any_before_ = true;
  before_ = request;
}

void ReferenceGatewayRequester::request_left(Cycle now, const ReferenceLinkMessage& message) {
  if (message.kind == Kind::write) occupy(kRaWdbOcc, -1, now);
}

void ReferenceGatewayRequester::answer(Cycle now, const ReferenceLinkMessage& message) {
  ++req_credits_;
  if (message.kind == Kind::write_answer) {
    ++dat_credits_;
    free(now, message.ra_entry);
    return;
  }
  fire(kRaRdbAlloc);
  occupy(kRaRdbOcc, 1, now);
  ReferenceGateway::Message data{Channel::dat, chi::dat::kCompData};
  data.target = message.request.srcid;
  data.txnid = message.request.txnid;
  data.dbid = message.ra_entry;
  data.resp = chi::kI;
  gateway_.expect_data(data, has_two_flits(message.request),
                       [this, number = message.ra_entry](Cycle when, const FlitFields&) { data_sent(when, number); });
}

void ReferenceGatewayRequester::data_sent(Cycle now, std::uint16_t number) {
  occupy(kRaRdbOcc, -1, now);
  Entry& entry = entries_.at(number);
  entry.answered = true;
  if (entry.request.expcompack == 0) free(now, number);
}

void ReferenceGatewayRequester::free(Cycle now, std::uint16_t number) {
  entries_.erase(number);
  numbers_.free(number);
  occupy(kRhtOcc, -1, now);
  if (const auto sender = room_.release()) gateway_.expect_grant(*sender);
}

void ReferenceGatewayRequester::held(Channel channel) {
  fire(channel == Channel::rsp ? kExternalChirspStalls : kExternalChidatStalls);
}

void ReferenceGatewayRequester::finish() const {
  for (const auto& [number, entry] : entries_)
    gateway_.fail("node_request_unfinished", "it never completes " + describe_flit(Channel::req, entry.request));
}

unsigned ReferenceGatewayRequester::own(unsigned id) const {
  constexpr unsigned kCcgIds = 0x40;
  return gateway_.is_ccg_ ? id : id - kCcgIds;
}

void ReferenceGatewayRequester::fire(unsigned id) { gateway_.ra_.fire(own(id)); }

void ReferenceGatewayRequester::occupy(unsigned id, int entries, Cycle now) {
  gateway_.ra_.occupy(own(id), 1, entries, now);
}

}  // namespace pmufab::scoreboard
