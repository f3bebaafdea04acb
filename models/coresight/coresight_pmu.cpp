// SPDX-License-Identifier: Apache-2.0
#include "models/coresight/coresight_pmu.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "models/coresight/coresight_pmu_slot.h"
#include "models/coresight/register_layout.h"
#include "models/pmu/wrap_watch.h"

namespace pmufab::coresight {

namespace {

const CoreSightPmuOptions& checked(const CoreSightPmuOptions& options) {
  if (options.width < 8 || options.width > 64) {
    throw std::invalid_argument(fmt::format("CoreSight PMU: width is 8 to 64 bits, not {}", options.width));
  }
  if (options.ext64 && options.width <= 32) {
    throw std::invalid_argument(
        fmt::format("CoreSight PMU: ext64 needs counters wider than 32 bits, width is {}", options.width));
  }
  if (options.counters == 0 || options.counters > options.max_counters()) {
    throw std::invalid_argument(fmt::format("CoreSight PMU: counters is 1 to {} with this width and layout, not {}",
                                            options.max_counters(), options.counters));
  }
  if (options.implementation_defined > 32) {
    throw std::invalid_argument(fmt::format("CoreSight PMU: implementation_defined is 0 to 32 registers, not {}",
                                            options.implementation_defined));
  }
  return options;
}

}  // namespace

CoreSightPmu::CoreSightPmu(const sc_core::sc_module_name& name, const CoreSightPmuOptions& options,
                           const ClockDomain& clock, InputResolver resolve)
    : sc_core::sc_module(name),
      socket("socket"),
      page1("page1"),
      options_(checked(options)),
      clock_(clock),
      resolve_(std::move(resolve)),
      page0_bank_({.name = std::string(this->name()) + ".page0", .size = kPageSize, .latency = options.latency},
                  page0_layout(options)),
      alarm_([this] {
        settle(simulated_time());
        finish();
      }) {
  if (options_.dual_page) {
    page1_bank_ = std::make_unique<RegisterBank>(
        RegisterBank::Options{
            .name = std::string(this->name()) + ".page1", .size = kPageSize, .latency = options.latency},
        page1_layout(options));
  }
  slots_.resize(options_.counter_numbers());
  for (unsigned counter = 0; counter < slots_.size(); ++counter) {
    if (!options_.has_counter(counter)) continue;
    slots_[counter] = std::make_unique<Slot>(*this, counter, options_.width, clock_);
    implemented_[counter / 32] |= 1U << counter % 32;
  }
  if (options_.cycle_counter) slots_[kCycleCounterIndex]->place = Slot::Place::cycles;
  build_registers();
  socket.register_b_transport(this, &CoreSightPmu::page0_transport);
  socket.register_transport_dbg(this, &CoreSightPmu::page0_debug);
  page1.register_b_transport(this, &CoreSightPmu::page1_transport);
  page1.register_transport_dbg(this, &CoreSightPmu::page1_debug);
}

CoreSightPmu::~CoreSightPmu() = default;

void CoreSightPmu::page0_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  page0_bank_.b_transport(payload, delay);
}

void CoreSightPmu::page1_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (page1_bank_) {
    page1_bank_->b_transport(payload, delay);
  } else {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
}

unsigned CoreSightPmu::page0_debug(tlm::tlm_generic_payload& payload) { return page0_bank_.transport_dbg(payload); }

unsigned CoreSightPmu::page1_debug(tlm::tlm_generic_payload& payload) {
  return page1_bank_ ? page1_bank_->transport_dbg(payload) : 0;
}

void CoreSightPmu::connect_interrupt(InterruptLine& line) {
  line_ = &line;
  if (line_high_ && line_changes_.empty()) line_->drive(true);
}

void CoreSightPmu::reset() {
  const Picoseconds when = simulated_time();
  enabled_ = false;
  enables_ = interrupt_enables_ = overflow_status_ = {};
  pending_.clear();
  for (const auto& slot : slots_) {
    if (!slot) continue;
    stop(*slot, when);
    slot->resolved = false;
    if (slot->index != kCycleCounterIndex || !options_.cycle_counter) slot->place = Slot::Place::events;
    slot->set_value(0, when);
  }
  page0_bank_.reset();
  if (page1_bank_) page1_bank_->reset();
  line_changes_.clear();
  line_high_ = false;
  if (line_ != nullptr) line_->drive(false);
  finish();
}

void CoreSightPmu::refresh() {
  const Picoseconds when = simulated_time();
  settle(when);
  for (const auto& slot : slots_) {
    if (!slot || (options_.cycle_counter && slot->index == kCycleCounterIndex)) continue;
    slot->resolved = false;
    if (!slot->running) continue;
    stop(*slot, when);
    start(*slot, when);
  }
  finish();
}

void CoreSightPmu::pass_cycles(std::uint64_t cycles, Picoseconds when) {
  settle(when);
  for (const auto& slot : slots_) {
    if (!slot || slot->place != Slot::Place::cycles || !slot->running) continue;
    if (slot->cycles.pass(cycles, when)) overflow(slot->index, when);
    predict_overflow(*slot, when);
  }
  finish();
}

std::uint64_t CoreSightPmu::counter_value(unsigned counter, Picoseconds when) const {
  return counter < slots_.size() && slots_[counter] ? slots_[counter]->value(when) : 0;
}

bool CoreSightPmu::is_running(unsigned counter) const noexcept {
  return counter < slots_.size() && slots_[counter] && slots_[counter]->running;
}

std::uint64_t CoreSightPmu::guest_errors() const noexcept {
  return page0_bank_.guest_errors() + (page1_bank_ ? page1_bank_->guest_errors() : 0);
}

std::vector<const RegisterBank*> CoreSightPmu::pages() const {
  std::vector<const RegisterBank*> pages{&page0_bank_};
  if (page1_bank_) pages.push_back(&*page1_bank_);
  return pages;
}

// ---- Counting

void CoreSightPmu::put_enables(unsigned word, std::uint32_t enables, Picoseconds when) {
  enables &= implemented_[word];
  std::uint32_t changed = enables ^ enables_[word];
  if (changed == 0) return;
  settle(when);
  enables_[word] = enables;
  for (; changed != 0; changed &= changed - 1)
    apply(*slots_[word * 32 + static_cast<unsigned>(__builtin_ctz(changed))], when);
  finish();
}

void CoreSightPmu::apply(Slot& slot, Picoseconds when) {
  const bool runs = enabled_ && (enables_[slot.index / 32] >> slot.index % 32 & 1U) != 0;
  if (runs == slot.running) return;
  if (runs) {
    start(slot, when);
  } else {
    stop(slot, when);
  }
}

/// Connect a stopped slot to its input.
void CoreSightPmu::select(Slot& slot, Picoseconds when) {
  const CounterInput& input = slot.input;
  slot.events.deselect();
  switch (input.kind) {
    case CounterInput::Kind::nothing:
      slot.move(Slot::Place::events, when);
      break;
    case CounterInput::Kind::probe:
      slot.move(Slot::Place::events, when);
      slot.events.select(*input.probe, input.qualifiers);
      break;
    case CounterInput::Kind::probes:
      slot.move(Slot::Place::events, when);
      for (const ProbeChoice& choice : *input.choices) slot.events.select_also(*choice.probe, choice.qualifiers);
      break;
    case CounterInput::Kind::clock:
      slot.move(Slot::Place::cycles, when);
      break;
    case CounterInput::Kind::occupancy:
      slot.occupancy.select(*input.requests, input.selection);
      slot.move(Slot::Place::occupancy, when);
      break;
  }
}

void CoreSightPmu::start(Slot& slot, Picoseconds when) {
  const bool is_cycle_counter = options_.cycle_counter && slot.index == kCycleCounterIndex;
  if (!is_cycle_counter && !slot.resolved) {
    slot.input = resolve_ ? resolve_(program(slot.index)) : CounterInput{};
    slot.resolved = true;
    select(slot, when);
  }
  slot.running = true;
  switch (slot.place) {
    case Slot::Place::events:
      slot.events.enable(true, when);
      return;
    case Slot::Place::cycles:
      slot.cycles.start(when);
      break;
    case Slot::Place::occupancy:
      slot.occupancy.start(when);
      break;
  }
  predict_overflow(slot, when);
}

void CoreSightPmu::stop(Slot& slot, Picoseconds when) {
  if (!slot.running) return;
  slot.running = false;
  switch (slot.place) {
    case Slot::Place::events:
      slot.events.enable(false, when);
      return;
    case Slot::Place::cycles:
      slot.cycles.stop(when);
      break;
    case Slot::Place::occupancy:
      slot.occupancy.stop(when);
      break;
  }
  predict_overflow(slot, when);
}

void CoreSightPmu::predict_overflow(Slot& slot, Picoseconds when) {
  slot.overflow_time = has_overflowed(slot.index) ? kNever : slot.next_overflow(when);
  predictions_changed_ = true;
}

// ---- Overflow and interrupt

void CoreSightPmu::counter_wrapped(void* context, std::uint64_t /*wraps*/, Picoseconds when) {
  const Slot& slot = *static_cast<Slot*>(context);
  slot.pmu.overflow(slot.index, when);
}

void CoreSightPmu::overflow_nearer(void* context) {
  Slot& slot = *static_cast<Slot*>(context);
  CoreSightPmu& pmu = slot.pmu;
  // The overflow lies ahead of simulated time. Nothing is driven here; see overflow().
  pmu.settle(simulated_time());
  if (pmu.has_overflowed(slot.index)) {
    slot.occupancy.forget_overflow();
    return;
  }
  slot.overflow_time = slot.occupancy.next_overflow(simulated_time());
  pmu.next_timed_overflow_ = std::min(pmu.next_timed_overflow_, slot.overflow_time);
  pmu.alarm_.set(std::min(pmu.alarm_.time(), pmu.next_timed_overflow_));
}

bool CoreSightPmu::has_overflowed(unsigned counter) const noexcept {
  return (overflow_status_[counter / 32] >> counter % 32 & 1U) != 0;
}

void CoreSightPmu::overflow(unsigned counter, Picoseconds when) {
  const Picoseconds present = simulated_time();
  if (when > present) {
    const auto place =
        std::upper_bound(pending_.begin(), pending_.end(), when,
                         [](Picoseconds time, const PendingOverflow& pending) { return time < pending.when; });
    pending_.insert(place, {when, counter});
    alarm_.set(std::min(alarm_.time(), when));
    return;
  }
  WrapWatch::tell({name(), counter, when});
  if (has_overflowed(counter)) return;
  overflow_status_[counter / 32] |= 1U << counter % 32;
  update_line(present);
  // Do not drive the line within the publisher's loop over its watchers: a listener on the line may access this PMU at
  // once.
  if (!line_changes_.empty()) alarm_.set(std::min(alarm_.time(), line_changes_.front().when));
}

void CoreSightPmu::settle(Picoseconds when) {
  if (next_timed_overflow_ > when && (pending_.empty() || pending_.front().when > when)) return;
  if (next_timed_overflow_ <= when) {
    for (const auto& slot : slots_) {
      if (!slot || slot->overflow_time > when) continue;
      pending_.push_back({slot->overflow_time, slot->index});
      slot->overflow_time = kNever;
    }
    predictions_changed_ = true;
    next_timed_overflow_ = kNever;
    std::stable_sort(pending_.begin(), pending_.end(),
                     [](const PendingOverflow& a, const PendingOverflow& b) { return a.when < b.when; });
  }
  auto pending = pending_.begin();
  for (; pending != pending_.end() && pending->when <= when; ++pending) {
    WrapWatch::tell({name(), pending->counter, pending->when});
    overflow_status_[pending->counter / 32] |= 1U << pending->counter % 32;
    update_line(pending->when);
  }
  pending_.erase(pending_.begin(), pending);
}

void CoreSightPmu::update_line(Picoseconds when) {
  bool high = false;
  for (unsigned word = 0; word < overflow_status_.size(); ++word)
    high = high || (overflow_status_[word] & interrupt_enables_[word]) != 0;
  if (high == line_high_) return;
  line_high_ = high;
  if (!line_changes_.empty()) {
    const LineChange& last = line_changes_.back();
    when = std::max(when, last.when);
    if (!high && last.when == when) {  // a rise that lasts for no time is dropped
      line_changes_.pop_back();
      return;
    }
  }
  line_changes_.push_back({when, high});
}

void CoreSightPmu::finish() {
  if (predictions_changed_) {
    predictions_changed_ = false;
    next_timed_overflow_ = kNever;
    for (const auto& slot : slots_) {
      if (slot) next_timed_overflow_ = std::min(next_timed_overflow_, slot->overflow_time);
    }
  }
  while (!line_changes_.empty() && line_changes_.front().when <= simulated_time()) {
    const bool high = line_changes_.front().high;
    line_changes_.erase(line_changes_.begin());
    if (line_ != nullptr) line_->drive(high);
  }
  Picoseconds next = next_timed_overflow_;
  if (!pending_.empty()) next = std::min(next, pending_.front().when);
  if (!line_changes_.empty()) next = std::min(next, line_changes_.front().when);
  alarm_.set(next);
}

}  // namespace pmufab::coresight
