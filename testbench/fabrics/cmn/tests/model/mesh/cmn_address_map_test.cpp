// SPDX-License-Identifier: Apache-2.0
// Which node of a mesh answers for an address: docs/cmn-nodes.md, section 2.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/description/topology_check.h"
#include "models/cmn/nodes/system_address_map.h"
#include "models/cmn/standard_devices.h"

namespace pmufab::cmn {
namespace {

constexpr std::uint64_t kSbsx = 0x1000'0000'0000;
constexpr std::uint64_t kMtsx = 0x2000'0000'0000;
constexpr std::uint64_t kIo = 0x4000'0000'0000;
constexpr std::uint64_t kOther = 0x8000'0000'0000;

SystemAddressMap map_of(const Topology& topology) {
  check(topology);
  return SystemAddressMap(topology, Layout(topology));
}

std::string error_of(const SystemAddressMap& map, std::uint64_t base, std::uint64_t size) {
  try {
    map.check_range(base, size);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

// Node ids of cmn600_small(), four by two: x in bits 6:5, y in 4:3, port in bit 2.
constexpr std::uint16_t kHomes[] = {0x24, 0x44, 0x2c, 0x4c};  // XPs 1, 2, 5 and 6, port 1
constexpr std::uint16_t kMemory[] = {0x04, 0x68};             // XP 0 port 1, XP 7 port 0

TEST(CmnAddressMap, lines_go_around_the_homes_and_homes_around_the_memory_nodes) {
  const SystemAddressMap map = map_of(examples::cmn600_small());
  ASSERT_EQ(map.homes(), 4U);
  for (std::uint64_t line = 0; line < 20; ++line) {
    EXPECT_EQ(map.home_of(line * 64 + 7), kHomes[line % 4]);
    EXPECT_EQ(map.home_index_of(line * 64), line % 4);
    EXPECT_EQ(map.memory_node(static_cast<unsigned>(line % 4), line * 64), kMemory[line % 2]);
    EXPECT_EQ(map.memory_node(static_cast<unsigned>(line % 4), kSbsx + line * 64), 0x64) << "the only SBSX";
  }
}

TEST(CmnAddressMap, homes_are_in_order_of_their_logical_ids) {
  Topology topology = examples::cmn600_small();
  topology.crosspoints[1].ports[1].nodes[0].logical_id = 3;
  topology.crosspoints[6].ports[1].nodes[0].logical_id = 0;
  const SystemAddressMap map = map_of(topology);
  EXPECT_EQ(map.home_of(0), 0x4c);
  EXPECT_EQ(map.home_of(3 * 64), 0x24);
}

TEST(CmnAddressMap, pages_of_io_go_around_the_io_homes) {
  const SystemAddressMap small = map_of(examples::cmn600_small());
  EXPECT_EQ(small.io_node(kIo + 12345), 0x0c) << "HN-D is the only one: XP 4, port 1";
  const SystemAddressMap map = map_of(examples::cmn700_server());
  const auto homes = map.nodes(DeviceKind::io_home);
  ASSERT_GT(homes.size(), 2U);
  EXPECT_TRUE(std::is_sorted(homes.begin(), homes.end(), [&](std::uint16_t a, std::uint16_t b) {
    const auto place = [&](std::uint16_t id) {
      return std::find_if(map.devices().begin(), map.devices().end(),
                          [&](const DevicePlace& one) { return one.node_id == id; });
    };
    return place(a) < place(b);
  }));
  for (std::uint64_t page = 0; page < 10; ++page)
    EXPECT_EQ(map.io_node(kIo + page * 4096 + 64), homes[(kIo / 4096 + page) % homes.size()]);
}

TEST(CmnAddressMap, every_device_behind_a_cal_has_an_id) {
  Topology topology = examples::cmn600_small();
  topology.crosspoints[0].ports[0] = *standard_port(Product::cmn600, "RN-Fx2");
  const SystemAddressMap map = map_of(topology);
  const auto requesters = map.nodes(DeviceKind::rn_f);
  EXPECT_EQ(std::vector<std::uint16_t>(requesters.begin(), requesters.end()),
            (std::vector<std::uint16_t>{0x00, 0x01, 0x20, 0x08, 0x28}));
}

TEST(CmnAddressMap, what_nobody_answers_for_is_refused_with_what_would_be_needed) {
  const SystemAddressMap map = map_of(examples::cmn600_small());
  EXPECT_EQ(error_of(map, 0, 1 << 20), "");
  EXPECT_EQ(error_of(map, kSbsx, 1 << 20), "");
  EXPECT_EQ(error_of(map, kIo, 1 << 20), "");
  EXPECT_NE(error_of(map, kMtsx, 64).find("MTSX"), std::string::npos);
  EXPECT_NE(error_of(map, kOther, 64).find("gateway"), std::string::npos);
  EXPECT_NE(error_of(map, 0x3000'0000'0000, 64).find("region 0, 1, 2 or 4"), std::string::npos);
  EXPECT_NE(error_of(map, kSbsx - 64, 128).find("next region"), std::string::npos);
  EXPECT_NE(error_of(map, 0, 0).find("not a valid range"), std::string::npos);
  EXPECT_THROW(static_cast<void>(map.home_of(kMtsx)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(map.home_of(kIo)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(map.io_node(0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(map.memory_node(0, kMtsx)), std::invalid_argument);
  EXPECT_TRUE(SystemAddressMap::is_remote(kOther + 64));
  EXPECT_FALSE(SystemAddressMap::is_remote(kIo));
}

TEST(CmnAddressMap, external_nodes_take_no_part) {
  Topology topology = examples::cmn600_small();
  topology.crosspoints[1].ports[1].nodes[0].external = true;
  EXPECT_EQ(map_of(topology).homes(), 3U);
}

}  // namespace
}  // namespace pmufab::cmn
