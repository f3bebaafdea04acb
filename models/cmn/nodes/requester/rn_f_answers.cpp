// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include <fmt/format.h>

#include "models/cmn/nodes/requester/rn_f.h"
#include "models/cmn/nodes/requester/rn_f_rules.h"

// How an RN-F handles the answers to its requests.
namespace pmufab::cmn {

namespace {

bool is_copy_back(std::uint8_t opcode) {
  return opcode == chi::req::kWriteBackFull || opcode == chi::req::kWriteCleanFull ||
         opcode == chi::req::kWriteEvictFull;
}

std::uint8_t resp_of(LineState state) {
  switch (state) {
    case LineState::invalid:
      return chi::resp::kI;
    case LineState::shared_clean:
      return chi::resp::kSc;
    case LineState::unique_clean:
      return chi::resp::kUc;
    case LineState::unique_dirty:
      return chi::resp::kUdPd;
  }
  return chi::resp::kI;
}

LineState state_of_resp(std::uint8_t resp) {
  switch (resp) {
    case chi::resp::kSc:
      return LineState::shared_clean;
    case chi::resp::kUc:
      return LineState::unique_clean;
    case chi::resp::kUdPd:
      return LineState::unique_dirty;
    default:
      return LineState::invalid;
  }
}

}  // namespace

void RnF::response(const FlitFields& fields, Cycle now) {
  namespace rsp = chi::rsp;
  if (fields.opcode == rsp::kPCrdGrant) {
    send_again(retried_.grant(fields.srcid, fields.pcrdtype), now);
    return;
  }
  const unsigned number = fields.txnid;
  if (number >= entries_in_use_) throw std::logic_error(fmt::format("RN-F {:#x}: a response to nothing", node_id_));
  switch (fields.opcode) {
    case rsp::kRetryAck:
      ++retries_;
      entries_[number].pcrdtype = fields.pcrdtype;
      send_again(retried_.retry(fields.srcid, fields.pcrdtype, number), now);
      break;
    case rsp::kComp:
      comp(number, fields, now);
      break;
    case rsp::kDbidResp:
      write_data(number, fields, now);
      break;
    case rsp::kCompDbidResp:
      entries_[number].comp = true;
      write_data(number, fields, now);
      break;
    case rsp::kReadReceipt:
      break;
    default:
      throw std::logic_error(fmt::format("RN-F {:#x}: no use for response {:#x}", node_id_, fields.opcode));
  }
}

void RnF::write_data(unsigned number, const FlitFields& fields, Cycle now) {
  Entry& entry = entries_[number];
  FlitFields data;
  data.tgtid = fields.srcid;
  data.txnid = fields.dbid;
  data.qos = entry.operation.qos;
  data.opcode = chi::dat::kNonCopyBackWrData;
  if (is_copy_back(entry.opcode)) {
    data.opcode = chi::dat::kCopyBackWrData;
    LineState& state = entry.opcode == chi::req::kWriteCleanFull ? lines_.at(entry.place).state : entry.leaving;
    data.resp = resp_of(state);
    if (entry.opcode != chi::req::kWriteCleanFull) {
      state = LineState::invalid;
    } else if (state == LineState::unique_dirty) {
      state = LineState::unique_clean;
    }
  }
  post_data(data, entry.size, now);
  entry.data_sent = true;
  if (!entry.comp || entry.data_left != 0) return;
  if (entry.then != 0) {
    // The copy-back is complete except for its data. The request after it goes to the same home, which keeps the order.
    if (entry.place != PrivateLines::kNowhere) lines_.at(entry.place).reserved = false;
    entry.place = PrivateLines::kNowhere;
    entry.opcode = entry.then;
    entry.then = 0;
    ++transactions_;
    send_request(number, true, now);
    return;
  }
  close(number, now);
}

void RnF::read_data(const FlitFields& fields, Cycle now) {
  if (fields.opcode != chi::dat::kCompData || fields.txnid >= entries_in_use_)
    throw std::logic_error(fmt::format("RN-F {:#x}: no use for data {:#x}", node_id_, fields.opcode));
  const unsigned number = fields.txnid;
  Entry& entry = entries_[number];
  if (entry.data_left == 0) throw std::logic_error(fmt::format("RN-F {:#x}: no request asked for this data", node_id_));
  if (--entry.data_left != 0) return;
  if (chi::req::is_atomic(entry.opcode)) {
    entry.comp = true;
    if (entry.data_sent) close(number, now);
    return;
  }
  if (entry.place != PrivateLines::kNowhere) {
    LinePlace& place = lines_.at(entry.place);
    place.state = state_of_resp(fields.resp);
    if (entry.role == Role::operation && entry.operation.kind == OperationKind::store && is_unique(place.state))
      place.state = LineState::unique_dirty;
  }
  if (has_comp_ack(entry.opcode)) comp_ack(entry, fields.dbid, now);
  close(number, now);
}

void RnF::comp(unsigned number, const FlitFields& fields, Cycle now) {
  Entry& entry = entries_[number];
  entry.comp = true;
  if (has_comp_ack(entry.opcode)) comp_ack(entry, fields.dbid, now);
  if (entry.opcode == chi::req::kMakeUnique) {
    lines_.at(entry.place).state = LineState::unique_dirty;
  } else if (entry.opcode == chi::req::kCleanUnique && entry.place != PrivateLines::kNowhere) {
    LineState& state = lines_.at(entry.place).state;
    if (state != LineState::invalid) {
      state = entry.operation.kind == OperationKind::store ? LineState::unique_dirty : LineState::unique_clean;
    } else if (entry.operation.kind == OperationKind::store) {
      // Another requester got the line in the meantime, so there is no line to store into.
      entry.opcode = chi::req::kReadUnique;
      ++transactions_;
      send_request(number, true, now);
      return;
    }
  }
  // For writes, Comp may come before DBIDResp, which requests the data.
  const bool writes = entry.opcode == chi::req::kDvmOp || entry.opcode == chi::req::kWriteNoSnpFull ||
                      entry.opcode == chi::req::kWriteNoSnpPtl || entry.opcode == chi::req::kWriteUniqueFull ||
                      entry.opcode == chi::req::kWriteUniquePtl || chi::req::is_atomic_store(entry.opcode);
  if (!writes || entry.data_sent) close(number, now);
}

void RnF::comp_ack(const Entry& entry, std::uint16_t dbid, Cycle now) {
  FlitFields fields;
  fields.tgtid = entry.completer;
  fields.txnid = dbid;
  fields.opcode = chi::rsp::kCompAck;
  fields.qos = entry.operation.qos;
  post(Channel::rsp, fields, now);
}

void RnF::close(unsigned number, Cycle now) {
  const Entry& entry = entries_[number];
  if (entry.place != PrivateLines::kNowhere) lines_.at(entry.place).reserved = false;
  busy_lines_[number] = kNoLine;
  numbers_.release(number);
  ++transactions_;
  if (entry.role == Role::operation) done(entry.operation, entry.began, now);
  if (numbers_.used() == 0) entries_in_use_ = 0;
}

}  // namespace pmufab::cmn
