// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/memory/memory_device.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {

namespace {

bool is_read(std::uint8_t opcode) {
  return opcode == m2s_req::mem_rd || opcode == m2s_req::mem_rd_data || opcode == m2s_req::mem_rd_tee ||
         opcode == m2s_req::mem_rd_data_tee;
}
bool is_speculative(std::uint8_t opcode) {
  return opcode == m2s_req::mem_spec_rd || opcode == m2s_req::mem_spec_rd_tee;
}
bool is_fill(std::uint8_t opcode) { return opcode == m2s_rwd::mem_rd_fill || opcode == m2s_rwd::mem_rd_fill_tee; }
/// @return true if the NDR of a request reports trusted execution.
bool has_tee_answer(const Message& request) {
  if (!request.tee) return false;
  return request.message_class != MessageClass::m2s_req ||
         (request.opcode != m2s_req::mem_inv_tee && request.opcode != m2s_req::mem_cln_evct_tee &&
          request.opcode != m2s_req::mem_cln_evct_u && request.opcode != m2s_req::te_update);
}
bool is_partial(std::uint8_t opcode) { return opcode == m2s_rwd::mem_wr_ptl || opcode == m2s_rwd::mem_wr_ptl_tee; }

/// @return the NDR of a request to memory without a snoop filter.
std::uint8_t answer_by_meta(const Message& request) {
  if (request.message_class != MessageClass::m2s_req) return s2m_ndr::cmp;
  switch (request.opcode) {
    case m2s_req::mem_rd_data:
    case m2s_req::mem_rd_data_tee:
      return s2m_ndr::cmp_e;
    case m2s_req::mem_cln_evct:
    case m2s_req::mem_cln_evct_tee:
    case m2s_req::mem_cln_evct_u:
      return s2m_ndr::cmp;
    default:
      return request.meta == Meta::any ? s2m_ndr::cmp_e : request.meta == Meta::shared ? s2m_ndr::cmp_s : s2m_ndr::cmp;
  }
}

std::uint8_t with_tee(std::uint8_t ndr) {
  return ndr <= s2m_ndr::cmp_e ? static_cast<std::uint8_t>(ndr + s2m_ndr::cmp_tee) : ndr;
}

const MemoryDeviceParameters& checked(const MemoryDeviceParameters& parameters) {
  check(parameters);
  return parameters;
}

}  // namespace

void check(const MemoryDeviceParameters& parameters) {
  with_field_prefix("ddr.", [&] { check(parameters.ddr); });
  if (parameters.answer_latency > kMostDdrTime) throw SpecError("answer_latency", "is more than 1 s");
  if (parameters.back_invalidate.filter_lines == 0) throw SpecError("filter_lines", "are 0");
  if (parameters.back_invalidate.device_lines == 0) throw SpecError("device_lines", "are 0");
}

MemoryDevice::MemoryDevice(const std::string& name, Engine& engine, Link& link, const HdmMap& map,
                           const MemoryDeviceParameters& parameters)
    : engine_(engine),
      link_(link),
      map_(map),
      parameters_(checked(parameters)),
      actor_(engine.add(*this)),
      probes_(name, map),
      ddr_(name + ".ddr", engine, parameters.ddr, *this, parameters.answer_latency, link.parameters().period),
      coherence_(link, *this, parameters.back_invalidate),
      dev_load_{Probe(name + ".light_load"), Probe(name + ".optimal_load"), Probe(name + ".moderate_overload"),
                Probe(name + ".severe_overload")},
      residency_{Probe(name + ".m2s_req_residency"), Probe(name + ".m2s_rwd_residency")},
      sampler_(engine, *this, parameters.ddr.clock_period) {
  for (Probe& probe : dev_load_) sampler_.add(probe);
  for (Probe& probe : residency_) sampler_.add(probe);
  link.attach(LinkEnd::lower, *this, &probes_);
}

std::vector<EventGroup> MemoryDevice::event_groups(bool with_cache) {
  std::vector<EventGroup> groups = probes_.event_groups(with_cache);
  const auto add = [&](std::uint16_t number, auto& probes) {
    EventGroup& group = groups.emplace_back();
    group.group = number;
    group.timed = true;
    for (unsigned bit = 0; bit < probes.size(); ++bit) {
      group.supported |= 1U << bit;
      group.sources.push_back({bit, &probes[bit]});
    }
  };
  add(0x30, dev_load_);
  add(0x31, residency_);
  for (EventGroup& group : ddr_.event_groups()) groups.push_back(std::move(group));
  return groups;
}

void MemoryDevice::sample(Picoseconds edge) {
  const unsigned requests = requests_.at(edge);
  const unsigned with_data = requests_with_data_.at(edge);
  const unsigned all = requests + with_data;
  const DevLoadParameters& loads = parameters_.dev_load;
  const unsigned load = all < loads.optimal ? 0 : all < loads.moderate ? 1 : all < loads.severe ? 2 : 3;
  dev_load_[load].publish(1, 0, edge);
  if (requests != 0) residency_[0].publish(1, 0, edge);
  if (with_data != 0) residency_[1].publish(1, 0, edge);
}

std::uint64_t MemoryDevice::pending() const noexcept {
  return transactions_.size() - free_.size() + coherence_.pending();
}

bool MemoryDevice::receive(const Message& message, Picoseconds now) {
  switch (message.message_class) {
    case MessageClass::m2s_req:
      if (message.opcode == m2s_req::mem_rd_fwd || message.opcode == m2s_req::mem_wr_fwd) {
        forward(message, now);
        return true;
      }
      if (is_speculative(message.opcode)) {
        access(message.address, false);
        return true;
      }
      requests_.raise(now);
      if (coherence_.is_busy(message.address)) {
        coherence_.hold(message);
      } else {
        accept(message, now);
      }
      return false;
    case MessageClass::m2s_rwd:
      if (message.opcode == m2s_rwd::bi_conflict) {
        Message acknowledge = message;
        acknowledge.message_class = MessageClass::s2m_ndr;
        acknowledge.opcode = s2m_ndr::bi_conflict_ack;
        acknowledge.tell = false;
        link_.send(acknowledge);
        return true;
      }
      requests_with_data_.raise(now);
      accept(message, now);
      return false;
    case MessageClass::m2s_birsp:
      coherence_.answered(message);
      return true;
    default:
      if (cache_agent_ != nullptr) cache_agent_->receive_cache(message, now);
      return true;
  }
}

void MemoryDevice::forward(const Message& message, Picoseconds now) {
  const bool wanted = cache_agent_ == nullptr || cache_agent_->forwarded(message, now);
  if (wanted) access(message.address, message.opcode == m2s_req::mem_wr_fwd);
}

void MemoryDevice::access(std::uint64_t address, bool write) {
  const HdmMap::Claim claim = map_.claim(address);
  if (claim.range != nullptr) ddr_.access(claim.device_address, write, DdrController::kNoTicket);
}

void MemoryDevice::resume(const Message& request) { accept(request, engine_.now()); }

void MemoryDevice::local_done() {
  if (local_client_ != nullptr) local_client_->local_done(engine_.now());
}

std::uint16_t MemoryDevice::open(const Message& request) {
  if (free_.empty()) [[unlikely]] {
    free_.push_back(static_cast<std::uint16_t>(transactions_.size()));
    transactions_.emplace_back();
  }
  const std::uint16_t ticket = free_.back();
  free_.pop_back();
  transactions_[ticket] = {};
  transactions_[ticket].request = request;
  return ticket;
}

void MemoryDevice::accept(const Message& request, Picoseconds now) {
  const std::uint16_t ticket = open(request);
  Transaction& transaction = transactions_[ticket];
  const HdmMap::Claim claim = map_.claim(request.address);
  const bool with_data = request.message_class == MessageClass::m2s_rwd;
  const bool fills = with_data && is_fill(request.opcode);
  const bool writes = with_data && !fills;
  const bool reads = fills || (!with_data && is_read(request.opcode));
  if (claim.range == nullptr) {
    (reads ? transaction.drs : transaction.ndr) = reads ? std::uint8_t{s2m_drs::mem_data_nxm} : std::uint8_t{0};
  } else {
    if (reads) transaction.drs = request.tee ? s2m_drs::mem_data_tee : s2m_drs::mem_data;
    if (fills) {
      // The holder of the line keeps it.
    } else if (claim.range->coherency == Coherency::hdm_db) {
      transaction.coherent = true;
      const std::uint8_t ndr = coherence_.accept(request);  // may send, and open transactions
      transactions_[ticket].ndr = ndr;
    } else if (claim.range->coherency == Coherency::hdm_d) {
      transaction.ndr = answer_by_meta(request);
    } else if (!reads) {
      transaction.ndr = s2m_ndr::cmp;
    }
  }
  Transaction& accepted = transactions_[ticket];
  if (accepted.ndr != kNothing && has_tee_answer(request)) accepted.ndr = with_tee(accepted.ndr);
  accepted.answers = static_cast<std::uint8_t>((accepted.ndr != kNothing ? 1 : 0) + (accepted.drs != kNothing ? 1 : 0));
  if (claim.range == nullptr || (!reads && !writes)) {
    ready_.push({link_.edge(now + parameters_.answer_latency), ticket});
    if (ready_.size() == 1) engine_.set(actor_, ready_.front().when);
  } else {
    if (writes && is_partial(request.opcode)) ddr_.access(claim.device_address, false, DdrController::kNoTicket);
    ddr_.access(claim.device_address, writes, ticket);
  }
}

void MemoryDevice::access_done(std::uint32_t ticket, Picoseconds /*now*/) {
  answer(static_cast<std::uint16_t>(ticket));
}

void MemoryDevice::act(Picoseconds now) {
  while (!ready_.empty() && ready_.front().when <= now) answer(ready_.pop().ticket);
  if (!ready_.empty()) engine_.set(actor_, ready_.front().when);
}

void MemoryDevice::answer(std::uint16_t ticket) {
  const Transaction transaction = transactions_[ticket];  // the transaction may end in between
  if (transaction.ndr != kNothing) send(transaction, ticket, MessageClass::s2m_ndr, transaction.ndr);
  if (transaction.drs != kNothing) send(transaction, ticket, MessageClass::s2m_drs, transaction.drs);
}

void MemoryDevice::send(const Transaction& transaction, std::uint16_t ticket, MessageClass message_class,
                        std::uint8_t opcode) {
  Message message;
  message.address = transaction.request.address;
  message.tag = transaction.request.tag;
  message.ticket = ticket;
  message.message_class = message_class;
  message.opcode = opcode;
  message.answers = transaction.answers;
  message.tee = transaction.request.tee;
  message.tell = true;
  link_.send(message);
}

void MemoryDevice::left(const Message& message, Picoseconds now) {
  if (message.message_class == MessageClass::d2h_data) {
    cache_agent_->data_left(message, now);
    return;
  }
  Transaction& transaction = transactions_[message.ticket];
  const bool served = transaction.coherent && message.message_class == MessageClass::s2m_ndr;
  assert(transaction.answers > 0);
  if (--transaction.answers == 0) {
    free_.push_back(message.ticket);
    (transaction.request.message_class == MessageClass::m2s_req ? requests_ : requests_with_data_).lower(now);
    link_.release(transaction.request.message_class);
  }
  if (served) coherence_.served(message.address);
}

}  // namespace pmufab::cxl
