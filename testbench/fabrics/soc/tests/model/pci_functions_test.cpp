// SPDX-License-Identifier: Apache-2.0
// A described PMU that is a PCI function: configuration space, registers behind a BAR, and messages. One that writes messages
// by itself, and one with two lines.
#include <cstdint>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/platform/platform.h"
#include "models/soc/part/pci_places.h"
#include "models/soc/part/soc_part.h"
#include "models/soc/part/soc_rows.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::pci_functions_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr std::uint64_t kBar = 0x1000'2000'0000;  // on socket 1
constexpr std::uint64_t kDoorbell = 0x30'0000'0040;
constexpr std::uint64_t kEcam = platform::default_map::kSocEcam + platform::default_map::kPcieEcamOfSegment;
constexpr std::uint64_t kFunction = kEcam + (0x20U << 20) + (0x1eU << 15);
constexpr std::uint64_t kBelow = kEcam + (0x21U << 20);

soc::RegisterDescription reg(const char* name, std::uint32_t offset, soc::Role role) {
  soc::RegisterDescription its;
  its.name = name;
  its.offset = offset;
  its.fields.emplace_back().name = name;
  its.fields.front().role = role;
  its.fields.front().bits = {0, role == soc::Role::counter ? 32U : 1U};
  return its;
}

/// Two sockets, each with a PMU of one counter of cycles on segment 3 plus its number, and a root port with an endpoint.
platform::PlatformSpec spec() {
  platform::PlatformSpec spec;
  spec.sockets = 2;
  spec.cpus_per_socket = 1;
  soc::PmuDescription& pmu = spec.edit<platform::SocSpec>().pmus.emplace_back();
  pmu.name = "pcie";
  pmu.perf_name = "acme{socket}";
  pmu.counters = 1;
  pmu.width = 16;
  pmu.cycle_counter = false;
  pmu.interrupt = soc::InterruptDescription{.trigger = InterruptTrigger::edge, .message = 2};
  pmu.events = {{"cycles", 0, soc::EventDescription::Counts::cycles, 0, 0, {}}};
  soc::RegisterMap& map = pmu.map.emplace();
  map.windows = {{.name = "", .base = 0x2000'0000, .size = 0x2000, .bar = 2}};
  map.registers = {reg("COUNTER", 0, soc::Role::counter), reg("STATUS", 4, soc::Role::overflow)};
  map.device.module = "acme";
  map.device.pci = {.segment = 3, .bus = 0x20, .device = 0x1e, .vendor_id = 0x19e5, .device_id = 0xa12d};
  map.device.pci_others = {{.segment = 3, .bus = 0x20, .vendor_id = 0x19e5, .device_id = 1, .bus_below = 0x21},
                           {.segment = 3, .bus = 0x21, .vendor_id = 0x19e5, .device_id = 2}};
  return spec;
}

class PciFunctions : public testing::SimulationTest {
 protected:
  PciFunctions() {
    cpu.socket.bind(platform.bus().socket);
    for (MessageInterrupt* const source : platform.firmware().msi.sources)
      source->listen([&](std::uint64_t address, std::uint32_t data) { messages.emplace_back(address, data); });
  }
  /// As an operating system does. The capability of MSI is the first or second in the list.
  void enable_messages() {
    std::uint64_t at = kFunction + (cpu.get32(kFunction + 0x34) & 0xff);
    while ((cpu.get32(at) & 0xff) != 5) at = kFunction + (cpu.get32(at) >> 8 & 0xff);
    cpu.put32(at + 4, kDoorbell & 0xffff'ffffU);
    cpu.put32(at + 8, kDoorbell >> 32);
    cpu.put32(at + 12, 0x2000);
    cpu.put32(at, 0x0021'0005);  // enabled, with four vectors
  }

  platform::Platform platform{"platform", spec()};
  testing::Initiator cpu{"cpu"};
  std::vector<std::pair<std::uint64_t, std::uint32_t>> messages;
};

TEST_F(PciFunctions, software_finds_them_by_configuration_space) {
  ASSERT_EQ(platform.firmware().pci_segments.size(), 2U);
  EXPECT_EQ(platform.firmware().pci_segments[1].number, 4U);
  EXPECT_EQ(platform.firmware().pci_segments[1].first_bus, 0x20U);
  EXPECT_EQ(platform.firmware().pci_segments[1].last_bus, 0x21U);
  EXPECT_TRUE(platform.firmware().devices.empty());
  run([&] {
    EXPECT_EQ(cpu.get32(kFunction), 0xa12d'19e5U);
    EXPECT_EQ(cpu.get32(kFunction + 8) >> 8, 0x11'0100U);
    EXPECT_EQ(cpu.get32(kFunction + 0x18) & ~0xfU, kBar & 0xffff'ffffU);
    EXPECT_EQ(cpu.get32(kFunction + 0x1c), kBar >> 32);
    EXPECT_EQ(cpu.get32(kEcam + (0x20U << 20)), 0x0001'19e5U) << "the root port";
    EXPECT_EQ(cpu.get32(kBelow), 0x0002'19e5U) << "the endpoint below it";
    EXPECT_EQ(cpu.get32(kBelow + (1U << 15)), ~0U) << "there is no other";
  });
}

TEST_F(PciFunctions, an_overflow_sends_the_message_and_a_reset_keeps_the_address) {
  run([&] {
    enable_messages();
    cpu.put32(kBar, 0xfff0);
    sc_core::wait(100, sc_core::SC_NS);
    EXPECT_EQ(cpu.get32(kBar + 4), 1U);
    EXPECT_THAT(messages, ElementsAre(Pair(kDoorbell, 0x2002U)));
    platform.reset();
    EXPECT_EQ(cpu.get32(kBar + 4), 0U);
    EXPECT_LT(cpu.get32(kBar), 100U);
  });
}

/// The same PMU as a device that writes messages by itself, at an address and with data that registers hold.
class MessageWriter : public testing::SimulationTest {
 protected:
  static platform::PlatformSpec writer() {
    platform::PlatformSpec made = spec();
    soc::PmuDescription& pmu = made.edit<platform::SocSpec>().pmus.front();
    pmu.interrupt->message.reset();
    pmu.interrupt->written = {.address = 2, .data = 3};
    pmu.map->device.pci.reset();
    pmu.map->device.pci_others.clear();
    pmu.map->device.compatible = "acme,bridge";
    pmu.map->windows.front().bar = 0;
    for (const auto& [name, offset] : {std::pair("ADDRESS", 8U), std::pair("DATA", 16U)}) {
      soc::RegisterDescription& made_reg = pmu.map->registers.emplace_back(reg(name, offset, soc::Role::keeps));
      made_reg.width = made_reg.fields.front().bits.width = 64;
    }
    return made;
  }

  platform::Platform platform{"platform", writer()};
  testing::Initiator cpu{"cpu"};
};

TEST_F(MessageWriter, an_overflow_sends_what_registers_hold_and_nothing_without_an_address) {
  cpu.socket.bind(platform.bus().socket);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> messages;
  ASSERT_EQ(platform.firmware().msi.sources.size(), 2U);
  EXPECT_TRUE(platform.firmware().devices[1].interrupts.empty());
  platform.firmware().msi.sources[1]->listen(
      [&](std::uint64_t address, std::uint32_t data) { messages.emplace_back(address, data); });
  run([&] {
    cpu.put32(kBar, 0xfff0);
    sc_core::wait(100, sc_core::SC_NS);
    EXPECT_EQ(cpu.get32(kBar + 4), 1U);
    EXPECT_TRUE(messages.empty());
    cpu.put32(kBar + 4, 1);
    cpu.put64(kBar + 8, kDoorbell);
    cpu.put64(kBar + 16, 0x2001);
    cpu.put32(kBar, 0xfff0);
    sc_core::wait(100, sc_core::SC_NS);
    EXPECT_THAT(messages, ElementsAre(Pair(kDoorbell, 0x2001U)));
  });
}

/// The same PMU as a device with two counters of cycles, each with a line.
class TwoLines : public testing::SimulationTest {
 protected:
  static platform::PlatformSpec two() {
    platform::PlatformSpec made = spec();
    soc::PmuDescription& pmu = made.edit<platform::SocSpec>().pmus.front();
    pmu.counters = 2;
    pmu.events.push_back({"more", 1, soc::EventDescription::Counts::cycles, 0, 0, {}});
    pmu.interrupt = soc::InterruptDescription{.lines = {{200, {1, 1}}, {204, {0, 1}}}};
    soc::RegisterMap& map = *pmu.map;
    map.device.pci.reset();
    map.device.pci_others.clear();
    map.device.compatible = "acme,bridge";
    map.windows.front().bar = 0;
    map.registers[0].count = 2;
    map.registers[0].stride = 4;
    map.registers[1].offset = 8;
    map.registers[1].fields.front().bits = {0, 2};
    return made;
  }

  platform::Platform platform{"platform", two()};
  testing::Initiator cpu{"cpu"};
};

TEST_F(TwoLines, firmware_has_each_and_a_counter_drives_its_own) {
  cpu.socket.bind(platform.bus().socket);
  const auto& interrupts = platform.firmware().devices.at(1).interrupts;
  ASSERT_EQ(interrupts.size(), 2U);
  EXPECT_EQ(interrupts[0].number, 201U);
  EXPECT_EQ(interrupts[1].number, 205U);
  run([&] {
    for (const unsigned counter : {0U, 1U}) {
      cpu.put32(kBar + std::uint64_t{4} * counter, 0xfff0);
      sc_core::wait(100, sc_core::SC_NS);
      EXPECT_EQ(interrupts[0].line->is_high(), counter == 1);
      EXPECT_EQ(interrupts[1].line->is_high(), counter == 0);
      EXPECT_FALSE(platform.firmware().devices[0].interrupts[1].line->is_high()) << "that of the other socket";
      cpu.put32(kBar + 8, 3);
    }
  });
}

}  // namespace
}  // namespace pmufab::pci_functions_test
