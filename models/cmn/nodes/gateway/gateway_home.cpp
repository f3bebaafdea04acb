// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/gateway/gateway_home.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "models/cmn/description/event_rows.h"
#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

namespace {

consteval unsigned ccha_event(std::string_view event) { return event_id(NodeType::ccha, event); }
// Event numbers of a CCHA; those of a CXHA are 0x40 lower.
constexpr unsigned kReadDataBypass = ccha_event("rddatbyp");
constexpr unsigned kRspUpStall = ccha_event("chirsp_up_stall");
constexpr unsigned kDatUpStall = ccha_event("chidat_up_stall");
constexpr unsigned kRequestTrackerOccupancy = ccha_event("reqtrk_occ");
constexpr unsigned kHaRdbOccupancy = ccha_event("rdb_occ");
constexpr unsigned kHaRdbypOccupancy = ccha_event("rdbyp_occ");
constexpr unsigned kHaWdbOccupancy = ccha_event("wdb_occ");
constexpr unsigned kRequestTrackerAllocation = ccha_event("reqtrk_alloc");
constexpr unsigned kHaRdbAllocation = ccha_event("rdb_alloc");
constexpr unsigned kHaRdbypAllocation = ccha_event("rdbyp_alloc");
constexpr unsigned kHaWdbAllocation = ccha_event("wdb_alloc");
constexpr unsigned kCxhaOffset = 0x40;

// Events of the RN-I half of a CCLA_RNI.
constexpr unsigned kRxDatFlits = event_id(NodeType::rn_i, "rxdat_flits");
constexpr unsigned kTxDatFlits = event_id(NodeType::rn_i, "txdat_flits");
constexpr unsigned kTxReqFlitsTotal = event_id(NodeType::rn_i, "txreq_flits_total");
constexpr unsigned kTxReqFlitsRetried = event_id(NodeType::rn_i, "txreq_flits_retried");
constexpr unsigned kRrtOccupancy = event_id(NodeType::rn_i, "rrt_occ_ovfl");
constexpr unsigned kWrtOccupancy = event_id(NodeType::rn_i, "wrt_occ_ovfl");
constexpr unsigned kRrtAllocation = event_id(NodeType::rn_i, "rrt_alloc");
constexpr unsigned kWrtAllocation = event_id(NodeType::rn_i, "wrt_alloc");

std::uint8_t opcode_at_home(std::uint8_t opcode) {
  switch (opcode) {
    case chi::req::kWriteNoSnpFull:
    case chi::req::kWriteUniqueFull:
      return chi::req::kWriteUniqueFull;
    case chi::req::kWriteNoSnpPtl:
    case chi::req::kWriteUniquePtl:
      return chi::req::kWriteUniquePtl;
    default:
      return chi::req::kReadOnce;
  }
}

bool is_of_local_coherency_node(std::uint8_t opcode) {
  return opcode == chi::req::kReadNoSnp || opcode == chi::req::kWriteNoSnpFull || opcode == chi::req::kWriteNoSnpPtl;
}

}  // namespace

GatewayHome::GatewayHome(GatewayPort& port, LinkEnd& link, const LinkParameters& parameters,
                         std::vector<std::uint16_t> homes)
    : port_(port),
      link_(link),
      id_offset_(port.sources().is_ccg ? 0 : kCxhaOffset),
      homes_(std::move(homes)),
      numbers_(parameters.reqtrk_entries),
      entries_(parameters.reqtrk_entries),
      retried_(parameters.reqtrk_entries) {
  if (homes_.empty()) throw std::invalid_argument("a mesh with a gateway that is linked needs a home: HN-F or HN-S");
  const GatewayPort::Sources& sources = port_.sources();
  port_.add_occupancy(sources.ha, kRequestTrackerOccupancy - id_offset_, reqtrk_);
  port_.add_occupancy(sources.ha, kHaRdbOccupancy - id_offset_, rdb_);
  port_.add_occupancy(sources.ha, kHaRdbypOccupancy - id_offset_, rdbyp_);
  port_.add_occupancy(sources.ha, kHaWdbOccupancy - id_offset_, wdb_);
  port_.add_occupancy(sources.rni, kRrtOccupancy, reads_);
  port_.add_occupancy(sources.rni, kWrtOccupancy, writes_);
  port_.count_holds(Channel::rsp, sources.ha, kRspUpStall - id_offset_);
  port_.count_holds(Channel::dat, sources.ha, kDatUpStall - id_offset_);
}

void GatewayHome::request(const LinkMessage& message, Cycle now) {
  const unsigned number = numbers_.allocate();
  Entry& entry = entries_[number];
  entry = {};
  entry.ra_entry = message.ra_entry;
  entry.is_write = message.kind == LinkMessage::Kind::write;
  entry.data_flits = static_cast<std::uint8_t>(chi::data_flits(message.request.size));
  reqtrk_.change(1, 1, now);
  fire_allocation(kRequestTrackerAllocation, now);
  (entry.is_write ? writes_ : reads_).change(1, 1, now);
  port_.fire(port_.sources().rni, entry.is_write ? kWrtAllocation : kRrtAllocation, now);
  if (entry.is_write) {
    wdb_.change(1, 1, now);
    fire_allocation(kHaWdbAllocation, now);
  }
  FlitFields& request = entry.request;
  request.addr = message.request.addr;
  request.tgtid = homes_[chi::line_of(request.addr) % homes_.size()];
  request.txnid = static_cast<std::uint16_t>(number);
  request.opcode = opcode_at_home(message.request.opcode);
  request.qos = message.request.qos;
  request.size = message.request.size;
  request.ns = message.request.ns;
  request.memattr = message.request.memattr;
  request.lpid = is_of_local_coherency_node(message.request.opcode) ? 1 : 0;
  request.snpattr = 1;
  request.allowretry = 1;
  port_.post(Channel::req, request, now, true);
}

void GatewayHome::comp_data(const FlitFields& fields, Cycle now) {
  port_.fire(port_.sources().rni, kRxDatFlits, now);
  Entry& entry = entries_.at(fields.txnid);
  if (--entry.data_flits > 0) return;
  const bool bypass = link_.empty();
  if (bypass) fire(kReadDataBypass, now);
  (bypass ? rdbyp_ : rdb_).change(1, 1, now);
  fire_allocation(bypass ? kHaRdbypAllocation : kHaRdbAllocation, now);
  answer(fields.txnid, bypass, now);
}

void GatewayHome::answer(unsigned entry, bool bypass, Cycle now) {
  const Entry& tracked = entries_[entry];
  LinkMessage message;
  message.kind = tracked.is_write ? LinkMessage::Kind::write_answer : LinkMessage::Kind::read_answer;
  message.ra_entry = tracked.ra_entry;
  message.ha_entry = static_cast<std::uint16_t>(entry);
  message.bypass = bypass;
  if (!tracked.is_write) message.data_bytes = static_cast<std::uint8_t>(32 * chi::data_flits(tracked.request.size));
  link_.hand_over(message, now);
}

void GatewayHome::response(const FlitFields& fields, Cycle now) {
  switch (fields.opcode) {
    case chi::rsp::kRetryAck:
      send_again(retried_.retry(fields.srcid, fields.pcrdtype, fields.txnid), now);
      return;
    case chi::rsp::kPCrdGrant:
      send_again(retried_.grant(fields.srcid, fields.pcrdtype), now);
      return;
    case chi::rsp::kCompDbidResp:
      break;
    default:
      throw std::logic_error(fmt::format("gateway {:#x}: response of {:#x} with opcode {:#x}", port_.node_id(),
                                         fields.srcid, fields.opcode));
  }
  Entry& entry = entries_.at(fields.txnid);
  entry.dbid = fields.dbid;
  entry.writing = true;
  FlitFields data;
  data.tgtid = fields.srcid;
  data.txnid = fields.dbid;
  data.opcode = chi::dat::kNonCopyBackWrData;
  data.qos = entry.request.qos;
  port_.post(Channel::dat, data, now, true);
  if (entry.data_flits == 1) return;
  data.dataid = 2;
  port_.post(Channel::dat, data, now, true);
}

void GatewayHome::send_again(unsigned entry, Cycle now) {
  if (entry == RetriedRequests::kNone) return;
  FlitFields& request = entries_.at(entry).request;
  request.allowretry = 0;
  port_.post(Channel::req, request, now, true);
}

void GatewayHome::sent(Channel channel, const FlitFields& fields, Cycle now) {
  if (channel_class(channel) == Channel::req) {
    port_.fire(port_.sources().rni, kTxReqFlitsTotal, now);
    if (fields.allowretry == 0) port_.fire(port_.sources().rni, kTxReqFlitsRetried, now);
    return;
  }
  port_.fire(port_.sources().rni, kTxDatFlits, now);
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& one) {
    return one.writing && one.request.tgtid == fields.tgtid && one.dbid == fields.txnid;
  });
  if (entry == entries_.end()) throw std::logic_error("gateway: write data that belongs to no request was sent");
  if (--entry->data_flits > 0) return;
  entry->writing = false;
  wdb_.change(1, -1, now);
  answer(static_cast<unsigned>(entry - entries_.begin()), false, now);
}

void GatewayHome::left(const LinkMessage& message, Cycle now) {
  if (message.kind == LinkMessage::Kind::read_answer) (message.bypass ? rdbyp_ : rdb_).change(1, -1, now);
  (message.kind == LinkMessage::Kind::write_answer ? writes_ : reads_).change(1, -1, now);
  numbers_.release(message.ha_entry);
  reqtrk_.change(1, -1, now);
}

}  // namespace pmufab::cmn
