// SPDX-License-Identifier: Apache-2.0
// Names of the PMUs.
#include <cstring>

#include "testbench/tests/integration/integration_test.h"

namespace pmufab::integration {
namespace {

using platform::ApmtNode;
using ::testing::UnorderedElementsAre;

class CoreSightNames : public CoreSightTest {
 protected:
  static constexpr std::uint32_t kNvidiaPcie = 0x1030136b;     ///< product 0x10301, implementer NVIDIA
  static constexpr std::uint32_t kNvidiaPcieTgt = 0x1070036b;  ///< product 0x10700

  static std::uint64_t eight_characters(const char (&hid)[9]) {
    std::uint64_t packed = 0;
    std::memcpy(&packed, hid, sizeof(packed));
    return packed;
  }
  /// Node `number` refers to a device of the ACPI namespace.
  void make_acpi(unsigned number, std::uint32_t uid) {
    node(number).type = ApmtNode::Type::acpi_device;
    node(number).instance_primary = eight_characters("NVDA2FFF");
    node(number).instance_secondary = uid;
  }
  platform::AcpiDevice& add_acpi(std::uint32_t uid) {
    platform::AcpiDevice device;
    device.hid = "NVDA2FFF";
    device.uid = std::to_string(uid);
    firmware.devices.push_back(device);
    return firmware.devices.back();
  }
};
INSTANTIATE_TEST_SUITE_P(linux, CoreSightNames, ::testing::ValuesIn(tegra410_driver_sets()), version_name);

// contract C3
TEST_P(CoreSightNames, of_a_pcie_pmu_carry_socket_and_root_complex_and_without_an_instance_there_is_no_pmu) {
  for (unsigned number = 0; number < 4; ++number) {
    add({.pmiidr = number == 3 ? kNvidiaPcieTgt : kNvidiaPcie});
    make_acpi(number, 40 + number);
  }
  // The name comes from the CPUs' node, not from the order of the table.
  for (std::uint32_t cpu = 2; cpu < 4; ++cpu) firmware.cpus.push_back({.uid = cpu, .container_uid = 1, .node = 1});
  node(1).processor_affinity = 1;
  add_acpi(40).properties["instance_id"] = 6;
  add_acpi(41).properties["instance_id"] = 0;
  add_acpi(42);                                // a device without an instance number
  add_acpi(99).properties["instance_id"] = 2;  // and no device for node 3
  boot([&] { EXPECT_THAT(pmu_names(), UnorderedElementsAre("nvidia_pcie_pmu_0_rc_6", "nvidia_pcie_pmu_1_rc_0")); });
}

// contract C44
TEST_P(CoreSightNames, of_generic_pmus_come_from_the_firmware_table) {
  for (unsigned number = 0; number < 6; ++number) add({.pmiidr = kGenericPart});
  node(0).type = ApmtNode::Type::memory_controller;
  node(0).id = 17;
  node(1).type = ApmtNode::Type::smmu;
  node(1).instance_primary = 0x1'0000'0009;  // cut to 32 bits
  node(2).type = ApmtNode::Type::pcie_root;
  node(2).instance_primary = 4;
  node(3).instance_secondary = 66;  // a cache
  make_acpi(4, 2);
  node(5).type = ApmtNode::Type::memory_controller;
  node(5).id = 8;
  boot([&] {
    if (kernel_is_at_least(kKnows64BitLayout)) {
      EXPECT_THAT(pmu_names(),
                  UnorderedElementsAre("arm_cspmu_mc_17", "arm_cspmu_smmu_9", "arm_cspmu_pcie_4", "arm_cspmu_cache_66",
                                       "arm_cspmu_acpi_NVDA2FFF_2", "arm_cspmu_mc_8"));
    } else {  // a running number per type
      EXPECT_THAT(pmu_names(),
                  UnorderedElementsAre("arm_cspmu_mc_0", "arm_cspmu_smmu_0", "arm_cspmu_pcie_0", "arm_cspmu_cache_0",
                                       "arm_cspmu_acpi_NVDA2FFF_2", "arm_cspmu_mc_1"));
    }
  });
}

// contract C44
TEST_P(CoreSightNames, that_are_equal_leave_the_second_pmu_out) {
  for (unsigned number = 0; number < 3; ++number) add({.pmiidr = kGenericPart});
  node(0).instance_secondary = 5;
  node(1).instance_secondary = 5;
  node(2).instance_secondary = 7;
  boot([&] {
    if (kernel_is_at_least(kKnows64BitLayout)) {
      EXPECT_THAT(pmu_names(), UnorderedElementsAre("arm_cspmu_cache_5", "arm_cspmu_cache_7"));
      const EventHandle event = open("arm_cspmu_cache_5", kEvents[0]);  // the first, and it works
      devices[0]->probes[0].publish(3, 0, testing::now());
      devices[1]->probes[0].publish(4, 0, testing::now());
      EXPECT_EQ(value(event), 3U);
    } else {
      EXPECT_THAT(pmu_names(), UnorderedElementsAre("arm_cspmu_cache_0", "arm_cspmu_cache_1", "arm_cspmu_cache_2"));
    }
  });
}

// contract C44
TEST_P(CoreSightNames, equal_node_ids_leave_the_later_nodes_out) {
  for (unsigned number = 0; number < 4; ++number) add({.pmiidr = kGenericPart});
  node(0).id = 1;
  node(1).id = 2;
  node(2).id = 1;
  node(3).id = 3;
  boot([&] {
    if (kernel_is_at_least(kKnows64BitLayout)) {
      EXPECT_THAT(pmu_names(), UnorderedElementsAre("arm_cspmu_cache_0", "arm_cspmu_cache_1"));
    } else {
      EXPECT_THAT(pmu_names(), UnorderedElementsAre("arm_cspmu_cache_0", "arm_cspmu_cache_1", "arm_cspmu_cache_2",
                                                    "arm_cspmu_cache_3"));
    }
  });
}

}  // namespace
}  // namespace pmufab::integration
