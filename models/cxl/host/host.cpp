// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/host/host.h"

#include <algorithm>
#include <cassert>

#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {

namespace {

/// What an operation sends, apart from the state of the line.
struct Sent {
  MessageClass message_class;
  std::uint8_t opcode;
  std::uint8_t tee_opcode;
  Meta meta;
};

constexpr std::array<Sent, kHostOperationKinds> kSent = {{
    {MessageClass::m2s_req, m2s_req::mem_rd, m2s_req::mem_rd_tee, Meta::invalid},
    {MessageClass::m2s_req, m2s_req::mem_rd_data, m2s_req::mem_rd_data_tee, Meta::none},
    {MessageClass::m2s_req, m2s_req::mem_rd, m2s_req::mem_rd_tee, Meta::shared},
    {MessageClass::m2s_req, m2s_req::mem_rd, m2s_req::mem_rd_tee, Meta::any},
    {MessageClass::m2s_rwd, m2s_rwd::mem_wr, m2s_rwd::mem_wr_tee, Meta::invalid},
    {MessageClass::m2s_rwd, m2s_rwd::mem_wr_ptl, m2s_rwd::mem_wr_ptl_tee, Meta::invalid},
    {MessageClass::m2s_req, m2s_req::mem_inv, m2s_req::mem_inv_tee, Meta::any},
    {MessageClass::m2s_req, m2s_req::mem_inv, m2s_req::mem_inv_tee, Meta::shared},
    {MessageClass::m2s_req, m2s_req::mem_inv, m2s_req::mem_inv_tee, Meta::invalid},
    {MessageClass::m2s_req, m2s_req::mem_inv_nt, m2s_req::mem_inv_nt_tee, Meta::invalid},
    {MessageClass::m2s_req, m2s_req::mem_spec_rd, m2s_req::mem_spec_rd_tee, Meta::none},
    {MessageClass::m2s_req, m2s_req::mem_cln_evct, m2s_req::mem_cln_evct_tee, Meta::invalid},
    {MessageClass::m2s_req, m2s_req::mem_cln_evct_u, m2s_req::mem_cln_evct_u, Meta::invalid},
    {MessageClass::m2s_req, m2s_req::te_update, m2s_req::te_update, Meta::invalid},
    {MessageClass::m2s_rwd, m2s_rwd::mem_rd_fill, m2s_rwd::mem_rd_fill_tee, Meta::none},
    {MessageClass::h2d_req, h2d_req::snp_data, h2d_req::snp_data, Meta::none},
    {MessageClass::h2d_req, h2d_req::snp_inv, h2d_req::snp_inv, Meta::none},
    {MessageClass::h2d_req, h2d_req::snp_cur, h2d_req::snp_cur, Meta::none},
}};

Message message_of(const HostOperation& operation) {
  const Sent& sent = kSent[static_cast<unsigned>(operation.kind)];
  Message message;
  message.address = operation.address;
  message.message_class = sent.message_class;
  message.opcode = operation.tee ? sent.tee_opcode : sent.opcode;
  message.meta = sent.meta;
  message.tee = operation.tee;
  return message;
}

const HostParameters& checked(const HostParameters& parameters) {
  check(parameters);
  return parameters;
}

}  // namespace

void check(const HostParameters& parameters) {
  constexpr Picoseconds kMostLatency = 1'000'000'000'000;  // 1 s: a larger value is a mistake of units
  if (parameters.host_lines == 0) throw SpecError("lines", "are 0", "use 1 or more");
  if (parameters.cache.host_latency > kMostLatency) throw SpecError("latency", "is more than 1 s");
}

Host::Host(const std::string& name, Engine& engine, Link& link, const HdmMap& map, const HostParameters& parameters)
    : engine_(engine),
      link_(link),
      map_(map),
      parameters_(checked(parameters)),
      probes_(name, map),
      cache_(engine, link, map, parameters.cache),
      lines_(parameters.host_lines) {
  link.attach(LinkEnd::upper, *this, &probes_);
}

std::uint64_t Host::pending() const noexcept {
  return requests_.size() - free_.size() + open_snoops_ + cache_.pending();
}

IssueResult Host::issue(const HostOperation& operation, OperationClient& client) {
  Message message = message_of(operation);
  if (message.message_class == MessageClass::h2d_req) {
    cache_.snoop(message.opcode, message.address, client, operation.user);
    return IssueResult::sent;
  }
  if (operation.kind == HostOperationKind::speculative_read) {
    link_.send(message);
    return IssueResult::done;
  }
  const unsigned decoder = map_.decoder(message.address);
  const Coherency coherency = decoder == kNoHdmDecoder ? Coherency::hdm_h : map_.range(decoder).coherency;
  if (coherency == Coherency::hdm_db && operation.kind != HostOperationKind::read_fill)
    return issue_coherent(operation, client);
  if (coherency == Coherency::hdm_h && operation.kind == HostOperationKind::read) message.meta = Meta::none;
  Request request;
  request.client = &client;
  request.user = operation.user;
  send(message, request);
  return IssueResult::sent;
}

IssueResult Host::issue_coherent(const HostOperation& operation, OperationClient& client) {
  const LineTable::Index index = lines_.find(operation.address);
  const LineState state = index == LineTable::kNone ? LineState::invalid : lines_[index].state;
  if (index != LineTable::kNone && (lines_[index].busy || lines_[index].users != 0)) {
    if (std::find(blocked_.begin(), blocked_.end(), &client) == blocked_.end()) blocked_.push_back(&client);
    return IssueResult::blocked;
  }
  Message message = message_of(operation);
  bool dirties = false;
  switch (operation.kind) {
    case HostOperationKind::read:
    case HostOperationKind::load:
    case HostOperationKind::load_shared:
    case HostOperationKind::invalidate_shared:
      if (state == LineState::invalid) break;
      lines_.touch(index);
      return IssueResult::done;
    case HostOperationKind::store:
    case HostOperationKind::invalidate:
      dirties = true;
      if (state == LineState::exclusive || state == LineState::modified) {
        lines_[index].state = LineState::modified;
        lines_.touch(index);
        return IssueResult::done;
      }
      if (state == LineState::shared && operation.kind == HostOperationKind::store)
        message.opcode = operation.tee ? m2s_req::mem_inv_tee : m2s_req::mem_inv;
      break;
    case HostOperationKind::clean_evict:
    case HostOperationKind::clean_evict_unknown:
      if (state != LineState::shared && state != LineState::exclusive) return IssueResult::done;
      [[fallthrough]];
    default:
      if (state != LineState::invalid) set_state(index, LineState::invalid);
      break;
  }
  request_coherent(message, &client, operation.user, dirties);
  return IssueResult::sent;
}

void Host::request_coherent(Message message, OperationClient* client, std::uint32_t user, bool dirties) {
  ++lines_[lines_.find_or_insert(message.address)].users;
  Request request;
  request.client = client;
  request.user = user;
  request.cached = true;
  request.dirties = dirties;
  send(message, request);
}

void Host::send(const Message& message, const Request& request) {
  if (free_.empty()) [[unlikely]] {
    assert(requests_.size() < 0xffff);
    free_.push_back(static_cast<std::uint16_t>(requests_.size()));
    requests_.emplace_back();
  }
  Message tagged = message;
  tagged.tag = free_.back();
  free_.pop_back();
  requests_[tagged.tag] = request;
  link_.send(tagged);
}

bool Host::receive(const Message& message, Picoseconds now) {
  switch (message.message_class) {
    case MessageClass::s2m_ndr:
      on_ndr(message, now);
      break;
    case MessageClass::s2m_drs:
      on_drs(message, now);
      break;
    case MessageClass::s2m_bisnp:
      on_snoop(message, now);
      break;
    default:
      cache_.receive(message, now);
      break;
  }
  return true;
}

void Host::left(const Message& message, Picoseconds now) { cache_.left(message, now); }

void Host::on_ndr(const Message& message, Picoseconds now) {
  if (message.opcode == s2m_ndr::bi_conflict_ack) {
    answer_snoop(message.tag, now);
    return;
  }
  const Request request = requests_[message.tag];
  if (request.cached) {
    const LineTable::Index index = lines_.find(message.address);
    assert(index != LineTable::kNone && lines_[index].users > 0);
    --lines_[index].users;
    switch (message.opcode) {
      case s2m_ndr::cmp_s:
      case s2m_ndr::cmp_s_tee:
        set_state(index, LineState::shared);
        break;
      case s2m_ndr::cmp_e:
      case s2m_ndr::cmp_e_tee:
        set_state(index, request.dirties ? LineState::modified : LineState::exclusive);
        break;
      case s2m_ndr::cmp_m:
        set_state(index, LineState::modified);
        break;
      default:
        break;
    }
    if (message.opcode != s2m_ndr::cmp && message.opcode != s2m_ndr::cmp_tee) lines_.touch(index);
    forget_if_unused(index);
    make_room();
  }
  if (++requests_[message.tag].answers == message.answers) finish(message.tag, now);
  if (request.snoop != kNoSnoop && --snoops_[request.snoop].waiting == 0) respond(request.snoop, now);
  if (request.cached) tell_blocked(now);
}

void Host::on_drs(const Message& message, Picoseconds now) {
  // No NDR will come: no decoder of the device claims the address, or the memory is now of another kind.
  if (message.answers == 1 && requests_[message.tag].cached) {
    const LineTable::Index index = lines_.find(message.address);
    --lines_[index].users;
    forget_if_unused(index);
    tell_blocked(now);  // may send, which may move requests_
  }
  if (++requests_[message.tag].answers == message.answers) finish(message.tag, now);
}

void Host::finish(std::uint16_t tag, Picoseconds now) {
  const Request request = requests_[tag];
  free_.push_back(tag);
  if (request.client != nullptr) request.client->completed(request.user, now);
}

void Host::on_snoop(const Message& message, Picoseconds now) {
  std::uint16_t number = 0;
  while (number < snoops_.size() && snoops_[number].used) ++number;
  if (number == snoops_.size()) snoops_.emplace_back();
  snoops_[number] = {};
  snoops_[number].message = message;
  snoops_[number].used = true;
  ++open_snoops_;
  bool conflict = false;
  for (unsigned i = 0; i < message.lines; ++i) {
    LineTable::Line& line = lines_[lines_.find_or_insert(message.address + std::uint64_t{i} * 64)];
    line.busy = true;
    if (line.users != 0) conflict = true;
  }
  if (!conflict) {
    answer_snoop(number, now);
    return;
  }
  Message reply;
  reply.address = message.address;
  reply.tag = number;
  reply.message_class = MessageClass::m2s_rwd;
  reply.opcode = m2s_rwd::bi_conflict;
  link_.send(reply);
}

void Host::answer_snoop(std::uint16_t number, Picoseconds now) {
  const Message message = snoops_[number].message;
  const unsigned kind = message.opcode & 3U;
  // Write-backs may end within send(): hold the answer until all are under way.
  snoops_[number].waiting = 1;
  for (unsigned i = 0; i < message.lines; ++i) {
    const LineTable::Index index = lines_.find(message.address + std::uint64_t{i} * 64);
    const LineState state = lines_[index].state;
    LineState kept = state;
    if (kind == s2m_bisnp::inv) kept = LineState::invalid;
    if (kind == s2m_bisnp::data && state != LineState::invalid) kept = LineState::shared;
    if (kind == s2m_bisnp::cur && state == LineState::modified) kept = LineState::exclusive;
    snoops_[number].answers[i] = kept;
    if (kept != state) set_state(index, kept);
    if (state != LineState::modified) continue;
    Message write;
    write.address = message.address + std::uint64_t{i} * 64;
    write.message_class = MessageClass::m2s_rwd;
    write.opcode = m2s_rwd::mem_wr;
    write.meta = kept == LineState::invalid ? Meta::invalid : kept == LineState::shared ? Meta::shared : Meta::any;
    Request request;
    request.snoop = number;
    ++snoops_[number].waiting;
    send(write, request);
  }
  if (--snoops_[number].waiting == 0) respond(number, now);
}

void Host::respond(std::uint16_t number, Picoseconds now) {
  const Snoop snoop = snoops_[number];
  snoops_[number].used = false;
  --open_snoops_;
  const unsigned lines = snoop.message.lines;
  bool alike = true;
  for (unsigned i = 0; i < lines; ++i) {
    alike = alike && snoop.answers[i] == snoop.answers[0];
    const LineTable::Index index = lines_.find(snoop.message.address + std::uint64_t{i} * 64);
    lines_[index].busy = false;
    forget_if_unused(index);
  }
  const auto send_answer = [&](unsigned line, unsigned block) {
    Message answer;
    answer.address = snoop.message.address + std::uint64_t{line} * 64;
    answer.message_class = MessageClass::m2s_birsp;
    answer.lines = static_cast<std::uint8_t>(block);
    const LineState state = snoop.answers[line];
    const unsigned code = state == LineState::invalid ? 0 : state == LineState::shared ? 1 : 2;
    answer.opcode = static_cast<std::uint8_t>(code + (block > 1 ? 4 : 0));
    link_.send(answer);
  };
  if (alike) {
    send_answer(0, lines);
  } else {
    for (unsigned i = 0; i < lines; ++i) send_answer(i, 1);
  }
  tell_blocked(now);
}

void Host::set_state(LineTable::Index index, LineState state) {
  LineTable::Line& line = lines_[index];
  if (line.state != LineState::invalid) --tracked_;
  if (state != LineState::invalid) ++tracked_;
  line.state = state;
}

void Host::forget_if_unused(LineTable::Index index) {
  const LineTable::Line& line = lines_[index];
  if (line.state == LineState::invalid && !line.busy && line.users == 0) lines_.erase(index);
}

void Host::make_room() {
  LineTable::Index index = lines_.oldest();
  while (tracked_ > parameters_.host_lines && index != LineTable::kNone) {
    const LineTable::Line line = lines_[index];
    const LineTable::Index next = line.newer;
    if (line.state != LineState::invalid && !line.busy && line.users == 0) {
      Message message;
      message.address = line.address;
      message.meta = Meta::invalid;
      message.message_class = line.state == LineState::modified ? MessageClass::m2s_rwd : MessageClass::m2s_req;
      message.opcode =
          line.state == LineState::modified ? std::uint8_t{m2s_rwd::mem_wr} : std::uint8_t{m2s_req::mem_cln_evct};
      set_state(index, LineState::invalid);
      request_coherent(message, nullptr, 0, false);
    }
    index = next;
  }
}

void Host::tell_blocked(Picoseconds now) {
  if (blocked_.empty()) [[likely]]
    return;
  // A client may be blocked again.
  told_.swap(blocked_);
  for (OperationClient* const client : told_) client->unblocked(now);
  told_.clear();
}

}  // namespace pmufab::cxl
