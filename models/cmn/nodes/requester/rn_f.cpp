// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/requester/rn_f.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "models/cmn/nodes/requester/rn_f_rules.h"

namespace pmufab::cmn {

namespace {

constexpr unsigned kMostOutstanding = 1024;

const RnFParameters& checked(const RnFParameters& parameters) {
  if (parameters.cache_sets < 1) throw std::invalid_argument("rn_f.cache_sets: 0 is not possible; use 1 or more");
  if (parameters.cache_ways < 1) throw std::invalid_argument("rn_f.cache_ways: 0 is not possible; use 1 or more");
  if (parameters.outstanding < 2 || parameters.outstanding > kMostOutstanding)
    throw std::invalid_argument(
        fmt::format("rn_f.outstanding: {} are not possible; use 2 (a read and the victim it replaces) to {}",
                    parameters.outstanding, kMostOutstanding));
  return parameters;
}

bool brings_data(std::uint8_t opcode) {
  return is_read(opcode) || (chi::req::is_atomic(opcode) && !chi::req::is_atomic_store(opcode));
}

}  // namespace

bool RnF::can(OperationKind kind) const noexcept {
  return (kind != OperationKind::dvm_operation && kind != OperationKind::dvm_sync) || !map_.dvm_nodes().empty();
}

RnF::RnF(Mesh& mesh, const SystemAddressMap& map, std::uint16_t node_id, const RnFParameters& parameters)
    : mesh_(mesh),
      map_(map),
      parameters_(checked(parameters)),
      node_id_(node_id),
      number_(mesh.attach(*this, node_id)),
      lines_(parameters.cache_sets, parameters.cache_ways),
      numbers_(parameters.outstanding),
      retried_(parameters.outstanding),
      entries_(parameters.outstanding),
      busy_lines_(parameters.outstanding, kNoLine),
      dvm_halves_(4096, false) {}

void RnF::run(Cycle now) {
  while (const Arrival* const arrival = mesh_.arrival(number_)) {
    const FlitFields& fields = arrival->fields;
    switch (channel_class(arrival->channel)) {
      case Channel::rsp:
        response(fields, now);
        break;
      case Channel::dat:
        read_data(fields, now);
        break;
      case Channel::snp:
        snoop(fields, now);
        break;
      default:
        throw std::logic_error(fmt::format("RN-F {:#x}: a request {:#x} arrives", node_id_, fields.opcode));
    }
    mesh_.take(number_);
  }
  issue(now);
}

void RnF::issue(Cycle now) {
  if (now < next_issue_) return;
  if (!holds_) {
    if (source_ == nullptr) return;
    if (!source_->next(now, held_)) {
      if (const Cycle when = source_->ready(now + 1); when != kNoCycle) mesh_.call(number_, when);
      return;
    }
    holds_ = true;
    held_since_ = now;
  }
  if (!start(held_, now)) {  // only an arrival can unblock it
    if (!told_of_hold_ && source_ != nullptr) source_->held(now);
    told_of_hold_ = true;
    return;
  }
  holds_ = false;
  if (told_of_hold_ && source_ != nullptr) source_->released(now);
  told_of_hold_ = false;
  next_issue_ = now + 1;
  mesh_.call(number_, now + 1);
}

bool RnF::is_busy(std::uint64_t line) const noexcept {
  for (unsigned entry = 0; entry < entries_in_use_; ++entry) {
    if (busy_lines_[entry] == line) return true;
  }
  return false;
}

std::uint16_t RnF::target_of(std::uint64_t address) const {
  return SystemAddressMap::is_memory(address) ? map_.target_of(address, true) : map_.io_node(address);
}

bool RnF::start(const Operation& operation, Cycle now) {
  using Kind = OperationKind;
  namespace req = chi::req;
  // A DVM operation has no line.
  const bool has_line = operation.kind != Kind::dvm_operation && operation.kind != Kind::dvm_sync;
  if (has_line && is_busy(chi::line_of(operation.address))) return false;
  if (has_line && SystemAddressMap::is_remote(operation.address) && !map_.has_local_homes())
    return start_at_gateway(operation, now);
  switch (operation.kind) {
    case Kind::load:
    case Kind::load_shared:
    case Kind::load_clean:
    case Kind::store:
    case Kind::store_line:
    case Kind::clean_unique:
    case Kind::make_unique:
      return start_cached(operation, now);
    case Kind::read_once: {
      const std::uint32_t place = lines_.find(chi::line_of(operation.address));
      if (place == PrivateLines::kNowhere) return start_plain(operation, req::kReadOnce, chi::kSizeOfLine, now);
      lines_.touch(place);
      done(operation, now, now);
      return true;
    }
    case Kind::read_no_snp:
      return start_plain(operation, req::kReadNoSnp, operation.size, now);
    case Kind::write_no_snp_full:
      return start_plain(operation, req::kWriteNoSnpFull, chi::kSizeOfLine, now);
    case Kind::write_no_snp_ptl:
      return start_plain(operation, req::kWriteNoSnpPtl, operation.size, now);
    case Kind::write_unique_full:
      return start_plain(operation, req::kWriteUniqueFull, chi::kSizeOfLine, now);
    case Kind::write_unique_ptl:
      return start_plain(operation, req::kWriteUniquePtl, operation.size, now);
    case Kind::clean_shared:
      return start_maintenance(operation, req::kCleanShared, now);
    case Kind::clean_invalid:
      return start_maintenance(operation, req::kCleanInvalid, now);
    case Kind::make_invalid:
      return start_maintenance(operation, req::kMakeInvalid, now);
    case Kind::stash_shared:
      return start_plain(operation, req::kStashOnceShared, chi::kSizeOfLine, now);
    case Kind::stash_unique:
      return start_plain(operation, req::kStashOnceUnique, chi::kSizeOfLine, now);
    case Kind::atomic_store:
      return start_plain(operation, static_cast<std::uint8_t>(req::kAtomicStore + operation.variant % 8), 3, now);
    case Kind::atomic_load:
      return start_plain(operation, static_cast<std::uint8_t>(req::kAtomicLoad + operation.variant % 8), 3, now);
    case Kind::atomic_swap:
      return start_plain(operation, req::kAtomicSwap, 3, now);
    case Kind::atomic_compare:
      return start_plain(operation, req::kAtomicCompare, 4, now);
    case Kind::prefetch:
      start_prefetch(operation, now);
      return true;
    case Kind::dvm_operation:
    case Kind::dvm_sync:
      return start_plain(operation, req::kDvmOp, 3, now);
  }
  throw std::logic_error("RN-F: an operation of no kind");
}

bool RnF::start_cached(const Operation& operation, Cycle now) {
  using Kind = OperationKind;
  namespace req = chi::req;
  const std::uint64_t line = chi::line_of(operation.address);
  const bool is_load =
      operation.kind == Kind::load || operation.kind == Kind::load_shared || operation.kind == Kind::load_clean;
  const bool dirties = !is_load && operation.kind != Kind::clean_unique;
  std::uint32_t place = lines_.find(line);
  if (place != PrivateLines::kNowhere && (is_load || is_unique(lines_.at(place).state))) {
    lines_.touch(place);
    if (dirties) lines_.at(place).state = LineState::unique_dirty;
    done(operation, now, now);
    return true;
  }
  if (numbers_.free() == 0) return false;
  std::uint8_t opcode = 0;
  switch (operation.kind) {
    case Kind::load_shared:
      opcode = req::kReadShared;
      break;
    case Kind::load_clean:
      opcode = req::kReadClean;
      break;
    case Kind::store:
      opcode = place == PrivateLines::kNowhere ? req::kReadUnique : req::kCleanUnique;
      break;
    case Kind::clean_unique:
      opcode = req::kCleanUnique;
      break;
    case Kind::store_line:
    case Kind::make_unique:
      opcode = req::kMakeUnique;
      break;
    default:
      opcode = req::kReadNotSharedDirty;
      break;
  }
  // Only CleanUnique brings no line.
  if (place == PrivateLines::kNowhere && operation.kind != Kind::clean_unique) {
    if (!reserve(line, place, now)) return false;
  }
  if (place != PrivateLines::kNowhere) {
    lines_.touch(place);
    lines_.at(place).reserved = true;
  }
  const unsigned entry = open(operation, opcode, chi::kSizeOfLine);
  entries_[entry].place = place;
  entries_[entry].began = now;
  send_request(entry, true, now);
  return true;
}

bool RnF::start_at_gateway(const Operation& operation, Cycle now) {
  using Kind = OperationKind;
  switch (operation.kind) {
    case Kind::load:
    case Kind::load_shared:
    case Kind::load_clean:
    case Kind::read_once:
    case Kind::read_no_snp:
      return start_plain(operation, chi::req::kReadOnce, chi::kSizeOfLine, now);
    case Kind::store:
    case Kind::store_line:
    case Kind::make_unique:
    case Kind::write_no_snp_full:
    case Kind::write_no_snp_ptl:
    case Kind::write_unique_full:
    case Kind::write_unique_ptl:
      return start_plain(operation, chi::req::kWriteUniqueFull, chi::kSizeOfLine, now);
    default:
      done(operation, now, now);
      return true;
  }
}

bool RnF::start_maintenance(const Operation& operation, std::uint8_t opcode, Cycle now) {
  namespace req = chi::req;
  if (numbers_.free() == 0) return false;
  const unsigned entry = open(operation, opcode, chi::kSizeOfLine);
  Entry& one = entries_[entry];
  one.began = now;
  const std::uint32_t place = lines_.find(chi::line_of(operation.address));
  if (place != PrivateLines::kNowhere) {
    LineState& state = lines_.at(place).state;
    if (state == LineState::unique_dirty && opcode != req::kMakeInvalid) {
      // A dirty victim is written first.
      one.then = opcode;
      one.opcode = opcode == req::kCleanShared ? req::kWriteCleanFull : req::kWriteBackFull;
    }
    if (one.opcode == req::kWriteCleanFull) {
      one.place = place;
      lines_.at(place).reserved = true;
    } else if (opcode != req::kCleanShared) {
      // A written line stays here until its data goes. A clean line, or one with no further use, leaves at once.
      if (one.opcode == req::kWriteBackFull) one.leaving = state;
      state = LineState::invalid;
    }
  }
  send_request(entry, true, now);
  return true;
}

bool RnF::start_plain(const Operation& operation, std::uint8_t opcode, std::uint8_t size, Cycle now) {
  if (numbers_.free() == 0) return false;
  const unsigned entry = open(operation, opcode, size);
  entries_[entry].began = now;
  send_request(entry, true, now);
  return true;
}

void RnF::start_prefetch(const Operation& operation, Cycle now) {
  FlitFields fields;
  fields.tgtid = map_.memory_node(map_.home_index_of(operation.address), operation.address);
  fields.opcode = chi::req::kPrefetchTgt;
  fields.addr = operation.address;
  fields.qos = operation.qos;
  fields.size = chi::kSizeOfLine;
  fields.ns = 1;
  fields.memattr = chi::memattr::kEarlyWriteAck | chi::memattr::kCacheable | chi::memattr::kAllocate;
  post(Channel::req, fields, now);
  done(operation, now, now);
}

void RnF::done(const Operation& operation, Cycle began, Cycle now) {
  if (source_ != nullptr) source_->completed(operation, began, now);
}

bool RnF::reserve(std::uint64_t line, std::uint32_t& place, Cycle now) {
  place = lines_.place_for(line);
  if (place == PrivateLines::kNowhere) return false;
  if (lines_.at(place).state != LineState::invalid) {
    if (numbers_.free() < 2) return false;
    copy_back_victim(place, now);
  }
  LinePlace& one = lines_.at(place);
  one.line = line;
  one.state = LineState::invalid;
  one.reserved = true;
  lines_.touch(place);
  return true;
}

void RnF::copy_back_victim(std::uint32_t place, Cycle now) {
  namespace req = chi::req;
  const LinePlace& victim = lines_.at(place);
  std::uint8_t opcode = req::kEvict;
  if (victim.state == LineState::unique_dirty) opcode = req::kWriteBackFull;
  if (victim.state == LineState::unique_clean && parameters_.write_evict) opcode = req::kWriteEvictFull;
  const unsigned entry = open(Role::victim, opcode, victim.line * chi::kLineBytes, chi::kSizeOfLine);
  // A line reported with Evict has left already.
  entries_[entry].leaving = opcode == req::kEvict ? LineState::invalid : victim.state;
  send_request(entry, true, now);
}

unsigned RnF::open(Role role, std::uint8_t opcode, std::uint64_t address, std::uint8_t size) {
  const unsigned entry = numbers_.allocate();
  entries_in_use_ = std::max(entries_in_use_, entry + 1);
  Entry& one = entries_[entry];
  one = Entry{};
  one.role = role;
  one.opcode = opcode;
  one.size = size;
  one.address = address;
  busy_lines_[entry] = chi::line_of(address);
  return entry;
}

unsigned RnF::open(const Operation& operation, std::uint8_t opcode, std::uint8_t size) {
  const unsigned entry = open(Role::operation, opcode, operation.address, size);
  Entry& one = entries_[entry];
  one.operation = operation;
  if (opcode == chi::req::kDvmOp) {
    constexpr std::uint64_t kType = std::uint64_t{7} << 11U;
    constexpr std::uint64_t kSync = std::uint64_t{4} << 11U;
    if (operation.kind == OperationKind::dvm_sync) one.address = (one.address & ~kType) | kSync;
    busy_lines_[entry] = kNoLine;
  }
  return entry;
}

void RnF::send_request(unsigned number, bool allow_retry, Cycle now) {
  namespace req = chi::req;
  Entry& entry = entries_[number];
  if (allow_retry) {
    entry.target = entry.opcode == req::kDvmOp ? map_.dvm_nodes().front() : target_of(entry.address);
    entry.completer = entry.target;
    entry.comp = false;
    entry.data_sent = false;
    entry.data_left =
        brings_data(entry.opcode)
            ? static_cast<std::uint8_t>(chi::req::is_atomic(entry.opcode) ? 1 : chi::data_flits(entry.size))
            : std::uint8_t{0};
  }
  FlitFields fields;
  fields.tgtid = entry.target;
  fields.txnid = static_cast<std::uint16_t>(number);
  fields.opcode = entry.opcode;
  fields.addr = entry.address;
  fields.qos = entry.operation.qos;
  fields.lpid = entry.operation.lpid;
  fields.size = entry.size;
  fields.ns = 1;
  fields.allowretry = allow_retry ? 1 : 0;
  fields.pcrdtype = allow_retry ? std::uint8_t{0} : entry.pcrdtype;
  fields.expcompack = has_comp_ack(entry.opcode) ? 1 : 0;
  if (entry.opcode == req::kDvmOp) {
    fields.memattr = 0;
  } else if (!SystemAddressMap::is_memory(entry.address)) {
    fields.memattr = chi::memattr::kDevice | chi::memattr::kEarlyWriteAck;
  } else if (entry.opcode == req::kReadNoSnp || entry.opcode == req::kWriteNoSnpFull ||
             entry.opcode == req::kWriteNoSnpPtl) {
    fields.memattr = chi::memattr::kEarlyWriteAck;
  } else {
    fields.memattr = chi::memattr::kCacheable | chi::memattr::kEarlyWriteAck;
    if (entry.operation.allocate) fields.memattr |= chi::memattr::kAllocate;
    fields.snpattr = 1;
  }
  if ((entry.opcode == req::kStashOnceShared || entry.opcode == req::kStashOnceUnique) && entry.operation.has_target) {
    fields.stashnid = entry.operation.target;
    fields.stashtgtvalid = 1;
  }
  post(Channel::req, fields, now);
}

LineState RnF::state_of(std::uint64_t address) const noexcept {
  const std::uint32_t place = lines_.find(chi::line_of(address));
  return place == PrivateLines::kNowhere ? LineState::invalid : lines_.at(place).state;
}

}  // namespace pmufab::cmn
