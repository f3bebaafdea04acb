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

/// The device HN-I, HN-T, HN-P or HN-D: what has one node id does one device, by opcode.
class IoNode final : public NodeModel {
 public:
  /// What it consists of, the mesh's layout says.
  /// @param addresses  tells who is snooped, and who is an RN-I or RN-D
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
  std::unique_ptr<IoHome> peer_;  // of HN-P: for requests of peers
  std::unique_ptr<DvmNode> dvm_;
  std::vector<bool> is_peer_;  // by node id
};

}  // namespace pmufab::cmn
