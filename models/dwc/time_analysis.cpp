// SPDX-License-Identifier: Apache-2.0
#include "models/dwc/time_analysis.h"

#include "tlm/registers/register_spec.h"

namespace pmufab::dwc {
namespace {

// Reports of group 0 (dwc_pcie_pmu.c, dwc_pcie_pmu_time_event_attrs), as places in the order of LinkState.
constexpr unsigned kFirstData = 0x20;
constexpr unsigned kOneCycle = 0x00;

std::optional<LinkState> state_of(unsigned report) {
  constexpr std::array<LinkState, kLinkStates> kByReport{LinkState::tx_l0s,    LinkState::rx_l0s, LinkState::l0,
                                                         LinkState::l1,        LinkState::l1_1,   LinkState::l1_2,
                                                         LinkState::cfg_rcvry, LinkState::l1_aux, LinkState::tx_rx_l0s};
  if (report == kOneCycle || report > kLinkStates) return std::nullopt;
  return kByReport.at(report - 1);
}

}  // namespace

TimeAnalysis::Totals TimeAnalysis::totals(Picoseconds when) const {
  Totals now = passed_;
  if (when <= since_) return now;
  const std::uint64_t cycles = clock_.edges_before(when) - clock_.edges_before(since_);
  now.at(static_cast<std::size_t>(state_)) += cycles;
  now[kCycles] += cycles;
  return now;
}

void TimeAnalysis::settle(Picoseconds when) {
  if (runs_ && deadline_ && when >= *deadline_) stop(*deadline_);
}

void TimeAnalysis::start(std::optional<Picoseconds> duration, Picoseconds when) {
  settle(when);
  begin_ = totals(when);
  runs_ = true;
  deadline_.reset();
  if (duration) deadline_ = when + *duration;
}

void TimeAnalysis::stop(Picoseconds when) {
  if (!runs_) return;
  if (deadline_ && *deadline_ < when) when = *deadline_;
  end_ = totals(when);
  runs_ = false;
}

void TimeAnalysis::enter(LinkState state, Picoseconds when) {
  settle(when);
  passed_ = totals(when);
  since_ = when;
  state_ = state;
}

void TimeAnalysis::pass(Payload payload, std::uint64_t units, Picoseconds when) {
  settle(when);
  passed_.at(kData + static_cast<std::size_t>(payload)) += units;
}

void TimeAnalysis::pass_cycles(std::optional<LinkState> state, std::uint64_t cycles, Picoseconds when) {
  settle(when);
  passed_.at(static_cast<std::size_t>(state.value_or(state_))) += cycles;
  passed_[kCycles] += cycles;
}

std::uint64_t TimeAnalysis::read(unsigned report, Picoseconds when) const {
  unsigned place = kCycles;
  if (report >= kFirstData && report < kFirstData + kPayloads) {
    place = kData + report - kFirstData;
  } else if (report != kOneCycle) {
    const std::optional<LinkState> state = state_of(report);
    if (!state) return 0;
    place = static_cast<unsigned>(*state);
  }
  const bool is_over = runs_ && deadline_ && when >= *deadline_;
  const Totals& end = runs_ ? totals(is_over ? *deadline_ : when) : end_;
  return (end.at(place) - begin_.at(place)) & low_bits(width_);
}

void TimeAnalysis::reset(Picoseconds when) {
  runs_ = false;
  deadline_.reset();
  begin_ = end_ = totals(when);
}

}  // namespace pmufab::dwc
