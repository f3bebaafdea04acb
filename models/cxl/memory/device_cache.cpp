// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/memory/device_cache.h"

#include <algorithm>
#include <cassert>

namespace pmufab::cxl {

namespace {

/// @return the number of H2D messages that answer a request, data included.
std::uint8_t answers_to(std::uint8_t opcode) {
  switch (opcode) {
    case d2h_req::rd_own:
    case d2h_req::rd_shared:
    case d2h_req::rd_any:
    case d2h_req::wo_wr_inv:
    case d2h_req::wo_wr_inv_f:
    case d2h_req::wr_inv:
      return 2;
    default:
      return 1;
  }
}

bool evicts(std::uint8_t opcode) {
  return opcode == d2h_req::cl_flush || opcode == d2h_req::clean_evict || opcode == d2h_req::dirty_evict ||
         opcode == d2h_req::clean_evict_no_data;
}

bool pulls(std::uint8_t response) {
  return response == h2d_rsp::write_pull || response == h2d_rsp::go_write_pull ||
         response == h2d_rsp::fast_go_write_pull || response == h2d_rsp::go_err_write_pull;
}

}  // namespace

DeviceCache::DeviceCache(Engine& engine, Link& link, MemoryDevice& device, const DeviceCacheParameters& parameters)
    : engine_(engine), link_(link), parameters_(parameters), lines_(parameters.cache_lines) {
  device.set_cache_agent(this);
}

IssueResult DeviceCache::issue(std::uint8_t opcode, std::uint64_t address, std::uint32_t user,
                               OperationClient& client) {
  LineTable::Index index = lines_.find(address);
  if (index != LineTable::kNone && lines_[index].users != 0) {
    if (std::find(blocked_.begin(), blocked_.end(), &client) == blocked_.end()) blocked_.push_back(&client);
    return IssueResult::blocked;
  }
  const LineState state = index == LineTable::kNone ? LineState::invalid : lines_[index].state;
  switch (opcode) {
    case d2h_req::rd_own:
    case d2h_req::rd_own_no_data:
      if (state != LineState::exclusive && state != LineState::modified) break;
      lines_[index].state = LineState::modified;
      lines_.touch(index);
      return IssueResult::done;
    case d2h_req::rd_curr:
    case d2h_req::rd_shared:
    case d2h_req::rd_any:
      if (state == LineState::invalid) break;
      lines_.touch(index);
      return IssueResult::done;
    case d2h_req::clean_evict:
    case d2h_req::clean_evict_no_data:
      if (state != LineState::shared && state != LineState::exclusive) return IssueResult::done;
      break;
    case d2h_req::dirty_evict:
      if (state != LineState::modified) return IssueResult::done;
      break;
    case d2h_req::cl_flush:
      if (state == LineState::modified) opcode = d2h_req::dirty_evict;
      break;
    case d2h_req::cache_flushed:
      break;
    default:  // writes that bypass the cache
      if (state != LineState::invalid) set_state(index, LineState::invalid);
      break;
  }
  if (index == LineTable::kNone) index = lines_.insert(address);
  send(opcode, index, &client, user);
  return IssueResult::sent;
}

void DeviceCache::send(std::uint8_t opcode, LineTable::Index index, OperationClient* client, std::uint32_t user) {
  if (free_.empty()) [[unlikely]] {
    free_.push_back(static_cast<std::uint16_t>(requests_.size()));
    requests_.emplace_back();
  }
  Message message;
  message.address = lines_[index].address;
  message.tag = free_.back();
  message.message_class = MessageClass::d2h_req;
  message.opcode = opcode;
  free_.pop_back();
  requests_[message.tag] = {client, user, opcode, answers_to(opcode)};
  LineTable::Line& line = lines_[index];
  line.users = 1;
  if (evicts(opcode) && line.state != LineState::invalid) {
    line.busy = true;
    ++going_;
  }
  link_.send(message);
}

void DeviceCache::receive_cache(const Message& message, Picoseconds now) {
  if (message.message_class == MessageClass::h2d_req) {
    on_snoop(message);
  } else {
    on_answer(message, now);
  }
}

void DeviceCache::on_snoop(const Message& message) {
  const LineTable::Index index = lines_.find(message.address);
  const LineState state = index == LineTable::kNone ? LineState::invalid : lines_[index].state;
  const bool dirty = state == LineState::modified;
  Message answer = message;
  answer.message_class = MessageClass::d2h_rsp;
  if (state == LineState::invalid) {
    answer.opcode = d2h_rsp::rsp_i_hit_i;
  } else if (message.opcode == h2d_req::snp_data) {
    answer.opcode = dirty ? d2h_rsp::rsp_s_fwd_m : d2h_rsp::rsp_s_hit_se;
    set_state(index, LineState::shared);
  } else if (message.opcode == h2d_req::snp_inv) {
    answer.opcode = dirty ? d2h_rsp::rsp_i_fwd_m : d2h_rsp::rsp_i_hit_se;
    set_state(index, LineState::invalid);
    if (lines_[index].users == 0) lines_.erase(index);
  } else {
    answer.opcode = dirty ? d2h_rsp::rsp_v_fwd_v : d2h_rsp::rsp_v_hit_v;
  }
  link_.send(answer);
  if (dirty) send_data(message, true);
}

void DeviceCache::send_data(const Message& message, bool for_snoop) {
  Message data;
  data.address = message.address;
  data.tag = message.tag;
  data.ticket = for_snoop ? 1 : 0;
  data.message_class = MessageClass::d2h_data;
  data.opcode = kD2hData;
  data.tell = !for_snoop;
  link_.send(data);
}

void DeviceCache::on_answer(const Message& message, Picoseconds now) {
  Request& request = requests_[message.tag];
  if (message.message_class == MessageClass::h2d_rsp) {
    if (pulls(message.opcode)) {
      // The line stays busy until the data has left, which may be now or at a later edge.
      ++request.answers;
      send_data(message, false);
    }
    const LineTable::Index index = lines_.find(message.address);
    switch (request.opcode) {
      case d2h_req::rd_own:
      case d2h_req::rd_own_no_data:
        set_state(index, LineState::modified);
        break;
      case d2h_req::rd_shared:
        set_state(index, LineState::shared);
        break;
      case d2h_req::rd_any:
        set_state(index, LineState::exclusive);
        break;
      case d2h_req::cache_flushed:
        break;
      default:
        set_state(index, LineState::invalid);
        break;
    }
    if (lines_[index].state != LineState::invalid) lines_.touch(index);
  }
  one_less(message, now);
}

void DeviceCache::data_left(const Message& message, Picoseconds now) { one_less(message, now); }

void DeviceCache::one_less(const Message& message, Picoseconds now) {
  Request& request = requests_[message.tag];
  assert(request.answers > 0);
  if (--request.answers == 0) finish(message, now);
}

bool DeviceCache::forwarded(const Message& message, Picoseconds now) {
  const bool wanted = requests_[message.tag].opcode != d2h_req::rd_own_no_data;
  finish(message, now);
  return wanted;
}

void DeviceCache::finish(const Message& message, Picoseconds now) {
  const Request request = requests_[message.tag];
  free_.push_back(message.tag);
  const LineTable::Index index = lines_.find(message.address);
  lines_[index].users = 0;
  if (lines_[index].state == LineState::invalid) lines_.erase(index);
  make_room();
  if (request.client != nullptr) request.client->completed(request.user, now);
  if (blocked_.empty()) [[likely]]
    return;
  told_.swap(blocked_);
  for (OperationClient* const client : told_) client->unblocked(now);
  told_.clear();
}

void DeviceCache::set_state(LineTable::Index index, LineState state) {
  LineTable::Line& line = lines_[index];
  if (line.state != LineState::invalid) --tracked_;
  if (state != LineState::invalid) ++tracked_;
  line.state = state;
  if (state == LineState::invalid && line.busy) {
    line.busy = false;
    --going_;
  }
}

void DeviceCache::make_room() {
  LineTable::Index index = lines_.oldest();
  const std::size_t stay = tracked_ - going_;
  std::size_t excess = stay > parameters_.cache_lines ? stay - parameters_.cache_lines : 0;
  while (excess > 0 && index != LineTable::kNone) {
    const LineTable::Line& line = lines_[index];
    if (line.state != LineState::invalid && line.users == 0) {
      --excess;
      send(line.state == LineState::modified ? d2h_req::dirty_evict : d2h_req::clean_evict, index, nullptr, 0);
    }
    index = lines_[index].newer;
  }
}

}  // namespace pmufab::cxl
