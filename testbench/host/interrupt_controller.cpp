// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/interrupt_controller.h"

#include <algorithm>

namespace pmufab::driver_host {
namespace {

constexpr unsigned kWindow = 100'000;   // Linux examines this many at a time
constexpr unsigned kHopeless = 99'900;  // and gives up if this many were not handled
constexpr unsigned kBegin = 100;        // handler calls of which a storm is made
constexpr unsigned kGoOn = 10;          // and in which it goes on
constexpr double kStormShare = 0.9;     // of the time, that handlers take in a storm
constexpr std::size_t kToldStorms = 8;
constexpr unsigned kStorm = 1'000;  // handler calls that leave a line high: the CPU would do nothing else

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
  follow(*source);
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

bool InterruptController::is_high(const Source& source) {
  return std::any_of(source.lines.begin(), source.lines.end(),
                     [](const InterruptLine* line) { return line->is_high(); });
}

void InterruptController::follow(Source& source) {
  if (source.latched || is_high(source)) {
    raised_.emplace(source.number, &source);
  } else {
    raised_.erase(source.number);
  }
}

void InterruptController::on_line(Source& source, bool high) {
  follow(source);
  if (!high) {
    if (source.lost) source.lost = is_high(source);
    return;
  }
  source.in_vain = 0;
  const bool is_edge = source.trigger == InterruptTrigger::edge;
  if (is_edge && source.latched) return;
  if (!is_edge && std::count_if(source.lines.begin(), source.lines.end(),
                                [](const InterruptLine* line) { return line->is_high(); }) > 1)
    return;  // pending already, through another line
  const std::optional<Picoseconds> delay = times_ == nullptr ? delay_ : times_->interrupt_delay();
  if (!delay) {
    ++lost_;
    source.lost = !is_edge;
    return;
  }
  source.latched = is_edge;
  follow(source);
  source.due = simulated_time() + *delay;
  changed_.notify(to_sc_time(*delay));
}

bool InterruptController::is_pending(const Source& source) {
  if (source.disabled) return false;
  return source.trigger == InterruptTrigger::edge ? source.latched : !source.lost && is_high(source);
}

std::optional<std::uint32_t> InterruptController::next(const std::function<bool(std::uint32_t)>& wanted) const {
  for (const auto& [number, source] : raised_) {
    if (is_pending(*source) && source->due <= simulated_time() && wanted(number)) return number;
  }
  return std::nullopt;
}

void InterruptController::rearm() {
  std::optional<Picoseconds> first;
  for (const auto& [number, source] : raised_) {
    if (is_pending(*source) && source->due > simulated_time() && (!first || source->due < *first)) first = source->due;
  }
  if (first) changed_.notify(to_sc_time(*first - simulated_time()));
}

void InterruptController::handles(const char* pmu) {
  if (inside_ != nullptr && inside_->pmu.empty()) inside_->pmu = pmu;
}

void InterruptController::watch(Picoseconds begin) {
  const Picoseconds now = simulated_time();
  if (watch_.calls == 0) {
    watch_.begin = begin;
    for (Source& source : sources_) source.busy = 0;
  }
  watch_.busy += now - begin;
  if (inside_ != nullptr) inside_->busy += now - begin;
  if (++watch_.calls < (is_storm_ ? kGoOn : kBegin)) return;
  const bool is_storm =
      now > watch_.begin && static_cast<double>(watch_.busy) >= kStormShare * static_cast<double>(now - watch_.begin);
  if (is_storm && is_storm_ && !storms_.empty()) {
    InterruptStorm& storm = storms_.back();
    storm.end = now;
    storm.busy += watch_.busy;
    storm.calls += watch_.calls;
  } else if (is_storm && storms_.size() < kToldStorms) {
    const Source& most = *std::max_element(
        sources_.begin(), sources_.end(), [](const Source& one, const Source& other) { return one.busy < other.busy; });
    storms_.push_back({watch_.begin, now, watch_.busy, watch_.calls, most.number, most.pmu});
  }
  is_storm_ = is_storm;
  watch_ = {};
}

void InterruptController::taken(std::uint32_t number) {
  Source* source = find(number);
  inside_ = source;
  entered_ = simulated_time();
  if (source == nullptr) return;
  source->latched = false;
  follow(*source);
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
  busy_ += simulated_time() - entered_;
  watch(entered_);
  inside_ = nullptr;
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
