// SPDX-License-Identifier: Apache-2.0
// Which node answers for an address, computed by hand from section 2 of docs/cmn-nodes.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/judge/cmn_addresses.h"
#include "testbench/fabrics/cmn/tests/judge/cmn_session.h"

namespace pmufab::scoreboard::test::cmn_addresses_test {
namespace {

using cmn::DeviceType;
using cmn::NodeType;
using ::testing::ElementsAre;

constexpr std::uint64_t kOtherMesh = std::uint64_t{1} << 47U;
constexpr std::uint64_t region(unsigned number) { return std::uint64_t{number} << 44U; }

/// Homes 0x00, 0x20; SN-F 0x04; SBSX 0x24; HN-I 0x40, isolated 0x44; RN-Ds and RN-Fs at XPs 3 to 5.
CmnJudgeSpec mesh() {
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
  EXPECT_THAT(CmnAddresses(mesh()).dvm_targets(), ElementsAre(0x08, 0x09, 0x0c, 0x4c, 0x4e));
}

TEST(CmnAddresses, lines_belong_to_homes_in_turn) {
  const CmnAddresses addresses(mesh());
  EXPECT_EQ(addresses.homes(), 2U);
  EXPECT_TRUE(addresses.is_home_of(0x00, 0x80));
  EXPECT_TRUE(addresses.is_home_of(0x20, region(1) | 0x40));
  EXPECT_FALSE(addresses.is_home_of(0x00, 0x40));
  EXPECT_FALSE(addresses.is_home_of(0x00, region(4))) << "I/O";
  EXPECT_FALSE(addresses.is_home_of(0x00, kOtherMesh)) << "only HN-S act for another mesh";
}

TEST(CmnAddresses, homes_use_the_memory_of_their_index) {
  const CmnAddresses addresses(mesh());
  EXPECT_TRUE(addresses.is_memory_of(0x20, 0x40, 0x04)) << "there is one only";
  EXPECT_TRUE(addresses.is_memory_of(0x20, region(1), 0x24));
  EXPECT_FALSE(addresses.is_memory_of(0x20, region(1), 0x04));
  EXPECT_FALSE(addresses.is_memory_of(0x20, region(2), 0x24)) << "there is no MTSX";
  EXPECT_TRUE(addresses.is_memory_of(0x20, kOtherMesh, 0x4a)) << "the gateway";
}

TEST(CmnAddresses, io_belongs_to_io_homes_that_take_part) {
  const CmnAddresses addresses(mesh());
  EXPECT_TRUE(addresses.is_rn_i_target(region(4), 0x40));
  EXPECT_TRUE(addresses.is_rn_i_target(region(4) | 0x1000, 0x40)) << "the other is isolated";
  EXPECT_FALSE(addresses.is_rn_i_target(region(4) | 0x1000, 0x44));
  EXPECT_TRUE(addresses.is_rn_i_target(0x40, 0x20));
  EXPECT_TRUE(addresses.is_rn_i_target(kOtherMesh, 0x4a));
  EXPECT_FALSE(addresses.is_rn_i_target(kOtherMesh | region(4), 0x4a)) << "I/O does not cross";
}

TEST(CmnAddresses, lines_of_the_other_mesh_go_through_linked_gateways_in_turn) {
  CmnJudgeSpec spec = mesh();
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
}  // namespace pmufab::scoreboard::test::cmn_addresses_test
