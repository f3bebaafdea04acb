// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/tests/integration/cmn_map.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>

namespace pmufab::integration {

namespace {

using cmn::DeviceType;
using cmn::NodeType;
using cmn::Product;
using cmn::Topology;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// "#5" without the '#'.
std::string number(const std::string& text) { return text.substr(std::min(text.size(), text.find('#') + 1)); }

/// The map's text for the device at a port.
std::string label(DeviceType device) {
  switch (device) {
    case DeviceType::none:
      return "";
    case DeviceType::rn_f_chib:
      return "RN-F_B";
    case DeviceType::rn_f_chid:
      return "RN-F_D";
    case DeviceType::rn_f_chie:
      return "RN-F_E";
    case DeviceType::rn_f_chif:
      return "RN-F_F";
    case DeviceType::sn_f_chic:
      return "SN-F";
    case DeviceType::sn_f_chid:
      return "SN-F_D";
    case DeviceType::sn_f_chie:
      return "SN-F_E";
    case DeviceType::sn_f_chif:
      return "SN-F_F";
    default:
      return std::string(cmn::to_string(device));
  }
}

/// Nodes that the driver does not keep, and those below HN-I, which the map leaves out.
bool is_shown(NodeType type) {
  constexpr std::array kHidden{NodeType::dvm,    NodeType::cfg,        NodeType::dtc,        NodeType::xp,
                               NodeType::mpam_s, NodeType::mpam_ns,    NodeType::apb,        NodeType::rn_sam,
                               NodeType::cxla,   NodeType::hns_mpam_s, NodeType::hns_mpam_ns};
  return std::find(kHidden.begin(), kHidden.end(), type) == kHidden.end();
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const CmnMapCell& cell) {
  out << "XP " << cell.xp << " DTC " << cell.dtc;
  for (std::size_t port = 0; port < cell.devices.size(); ++port) {
    out << "; " << cell.devices[port] << " '" << cell.logical[port][0] << "' '" << cell.logical[port][1] << "'";
  }
  return out;
}

CmnMap parse_cmn_map(const std::string& text) {
  CmnMap from_north;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bar = line.find('|');
    if (bar == std::string::npos) continue;
    std::vector<std::string> cells;
    std::istringstream rest(line.substr(bar + 1));
    for (std::string cell; std::getline(rest, cell, '|');) cells.push_back(trimmed(cell));
    const std::size_t digit = line.find_first_not_of(' ');
    if (digit == 0) from_north.emplace_back(cells.size());
    std::vector<CmnMapCell>& row = from_north.at(from_north.size() - 1);
    for (std::size_t x = 0; x < cells.size(); ++x) {
      CmnMapCell& cell = row.at(x);
      if (digit == 0) {
        cell.xp = number(cells[x]);
      } else if (digit == bar && cells[x].starts_with("DTC")) {
        cell.dtc = trimmed(cells[x].substr(3));
      } else if (digit == 2) {
        cell.devices.push_back(cells[x]);
        cell.logical.emplace_back();
      } else if (digit == 4 && !cell.devices.back().empty()) {
        // For an empty place the driver prints what it finds at the place's id. At a crosspoint of two ports that id is
        // the next crosspoint's.
        cell.logical.back().at(line[4] == '0' ? 0 : 1) = number(cells[x]);
      }
    }
  }
  return {from_north.rbegin(), from_north.rend()};
}

CmnMap expected_cmn_map(const Topology& topology, bool domains_of_cmn600_dtcs) {
  std::size_t ports = 0;
  for (const cmn::Crosspoint& crosspoint : topology.crosspoints) ports = std::max(ports, crosspoint.ports.size());
  std::map<NodeType, unsigned> next;
  CmnMap map(topology.rows);
  for (std::size_t index = 0; index < topology.crosspoints.size(); ++index) {
    const cmn::Crosspoint& crosspoint = topology.crosspoints[index];
    CmnMapCell cell;
    cell.xp = std::to_string(index);
    cell.dtc = topology.product == Product::cmn600 ? "??" : std::to_string(crosspoint.dtc_domain);
    cell.devices.resize(ports);
    cell.logical.resize(ports);
    for (std::size_t port = 0; port < crosspoint.ports.size(); ++port) {
      cell.devices[port] = label(crosspoint.ports[port].device);
      std::array<std::optional<NodeType>, 2> shown{};
      for (const cmn::Node& node : crosspoint.ports[port].nodes) {
        const std::string logical = std::to_string(node.logical_id ? *node.logical_id : next[node.type]++);
        if (node.type == NodeType::dtc && domains_of_cmn600_dtcs) cell.dtc = std::to_string(crosspoint.dtc_domain);
        if (!is_shown(node.type) || node.device > 1) continue;
        // If a place has several nodes, the map shows the one of the lowest type.
        if (shown[node.device] && *shown[node.device] < node.type) continue;
        shown[node.device] = node.type;
        cell.logical[port][node.device] = logical;
      }
    }
    map[index / topology.columns].push_back(std::move(cell));
  }
  return map;
}

}  // namespace pmufab::integration
