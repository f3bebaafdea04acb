// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/gateway/gateway.h"

#include <optional>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "models/cmn/nodes/system_address_map.h"
#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

namespace {

const LinkParameters& checked(const LinkParameters& parameters) {
  if (const auto fault = fault_of(parameters)) throw std::invalid_argument(fault->field + ": " + fault->reason);
  return parameters;
}

GatewayPort::Sources sources_of(const Layout& layout, std::uint16_t node_id) {
  GatewayPort::Sources sources;
  for (unsigned i = 0; i < layout.sources().size(); ++i) {
    const EventSource& source = layout.sources()[i];
    const NodePlace& node = layout.nodes()[source.node];
    if (node.node_id != node_id) continue;
    switch (source.events) {
      case NodeType::ccra:
        sources.is_ccg = true;
        [[fallthrough]];
      case NodeType::cxra:
        sources.ra = i;
        break;
      case NodeType::ccha:
      case NodeType::cxha:
        sources.ha = i;
        break;
      case NodeType::ccla:
        sources.la = i;
        break;
      case NodeType::rn_i:
        sources.rni = i;
        break;
      default:
        break;
    }
  }
  if (!sources.ra) throw std::invalid_argument(fmt::format("node id {:#x} is not a gateway", node_id));
  return sources;
}

/// The homes as the mesh's own requesters know them: in order of logical id, without external and isolated ones.
std::vector<std::uint16_t> homes_of(const Mesh& mesh) {
  const SystemAddressMap addresses(mesh.topology(), mesh.layout());
  const std::span<const std::uint16_t> homes = addresses.nodes(DeviceKind::home);
  return {homes.begin(), homes.end()};
}

}  // namespace

std::vector<std::uint16_t> gateways_of(const Layout& layout) {
  std::vector<std::uint16_t> gateways;
  for (const NodePlace& node : layout.nodes()) {
    if (node.type == NodeType::cxra || node.type == NodeType::ccra) gateways.push_back(node.node_id);
  }
  return gateways;
}

Gateway::Gateway(Mesh& mesh, std::uint16_t node_id, const LinkParameters& parameters)
    : mesh_(mesh),
      device_(mesh.attach(*this, node_id)),
      port_(mesh, device_, node_id, parameters.node_latency, sources_of(mesh.layout(), node_id)),
      link_(port_, checked(parameters)),
      requester_(port_, link_, parameters),
      home_(port_, link_, parameters, homes_of(mesh)) {}

void Gateway::connect(Gateway& one, Gateway& other) noexcept {
  one.link_.connect(other.link_);
  other.link_.connect(one.link_);
  // Each sends to the other from run().
  one.mesh_.stay_in_step();
  other.mesh_.stay_in_step();
}

void Gateway::run(Cycle now) {
  const LinkMessage* message = nullptr;
  while (link_.take(now, message)) {
    if (message == nullptr) continue;
    if (message->is_request()) {
      home_.request(*message, now);
    } else {
      requester_.answer(*message, now);
    }
  }
  while (const Arrival* const arrival = mesh_.arrival(device_)) {
    take_flit(arrival->channel, arrival->fields, now);
    mesh_.take(device_);
  }
  requester_.hand_over(now);
  LinkMessage left;
  if (link_.send(now, left)) left.is_request() ? requester_.left(left, now) : home_.left(left, now);
  if (const Cycle next = link_.next_send(now); next != kNoCycle) port_.call(next);
}

void Gateway::take_flit(Channel channel, const FlitFields& fields, Cycle now) {
  switch (channel_class(channel)) {
    case Channel::req:
      if (fields.opcode != chi::req::kPrefetchTgt) requester_.request(fields, now);
      break;
    case Channel::rsp:
      fields.opcode == chi::rsp::kCompAck ? requester_.comp_ack(fields, now) : home_.response(fields, now);
      break;
    case Channel::dat:
      fields.opcode == chi::dat::kNonCopyBackWrData ? requester_.write_data(fields, now) : home_.comp_data(fields, now);
      break;
    default:
      throw std::logic_error(fmt::format("gateway {:#x}: a snoop", port_.node_id()));
  }
}

void Gateway::sent(Channel channel, const FlitFields& fields, Cycle now) {
  if (channel_class(channel) == Channel::dat && fields.opcode == chi::dat::kCompData) {
    requester_.data_sent(fields, now);
  } else {
    home_.sent(channel, fields, now);
  }
}

}  // namespace pmufab::cmn
