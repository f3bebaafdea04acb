// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/home/home_output.h"

namespace pmufab::cmn {

HomeOutput::HomeOutput(Mesh& mesh, unsigned node, unsigned device, unsigned latency)
    : mesh_(mesh), device_(device), latency_(latency), is_hn_s_(mesh.layout().nodes()[node].type == NodeType::hn_s) {
  const Layout& layout = mesh.layout();
  while (layout.sources()[source_].node != node) ++source_;
  const Topology& topology = mesh.topology();
  const NodeType type = layout.nodes()[node].type;
  for (const EventRow& row : event_rows::kRows) {
    if (row.node == type && find_event(topology.product, topology.revision, type, row.id) == &row)
      events_[row.id] = {true, {row.filter, row.filter2}};
  }
}

void HomeOutput::add_occupancy(std::uint8_t event, const Occupancy& occupancy) {
  if (events_[event].exists) mesh_.pmu().add_occupancy(source_, event, occupancy);
}

void HomeOutput::count_holds(std::uint8_t event, Channel channel) {
  mesh_.count_holds(device_, channel, source_, event);
}

}  // namespace pmufab::cmn
