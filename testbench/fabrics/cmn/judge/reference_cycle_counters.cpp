// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/reference_cycle_counters.h"

#include <algorithm>

namespace pmufab::scoreboard {
namespace {

constexpr std::uint64_t kCycleCounterBelow = 0xc0;  // from por_dt_pmcr down to por_dt_pmccntr
constexpr std::uint64_t kTraceEnable = 1U << 0;     // dtc_ctl.dt_en
constexpr std::uint64_t kGateDisable = 1U << 10;    // dtc_ctl.cg_disable
constexpr std::uint64_t kCounterEnable = 1U << 0;   // pmcr.pmu_en

}  // namespace

ReferenceCycleCounters::ReferenceCycleCounters(const CmnJudgeSpec& spec)
    : clock_(spec.clock_hz), spec_(spec), counters_(spec.dtcs.size()) {}

Mark ReferenceCycleCounters::mark(unsigned dtc, Picoseconds when) const {
  const Counter& counter = counters_.at(dtc);
  return {when, counter.counted + (runs(counter) ? clock_.edges_in(counter.since, when) : 0)};
}

void ReferenceCycleCounters::write_control(Counter& counter, std::uint64_t value) {
  counter.is_on = (value & kTraceEnable) != 0;
  const bool is_ungated = (value & kGateDisable) != 0;
  counter.was_ungated = counter.was_ungated || is_ungated;
  counter.is_gated = counter.was_ungated && !is_ungated;
}

void ReferenceCycleCounters::see(const MmioBus::BusAccess& access) {
  for (unsigned dtc = 0; dtc < counters_.size(); ++dtc) {
    const CmnDtcRegisters& registers = spec_.dtcs[dtc];
    const bool is_counter = access.address == registers.pmcr - kCycleCounterBelow;
    const bool is_control = access.address == registers.control;
    if (!is_counter && !is_control && access.address != registers.pmcr) continue;
    Counter& counter = counters_[dtc];
    const Mark now = mark(dtc, access.when);
    if (!access.is_write) {
      if (is_counter) counter.read = now;
    } else if (is_counter) {
      constexpr std::size_t kKept = 256;
      counter.writes.push_back(access.when);
      if (counter.writes.size() > kKept) {
        counter.writes.pop_front();
        ++counter.writes_before_them;
      }
      start_ = Start{dtc, now};
    } else {
      counter.counted = now.position;
      counter.since = access.when;
      if (is_control) {
        write_control(counter, access.data);
      } else {
        counter.is_enabled = (access.data & kCounterEnable) != 0;
      }
    }
  }
}

std::uint64_t ReferenceCycleCounters::writes_before(unsigned dtc, Picoseconds when) const {
  const Counter& counter = counters_.at(dtc);
  const auto later = std::lower_bound(counter.writes.begin(), counter.writes.end(), when);
  return counter.writes_before_them + static_cast<std::uint64_t>(later - counter.writes.begin());
}

std::optional<ReferenceCycleCounters::Start> ReferenceCycleCounters::last_start(Picoseconds begin) const {
  return start_ && start_->mark.when >= begin ? start_ : std::nullopt;
}

std::optional<Mark> ReferenceCycleCounters::last_read(unsigned dtc, Picoseconds begin) const {
  const std::optional<Mark>& read = counters_.at(dtc).read;
  return read && read->when >= begin ? read : std::nullopt;
}

}  // namespace pmufab::scoreboard
