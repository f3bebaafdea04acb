// SPDX-License-Identifier: Apache-2.0
// Places of nodes, computed by hand from docs/cmn-mesh.md, and which node answers for an address.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/judge/cmn_addresses.h"
#include "testbench/fabrics/cmn/judge/cmn_places.h"
#include "testbench/fabrics/cmn/tests/judge/cmn_session.h"

namespace pmufab::scoreboard::test::cmn_places_test {
namespace {

using cmn::DeviceType;
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

// Which node answers for an address: section 2 of docs/cmn-nodes.md.

constexpr std::uint64_t kOtherMesh = std::uint64_t{1} << 47U;
constexpr std::uint64_t region(unsigned number) { return std::uint64_t{number} << 44U; }

/// Homes 0x00, 0x20; SN-F 0x04; SBSX 0x24; HN-I 0x40, isolated 0x44; RN-Ds and RN-Fs at XPs 3 to 5.
CmnJudgeSpec addressed() {
  CmnJudgeSpec spec = CmnSession::mesh();
  using enum DeviceType;
  spec.devices = {{hn_f, sn_f_chie}, {hn_f, sbsx}, {hn_i, hn_i},
                  {rn_f_chie, rn_d}, {rn_d, none}, {none, ccg, rn_d, rn_f_chie}};
  spec.device_counts = {{1, 1}, {1, 1}, {1, 1}, {2, 1}, {1, 0}, {0, 1, 1, 1}};
  spec.nodes = {{NodeType::hn_f, 0x00, 0, 0, 0, 0, false}, {NodeType::hn_f, 0x20, 1, 1, 0, 0, false},
                {NodeType::hn_i, 0x40, 0, 2, 0, 0, false}, {NodeType::hn_i, 0x44, 1, 2, 1, 0, true},
                {NodeType::rn_d, 0x0c, 0, 3, 1, 0, false}, {NodeType::rn_d, 0x28, 1, 4, 0, 0, true},
                {NodeType::rn_d, 0x4c, 2, 5, 2, 0, false}, {NodeType::ccra, 0x4a, 0, 5, 1, 0, false}};
  spec.links.resize(1);
  spec.links[0].node_id = 0x4a;
  return spec;
}

TEST(CmnAddresses, dvm_operations_go_to_all_rn_fs_and_to_the_rn_ds_that_take_part) {
  // A CAL has two RN-Fs. XP 5 has four ports in use, and so one bit of device number.
  EXPECT_THAT(CmnAddresses(addressed()).dvm_targets(), ElementsAre(0x08, 0x09, 0x0c, 0x4c, 0x4e));
}

TEST(CmnAddresses, lines_belong_to_homes_in_turn) {
  const CmnAddresses addresses(addressed());
  EXPECT_EQ(addresses.homes(), 2U);
  EXPECT_TRUE(addresses.is_home_of(0x00, 0x80));
  EXPECT_TRUE(addresses.is_home_of(0x20, region(1) | 0x40));
  EXPECT_FALSE(addresses.is_home_of(0x00, 0x40));
  EXPECT_FALSE(addresses.is_home_of(0x00, region(4))) << "I/O";
  EXPECT_FALSE(addresses.is_home_of(0x00, kOtherMesh)) << "only HN-S act for another mesh";
}

TEST(CmnAddresses, homes_use_the_memory_of_their_index) {
  const CmnAddresses addresses(addressed());
  EXPECT_TRUE(addresses.is_memory_of(0x20, 0x40, 0x04)) << "there is one only";
  EXPECT_TRUE(addresses.is_memory_of(0x20, region(1), 0x24));
  EXPECT_FALSE(addresses.is_memory_of(0x20, region(1), 0x04));
  EXPECT_FALSE(addresses.is_memory_of(0x20, region(2), 0x24)) << "there is no MTSX";
  EXPECT_TRUE(addresses.is_memory_of(0x20, kOtherMesh, 0x4a)) << "the gateway";
}

TEST(CmnAddresses, io_belongs_to_io_homes_that_take_part) {
  const CmnAddresses addresses(addressed());
  EXPECT_TRUE(addresses.is_rn_i_target(region(4), 0x40));
  EXPECT_TRUE(addresses.is_rn_i_target(region(4) | 0x1000, 0x40)) << "the other is isolated";
  EXPECT_FALSE(addresses.is_rn_i_target(region(4) | 0x1000, 0x44));
  EXPECT_TRUE(addresses.is_rn_i_target(0x40, 0x20));
  EXPECT_TRUE(addresses.is_rn_i_target(kOtherMesh, 0x4a));
  EXPECT_FALSE(addresses.is_rn_i_target(kOtherMesh | region(4), 0x4a)) << "I/O does not cross";
}

TEST(CmnAddresses, lines_of_the_other_mesh_go_through_linked_gateways_in_turn) {
  CmnJudgeSpec spec = addressed();
  spec.devices[4] = {DeviceType::ccg, DeviceType::ccg};
  spec.device_counts[4] = {1, 1};
  spec.nodes.push_back({NodeType::ccra, 0x28, 1, 4, 0, 0, false});
  spec.nodes.push_back({NodeType::ccra, 0x2c, 2, 4, 1, 0, false});
  spec.links.resize(2);
  spec.links[0].node_id = 0x4a;
  spec.links[1].node_id = 0x2c;
  const CmnAddresses addresses(spec);
  EXPECT_THAT(addresses.gateways(), ElementsAre(0x28, 0x2c, 0x4a));
  EXPECT_TRUE(addresses.is_gateway_for(kOtherMesh | 0x80, 0x2c)) << "the first that is linked, in order of XPs";
  EXPECT_TRUE(addresses.is_gateway_for(kOtherMesh | 0x40, 0x4a));
  EXPECT_FALSE(addresses.is_gateway_for(kOtherMesh | 0x80, 0x28)) << "not linked";
  EXPECT_FALSE(addresses.is_gateway_for(0x40, 0x4a)) << "of this mesh";
}

}  // namespace
}  // namespace pmufab::scoreboard::test::cmn_places_test
