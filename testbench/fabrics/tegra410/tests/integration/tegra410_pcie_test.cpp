// SPDX-License-Identifier: Apache-2.0
// The driver of the PCIE PMUs: its writes and refusals.
#include <optional>

#include <tlm_utils/simple_initiator_socket.h>

#include "models/platform/platform.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/tests/integration/integration_test.h"

namespace pmufab::integration {
namespace {

using ::testing::Contains;
using ::testing::Not;

/// A device below a root port. It reads past all caches.
class PcieDevice : public sc_core::sc_module {
 public:
  PcieDevice(const sc_core::sc_module_name& name, platform::Platform& platform)
      : sc_core::sc_module(name), socket("socket") {
    socket.bind(platform.get<platform::Tegra410Part>().socket(0).requests);
    extension_.requester = RequesterKind::pcie;
    extension_.opcode = FabricOpcode::read_once;
    payload_.set_extension(&extension_);
    payload_.set_command(tlm::TLM_READ_COMMAND);
    payload_.set_data_length(32);
    payload_.set_streaming_width(32);
  }
  ~PcieDevice() override { payload_.clear_extension(&extension_); }

  void read(unsigned root_complex, unsigned root_port, std::uint16_t bdf, unsigned times) {
    extension_.root_complex = static_cast<std::uint8_t>(root_complex);
    extension_.root_port = static_cast<std::uint8_t>(root_port);
    extension_.bdf = bdf;
    for (unsigned i = 0; i < times; ++i) {
      payload_.set_address(0x200'0000'0000 + 64 * i);
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket->b_transport(payload_, delay);
      ASSERT_EQ(payload_.get_response_status(), tlm::TLM_OK_RESPONSE);
    }
  }

  tlm_utils::simple_initiator_socket<PcieDevice, 64> socket;

 private:
  tlm::tlm_generic_payload payload_;
  FabricExtension extension_;
};

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
    devices = std::make_unique<PcieDevice>("device", *machine);
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
  std::unique_ptr<PcieDevice> devices;
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

// contract C19
TEST_P(Tegra410Pcie, a_single_event_with_root_ports_and_a_device_opens_and_never_counts) {
  boot([&] {
    const EventHandle both = open(kName, kRdReq, device(0x0180) | 0x1);
    ASSERT_GT(both, 0);
    devices->read(4, 0, 0x0180, 5);
    const EventReading reading = this->reading(both);
    EXPECT_EQ(reading.value, 0U);
    EXPECT_EQ(reading.time_running, 0U);
    EXPECT_GE(logged("RP and BDF filtering are mutually exclusive"), 1U);
    EXPECT_EQ(written(0xa00), std::nullopt);  // it never got a counter
  });
}

// contract C19
TEST_P(Tegra410Pcie, an_event_of_another_device_than_the_active_ones_waits) {
  boot([&] {
    const EventHandle first = open(kName, kRdReq, device(0x0180));
    const EventHandle second = open(kName, kRdReq, device(0x0100));
    const EventHandle without = open(kName, kRdReq, 0x1);
    ASSERT_GT(second, 0);
    ASSERT_GT(without, 0);
    devices->read(4, 0, 0x0180, 5);
    devices->read(4, 0, 0x0100, 7);
    EXPECT_EQ(value(first), 5U);
    EXPECT_EQ(value(second), 0U);
    EXPECT_EQ(value(without), 0U);
    EXPECT_GE(logged("only one BDF value is supported"), 2U);
    host->close(first);
    host->close(without);
    EXPECT_EQ(host->disable(second), 0);
    EXPECT_EQ(host->enable(second), 0);
    devices->read(4, 0, 0x0100, 3);
    EXPECT_EQ(value(second), 3U);
  });
}

}  // namespace
}  // namespace pmufab::integration
