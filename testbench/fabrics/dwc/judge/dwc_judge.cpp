// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/dwc/judge/dwc_judge.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "testbench/fabrics/dwc/judge/dwc_meaning.h"
#include "testbench/fabrics/dwc/judge/dwc_truth.h"

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

}  // namespace pmufab::scoreboard
