// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/scenario/cmn_fabric.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "models/cmn/description/layout.h"
#include "models/cmn/description/product.h"
#include "testbench/fabrics/cmn/judge/nodes/node_events.h"
#include "testbench/fabrics/cmn/scenario/judge_spec.h"
#include "testbench/perf/event_syntax.h"

namespace pmufab::scenario {
namespace {

using cmn::NodeType;

/// What `config` selects: arm-cmn's format, type 15:0, eventid 26:16 (see its sysfs format).
struct NodeEvent {
  NodeType type;
  unsigned id;
};

/// @return nothing for events of other PMUs.
std::optional<NodeEvent> node_event(const perf::ResolvedEvent& event, std::size_t mesh) {
  constexpr std::uint64_t kTypeMask = 0xffff;
  constexpr unsigned kEventIdShift = 16;
  constexpr std::uint64_t kEventIdMask = 0x7ff;
  if (event.pmu != fmt::format("arm_cmn_{}", mesh)) return std::nullopt;
  const std::uint64_t config = event.attributes.config;
  return NodeEvent{static_cast<NodeType>(config & kTypeMask),
                   static_cast<unsigned>(config >> kEventIdShift & kEventIdMask)};
}

/// As why_never() for events of crosspoints: event in bits 1:0, interface in 4:2, channel above.
std::optional<std::string_view> why_never_at_crosspoints(unsigned id) {
  if ((id & 3U) == 0) return std::nullopt;
  if ((id & 3U) == 3) return "the mesh does not tell partial DAT flits from whole ones";
  return "";
}

}  // namespace

void check_modelled(const perf::ResolvedEvent& event, std::size_t mesh, const cmn::Topology& topology) {
  const std::optional<NodeEvent> asked = node_event(event, mesh);
  if (!asked) return;
  // Watchpoints and cycles are the mesh's own; what is no node's event the driver refuses.
  const bool is_crosspoint = asked->type == NodeType::xp;
  if (!is_crosspoint && (!cmn::is_known(asked->type) || asked->type == NodeType::dtc)) return;
  const std::optional<std::string_view> reason =
      is_crosspoint ? why_never_at_crosspoints(asked->id)
                    : scoreboard::why_never(asked->type, asked->id, release_of(topology));
  // The driver knows names of what there is, but takes any number, and hardware counts nothing then.
  if (!reason) {
    throw perf::EventError(event.text, 0,
                           fmt::format("{} of this revision has no such event", cmn::to_string(topology.product)),
                           "docs/cmn-nodes.md says which events each node has");
  }
  if (reason->empty()) return;
  throw perf::EventError(event.text, 0, fmt::format("no model makes this event happen: {}", *reason),
                         "pmufab list marks the events that no model makes");
}

std::string hint_of_nodes(const perf::ResolvedEvent& event, std::size_t mesh, const cmn::Topology& topology) {
  constexpr std::size_t kShown = 3;
  const std::optional<NodeEvent> asked = node_event(event, mesh);
  if (!asked) return {};
  std::optional<std::uint64_t> id;
  for (const scoreboard::EventTerm& term : event.terms) {
    if (term.name == "nodeid") id = term.value;
  }
  if (!id) return {};
  // Watchpoints are at XPs.
  constexpr NodeType kWatchpoint{0x7770};
  const NodeType type = asked->type == kWatchpoint ? NodeType::xp : asked->type;
  std::vector<std::uint64_t> ids;
  const cmn::Layout layout(topology);
  for (const cmn::NodePlace& node : layout.nodes()) {
    const bool same = node.type == type || (type == NodeType::rn_i && node.type == NodeType::rn_d);
    if (same && !node.is_closed()) ids.push_back(node.node_id);
  }
  const std::string name(cmn::to_string(type));
  if (ids.empty()) return fmt::format("the mesh has no {}", name);
  if (std::ranges::find(ids, *id) != ids.end()) return {};
  const auto distance = [&](std::uint64_t other) { return other > *id ? other - *id : *id - other; };
  std::ranges::stable_sort(ids, [&](std::uint64_t a, std::uint64_t b) { return distance(a) < distance(b); });
  if (ids.size() > kShown) ids.resize(kShown);
  return fmt::format("there is no {} with node id {:#x}; the nearest are {:#x} (pmufab map shows all)", name, *id,
                     fmt::join(ids, ", "));
}

}  // namespace pmufab::scenario
