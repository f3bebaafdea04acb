// SPDX-License-Identifier: Apache-2.0
#include "models/pmu/counter.h"

#include <algorithm>
#include <stdexcept>

#include "models/pmu/carry_path.h"

namespace pmufab {

Counter::Counter(unsigned width) : sink_(width), gated_(width) {
  if (width < 1 || width > 64) throw std::invalid_argument("a counter is 1 to 64 bits wide");
  sink_.on_wrap(&Counter::wrapped, this);
  gated_.on_wrap(&Counter::gated_wrapped, this);
}

Counter::~Counter() {
  if (is_running()) unwatch();
}

void Counter::select(Probe& probe, std::uint64_t qualifiers) {
  if (is_running()) unwatch();
  selections_.assign(1, {&probe, qualifiers});
  if (is_running()) watch();
}

void Counter::select_also(Probe& probe, std::uint64_t qualifiers) {
  // A sink watches a probe at most once, so several selections of one probe become their union.
  const auto known = std::find_if(selections_.begin(), selections_.end(),
                                  [&](const Selection& selection) { return selection.probe == &probe; });
  if (known != selections_.end()) {
    known->qualifiers |= qualifiers;
  } else {
    selections_.push_back({&probe, qualifiers});
  }
  if (is_running()) watch();
}

void Counter::deselect() {
  if (is_running()) unwatch();
  selections_.clear();
}

void Counter::set_condition(ClockCondition* condition) {
  if (enabled_) throw std::logic_error("the condition of an enabled counter cannot change");
  condition_ = condition;
}

void Counter::enable(bool enabled, Picoseconds when) {
  const bool was_running = is_running();
  enabled_ = enabled;
  running_changed(was_running, when);
}

void Counter::freeze(bool frozen, Picoseconds when) {
  const bool was_running = is_running();
  frozen_ = frozen;
  running_changed(was_running, when);
}

void Counter::running_changed(bool was_running, Picoseconds when) {
  if (is_running() == was_running) return;
  if (is_running()) {
    if (condition_ != nullptr) {
      condition_->set_output(&sink_);
      condition_->start(when);
    }
    watch();
  } else {
    unwatch();
    open_gate();
    if (condition_ != nullptr) condition_->stop(when);
  }
}

void Counter::freeze_at(Picoseconds when) {
  if (!is_running() || when == kNever) return;
  if (condition_ != nullptr) {
    condition_->stop_at(when);
    return;
  }
  if (gate_ == kNever) {
    gated_.set_value(sink_.value());
    sink_.set_value(sink_.maximum());
  }
  gate_ = std::min(gate_, when);
}

void Counter::open_gate() noexcept {
  if (gate_ == kNever) return;
  gate_ = kNever;
  sink_.set_value(gated_.value());
}

void Counter::add(std::uint64_t amount, Picoseconds when) {
  if (is_running()) sink_.add(amount, when);
}

std::uint64_t Counter::value(Picoseconds when) const {
  if (condition_ == nullptr) return gate_ == kNever ? sink_.value() : gated_.value();
  return (sink_.value() + condition_->unsettled(when)) & sink_.maximum();
}

void Counter::set_value(std::uint64_t value, Picoseconds when) {
  settle(when);
  if (gate_ == kNever) {
    sink_.set_value(value);
  } else {
    gated_.set_value(value);
  }
}

Picoseconds Counter::next_overflow() const noexcept {
  if (condition_ == nullptr) return kNever;
  const std::uint64_t increments = sink_.maximum() - sink_.value() + 1;
  return increments == 0 ? kNever : condition_->time_of_increments(increments);
}

EventSink& Counter::input() noexcept { return condition_ != nullptr ? condition_->input() : sink_; }

void Counter::watch() {
  for (const Selection& selection : selections_) selection.probe->watch(input(), selection.qualifiers);
}

void Counter::unwatch() {
  for (const Selection& selection : selections_) selection.probe->unwatch(input());
}

void Counter::wrapped(void* context, std::uint64_t wraps, Picoseconds when) {
  Counter& self = *static_cast<Counter*>(context);
  if (self.gate_ == kNever) [[likely]] {
    self.overflow(wraps, when);
    return;
  }
  // The sink stood at its maximum, so the first event wrapped it. The amount is the value now, plus 1, plus 2^width for
  // each further wrap. Modulo 2^64, as amounts are.
  const std::uint64_t amount = self.sink_.value() + 1 + (wraps - 1) * (self.sink_.maximum() + 1);
  self.sink_.set_value(self.sink_.maximum());
  if (when < self.gate_) self.gated_.add(amount, when);
}

void Counter::gated_wrapped(void* context, std::uint64_t wraps, Picoseconds when) {
  static_cast<Counter*>(context)->overflow(wraps, when);
}

void Counter::overflow(std::uint64_t wraps, Picoseconds when) {
  overflowed_ = true;
  if (carry_target_ != nullptr) {
    if (carry_path_ != nullptr) {
      carry_path_->send(*carry_target_, wraps, when);
    } else {
      carry_target_->add(wraps, when);
    }
  }
  if (on_overflow_ != nullptr) on_overflow_(context_, wraps, when);
}

}  // namespace pmufab
