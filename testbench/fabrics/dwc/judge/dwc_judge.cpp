// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/dwc/judge/dwc_judge.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "testbench/fabrics/dwc/judge/dwc_meaning.h"

namespace pmufab::scoreboard {
namespace {

constexpr unsigned kDwcLaneWidth = 32;  // dwc_pcie_pmu.rst: one 32-bit counter for each event

}  // namespace

DwcPmuJudge::DwcPmuJudge(DwcPortSpec spec) : PmuJudge(spec.name), spec_(std::move(spec)), wires_(spec_) {}

bool DwcPmuJudge::see_write(const MmioBus::BusAccess& access) {
  wires_.see(access);
  return false;
}

void DwcPmuJudge::see_read(const MmioBus::BusAccess& access) { wires_.see(access); }

bool DwcPmuJudge::is_counter_read(const MmioBus::BusAccess& access) const { return wires_.is_counter_read(access); }

std::unique_ptr<EventTruth> DwcPmuJudge::truth(const EventTerms& terms) {
  DwcMeaning meaning = dwc_meaning(terms, spec_.description);
  const unsigned width = meaning.is_timed ? spec_.description.time_width : kDwcLaneWidth;
  return std::make_unique<DwcTruth>(std::move(meaning), wires_, width);
}

std::optional<std::string> DwcPmuJudge::room_for(const EventTruth& refused,
                                                 const std::vector<const EventTruth*>& active) const {
  const auto is_timed = [](const EventTruth* event) { return static_cast<const DwcTruth*>(event)->is_timed(); };
  const bool is_taken = std::any_of(active.begin(), active.end(),
                                    [&](const EventTruth* event) { return is_timed(event) == is_timed(&refused); });
  if (is_taken) return "";
  return is_timed(&refused) ? "the counter of time-based analysis free" : "no event of lanes on";
}

Publication DwcPmuJudge::publication() const { return dwc_publication(); }

Injection DwcPmuJudge::injection(const EventTerms& terms, unsigned /*unit*/) {
  const DwcMeaning meaning = dwc_meaning(terms, spec_.description);
  switch (meaning.kind) {
    case DwcMeaning::Kind::nothing:
      throw std::invalid_argument("this PMU has no such event");
    case DwcMeaning::Kind::cycles:
      return [this](std::uint64_t count, Picoseconds when) { wires_.pass_cycles(std::nullopt, count, when); };
    case DwcMeaning::Kind::state:
      return [this, state = meaning.state](std::uint64_t count, Picoseconds when) {
        wires_.pass_cycles(state, count, when);
      };
    case DwcMeaning::Kind::data:
      return
          [this, data = meaning.data](std::uint64_t count, Picoseconds /*when*/) { wires_.pass_data(data, count, 1); };
    case DwcMeaning::Kind::lane:
      break;
  }
  return [](std::uint64_t /*count*/, Picoseconds /*when*/) {};
}

DwcJudge::DwcJudge(const DwcJudgeSpec& spec, Chronicle& chronicle) : chronicle_(chronicle) {
  for (const DwcPortSpec& port : spec.ports) ports_.push_back(std::make_unique<DwcPmuJudge>(port));
}

std::vector<PmuJudge*> DwcJudge::pmus() {
  std::vector<PmuJudge*> pmus;
  for (const auto& port : ports_) pmus.push_back(port.get());
  return pmus;
}

void DwcJudge::note(Picoseconds when) {
  chronicle_.see(when);
  chronicle_.last_traffic = when;
}

void DwcJudge::on_event(unsigned port, const dwc::LinkEvent& event, Picoseconds when) {
  chronicle_.backlog.add<&DwcJudge::see_event>(*this, SeenEvent{when, event, port});
}

void DwcJudge::on_state(unsigned port, dwc::LinkState state, Picoseconds when) {
  chronicle_.backlog.add<&DwcJudge::see_state>(*this, SeenState{when, port, state});
}

void DwcJudge::see_event(const SeenEvent& seen) {
  note(seen.when);
  ports_.at(seen.port)->wires().see_event(seen.event);
}

void DwcJudge::see_state(const SeenState& seen) {
  note(seen.when);
  ports_.at(seen.port)->wires().see_state(seen.state, seen.when);
}

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
  // Of a driver that counted nothing, nobody can tell this from a reading of another counter.
  if (const std::uint64_t lost = dropped(spans); lost != 0 && reported != 0 && counted - reported == lost)
    return LossCause::reading;
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
  if (lost != 0 && driver != 0 && counted - driver == lost)
    return meaning_.is_timed ? "what came between a reading and the start of the next measurement is lost"
                             : "what came between a reading of the counter and its clearing is lost";
  return {};
}

}  // namespace pmufab::scoreboard
