// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "testbench/fabrics/cmn/verify/mesh_events.h"

namespace pmufab::verify {
namespace {

/// @return the events, a pair as two
std::vector<const MeshEvent*> one_by_one(const std::vector<const MeshEvent*>& events) {
  std::vector<const MeshEvent*> all;
  for (const MeshEvent* const event : events) {
    if (event->pair.empty()) all.push_back(event);
    for (const MeshEvent& one : event->pair) all.push_back(&one);
  }
  return all;
}

}  // namespace

CmnFit::CmnFit(const CmnDriver& driver, cmn::Product product, unsigned dtcs)
    : full_dtc_alone_(driver.full_dtc_alone),
      watchpoints_by_group_(driver.watchpoints_by_group),
      combines_(driver.combines),
      sees_domains_(product != cmn::Product::cmn600),
      dtcs_(dtcs) {}

bool CmnFit::dtcs_have_room(const std::vector<const MeshEvent*>& events, bool is_group) const {
  std::vector<unsigned> used(dtcs_, 0);
  unsigned cycles = 0;
  for (const MeshEvent* const event : events) {
    if (event->kind == MeshEvent::Kind::cycles) ++cycles;
    std::set<unsigned> domains;
    for (const EventPlace& place : event->places) domains.insert(place.domain);
    // Where the driver does not see domains, and where it checks groups of all together, an event is in all of them.
    const bool in_all = event->kind != MeshEvent::Kind::cycles && (!sees_domains_ || (is_group && !full_dtc_alone_));
    for (unsigned domain = 0; domain < dtcs_; ++domain) {
      if (in_all || domains.contains(domain)) ++used[domain];
    }
  }
  return cycles <= (is_group ? 1 : dtcs_) &&
         std::ranges::all_of(used, [](unsigned count) { return count <= cmn::kGlobalCounters; });
}

bool CmnFit::dtms_have_room(const std::vector<const MeshEvent*>& events, bool is_group) const {
  std::map<unsigned, unsigned> used;
  std::map<unsigned, unsigned> checked;
  for (const MeshEvent* const event : events) {
    for (const EventPlace& place : event->places) {
      ++used[place.dtm];
      ++checked[place.checked_dtm];
    }
  }
  const auto has_room = [](const auto& dtm) { return dtm.second <= cmn::kLocalCounters; };
  return std::ranges::all_of(used, has_room) && (!is_group || std::ranges::all_of(checked, has_room));
}

bool CmnFit::watchpoints_fit(const std::vector<const MeshEvent*>& events, bool is_group) const {
  constexpr unsigned kEachWay = cmn::kWatchpoints / 2;
  struct Use {
    unsigned count = 0;
    unsigned combined = 0;
    std::set<unsigned> groups;
  };
  std::map<std::tuple<bool, unsigned, bool>, Use> uses;  // by kind of DTM, DTM and direction
  for (const MeshEvent* const event : events) {
    if (event->kind != MeshEvent::Kind::watchpoint) continue;
    for (const EventPlace& place : event->places) {
      for (const bool is_checked : {false, true}) {
        if (is_checked && !is_group) continue;
        Use& use = uses[{is_checked, is_checked ? place.checked_dtm : place.dtm, event->upload}];
        ++use.count;
        use.combined += event->combined ? 1 : 0;
        use.groups.insert(event->group & 1U);
      }
    }
  }
  return std::ranges::all_of(uses, [&](const auto& entry) {
    const Use& use = entry.second;
    const bool agree = use.combined == 0 || use.combined == use.count;
    return use.count <= kEachWay && agree && (!watchpoints_by_group_ || use.groups.size() == use.count);
  });
}

bool CmnFit::filters_fit(const std::vector<const MeshEvent*>& events, bool is_group) {
  std::map<std::pair<unsigned, scoreboard::NodeFilter>, unsigned> codes;  // by node, or by DTM
  for (const MeshEvent* const event : events) {
    for (const auto& [filter, code] : event->filters) {
      for (const EventPlace& place : event->places) {
        const unsigned where = is_group ? place.checked_dtm : place.node;
        if (codes.emplace(std::pair(where, filter), code).first->second != code) return false;
      }
    }
  }
  return true;
}

bool CmnFit::fits(const std::vector<const MeshEvent*>& events, bool is_group) const {
  // A pair is a group of its own.
  const auto is_pair = [](const MeshEvent* event) { return !event->pair.empty(); };
  if (is_group && std::ranges::any_of(events, is_pair)) return false;
  const std::vector<const MeshEvent*> all = one_by_one(events);
  return dtcs_have_room(all, is_group) && dtms_have_room(all, is_group) && watchpoints_fit(all, is_group) &&
         filters_fit(all, is_group);
}

/// What the driver has seen of a group when it checks the next event of it.
struct CmnFit::Checked {
  struct Watchpoint {
    unsigned group;
    bool combined;
  };
  bool cycles = false;
  std::map<unsigned, unsigned> dtcs;
  std::map<unsigned, unsigned> dtms;
  std::map<std::pair<unsigned, scoreboard::NodeFilter>, unsigned> filters;
  std::map<std::pair<unsigned, bool>, std::vector<Watchpoint>> watchpoints;  // by DTM and direction
};

std::set<CmnFit::Refusal> CmnFit::refusals(const MeshEvent& event, const Checked& others) const {
  const auto count_of = [](const auto& counts, const auto& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0U : static_cast<unsigned>(found->second);
  };
  std::set<Refusal> why;
  if (event.kind == MeshEvent::Kind::cycles) {
    if (others.cycles) why.insert(Refusal::cycles);
    return why;
  }
  const auto is_full = [](const auto& dtc) { return dtc.second == cmn::kGlobalCounters; };
  if (!full_dtc_alone_ && std::ranges::any_of(others.dtcs, is_full)) why.insert(Refusal::dtc_full);
  for (const EventPlace& place : event.places) {
    if (count_of(others.dtcs, domain_of(place)) == cmn::kGlobalCounters) why.insert(Refusal::dtc_full);
    if (count_of(others.dtms, place.checked_dtm) == cmn::kLocalCounters) why.insert(Refusal::dtm_full);
    for (const auto& [filter, code] : event.filters) {
      const auto known = others.filters.find({place.checked_dtm, filter});
      if (known != others.filters.end() && known->second != code) why.insert(Refusal::filter);
    }
    if (event.kind != MeshEvent::Kind::watchpoint) continue;
    const auto seen = others.watchpoints.find({place.checked_dtm, event.upload});
    if (seen == others.watchpoints.end()) continue;
    const std::vector<Checked::Watchpoint>& known = seen->second;
    const bool is_taken =
        std::ranges::any_of(known, [&](const Checked::Watchpoint& other) { return other.group == (event.group & 1U); });
    if (known.size() == 2 || (watchpoints_by_group_ && is_taken)) {
      why.insert(Refusal::watchpoints_full);
    } else if (combines_ && known.front().combined != event.combined) {
      why.insert(Refusal::combination);
    }
  }
  return why;
}

void CmnFit::add(const MeshEvent& event, Checked& others) const {
  others.cycles = others.cycles || event.kind == MeshEvent::Kind::cycles;
  std::set<unsigned> domains;
  for (const EventPlace& place : event.places) {
    if (domains.insert(domain_of(place)).second) ++others.dtcs[domain_of(place)];
    ++others.dtms[place.checked_dtm];
    for (const auto& [filter, code] : event.filters) others.filters[{place.checked_dtm, filter}] = code;
    if (event.kind != MeshEvent::Kind::watchpoint) continue;
    others.watchpoints[{place.checked_dtm, event.upload}].push_back({event.group & 1U, event.combined});
  }
}

std::set<CmnFit::Refusal> CmnFit::refusals(const std::vector<const MeshEvent*>& events) const {
  if (events.size() < 2) return {};  // the first is not checked
  Checked checked;
  for (std::size_t i = 0; i + 1 < events.size(); ++i) add(*events[i], checked);
  return refusals(*events.back(), checked);
}

}  // namespace pmufab::verify
