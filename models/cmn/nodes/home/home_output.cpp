// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/home/home_output.h"

namespace pmufab::cmn {

HomeOutput::HomeOutput(Mesh& mesh, unsigned node, unsigned device, unsigned latency)
    : mesh_(mesh), device_(device), latency_(latency), is_hn_s_(mesh.layout().nodes()[node].type == NodeType::hn_s) {
  const Layout& layout = mesh.layout();
  while (layout.sources()[source_].node != node) ++source_;
  const Topology& topology = mesh.topology();
  const NodeType type = layout.nodes()[node].type;
  ids_ = home_event_ids(topology.product, topology.revision, type);
  for (unsigned i = 0; i < kHomeEvents; ++i) {
    if (ids_[i] != 0) filters_[i] = filters_of(topology.product, topology.revision, type, ids_[i]);
  }
}

void HomeOutput::add_occupancy(HomeEvent event, const Occupancy& occupancy) {
  const unsigned id = ids_[static_cast<unsigned>(event)];
  if (id != 0) mesh_.pmu().add_occupancy(source_, id, occupancy);
}

void HomeOutput::count_holds(HomeEvent event, Channel channel) {
  mesh_.count_holds(device_, channel, source_, ids_[static_cast<unsigned>(event)]);
}

}  // namespace pmufab::cmn
