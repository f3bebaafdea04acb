#include "testbench/scenario/cmn_event_check.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "models/cmn/nodes/modelled_events.h"
#include "models/cmn/product.h"
#include "testbench/scenario/event_syntax.h"

namespace pmufab::scenario {
namespace {

using cmn::NodeType;

/// What `config` selects: arm-cmn's format, type 15:0, eventid 26:16, bynodeid 31, nodeid 47:32 (see its sysfs format).
struct NodeEvent {
  NodeType type;
  unsigned id;
  std::optional<std::uint16_t> node;  ///< of this one alone
};

/// @return nothing for events of other PMUs.
std::optional<NodeEvent> node_event(const ResolvedEvent& event, std::size_t mesh) {
  constexpr std::uint64_t kTypeMask = 0xffff;
  constexpr unsigned kEventIdShift = 16;
  constexpr std::uint64_t kEventIdMask = 0x7ff;
  constexpr unsigned kByNodeIdShift = 31;
  constexpr unsigned kNodeIdShift = 32;
  if (event.pmu != fmt::format("arm_cmn_{}", mesh)) return std::nullopt;
  const std::uint64_t config = event.attributes.config;
  NodeEvent result{
      static_cast<NodeType>(config & kTypeMask), static_cast<unsigned>(config >> kEventIdShift & kEventIdMask), {}};
  if ((config >> kByNodeIdShift & 1U) != 0) result.node = static_cast<std::uint16_t>(config >> kNodeIdShift);
  return result;
}

bool is_gateway(NodeType type) {
  switch (type) {
    case NodeType::cxra:
    case NodeType::cxha:
    case NodeType::ccra:
    case NodeType::ccha:
    case NodeType::ccla:
    case NodeType::ccla_rni:
      return true;
    default:
      return false;
  }
}

}  // namespace

void check_modelled(const ResolvedEvent& event, std::size_t mesh, const cmn::Topology& topology) {
  const std::optional<NodeEvent> asked = node_event(event, mesh);
  if (!asked) return;
  // Flits, watchpoints and cycles are the mesh's own; what is no node's event the driver refuses.
  if (!cmn::is_known(asked->type) || asked->type == NodeType::xp || asked->type == NodeType::dtc) return;
  const std::string_view reason = cmn::reason_not_modelled(topology.product, topology.revision, asked->type, asked->id);
  if (reason.empty()) return;
  // The driver knows names of what there is, but takes any number, and hardware counts nothing then.
  if (reason == cmn::kNoSuchEvent) {
    throw EventError(event.text, 0,
                     fmt::format("{} of this revision has no such event", cmn::to_string(topology.product)),
                     "models/cmn/README.md lists the events of nodes that are modelled");
  }
  throw EventError(event.text, 0, fmt::format("no model makes this event happen: {}", reason),
                   "models/cmn/README.md lists the events of nodes that are modelled");
}

void check_judged(const ResolvedEvent& event, std::size_t mesh, const cmn::Layout& layout) {
  const std::optional<NodeEvent> asked = node_event(event, mesh);
  if (!asked) return;
  const auto counts = [&](const cmn::NodePlace& node) {
    if (asked->node && *asked->node != node.node_id) return false;
    // A CCLA_RNI has the events of both halves.
    if (node.type == NodeType::ccla_rni)
      return asked->type == NodeType::ccla_rni || asked->type == NodeType::ccla || asked->type == NodeType::rn_i;
    return is_gateway(node.type) && node.type == asked->type;
  };
  // A node that is not there the driver refuses.
  if (std::none_of(layout.nodes().begin(), layout.nodes().end(), counts)) return;
  if (is_gateway(asked->type))
    throw EventError(event.text, 0, "the scoreboard has no reference for gateways yet",
                     "compare: none counts it without a judge");
  throw EventError(event.text, 0,
                   "it counts at CCLA_RNI nodes too, and the scoreboard has no reference for gateways yet",
                   "add bynodeid=1,nodeid= of an RN-I; or compare: none counts it without a judge");
}

}  // namespace pmufab::scenario
