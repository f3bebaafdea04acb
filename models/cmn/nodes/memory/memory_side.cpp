// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/memory/memory_side.h"

#include <stdexcept>

#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

MemorySide::MemorySide(HomeOutput& output, const SystemAddressMap& addresses, unsigned home_index, unsigned reads)
    : output_(output), addresses_(addresses), home_index_(home_index), reads_(reads) {}

MemorySide::Outstanding& MemorySide::outstanding(std::uint16_t txnid) {
  return txnid < kFirstWrite ? reads_.at(txnid) : writes_.at(txnid - kFirstWrite);
}

void MemorySide::read(unsigned entry, Request request) {
  request.opcode = chi::req::kReadNoSnp;
  reads_[entry] = {request, addresses_.memory_node(home_index_, request.address)};
  send(static_cast<std::uint16_t>(entry), true);
}

void MemorySide::write(const Request& request) {
  if (numbers_.free() == 0) {
    waiting_.push(request);
  } else {
    begin_write(request);
  }
}

void MemorySide::begin_write(const Request& request) {
  const unsigned number = numbers_.allocate();
  if (number >= writes_.size()) writes_.resize(number + 1);
  writes_[number] = {request, addresses_.memory_node(home_index_, request.address)};
  send(static_cast<std::uint16_t>(kFirstWrite + number), true);
}

void MemorySide::send(std::uint16_t txnid, bool allow_retry) {
  const Outstanding& one = outstanding(txnid);
  const Request& request = one.request;
  FlitFields fields;
  fields.tgtid = one.target;
  fields.txnid = txnid;
  fields.opcode = request.opcode;
  fields.addr = request.address;
  fields.size = request.size;
  fields.qos = request.qos;
  fields.ns = request.ns;
  fields.memattr = request.memattr;
  fields.allowretry = allow_retry ? 1 : 0;
  output_.post(Channel::req, fields);

  HomeClasses classes;
  classes.of(FilterKind::class_occup) = static_cast<std::uint16_t>(1U << request.qos_class);
  const bool remote = SystemAddressMap::is_remote(request.address);
  classes.of(FilterKind::sn_home) = remote ? 0b101 : 0b011;
  if (remote && output_.is_hn_s()) {
    output_.publish(home_event("mc_reqs_remote"), classes);
    output_.publish(home_event("class_mc_reqs_remote"), classes);
  } else {
    output_.publish(home_event("mc_reqs_local"), classes);
    output_.publish(home_event("class_mc_reqs_local"), classes);
  }
}

void MemorySide::resend(unsigned txnid) {
  if (txnid != RetriedRequests::kNone) send(static_cast<std::uint16_t>(txnid), false);
}

void MemorySide::retry_ack(const FlitFields& response) {
  const bool remote = SystemAddressMap::is_remote(outstanding(response.txnid).request.address);
  HomeClasses classes;
  classes.of(FilterKind::sn_home) = remote ? 0b101 : 0b011;
  output_.publish(remote && output_.is_hn_s() ? home_event("mc_retries_remote") : home_event("mc_retries_local"),
                  classes);
  resend(retried_.retry(response.srcid, response.pcrdtype, response.txnid));
}

void MemorySide::credit_grant(const FlitFields& response) { resend(retried_.grant(response.srcid, response.pcrdtype)); }

void MemorySide::data_buffer(const FlitFields& response) {
  if (response.txnid < kFirstWrite) throw std::logic_error("memory has a buffer for a write of a home that made none");
  const Request request = outstanding(response.txnid).request;
  FlitFields fields;
  fields.tgtid = response.srcid;
  fields.txnid = response.dbid;
  fields.opcode = chi::dat::kNonCopyBackWrData;
  fields.qos = request.qos;
  const unsigned flits = chi::data_flits(request.size);
  for (unsigned flit = 0; flit < flits; ++flit) {
    fields.dataid = static_cast<std::uint8_t>(2 * flit);
    output_.post(Channel::dat, fields);
  }
  numbers_.release(response.txnid - kFirstWrite);
  if (!waiting_.empty()) begin_write(waiting_.pop());
}

}  // namespace pmufab::cmn
