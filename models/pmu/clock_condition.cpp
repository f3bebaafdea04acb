// SPDX-License-Identifier: Apache-2.0
#include "models/pmu/clock_condition.h"

#include <algorithm>

namespace pmufab {

ClockCondition::ClockCondition(const ClockDomain& clock) : clock_(clock) {
  // With the sink one below its wrap, every addition wraps it and calls back. The amount less one stays in it.
  input_.set_value(input_.maximum());
  input_.on_wrap(&ClockCondition::received, this);
}

void ClockCondition::received(void* context, std::uint64_t /*wraps*/, Picoseconds when) {
  ClockCondition& self = *static_cast<ClockCondition*>(context);
  const std::uint64_t amount = self.input_.value() + 1;
  self.input_.set_value(self.input_.maximum());
  self.take(amount, when);
}

void ClockCondition::take(std::uint64_t amount, Picoseconds when) {
  if (!running_ || when >= end_) return;
  if (settings_.is_raw()) {
    if (output_ != nullptr) output_->add(amount, when);
    return;
  }
  settle(when + 1);                       // sampling edges up to and including `when` do not see this event
  if (!running_ || when >= end_) return;  // because the output wrapped
  state_.raw += amount;
  if (on_last_ != nullptr && output_ != nullptr && output_->value() == output_->maximum()) on_last_(context_, when);
}

void ClockCondition::start(Picoseconds when) noexcept {
  if (running_) return;
  state_ = {clock_.edges_before(when), 0, false};
  running_ = true;
  end_ = kNever;
}

void ClockCondition::stop(Picoseconds when) {
  settle(when);
  running_ = false;
}

void ClockCondition::settle(Picoseconds when) {
  if (!running_ || settings_.is_raw()) return;
  State state = state_;
  const std::uint64_t increments = evaluate(state, clock_.edges_before(std::min(when, end_)));
  if (output_ != nullptr && increments > output_->maximum() - output_->value()) [[unlikely]] {
    settle_with_wrap(when);
    return;
  }
  state_ = state;
  if (increments != 0 && output_ != nullptr) output_->add(increments, when);
}

void ClockCondition::settle_with_wrap(Picoseconds when) {
  const std::uint64_t to_wrap = output_->maximum() - output_->value() + 1;
  const Picoseconds wrap = time_of_increments(to_wrap);
  static_cast<void>(evaluate(state_, clock_.edges_before(wrap)));
  output_->add(to_wrap, wrap);  // may stop this
  if (!running_) return;
  const std::uint64_t increments = evaluate(state_, clock_.edges_before(std::min(when, end_)));
  if (increments != 0) output_->add(increments, when);
}

std::uint64_t ClockCondition::unsettled(Picoseconds when) const noexcept {
  if (!running_ || settings_.is_raw()) return 0;
  State state = state_;
  return evaluate(state, clock_.edges_before(std::min(when, end_)));
}

Picoseconds ClockCondition::time_of_increments(std::uint64_t increments) const noexcept {
  if (!running_ || settings_.is_raw()) return kNever;
  State state = state_;
  if (step(state)) --increments;
  std::uint64_t edge = state.next_edge - 1;
  if (increments != 0) {
    if (!holds(0)) return kNever;
    if (settings_.edge && (state.condition || increments > 1)) return kNever;
    if (__builtin_add_overflow(edge, increments, &edge)) return kNever;
  }
  const Picoseconds time = clock_.time_of_edge(edge);
  return time >= end_ ? kNever : time + 1;  // end_ is at most kNever, so time + 1 does not wrap
}

bool ClockCondition::holds(std::uint64_t raw) const noexcept {
  if (settings_.threshold == 0) return raw > 0;
  return settings_.invert ? raw <= settings_.threshold : raw >= settings_.threshold;
}

bool ClockCondition::step(State& state) const noexcept {
  const bool condition = holds(state.raw);
  const bool increment = condition && !(settings_.edge && state.condition);
  state = {state.next_edge + 1, 0, condition};
  return increment;
}

std::uint64_t ClockCondition::evaluate(State& state, std::uint64_t end_edge) const noexcept {
  if (state.next_edge >= end_edge) return 0;
  std::uint64_t increments = step(state) ? 1 : 0;
  if (state.next_edge == end_edge) return increments;
  // All further clocks are idle, so one evaluation holds for all.
  const bool idle = holds(0);
  if (settings_.edge) {
    increments += idle && !state.condition ? 1 : 0;
  } else if (idle) {
    increments += end_edge - state.next_edge;
  }
  state = {end_edge, 0, idle};
  return increments;
}

}  // namespace pmufab
