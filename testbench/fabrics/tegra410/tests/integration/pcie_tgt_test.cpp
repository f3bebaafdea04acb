// SPDX-License-Identifier: Apache-2.0
// PCIE-TGT PMUs under the drivers: programming, address filters, and the driver's mistakes.
#include <algorithm>
#include <stdexcept>

#include <tlm_utils/simple_initiator_socket.h>

#include "models/platform/platform.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/tests/integration/integration_test.h"

namespace pmufab::integration {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

/// The source of requests.
struct TargetReader : sc_core::sc_module {
  explicit TargetReader(const sc_core::sc_module_name& module_name)
      : sc_core::sc_module(module_name), socket("socket") {}
  tlm_utils::simple_initiator_socket<TargetReader, 64> socket;
};

/// One socket whose root complex 1 has two root ports, with CXL memory below it.
class PcieTgt : public DriverTest {
 protected:
  static constexpr std::uint64_t kRdReq = 2, kAddresses = 1 << 11;
  static constexpr std::uint64_t kBar1 = 0x49'0000'0000, kBar2 = 0x4a'0000'0000;  // below root ports 1 and 2
  static constexpr std::uint64_t kCxl = 0x400'0000'0000;
  static constexpr std::uint64_t kPage0 = 0x1002'2000, kFilters = 0x1003'1000;  // of root complex 1
  static constexpr const char* kName = "nvidia_pcie_tgt_pmu_0_rc_1";
  static constexpr std::uint64_t kMask = ~std::uint64_t{0xffff};
  static constexpr unsigned kSlots = 8;

  static platform::PlatformSpec one_socket() {
    platform::PlatformSpec spec = platform::tegra410_platform();
    spec.sockets = 1;
    spec.cpus_per_socket = 2;
    spec.edit<platform::Tegra410Spec>().clusters = 2;
    spec.edit<platform::Tegra410Spec>().pcie_tgt_pmu.counters = 16;
    spec.edit<platform::Tegra410Spec>().memory = {{kCxl, 1 << 30, 0, MemoryClass::cxl, 1}};
    spec.edit<platform::Tegra410Spec>().slc.cached = {};
    spec.edit<platform::Tegra410Spec>().pcie.root_complexes = {
        {.socket = 0,
         .number = 1,
         .root_ports = {{.number = 1, .bus = 0x80, .devices = {{}}}, {.number = 2, .bus = 0xa0, .devices = {{}}}}},
        {.socket = 0, .number = 2, .root_ports = {{.number = 0, .bus = 0x00, .devices = {}}}}};
    return spec;
  }

  PcieTgt() : machine(std::make_unique<platform::Platform>("platform", one_socket())) {
    gpu.socket.bind(machine->get<platform::Tegra410Part>().socket(0).requests);
    firmware = machine->firmware();
    extension_.requester = RequesterKind::gpu;
    extension_.opcode = FabricOpcode::read_once;
  }
  void boot(std::function<void()> story) { DriverTest::boot(machine->bus(), firmware, std::move(story)); }

  void read(std::uint64_t address, unsigned times = 1) {
    tlm::tlm_generic_payload payload;
    payload.set_extension(&extension_);
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_length(8);
    payload.set_streaming_width(8);
    for (unsigned i = 0; i < times; ++i) {
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      gpu.socket->b_transport(payload, delay);
      EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    }
    payload.clear_extension(&extension_);
  }

  EventHandle open_range(std::uint64_t base, bool pinned = false) {
    perf::PerfAttributes attributes;
    attributes.type = pmu(kName).type;
    attributes.config = kRdReq | kAddresses;
    attributes.config1 = base;
    attributes.config2 = kMask;
    attributes.disabled = false;
    attributes.pinned = pinned;
    return host->open(attributes, 0);
  }
  /// The driver's last write to PMEVFILT2R of any counter.
  std::uint64_t last_filter() {
    std::uint64_t value = ~std::uint64_t{0};
    for (const MmioBus::BusAccess& access : accesses_to(kPage0 + 0x800, 0x200)) {
      if (access.is_write) value = access.data;
    }
    return value;
  }
  /// The enabled address filters.
  unsigned slots_on() {
    unsigned on = 0;
    for (unsigned slot = 0; slot < kSlots; ++slot)
      on |= static_cast<unsigned>(peek(kFilters + 0xd38 + 20 * slot) & 1) << slot;
    return on;
  }
  std::uint64_t slot_base(unsigned slot) {
    return peek(kFilters + 0xd40 + 20 * slot) << 32 | peek(kFilters + 0xd3c + 20 * slot);
  }

  std::unique_ptr<platform::Platform> machine;
  platform::FirmwareDescription firmware;
  TargetReader gpu{"gpu"};

 private:
  FabricExtension extension_;
};
INSTANTIATE_TEST_SUITE_P(linux, PcieTgt, ::testing::ValuesIn(tegra410_driver_sets()), version_name);

// contract C22
TEST_P(PcieTgt, filter_registers_hold_what_the_event_says) {
  boot([&] {
    const auto written = [&](std::uint64_t config, std::uint64_t base, std::uint64_t mask) {
      accesses.clear();
      host->close(open(kName, config, base, mask));
      return last_filter();
    };
    EXPECT_EQ(written(kRdReq, 0, 0), 0xffU);
    for (unsigned port = 0; port < 8; ++port) EXPECT_EQ(written(kRdReq | 8U << port, 0, 0), 1U << port);
    EXPECT_EQ(written(kRdReq | 0xa5 << 3, 0, 0), 0xa5U);
    EXPECT_EQ(written(kRdReq | kAddresses, kBar1, kMask), 0x100U) << "the first address filter, and no root port";
    EXPECT_EQ(written(kRdReq | kAddresses | 0x6 << 3, kBar1, kMask), 0x106U);
  });
}

// contract C22
TEST_P(PcieTgt, an_address_filter_is_switched_on_last_and_off_first) {
  boot([&] {
    const EventHandle event = open(kName, kRdReq | kAddresses, 0x1234'5678'9abc'def0, 0xfedc'ba98'7654'3210);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> writes;
    const auto take = [&] {
      writes.clear();
      for (const MmioBus::BusAccess& access : accesses_to(kFilters, 0x1000)) {
        if (access.is_write) writes.emplace_back(access.address, access.data);
      }
      accesses.clear();
    };
    take();
    EXPECT_THAT(writes, ElementsAre(std::pair(0xd3c, 0x9abc'def0), std::pair(0xd40, 0x1234'5678),
                                    std::pair(0xd44, 0x7654'3210), std::pair(0xd48, 0xfedc'ba98), std::pair(0xd38, 1)));
    for (const auto& [address, data] : writes) EXPECT_EQ(peek(kFilters + address), data) << "all bits are kept";
    host->close(event);
    take();
    EXPECT_THAT(writes, ElementsAre(std::pair(0xd38, 0), std::pair(0xd3c, 0), std::pair(0xd40, 0), std::pair(0xd44, 0),
                                    std::pair(0xd48, 0)));
  });
}

// contract C24: expected to be wrong
TEST_P(PcieTgt, of_two_slots_with_one_address_the_driver_releases_the_wrong_one) {
  boot([&] {
    const EventHandle first = open_range(kBar1, true);
    const EventHandle second = open_range(kBar2, true);
    host->close(first);  // its slot is free, and pinned events keep theirs
    const EventHandle third = open_range(kBar2);
    EXPECT_EQ(slots_on(), 0b11U) << "a slot of its own, though there is an equal one";
    EXPECT_EQ(slot_base(0), slot_base(1));
    read(kBar2, 3);
    EXPECT_EQ(value(second), 3U);
    EXPECT_EQ(value(third), 3U);
    host->close(second);
    EXPECT_EQ(slots_on(), 0b10U) << "right would be 0b01";
    read(kBar2, 4);
    EXPECT_EQ(value(third), 3U) << "right would be 7";
  });
}

/// Firmware with mistakes.
class PcieTgtProbe : public PcieTgt {
 protected:
  /// The device of a root complex's PCIE-TGT PMU.
  platform::AcpiDevice& device(std::uint32_t root_complex = 1) {
    const auto found = std::find_if(firmware.devices.begin(), firmware.devices.end(), [&](const auto& device) {
      const auto instance = device.properties.find("instance_id");
      return device.hid == "NVDA1071" && instance != device.properties.end() && instance->second == root_complex;
    });
    if (found == firmware.devices.end()) throw std::logic_error("no such device");
    return *found;
  }
};
INSTANTIATE_TEST_SUITE_P(linux, PcieTgtProbe, ::testing::ValuesIn(tegra410_driver_sets()), version_name);

// contract C7
TEST_P(PcieTgtProbe, fails_without_the_acpi_device) {
  device().uid = "77";
  boot([&] {
    EXPECT_THAT(pmu_names(), Not(Contains(kName)));
    EXPECT_THAT(pmu_names(), Contains("nvidia_ucf_pmu_0"));
  });
}

// contract C7
TEST_P(PcieTgtProbe, fails_if_another_has_claimed_the_filters) {
  device(2).memory = device(1).memory;
  boot([&] {
    EXPECT_THAT(pmu_names(), Contains(kName));
    EXPECT_THAT(pmu_names(), Not(Contains("nvidia_pcie_tgt_pmu_0_rc_2")));
    EXPECT_GE(logged("failed to get address filter resource"), 1U);
  });
}

}  // namespace
}  // namespace pmufab::integration
