// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/fabrics/cmn/judge/cmn_truths.h"
#include "testbench/fabrics/cmn/judge/nodes/node_events.h"

namespace pmufab::scoreboard {
namespace {

constexpr std::size_t kCountersOfDtc = 8;  // of a DTC (CMN TRM, por_dt_pmevcnt)
constexpr std::size_t kCountersOfDtm = 4;  // of a DTM (por_dtm_pmevcnt)

const CmnMeaning& taker_of(const EventTruth& event) { return dynamic_cast<const CmnTaker&>(event).meaning(); }

/// How many local counters of each crosspoint an event takes: one for each of its nodes.
std::vector<std::size_t> counters_taken(const CmnMeaning& meaning, const CmnWires& wires) {
  std::vector<std::size_t> places(wires.xps());
  if (meaning.kind == CmnMeaning::Kind::node) {
    for (const NodeCounts* const source : wires.nodes.sources(meaning.type, meaning.node)) {
      const auto node = std::find_if(wires.spec.nodes.begin(), wires.spec.nodes.end(),
                                     [&](const CmnNode& one) { return one.node_id == source->node_id(); });
      if (node != wires.spec.nodes.end()) ++places[node->xp];
    }
  } else {
    for (unsigned xp = 0; xp < wires.xps(); ++xp)
      places.at(xp) = !meaning.node || *meaning.node == wires.ids.xp_id(xp) ? 1 : 0;
  }
  return places;
}

/// @return whether the two may want different filters of one node
bool may_want_other_filter(const CmnMeaning& one, const CmnMeaning& other, const CmnWires& wires) {
  const auto has_filter = [&](const CmnMeaning& event) {
    return event.kind == CmnMeaning::Kind::node &&
           node_filter(event.type, event.event_id, wires.spec.layout) != NodeFilter::none;
  };
  if (!has_filter(one) || !has_filter(other)) return false;
  if (one.filter == other.filter && one.filter2 == other.filter2) return false;
  const auto others = wires.nodes.sources(other.type, other.node);
  const auto ours = wires.nodes.sources(one.type, one.node);
  return std::any_of(ours.begin(), ours.end(), [&](const NodeCounts* source) {
    return std::find(others.begin(), others.end(), source) != others.end();
  });
}

}  // namespace

std::optional<std::string> CmnPmuJudge::room_for(const EventTruth& refused,
                                                 const std::vector<const EventTruth*>& active) const {
  const CmnMeaning& meaning = taker_of(refused);
  if (meaning.kind == CmnMeaning::Kind::cycles) {
    const auto cycles = static_cast<std::size_t>(std::count_if(
        active.begin(), active.end(), [](const EventTruth* event) { return event->takes_cycle_counter(); }));
    return cycles == 0 ? "no cycle counter used" : "";
  }
  std::vector<std::size_t> taken = counters_taken(meaning, wires_);
  const std::vector<std::size_t> needed = taken;
  std::size_t used = 0;
  for (const EventTruth* const event : active) {
    const CmnMeaning& other = taker_of(*event);
    if (other.kind == CmnMeaning::Kind::cycles) continue;
    if (may_want_other_filter(meaning, other, wires_)) return {};
    ++used;
    const std::vector<std::size_t> places = counters_taken(other, wires_);
    for (std::size_t xp = 0; xp < taken.size(); ++xp) taken[xp] += places[xp];
  }
  for (std::size_t xp = 0; xp < taken.size(); ++xp) {
    if (needed[xp] == 0) continue;
    if (taken[xp] > kCountersOfDtm) {
      if (wires_.spec.multiple_dtm) return std::nullopt;  // its other DTMs have counters, too
      return "";
    }
    if (meaning.kind != CmnMeaning::Kind::watchpoint) continue;
    // A DTM for every two ports in use; the first is there without any.
    const unsigned ports = wires_.spec.ports_in_use[xp];
    if (wires_.spec.multiple_dtm && meaning.port >= 2 && meaning.port / 2 >= (ports + 1) / 2) return "";
    const auto& slots = wires_.slots(static_cast<unsigned>(xp), meaning.port, meaning.upload).taken;
    std::size_t free = 0;
    for (const WatchpointTruth* const other : slots) {
      if (other == nullptr || std::find(active.begin(), active.end(), other) == active.end()) {
        ++free;
        continue;
      }
      if (meaning.combine != 0 || other->meaning().combine != 0) return {};
      // A driver may take the match group for the number of the watchpoint, as that of Linux 6.1 does.
      if (meaning.group == other->meaning().group) return {};
    }
    if (free == 0) return "";
  }
  return room_text(used, kCountersOfDtc);
}

}  // namespace pmufab::scoreboard
