// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/cxl_judge.h"

#include <algorithm>
#include <deque>
#include <map>

#include <fmt/format.h>

#include "testbench/fabrics/cxl/judge/cxl_pmu_judge.h"
#include "testbench/fabrics/cxl/judge/wires/cxl_cache_protocol.h"
#include "testbench/fabrics/cxl/judge/wires/cxl_lanes.h"
#include "testbench/fabrics/cxl/judge/wires/cxl_protocol.h"

namespace pmufab::scoreboard {
namespace {

CxlJudgeSpec valid(CxlJudgeSpec spec) {
  spec.validate();
  return spec;
}

bool counts_clocks(const CxlPmuSpec& pmu) {
  return std::any_of(pmu.groups.begin(), pmu.groups.end(), [](const CxlGroupSpec& group) {
    return group.vendor == kCxlVendor && is_of_memory(group.group) && group.group != kDdrGroup &&
           group.group != kRetryGroup;
  });
}

/// @name What is seen on the wires
/// @{
struct SeenMessage {
  Picoseconds when;
  CxlMessage message;
  unsigned link;
  CxlEnd end;
};
struct SeenAccess {
  Picoseconds when;
  std::uint64_t address;  // of the device
  unsigned component;
  bool is_write;
};
/// @}

}  // namespace

struct CxlJudge::State {
  struct Component {
    CxlTally tally;
    std::unique_ptr<ReferenceDdr> ddr;
    std::unique_ptr<CxlAccesses> accesses;
  };
  struct Link {
    CxlLanes lanes;
    CxlMemProtocol mem;
    CxlCacheProtocol cache;
  };

  State(CxlJudgeSpec s, Chronicle& c) : spec(valid(std::move(s))), chronicle(c), components(spec.components.size()) {
    for (std::size_t i = 0; i < components.size(); ++i) {
      if (!spec.components[i].ddr) continue;
      CxlDdrSpec ddr = *spec.components[i].ddr;
      for (const CxlPmuSpec& pmu : spec.pmus) ddr.counts_clocks |= pmu.component == i && counts_clocks(pmu);
      components[i].ddr = std::make_unique<ReferenceDdr>(ddr);
      components[i].accesses = std::make_unique<CxlAccesses>(spec.components[i], chronicle.findings);
    }
    for (const CxlLinkSpec& link : spec.links) {
      links.push_back({CxlLanes(link, chronicle.findings), CxlMemProtocol(spec, link, chronicle.findings),
                       CxlCacheProtocol(spec, link, chronicle.findings)});
      if (components[link.lower].ddr) links.back().mem.tell(components[link.lower].ddr->load());
    }
    for (const CxlPmuSpec& pmu : spec.pmus) {
      Component& component = components[pmu.component];
      ExactClock& own_ticks = ticks.try_emplace(pmu.address, pmu.clock_hz).first->second;
      pmus.emplace_back(CxlSources{pmu, ExactClock(pmu.clock_hz), component.tally, component.ddr.get(), own_ticks},
                        chronicle.findings);
    }
  }

  void see_message(const SeenMessage& seen);
  void see_access(const SeenAccess& seen);
  void count(Picoseconds when, unsigned component, const CxlMessage& message) {
    const std::uint16_t group = group_of(message.which);
    std::optional<unsigned> decoder;
    if (has_hdm_address(group)) decoder = decoder_of(spec.components[component].decoders, message.address);
    components[component].tally.count(group, message.opcode, decoder, when);
  }

  const CxlJudgeSpec spec;
  Chronicle& chronicle;
  std::deque<Component> components;  // deque: judges keep references
  std::deque<Link> links;
  std::map<std::uint64_t, ExactClock> ticks;  // by address of the CPMU
  std::deque<CxlPmuJudge> pmus;
};

void CxlJudge::State::see_message(const SeenMessage& seen) {
  const Picoseconds when = seen.when;
  const CxlMessage& message = seen.message;
  chronicle.see(when);
  chronicle.last_traffic = std::max(chronicle.last_traffic, when);
  const CxlLinkSpec& entry = spec.links.at(seen.link);
  Link& link = links[seen.link];
  const bool leaves = (seen.end == CxlEnd::upper) == travels_down(message.which);
  if (leaves) {
    link.lanes.left(when, message);
    link.mem.left(when, message);
    link.cache.left(when, message);
  } else {
    link.lanes.arrived(when, message);
    link.mem.arrived(when, message);
    if (seen.end == CxlEnd::lower && components[entry.lower].accesses)
      components[entry.lower].accesses->arrived(when, message);
  }
  count(when, seen.end == CxlEnd::upper ? entry.upper : entry.lower, message);
}

void CxlJudge::State::see_access(const SeenAccess& seen) {
  chronicle.see(seen.when);
  Component& entry = components.at(seen.component);
  if (!entry.ddr) return;
  entry.accesses->seen(seen.when, seen.is_write, seen.address);
  entry.ddr->access(seen.when, seen.is_write, seen.address);
  for (std::size_t link = 0; link < links.size(); ++link) {
    if (spec.links[link].lower == seen.component)
      links[link].mem.accessed(seen.when, seen.address, entry.ddr->last_data());
  }
}

CxlJudge::CxlJudge(CxlJudgeSpec spec, Chronicle& chronicle)
    : state_(std::make_unique<State>(std::move(spec), chronicle)) {}

CxlJudge::~CxlJudge() = default;

void CxlJudge::on_message(Picoseconds when, unsigned link, CxlEnd end, const CxlMessage& message) {
  state_->chronicle.backlog.add<&State::see_message>(*state_, SeenMessage{when, message, link, end});
}

void CxlJudge::on_access(Picoseconds when, unsigned component, bool write, std::uint64_t device_address) {
  state_->chronicle.backlog.add<&State::see_access>(*state_, SeenAccess{when, device_address, component, write});
}

std::vector<PmuJudge*> CxlJudge::pmus() {
  std::vector<PmuJudge*> all;
  for (CxlPmuJudge& pmu : state_->pmus) all.push_back(&pmu);
  return all;
}

void CxlJudge::finish() {
  const Picoseconds when = state_->chronicle.last_seen;
  for (State::Link& link : state_->links) {
    link.lanes.finish(when);
    link.mem.finish(when);
    link.cache.finish(when);
  }
  for (const State::Component& component : state_->components) {
    if (component.accesses) component.accesses->finish(when);
  }
}

std::uint64_t CxlJudge::count(unsigned component, std::uint16_t group, unsigned bit) const {
  const State& s = *state_;
  return s.components.at(component).tally.of(group, bit);
}

unsigned CxlJudge::components() const { return static_cast<unsigned>(state_->components.size()); }
const CxlTally& CxlJudge::messages(unsigned component) const { return state_->components.at(component).tally; }
ReferenceDdr* CxlJudge::memory(unsigned component) const { return state_->components.at(component).ddr.get(); }

}  // namespace pmufab::scoreboard
