#include "models/pmu/counter.h"

#include <algorithm>
#include <stdexcept>

#include "models/pmu/carry_path.h"

namespace pmufab {

Counter::Counter(unsigned width) : sink_(width) {
  if (width < 8 || width > 64) throw std::invalid_argument("a counter is 8 to 64 bits wide");
  sink_.on_wrap(&Counter::wrapped, this);
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
  // A sink watches a probe at most once: what is wanted of one probe is the union.
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
    if (condition_ != nullptr) condition_->stop(when);
  }
}

void Counter::add(std::uint64_t amount, Picoseconds when) {
  if (is_running()) sink_.add(amount, when);
}

std::uint64_t Counter::value(Picoseconds when) const {
  if (condition_ == nullptr) return sink_.value();
  return (sink_.value() + condition_->unsettled(when)) & sink_.maximum();
}

void Counter::set_value(std::uint64_t value, Picoseconds when) {
  if (condition_ != nullptr) condition_->settle(when);
  sink_.set_value(value);
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
  self.overflowed_ = true;
  if (self.carry_target_ != nullptr) {
    if (self.carry_path_ != nullptr) {
      self.carry_path_->send(*self.carry_target_, wraps, when);
    } else {
      self.carry_target_->add(wraps, when);
    }
  }
  if (self.on_overflow_ != nullptr) self.on_overflow_(self.context_, wraps, when);
}

}  // namespace pmufab
