// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/requester/rn_i.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include <fmt/core.h>

#include "models/cmn/description/event_rows.h"
#include "models/cmn/nodes/memory/memory_bridge.h"
#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

namespace {

consteval unsigned rn_i_event(std::string_view event) { return event_id(NodeType::rn_i, event); }
constexpr std::array<unsigned, 3> kRdataBeats{rn_i_event("s0_rdata_beats"), rn_i_event("s1_rdata_beats"),
                                              rn_i_event("s2_rdata_beats")};
constexpr unsigned kRxdatFlits = rn_i_event("rxdat_flits");
constexpr unsigned kTxdatFlits = rn_i_event("txdat_flits");
constexpr unsigned kTxreqFlitsTotal = rn_i_event("txreq_flits_total");
constexpr unsigned kTxreqFlitsRetried = rn_i_event("txreq_flits_retried");
constexpr unsigned kRrtOccOvfl = rn_i_event("rrt_occ_ovfl");
constexpr unsigned kWrtOccOvfl = rn_i_event("wrt_occ_ovfl");
constexpr unsigned kWrcancelSent = rn_i_event("wrcancel_sent");
constexpr std::array<unsigned, 3> kWdataBeats{rn_i_event("s0_wdata_beats"), rn_i_event("s1_wdata_beats"),
                                              rn_i_event("s2_wdata_beats")};
constexpr unsigned kRrtAlloc = rn_i_event("rrt_alloc");
constexpr unsigned kWrtAlloc = rn_i_event("wrt_alloc");
constexpr unsigned kRrtOccupOvflSlice0 =
    rn_i_event("rrt_occup_ovfl_slice1") - 1;  // those of slices 1 to 3 follow; slice 0 has the common event
constexpr unsigned kRrtRdReqOccupOvflSlice0 = rn_i_event("rrt_rd_req_occup_ovfl_slice0");

constexpr std::uint64_t kSecondFragment = 8;

/// @return the beats of 16 bytes on AXI for a DAT flit.
unsigned beats_of_flit(std::uint8_t size) { return size <= 4 ? 1 : 2; }

std::uint8_t opcode_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::read_once:
      return chi::req::kReadOnce;
    case OperationKind::read_no_snp:
      return chi::req::kReadNoSnp;
    case OperationKind::write_no_snp_full:
      return chi::req::kWriteNoSnpFull;
    case OperationKind::write_no_snp_ptl:
      return chi::req::kWriteNoSnpPtl;
    case OperationKind::write_unique_full:
      return chi::req::kWriteUniqueFull;
    case OperationKind::write_unique_ptl:
      return chi::req::kWriteUniquePtl;
    default:
      return 0;
  }
}

bool is_no_snp(std::uint8_t opcode) {
  return opcode == chi::req::kReadNoSnp || opcode == chi::req::kWriteNoSnpFull || opcode == chi::req::kWriteNoSnpPtl;
}

/// @return the opcode sent to another mesh instead of a request that is not snooped. There, homes take ReadNoSnp and
///         similar requests.
std::uint8_t opcode_for_other_mesh(std::uint8_t opcode) {
  switch (opcode) {
    case chi::req::kReadNoSnp:
      return chi::req::kReadOnce;
    case chi::req::kWriteNoSnpFull:
      return chi::req::kWriteUniqueFull;
    case chi::req::kWriteNoSnpPtl:
      return chi::req::kWriteUniquePtl;
    default:
      return opcode;
  }
}

bool is_io_read(std::uint8_t opcode) { return opcode == chi::req::kReadOnce || opcode == chi::req::kReadNoSnp; }

bool may_be_less(OperationKind kind) {
  return kind == OperationKind::read_no_snp || kind == OperationKind::write_no_snp_ptl ||
         kind == OperationKind::write_unique_ptl;
}

NodeType events_of(DeviceKind kind) { return kind == DeviceKind::rn_d ? NodeType::rn_d : NodeType::rn_i; }

}  // namespace

RnI::RnI(Mesh& mesh, const SystemAddressMap& addresses, const DevicePlace& place, const RnIParameters& parameters)
    : mesh_(mesh),
      addresses_(addresses),
      device_(mesh.attach(*this, place.node_id)),
      answers_dvm_(place.kind == DeviceKind::rn_d),
      parameters_(parameters),
      events_(mesh, place.node_id, events_of(place.kind)),
      reads_(parameters.rrt_entries),
      writes_(parameters.wrt_entries),
      retried_(kFirstWrite + kMaximumEntries),
      transactions_(kFirstWrite + kMaximumEntries) {
  if (parameters.rrt_entries == 0 || parameters.rrt_entries > kMaximumEntries || parameters.wrt_entries == 0 ||
      parameters.wrt_entries > kMaximumEntries)
    throw std::invalid_argument(fmt::format("rrt_entries, wrt_entries: a tracker has 1 to {}", kMaximumEntries));
  add_occupancies(mesh.topology().product);
}

void RnI::add_occupancies(Product product) {
  events_.add_occupancy(kWrtOccOvfl, wrt_);
  if (product == Product::cmn600) {
    events_.add_occupancy(kRrtOccOvfl, rrt_);
    return;
  }
  events_.add_occupancy(kRrtOccOvfl, rrt_slices_[0]);
  for (unsigned slice = 1; slice < 4; ++slice) events_.add_occupancy(kRrtOccupOvflSlice0 + slice, rrt_slices_[slice]);
  if (product != Product::cmn700) return;
  for (unsigned slice = 0; slice < 4; ++slice)
    events_.add_occupancy(kRrtRdReqOccupOvflSlice0 + slice, rrt_slices_[slice]);
}

bool RnI::can(OperationKind kind) const noexcept { return opcode_of(kind) != 0; }

void RnI::run(Cycle now) {
  while (const Arrival* const arrival = mesh_.arrival(device_)) {
    switch (channel_class(arrival->channel)) {
      case Channel::rsp:
        respond(arrival->fields, now);
        break;
      case Channel::dat:
        receive(arrival->fields, now);
        break;
      case Channel::snp:
        if (!answers_dvm_ || arrival->fields.opcode != chi::snp::kSnpDvmOp) refuse_message("an RN-I", *arrival);
        snooped(arrival->fields, now);
        break;
      default:
        refuse_message("an RN-I", *arrival);
    }
    mesh_.take(device_);
  }
  begin(now);
}

void RnI::begin(Cycle now) {
  if (source_ == nullptr) return;
  Operation operation;
  // The kind of the next operation is not known, so there must be room for either.
  while (reads_.free() != 0 && writes_.free() != 0) {
    told_of_full_ = false;
    if (!source_->next(now, operation)) {
      if (const Cycle when = source_->ready(now + 1); when != kNoCycle) mesh_.call(device_, when);
      return;
    }
    start(operation, now);
  }
  if (!told_of_full_) source_->full(now);
  told_of_full_ = true;
}

void RnI::start(const Operation& operation, Cycle now) {
  std::uint8_t opcode = opcode_of(operation.kind);
  if (opcode == 0) throw std::logic_error("an RN-I was given an operation it cannot do");
  const bool is_io = SystemAddressMap::region_of(operation.address) == Region::io;
  if (is_io && !is_no_snp(opcode)) throw std::logic_error("an RN-I was given a snooped operation of an I/O address");
  if (SystemAddressMap::is_remote(operation.address)) opcode = opcode_for_other_mesh(opcode);
  const unsigned txnid = is_io_read(opcode) ? reads_.allocate() : kFirstWrite + writes_.allocate();
  Transaction& transaction = transactions_[txnid];
  transaction = {};
  transaction.operation = operation;
  transaction.began = now;
  FlitFields& request = transaction.request;
  request.opcode = opcode;
  request.addr = operation.address;
  request.tgtid = is_io ? addresses_.io_node(operation.address) : addresses_.target_of(operation.address, false);
  request.txnid = static_cast<std::uint16_t>(txnid);
  request.size = may_be_less(operation.kind) ? operation.size : chi::kSizeOfLine;
  request.qos = operation.qos;
  request.lpid = operation.lpid;
  request.ns = 1;
  request.allowretry = 1;
  if (is_io) {
    request.memattr = chi::memattr::kDevice | chi::memattr::kEarlyWriteAck;
    request.order = is_io_read(opcode) ? 0 : 2;
  } else {
    request.memattr = static_cast<std::uint8_t>(chi::memattr::kCacheable | chi::memattr::kEarlyWriteAck |
                                                (operation.allocate ? chi::memattr::kAllocate : 0));
    request.snpattr = 1;
  }
  mesh_.post(device_, Channel::req, request, now + parameters_.latency, true);
}

RnI::Transaction& RnI::at(unsigned txnid) {
  if (txnid >= transactions_.size() || transactions_[txnid].request.opcode == 0)
    throw std::logic_error(fmt::format("an answer has TxnID {:#x}, which the RN-I does not use", txnid));
  return transactions_[txnid];
}

void RnI::respond(const FlitFields& fields, Cycle now) {
  switch (fields.opcode) {
    case chi::rsp::kRetryAck:
      at(fields.txnid).request.pcrdtype = fields.pcrdtype;
      send_again(retried_.retry(fields.srcid, fields.pcrdtype, fields.txnid), now);
      return;
    case chi::rsp::kPCrdGrant:
      send_again(retried_.grant(fields.srcid, fields.pcrdtype), now);
      return;
    case chi::rsp::kReadReceipt:
      return;
    default:
      break;
  }
  Transaction& transaction = at(fields.txnid);
  if (fields.txnid < kFirstWrite) refuse_message("an RN-I", {Channel::rsp, fields});
  if (fields.opcode == chi::rsp::kCompDbidResp || fields.opcode == chi::rsp::kComp) transaction.has_comp = true;
  if (fields.opcode == chi::rsp::kCompDbidResp || fields.opcode == chi::rsp::kDbidResp) {
    transaction.dbid = fields.dbid;
    transaction.has_dbid = true;
    send_data(fields.txnid, now);
  }
  finish_write(fields.txnid, now);
}

void RnI::send_again(unsigned number, Cycle now) {
  const bool lacks = retried_.waiting() != 0;
  lacks_credit_.set(lacks, now);
  mesh_.waits_for_other(device_, lacks);
  if (number == RetriedRequests::kNone) return;
  FlitFields& request = transactions_[number].request;
  request.allowretry = 0;
  mesh_.post(device_, Channel::req, request, now + parameters_.latency, true);
}

void RnI::send_data(unsigned txnid, Cycle now) {
  const Transaction& transaction = transactions_[txnid];
  FlitFields fields;
  // Homes do not take WriteDataCancel.
  const bool cancel = transaction.operation.cancel && transaction.request.opcode == chi::req::kWriteNoSnpPtl &&
                      SystemAddressMap::region_of(transaction.request.addr) == Region::io;
  fields.opcode = cancel ? chi::dat::kWriteDataCancel : chi::dat::kNonCopyBackWrData;
  fields.tgtid = transaction.request.tgtid;
  fields.txnid = transaction.dbid;
  fields.qos = transaction.request.qos;
  for (unsigned flit = 0; flit < chi::data_flits(transaction.request.size); ++flit) {
    fields.dataid = static_cast<std::uint8_t>(2 * flit);
    mesh_.post(device_, Channel::dat, fields, now + parameters_.latency, true);
  }
}

void RnI::receive(const FlitFields& fields, Cycle now) {
  Transaction& transaction = at(fields.txnid);
  const FlitFields& request = transaction.request;
  events_.fire(kRxdatFlits, now);
  events_.fire(kRdataBeats[request.lpid % 3], now, beats_of_flit(request.size));
  if (++transaction.flits == chi::data_flits(request.size)) finish_read(fields.txnid, now);
}

void RnI::snooped(const FlitFields& fields, Cycle now) {
  if ((fields.addr & kSecondFragment) == 0) return;
  FlitFields response;
  response.opcode = chi::rsp::kSnpResp;
  response.tgtid = fields.srcid;
  response.txnid = fields.txnid;
  response.resp = chi::resp::kI;
  response.qos = fields.qos;
  mesh_.post(device_, Channel::rsp, response, now + parameters_.latency);
}

void RnI::sent(Channel channel, const FlitFields& fields, Cycle now) {
  if (channel_class(channel) == Channel::req) {
    sent_request(fields, now);
  } else {
    sent_data(fields, now);
  }
}

void RnI::sent_request(const FlitFields& fields, Cycle now) {
  events_.fire(kTxreqFlitsTotal, now);
  if (fields.allowretry == 0) {
    events_.fire(kTxreqFlitsRetried, now);
    return;
  }
  if (is_io_read(fields.opcode)) {
    events_.fire(kRrtAlloc, now);
    rrt_.change(kAllCode, 1, now);
    rrt_slices_[fields.txnid % 4U].change(kAllCode, 1, now);
  } else {
    events_.fire(kWrtAlloc, now);
    wrt_.change(kAllCode, 1, now);
  }
}

void RnI::sent_data(const FlitFields& fields, Cycle now) {
  unsigned txnid = kFirstWrite;
  for (; txnid < kFirstWrite + parameters_.wrt_entries; ++txnid) {
    const Transaction& one = transactions_[txnid];
    // A DBID is reused only after its data has arrived.
    if (one.has_dbid && one.dbid == fields.txnid && one.request.tgtid == fields.tgtid &&
        one.flits < chi::data_flits(one.request.size))
      break;
  }
  Transaction& transaction = at(txnid);
  events_.fire(kTxdatFlits, now);
  if (fields.opcode != chi::dat::kWriteDataCancel) {
    events_.fire(kWdataBeats[transaction.request.lpid % 3], now, beats_of_flit(transaction.request.size));
  } else if (fields.dataid == 0) {
    events_.fire(kWrcancelSent, now);
  }
  ++transaction.flits;
  finish_write(txnid, now);
}

void RnI::finish_read(unsigned txnid, Cycle now) {
  Transaction& transaction = transactions_[txnid];
  rrt_.change(kAllCode, -1, now);
  rrt_slices_[txnid % 4].change(kAllCode, -1, now);
  reads_.release(txnid);
  transaction.request.opcode = 0;
  if (source_ != nullptr) source_->completed(transaction.operation, transaction.began, now);
}

void RnI::finish_write(unsigned txnid, Cycle now) {
  Transaction& transaction = transactions_[txnid];
  if (!transaction.has_comp || transaction.flits != chi::data_flits(transaction.request.size)) return;
  wrt_.change(kAllCode, -1, now);
  writes_.release(txnid - kFirstWrite);
  transaction.request.opcode = 0;
  transaction.has_dbid = false;
  if (source_ == nullptr) return;
  source_->completed(transaction.operation, transaction.began, now);
  mesh_.call(device_, now + 1);
}

}  // namespace pmufab::cmn
