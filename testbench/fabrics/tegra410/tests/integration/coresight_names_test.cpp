// SPDX-License-Identifier: Apache-2.0
// Names of the PMUs, and how drivers find the layout of their registers.
#include <cstring>

#include "testbench/tests/integration/integration_test.h"

namespace pmufab::integration {
namespace {

using platform::ApmtNode;
using ::testing::ElementsAre;
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

// ---- The layout of registers: 64 bits (FEAT_CSPMU_EXT64), which drivers know since Linux 7.3

constexpr std::uint64_t kPmcr32 = 0xe04;
constexpr std::uint64_t kPmcr64 = 0xe10;

class LayoutDetection : public CoreSightTest {};
INSTANTIATE_TEST_SUITE_P(linux, LayoutDetection, ::testing::ValuesIn(tegra410_driver_sets()), version_name);

// contract C40
TEST_P(LayoutDetection, is_by_pmcnten_or_by_an_architecture_register_that_is_present) {
  struct Part {
    bool ext64;
    bool pmcnten;
    std::uint32_t pmdevarch;
    bool found;  // as 64-bit layout
  };
  constexpr Part kParts[] = {
      {true, true, 0, true},             // PMCNTEN
      {true, false, 0x0010'0af4, true},  // PMDEVARCH, bit 20: present
      {true, false, 0x4770'0af5, true},
      {true, false, 0x4760'0af5, false},  // not present
      {true, false, 0x4770'0af6, false},  // another architecture
      {false, true, 0x4770'0a06, false},  // the 32-bit layout
  };
  const bool knows = kernel_is_at_least(kKnows64BitLayout);
  for (const Part& part : kParts) {
    const auto number = std::to_string(devices.size());
    add({.ext64 = part.ext64, .pmcnten = part.pmcnten, .pmiidr = kGenericPart, .pmdevarch = part.pmdevarch});
    // A driver that assumes the other layout resets it through that layout's PMCR.
    if (part.ext64 && !(knows && part.found)) expect_guest_error("pmu" + number, "PMCR_OF_THE_32BIT_LAYOUT");
  }
  boot([&] {
    ASSERT_EQ(pmu_names().size(), std::size(kParts));
    for (unsigned number = 0; number < std::size(kParts); ++number) {
      const bool expected = knows && kParts[number].found;
      EXPECT_EQ(content(pmu(name_of(number)), "format/event"), expected ? "config:0-63\n" : "config:0-32\n") << number;
      std::vector<std::uint64_t> control;
      for (const MmioBus::BusAccess& access : accesses_to(devices[number]->page0, 0x1000)) {
        if (access.is_write && (access.address == kPmcr32 || access.address == kPmcr64))
          control.push_back(access.address);
      }
      EXPECT_THAT(control, ElementsAre(expected ? kPmcr64 : kPmcr32)) << number;
      EXPECT_EQ(peek(devices[number]->page0 + 0xc00, kParts[number].ext64 ? 8 : 4), 0U)
          << number;  // the check has left no counter enabled
    }
  });
}

}  // namespace
}  // namespace pmufab::integration
