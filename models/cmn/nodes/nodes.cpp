// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/nodes.h"

#include <algorithm>
#include <utility>

namespace pmufab::cmn {

Nodes::Nodes(Mesh& mesh, const NodeParameters& parameters)
    : mesh_(mesh), parameters_(parameters), addresses_(mesh.topology(), mesh.layout()) {
  if (!parameters.modelled) return;
  for (const DevicePlace& place : addresses_.devices()) add(place);
}

Nodes::~Nodes() = default;

void Nodes::add(const DevicePlace& place) {
  switch (place.kind) {
    case DeviceKind::rn_f:
      own(place, std::make_unique<RnF>(mesh_, addresses_, place.node_id, parameters_.rn_f));
      break;
    case DeviceKind::sn_f:
      own(place, std::make_unique<SnF>(mesh_, place.node_id, parameters_.sn_f));
      break;
    case DeviceKind::home:
      own(place, std::make_unique<HomeNode>(mesh_, addresses_, place, parameters_.home));
      break;
    case DeviceKind::rn_i:
    case DeviceKind::rn_d:
      own(place, std::make_unique<RnI>(mesh_, addresses_, place, parameters_.rn_i));
      break;
    case DeviceKind::io_home:
      own(place, std::make_unique<IoNode>(mesh_, addresses_, place, parameters_.io_home, parameters_.dvm_node));
      break;
    case DeviceKind::sbsx:
      own(place, std::make_unique<Sbsx>(mesh_, place, parameters_.sbsx));
      break;
    case DeviceKind::mtsx:
      own(place, std::make_unique<Mtsx>(mesh_, place, parameters_.mtsx));
      break;
    case DeviceKind::gateway:
    case DeviceKind::none:
      break;
  }
}

void Nodes::own(const DevicePlace& place, std::unique_ptr<NodeModel> model) {
  if (auto* const requester = dynamic_cast<RequesterModel*>(model.get())) requesters_.push_back({requester, &place});
  nodes_.push_back({place.node_id, std::move(model)});
}

bool Nodes::claim(const RequesterModel& requester) {
  if (std::find(claimed_.begin(), claimed_.end(), &requester) != claimed_.end()) return false;
  claimed_.push_back(&requester);
  return true;
}

std::uint64_t Nodes::pending() const noexcept {
  std::uint64_t sum = 0;
  for (const Owned& node : nodes_) sum += node.model->pending();
  return sum;
}

const NodeModel* Nodes::find(std::uint16_t node_id) const noexcept {
  const auto found =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const Owned& node) { return node.node_id == node_id; });
  return found == nodes_.end() ? nullptr : found->model.get();
}

}  // namespace pmufab::cmn
