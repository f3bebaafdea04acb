// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/judge/clock_truth.h"

#include <algorithm>

#include "testbench/fabrics/soc/judge/soc_truth.h"
#include "testbench/judge/equal_counts.h"

namespace pmufab::scoreboard {

ClockTruth::ClockTruth(SocMeaning meaning, unsigned source, std::shared_ptr<SocWires> wires, const ExactClock& clock)
    : ClocksTruth(std::move(meaning), source, std::move(wires), clock), always_(clock, rule()) {
  always_.start(0);
}

ThresholdClock::Rule ClockTruth::rule() const noexcept {
  return {.threshold = meaning().threshold, .edge = meaning().is_first_alone};
}

void ClockTruth::find_alike(Picoseconds when) {
  std::erase_if(young_, [&](std::uint64_t number) {
    Place& place = marks_.at(number);
    if (when < place.alike) return false;
    place.more = place.own.total(place.alike) - always_.total(place.alike);
    return true;
  });
}

void ClockTruth::hear(const Occurrence& occurrence, Picoseconds when) {
  const std::uint64_t amount = meaning().counts(occurrence) ? amount_of(meaning(), occurrence) : 0;
  if (amount == 0) return;
  find_alike(when);
  always_.add(when, amount);
  events_ += amount;
  for (const std::uint64_t number : young_) marks_.at(number).own.add(when, amount);
}

Mark ClockTruth::mark(Picoseconds when) {
  constexpr Picoseconds kAhead = 1'000'000;  // marks may lie slightly ahead of what happens
  if (when > kAhead) find_alike(when - kAhead);
  for (const std::uint64_t number : young_) marks_.at(number).early[next_] = marks_.at(number).own.total(when);
  const Picoseconds alike = clock().time_of(clock().edges_before(when) + 2) + 1;
  Place& place = marks_.emplace(next_, Place{always_.total(when), events_, alike, {clock(), rule()}}).first->second;
  place.own.start(when);
  young_.push_back(next_);
  return {when, next_++};
}

void ClockTruth::forget(const Mark& mark) {
  marks_.erase(mark.position);
  std::erase(young_, mark.position);
}

std::uint64_t ClockTruth::count(const Span& span) const {
  const Place& begin = marks_.at(span.begin.position);
  if (span.begin.position == span.end.position) return 0;
  const auto early = begin.early.find(span.end.position);
  const std::uint64_t counted =
      early != begin.early.end() ? early->second : marks_.at(span.end.position).total + begin.more;
  return counted * meaning().times;
}

std::string ClockTruth::explain(std::span<const Span> spans, std::uint64_t driver) const {
  std::uint64_t events = 0;
  for (const Span& span : spans) events += marks_.at(span.end.position).events - marks_.at(span.begin.position).events;
  EqualCounts equal(driver);
  equal.offer(events * meaning().times, "everything, without its threshold");
  return equal.text();
}

BusyTruth::BusyTruth(SocMeaning meaning, unsigned source, const std::shared_ptr<SocWires>& wires,
                     const ExactClock& clock)
    : ClocksTruth(std::move(meaning), source, wires, clock) {
  for (const SocWires::Lasting& one : wires->lasting(source)) add(one.occurrence, one.begin, one.end);
}

void BusyTruth::add(const Occurrence& occurrence, Picoseconds begin, Picoseconds end) {
  if (end == begin || !meaning().counts(occurrence)) return;
  if (begin_.size() >= kMany) look_until(clock().edges_before(begin));
  begin_[std::max(edge_, clock().edges_before(begin))] += occurrence.repeat;
  end_[std::max(edge_, clock().edges_before(end))] += occurrence.repeat;
}

void BusyTruth::look_until(std::uint64_t edge) {
  while (edge_ < edge) {
    if (!begin_.empty() && begin_.begin()->first == edge_) outstanding_ += begin_.extract(begin_.begin()).mapped();
    if (!end_.empty() && end_.begin()->first == edge_) outstanding_ -= end_.extract(end_.begin()).mapped();
    const bool is_busy = outstanding_ >= std::max<std::uint64_t>(meaning().threshold, 1);
    for (auto& [number, place] : marks_) {
      if (place.edge == edge_) place.is_continued = is_busy && was_busy_;
    }
    std::uint64_t until = edge;
    if (!begin_.empty()) until = std::min(until, begin_.begin()->first);
    if (!end_.empty()) until = std::min(until, end_.begin()->first);
    const std::uint64_t new_rows = was_busy_ ? 0 : 1;
    if (is_busy) total_ += meaning().is_first_alone ? new_rows : until - edge_;
    was_busy_ = is_busy;
    edge_ = until;
  }
}

Mark BusyTruth::mark(Picoseconds when) {
  const std::uint64_t edge = clock().edges_before(when);
  look_until(edge);
  marks_.emplace(next_, Place{edge, total_});
  return {when, next_++};
}

std::uint64_t BusyTruth::count(const Span& span) const {
  const Place& begin = marks_.at(span.begin.position);
  const Place& end = marks_.at(span.end.position);
  // A counter knows nothing of rows that began before it did.
  const bool has_own_row = meaning().is_first_alone && begin.is_continued && end.edge > begin.edge;
  return (end.total - begin.total + (has_own_row ? 1 : 0)) * meaning().times;
}

}  // namespace pmufab::scoreboard
