// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/gateways/reference_gateway.h"

#include <algorithm>

#include "testbench/fabrics/cmn/judge/chi.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
using cmn::NodeType;

ReferenceGateway::ReferenceGateway(const CmnNode& node, unsigned number, ReferenceSurroundings& around,
                                   const std::vector<CmnNode>& parts)
    : ReferenceNode(node, number, around),
      is_ccg_(
          std::any_of(parts.begin(), parts.end(),
                      [](const CmnNode& part) { return part.type == NodeType::ccra || part.type == NodeType::ccha; })),
      ra_(is_ccg_ ? counts_of(parts, {NodeType::ccra}, NodeType::ccra)
                  : counts_of(parts, {NodeType::cxra}, NodeType::cxra)),
      ha_(is_ccg_ ? counts_of(parts, {NodeType::ccha}, NodeType::ccha)
                  : counts_of(parts, {NodeType::cxha}, NodeType::cxha)),
      la_(counts_of(parts, {NodeType::ccla, NodeType::ccla_rni}, NodeType::ccla)),
      rni_(counts_of(parts, {NodeType::ccla_rni}, NodeType::rn_i)) {
  const std::vector<ReferenceLinkParameters>& links = around.spec().links;
  const auto link = std::find_if(links.begin(), links.end(),
                                 [&](const ReferenceLinkParameters& one) { return one.node_id == node.node_id; });
  if (link == links.end()) return;
  link_.emplace(*link, la_, around, *this);
  requester_.emplace(*this, *link);
  home_.emplace(*this);
}

NodeCounts& ReferenceGateway::counts_of(const std::vector<CmnNode>& parts, std::initializer_list<NodeType> types,
                                        NodeType events) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const CmnNode& part) {
    return std::find(types.begin(), types.end(), part.type) != types.end();
  });
  if (found != parts.end() && !found->closed) return add_source(events);
  return unseen_.emplace_back(events, node().node_id, around().spec().occupancy_width);
}

void ReferenceGateway::link(ReferenceGateway& one, ReferenceGateway& other) {
  ReferenceLinkEnd::connect(*one.link_, *other.link_);
}

void ReferenceGateway::wake(Cycle now) {
  if (link_) link_->take(now);
}

void ReferenceGateway::arrive(Cycle now, Channel channel, const FlitFields& flit) {
  const bool taken = link_ && (requester_->arrive(now, channel, flit) || home_->arrive(now, channel, flit));
  if (!taken) fail("node_message_unasked", "nothing waits for this message: " + describe_flit(channel, flit));
}

void ReferenceGateway::settle(Cycle now) {
  if (!link_) return;
  requester_->hand_over(now);
  link_->send(now);
}

void ReferenceGateway::held(Channel channel) {
  if (channel != Channel::rsp && channel != Channel::dat) return;
  requester_->held(channel);
  home_->held(channel);
}

void ReferenceGateway::has_sent(Cycle /*now*/, Channel channel, const FlitFields& flit) { home_->sent(channel, flit); }

void ReferenceGateway::message_arrived(Cycle now, const ReferenceLinkMessage& message) {
  if (message.is_request()) {
    home_->request(now, message);
  } else {
    requester_->answer(now, message);
  }
}

void ReferenceGateway::message_left(Cycle now, const ReferenceLinkMessage& message) {
  if (message.is_request()) {
    requester_->request_left(now, message);
  } else {
    home_->answer_left(now, message);
  }
}

void ReferenceGateway::link_flit(Cycle now, bool sent, const cmn::LinkFlit& flit) {
  if (link_) {
    link_->seen(now, sent, flit);
  } else {
    fail("link_flit_unexpected", "it is not linked, and a message crosses its link");
  }
}

void ReferenceGateway::finish() {
  ReferenceNode::finish();
  if (!link_) return;
  link_->finish();
  requester_->finish();
  home_->finish();
}

}  // namespace pmufab::scoreboard
