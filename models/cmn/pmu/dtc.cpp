// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/pmu/dtc.h"

#include <algorithm>
#include <utility>

#include "models/pmu/wrap_watch.h"

namespace pmufab::cmn {

namespace {

constexpr std::uint64_t kEverySnapshot = 0x1ff;

CarryPath make_path(const CarryParameters& parameters, const ClockDomain& clock) {
  if (parameters.per_cycle == 0) return CarryPath(parameters.latency);
  return CarryPath(parameters.latency, {&clock, parameters.per_cycle, parameters.queue_room});
}

}  // namespace

Dtc::Dtc(const ClockDomain& clock, const PmuParameters& parameters, RegisterBank& bank, InterruptLine& line,
         Callbacks callbacks)
    : bank_(bank),
      line_(line),
      callbacks_(std::move(callbacks)),
      path_(make_path(parameters.carry, clock)),
      cycles_(clock, parameters.cycle_width),
      cycles_need_cg_disable_(parameters.cycles_need_cg_disable),
      line_alarm_([this] { drive_line(); }) {
  set_times_.fill(kNever);
  for (unsigned n = 0; n < kGlobalCounters; ++n) {
    places_[n] = {this, n};
    counters_.emplace_back(parameters.global_width).on_overflow(&Dtc::counter_overflowed, &places_[n]);
  }
  cycles_.on_overflow(&Dtc::cycles_overflowed, this);
  connect();
}

Counter* Dtc::carry_target(unsigned counter) noexcept {
  return counter % 2 == 1 && is_joined(counter) ? nullptr : &counters_[counter];
}

void Dtc::connect() {
  bank_.on_write(bank_.find("por_dt_dtc_ctl"),
                 [this, enable = bank_.find("por_dt_dtc_ctl", "dt_en"),
                  cg_disable = bank_.find("por_dt_dtc_ctl", "cg_disable")](const RegisterWrite& write) {
                   callbacks_.settle(write.when);
                   dt_en_ = enable.of(write.after) != 0;
                   cg_disable_ = cg_disable.of(write.after) != 0;
                   update_running(write.when);
                 });
  bank_.on_write(bank_.find("por_dt_pmcr"),
                 [this, enable = bank_.find("por_dt_pmcr", "pmu_en"), joined = bank_.find("por_dt_pmcr", "cntcfg"),
                  clear = bank_.find("por_dt_pmcr", "cntr_rst"),
                  interrupt = bank_.find("por_dt_pmcr", "ovfl_intr_en")](const RegisterWrite& write) {
                   callbacks_.settle(write.when);
                   pmu_en_ = enable.of(write.after) != 0;
                   cntcfg_ = static_cast<unsigned>(joined.of(write.after));
                   cntr_rst_ = clear.of(write.after) != 0;
                   ovfl_intr_en_ = interrupt.of(write.after) != 0;
                   pmcr_changed(write.when);
                 });
  connect_counters();
  connect_status();
}

void Dtc::connect_counters() {
  const RegisterId counters = bank_.find("por_dt_pmevcnt");
  bank_.on_read(counters, [this](unsigned pair, Picoseconds when) {
    callbacks_.settle(when);
    return counter_pair(pair);
  });
  bank_.on_write(counters, [this](const RegisterWrite& write) { write_counter_pair(write); });
  const RegisterId cycles = bank_.find("por_dt_pmccntr");
  bank_.on_read(cycles, [this](unsigned, Picoseconds when) { return cycles_.value(when); });
  bank_.on_write(cycles, [this](const RegisterWrite& write) {
    const std::uint64_t value = (cycles_.value(write.when) & ~write.mask) | (write.written & write.mask);
    cycles_.set_value(value & cycles_.maximum(), write.when);
  });
  bank_.on_read(bank_.find("por_dt_pmevcntsr"), [this](unsigned pair, Picoseconds) {
    return counters_[2 * pair].shadow() | counters_[2 * pair + 1].shadow() << 32;
  });
  bank_.on_read(bank_.find("por_dt_pmccntrsr"), [this](unsigned, Picoseconds) { return cycles_shadow_; });
}

void Dtc::connect_status() {
  bank_.on_read(bank_.find("por_dt_pmovsr"), [this](unsigned, Picoseconds when) {
    callbacks_.settle(when);
    return status(when);
  });
  bank_.on_write(bank_.find("por_dt_pmovsr_clr", "pmovsr_clr"),
                 [this](const FieldWrite& write) { clear_status(write.written, write.when); });
  bank_.on_read(bank_.find("por_dt_pmssr"), [this](unsigned, Picoseconds) { return snapshot_status_; });
  bank_.on_write(bank_.find("por_dt_pmsrr", "ss_req"), [this](const FieldWrite& write) {
    if (write.written != 0) take_snapshot(write.when);
  });
}

void Dtc::pmcr_changed(Picoseconds when) {
  for (unsigned n = 0; n < kGlobalCounters; n += 2) counters_[n].carry_into(is_joined(n) ? &counters_[n + 1] : nullptr);
  update_running(when);
  update_line(when);
  drive_line();
}

void Dtc::update_running(Picoseconds when) {
  const bool counting = is_counting();
  for (Counter& counter : counters_) counter.enable(counting, when);
  const bool cycles = counting && (!cycles_need_cg_disable_ || cg_disable_);
  if (cycles != cycles_.is_running()) {
    if (cycles) {
      cycles_.start(when);
    } else {
      cycles_.stop(when);
    }
  }
  callbacks_.changed(when);
}

std::uint64_t Dtc::counter_pair(unsigned pair) const {
  return counters_[2 * pair].value(0) | counters_[2 * pair + 1].value(0) << 32;
}

void Dtc::write_counter_pair(const RegisterWrite& write) {
  callbacks_.settle(write.when);
  for (unsigned half = 0; half < 2; ++half) {
    if ((write.mask >> 32 * half & 0xffff'ffffU) == 0) continue;
    counters_[2 * write.element + half].set_value(write.written >> 32 * half & 0xffff'ffffU, write.when);
  }
}

void Dtc::counter_overflowed(void* context, std::uint64_t /*wraps*/, Picoseconds when) {
  const Place& place = *static_cast<const Place*>(context);
  if (place.counter % 2 == 0 && place.dtc->is_joined(place.counter)) return;
  place.dtc->overflowed(place.counter, when);
}

void Dtc::cycles_overflowed(void* context, Picoseconds when) {
  static_cast<Dtc*>(context)->overflowed(kCycleBit, when);
}

void Dtc::overflowed(unsigned bit, Picoseconds when) {
  WrapWatch::tell({line_.name(), bit, when});
  pmovsr_ |= std::uint64_t{1} << bit;
  set_times_[bit] = when;
  update_line(when);
  // Do not drive the line here: this may run in the middle of an event, and a listener on the line may access registers
  // at once.
  if (!line_changes_.empty()) line_alarm_.set(line_changes_.front().when);
}

std::uint64_t Dtc::status(Picoseconds when) const {
  return pmovsr_ | std::uint64_t{cycles_.overflowed(when)} << kCycleBit;
}

void Dtc::clear_status(std::uint64_t bits, Picoseconds when) {
  callbacks_.settle(when);
  if (!dt_en_ || !pmu_en_) return;  // the status logic has no clock
  for (unsigned bit = 0; bit <= kCycleBit; ++bit) {
    if ((bits >> bit & 1U) == 0) continue;
    if (bit == kCycleBit) cycles_.clear_overflow(when);  // reports an overflow that is due first
    // An overflow of this very instant stays.
    if (set_times_[bit] != when) pmovsr_ &= ~(std::uint64_t{1} << bit);
  }
  update_line(when);
  drive_line();
}

void Dtc::take_snapshot(Picoseconds when) {
  callbacks_.settle(when);
  for (Counter& counter : counters_) {
    counter.snapshot(when);
    if (cntr_rst_) counter.set_value(0, when);
  }
  cycles_shadow_ = cycles_.value(when);
  if (cntr_rst_) cycles_.set_value(0, when);
  callbacks_.snapshot(when);
  snapshot_status_ = kEverySnapshot;
}

void Dtc::update_line(Picoseconds when) {
  const bool high = ovfl_intr_en_ && status(when) != 0;
  if (high == line_high_) return;
  line_high_ = high;
  line_changes_.push_back({when, high});
}

void Dtc::drive_line() {
  while (!line_changes_.empty() && line_changes_.front().when <= simulated_time()) {
    const bool high = line_changes_.front().high;
    line_changes_.erase(line_changes_.begin());
    line_.drive(high);
  }
  line_alarm_.set(line_changes_.empty() ? kNever : line_changes_.front().when);
}

void Dtc::reset() {
  path_.clear();
  dt_en_ = false;
  cg_disable_ = false;
  pmu_en_ = false;
  cntcfg_ = 0;
  cntr_rst_ = false;
  ovfl_intr_en_ = false;
  for (Counter& counter : counters_) {
    counter.enable(false, simulated_time());
    counter.set_value(0, simulated_time());
    counter.snapshot(simulated_time());
    counter.carry_into(nullptr);
  }
  cycles_.reset();
  pmovsr_ = 0;
  set_times_.fill(kNever);
  cycles_shadow_ = 0;
  snapshot_status_ = 0;
  line_high_ = false;
  line_changes_.clear();
  line_.drive(false);
  line_alarm_.cancel();
}

}  // namespace pmufab::cmn
