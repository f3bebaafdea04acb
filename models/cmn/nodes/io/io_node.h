// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/cmn/nodes/io/dvm_node.h"
#include "models/cmn/nodes/io/io_home.h"
#include "models/cmn/nodes/node_model.h"
#include "models/cmn/nodes/system_address_map.h"

namespace pmufab::cmn {

/// The device HN-I, HN-T, HN-P or HN-D. Its parts share one node id; the opcode selects the part.
class IoNode final : public NodeModel {
 public:
  /// The mesh's layout says which parts it has.
  /// @param addresses  says which nodes are snooped, and which are RN-I or RN-D
  /// @throws std::invalid_argument for a parameter out of range, or a node id with none of these nodes
  IoNode(Mesh& mesh, const SystemAddressMap& addresses, const DevicePlace& place, const IoHomeParameters& parameters,
         const DvmNodeParameters& dvm = {});

  void run(Cycle now) override;
  void sent(Channel channel, const FlitFields& fields, Cycle now) override;
  [[nodiscard]] unsigned pending() const noexcept override;

 private:
  void handle(const Arrival& arrival, Cycle now);

  Mesh& mesh_;
  unsigned device_;
  std::unique_ptr<IoHome> home_;
  std::unique_ptr<IoHome> peer_;  // HN-P: for requests of peers
  std::unique_ptr<DvmNode> dvm_;
  std::vector<bool> is_peer_;  // by node id
};

}  // namespace pmufab::cmn
