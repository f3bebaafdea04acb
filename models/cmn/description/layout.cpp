// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/description/layout.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include <fmt/format.h>

namespace pmufab::cmn {

namespace {
constexpr std::uint32_t kSmallestSpace = 0x400'0000;  // as in the device tree binding's example
}

unsigned coordinate_bits(unsigned columns, unsigned rows) noexcept {
  return static_cast<unsigned>(std::bit_width((columns - 1) | (rows - 1)));
}

unsigned used_ports(const Crosspoint& crosspoint) noexcept {
  unsigned used = 0;
  for (unsigned port = 0; port < crosspoint.ports.size(); ++port) {
    if (crosspoint.ports[port].device != DeviceType::none) used = port + 1;
  }
  return used;
}

unsigned device_bits(const Topology& topology, const Crosspoint& crosspoint) noexcept {
  if (topology.columns * topology.rows == 1) return 2;  // plus three bits of port
  return used_ports(crosspoint) > 2 ? 1 : 2;
}

unsigned dtms_of(const Topology& topology, const Crosspoint& crosspoint) noexcept {
  return topology.multiple_dtm ? std::max(1U, (used_ports(crosspoint) + 1) / 2) : 1;
}

Layout::Layout(const Topology& topology)
    : xps_(static_cast<unsigned>(topology.crosspoints.size())), multiple_dtm_(topology.multiple_dtm) {
  nodes_.resize(1);
  place_xps(topology);
  place_children(topology);
  place_root(topology);
  assign_logical_ids(topology);
  place_windows(topology);
  list_sources();
}

void Layout::place_xps(const Topology& topology) {
  const unsigned bits = coordinate_bits(topology.columns, topology.rows);
  first_dtms_.push_back(0);
  for (unsigned xp = 0; xp < xps_; ++xp) {
    const unsigned x = xp % topology.columns;
    const unsigned y = xp / topology.columns;
    const auto id = static_cast<std::uint16_t>(x << (bits + 3) | y << 3);
    nodes_.push_back(
        {NodeType::xp, id, static_cast<std::uint16_t>(xp), 0, static_cast<std::uint8_t>(xp), kNoPort, 0, false, false});
    const unsigned dtms = cmn::dtms_of(topology, topology.crosspoints[xp]);
    dtm_xps_.insert(dtm_xps_.end(), dtms, static_cast<std::uint8_t>(xp));
    first_dtms_.push_back(static_cast<std::uint16_t>(first_dtms_.back() + dtms));
  }
  for (const Deviations::XpLogicalId& wrong : topology.deviations.xp_logical_ids)
    nodes_.at(node_of_xp(wrong.xp)).logical_id = wrong.logical_id;
}

void Layout::place_children(const Topology& topology) {
  dtc_nodes_.assign(topology.dtcs, 0);
  for (unsigned xp = 0; xp < xps_; ++xp) {
    const Crosspoint& crosspoint = topology.crosspoints[xp];
    const unsigned xp_id = nodes_[node_of_xp(xp)].node_id;
    const unsigned shift = device_bits(topology, crosspoint);
    const auto first = static_cast<unsigned>(nodes_.size());
    const auto place = [&](const Node& node, std::uint8_t port) {
      unsigned id = xp_id;
      if (port != kNoPort) id |= static_cast<unsigned>(port) << shift | node.device;
      if (node.type == NodeType::dtc && crosspoint.dtc_domain < topology.dtcs)
        dtc_nodes_[crosspoint.dtc_domain] = static_cast<unsigned>(nodes_.size());
      nodes_.push_back({node.type, static_cast<std::uint16_t>(id), 0, 0, static_cast<std::uint8_t>(xp), port,
                        static_cast<std::uint8_t>(node.device), node.external, node.isolated});
    };
    for (unsigned port = 0; port < crosspoint.ports.size(); ++port) {
      for (const Node& node : crosspoint.ports[port].nodes) place(node, static_cast<std::uint8_t>(port));
    }
    for (const Node& node : crosspoint.nodes) place(node, kNoPort);
    children_.push_back({first, static_cast<unsigned>(nodes_.size())});
  }
}

void Layout::place_root(const Topology& topology) {
  NodePlace& root = nodes_.front();
  root.type = static_cast<NodeType>(topology.deviations.root_type.value_or(static_cast<std::uint16_t>(NodeType::cfg)));
  root.port = kNoPort;
  // CFG belongs to HN-D, where DTC 0 is.
  const NodePlace& dtc = nodes_.at(dtc_nodes_.at(0));
  root.node_id = dtc.node_id;
  root.xp = dtc.xp;
}

void Layout::assign_logical_ids(const Topology& topology) {
  std::map<NodeType, std::set<unsigned>> given;
  const auto each = [&](auto&& act) {
    unsigned index = node_of_xp(xps_);
    for (const Crosspoint& crosspoint : topology.crosspoints) {
      for (const Port& port : crosspoint.ports) {
        for (const Node& node : port.nodes) act(node, crosspoint, nodes_[index++]);
      }
      for (const Node& node : crosspoint.nodes) act(node, crosspoint, nodes_[index++]);
    }
  };
  each([&](const Node& node, const Crosspoint&, NodePlace&) {
    if (node.logical_id) given[node.type].insert(*node.logical_id);
  });
  std::map<NodeType, unsigned> next;
  each([&](const Node& node, const Crosspoint& crosspoint, NodePlace& place) {
    if (node.logical_id) {
      place.logical_id = *node.logical_id;
    } else if (node.type == NodeType::dtc) {
      const bool has_ids = topology.variant != Variant::graviton5;
      place.logical_id = static_cast<std::uint16_t>(has_ids ? crosspoint.dtc_domain : 0);
    } else {
      unsigned& id = next[node.type];
      while (given[node.type].contains(id)) ++id;
      place.logical_id = static_cast<std::uint16_t>(id++);
    }
  });
}

void Layout::place_windows(const Topology& topology) {
  const std::uint32_t window = facts_of(topology.product, topology.revision).node_window;
  std::uint32_t offset = 0;
  const auto place = [&](NodePlace& node) {
    node.offset = offset;
    offset += window;
  };
  // On CMN-600 firmware gives the offset of CFG, and a child may be at offset 0. The order here produces both cases. On
  // the others CFG is at offset 0.
  if (topology.product == Product::cmn600) {
    const auto children = nodes_.begin() + 1 + xps_;
    std::for_each(children, nodes_.end(), place);
    offset = topology.root.value_or(offset);
    std::for_each(nodes_.begin(), children, place);
  } else {
    std::for_each(nodes_.begin(), nodes_.end(), place);
  }
  size_ = std::max(kSmallestSpace, std::bit_ceil(offset));
}

void Layout::list_sources() {
  first_sources_.push_back(0);
  for (unsigned xp = 0; xp < xps_; ++xp) {
    for (unsigned index = children_[xp].first; index < children_[xp].last; ++index) {
      const auto node = static_cast<std::uint16_t>(index);
      if (nodes_[index].is_closed()) continue;
      switch (nodes_[index].type) {
        case NodeType::dvm:
        case NodeType::hn_i:
        case NodeType::hn_f:
        case NodeType::sbsx:
        case NodeType::rn_i:
        case NodeType::rn_d:
        case NodeType::mtsx:
        case NodeType::cxra:
        case NodeType::cxha:
        case NodeType::ccra:
        case NodeType::ccha:
        case NodeType::hn_s:
          sources_.push_back({node, nodes_[index].type, false});
          break;
        case NodeType::hn_p:
          sources_.push_back({node, NodeType::hn_i, false});
          sources_.push_back({node, NodeType::hn_p, true});
          break;
        case NodeType::ccla_rni:
          sources_.push_back({node, NodeType::rn_i, false});
          sources_.push_back({node, NodeType::ccla, true});
          break;
        case NodeType::ccla:
          sources_.push_back({node, NodeType::ccla, true});
          break;
        default:
          break;
      }
    }
    first_sources_.push_back(static_cast<unsigned>(sources_.size()));
  }
}

std::string Layout::name(unsigned node) const {
  if (node == 0) return "cfg";
  const NodePlace& place = nodes_[node];
  if (place.type == NodeType::xp) return fmt::format("xp{}", place.xp);
  if (!is_known(place.type)) return fmt::format("node{}", node);
  if (place.type == NodeType::dtc) {
    const auto domain = std::find(dtc_nodes_.begin(), dtc_nodes_.end(), node) - dtc_nodes_.begin();
    return fmt::format("dtc{}", domain);
  }
  return fmt::format("{}{}", to_string(place.type), place.logical_id);
}

}  // namespace pmufab::cmn
