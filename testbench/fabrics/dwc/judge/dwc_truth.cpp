// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/dwc/judge/dwc_truth.h"

namespace pmufab::scoreboard {

Mark DwcTruth::keep(Picoseconds when, const DwcProgress& progress) {
  checkpoints_.emplace(next_, Checkpoint{progress, has_gate_});
  return {when, next_++};
}

std::uint64_t DwcTruth::count(const Span& span) const {
  const Checkpoint& begin = checkpoints_.at(span.begin.position);
  const DwcProgress& end = checkpoints_.at(span.end.position).progress;
  return begin.has_gate ? end.counted - begin.progress.counted : end.happened - begin.progress.happened;
}

std::uint64_t DwcTruth::happened(const Span& span) const {
  return checkpoints_.at(span.end.position).progress.happened - checkpoints_.at(span.begin.position).progress.happened;
}

std::optional<Mark> DwcTruth::own_begin(Picoseconds begin) {
  const std::optional<DwcWires::Point> start = wires_.last_start(meaning_, begin);
  if (!start) return std::nullopt;
  has_gate_ = true;
  return keep(start->when, start->progress);
}

Mark DwcTruth::own_end(Picoseconds begin, Picoseconds end) {
  const std::optional<DwcWires::Point> read = wires_.last_read(meaning_, begin);
  const Mark mark_of_end = read ? keep(read->when, read->progress) : mark(end);
  has_gate_ = false;
  return mark_of_end;
}

void DwcTruth::settle(const Span& span) {
  settled_count_ += count(span);
  settled_dropped_ = dropped({&span, 1});
}

std::uint64_t DwcTruth::dropped(std::span<const Span> spans) const {
  std::uint64_t sum = settled_dropped_;
  for (const Span& span : spans)
    sum += checkpoints_.at(span.end.position).progress.dropped - checkpoints_.at(span.begin.position).progress.dropped;
  return sum;
}

std::optional<LossCause> DwcTruth::cause_of_difference(std::span<const Span> spans, std::uint64_t counted,
                                                       std::uint64_t reported) const {
  constexpr unsigned kUnitBits = 4;  // data is counted in units of 16 bytes
  if (const std::uint64_t lost = dropped(spans); lost != 0 && counted - reported == lost) return LossCause::reading;
  const unsigned width = meaning_.kind == DwcMeaning::Kind::data ? width_ + kUnitBits : width_;
  return wraps_or_unexplained(width, counted, reported);
}

void DwcTruth::describe(std::span<const Span> /*spans*/, EventResult& result) const {
  if (meaning_.kind == DwcMeaning::Kind::nothing) result.remark = kCountsNothing;
}

std::string DwcTruth::explain(std::span<const Span> spans, std::uint64_t driver) const {
  std::uint64_t counted = settled_count_;
  for (const Span& span : spans) counted += count(span);
  const std::uint64_t lost = dropped(spans);
  if (lost != 0 && counted - driver == lost)
    return meaning_.is_timed ? "what came between a reading and the start of the next measurement is lost"
                             : "what came between a reading of the counter and its clearing is lost";
  return {};
}

}  // namespace pmufab::scoreboard
