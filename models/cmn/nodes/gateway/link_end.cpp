// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/gateway/link_end.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "models/cmn/description/event_rows.h"

namespace pmufab::cmn {

namespace {

consteval unsigned ccla_event(std::string_view event) { return event_id(NodeType::ccla, event); }
constexpr unsigned kRxCxs = ccla_event("rx_cxs");
constexpr unsigned kTxCxs = ccla_event("tx_cxs");
constexpr unsigned kRxCxsAverageSize = ccla_event("rx_cxs_avg_size");
constexpr unsigned kTxCxsAverageSize = ccla_event("tx_cxs_avg_size");
constexpr unsigned kTxCxsLinkCreditBackpressure = ccla_event("tx_cxs_lcrd_backpressure");
constexpr unsigned kLinkCreditBufferOccupancy = ccla_event("link_crdbuf_occ");
constexpr unsigned kLinkCreditBufferAllocation = ccla_event("link_crdbuf_alloc");

constexpr unsigned kUnit = 16;      // bytes: the unit of sizes, and the size of a message's header
constexpr unsigned kAverage = 256;  // the accumulator wraps here

constexpr unsigned kMaximumCredits = 65536;
constexpr unsigned kMaximumEntries = 256;

}  // namespace

std::optional<LinkFault> fault_of(const LinkParameters& parameters) {
  const auto fault = [](const char* field, auto value, const char* allowed) {
    return LinkFault{field, fmt::format("is {}, must be {}", value, allowed)};
  };
  if (parameters.latency == 0) return fault("latency", parameters.latency, "at least 1 ps");
  if (parameters.cycles_per_flit == 0) return fault("cycles_per_flit", parameters.cycles_per_flit, "at least 1");
  if (parameters.flit_bytes != 16 && parameters.flit_bytes != 32 && parameters.flit_bytes != 64)
    return fault("flit_bytes", parameters.flit_bytes, "16, 32 or 64");
  if (parameters.link_credits == 0 || parameters.link_credits > kMaximumCredits)
    return fault("link_credits", parameters.link_credits, "1 ... 65536");
  for (const auto& [field, entries] : {std::pair{"rht_entries", parameters.rht_entries},
                                       {"reqtrk_entries", parameters.reqtrk_entries},
                                       {"write_buffers", parameters.write_buffers}}) {
    if (entries == 0 || entries > kMaximumEntries) return fault(field, entries, "1 ... 256");
  }
  if (parameters.node_latency == 0) return fault("node_latency", parameters.node_latency, "at least 1 cycle");
  return std::nullopt;
}

LinkEnd::LinkEnd(GatewayPort& port, const LinkParameters& parameters)
    : port_(port), parameters_(parameters), credits_(parameters.link_credits) {
  port_.add_occupancy(port_.sources().la, kLinkCreditBufferOccupancy, occupancy_);
  port_.add_cycles(port_.sources().la, kTxCxsLinkCreditBackpressure, lacks_credit_);
}

void LinkEnd::hand_over(const LinkMessage& message, Cycle now) {
  const Cycle ready = now + port_.latency();
  buffer_.push({message, ready, 1 + message.data_bytes / kUnit});
  occupancy_.change(1, 1, now);
  port_.fire(port_.sources().la, kLinkCreditBufferAllocation, now);
  port_.call(ready);
}

bool LinkEnd::send(Cycle now, LinkMessage& left) {
  if (buffer_.empty() || buffer_.front().ready > now || next_flit_ > now) return false;
  const Picoseconds when = port_.time_of(now);
  while (!credits_back_.empty() && credits_back_.front() <= when) {
    credits_back_.pop();
    ++credits_;
  }
  lacks_credit_.set(credits_ == 0, now);
  if (credits_ == 0) return false;
  --credits_;
  ++sent_;
  next_flit_ = now + parameters_.cycles_per_flit;
  Waiting& first = buffer_.front();
  const unsigned units = std::min(first.units_left, parameters_.flit_bytes / kUnit);
  first.units_left -= units;
  const bool last = first.units_left == 0;
  port_.fire(port_.sources().la, kTxCxs, now);
  count_size(tx_size_, kTxCxsAverageSize, units, now);
  show(true, units, last ? &first.message : nullptr);
  other_->receive({when + parameters_.latency, units, last}, first.message);
  if (!last) return false;
  left = first.message;
  buffer_.pop();
  occupancy_.change(1, -1, now);
  return true;
}

Cycle LinkEnd::next_send(Cycle now) const noexcept {
  if (buffer_.empty()) return kNoCycle;
  return std::max({now + 1, buffer_.front().ready, next_flit_});
}

void LinkEnd::receive(const CxsFlit& flit, const LinkMessage& message) {
  arriving_.push(flit);
  if (flit.last) arriving_messages_.push(message);
  port_.call(port_.mesh().clock().edges_before(flit.arrival));
}

bool LinkEnd::take(Cycle now, const LinkMessage*& last) {
  const Picoseconds when = port_.time_of(now);
  if (arriving_.empty() || arriving_.front().arrival > when) return false;
  const CxsFlit flit = arriving_.pop();
  other_->credits_back_.push(when + parameters_.latency);
  port_.fire(port_.sources().la, kRxCxs, now);
  count_size(rx_size_, kRxCxsAverageSize, flit.units, now);
  last = nullptr;
  if (flit.last) {
    taken_ = arriving_messages_.pop();
    last = &taken_;
  }
  show(false, flit.units, last);
  return true;
}

void LinkEnd::show(bool sent, unsigned units, const LinkMessage* last) {
  LinkFlit flit;
  flit.bytes = static_cast<std::uint8_t>(units * kUnit);
  if (last != nullptr) {
    flit.last = true;
    flit.kind = last->kind;
    flit.ra_entry = last->ra_entry;
    if (last->is_request()) {
      flit.address = last->request.addr;
    } else {
      flit.ha_entry = last->ha_entry;
    }
  }
  port_.mesh().show_link_flit(port_.node_id(), sent, flit);
}

void LinkEnd::count_size(Average& average, unsigned id, unsigned units, Cycle now) {
  average.sum += units;
  if (average.sum < kAverage) return;
  average.sum -= kAverage;
  port_.fire(port_.sources().la, id, now);
}

}  // namespace pmufab::cmn
