// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/io/io_node.h"

#include <stdexcept>
#include <string_view>

#include <fmt/core.h>

#include "models/cmn/description/event_rows.h"
#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

namespace {

consteval unsigned hn_i_event(std::string_view event) { return event_id(NodeType::hn_i, event); }
constexpr unsigned kTxdatStall = hn_i_event("txdat_stall");
constexpr unsigned kNonpcieSerialization = hn_i_event("nonpcie_serialization");
constexpr unsigned kPcieSerialization = hn_i_event("pcie_serialization");
constexpr unsigned kFirstDbidOfPeers = 0x80;

}  // namespace

IoNode::IoNode(Mesh& mesh, const SystemAddressMap& addresses, const DevicePlace& place,
               const IoHomeParameters& parameters, const DvmNodeParameters& dvm)
    : mesh_(mesh), device_(mesh.attach(*this, place.node_id)) {
  const std::uint16_t node_id = place.node_id;
  bool is_hn_p = false;
  bool is_dvm = false;
  bool is_hn_i = false;
  for (const unsigned node : place.nodes) {
    const NodeType type = mesh.layout().nodes()[node].type;
    is_hn_p |= type == NodeType::hn_p;
    is_hn_i |= type == NodeType::hn_i;
    is_dvm |= type == NodeType::dvm;
  }
  const NodeEvents common(mesh, node_id, NodeType::hn_i);
  if (is_hn_i || is_hn_p) {
    home_ = std::make_unique<IoHome>(mesh, device_, node_id, parameters, common, io_home_event_ids(NodeType::hn_i),
                                     common, is_hn_p ? kPcieSerialization : kNonpcieSerialization, 0);
    common.add_holds(kTxdatStall, device_, Channel::dat);
  }
  if (is_hn_p) {
    peer_ = std::make_unique<IoHome>(mesh, device_, node_id, parameters, NodeEvents(mesh, node_id, NodeType::hn_p),
                                     io_home_event_ids(NodeType::hn_p), common, kPcieSerialization, kFirstDbidOfPeers);
    for (const DeviceKind kind : {DeviceKind::rn_i, DeviceKind::rn_d}) {
      for (const std::uint16_t peer : addresses.nodes(kind)) {
        if (peer >= is_peer_.size()) is_peer_.resize(peer + std::size_t{1});
        is_peer_[peer] = true;
      }
    }
  }
  if (is_dvm) {
    std::vector<DvmNode::Target> targets;
    for (const DevicePlace& device : addresses.devices()) {
      if (device.kind == DeviceKind::rn_f || device.kind == DeviceKind::rn_d)
        targets.push_back({device.node_id, device.kind == DeviceKind::rn_d});
    }
    dvm_ = std::make_unique<DvmNode>(mesh, device_, node_id, dvm, targets);
  }
  if (!home_ && !dvm_) throw std::invalid_argument(fmt::format("node id {:#x} has no HN-I, HN-P or DVM node", node_id));
}

void IoNode::run(Cycle now) {
  if (home_) home_->take_answers(now);
  if (peer_) peer_->take_answers(now);
  while (const Arrival* const arrival = mesh_.arrival(device_)) {
    handle(*arrival, now);
    mesh_.take(device_);
  }
}

void IoNode::handle(const Arrival& arrival, Cycle now) {
  const FlitFields& fields = arrival.fields;
  switch (channel_class(arrival.channel)) {
    case Channel::req:
      if (dvm_ && fields.opcode == chi::req::kDvmOp) {
        dvm_->request(fields, now);
        return;
      }
      if (!home_) break;
      (peer_ && fields.srcid < is_peer_.size() && is_peer_[fields.srcid] ? peer_ : home_)->request(fields, now);
      return;
    case Channel::dat:
      if (dvm_ && fields.txnid >= DvmNode::kFirstDbid) {
        dvm_->data(fields, now);
        return;
      }
      if (!home_) break;
      (peer_ && fields.txnid >= kFirstDbidOfPeers ? peer_ : home_)->data(fields, now);
      return;
    case Channel::rsp:
      if (fields.opcode == chi::rsp::kCompAck) return;
      if (!dvm_ || fields.opcode != chi::rsp::kSnpResp) break;
      dvm_->snoop_response(fields, now);
      return;
    default:
      break;
  }
  throw std::logic_error(fmt::format("node {:#x} does not know what node {:#x} sends: channel {}, opcode {:#x}",
                                     fields.tgtid, fields.srcid, to_string(arrival.channel), fields.opcode));
}

void IoNode::sent(Channel /*channel*/, const FlitFields& /*fields*/, Cycle now) {
  // Only snoops are posted with `tell`.
  dvm_->sent_snoop(now);
}

unsigned IoNode::pending() const noexcept {
  return (home_ ? home_->pending() : 0) + (peer_ ? peer_->pending() : 0) + (dvm_ ? dvm_->pending() : 0);
}

}  // namespace pmufab::cmn
