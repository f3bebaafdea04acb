// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cmn/mesh.h"
#include "models/cmn/pmu/cycle_condition.h"
#include "models/cmn/pmu/occupancy.h"

namespace pmufab::cmn {

/// The events of one event source of a node, for the model that fires them. A node that software may not touch has no
/// source; firing then does nothing. Event id 0 is no event.
class NodeEvents {
 public:
  /// @param node_id, events  identify the source: EventSource::events
  NodeEvents(Mesh& mesh, std::uint16_t node_id, NodeType events) : mesh_(mesh) {
    const Layout& layout = mesh.layout();
    for (unsigned index = 0; index < layout.sources().size(); ++index) {
      const EventSource& source = layout.sources()[index];
      if (source.events == events && layout.nodes()[source.node].node_id == node_id) source_ = index;
    }
  }

  /// The event happens in cycle `now`.
  void fire(unsigned id, Cycle now, std::uint64_t times = 1) const {
    if (id == 0 || source_ == kNone || !mesh_.pmu().listens(source_, id)) return;
    mesh_.pmu().node_event(source_, id, kEveryClass, times, mesh_.clock().time_of_edge(now));
  }
  /// @name Set up before the simulation; arguments are not owned
  /// @{
  void add_occupancy(unsigned id, const Occupancy& occupancy) const {
    if (id != 0 && source_ != kNone) mesh_.pmu().add_occupancy(source_, id, occupancy);
  }
  void add_cycles(unsigned id, const CycleCondition& condition) const {
    if (id != 0 && source_ != kNone) mesh_.pmu().add_cycles(source_, id, condition);
  }
  /// Count the cycles in which the device's flits of a channel are held.
  void add_holds(unsigned id, unsigned device, Channel channel) const {
    if (id != 0 && source_ != kNone) mesh_.count_holds(device, channel, source_, id);
  }
  /// @}

 private:
  static constexpr unsigned kNone = ~0U;
  Mesh& mesh_;
  unsigned source_ = kNone;
};

}  // namespace pmufab::cmn
