// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/cpmu/cpmu.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/cxl/cpmu/cpmu_parameters.h"
#include "models/pmu/wrap_watch.h"

namespace pmufab::cxl {
namespace {

const CpmuParameters& checked(const CpmuParameters& parameters, const std::vector<EventGroup>& groups) {
  check(parameters, groups);
  return parameters;
}

std::string names(const EventGroup& group, std::uint32_t mask) {
  std::string text;
  for (unsigned bit = 0; bit < 32; ++bit) {
    if ((mask >> bit & 1U) == 0) continue;
    if (!text.empty()) text += '+';
    text += event_name(group.vendor, group.group, bit);
  }
  return text;
}

}  // namespace

Cpmu::Cpmu(const sc_core::sc_module_name& name, const CpmuParameters& parameters, std::vector<EventGroup> groups)
    : sc_core::sc_module(name),
      socket("socket"),
      parameters_(checked(parameters, groups)),
      groups_(std::move(groups)),
      clock_(std::string(this->name()) + ".clock", parameters.frequency_hz),
      bank_({.name = this->name(), .size = kCpmuBlockSize, .latency = parameters.latency}, cpmu_registers()),
      slots_(parameters.counters.size()),
      alarm_([this] {
        settle(simulated_time());
        finish();
      }) {
  CounterUnit::Owner& owner = *this;
  for (unsigned counter = 0; counter < slots_.size(); ++counter) {
    slots_[counter].unit = std::make_unique<CounterUnit>(owner, counter, clock_, parameters_.width);
    const CpmuCounterParameters& kind = parameters_.counters[counter];
    if (kind.type != CounterType::configurable) groups_of_fixed_counters_ |= 1U << kind.group;
    if (parameters_.freeze && !is_free_running(counter)) can_freeze_ |= std::uint64_t{1} << counter;
  }
  build_registers();
  socket.register_b_transport(this, &Cpmu::b_transport);
  socket.register_transport_dbg(this, &Cpmu::transport_dbg);
  reset();
}

Cpmu::~Cpmu() = default;

void Cpmu::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  settle(to_picoseconds(sc_core::sc_time_stamp() + delay));
  bank_.b_transport(payload, delay);
  finish();
}

void Cpmu::reset() {
  const Picoseconds when = simulated_time();
  for (const Slot& slot : slots_) slot.unit->stop(when);
  bank_.reset();
  overflow_status_ = frozen_ = 0;
  freeze_time_ = kNever;
  messages_.clear();
  for (unsigned counter = 0; counter < slots_.size(); ++counter) {
    slots_[counter].selected = false;
    slots_[counter].mistakes_told = 0;
    slots_[counter].unit->set_value(0, when);
    apply(counter, when);
  }
  predictions_changed_ = true;
  finish();
}

void Cpmu::pass_ticks(std::uint64_t ticks, Picoseconds when) {
  settle(when);
  for (const Slot& slot : slots_) {
    slot.unit->pass_ticks(ticks, when);
    predict(*slot.unit, when);
  }
  finish();
}

std::vector<CpmuEvent> Cpmu::events() const {
  std::vector<CpmuEvent> list;
  const bool configurable =
      std::any_of(parameters_.counters.begin(), parameters_.counters.end(),
                  [](const CpmuCounterParameters& counter) { return counter.type == CounterType::configurable; });
  for (unsigned index = 0; configurable && index < groups_.size(); ++index) {
    if ((groups_of_fixed_counters_ >> index & 1U) != 0) continue;
    const EventGroup& group = groups_[index];
    for (unsigned bit = 0; bit < 32; ++bit) {
      const std::uint32_t mask = 1U << bit;
      if ((group.supported & mask) == 0) continue;
      list.push_back({names(group, mask), group.vendor, group.group, mask, index, std::nullopt});
    }
  }
  for (unsigned counter = 0; counter < slots_.size(); ++counter) {
    const CpmuCounterParameters& fixed = parameters_.counters[counter];
    if (fixed.type == CounterType::configurable) continue;
    const EventGroup& group = groups_[fixed.group];
    list.push_back({names(group, fixed.events), group.vendor, group.group, fixed.events, fixed.group, counter});
  }
  return list;
}

std::uint64_t Cpmu::counter_value(unsigned counter, Picoseconds when) const {
  return counter < slots_.size() ? slots_[counter].unit->value(when) : 0;
}

bool Cpmu::is_running(unsigned counter) const noexcept {
  return counter < slots_.size() && slots_[counter].unit->is_running();
}

// ---- Counting

void Cpmu::apply(unsigned counter, Picoseconds when) {
  CounterUnit& unit = *slots_[counter].unit;
  const bool runs = configuration(counter).enable() && (frozen_ >> counter & 1U) == 0;
  if (runs != unit.is_running()) {
    if (runs) {
      if (!slots_[counter].selected) select(counter, when);
      unit.start(when);
      if (freeze_time_ != kNever && !is_free_running(counter)) unit.freeze_at(freeze_time_);
    } else {
      unit.stop(when);
    }
  }
  predict(unit, when);
}

void Cpmu::select(unsigned counter, Picoseconds when) {
  Slot& slot = slots_[counter];
  slot.selected = true;
  const CounterConfiguration program = configuration(counter);
  if (program.group() >= groups_.size()) {
    mistake(counter, Mistake::no_such_group, "selects an event group that does not exist; it counts nothing");
    slot.unit->select_nothing(when);
    return;
  }
  const EventGroup& group = groups_[program.group()];
  if (parameters_.counters[counter].type == CounterType::configurable &&
      (groups_of_fixed_counters_ >> program.group() & 1U) != 0) {
    mistake(counter, Mistake::group_of_fixed_counter,
            "uses the event group index of a fixed or free-running counter, which is undefined; it counts the events "
            "of that group");
  }
  if ((program.events() & ~group.supported) != 0) {
    mistake(counter, Mistake::unsupported_events,
            "enables events that its event group does not support; they count nothing");
  }
  slot.unit->select(
      group,
      {.events = program.events(),
       .condition = {.threshold = program.threshold(), .invert = program.invert(), .edge = program.edge()},
       .hdm_filter =
           parameters_.hdm_filter ? static_cast<std::uint32_t>(bank_.value(hdm_filter_, counter)) : 0xffff'ffff,
       .ddr_filter =
           parameters_.ddr_filter ? static_cast<std::uint32_t>(bank_.value(ddr_filter_, counter)) : 0xffff'ffff},
      when);
}

void Cpmu::predict(CounterUnit& unit, Picoseconds when) {
  // While the status is set, a further overflow has an effect only if it freezes.
  const bool matters =
      (overflow_status_ >> unit.index() & 1U) == 0 || (can_freeze_ != 0 && configuration(unit.index()).global_freeze());
  unit.predict(matters, when);
  predictions_changed_ = true;
}

// ---- Overflow, freeze and messages

void Cpmu::overflowed(CounterUnit& unit, Picoseconds when) {
  WrapWatch::tell({name(), unit.index(), when});
  const CounterConfiguration program = configuration(unit.index());
  const std::uint64_t bit = std::uint64_t{1} << unit.index();
  if ((overflow_status_ & bit) == 0) {
    overflow_status_ |= bit;
    // With a handler at the instant of a timed event, nobody could tell whether the event was before its access.
    const Picoseconds sent = unit.is_timed() ? when + 1 : when;
    if (program.interrupt()) messages_.insert(std::upper_bound(messages_.begin(), messages_.end(), sent), sent);
  }
  if (program.global_freeze()) freeze_after(when);
  // A listener on the message may access this CPMU at once, so do not send within the publisher's loop over its
  // watchers.
  arm();
}

void Cpmu::approached(CounterUnit& unit, Picoseconds when) {
  const Picoseconds before = unit.overflow_time();
  predict(unit, when);
  if (unit.overflow_time() != before) arm();
}

void Cpmu::freeze_after(Picoseconds when) {
  const Picoseconds edge = clock_.time_of_edge(clock_.edges_before(when + 1));
  if (edge >= freeze_time_) return;
  freeze_time_ = edge;
  for (const Slot& slot : slots_) {
    if (!is_free_running(slot.unit->index())) slot.unit->freeze_at(edge);
  }
}

void Cpmu::freeze_all(Picoseconds when) {
  freeze_time_ = kNever;
  frozen_ = can_freeze_;
  for (unsigned counter = 0; counter < slots_.size(); ++counter) apply(counter, when);
}

void Cpmu::settle(Picoseconds when) {
  for (;;) {
    const Picoseconds next = std::min(next_overflow_, freeze_time_);
    if (next > when) return;
    if (next_overflow_ > freeze_time_) {
      freeze_all(freeze_time_);
    } else {
      for (const Slot& slot : slots_) {
        if (slot.unit->overflow_time() > next) continue;
        slot.unit->settle(next);
        predict(*slot.unit, next);  // events may have delayed it, or it overflowed and may do so again
      }
    }
    arm();
  }
}

void Cpmu::arm() {
  if (predictions_changed_) {
    predictions_changed_ = false;
    next_overflow_ = kNever;
    for (const Slot& slot : slots_) next_overflow_ = std::min(next_overflow_, slot.unit->overflow_time());
  }
  Picoseconds next = std::min(next_overflow_, freeze_time_);
  if (!messages_.empty()) next = std::min(next, messages_.front());
  alarm_.set(next);
}

void Cpmu::finish() {
  while (!messages_.empty() && messages_.front() <= simulated_time()) {
    messages_.erase(messages_.begin());
    ++messages_sent_;
    if (send_) send_();
  }
  arm();
}

}  // namespace pmufab::cxl
