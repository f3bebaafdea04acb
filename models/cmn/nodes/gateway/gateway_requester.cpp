// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/gateway/gateway_requester.h"

#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "models/cmn/description/event_rows.h"
#include "models/cmn/nodes/system_address_map.h"
#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

namespace {

consteval unsigned ccra_event(std::string_view event) { return event_id(NodeType::ccra, event); }
// Event numbers of a CCRA; those of a CXRA are 0x40 lower.
constexpr unsigned kRhtOccupancy = ccra_event("rht_occ");
constexpr unsigned kRaRdbOccupancy = ccra_event("rdb_occ");
constexpr unsigned kRaWdbOccupancy = ccra_event("wdb_occ");
constexpr unsigned kReqChains = ccra_event("req_chains");
constexpr unsigned kReqChainAverageLength = ccra_event("req_chain_avglen");
constexpr unsigned kReqCreditStallsLink0 = ccra_event("cxreq_pcrd_stalls_link0");
constexpr unsigned kDatCreditStallsLink0 = ccra_event("cxdat_pcrd_stalls_link0");
constexpr unsigned kExternalRspStalls = ccra_event("external_chirsp_stalls");
constexpr unsigned kExternalDatStalls = ccra_event("external_chidat_stalls");
constexpr unsigned kRhtAllocation = ccra_event("rht_alloc");
constexpr unsigned kRaRdbAllocation = ccra_event("rdb_alloc");
constexpr unsigned kRaWdbAllocation = ccra_event("wdb_alloc");

constexpr unsigned kCxraOffset = 0x40;
constexpr unsigned kChainAverage = 256;

bool is_gateway_read(std::uint8_t opcode) { return opcode == chi::req::kReadNoSnp || opcode == chi::req::kReadOnce; }
bool is_write(std::uint8_t opcode) {
  return opcode == chi::req::kWriteNoSnpFull || opcode == chi::req::kWriteNoSnpPtl ||
         opcode == chi::req::kWriteUniqueFull || opcode == chi::req::kWriteUniquePtl;
}

}  // namespace

GatewayRequester::GatewayRequester(GatewayPort& port, LinkEnd& link, const LinkParameters& parameters)
    : port_(port),
      link_(link),
      id_offset_(port.sources().is_ccg ? 0 : kCxraOffset),
      numbers_(parameters.rht_entries),
      entries_(parameters.rht_entries),
      req_credits_(parameters.reqtrk_entries),
      dat_credits_(parameters.write_buffers) {
  const auto ra = port_.sources().ra;
  port_.add_occupancy(ra, kRhtOccupancy - id_offset_, rht_);
  port_.add_occupancy(ra, kRaRdbOccupancy - id_offset_, rdb_);
  port_.add_occupancy(ra, kRaWdbOccupancy - id_offset_, wdb_);
  port_.add_cycles(ra, kReqCreditStallsLink0 - id_offset_, lacks_req_credit_);
  port_.add_cycles(ra, kDatCreditStallsLink0 - id_offset_, lacks_dat_credit_);
  port_.count_holds(Channel::rsp, ra, kExternalRspStalls - id_offset_);
  port_.count_holds(Channel::dat, ra, kExternalDatStalls - id_offset_);
}

bool GatewayRequester::find_room(const FlitFields& fields, Cycle now) {
  if (room_.accept(fields.srcid, fields.allowretry != 0, numbers_.free())) return true;
  room_.remember(fields.srcid);
  FlitFields retry;
  retry.tgtid = fields.srcid;
  retry.txnid = fields.txnid;
  retry.opcode = chi::rsp::kRetryAck;
  retry.qos = fields.qos;
  port_.post(Channel::rsp, retry, now);
  return false;
}

void GatewayRequester::request(const FlitFields& fields, Cycle now) {
  const bool write = is_write(fields.opcode);
  if ((!write && !is_gateway_read(fields.opcode)) || !SystemAddressMap::is_remote(fields.addr))
    throw std::logic_error(fmt::format("gateway {:#x}: request of {:#x} with opcode {:#x} for address {:#x}",
                                       port_.node_id(), fields.srcid, fields.opcode, fields.addr));
  if (find_room(fields, now)) accept(fields, write, now);
}

void GatewayRequester::accept(const FlitFields& fields, bool is_write, Cycle now) {
  const unsigned number = numbers_.allocate();
  rht_.change(1, 1, now);
  fire_allocation(kRhtAllocation, now);
  Entry& entry = entries_[number];
  entry.request = fields;
  entry.is_write = is_write;
  if (!is_write) {
    waiting_.push(static_cast<std::uint16_t>(number));
    return;
  }
  wdb_.change(1, 1, now);
  fire_allocation(kRaWdbAllocation, now);
  entry.data_flits = static_cast<std::uint8_t>(chi::data_flits(fields.size));
  FlitFields response;
  response.tgtid = fields.srcid;
  response.txnid = fields.txnid;
  response.dbid = static_cast<std::uint16_t>(number);
  response.opcode = chi::rsp::kCompDbidResp;
  response.qos = fields.qos;
  port_.post(Channel::rsp, response, now);
}

void GatewayRequester::write_data(const FlitFields& fields, Cycle /*now*/) {
  Entry& entry = entries_.at(fields.txnid);
  if (--entry.data_flits == 0) waiting_.push(fields.txnid);
}

void GatewayRequester::hand_over(Cycle now) {
  bool no_req = false;
  bool no_dat = false;
  while (!waiting_.empty()) {
    const std::uint16_t number = waiting_.front();
    const Entry& entry = entries_[number];
    no_req = req_credits_ == 0;
    no_dat = entry.is_write && dat_credits_ == 0;
    if (no_req || no_dat) break;
    waiting_.pop();
    --req_credits_;
    if (entry.is_write) --dat_credits_;
    continue_chain(entry.request, now);
    LinkMessage message;
    message.kind = entry.is_write ? LinkMessage::Kind::write : LinkMessage::Kind::read;
    message.request = entry.request;
    message.request.addr &= ~SystemAddressMap::kRemote;
    message.ra_entry = number;
    if (entry.is_write) message.data_bytes = static_cast<std::uint8_t>(32 * chi::data_flits(entry.request.size));
    link_.hand_over(message, now);
  }
  lacks_req_credit_.set(no_req, now);
  lacks_dat_credit_.set(no_dat, now);
}

void GatewayRequester::continue_chain(const FlitFields& request, Cycle now) {
  const std::uint64_t line = chi::line_of(request.addr);
  const bool follows =
      chain_.length > 0 && request.opcode == chain_.opcode && request.srcid == chain_.source && line == chain_.line + 1;
  chain_ = {line, follows ? chain_.length + 1 : 1, request.srcid, request.opcode};
  if (!follows) return;
  if (chain_.length == 2) fire(kReqChains, now);
  chain_lengths_ += chain_.length == 2 ? 2 : 1;
  if (chain_lengths_ < kChainAverage) return;
  chain_lengths_ -= kChainAverage;
  fire(kReqChainAverageLength, now);
}

void GatewayRequester::left(const LinkMessage& message, Cycle now) {
  if (message.kind == LinkMessage::Kind::write) wdb_.change(1, -1, now);
}

void GatewayRequester::answer(const LinkMessage& message, Cycle now) {
  ++req_credits_;
  if (message.kind == LinkMessage::Kind::write_answer) {
    ++dat_credits_;
    free_entry(message.ra_entry, now);
    return;
  }
  rdb_.change(1, 1, now);
  fire_allocation(kRaRdbAllocation, now);
  const FlitFields& request = entries_[message.ra_entry].request;
  FlitFields data;
  data.tgtid = request.srcid;
  data.txnid = request.txnid;
  data.homenid = port_.node_id();
  data.dbid = message.ra_entry;
  data.opcode = chi::dat::kCompData;
  data.qos = request.qos;
  const bool two = message.data_bytes > 32;
  port_.post(Channel::dat, data, now, !two);
  if (!two) return;
  data.dataid = 2;
  port_.post(Channel::dat, data, now, true);
}

void GatewayRequester::data_sent(const FlitFields& fields, Cycle now) {
  rdb_.change(1, -1, now);
  if (entries_[fields.dbid].request.expcompack == 0) free_entry(fields.dbid, now);
}

void GatewayRequester::comp_ack(const FlitFields& fields, Cycle now) { free_entry(fields.txnid, now); }

void GatewayRequester::free_entry(unsigned entry, Cycle now) {
  numbers_.release(entry);
  rht_.change(1, -1, now);
  std::uint16_t sender = 0;
  if (!room_.grant(numbers_.free(), sender)) return;
  FlitFields grant;
  grant.tgtid = sender;
  grant.opcode = chi::rsp::kPCrdGrant;
  port_.post(Channel::rsp, grant, now);
}

}  // namespace pmufab::cmn
