// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/memory/back_invalidate.h"

#include <cassert>

namespace pmufab::cxl {

BackInvalidate::BackInvalidate(Link& link, CoherentMemory& memory, const BackInvalidateParameters& parameters)
    : link_(link),
      memory_(memory),
      parameters_(parameters),
      filter_(parameters.filter_lines),
      device_(parameters.device_lines) {}

void BackInvalidate::set_state(LineTable::Index index, LineState state) {
  LineTable::Line& line = filter_[index];
  if (line.state != LineState::invalid) --tracked_;
  if (state != LineState::invalid) ++tracked_;
  line.state = state;
  if (state != LineState::invalid) filter_.touch(index);
}

void BackInvalidate::forget_if_unused(LineTable::Index index) {
  const LineTable::Line& line = filter_[index];
  if (line.state == LineState::invalid && !line.busy && line.users == 0) filter_.erase(index);
}

std::uint8_t BackInvalidate::accept(const Message& request) {
  const LineTable::Index index = filter_.find_or_insert(request.address);
  ++filter_[index].users;
  std::uint8_t answer = s2m_ndr::cmp;
  if (request.message_class == MessageClass::m2s_req) {
    const LineState own = device_.state(request.address);
    switch (request.opcode) {
      case m2s_req::mem_rd_data:
      case m2s_req::mem_rd_data_tee:
        answer = own != LineState::invalid ? s2m_ndr::cmp_s : s2m_ndr::cmp_e;
        break;
      case m2s_req::mem_cln_evct:
      case m2s_req::mem_cln_evct_tee:
      case m2s_req::mem_cln_evct_u:
        set_state(index, LineState::invalid);
        break;
      default:
        if (request.meta == Meta::any) answer = own == LineState::modified ? s2m_ndr::cmp_m : s2m_ndr::cmp_e;
        if (request.meta == Meta::shared) answer = s2m_ndr::cmp_s;
        const bool reads = request.opcode == m2s_req::mem_rd || request.opcode == m2s_req::mem_rd_tee;
        if (request.meta == Meta::invalid || (request.meta == Meta::none && !reads))
          set_state(index, LineState::invalid);
        break;
    }
    if (answer == s2m_ndr::cmp_s) {
      set_state(index, LineState::shared);
      give_up(request.address, true);
    } else if (answer != s2m_ndr::cmp) {
      set_state(index, LineState::exclusive);
      give_up(request.address, false);
    }
  } else if (request.meta != Meta::none) {
    set_state(index, request.meta == Meta::invalid  ? LineState::invalid
                     : request.meta == Meta::shared ? LineState::shared
                                                    : LineState::exclusive);
  }
  make_room(request.tee);
  return answer;
}

void BackInvalidate::served(std::uint64_t address) {
  const LineTable::Index index = filter_.find(address);
  assert(index != LineTable::kNone && filter_[index].users > 0);
  --filter_[index].users;
  forget_if_unused(index);
  if (!local_.empty()) run_local();
}

void BackInvalidate::make_room(bool tee) {
  while (tracked_ > parameters_.filter_lines) {
    LineTable::Index index = filter_.oldest();
    while (index != LineTable::kNone &&
           (filter_[index].state == LineState::invalid || filter_[index].busy || filter_[index].users != 0))
      index = filter_[index].newer;
    if (index == LineTable::kNone) return;
    snoop(s2m_bisnp::inv, filter_[index].address, tee);
  }
}

bool BackInvalidate::can_snoop(std::uint64_t address, std::uint8_t kind) const noexcept {
  const LineTable::Index index = filter_.find(address);
  if (index == LineTable::kNone) return false;
  const LineTable::Line& line = filter_[index];
  if (line.busy || line.users != 0) return false;
  return kind == s2m_bisnp::inv ? line.state != LineState::invalid : line.state == LineState::exclusive;
}

void BackInvalidate::snoop(std::uint8_t kind, std::uint64_t address, bool tee) {
  Message message;
  message.message_class = MessageClass::s2m_bisnp;
  message.tee = tee;
  if (parameters_.block_snoops) {
    for (const unsigned lines : {4U, 2U}) {
      const std::uint64_t base = address & ~(std::uint64_t{lines} * 64 - 1);
      bool all = true;
      for (unsigned i = 0; i < lines && all; ++i) all = can_snoop(base + std::uint64_t{i} * 64, kind);
      if (!all) continue;
      message.lines = static_cast<std::uint8_t>(lines);
      address = base;
      break;
    }
  }
  message.address = address;
  message.opcode = static_cast<std::uint8_t>(kind + (message.lines > 1 ? 4 : 0) + (tee ? 8 : 0));
  for (unsigned i = 0; i < message.lines; ++i) {
    const LineTable::Index index = filter_.find(address + std::uint64_t{i} * 64);
    filter_[index].busy = true;
    ++snoops_;
    if (kind == s2m_bisnp::inv) set_state(index, LineState::invalid);
  }
  link_.send(message);
}

void BackInvalidate::answered(const Message& answer) {
  const bool block = answer.opcode >= m2s_birsp::i_blk;
  const auto code = static_cast<std::uint8_t>(answer.opcode - (block ? m2s_birsp::i_blk : m2s_birsp::i));
  for (unsigned i = 0; i < (block ? answer.lines : 1U); ++i) {
    const LineTable::Index index = filter_.find(answer.address + std::uint64_t{i} * 64);
    // If software changed the decoders of a switch meanwhile, the answer may have reached the wrong device.
    if (index == LineTable::kNone || !filter_[index].busy) continue;
    filter_[index].busy = false;
    --snoops_;
    const LineState state = code == m2s_birsp::i   ? LineState::invalid
                            : code == m2s_birsp::s ? LineState::shared
                                                   : LineState::exclusive;
    // The answer holds what the host still has. A line already forgotten stays so.
    if (filter_[index].state != LineState::invalid) set_state(index, state);
    forget_if_unused(index);
  }
  if (!local_.empty()) run_local();
  // A request that continues may make other lines busy.
  for (std::size_t i = 0; i < held_.size();) {
    if (is_busy(held_.at(i).address)) {
      ++i;
      continue;
    }
    const Message request = held_.at(i);
    held_.erase(i);
    memory_.resume(request);
  }
}

void BackInvalidate::local(LocalOperation operation, std::uint64_t address, bool tee) {
  local_.push({address, operation, tee});
  if (local_.size() == 1) run_local();
}

void BackInvalidate::run_local() {
  while (!local_.empty() && begin(local_.front())) {
    local_.pop();
    snooped_ = false;
    memory_.local_done();
  }
}

/// @return false if it must wait.
bool BackInvalidate::begin(const Local& local) {
  const LineTable::Index index = filter_.find(local.address);
  const LineState host = index == LineTable::kNone ? LineState::invalid : filter_[index].state;
  if (index != LineTable::kNone && (filter_[index].busy || filter_[index].users != 0)) return false;
  const LineTable::Index own = device_.find(local.address);
  if (own != LineTable::kNone) device_.touch(own);
  if (local.operation != LocalOperation::store) {
    if (own != LineTable::kNone) return true;
    if (host == LineState::exclusive && !snooped_) {
      snooped_ = true;
      snoop(local.operation == LocalOperation::read ? s2m_bisnp::cur : s2m_bisnp::data, local.address, local.tee);
      return false;
    }
    memory_.access(local.address, false);
    if (local.operation == LocalOperation::load)
      cache(local.address, host != LineState::invalid ? LineState::shared : LineState::exclusive);
    return true;
  }
  if (own != LineTable::kNone && device_[own].state != LineState::shared) {
    device_[own].state = LineState::modified;
    return true;
  }
  if (host != LineState::invalid) {
    snooped_ = true;
    snoop(s2m_bisnp::inv, local.address, local.tee);
    return false;
  }
  if (own == LineTable::kNone) {
    memory_.access(local.address, false);
    cache(local.address, LineState::modified);
  } else {
    device_[own].state = LineState::modified;
  }
  return true;
}

void BackInvalidate::cache(std::uint64_t address, LineState state) {
  device_[device_.insert(address)].state = state;
  if (device_.size() <= parameters_.device_lines) return;
  const LineTable::Index victim = device_.oldest();
  if (device_[victim].state == LineState::modified) memory_.access(device_[victim].address, true);
  device_.erase(victim);
}

void BackInvalidate::give_up(std::uint64_t address, bool shared) {
  const LineTable::Index index = device_.find(address);
  if (index == LineTable::kNone) return;
  if (shared) {
    device_[index].state = LineState::shared;
  } else {
    device_.erase(index);
  }
}

}  // namespace pmufab::cxl
