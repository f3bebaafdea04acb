// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/judge/soc_truth.h"

#include <algorithm>
#include <utility>

#include "testbench/judge/guesses.h"

namespace pmufab::scoreboard {

void SocWires::tell(unsigned number, const Occurrence& occurrence, Picoseconds when) {
  Source& source = sources_.at(number);
  for (Listener* const listener : source.listeners) listener->hear(occurrence, when);
  if (!source.keeps || occurrence.duration == 0) return;
  if (source.lasting.size() >= source.room) {
    std::erase_if(source.lasting, [&](const Lasting& one) { return one.end <= when; });
    source.room = std::max<std::size_t>(256, 2 * source.lasting.size());
  }
  source.lasting.push_back({occurrence, when, when + occurrence.duration});
}

SocTruth::SocTruth(SocMeaning meaning, unsigned source, std::shared_ptr<SocWires> wires, const ExactClock& clock)
    : meaning_(std::move(meaning)), source_(source), wires_(std::move(wires)), clock_(clock) {
  if (listens()) wires_->add(source_, *this);
  if (meaning_.kind != SocMeaning::Kind::outstanding) return;
  for (const SocWires::Lasting& one : wires_->lasting(source_)) {
    if (meaning_.counts(one.occurrence)) lasting_.push_back({one.begin, one.end, one.occurrence.repeat});
  }
}

SocTruth::~SocTruth() {
  if (listens()) wires_->remove(source_, *this);
}

bool SocTruth::listens() const noexcept {
  return meaning_.kind != SocMeaning::Kind::nothing && meaning_.kind != SocMeaning::Kind::cycles;
}

std::uint64_t SocTruth::amount(const Occurrence& occurrence) const {
  if (meaning_.kind != SocMeaning::Kind::sum) return occurrence.repeat;
  const std::uint64_t value = occurrence.attributes.at(meaning_.attribute);
  std::uint64_t units = value / meaning_.unit;
  if (units * meaning_.unit < value) ++units;
  return occurrence.repeat * units;
}

void SocTruth::hear(const Occurrence& occurrence, Picoseconds when) {
  if (meaning_.kind == SocMeaning::Kind::outstanding) {
    if (occurrence.duration == 0 || !meaning_.counts(occurrence)) return;
    if (lasting_.size() >= room_) {
      settle_lasting(when);
      room_ = std::max(kLeastRoom, 2 * lasting_.size());
    }
    lasting_.push_back({when, when + occurrence.duration, occurrence.repeat});
    return;
  }
  all_ += amount(occurrence);
  if (meaning_.counts(occurrence)) count_ += amount(occurrence);
}

/// Of those that have ended nothing more will be added.
void SocTruth::settle_lasting(Picoseconds when) {
  std::erase_if(lasting_, [&](const Lasting& one) {
    if (one.end > when) return false;
    count_ += one.repeat * clock_.edges_in(one.begin, one.end);
    return true;
  });
}

Mark SocTruth::mark(Picoseconds when) {
  if (meaning_.kind != SocMeaning::Kind::outstanding) return {when, count_};
  settle_lasting(when);
  std::uint64_t so_far = count_;
  for (const Lasting& one : lasting_) so_far += one.repeat * clock_.edges_in(one.begin, when);
  return {when, so_far};
}

std::uint64_t SocTruth::count(const Span& span) const {
  switch (meaning_.kind) {
    case SocMeaning::Kind::nothing:
      return 0;
    case SocMeaning::Kind::cycles:
      return clock_.edges_in(span.begin.when, span.end.when);
    case SocMeaning::Kind::occurrences:
    case SocMeaning::Kind::sum:
    case SocMeaning::Kind::outstanding:
      break;
  }
  return span.end.position - span.begin.position;
}

void SocTruth::describe(std::span<const Span> /*spans*/, EventResult& result) const {
  if (meaning_.kind == SocMeaning::Kind::nothing) result.remark = kCountsNothing;
}

std::string SocTruth::explain(std::span<const Span> spans, std::uint64_t driver) const {
  Guesses guesses(driver);
  guesses.offer(all_counted_, "everything at its source, without filters");
  std::uint64_t cycles = settled_cycles_;
  for (const Span& span : spans) cycles += clock_.edges_in(span.begin.when, span.end.when);
  if (meaning_.kind != SocMeaning::Kind::cycles) guesses.offer(cycles, "cycles");
  return guesses.text();
}

}  // namespace pmufab::scoreboard
