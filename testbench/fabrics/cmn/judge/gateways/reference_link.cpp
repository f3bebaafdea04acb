// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/gateways/reference_link.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace pmufab::scoreboard {

using cmn::Cycle;
using cmn::LinkFlit;
using Kind = LinkFlit::Kind;

namespace {

constexpr unsigned kRxCxs = 0x21;
constexpr unsigned kTxCxs = 0x22;
constexpr unsigned kRxCxsAvgSize = 0x23;
constexpr unsigned kTxCxsAvgSize = 0x24;
constexpr unsigned kTxCxsLcrdBackpressure = 0x25;
constexpr unsigned kLinkCrdbufOcc = 0x26;
constexpr unsigned kLinkCrdbufAlloc = 0x27;

constexpr unsigned kUnitBytes = 16;     // unit of sizes
constexpr unsigned kAverageWrap = 256;  // the accumulators have 8 bits

unsigned bytes_of(const ReferenceLinkMessage& message) {
  constexpr unsigned kHeader = 16;
  constexpr unsigned kHalfLine = 32;
  if (message.kind == Kind::read || message.kind == Kind::write_answer) return kHeader;
  return kHeader + (has_two_flits(message.request) ? 2 : 1) * kHalfLine;
}

LinkFlit flit_of(const ReferenceLinkMessage& message, unsigned bytes, bool last) {
  LinkFlit flit;
  flit.bytes = static_cast<std::uint8_t>(bytes);
  flit.last = last;
  if (!last) return flit;
  flit.kind = message.kind;
  flit.ra_entry = message.ra_entry;
  if (message.is_request()) {
    flit.address = message.request.addr & ~kOtherMesh;
  } else {
    flit.ha_entry = message.ha_entry;
  }
  return flit;
}

std::string describe(const LinkFlit& flit) {
  constexpr std::array<std::string_view, 4> kKinds{"a read", "a write", "the answer to a read",
                                                   "the answer to a write"};
  if (!flit.last) return fmt::format("{} bytes of a message", flit.bytes);
  std::string text = fmt::format("the last {} bytes of {}, RHT entry {}", flit.bytes,
                                 kKinds.at(static_cast<std::size_t>(flit.kind)), flit.ra_entry);
  if (flit.address != 0) text += fmt::format(", address {:#x}", flit.address);
  return text;
}

}  // namespace

ReferenceLinkEnd::ReferenceLinkEnd(const ReferenceLinkParameters& parameters, NodeCounts& counts,
                                   const ReferenceSurroundings& around, ReferenceLinkUser& user)
    : parameters_(parameters), counts_(counts), around_(around), user_(user), credits_(parameters.link_credits) {}

void ReferenceLinkEnd::connect(ReferenceLinkEnd& one, ReferenceLinkEnd& other) {
  one.other_ = &other;
  other.other_ = &one;
}

void ReferenceLinkEnd::hand_over(Cycle now, const ReferenceLinkMessage& message) {
  buffer_.push_back({message, now + parameters_.node_latency, bytes_of(message)});
  counts_.fire(kLinkCrdbufAlloc);
  counts_.occupy(kLinkCrdbufOcc, 1, 1, now);
  if (buffer_.size() == 1) user_.wake_link(std::max(buffer_.front().ready, next_flit_));
}

void ReferenceLinkEnd::take(Cycle now) {
  while (!arriving_.empty() && arriving_.front().arrival <= around_.time_of(now)) {
    const Arriving one = arriving_.front();
    arriving_.pop_front();
    count_flit(kRxCxs, kRxCxsAvgSize, rx_units_, one.flit.bytes);
    due_taken_.push_back({now, one.flit});
    other_->credit_returns(around_.time_of(now) + parameters_.latency);
    if (one.flit.last) user_.message_arrived(now, one.message);
  }
}

void ReferenceLinkEnd::send(Cycle now) {
  for (; !credits_back_.empty() && credits_back_.front() <= now; credits_back_.pop_front()) ++credits_;
  const bool could = !buffer_.empty() && buffer_.front().ready <= now && next_flit_ <= now;
  counts_.hold(kTxCxsLcrdBackpressure, could && credits_ == 0, now);
  if (!could || credits_ == 0) return;
  Waiting& first = buffer_.front();
  const unsigned bytes = std::min(first.bytes, parameters_.flit_bytes);
  first.bytes -= bytes;
  const bool last = first.bytes == 0;
  --credits_;
  next_flit_ = now + parameters_.cycles_per_flit;
  count_flit(kTxCxs, kTxCxsAvgSize, tx_units_, bytes);
  const ReferenceLinkMessage message = first.message;
  const LinkFlit flit = flit_of(message, bytes, last);
  due_sent_.push_back({now, flit});
  if (other_ != nullptr) {
    const Picoseconds arrival = around_.time_of(now) + parameters_.latency;
    other_->arriving_.push_back({arrival, flit, message});
    other_->user_.wake_link(other_->around_.cycle_from(arrival));
  }
  if (last) {
    buffer_.pop_front();
    counts_.occupy(kLinkCrdbufOcc, 1, -1, now);
    user_.message_left(now, message);
  }
  if (!buffer_.empty()) user_.wake_link(std::max(buffer_.front().ready, next_flit_));
}

void ReferenceLinkEnd::credit_returns(Picoseconds when) {
  credits_back_.push_back(around_.cycle_from(when));
  user_.wake_link(credits_back_.back());
}

void ReferenceLinkEnd::count_flit(unsigned flits, unsigned sizes, unsigned& sum, unsigned bytes) {
  counts_.fire(flits);
  sum += bytes / kUnitBytes;
  if (sum < kAverageWrap) return;
  sum -= kAverageWrap;
  counts_.fire(sizes);
}

void ReferenceLinkEnd::seen(Cycle now, bool sent, const LinkFlit& flit) {
  const char* const verb = sent ? "sends" : "takes";
  std::deque<Due>& due = sent ? due_sent_ : due_taken_;
  for (; !due.empty() && due.front().cycle < now; due.pop_front())
    user_.fail_link("link_flit_missing", fmt::format("it {} no flit in cycle {}, which must be {}", verb,
                                                     due.front().cycle, describe(due.front().flit)));
  if (due.empty() || due.front().cycle != now) {
    user_.fail_link("link_flit_unexpected",
                    fmt::format("it {} {} in cycle {}, for no reason", verb, describe(flit), now));
    return;
  }
  if (due.front().flit != flit)
    user_.fail_link("link_flit_unexpected", fmt::format("in cycle {} it {} {}, which must be {}", now, verb,
                                                        describe(flit), describe(due.front().flit)));
  due.pop_front();
}

void ReferenceLinkEnd::finish() const {
  for (const Waiting& one : buffer_)
    user_.fail_link("link_flit_missing", fmt::format("it never sends {}", describe(flit_of(one.message, 0, true))));
  for (const Due& one : due_sent_)
    user_.fail_link("link_flit_missing", fmt::format("it does not send {} in cycle {}", describe(one.flit), one.cycle));
  for (const Due& one : due_taken_)
    user_.fail_link("link_flit_missing", fmt::format("it does not take {} in cycle {}", describe(one.flit), one.cycle));
}

}  // namespace pmufab::scoreboard
