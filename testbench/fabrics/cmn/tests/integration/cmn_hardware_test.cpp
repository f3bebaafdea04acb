// SPDX-License-Identifier: Apache-2.0
// Meshes at the limits of arm-cmn, and hardware that differs from what the driver assumes.
#include "models/cmn/standard_devices.h"
#include "testbench/fabrics/cmn/tests/integration/cmn_test.h"

namespace pmufab::integration {
namespace {

using cmn::Channel;
using cmn::Interface;
using cmn::NodeType;
using cmn::Product;
using cmn::Topology;
using ::testing::ValuesIn;

class CmnHardware : public CmnTest {
 protected:
  /// Limits that the driver raised: sides from 12 to 14, logical ids from 144 to 196.
  [[nodiscard]] bool has_larger_limits() const { return kernel_is_at_least("7.3"); }

  /// Flits of the last crosspoint and a node's event at the last home node are counted.
  void expect_to_count() {
    const unsigned last = mesh().layout().xps() - 1;
    const EventHandle sent = start(event(NodeType::xp, 1, mesh().layout().xp(last).node_id));
    unsigned home = 0;
    while (home + 1 < 12 && has_source(home + 1)) ++home;
    const unsigned hn_f = source(NodeType::hn_f, home);
    const EventHandle misses = start(event(NodeType::hn_f, 1, node_of(hn_f).node_id));
    flits(last, Interface::east, Channel::req, 21, testing::now());
    happen(hn_f, 1, 34);
    EXPECT_EQ(finish(sent), 21U);
    EXPECT_EQ(finish(misses), 34U);
  }
  bool has_source(unsigned number) {
    unsigned found = 0;
    for (const cmn::EventSource& one : mesh().layout().sources()) found += one.events == NodeType::hn_f ? 1 : 0;
    return number < found;
  }
};
INSTANTIATE_TEST_SUITE_P(linux, CmnHardware, ValuesIn(cmn_driver_sets()), version_name);

// contract A8
TEST_P(CmnHardware, of_twelve_by_twelve_crosspoints_is_found_and_counts) {
  boot(mesh_of(Product::cmn700, 12, 12), [&] { expect_to_count(); });
}

/// No product is like this: CMN-700 ends at 12.
Topology too_wide(Topology topology) {
  topology.deviations.any_size = true;
  topology.limits = cmn::kLinux73Limits;
  return topology;
}

// contract A8
TEST_P(CmnHardware, thirteen_wide_is_refused_up_to_7_2) {
  expect_probe = has_larger_limits();
  // With more than 144 crosspoints, 6.1 and 6.12 overrun their stack (docs/cmn-drivers.md).
  boot(too_wide(mesh_of(Product::cmn700, 13, 11)), [&] {
    EXPECT_EQ(logged("Mesh size invalid for supported CMN versions: 13x11"), expect_probe ? 0U : 1U);
    if (expect_probe) expect_to_count();
  });
}

// contract A8
TEST_P(CmnHardware, thirteen_high_is_refused_up_to_7_2) {
  expect_probe = has_larger_limits();
  boot(too_wide(mesh_of(Product::cmn700, 3, 13)), [&] {
    EXPECT_EQ(logged("Mesh size invalid for supported CMN versions: 3x13"), expect_probe ? 0U : 1U);
    if (expect_probe) expect_to_count();
  });
}

/// A mesh whose second home node reports another logical id.
Topology with_logical_id(Topology topology, std::uint16_t id) {
  topology.deviations.any_logical_id = true;
  for (cmn::Node& node : topology.crosspoints.back().ports[1].nodes) {
    if (node.type == NodeType::hn_f) node.logical_id = id;
  }
  return topology;
}

// contract A9
TEST_P(CmnHardware, the_largest_logical_id_is_taken) {
  const std::uint16_t largest = has_larger_limits() ? 196 : 144;
  boot(with_logical_id(CmnTest::mesh_of(Product::cmn650, 4, 3), largest), [&] { expect_to_count(); });
}

// contract A9
TEST_P(CmnHardware, a_logical_id_beyond_the_largest_ends_the_probe) {
  expect_probe = false;
  const std::uint16_t larger = has_larger_limits() ? 197 : 145;
  boot(with_logical_id(CmnTest::mesh_of(Product::cmn650, 4, 3), larger),
       [&] { EXPECT_EQ(logged("Node ID invalid for supported CMN versions: " + std::to_string(larger)), 1U); });
}

// contract A11
TEST_P(CmnHardware, a_child_pointer_of_zero_is_skipped_on_cmn_700) {
  Topology topology = mesh_of(Product::cmn700, 4, 3);
  topology.deviations.child_pointers = {{.xp = 5, .value = 0}, {.xp = 11, .value = 0}};
  boot(topology, [&] {
    // Offset 0 is the root there. A driver that followed the pointer would find a CFG node below a crosspoint.
    expect_to_count();
    EXPECT_EQ(logged("Device node type invalid"), 0U);
  });
}

// contract A11
TEST_P(CmnHardware, a_child_pointer_of_zero_is_the_node_at_offset_zero_on_cmn_600) {
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    const cmn::NodePlace* first = nullptr;
    for (const cmn::NodePlace& node : mesh().layout().nodes()) {
      if (node.offset == 0) first = &node;
    }
    ASSERT_NE(first, nullptr);
    // The HN-D's DVM node.
    ASSERT_EQ(first->type, NodeType::dvm);
    const EventHandle handle = start(event(NodeType::dvm, 1, first->node_id));
    happen(source(NodeType::dvm), 1, kLocalWrap + 7);
    EXPECT_EQ(finish(handle), kLocalWrap + 7);
    EXPECT_EQ(look(spec.topology.base) & 0xffff, static_cast<std::uint64_t>(NodeType::dvm));
  });
}

// contract A15
TEST_P(CmnHardware, a_mesh_of_one_crosspoint_has_three_bits_of_port_and_a_warning) {
  Topology topology = mesh_of(Product::cmn700, 1, 1);
  topology.crosspoints[0].ports.clear();
  for (const char* device : {"RN-F", "HN-Fx2", "SN-F", "HN-D", "RN-D", "RN-I"})
    topology.crosspoints[0].ports.push_back(*cmn::standard_port(Product::cmn700, device));
  boot(topology, [&] {
    EXPECT_EQ(logged("<4>arm-cmn 50000000.arm,cmn-700: 1x1 config not fully supported, translate XP events manually"),
              1U);
    // Two bits of device number, above them three bits of port number.
    const std::uint64_t second_home = 1U << 2 | 1U;
    const std::uint64_t rn_i = 5U << 2;
    const EventHandle of_home = start(event(NodeType::hn_f, 1, second_home));
    const EventHandle of_rn_i = start(event(NodeType::rn_i, 1, rn_i));
    happen(source(NodeType::hn_f, 0), 1, 1000);
    happen(source(NodeType::hn_f, 1), 1, kLocalWrap + 3);
    happen(source(NodeType::rn_d), 1, 2000);
    happen(source(NodeType::rn_i), 1, 2 * kLocalWrap + 5);
    EXPECT_EQ(finish(of_home), kLocalWrap + 3);
    EXPECT_EQ(finish(of_rn_i), 2 * kLocalWrap + 5);
    // Port 2 with a device that has no nodes, and a port that does not exist.
    EXPECT_LT(try_open(event(NodeType::hn_f, 1, 2U << 2)), 0);
    EXPECT_LT(try_open(event(NodeType::hn_f, 1, 7U << 2)), 0);
  });
}

/// Products differ in the place of a DTM's unit info. This part has it at the other one's place.
class CmnUnitInfoElsewhere : public CmnHardware {
 protected:
  void lose_multiples_of_the_second_domain(Product product, std::uint32_t elsewhere) {
    Topology topology = mesh_of(product, 4, 3, 2);
    topology.deviations.unit_info = elsewhere;
    boot(topology, [&] {
      const unsigned near = 4;  // domain 0
      const unsigned far = 7;   // domain 1, which the driver takes for 0
      ASSERT_EQ(spec.topology.crosspoints[far].dtc_domain, 1U);
      const EventHandle right = start(event(NodeType::xp, 1, mesh().layout().xp(near).node_id));
      const EventHandle wrong = start(event(NodeType::xp, 1, mesh().layout().xp(far).node_id));
      const auto send = [&](std::uint64_t amount) {
        flits(near, Interface::east, Channel::req, amount, testing::now());
        flits(far, Interface::east, Channel::req, amount, testing::now());
      };
      send(kLocalWrap - 1);
      EXPECT_EQ(value(right), kLocalWrap - 1);
      EXPECT_EQ(value(wrong), kLocalWrap - 1);
      send(3 * kLocalWrap + 42);
      EXPECT_EQ(finish(right), 4 * kLocalWrap + 41);
      EXPECT_EQ(finish(wrong), 41U);
    });
  }
};
INSTANTIATE_TEST_SUITE_P(linux, CmnUnitInfoElsewhere, ValuesIn(cmn_driver_sets()), version_name);

// contract A19
TEST_P(CmnUnitInfoElsewhere, costs_cmn_650_the_multiples_of_65536) {
  lose_multiples_of_the_second_domain(Product::cmn650, 0x960);
}

// contract A19
TEST_P(CmnUnitInfoElsewhere, costs_cmn_700_the_multiples_of_65536) {
  lose_multiples_of_the_second_domain(Product::cmn700, 0x910);
}

// contract A19
TEST_P(CmnHardware, with_its_unit_info_in_place_counts_all_in_the_second_domain) {
  // Linux 6.1 gives an event of the second domain no counter there.
  if (!kernel_is_at_least("6.12")) GTEST_SKIP() << "cmn-second-domain.yaml shows what 6.1 does";
  boot(mesh_of(Product::cmn650, 4, 3, 2), [&] {
    const EventHandle handle = start(event(NodeType::xp, 1, mesh().layout().xp(7).node_id));
    flits(7, Interface::east, Channel::req, 4 * kLocalWrap + 41, testing::now());
    EXPECT_EQ(finish(handle), 4 * kLocalWrap + 41);
  });
}

}  // namespace
}  // namespace pmufab::integration
