// SPDX-License-Identifier: Apache-2.0
// Meshes at the limits of arm-cmn, and firmware and hardware that differ from what the driver assumes.
#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>

#include "models/cmn/standard_devices.h"
#include "testbench/fabrics/cmn/tests/integration/cmn_test.h"

namespace pmufab::integration {
namespace {

using cmn::Channel;
using cmn::Interface;
using cmn::NodeType;
using cmn::Product;
using cmn::Topology;
using platform::AcpiDevice;
using ::testing::ValuesIn;

class CmnHardware : public CmnTest {
 protected:
  /// Limits that the driver raised: sides from 12 to 14, logical ids from 144 to 196.
  [[nodiscard]] bool has_larger_limits() const { return kernel_is_at_least("7.3"); }

  /// Flits of the last crosspoint and a node's event at the last of up to twelve home nodes are counted.
  void expect_to_count() {
    const unsigned last = mesh().layout().xps() - 1;
    const EventHandle sent = start(event(NodeType::xp, 1, mesh().layout().xp(last).node_id));
    unsigned homes = 0;
    for (const cmn::EventSource& one : mesh().layout().sources()) homes += one.events == NodeType::hn_f ? 1 : 0;
    const unsigned hn_f = source(NodeType::hn_f, std::min(homes, 12U) - 1);
    const EventHandle misses = start(event(NodeType::hn_f, 1, node_of(hn_f).node_id));
    flits(last, Interface::east, Channel::req, 21, testing::now());
    happen(hn_f, 1, 34);
    EXPECT_EQ(finish(sent), 21U);
    EXPECT_EQ(finish(misses), 34U);
  }
  /// No product is like this: CMN-700 ends at 12.
  void boot_too_large(unsigned columns, unsigned rows) {
    Topology topology = mesh_of(Product::cmn700, columns, rows);
    topology.deviations.any_size = true;
    topology.limits = cmn::kLinux73Limits;
    expect_probe = has_larger_limits();
    boot(topology, [&] {
      const std::string message =
          "Mesh size invalid for supported CMN versions: " + std::to_string(columns) + "x" + std::to_string(rows);
      EXPECT_EQ(logged(message), expect_probe ? 0U : 1U);
      if (expect_probe) expect_to_count();
    });
  }
  /// The second home node reports this logical id.
  void boot_with_logical_id(unsigned id) {
    Topology topology = mesh_of(Product::cmn650, 4, 3);
    topology.deviations.any_logical_id = true;
    for (cmn::Node& node : topology.crosspoints.back().ports[1].nodes) {
      if (node.type == NodeType::hn_f) node.logical_id = static_cast<std::uint16_t>(id);
    }
    boot(topology, [&] {
      EXPECT_EQ(logged("Node ID invalid for supported CMN versions: " + std::to_string(id)), expect_probe ? 0U : 1U);
      if (expect_probe) expect_to_count();
    });
  }
  /// Products differ in the place of a DTM's unit info. This part has it at the other one's place, or in its own.
  void count_in_both_domains(Product product, std::optional<std::uint32_t> elsewhere) {
    Topology topology = mesh_of(product, 4, 3, 2);
    topology.deviations.unit_info = elsewhere;
    boot(topology, [&] {
      const unsigned near = 4;  // domain 0
      const unsigned far = 7;   // domain 1, which the driver takes for 0
      ASSERT_EQ(spec.topology.crosspoints[far].dtc_domain, 1U);
      const EventHandle of_near = start(event(NodeType::xp, 1, mesh().layout().xp(near).node_id));
      const EventHandle of_far = start(event(NodeType::xp, 1, mesh().layout().xp(far).node_id));
      const auto send = [&](std::uint64_t amount) {
        for (const unsigned xp : {near, far}) flits(xp, Interface::east, Channel::req, amount, testing::now());
      };
      send(kLocalWrap - 1);
      EXPECT_EQ(value(of_near), kLocalWrap - 1);
      EXPECT_EQ(value(of_far), kLocalWrap - 1);
      send(3 * kLocalWrap + 42);
      EXPECT_EQ(finish(of_near), 4 * kLocalWrap + 41);
      EXPECT_EQ(finish(of_far), elsewhere ? 41U : 4 * kLocalWrap + 41);
    });
  }
};
INSTANTIATE_TEST_SUITE_P(linux, CmnHardware, ValuesIn(cmn_driver_sets()), version_name);

// contract A1
TEST_P(CmnHardware, of_a_device_tree_with_another_root_gets_no_pmu_and_nothing_is_written) {
  spec.firmware = platform::CmnSpec::Firmware::device_tree;
  change_firmware = [&](AcpiDevice& device) {
    device.properties["arm,root-node"] =
        platform->get<platform::CmnMeshes>().mesh(0).layout().xp(0).offset;  // of a crosspoint
  };
  expect_probe = false;
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    for (const MmioBus::BusAccess& access : accesses) EXPECT_FALSE(access.is_write);
  });
}

// contract A2
TEST_P(CmnHardware, of_a_cmn_600_without_a_second_resource_gets_no_pmu) {
  spec.firmware = platform::CmnSpec::Firmware::acpi;
  change_firmware = [](AcpiDevice& device) { device.memory.resize(1); };
  expect_probe = false;
  boot(mesh_of(Product::cmn600, 4, 3), [] {});
}

// contract A5
TEST_P(CmnHardware, called_a_cmn_600_by_firmware_is_believed_with_a_warning) {
  change_firmware = [&](AcpiDevice& device) {
    device.hid.clear();
    device.compatible = "arm,cmn-600";
    device.properties["arm,root-node"] = platform->get<platform::CmnMeshes>().mesh(0).layout().root_offset();
  };
  boot(mesh_of(Product::cmn650, 4, 3), [&] {
    if (kernel_is_at_least("6.12")) {
      EXPECT_EQ(content(pmu("arm_cmn_0"), "identifier"), "43602\n");
    }
    EXPECT_EQ(logged("expected part number 0x434, found 0x436"), 1U);
    expect_to_count();
  });
}

// contract A8
TEST_P(CmnHardware, of_twelve_by_twelve_crosspoints_is_found_and_counts) {
  boot(mesh_of(Product::cmn700, 12, 12), [&] { expect_to_count(); });
}
// With more than 144 crosspoints, 6.1 and 6.12 overrun their stack (docs/cmn-drivers.md).
TEST_P(CmnHardware, thirteen_wide_is_refused_up_to_7_2) { boot_too_large(13, 11); }
TEST_P(CmnHardware, thirteen_high_is_refused_up_to_7_2) { boot_too_large(3, 13); }

// contract A9
TEST_P(CmnHardware, with_the_largest_logical_id_is_taken) { boot_with_logical_id(has_larger_limits() ? 196 : 144); }
TEST_P(CmnHardware, with_a_larger_logical_id_gets_no_pmu) {
  expect_probe = false;
  boot_with_logical_id(has_larger_limits() ? 197 : 145);
}

// contract A11
TEST_P(CmnHardware, a_child_pointer_of_zero_is_the_node_at_offset_zero_on_cmn_600) {
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    const unsigned dvm = source(NodeType::dvm);
    ASSERT_EQ(node_of(dvm).offset, 0U);
    const EventHandle handle = start(event(NodeType::dvm, 1, node_of(dvm).node_id));
    happen(dvm, 1, kLocalWrap + 7);
    EXPECT_EQ(finish(handle), kLocalWrap + 7);
  });
}

// contract A15, A42
TEST_P(CmnHardware, of_one_crosspoint_has_three_bits_of_port_and_a_warning) {
  Topology topology = mesh_of(Product::cmn700, 1, 1);
  topology.crosspoints[0].ports.clear();
  for (const char* device : {"RN-F", "HN-Fx2", "SN-F", "HN-D", "RN-D", "RN-I"})
    topology.crosspoints[0].ports.push_back(*cmn::standard_port(Product::cmn700, device));
  boot(topology, [&] {
    EXPECT_EQ(logged("<4>arm-cmn 50000000.arm,cmn-700: 1x1 config not fully supported, translate XP events manually"),
              1U);
    // Two bits of device number, above them three bits of port number.
    const EventHandle of_home = start(event(NodeType::hn_f, 1, 1U << 2 | 1U));  // the second one
    const EventHandle of_rn_i = start(event(NodeType::rn_i, 1, 5U << 2));
    // An RN-D counts as an RN-I. Its own type has been an alias since 7.2.
    const EventHandle alias = try_open(event(NodeType::rn_d, 1));
    happen(source(NodeType::hn_f, 0), 1, 1000);
    happen(source(NodeType::hn_f, 1), 1, kLocalWrap + 3);
    happen(source(NodeType::rn_d), 1, 2000);
    happen(source(NodeType::rn_i), 1, 2 * kLocalWrap + 5);
    EXPECT_EQ(finish(of_home), kLocalWrap + 3);
    EXPECT_EQ(finish(of_rn_i), 2 * kLocalWrap + 5);
    if (kernel_is_at_least("7.2")) {
      EXPECT_EQ(finish(alias), 2 * kLocalWrap + 2005);
    } else {
      EXPECT_EQ(alias, -EINVAL);
    }
    // Port 2 with a device that has no nodes, and a port that does not exist.
    EXPECT_LT(try_open(event(NodeType::hn_f, 1, 2U << 2)), 0);
    EXPECT_LT(try_open(event(NodeType::hn_f, 1, 7U << 2)), 0);
  });
}

// contract A19
TEST_P(CmnHardware, with_unit_info_elsewhere_loses_multiples_of_65536_on_cmn_650) {
  count_in_both_domains(Product::cmn650, 0x960);
}
TEST_P(CmnHardware, with_unit_info_elsewhere_loses_multiples_of_65536_on_cmn_700) {
  count_in_both_domains(Product::cmn700, 0x910);
}
TEST_P(CmnHardware, with_its_unit_info_in_place_counts_all_in_the_second_domain) {
  // Linux 6.1 gives an event of the second domain no counter there.
  if (!kernel_is_at_least("6.12")) GTEST_SKIP() << "cmn-second-domain.yaml shows what 6.1 does";
  count_in_both_domains(Product::cmn650, {});
}

}  // namespace
}  // namespace pmufab::integration
