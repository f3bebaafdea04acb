// SPDX-License-Identifier: Apache-2.0
// Requesters, memory bridges, I/O homes and DVM nodes, and the judge's references of them: two independent models of
// docs/cmn-nodes.md, under random traffic. They must agree on every message, and on every event at every node.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/standard_devices.h"
#include "testbench/fabrics/cmn/tests/judge/cmn_nodes_rig.h"

namespace pmufab::scoreboard::test::cmn_io_cross_test {
namespace {

using cmn::NodeType;
using cmn::OperationKind;
using cmn::Product;

cmn::Topology mixed(Product product, unsigned revision) {
  const char* const bridge = product == Product::cmn700 ? "MTSX" : "SBSX";
  const char* const pcie = product == Product::cmn600 ? "HN-I" : "HN-P";
  const std::vector<Tile> tiles{{"RN-F", "HN-F"}, {"RN-I", pcie},   {"RN-D", "HN-D"}, {"RN-F", "HN-I"},
                                {bridge, "HN-F"}, {"SN-F", "SBSX"}, {"RN-I", "HN-T"}, {"RN-D", bridge},
                                {"RN-F", "SBSX"}, {pcie, "RN-I"},   {"RN-F", "-"},    {"RN-D", "-"}};
  cmn::Topology topology = topology_of(product, revision, 4, tiles);
  topology.crosspoints[6].dtc_domain = 1;  // of the HN-T; software does not know domains of CMN-600, so any will do
  topology.dtcs = 2;
  return topology;
}

cmn::NodeParameters scarce() {
  return {.home = {.slc_sets = 4, .slc_ways = 2, .pocq_entries = 24},
          .io_home = {.rrt_entries = 5, .rdt_entries = 3, .wdb_entries = 2, .latency = 8, .axi = {2, 3, 2, 17, 9}},
          .dvm_node = {.trk_entries = 4, .snoop_limit = 2, .vmid_filters = {{0x00, 5}, {0x00, 6}, {0x60, 7}}},
          .sbsx = {.entries = 6, .wdb_entries = 2, .latency = 8, .axi = {3, 1, 2, 20, 11}},
          .mtsx = {.entries = 6, .tc_sets = 2, .tc_ways = 2, .latency = 8, .axi = {2, 2, 1, 23, 5}}};
}

RandomOperations::Draw any_operation(const cmn::Nodes::Requester& requester, const cmn::SystemAddressMap& map) {
  return [kinds = kinds_of(requester, true), &map](std::mt19937& random) {
    const auto pick = [&](std::uint64_t below) { return RandomOperations::pick(random, below); };
    cmn::Operation operation = RandomOperations::any(random, kinds[pick(kinds.size())]);
    operation.cancel = pick(4) == 0;
    const bool may_be_io = operation.kind == OperationKind::read_no_snp ||
                           operation.kind == OperationKind::write_no_snp_full ||
                           operation.kind == OperationKind::write_no_snp_ptl;
    if (operation.kind == OperationKind::dvm_operation || operation.kind == OperationKind::dvm_sync) {
      const std::uint64_t type = operation.kind == OperationKind::dvm_sync ? 4 : pick(4);
      operation.address = pick(2) << 5U | type << 11U | (pick(4) + 4) << 14U;
    } else if (may_be_io && pick(4) != 0) {
      operation.address = (std::uint64_t{4} << 44U) + pick(12) * 4096 + pick(8) * 64;
    } else {
      const std::uint64_t region = map.has(cmn::Region::mtsx) ? pick(3) : pick(2);
      operation.address = region << 44U | (pick(24) * 1024 + pick(4) * 64);
    }
    return operation;
  };
}

struct Case {
  const char* name;
  Product product;
  unsigned revision;
  WatchpointLayout layout;
};

/// Events that these meshes may leave at zero.
bool may_be_zero(NodeType type, unsigned id, Product product) {
  switch (type) {
    case NodeType::hn_i:
      // txdat_stall: nothing is certain to hold flits. CMN-600 has no HN-P, which would have pcie_serialization.
      return among(id, {0x30}) || (product == Product::cmn600 && among(id, {0x32}));
    case NodeType::sbsx:
      // Homes do not pass on CMOs; AW takes one each cycle; txdat_stall, txrsp_stall.
      return among(id, {0x03, 0x13, 0x16, 0x22, 0x24, 0x25});
    case NodeType::mtsx:
      return among(id, {0x08});  // CMO
    case NodeType::dvm:
      return product != Product::cmn600 && among(id, {0x0a});  // txsnp_stall
    default:
      return false;
  }
}

class CmnIoNodes : public pmufab::testing::SimulationTest, public ::testing::WithParamInterface<Case> {
 protected:
  CmnIoNodes() : rig(mixed(GetParam().product, GetParam().revision), scarce(), GetParam().layout) {
    rig.feed(0.15, [this](const cmn::Nodes::Requester& requester) {
      return any_operation(requester, rig.nodes.addresses());
    });
  }
  NodesRig rig;
};

TEST_P(CmnIoNodes, do_as_the_reference_nodes_do) {
  run([&] {
    rig.work(2000);
    rig.board.finish();
    EXPECT_EQ(rig.board.findings().failures(), 0U) << rig.findings();
  });
}

// contract A30
// contract A31
TEST_P(CmnIoNodes, count_what_the_reference_nodes_count_together_and_each) {
  run([&] {
    ASSERT_TRUE(rig.driver.probe(rig.mesh.layout().root_offset()));
    for (const NodeType type :
         {NodeType::rn_i, NodeType::hn_i, NodeType::hn_p, NodeType::sbsx, NodeType::mtsx, NodeType::dvm}) {
      if (rig.driver.find(static_cast<unsigned>(type)).empty()) continue;
      for (unsigned id = 1; id < 0x40; ++id) {
        if (!find_node_event(static_cast<std::uint64_t>(type), id, 0, 0, GetParam().layout)) continue;
        const unsigned codes = node_filter(type, id, GetParam().layout) == NodeFilter::dvm_occupancy ? 3 : 1;
        for (unsigned code = 0; code < codes; ++code) {
          rig.check_event_happens(type, id, code, 0, code, 40, may_be_zero(type, id, GetParam().product));
        }
      }
    }
    rig.board.finish();
    EXPECT_EQ(rig.board.findings().failures(), 0U) << rig.findings();
  });
}

INSTANTIATE_TEST_SUITE_P(Meshes, CmnIoNodes,
                         ::testing::Values(Case{"cmn600", Product::cmn600, 5, WatchpointLayout::cmn600},
                                           Case{"cmn650", Product::cmn650, 3, WatchpointLayout::cmn650},
                                           Case{"cmn700", Product::cmn700, 3, WatchpointLayout::cmn700}),
                         [](const auto& made) { return std::string(made.param.name); });

}  // namespace
}  // namespace pmufab::scoreboard::test::cmn_io_cross_test
