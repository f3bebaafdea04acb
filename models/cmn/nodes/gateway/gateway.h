// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/cmn/description/layout.h"
#include "models/cmn/mesh.h"
#include "models/cmn/nodes/gateway/gateway_home.h"
#include "models/cmn/nodes/gateway/gateway_port.h"
#include "models/cmn/nodes/gateway/gateway_requester.h"
#include "models/cmn/nodes/gateway/link_end.h"
#include "models/cmn/nodes/node_model.h"

namespace pmufab::cmn {

/// A gateway that is linked to a gateway of another mesh: the nodes of a CCG (CCRA, CCHA, CCLA or CCLA_RNI) or of a
/// CXRH (CXRA, CXHA, CXLA). Behaviour and events: docs/cmn-nodes.md, section 5.
class Gateway final : public NodeModel {
 public:
  /// Attaches itself to the mesh, which must outlive it.
  /// @param node_id  of the gateway: one of gateways_of(mesh.layout())
  /// @throws std::invalid_argument for a parameter out of range, or a mesh without homes
  Gateway(Mesh& mesh, std::uint16_t node_id, const LinkParameters& parameters);

  /// Link two gateways. Both must have the same parameters, and belong to different meshes.
  static void connect(Gateway& one, Gateway& other) noexcept;

  /// @return requests taken from its mesh and from the link, and not ended.
  [[nodiscard]] unsigned pending() const noexcept override { return requester_.pending() + home_.pending(); }

  /// @return the CXS flits sent to the other mesh so far.
  [[nodiscard]] std::uint64_t sent_flits() const noexcept { return link_.sent(); }

  void run(Cycle now) override;
  void sent(Channel channel, const FlitFields& fields, Cycle now) override;

 private:
  void take_flit(Channel channel, const FlitFields& fields, Cycle now);

  Mesh& mesh_;
  unsigned device_;
  GatewayPort port_;
  LinkEnd link_;
  GatewayRequester requester_;
  GatewayHome home_;
};

/// @return node ids of a mesh's gateways, linked or not, in order of XP, port, device.
[[nodiscard]] std::vector<std::uint16_t> gateways_of(const Layout& layout);

}  // namespace pmufab::cmn
