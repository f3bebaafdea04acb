// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/judge/clock_truth.h"

#include <algorithm>

#include "testbench/fabrics/soc/judge/soc_truth.h"
#include "testbench/judge/guesses.h"

namespace pmufab::scoreboard {

ClockTruth::ClockTruth(SocMeaning meaning, unsigned source, std::shared_ptr<SocWires> wires, const ExactClock& clock)
    : meaning_(std::move(meaning)), source_(source), wires_(std::move(wires)), clock_(clock), always_(clock, rule()) {
  always_.start(0);
  wires_->add(source_, *this);
}

ThresholdClock::Rule ClockTruth::rule() const noexcept {
  return {.threshold = meaning_.threshold, .edge = meaning_.is_first_alone};
}

void ClockTruth::hear(const Occurrence& occurrence, Picoseconds when) {
  if (!meaning_.counts(occurrence)) return;
  std::erase_if(young_, [&](std::uint64_t number) {
    const auto found = marks_.find(number);
    if (found == marks_.end()) return true;
    Beginning& mark = found->second;
    if (when < mark.alike) return false;
    mark.alike_total = always_.total(mark.alike);
    return true;
  });
  const std::uint64_t amount = amount_of(meaning_, occurrence);
  always_.add(when, amount);
  events_ += amount;
  for (const std::uint64_t number : young_) marks_.at(number).first.emplace_back(when, amount);
}

Mark ClockTruth::mark(Picoseconds when) {
  const Picoseconds alike = clock_.time_of(clock_.edges_before(when) + 1) + 1;
  marks_.emplace(next_, Beginning{.when = when, .alike = alike, .total = always_.total(when), .events = events_});
  young_.push_back(next_);
  return {when, next_++};
}

void ClockTruth::forget(const Mark& mark) {
  marks_.erase(mark.position);
  std::erase(young_, mark.position);
}

std::uint64_t ClockTruth::count(const Span& span) const {
  const Beginning& begin = marks_.at(span.begin.position);
  const Picoseconds until = std::min(begin.alike, span.end.when);
  ThresholdClock own(clock_, rule());
  own.start(begin.when);
  for (const auto& [when, amount] : begin.first) {
    if (when < until) own.add(when, amount);
  }
  std::uint64_t count = own.total(until);
  if (span.end.when > until)
    count += marks_.at(span.end.position).total - begin.alike_total.value_or(always_.total(begin.alike));
  return count * meaning_.times;
}

std::string ClockTruth::explain(std::span<const Span> spans, std::uint64_t driver) const {
  std::uint64_t events = 0;
  for (const Span& span : spans) events += marks_.at(span.end.position).events - marks_.at(span.begin.position).events;
  Guesses guesses(driver);
  guesses.offer(events * meaning_.times, "everything, without its threshold");
  return guesses.text();
}

BusyTruth::BusyTruth(SocMeaning meaning, unsigned source, std::shared_ptr<SocWires> wires, const ExactClock& clock)
    : meaning_(std::move(meaning)), source_(source), wires_(std::move(wires)), clock_(clock) {
  wires_->add(source_, *this);
  for (const SocWires::Lasting& one : wires_->lasting(source_)) add(one.occurrence, one.begin, one.end);
}

void BusyTruth::add(const Occurrence& occurrence, Picoseconds begin, Picoseconds end) {
  if (end == begin || !meaning_.counts(occurrence)) return;
  if (begin_.size() >= kMany) look_until(clock_.edges_before(begin));
  begin_[std::max(edge_, clock_.edges_before(begin))] += occurrence.repeat;
  end_[std::max(edge_, clock_.edges_before(end))] += occurrence.repeat;
}

void BusyTruth::look_until(std::uint64_t edge) {
  while (edge_ < edge) {
    if (!begin_.empty() && begin_.begin()->first == edge_) outstanding_ += begin_.extract(begin_.begin()).mapped();
    if (!end_.empty() && end_.begin()->first == edge_) outstanding_ -= end_.extract(end_.begin()).mapped();
    const bool is_busy = outstanding_ >= std::max<std::uint64_t>(meaning_.threshold, 1);
    for (auto& [number, place] : marks_) {
      if (place.edge == edge_) place.is_continued = is_busy && was_busy_;
    }
    std::uint64_t until = edge;
    if (!begin_.empty()) until = std::min(until, begin_.begin()->first);
    if (!end_.empty()) until = std::min(until, end_.begin()->first);
    const std::uint64_t new_rows = was_busy_ ? 0 : 1;
    if (is_busy) total_ += meaning_.is_first_alone ? new_rows : until - edge_;
    was_busy_ = is_busy;
    edge_ = until;
  }
}

Mark BusyTruth::mark(Picoseconds when) {
  const std::uint64_t edge = clock_.edges_before(when);
  look_until(edge);
  marks_.emplace(next_, Place{edge, total_});
  return {when, next_++};
}

std::uint64_t BusyTruth::count(const Span& span) const {
  const Place& begin = marks_.at(span.begin.position);
  const Place& end = marks_.at(span.end.position);
  // A counter knows nothing of rows that began before it did.
  const bool has_own_row = meaning_.is_first_alone && begin.is_continued && end.edge > begin.edge;
  return (end.total - begin.total + (has_own_row ? 1 : 0)) * meaning_.times;
}

}  // namespace pmufab::scoreboard
