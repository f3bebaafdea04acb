// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/memory/axi_side.h"

#include <algorithm>
#include <stdexcept>

namespace pmufab::cmn {

Cycle AxiChannel::present(Cycle now) noexcept {
  if (used_ && now <= last_) {
    last_ += period_;
    return last_;
  }
  if (used_) waited_ += (last_ - begin_ + 1) - ((last_ - first_) / period_ + 1);
  const Cycle ready = ready_again();
  if (now > ready) idled_ += now - ready;
  begin_ = now;
  first_ = last_ = std::max(now, ready);
  used_ = true;
  return last_;
}

std::uint64_t AxiChannel::Waiting::cycles(Cycle end) const noexcept {
  const AxiChannel& channel = channel_;
  if (!channel.used_ || end <= channel.begin_) return channel.waited_;
  const Cycle until = std::min(end, channel.last_ + 1);
  const std::uint64_t hand_overs = until <= channel.first_ ? 0 : (until - 1 - channel.first_) / channel.period_ + 1;
  return channel.waited_ + (until - channel.begin_) - hand_overs;
}

std::uint64_t AxiChannel::Idle::cycles(Cycle end) const noexcept {
  const Cycle ready = channel_.ready_again();
  return end > ready ? channel_.idled_ + (end - ready) : channel_.idled_;
}

AxiSide::AxiSide(const AxiParameters& parameters)
    : parameters_(parameters), ar_(parameters.ar_period), aw_(parameters.aw_period), w_(parameters.w_period) {
  if (parameters.ar_period == 0 || parameters.aw_period == 0 || parameters.w_period == 0)
    throw std::invalid_argument("ar_period, aw_period, w_period: at most one hand-over per cycle; use 1 or more");
  if (parameters.read_latency == 0 || parameters.write_latency == 0)
    throw std::invalid_argument("read_latency, write_latency: an answer takes a cycle or more; use 1 or more");
}

Cycle AxiSide::read(unsigned tag, Cycle now) {
  const Cycle when = ar_.present(now) + parameters_.read_latency;
  reads_.push({when, tag});
  return when;
}

Cycle AxiSide::write(unsigned tag, unsigned beats, Cycle now) {
  Cycle last = aw_.present(now);
  for (unsigned beat = 0; beat < beats; ++beat) last = std::max(last, w_.present(now));
  const Cycle when = last + parameters_.write_latency;
  writes_.push({when, tag});
  return when;
}

}  // namespace pmufab::cmn
