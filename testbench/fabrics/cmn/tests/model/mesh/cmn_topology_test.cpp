// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"
#include "models/cmn/nodes/system_address_map.h"

namespace pmufab::cmn {
namespace {

std::vector<Topology> every_example() {
  return {examples::cmn600_small(),
          examples::cmn600_two_dtcs(),
          examples::cmn650_two_dtcs(),
          examples::cmn700_server(),
          examples::cmn700_server(NodeType::hn_f),
          examples::ci700_small(),
          examples::s3_small(1),
          examples::s3_small(2),
          examples::s3_small(3),
          examples::cmn700_largest(),
          examples::cmn700_single_xp()};
}

/// Expect a refusal that names the field and contains all the words.
void expect_refused(const Topology& topology, const std::string& field, const std::string& words) {
  try {
    check(topology);
    ADD_FAILURE() << "accepted; expected a refusal of " << field;
  } catch (const SpecError& error) {
    EXPECT_EQ(error.field(), field) << error.what();
    EXPECT_NE(error.reason().find(words), std::string::npos) << error.what();
  }
}

TEST(CmnTopology, every_example_can_be_built) {
  for (const Topology& topology : every_example()) EXPECT_NO_THROW(check(topology));
}

TEST(CmnTopology, windows_are_aligned_and_apart_and_inside) {
  for (const Topology& topology : every_example()) {
    const Layout layout(topology);
    const std::uint32_t window = topology.product == Product::cmn600 ? 0x4000 : 0x1'0000;
    std::set<std::uint32_t> seen;
    for (const NodePlace& node : layout.nodes()) {
      EXPECT_EQ(node.offset % window, 0U);
      EXPECT_TRUE(seen.insert(node.offset).second);
      EXPECT_LE(node.offset + window, layout.size());
    }
    if (topology.product == Product::cmn600) {
      EXPECT_NE(layout.root_offset(), 0U);
    } else {
      EXPECT_EQ(layout.root_offset(), 0U);
    }
  }
}

// contract A12
TEST(CmnTopology, refuses_meshes_that_would_overrun_the_drivers_arrays) {
  Topology topology = examples::cmn700_largest();
  // If every XP had three ports, there would be 288 DTMs.
  Topology many = topology;
  for (Crosspoint& crosspoint : many.crosspoints) {
    if (crosspoint.ports.size() == 2) crosspoint.ports.push_back({DeviceType::sn_f_chid, false, {}});
  }
  expect_refused(many, "multiple_dtm", "188");
  many.multiple_dtm = false;
  EXPECT_NO_THROW(check(many));
  // 150 nodes that count RN-I events: to the driver, RN-I and RN-D are the same.
  Topology merged = examples::cmn700_largest();
  merged.multiple_dtm = false;
  unsigned added = 0;
  for (Crosspoint& crosspoint : merged.crosspoints) {
    if (crosspoint.ports.size() != 2 || added >= 140) continue;
    crosspoint.ports.push_back({added % 2 == 0 ? DeviceType::rn_d : DeviceType::rn_i, false, {}});
    crosspoint.ports.back().nodes = {{added % 2 == 0 ? NodeType::rn_d : NodeType::rn_i}};
    ++added;
  }
  expect_refused(merged, "crosspoints", "144");
  merged.limits = kLinux73Limits;
  EXPECT_NO_THROW(check(merged));
}

TEST(CmnTopology, refuses_what_cannot_be_built) {
  const auto changed = [](const std::function<void(Topology&)>& change) {
    Topology topology = examples::s3_small(1);
    change(topology);
    return topology;
  };
  expect_refused(changed([](Topology& t) { t.columns = 0; }), "columns", "1 to 12");
  expect_refused(changed([](Topology& t) { t.rows = 13; }), "rows", "1 to 12");
  expect_refused(changed([](Topology& t) {
                   t.columns = 2;
                   t.rows = 2;
                 }),
                 "columns", "larger side of 2");
  expect_refused(changed([](Topology& t) { t.crosspoints.pop_back(); }), "crosspoints", "4x3");
  expect_refused(changed([](Topology& t) { t.revision = 7; }), "revision", "0 to 6");
  expect_refused(changed([](Topology& t) { t.channels.dat = 3; }), "channels.dat", "1 to 2");
  expect_refused(changed([](Topology& t) { t.base = 0x1000; }), "base", "multiple");
  expect_refused(changed([](Topology& t) { t.dtcs = 5; }), "dtcs", "1 to 4");
  expect_refused(changed([](Topology& t) { t.dtcs = 1; }), "crosspoints[2].dtc_domain", "1 DTCs");
  expect_refused(changed([](Topology& t) { t.crosspoints[7].ports[0] = {}; }), "dtcs", "domain 1 has 0");
  expect_refused(changed([](Topology& t) { t.crosspoints[4].ports[1].device = DeviceType::hn_t; }),
                 "crosspoints[4].ports[1].device", "DTC 0 is in the HN-D");
  expect_refused(changed([](Topology& t) { t.crosspoints[7].ports[0].nodes[0].logical_id = 3; }),
                 "crosspoints[7].ports[0].nodes[0].logical_id", "domain");
  expect_refused(changed([](Topology& t) { t.crosspoints[1].ports.resize(7); }), "crosspoints[1].ports", "too many");
  expect_refused(changed([](Topology& t) { t.crosspoints[1].ports.resize(3); }), "crosspoints[1].ports", "leave them");
  expect_refused(changed([](Topology& t) { t.crosspoints[1].ports.resize(5); }), "crosspoints[1].ports", "room for 4");
  expect_refused(changed([](Topology& t) { t.crosspoints[0].ports[3].nodes[0].device = 2; }),
                 "crosspoints[0].ports[3].nodes[0].device", "0 to 1");
  expect_refused(changed([](Topology& t) { t.crosspoints[8].ports[1].nodes[0].type = NodeType::xp; }),
                 "crosspoints[8].ports[1].nodes[0].type", "cannot be below an XP");
  expect_refused(changed([](Topology& t) { t.crosspoints[8].ports[1].nodes[0].type = NodeType::mtsx; }),
                 "crosspoints[8].ports[1].nodes[0].type", "brings no node mtsx");
  expect_refused(changed([](Topology& t) { t.crosspoints[8].ports[1].device = DeviceType::cxrh; }),
                 "crosspoints[8].ports[1].device", "CMN S3 has no CXRH");
  expect_refused(changed([](Topology& t) { t.crosspoints[8].ports[1].nodes[0].logical_id = 145; }), "crosspoints[8]",
                 "145");
  expect_refused(changed([](Topology& t) {
                   t.crosspoints[3].ports[3].nodes[0].logical_id = 2;
                   t.crosspoints[11].ports[1].nodes[0].logical_id = 2;
                 }),
                 "crosspoints[11]", "is taken");
  expect_refused(changed([](Topology& t) { t.crosspoints[0].nodes.assign(33, {NodeType::apb}); }), "crosspoints[0]",
                 "32 child pointers");
}

TEST(CmnTopology, refuses_what_the_product_does_not_have) {
  Topology topology = examples::cmn600_small();
  topology.multiple_dtm = true;
  expect_refused(topology, "multiple_dtm", "CMN-600");
  topology = examples::cmn600_small();
  topology.crosspoints[7].ports.resize(3, {DeviceType::sn_f_chid, false, {}});
  expect_refused(topology, "crosspoints[7].ports", "has 2");
  topology = examples::cmn650_two_dtcs();
  topology.channels.snp = 2;
  expect_refused(topology, "channels.snp", "1 to 1");
}

TEST(CmnTopology, deviations_allow_wrong_hardware) {
  Topology topology = examples::s3_small(1);
  topology.crosspoints[8].ports[1].nodes[0].type = static_cast<NodeType>(0x1234);
  EXPECT_THROW(check(topology), SpecError);
  topology.deviations.any_node = true;
  EXPECT_NO_THROW(check(topology));
  topology.crosspoints[0].ports[0].nodes[0].logical_id = 145;
  EXPECT_THROW(check(topology), SpecError);
  topology.deviations.any_logical_id = true;
  EXPECT_NO_THROW(check(topology));
  Topology wide = examples::cmn700_largest();
  wide.columns = 13;
  wide.crosspoints.resize(13 * 12);
  wide.multiple_dtm = false;
  EXPECT_THROW(check(wide), SpecError);
}

// Addresses for which a mesh has a node: docs/cmn-nodes.md, section 2. Which node it is, every cross test compares with
// the judge.
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

}  // namespace
}  // namespace pmufab::cmn
