// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/cmn_places.h"

#include <map>
#include <set>

#include "testbench/fabrics/cmn/judge/cmn_node_ids.h"

namespace pmufab::scoreboard {
namespace {

using cmn::NodeType;
using Node = CmnCrosspointNodes::Node;

constexpr std::uint64_t kControl = 0xa00;  // from the start of a DTC's window
constexpr std::uint64_t kPmcr = 0x100;     // from the first register of a DTC's PMU

/// Bytes of a node's register window.
std::uint64_t window_of(WatchpointLayout layout) { return layout == WatchpointLayout::cmn600 ? 0x4000 : 0x1'0000; }

/// Offset in its window of the first register of a DTC's PMU.
std::uint64_t pmu_of_dtc(WatchpointLayout layout) {
  return layout == WatchpointLayout::s3 || layout == WatchpointLayout::s3_r2 ? 0xd900 : 0x2000;
}

/// Logical ids: those of the description; the other nodes of a type get the remaining numbers, ascending.
class LogicalIds {
 public:
  explicit LogicalIds(std::span<const CmnCrosspointNodes> crosspoints) {
    for (const CmnCrosspointNodes& crosspoint : crosspoints) {
      for (const std::vector<Node>& port : crosspoint.ports) take(port);
      take(crosspoint.others);
    }
  }

  std::uint16_t of(const Node& node, unsigned dtc_domain) {
    if (node.logical_id) return *node.logical_id;
    if (node.type == NodeType::dtc) return static_cast<std::uint16_t>(dtc_domain);
    std::uint16_t& id = next_[node.type];
    while (taken_[node.type].contains(id)) ++id;
    return id++;
  }

 private:
  void take(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      if (node.logical_id) taken_[node.type].insert(*node.logical_id);
    }
  }

  std::map<NodeType, std::set<std::uint16_t>> taken_;
  std::map<NodeType, std::uint16_t> next_;
};

}  // namespace

void place_nodes(std::span<const CmnCrosspointNodes> crosspoints, std::uint64_t base, CmnJudgeSpec& spec) {
  const CmnNodeIds ids(spec);
  LogicalIds logical_ids(crosspoints);
  // On CMN-600 the windows of these nodes come first; on the others, those of CFG and of the crosspoints.
  std::uint64_t window = spec.layout == WatchpointLayout::cmn600 ? 0 : 1 + crosspoints.size();
  spec.nodes.clear();
  spec.domains.clear();
  spec.dtcs.assign(1, {});
  const auto place_dtc = [&](unsigned domain) {
    if (spec.dtcs.size() <= domain) spec.dtcs.resize(domain + 1);
    const std::uint64_t start = base + window * window_of(spec.layout);
    spec.dtcs[domain] = {start + kControl, start + pmu_of_dtc(spec.layout) + kPmcr};
  };
  for (unsigned xp = 0; xp < crosspoints.size(); ++xp) {
    const CmnCrosspointNodes& crosspoint = crosspoints[xp];
    spec.domains.push_back(crosspoint.dtc_domain);
    const auto pass = [&](const Node& node) {
      if (node.type == NodeType::dtc) place_dtc(crosspoint.dtc_domain);
      ++window;
      return logical_ids.of(node, crosspoint.dtc_domain);
    };
    for (unsigned port = 0; port < crosspoint.ports.size(); ++port) {
      for (const Node& node : crosspoint.ports[port]) {
        const std::uint16_t logical_id = pass(node);
        spec.nodes.push_back(
            {node.type, ids.device_id(xp, port, node.device), logical_id, xp, port, node.device, node.closed});
      }
    }
    for (const Node& node : crosspoint.others) pass(node);
  }
}

}  // namespace pmufab::scoreboard
