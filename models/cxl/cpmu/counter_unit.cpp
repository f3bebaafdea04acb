// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/cpmu/counter_unit.h"

#include <utility>

namespace pmufab::cxl {
namespace {

constexpr std::uint64_t kAllQualifiers = ~std::uint64_t{0};
constexpr std::uint32_t kAny = 0xffff'ffff;

/// @return true if one byte of filter 1 lets `number` pass.
constexpr bool passes(std::uint32_t filter, unsigned byte, unsigned number) {
  const unsigned wanted = filter >> 8 * byte & 0xff;
  return wanted == 0xff || wanted == number;
}

std::uint64_t qualifiers_at(const DdrShape& shape, const EventSource& source, std::uint32_t filter) {
  if (!passes(filter, 3, source.channel)) return 0;
  std::uint64_t qualifiers = 0;
  for (unsigned rank = 0; rank < shape.ranks; ++rank) {
    if (!source.any_rank && !passes(filter, 2, rank)) continue;
    for (unsigned bank_group = 0; bank_group < shape.bank_groups; ++bank_group) {
      for (unsigned bank = 0; bank < shape.banks; ++bank) {
        if (!source.any_bank && !(passes(filter, 1, bank_group) && passes(filter, 0, bank))) continue;
        qualifiers |= std::uint64_t{1} << shape.qualifier(rank, bank_group, bank);
      }
    }
  }
  return qualifiers;
}

std::uint64_t qualifiers_of(const EventGroup& group, const EventSource& source, const CounterUnit::Program& program) {
  switch (group.filter) {
    case EventFilter::hdm_decoder:
      return program.hdm_filter == kAny ? kAllQualifiers : program.hdm_filter;
    case EventFilter::ddr_location:
      return program.ddr_filter == kAny ? kAllQualifiers : qualifiers_at(group.shape, source, program.ddr_filter);
    case EventFilter::none:
      break;
  }
  return kAllQualifiers;
}

}  // namespace

CounterUnit::CounterUnit(Owner& owner, unsigned index, const ClockDomain& clock, unsigned width)
    : owner_(owner), index_(index), events_(width), condition_(clock), cycles_(clock, width) {
  events_.on_overflow(
      [](void* context, std::uint64_t /*wraps*/, Picoseconds when) {
        CounterUnit& self = *static_cast<CounterUnit*>(context);
        self.owner_.overflowed(self, when);
      },
      this);
  condition_.on_last_increment(
      [](void* context, Picoseconds when) {
        CounterUnit& self = *static_cast<CounterUnit*>(context);
        self.owner_.approached(self, when);
      },
      this);
}

void CounterUnit::select_nothing(Picoseconds when) {
  set_clocked(false, when);
  timed_ = false;
  events_.deselect();
  events_.set_condition(nullptr);
}

void CounterUnit::select(const EventGroup& group, const Program& program, Picoseconds when) {
  select_nothing(when);
  const std::uint32_t events = program.events & group.supported;
  if (group.vendor == kCxlVendor && group.group == 0) {
    if ((events & 1U) != 0) select_clock(program.condition, when);
    return;
  }
  for (const EventSource& source : group.sources) {
    if ((events >> source.bit & 1U) == 0) continue;
    const std::uint64_t qualifiers = qualifiers_of(group, source, program);
    if (qualifiers != 0) events_.select_also(*source.probe, qualifiers);
  }
  // An overflow of a condition has a later instant already.
  timed_ = group.timed && program.condition.is_raw();
  if (program.condition.is_raw()) return;
  condition_.configure(program.condition);
  events_.set_condition(&condition_);
}

void CounterUnit::select_clock(const ClockCondition::Settings& settings, Picoseconds when) {
  // There is one tick in each clock, so the condition is the same in all clocks.
  const bool holds = settings.threshold <= 1 || settings.invert;
  if (!holds) return;
  if (settings.edge) {
    // The condition becomes true once, in the first clock. Without events, a condition that holds in idle clocks does
    // the same.
    condition_.configure({.threshold = 1, .invert = true, .edge = true});
    events_.set_condition(&condition_);
  } else {
    set_clocked(true, when);
  }
}

void CounterUnit::set_clocked(bool clocked, Picoseconds when) {
  if (clocked_ == clocked) return;
  const std::uint64_t kept = value(when);
  clocked_ = clocked;
  set_value(kept, when);
}

void CounterUnit::start(Picoseconds when) {
  running_ = true;
  if (clocked_) {
    cycles_.start(when);
  } else {
    events_.enable(true, when);
  }
}

void CounterUnit::stop(Picoseconds when) {
  running_ = false;
  overflow_time_ = kNever;
  if (clocked_) {
    cycles_.stop(when);
  } else {
    events_.enable(false, when);
  }
}

void CounterUnit::freeze_at(Picoseconds when) {
  if (!clocked_) events_.freeze_at(when);
}

void CounterUnit::set_value(std::uint64_t value, Picoseconds when) {
  if (clocked_) {
    cycles_.set_value(value, when);
  } else {
    events_.set_value(value, when);
  }
}

void CounterUnit::predict(bool wanted, Picoseconds when) {
  overflow_time_ = kNever;
  if (!wanted || !running_) return;
  overflow_time_ = clocked_ ? cycles_.next_overflow(when) : events_.next_overflow();
}

void CounterUnit::settle(Picoseconds when) {
  if (!clocked_) {
    events_.settle(when);
  } else if (when >= overflow_time_) {
    owner_.overflowed(*this, std::exchange(overflow_time_, kNever));
  }
}

}  // namespace pmufab::cxl
