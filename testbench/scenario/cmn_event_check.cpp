#include "testbench/scenario/cmn_event_check.h"

#include <string_view>

#include <fmt/format.h>

#include "models/cmn/nodes/modelled_events.h"
#include "models/cmn/product.h"
#include "testbench/scenario/event_syntax.h"

namespace pmufab::scenario {

void check_modelled(const ResolvedEvent& event, std::size_t mesh, const cmn::Topology& topology) {
  constexpr std::uint64_t kTypeMask = 0xffff;
  constexpr unsigned kEventIdShift = 16;
  constexpr std::uint64_t kEventIdMask = 0x7ff;
  if (event.pmu != fmt::format("arm_cmn_{}", mesh)) return;
  const std::uint64_t config = event.attributes.config;
  const auto type = static_cast<cmn::NodeType>(config & kTypeMask);
  const auto id = static_cast<unsigned>(config >> kEventIdShift & kEventIdMask);
  // Flits, watchpoints and cycles are the mesh's own; what is no node's type the driver refuses.
  if (!cmn::is_known(type) || type == cmn::NodeType::xp || type == cmn::NodeType::dtc) return;
  const std::string_view reason = cmn::reason_not_modelled(topology.product, topology.revision, type, id);
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

}  // namespace pmufab::scenario
