// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/host/host_cache.h"

#include <cassert>

namespace pmufab::cxl {

namespace {
// Message::ticket of data: the kind of its transaction.
constexpr std::uint16_t kSnoopData = 1;

bool forwards(std::uint8_t opcode) {
  return opcode == d2h_rsp::rsp_s_fwd_m || opcode == d2h_rsp::rsp_i_fwd_m || opcode == d2h_rsp::rsp_v_fwd_v;
}
}  // namespace

HostCache::HostCache(Engine& engine, Link& link, const HdmMap& map, const HostCacheParameters& parameters)
    : engine_(engine), link_(link), map_(map), parameters_(parameters), actor_(engine.add(*this)), lines_(256) {}

void HostCache::receive(const Message& message, Picoseconds now) {
  switch (message.message_class) {
    case MessageClass::d2h_req: {
      const LineTable::Index index = lines_.find(message.address);
      if (index != LineTable::kNone && lines_[index].busy) {
        held_.push(message);
      } else {
        take(message, now);
      }
      break;
    }
    case MessageClass::d2h_rsp:
      if (!forwards(message.opcode)) snoop_over(message, now);
      break;
    default:
      if (message.ticket == kSnoopData) {
        snoop_over(message, now);
        break;
      }
      switch (pulled_[message.tag]) {
        case d2h_req::wr_inv:
          respond(message, MessageClass::h2d_rsp, h2d_rsp::go, true);
          break;
        case d2h_req::wo_wr_inv:
        case d2h_req::wo_wr_inv_f:
          respond(message, MessageClass::h2d_rsp, h2d_rsp::ext_cmp, true);
          break;
        default:
          over(message.address, now);
          break;
      }
      break;
  }
}

void HostCache::take(const Message& request, Picoseconds now) {
  ++lines_[lines_.find_or_insert(request.address)].users;
  answers_.push({link_.edge(now + parameters_.host_latency), request});
  if (answers_.size() == 1) engine_.set(actor_, answers_.front().when);
}

void HostCache::act(Picoseconds now) {
  while (!answers_.empty() && answers_.front().when <= now) answer(answers_.pop().request);
  if (!answers_.empty()) engine_.set(actor_, answers_.front().when);
}

void HostCache::respond(const Message& request, MessageClass message_class, std::uint8_t opcode, bool last) {
  Message message;
  message.address = request.address;
  message.tag = request.tag;
  message.message_class = message_class;
  message.opcode = opcode;
  message.tell = last;
  link_.send(message);
}

void HostCache::answer(const Message& request) {
  const auto go = [&](bool last) { respond(request, MessageClass::h2d_rsp, h2d_rsp::go, last); };
  const auto data = [&] { respond(request, MessageClass::h2d_data, kH2dData, true); };
  const auto pull = [&](std::uint8_t opcode) {
    if (pulled_.size() <= request.tag) pulled_.resize(request.tag + 1U);
    pulled_[request.tag] = request.opcode;
    respond(request, MessageClass::h2d_rsp, opcode, false);
  };
  const HdmMap::Claim claim = map_.claim(request.address);
  const bool own = claim.range != nullptr && claim.range->coherency == Coherency::hdm_d;
  if (own && request.opcode <= d2h_req::rd_own_no_data) {
    respond(request, MessageClass::m2s_req, m2s_req::mem_rd_fwd, true);
    return;
  }
  if (own && (request.opcode == d2h_req::wo_wr_inv || request.opcode == d2h_req::wo_wr_inv_f)) {
    respond(request, MessageClass::m2s_req, m2s_req::mem_wr_fwd, true);
    return;
  }
  const bool error = request.address - parameters_.error_base < parameters_.error_size;
  switch (request.opcode) {
    case d2h_req::rd_curr:
      data();
      break;
    case d2h_req::rd_own:
    case d2h_req::rd_shared:
    case d2h_req::rd_any:
      go(false);
      data();
      break;
    case d2h_req::i_to_m_wr:
    case d2h_req::wr_cur:
    case d2h_req::dirty_evict:
      pull(error ? h2d_rsp::go_err_write_pull : h2d_rsp::go_write_pull);
      break;
    case d2h_req::clean_evict:
      if (parameters_.take_clean) {
        pull(h2d_rsp::go_write_pull);
      } else {
        respond(request, MessageClass::h2d_rsp, h2d_rsp::go_write_pull_drop, true);
      }
      break;
    case d2h_req::wo_wr_inv:
    case d2h_req::wo_wr_inv_f:
      pull(h2d_rsp::fast_go_write_pull);
      break;
    case d2h_req::wr_inv:
      pull(h2d_rsp::write_pull);
      break;
    default:
      go(true);
      break;
  }
}

void HostCache::left(const Message& message, Picoseconds now) { over(message.address, now); }

/// A request has got its last answer, or sent its data.
void HostCache::over(std::uint64_t address, Picoseconds /*now*/) {
  const LineTable::Index index = lines_.find(address);
  assert(index != LineTable::kNone && lines_[index].users > 0);
  if (--lines_[index].users == 0 && !lines_[index].busy) lines_.erase(index);
  send_snoops();
}

void HostCache::snoop(std::uint8_t opcode, std::uint64_t address, OperationClient& client, std::uint32_t user) {
  snoops_.push({&client, address, user, opcode});
  if (snoops_.size() == 1) send_snoops();
}

void HostCache::send_snoops() {
  while (!snoops_.empty() && lines_.find(snoops_.front().address) == LineTable::kNone) {
    const Snoop snoop = snoops_.pop();
    lines_[lines_.insert(snoop.address)].busy = true;
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint16_t>(sent_.size()));
      sent_.emplace_back();
    }
    Message message;
    message.address = snoop.address;
    message.tag = free_.back();
    message.message_class = MessageClass::h2d_req;
    message.opcode = snoop.opcode;
    free_.pop_back();
    sent_[message.tag] = snoop;
    link_.send(message);
  }
}

void HostCache::snoop_over(const Message& message, Picoseconds now) {
  const LineTable::Index index = lines_.find(message.address);
  assert(index != LineTable::kNone && lines_[index].busy);
  lines_.erase(index);
  const Snoop snoop = sent_[message.tag];
  free_.push_back(message.tag);
  for (std::size_t i = 0; i < held_.size();) {
    if (held_.at(i).address != message.address) {
      ++i;
      continue;
    }
    const Message request = held_.at(i);
    held_.erase(i);
    take(request, now);
  }
  send_snoops();
  snoop.client->completed(snoop.user, now);
}

}  // namespace pmufab::cxl
