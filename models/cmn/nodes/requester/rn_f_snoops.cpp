// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include <fmt/format.h>

#include "models/cmn/nodes/requester/rn_f.h"
#include "models/cmn/nodes/requester/rn_f_rules.h"

// The snoop answers of an RN-F: always in the cycle in which the snoop arrives.
namespace pmufab::cmn {

namespace {

/// @return Resp of a snoop response. It does not tell unique clean from unique dirty.
std::uint8_t plain_resp(LineState state) {
  if (state == LineState::shared_clean) return chi::resp::kSc;
  return is_unique(state) ? chi::resp::kUc : chi::resp::kI;
}

/// @return the start of an answer to a snoop: a SnpResp without data.
FlitFields snoop_answer(const FlitFields& snoop) {
  FlitFields answer;
  answer.tgtid = snoop.srcid;
  answer.txnid = snoop.txnid;
  answer.opcode = chi::rsp::kSnpResp;
  answer.qos = snoop.qos;
  return answer;
}

}  // namespace

LineState* RnF::find_state(std::uint64_t line) noexcept {
  const std::uint32_t place = lines_.find(line);
  if (place != PrivateLines::kNowhere && lines_.at(place).state != LineState::invalid) return &lines_.at(place).state;
  // A copy-back holds its line until its data goes.
  for (unsigned entry = 0; entry < entries_in_use_; ++entry) {
    if (busy_lines_[entry] == line && entries_[entry].leaving != LineState::invalid) return &entries_[entry].leaving;
  }
  return nullptr;
}

void RnF::post_data(FlitFields fields, std::uint8_t size, Cycle now) {
  const unsigned flits = chi::data_flits(size);
  for (unsigned flit = 0; flit < flits; ++flit) {
    fields.dataid = static_cast<std::uint8_t>(2 * flit);
    post(Channel::dat, fields, now);
  }
}

void RnF::snoop(const FlitFields& fields, Cycle now) {
  namespace snp = chi::snp;
  ++snoops_;
  switch (fields.opcode) {
    case snp::kSnpDvmOp:
      dvm_snoop(fields, now);
      break;
    case snp::kSnpStashShared:
    case snp::kSnpStashUnique:
      stash_snoop(fields, now);
      break;
    case snp::kSnpSharedFwd:
    case snp::kSnpCleanFwd:
    case snp::kSnpNotSharedDirtyFwd:
    case snp::kSnpOnceFwd:
    case snp::kSnpUniqueFwd:
      forwarding_snoop(fields, find_state(chi::line_of(fields.addr)), now);
      break;
    default:
      plain_snoop(fields, find_state(chi::line_of(fields.addr)), now);
      break;
  }
}

void RnF::dvm_snoop(const FlitFields& fields, Cycle now) {
  const std::size_t txnid = fields.txnid % dvm_halves_.size();
  dvm_halves_[txnid] = !dvm_halves_[txnid];
  if (dvm_halves_[txnid]) return;
  post(Channel::rsp, snoop_answer(fields), now);
}

void RnF::stash_snoop(const FlitFields& fields, Cycle now) {
  const std::uint64_t line = chi::line_of(fields.addr);
  FlitFields answer = snoop_answer(fields);
  const LineState* const state = find_state(line);
  if (state != nullptr) answer.resp = plain_resp(*state);
  std::uint32_t place = PrivateLines::kNowhere;
  // The held operation must not starve: the last entries are reserved for it.
  if (state == nullptr && !is_busy(line) && numbers_.free() > 2 && reserve(line, place, now)) {
    const bool unique = fields.opcode == chi::snp::kSnpStashUnique;
    const unsigned number = open(Role::pulled, unique ? chi::req::kReadUnique : chi::req::kReadNotSharedDirty,
                                 line * chi::kLineBytes, chi::kSizeOfLine);
    Entry& entry = entries_[number];
    entry.place = place;
    entry.target = fields.srcid;
    entry.completer = fields.srcid;
    entry.data_left = static_cast<std::uint8_t>(chi::data_flits(chi::kSizeOfLine));
    answer.datapull = 1;
    answer.dbid = static_cast<std::uint16_t>(number);
  }
  post(Channel::rsp, answer, now);
}

void RnF::forwarding_snoop(const FlitFields& fields, LineState* state, Cycle now) {
  namespace snp = chi::snp;
  namespace resp = chi::resp;
  FlitFields answer = snoop_answer(fields);
  if (state == nullptr) {
    post(Channel::rsp, answer, now);
    return;
  }
  const bool dirty = *state == LineState::unique_dirty;
  FlitFields data;
  data.tgtid = fields.fwdnid;
  data.txnid = fields.fwdtxnid;
  data.homenid = fields.srcid;
  data.dbid = fields.txnid;
  data.opcode = chi::dat::kCompData;
  data.qos = fields.qos;
  bool dirty_to_home = false;
  if (fields.opcode == snp::kSnpUniqueFwd) {
    data.resp = dirty ? resp::kUdPd : resp::kUc;
    *state = LineState::invalid;
  } else if (fields.opcode == snp::kSnpOnceFwd) {
    data.resp = resp::kI;
  } else {
    data.resp = resp::kSc;
    dirty_to_home = dirty;
    *state = LineState::shared_clean;
  }
  answer.fwdstate = data.resp;
  answer.resp = dirty_to_home ? resp::kScPd : plain_resp(*state);
  post_data(data, chi::kSizeOfLine, now);
  if (dirty_to_home) {
    answer.opcode = chi::dat::kSnpRespDataFwded;
    post_data(answer, chi::kSizeOfLine, now);
  } else {
    answer.opcode = chi::rsp::kSnpRespFwded;
    post(Channel::rsp, answer, now);
  }
}

void RnF::plain_snoop(const FlitFields& fields, LineState* state, Cycle now) {
  namespace snp = chi::snp;
  namespace resp = chi::resp;
  FlitFields answer = snoop_answer(fields);
  const LineState before = state == nullptr ? LineState::invalid : *state;
  const bool dirty = before == LineState::unique_dirty;
  // Clean data of a shared line is sent only if the home asks for it.
  bool sends_data = is_unique(before) || (before == LineState::shared_clean && fields.rettosrc != 0);
  LineState after = before;
  switch (fields.opcode) {
    case snp::kSnpShared:
    case snp::kSnpClean:
    case snp::kSnpNotSharedDirty:
      if (is_unique(before)) after = LineState::shared_clean;
      answer.resp = dirty ? resp::kScPd : plain_resp(after);
      break;
    case snp::kSnpOnce:
      answer.resp = plain_resp(after);
      break;
    case snp::kSnpUnique:
      after = LineState::invalid;
      answer.resp = dirty ? resp::kIPd : resp::kI;
      break;
    case snp::kSnpCleanShared:
      if (dirty) after = LineState::unique_clean;
      answer.resp = dirty ? resp::kUcPd : plain_resp(after);
      sends_data = dirty;
      break;
    case snp::kSnpCleanInvalid:
      after = LineState::invalid;
      answer.resp = dirty ? resp::kIPd : resp::kI;
      sends_data = dirty;
      break;
    case snp::kSnpMakeInvalid:
      after = LineState::invalid;
      answer.resp = resp::kI;
      sends_data = false;
      break;
    default:
      throw std::logic_error(fmt::format("RN-F {:#x}: no answer to snoop {:#x}", node_id_, fields.opcode));
  }
  if (state != nullptr) *state = after;
  if (sends_data) {
    answer.opcode = chi::dat::kSnpRespData;
    post_data(answer, chi::kSizeOfLine, now);
  } else {
    answer.opcode = chi::rsp::kSnpResp;
    post(Channel::rsp, answer, now);
  }
}

}  // namespace pmufab::cmn
