// SPDX-License-Identifier: Apache-2.0
#include "testbench/driver_host/interrupt_controller.h"

#include <algorithm>

namespace pmufab::driver_host {
namespace {

constexpr unsigned kWindow = 100'000;   // Linux examines this many at a time
constexpr unsigned kHopeless = 99'900;  // and gives up if this many were not handled
constexpr unsigned kStorm = 1'000;      // handler calls that leave a line high: the CPU would do nothing else

}  // namespace

InterruptController::Source* InterruptController::find(std::uint32_t number) {
  const auto found =
      std::find_if(sources_.begin(), sources_.end(), [&](const Source& source) { return source.number == number; });
  return found == sources_.end() ? nullptr : &*found;
}

void InterruptController::connect(std::uint32_t number, InterruptLine* line) {
  if (line == nullptr) return;
  Source* source = find(number);
  if (source == nullptr) {
    sources_.push_back({.number = number, .lines = {}, .trigger = line->trigger()});
    source = &sources_.back();
  }
  if (std::find(source->lines.begin(), source->lines.end(), line) != source->lines.end()) return;
  source->lines.push_back(line);
  line->listen([this, source](bool high) { on_line(*source, high); });
}

void InterruptController::message(std::uint32_t number) {
  Source* source = find(number);
  if (source == nullptr) {
    sources_.push_back({.number = number, .lines = {}, .trigger = InterruptTrigger::edge});
    source = &sources_.back();
  }
  on_line(*source, true);
}

void InterruptController::on_line(Source& source, bool high) {
  if (!high) return;
  source.in_vain = 0;
  if (source.trigger == InterruptTrigger::edge) {
    if (source.latched) return;
    source.latched = true;
  } else if (std::count_if(source.lines.begin(), source.lines.end(),
                           [](const InterruptLine* line) { return line->is_high(); }) > 1) {
    return;  // pending already, through another line
  }
  source.due = simulated_time() + delay_;
  changed_.notify(to_sc_time(delay_));
}

bool InterruptController::is_pending(const Source& source) {
  if (source.disabled) return false;
  if (source.trigger == InterruptTrigger::edge) return source.latched;
  return std::any_of(source.lines.begin(), source.lines.end(),
                     [](const InterruptLine* line) { return line->is_high(); });
}

std::optional<std::uint32_t> InterruptController::next(const std::function<bool(std::uint32_t)>& wanted) const {
  std::optional<std::uint32_t> lowest;
  for (const Source& source : sources_) {
    if (lowest && source.number >= *lowest) continue;
    if (is_pending(source) && source.due <= simulated_time() && wanted(source.number)) lowest = source.number;
  }
  return lowest;
}

void InterruptController::rearm() {
  std::optional<Picoseconds> first;
  for (const Source& source : sources_) {
    if (is_pending(source) && source.due > simulated_time() && (!first || source.due < *first)) first = source.due;
  }
  if (first) changed_.notify(to_sc_time(*first - simulated_time()));
}

void InterruptController::taken(std::uint32_t number) {
  Source* source = find(number);
  if (source == nullptr) return;
  source->latched = false;
  ++source->in_vain;
  source->at_once = source->last == simulated_time() ? source->at_once + 1 : 1;
  source->last = simulated_time();
}

unsigned InterruptController::disabled() const noexcept {
  return static_cast<unsigned>(
      std::count_if(sources_.begin(), sources_.end(), [](const Source& source) { return source.disabled; }));
}

std::string InterruptController::finished(std::uint32_t number, bool handled) {
  ++(handled ? handled_ : unhandled_);
  Source* source = find(number);
  if (source == nullptr) return {};
  if (!handled) ++source->not_handled;
  const std::string name = "irq " + std::to_string(number);
  if (source->at_once >= kWindow) {
    source->disabled = true;
    return name + ": taken " + std::to_string(kWindow) + " times at one instant, disabling it";
  }
  if (source->trigger == InterruptTrigger::level && source->in_vain >= kStorm) {
    source->disabled = true;
    return name + ": still asserted after " + std::to_string(kStorm) + " calls of its handler, disabling it";
  }
  if (++source->taken < kWindow) return {};
  const bool hopeless = source->not_handled > kHopeless;
  source->taken = source->not_handled = 0;
  source->disabled = hopeless;
  return hopeless ? name + ": nobody cared, disabling it" : std::string();
}

}  // namespace pmufab::driver_host
