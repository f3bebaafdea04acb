// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/memory/sn_f.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

namespace {

constexpr unsigned kMostEntries = 1024;  // homes use 0x400 and above for other transactions

const SnFParameters& checked(const SnFParameters& parameters) {
  if (parameters.entries < 1 || parameters.entries > kMostEntries)
    throw std::invalid_argument(
        fmt::format("sn_f.entries: {} are not possible; use 1 to {}", parameters.entries, kMostEntries));
  if (parameters.cycles_per_request < 1)
    throw std::invalid_argument("sn_f.cycles_per_request: 0 is not possible; use 1 or more");
  return parameters;
}

}  // namespace

SnF::SnF(Mesh& mesh, std::uint16_t node_id, const SnFParameters& parameters)
    : mesh_(mesh),
      parameters_(checked(parameters)),
      number_(mesh.attach(*this, node_id)),
      numbers_(parameters.entries),
      data_flits_(parameters.entries) {}

void SnF::run(Cycle now) {
  while (const Arrival* const arrival = mesh_.arrival(number_)) {
    const FlitFields fields = arrival->fields;
    const Channel channel = channel_class(arrival->channel);
    mesh_.take(number_);
    if (channel == Channel::req) {
      request(fields, now);
    } else if (channel == Channel::dat && fields.opcode == chi::dat::kNonCopyBackWrData) {
      write_data(fields, now);
    } else {
      throw std::logic_error(fmt::format("SN-F: no use for opcode {:#x} on {}", fields.opcode, to_string(channel)));
    }
  }
}

FlitFields SnF::answer_to(const FlitFields& fields, std::uint8_t opcode) const {
  FlitFields answer;
  answer.tgtid = fields.srcid;
  answer.txnid = fields.txnid;
  answer.opcode = opcode;
  answer.qos = fields.qos;
  return answer;
}

void SnF::request(const FlitFields& fields, Cycle now) {
  if (fields.opcode == chi::req::kPrefetchTgt) {
    ++prefetches_;
    return;
  }
  const bool is_read = fields.opcode == chi::req::kReadNoSnp;
  if (!is_read && fields.opcode != chi::req::kWriteNoSnpFull && fields.opcode != chi::req::kWriteNoSnpPtl)
    throw std::logic_error(fmt::format("SN-F: no use for request {:#x}", fields.opcode));
  if (!credits_.accept(fields.srcid, fields.allowretry != 0, numbers_.free())) {
    credits_.remember(fields.srcid);
    mesh_.post(number_, Channel::rsp, answer_to(fields, chi::rsp::kRetryAck), now + parameters_.response_latency);
    return;
  }
  const unsigned entry = numbers_.allocate();
  if (is_read) {
    read(fields, entry, now);
    return;
  }
  ++writes_;
  data_flits_[entry] = static_cast<std::uint8_t>(chi::data_flits(fields.size));
  FlitFields answer = answer_to(fields, chi::rsp::kCompDbidResp);
  answer.dbid = static_cast<std::uint16_t>(entry);
  answer.cbusy = static_cast<std::uint8_t>(std::min(3U, 4 * numbers_.used() / numbers_.size()));
  mesh_.post(number_, Channel::rsp, answer, now + parameters_.response_latency);
}

Cycle SnF::turn(Cycle now) {
  const Cycle begin = std::max(now, next_turn_);
  ++turns_;
  if (begin > now) {
    waited_ += begin - std::max(now, waited_until_);
    waited_until_ = begin;
  }
  next_turn_ = begin + parameters_.cycles_per_request;
  return begin;
}

void SnF::read(const FlitFields& fields, unsigned entry, Cycle now) {
  ++reads_;
  FlitFields data = answer_to(fields, chi::dat::kCompData);
  data.homenid = fields.srcid;
  data.dbid = static_cast<std::uint16_t>(entry);
  data.resp = chi::resp::kUc;
  data.cbusy = static_cast<std::uint8_t>(std::min(3U, 4 * numbers_.used() / numbers_.size()));
  const Cycle ready = turn(now) + parameters_.latency;
  const unsigned flits = chi::data_flits(fields.size);
  for (unsigned flit = 0; flit < flits; ++flit) {
    data.dataid = static_cast<std::uint8_t>(2 * flit);
    mesh_.post(number_, Channel::dat, data, ready, flit + 1 == flits);
  }
}

void SnF::write_data(const FlitFields& fields, Cycle now) {
  const unsigned entry = fields.txnid;
  if (--data_flits_.at(entry) != 0) return;
  static_cast<void>(turn(now));
  release(entry, now);
}

void SnF::sent(Channel /*channel*/, const FlitFields& fields, Cycle now) { release(fields.dbid, now); }

void SnF::release(unsigned entry, Cycle now) {
  numbers_.release(entry);
  std::uint16_t sender = 0;
  if (!credits_.grant(numbers_.free(), sender)) return;
  FlitFields grant;
  grant.tgtid = sender;
  grant.opcode = chi::rsp::kPCrdGrant;
  mesh_.post(number_, Channel::rsp, grant, now + parameters_.response_latency);
}

}  // namespace pmufab::cmn
