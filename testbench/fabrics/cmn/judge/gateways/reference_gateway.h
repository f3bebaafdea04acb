// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/fabrics/cmn/judge/gateways/reference_gateway_home.h"
#include "testbench/fabrics/cmn/judge/gateways/reference_gateway_requester.h"
#include "testbench/fabrics/cmn/judge/gateways/reference_link.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"

namespace pmufab::scoreboard {

/// A gateway by section 5 of docs/cmn-nodes.md: its RA, HA and LA, and the RN-I half of a CCLA_RNI.
///
/// Its messages to the other gateway are computed from the flits of both meshes too; every flit seen on the link
/// between them must match.
class ReferenceGateway final : public ReferenceNode, public ReferenceLinkUser {
 public:
  /// @param node   the first of the gateway's nodes
  /// @param parts  all of them, with one node id
  ReferenceGateway(const CmnNode& node, unsigned number, ReferenceSurroundings& around,
                   const std::vector<CmnNode>& parts);

  /// Link two gateways. Both must be in the specifications of their meshes.
  static void link(ReferenceGateway& one, ReferenceGateway& other);

  void wake(cmn::Cycle now) override;
  void arrive(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit) override;
  void settle(cmn::Cycle now) override;
  void held(cmn::Channel channel) override;
  void finish() override;
  /// A CXS flit is seen at the gateway's end of the link.
  void link_flit(cmn::Cycle now, bool sent, const cmn::LinkFlit& flit);

 private:
  friend class ReferenceGatewayRequester;
  friend class ReferenceGatewayHome;

  void has_sent(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit) override;
  void message_arrived(cmn::Cycle now, const ReferenceLinkMessage& message) override;
  void message_left(cmn::Cycle now, const ReferenceLinkMessage& message) override;
  void wake_link(cmn::Cycle when) override { wake_at(when); }
  void fail_link(const std::string& kind, const std::string& text) override { fail(kind, text); }
  /// @return the counts of the first of these types that the gateway has. If it has none, or software does not see it,
  ///         the counts are unused.
  NodeCounts& counts_of(const std::vector<CmnNode>& parts, std::initializer_list<cmn::NodeType> types,
                        cmn::NodeType events);

  std::list<NodeCounts> unseen_;
  bool is_ccg_;
  NodeCounts& ra_;
  NodeCounts& ha_;
  NodeCounts& la_;
  NodeCounts& rni_;
  std::optional<ReferenceLinkEnd> link_;
  std::optional<ReferenceGatewayRequester> requester_;
  std::optional<ReferenceGatewayHome> home_;
};

}  // namespace pmufab::scoreboard
