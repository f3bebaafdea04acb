// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/request_tracker.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/core.h>

#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

RequestTracker::RequestTracker(Mesh& mesh, unsigned device, const Parameters& parameters)
    : mesh_(mesh), device_(device), parameters_(parameters), numbers_(parameters.entries) {
  if (parameters.entries == 0 || parameters.entries > kMaximumEntries)
    throw std::invalid_argument(
        fmt::format("a tracker has 1 to {} entries, not {}", kMaximumEntries, parameters.entries));
  requests_.resize(parameters.entries);
  by_age_.reserve(parameters.entries);
}

std::optional<unsigned> RequestTracker::allocate(const FlitFields& request, Cycle now) {
  if (!credits_.accept(request.srcid, request.allowretry != 0, numbers_.free())) {
    credits_.remember(request.srcid);
    post_rsp(request.srcid, request.txnid, chi::rsp::kRetryAck, request.qos, now);
    return std::nullopt;
  }
  const unsigned entry = numbers_.allocate();
  by_age_.push_back(static_cast<std::uint8_t>(entry));
  requests_[entry] = {.addr = request.addr,
                      .srcid = request.srcid,
                      .txnid = request.txnid,
                      .opcode = request.opcode,
                      .qos = request.qos,
                      .size = request.size,
                      .order = request.order,
                      .data_flits = 0};
  return entry;
}

void RequestTracker::release(unsigned entry, Cycle now) {
  numbers_.release(entry);
  by_age_.erase(std::find(by_age_.begin(), by_age_.end(), entry));
  std::uint16_t sender = 0;
  if (credits_.grant(numbers_.free(), sender)) post_rsp(sender, 0, chi::rsp::kPCrdGrant, 0, now);
}

bool RequestTracker::data(unsigned entry) noexcept {
  Request& request = requests_[entry];
  return ++request.data_flits == chi::data_flits(request.size);
}

unsigned RequestTracker::entry_of(unsigned dbid) const {
  const unsigned entry = dbid - parameters_.first_dbid;
  if (std::find(by_age_.begin(), by_age_.end(), entry) == by_age_.end())
    throw std::logic_error(fmt::format("a message has DBID {:#x}, which was not given to any request", dbid));
  return entry;
}

void RequestTracker::respond(unsigned entry, std::uint8_t opcode, Cycle now, bool tell) {
  const Request& request = requests_[entry];
  FlitFields fields;
  fields.opcode = opcode;
  fields.tgtid = request.srcid;
  fields.txnid = request.txnid;
  fields.dbid = static_cast<std::uint16_t>(dbid_of(entry));
  fields.qos = request.qos;
  mesh_.post(device_, Channel::rsp, fields, now + parameters_.latency, tell);
}

void RequestTracker::respond_with_data(unsigned entry, Cycle now, bool tell) {
  const Request& request = requests_[entry];
  FlitFields fields;
  fields.opcode = chi::dat::kCompData;
  fields.tgtid = request.srcid;
  fields.txnid = request.txnid;
  fields.homenid = parameters_.node_id;
  fields.dbid = static_cast<std::uint16_t>(dbid_of(entry));
  fields.qos = request.qos;
  fields.resp = chi::resp::kUc;
  for (unsigned flit = 0; flit < chi::data_flits(request.size); ++flit) {
    fields.dataid = static_cast<std::uint8_t>(2 * flit);
    mesh_.post(device_, Channel::dat, fields, now + parameters_.latency, tell);
  }
}

void RequestTracker::post_rsp(std::uint16_t tgtid, std::uint16_t txnid, std::uint8_t opcode, std::uint8_t qos,
                              Cycle now) {
  FlitFields fields;
  fields.opcode = opcode;
  fields.tgtid = tgtid;
  fields.txnid = txnid;
  fields.qos = qos;
  fields.pcrdtype = parameters_.pcrdtype;
  mesh_.post(device_, Channel::rsp, fields, now + parameters_.latency, tell_of_retries_);
}

}  // namespace pmufab::cmn
