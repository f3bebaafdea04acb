// SPDX-License-Identifier: Apache-2.0
// Places of nodes, computed by hand from docs/cmn-mesh.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/judge/cmn_places.h"
#include "testbench/fabrics/cmn/tests/judge/cmn_session.h"

namespace pmufab::scoreboard::test::cmn_places_test {
namespace {

using cmn::NodeType;
using ::testing::ElementsAre;
using Node = CmnCrosspointNodes::Node;

constexpr std::uint64_t kBase = 0x5000'0000;

/// HN-Fs at XPs 0, 1 and 5 (port 3), two RN-Ds behind a CAL at XP 0, DTCs of domains 1 and 0 at XPs 1 and 2.
std::vector<CmnCrosspointNodes> nodes() {
  std::vector<CmnCrosspointNodes> crosspoints(6);
  crosspoints[0].ports = {{Node{NodeType::hn_f}}, {Node{NodeType::rn_d, 0}, Node{NodeType::rn_d, 1, 0}}};
  crosspoints[0].others = {Node{NodeType::apb}};
  crosspoints[1].dtc_domain = 1;
  crosspoints[1].ports = {{Node{NodeType::hn_f, 0, 1}}, {Node{NodeType::dtc}}};
  crosspoints[2].ports = {{Node{NodeType::dtc}, Node{NodeType::hn_i, 0, {}, true}}};
  crosspoints[5].ports = {{}, {}, {}, {Node{NodeType::hn_f}}};
  return crosspoints;
}

CmnJudgeSpec placed(WatchpointLayout layout) {
  CmnJudgeSpec spec = CmnSession::mesh();
  spec.layout = layout;
  spec.dtcs.clear();
  place_nodes(nodes(), kBase, spec);
  return spec;
}

TEST(CmnPlaces, node_ids_have_x_y_port_and_device) {
  std::vector<unsigned> ids;
  for (const CmnNode& node : placed(WatchpointLayout::cmn700).nodes) ids.push_back(node.node_id);
  EXPECT_THAT(ids, ElementsAre(0x00, 0x04, 0x05, 0x20, 0x24, 0x40, 0x40, 0x4e));
}

TEST(CmnPlaces, logical_ids_are_the_described_ones_and_else_the_next_free_of_the_type) {
  std::vector<unsigned> ids;
  for (const CmnNode& node : placed(WatchpointLayout::cmn700).nodes) ids.push_back(node.logical_id);
  EXPECT_THAT(ids, ElementsAre(0, 1, 0, 1, 1, 0, 0, 2)) << "the second HN-F is 1 by description, so the third is 2";
}

TEST(CmnPlaces, nodes_keep_where_they_are_and_whether_software_sees_them) {
  const CmnJudgeSpec spec = placed(WatchpointLayout::cmn700);
  ASSERT_EQ(spec.nodes.size(), 8U);
  EXPECT_EQ(spec.nodes[2].device, 1U);
  EXPECT_FALSE(spec.nodes[5].closed);
  EXPECT_TRUE(spec.nodes[6].closed);
  EXPECT_EQ(spec.nodes[7].xp, 5U);
  EXPECT_EQ(spec.nodes[7].port, 3U);
}

TEST(CmnPlaces, registers_of_a_dtc_are_in_the_window_of_its_node) {
  // CFG, six XPs, then HN-F, two RN-Ds, APB, HN-F, DTC 1, DTC 0: windows 12 and 13, counted from 0.
  const std::vector<CmnDtcRegisters> cmn700 = placed(WatchpointLayout::cmn700).dtcs;
  ASSERT_EQ(cmn700.size(), 2U);
  EXPECT_EQ(cmn700[0].pmcr, kBase + 13 * 0x1'0000 + 0x2100);
  EXPECT_EQ(cmn700[0].control, kBase + 13 * 0x1'0000 + 0xa00);
  EXPECT_EQ(cmn700[1].pmcr, kBase + 12 * 0x1'0000 + 0x2100);
  EXPECT_EQ(cmn700[1].control, kBase + 12 * 0x1'0000 + 0xa00);
  EXPECT_EQ(placed(WatchpointLayout::s3_r2).dtcs.front().pmcr, kBase + 13 * 0x1'0000 + 0xda00);
  // On CMN-600 it is window 6, of 16 KiB.
  EXPECT_EQ(placed(WatchpointLayout::cmn600).dtcs.front().pmcr, kBase + 6 * 0x4000 + 0x2100);
}

}  // namespace
}  // namespace pmufab::scoreboard::test::cmn_places_test
