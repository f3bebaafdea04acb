// SPDX-License-Identifier: Apache-2.0
// The driver of the PCIE PMUs: its writes and refusals.
#include <optional>

#include "models/platform/platform.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/tests/integration/integration_test.h"

namespace pmufab::integration {
namespace {

using ::testing::Contains;
using ::testing::Not;

class Tegra410Pcie : public DriverTest {
 protected:
  static constexpr std::uint64_t kRdReq = 2, kRdCumOuts = 4, kCycles = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kBdfEnable = 1U << 24;
  static constexpr std::uint64_t kPage0 = 0x1001'0000 + 4 * 0x2000;
  static constexpr const char* kName = "nvidia_pcie_pmu_0_rc_4";

  static constexpr std::uint64_t device(unsigned bdf) { return std::uint64_t{bdf} << 8 | kBdfEnable; }

  static platform::PlatformSpec two_sockets() {
    platform::PlatformSpec spec = platform::tegra410_platform();
    spec.sockets = 2;
    spec.cpus_per_socket = 2;
    spec.edit<platform::Tegra410Spec>().clusters = 2;
    return spec;
  }

  Tegra410Pcie() : machine(std::make_unique<platform::Platform>("platform", two_sockets())) {
    firmware = machine->firmware();
  }
  void boot(std::function<void()> story) { DriverTest::boot(machine->bus(), firmware, std::move(story)); }
  /// The last write to a register of the PMU; nothing if there was none.
  std::optional<std::uint64_t> written(std::uint64_t offset) {
    std::optional<std::uint64_t> value;
    for (const MmioBus::BusAccess& access : accesses_to(kPage0, 0x1000)) {
      if (access.is_write && access.address == offset) value = access.data;
    }
    return value;
  }

  std::unique_ptr<platform::Platform> machine;
  platform::FirmwareDescription firmware;
};
INSTANTIATE_TEST_SUITE_P(linux, Tegra410Pcie, ::testing::ValuesIn(tegra410_driver_sets()), version_name);

// contract C3, C4
TEST_P(Tegra410Pcie, there_is_a_pmu_for_each_root_complex_and_none_for_a_device_without_instance) {
  for (platform::AcpiDevice& acpi : firmware.devices) {
    if (acpi.hid == "NVDA1030" && acpi.uid == "7") acpi.properties.clear();  // root complex 1 of socket 1
  }
  boot([&] {
    for (unsigned socket = 0; socket < 2; ++socket) {
      for (unsigned complex = 0; complex < 6; ++complex) {
        const std::string name = "nvidia_pcie_pmu_" + std::to_string(socket) + "_rc_" + std::to_string(complex);
        if (socket == 1 && complex == 1) {
          EXPECT_THAT(pmu_names(), Not(Contains(name)));
        } else {
          EXPECT_THAT(pmu_names(), Contains(name));
          EXPECT_EQ(content(pmu(name), "identifier"), "1030136b\n");
        }
      }
    }
    EXPECT_GE(logged("Failed to get instance ID"), 1U);
    EXPECT_EQ(content(pmu("nvidia_pcie_pmu_1_rc_0"), "associated_cpus"), "2-3\n");
  });
}

// contract C18, C21
TEST_P(Tegra410Pcie, filters_are_written_at_the_start_by_default_all_ones_and_are_zero_after_the_stop) {
  boot([&] {
    struct Case {
      std::uint64_t config, config1, config2;
      unsigned counter;
      std::uint64_t filter, filter2;
    };
    const Case cases[] = {{kRdReq, 0, 0, 0, 0xff, 0x1f},
                          {kRdReq, 0x6, 0x10, 0, 0x6, 0x10},
                          {kRdCumOuts, device(0x0180), 0x3, 0, 0x1018000, 0x3},
                          {kRdReq, 0xfe00'0000'0000'0000 | 0x1, 0xffff'ffe1, 0, 0x1, 0x1}};
    for (const Case& one : cases) {
      accesses.clear();
      const EventHandle event = open(kName, one.config, one.config1, one.config2);
      ASSERT_GT(event, 0);
      EXPECT_EQ(written(0xa00 + 4 * one.counter), one.filter);
      EXPECT_EQ(written(0x800 + 4 * one.counter), one.filter2);
      EXPECT_EQ(host->disable(event), 0);
      EXPECT_EQ(peek(kPage0 + 0xa00 + 4 * one.counter), 0U);
      EXPECT_EQ(peek(kPage0 + 0x800 + 4 * one.counter), 0U);
      EXPECT_EQ(written(0xa00 + 4 * one.counter), 0U);
      EXPECT_EQ(written(0x800 + 4 * one.counter), 0U);
      host->close(event);
    }
    const EventHandle cycles = open(kName, kCycles, 0x5);
    EXPECT_EQ(written(0x47c), 0x5U);
    EXPECT_EQ(host->disable(cycles), 0);
    EXPECT_EQ(written(0xa7c), 0U);
    EXPECT_EQ(written(0x87c), 0U);
  });
}

}  // namespace
}  // namespace pmufab::integration
