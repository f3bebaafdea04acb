// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/cmn/mesh.h"
#include "models/cmn/nodes/home/home_node.h"
#include "models/cmn/nodes/io/io_node.h"
#include "models/cmn/nodes/memory/mtsx.h"
#include "models/cmn/nodes/memory/sbsx.h"
#include "models/cmn/nodes/memory/sn_f.h"
#include "models/cmn/nodes/node_model.h"
#include "models/cmn/nodes/requester/rn_f.h"
#include "models/cmn/nodes/requester/rn_i.h"
#include "models/cmn/nodes/system_address_map.h"

namespace pmufab::cmn {

/// Parameters of the nodes of a mesh, by kind.
struct NodeParameters {
  RnFParameters rn_f{};
  SnFParameters sn_f{};
  HomeParameters home{};
  RnIParameters rn_i{};  ///< also for RN-D
  IoHomeParameters io_home{};
  DvmNodeParameters dvm_node{};
  SbsxParameters sbsx{};
  MtsxParameters mtsx{};
  bool modelled = true;  ///< false: no node is made; the caller attaches devices to the mesh
};

/// The nodes of a mesh except linked gateways: one device per node id.
class Nodes {
 public:
  /// @param mesh  must outlive the nodes
  /// @throws std::invalid_argument for an impossible parameter
  Nodes(Mesh& mesh, const NodeParameters& parameters);
  ~Nodes();
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;

  [[nodiscard]] const SystemAddressMap& addresses() const noexcept { return addresses_; }
  /// As SystemAddressMap::link(). Linked gateways are separate devices, not nodes of this object.
  void link(std::span<const std::uint16_t> gateways, const SystemAddressMap& other) {
    addresses_.link(gateways, other);
  }
  /// A device that takes operations, with its place, in order of XP, port and number.
  struct Requester {
    RequesterModel* model;
    const DevicePlace* place;
  };
  [[nodiscard]] std::span<const Requester> requesters() const noexcept { return requesters_; }
  /// Become the only source of operations of a requester. @return false if it has another source
  [[nodiscard]] bool claim(const RequesterModel& requester);
  /// @return the number of transactions that have not ended, at all nodes.
  [[nodiscard]] std::uint64_t pending() const noexcept;
  /// @return the node with an id; nullptr if it has no model.
  [[nodiscard]] const NodeModel* find(std::uint16_t node_id) const noexcept;

 private:
  struct Owned {
    std::uint16_t node_id;
    std::unique_ptr<NodeModel> model;
  };
  void add(const DevicePlace& place);
  void own(const DevicePlace& place, std::unique_ptr<NodeModel> model);

  Mesh& mesh_;
  NodeParameters parameters_;
  SystemAddressMap addresses_;
  std::vector<Owned> nodes_;
  std::vector<Requester> requesters_;
  std::vector<const RequesterModel*> claimed_;
};

}  // namespace pmufab::cmn
