// SPDX-License-Identifier: Apache-2.0
// Tables for an operating system in QEMU: the machine, its CPUs and memory, and the platform's PMUs.
#include <functional>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/doors/guest/acpi/acpi_tables.h"
#include "testbench/tests/doors/guest/installed_tables.h"

namespace pmufab::testing {
namespace {

using guest::GuestMap;
using guest::GuestTopology;
using platform::ApmtNode;
using platform::FirmwareDescription;
using platform::MemoryResource;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

std::uint64_t number(std::string_view bytes, std::size_t offset, unsigned width) {
  return InstalledTables::number(bytes, offset, width);
}

/// Two sockets of four CPUs, each with a CoreSight PMU, and a device with its own interrupt.
FirmwareDescription two_sockets() {
  FirmwareDescription firmware;
  for (std::uint32_t cpu = 0; cpu < 8; ++cpu)
    firmware.cpus.push_back({.uid = 100 + cpu, .container_uid = 7 + cpu / 4, .node = cpu / 4});
  for (std::uint32_t socket = 0; socket < 2; ++socket) {
    ApmtNode node{};
    node.id = 40 + socket;
    node.type = ApmtNode::Type::cache;
    node.instance_primary = socket;
    node.base0 = 0x1000'0000 + 0x10'0000 * socket;
    node.affinity_is_container = true;
    node.processor_affinity = 7 + socket;
    firmware.apmt.push_back(node);
  }
  return firmware;
}

/// Moves the platform's addresses behind kPlatformBegin.
GuestMap shifted(const FirmwareDescription& firmware) {
  return {[](const MemoryResource& range) { return guest::kPlatformBegin + range.base; },
          guest::assign_interrupts(firmware)};
}

InstalledTables installed(const FirmwareDescription& firmware, const GuestTopology& topology = {}) {
  return InstalledTables(guest::make_acpi_tables(firmware, topology, shifted(firmware)));
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was wrong";
}

std::string refusal(const FirmwareDescription& firmware, const GuestTopology& topology, const GuestMap& map) {
  return message_of([&] { static_cast<void>(guest::make_acpi_tables(firmware, topology, map)); });
}

TEST(AcpiTables, every_table_is_found_from_the_rsdp_with_a_right_checksum) {
  FirmwareDescription firmware = two_sockets();
  const InstalledTables two_nodes = installed(firmware);
  EXPECT_EQ(two_nodes.signatures(), "FACP APIC PPTT GTDT MCFG SPCR SRAT SLIT APMT ");
  EXPECT_EQ(two_nodes.table_at(number(two_nodes.table("FACP"), 140, 8)).substr(0, 4), "DSDT");
  firmware.cpus.resize(4);
  firmware.apmt.clear();
  EXPECT_EQ(installed(firmware).signatures(), "FACP APIC PPTT GTDT MCFG SPCR ");
}

// The bytes after the headers in the tables that QEMU 11.1.3 makes for -M virt,gic-version=2 -smp 2. Its MSI frame has
// all 64 interrupts; ours has 62, because the platform uses two. Our CPUs have different UIDs.
TEST(AcpiTables, the_machine_is_described_as_qemu_does) {
  FirmwareDescription firmware = two_sockets();
  for (unsigned i = 0; i < 2; ++i) {
    firmware.apmt[i].overflow_interrupt = platform::InterruptResource{300 + i, nullptr};
    firmware.cpus[i * 4].uid = i;
  }
  const InstalledTables tables = installed(firmware);
  EXPECT_EQ(tables.table("GTDT").substr(36), bytes_of("ffffffffffffffff000000001d000000000000001e000000040000001b000000"
                                                      "000000001a00000000000000ffffffffffffffff000000000000000000000000"
                                                      "00000000"));
  EXPECT_EQ(tables.table("MCFG").substr(36), bytes_of("00000000000000000000001040000000000000ff00000000"));
  EXPECT_EQ(tables.table("SPCR").substr(36), bytes_of("03000000002000030000000900000000080021000000030001020000ffffffff"
                                                      "000000000000000000000000"));
  EXPECT_EQ(tables.table("APIC").substr(36), bytes_of("00000000000000000c1800000000000000000008000000000000000002000000"
                                                      "0b50000000000000000000000100000000000000170000000000000000000000"
                                                      "0000010800000000000004080000000000000308000000000000000000000000"
                                                      "000000000000000000000000000000000b500000010000000100000001000000"
                                                      "0000000017000000000000000000000000000108000000000000040800000000"
                                                      "0000030800000000000000000000000000000000010000000000000000000000"
                                                      "0d180000000000000000020800000000010000003e005000"));
  std::string fadt = bytes_of(std::string(2 * 240, '0'));
  fadt[114 - 36] = 0x10;  // hardware reduced
  fadt[129 - 36] = 0x3;   // PSCI, by HVC
  fadt[131 - 36] = 0x3;   // ACPI 6.3
  fadt.replace(268 - 36, 4, "QEMU");
  EXPECT_EQ(tables.table("FACP").substr(36, 104), fadt.substr(0, 104));
  EXPECT_EQ(tables.table("FACP").substr(148), fadt.substr(112));
}

TEST(AcpiTables, cpus_and_memory_are_at_their_nodes) {
  const FirmwareDescription firmware = two_sockets();
  const GuestTopology topology{.cpus_per_node = 2, .memory_per_node = 0x3000'0000};
  const InstalledTables tables = installed(firmware, topology);
  const std::string& madt = tables.table("APIC");
  const std::string& srat = tables.table("SRAT");
  ASSERT_EQ(srat.size(), 48U + 4 * 18 + 2 * 40);
  for (unsigned cpu = 0; cpu < 4; ++cpu) {
    const unsigned uid = std::vector<unsigned>{100, 101, 104, 105}[cpu];
    EXPECT_EQ(number(madt, 68 + 80 * cpu + 8, 4), uid);
    EXPECT_EQ(number(madt, 68 + 80 * cpu + 68, 8), cpu);  // MPIDR
    EXPECT_EQ(number(srat, 48 + 18 * cpu + 2, 4), cpu / 2);
    EXPECT_EQ(number(srat, 48 + 18 * cpu + 6, 4), uid);
  }
  for (unsigned node = 0; node < 2; ++node) {
    const std::size_t at = 48 + 4 * 18 + 40 * node;
    EXPECT_EQ(number(srat, at + 2, 4), node);
    EXPECT_EQ(number(srat, at + 8, 8), 0x4000'0000U + node * 0x3000'0000U);
    EXPECT_EQ(number(srat, at + 16, 8), 0x3000'0000U);
  }
  EXPECT_EQ(tables.table("SLIT").substr(44), "\x0a\x14\x14\x0a");
}

/// The platform of two_sockets() with a CXL host bridge behind another one, and two windows.
FirmwareDescription with_cxl() {
  FirmwareDescription firmware = two_sockets();
  firmware.pci_segments = {
      {.number = 1, .ecam_base = 0x5000'0000},
      {.number = 0, .ecam_base = 0x4000'0000, .cxl_registers = MemoryResource{0x3001'0000, 0x10000}}};
  firmware.cxl_windows = {{.base = 0x100'0000'0000, .size = 0x4000'0000},
                          {.base = 0x200'0000'0000, .size = 0x1000'0000, .host_only = false}};
  return firmware;
}

/// @return the CEDT by CXL 3.1, 9.18.1: a host bridge and two windows that lead to it.
std::string cedt_of(std::uint32_t uid, std::uint64_t registers) {
  const auto hex = [](std::uint64_t value, unsigned bytes) {
    std::string text;
    for (unsigned byte = 0; byte < bytes; ++byte) text += fmt::format("{:02x}", value >> (8 * byte) & 0xff);
    return text;
  };
  return bytes_of(
      "00002000" + hex(uid, 4) + "0100000000000000" + hex(registers, 8) + "0000010000000000" +
      // base, size; one way; host-only coherent, volatile and fixed
      "0100280000000000" + "0000000000010000" + "0000004000000000" + "0000000000000000" + "16000000" + hex(uid, 4) +
      // the other is device coherent
      "0100280000000000" + "0000000000020000" + "0000001000000000" + "0000000000000000" + "15000000" + hex(uid, 4));
}

TEST(AcpiTables, the_cxl_hierarchy_is_described_where_the_guest_has_its_root_ports) {
  FirmwareDescription firmware = with_cxl();
  GuestMap map = shifted(firmware);
  const auto signatures = [&] { return InstalledTables(guest::make_acpi_tables(firmware, {}, map)).signatures(); };
  EXPECT_THAT(signatures(), Not(HasSubstr("CEDT")));
  map.has_cxl_ports = true;
  EXPECT_THAT(signatures(), HasSubstr("CEDT"));
  EXPECT_EQ(InstalledTables(guest::make_acpi_tables(firmware, {}, map)).table("CEDT").substr(36),
            cedt_of(0, guest::kPlatformBegin + 0x3001'0000));
  // Linux makes nodes of the windows, so it must know that of the memory, also if there is one alone.
  firmware.cpus.resize(4);
  firmware.apmt.clear();
  EXPECT_EQ(signatures(), "FACP APIC PPTT GTDT MCFG SPCR SRAT CEDT ");
  firmware.cxl_windows[0].base = guest::kPlatformEnd - 0x1000'0000;  // where the guest has PCI functions
  EXPECT_EQ(signatures(), "FACP APIC PPTT GTDT MCFG SPCR ");
}

TEST(AcpiTables, a_platforms_own_tables_have_its_cxl_host_bridge_with_its_own_addresses) {
  std::string found;
  for (const guest::AcpiTable& table : guest::make_platform_tables(with_cxl())) {
    if (table.signature == "CEDT") found = table.bytes.substr(36);
  }
  EXPECT_EQ(found, cedt_of(1, 0x3001'0000));
}

TEST(AcpiTables, a_package_has_the_uid_of_the_processor_container) {
  const InstalledTables tables = installed(two_sockets(), {.cpus_per_node = 2});
  const std::string& pptt = tables.table("PPTT");
  struct Node {
    unsigned flags, parent, uid;
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;
  for (std::size_t at = 36; at < pptt.size(); at += 20) {
    EXPECT_EQ(number(pptt, at, 2), 20U << 8);
    nodes.push_back({static_cast<unsigned>(number(pptt, at + 4, 4)), static_cast<unsigned>(number(pptt, at + 8, 4)),
                     static_cast<unsigned>(number(pptt, at + 12, 4))});
  }
  constexpr unsigned kPackage = 3;
  constexpr unsigned kLeaf = 10;
  EXPECT_THAT(nodes, ElementsAre(Node{kPackage, 0, 7}, Node{kLeaf, 36, 100}, Node{kLeaf, 36, 101}, Node{kPackage, 0, 8},
                                 Node{kLeaf, 96, 104}, Node{kLeaf, 96, 105}));
}

// Laid out as in Arm DEN0117, and as drivers/acpi/arm64/apmt.c reads it.
TEST(AcpiTables, apmt_nodes_tell_pages_interrupt_affinity_and_identity) {
  FirmwareDescription firmware = two_sockets();
  ApmtNode& full = firmware.apmt[1];
  full.type = ApmtNode::Type::acpi_device;
  full.instance_primary = 0x3137'3031'4144'564e;  // "NVDA1071"
  full.instance_secondary = 9;
  full.base1 = 0x1010'1000;
  full.overflow_interrupt = platform::InterruptResource{384, nullptr};
  full.affinity_is_container = false;
  full.processor_affinity = 104;
  full.atomic_64bit = true;
  full.implementation_id = 0x1070'036b;
  const InstalledTables tables = installed(firmware);
  const std::string& apmt = tables.table("APMT");
  ASSERT_EQ(apmt.size(), 36U + 2 * 56);
  const std::string_view plain = std::string_view(apmt).substr(36, 56);
  const std::string_view rich = std::string_view(apmt).substr(92, 56);
  EXPECT_EQ(number(plain, 0, 2), 56U);
  EXPECT_EQ(plain[2], 2);  // no page 1, container, no atomic access
  EXPECT_EQ(plain[3], 4);
  EXPECT_EQ(number(plain, 4, 4), 40U);
  EXPECT_EQ(number(plain, 8, 8), 0U);
  EXPECT_EQ(number(plain, 20, 8), 0x90'1000'0000U);
  EXPECT_EQ(number(plain, 28, 8), 0U);
  EXPECT_EQ(number(plain, 36, 4), 0U);
  EXPECT_EQ(number(plain, 48, 4), 7U);
  EXPECT_EQ(number(plain, 52, 4), 0U);
  EXPECT_EQ(rich[2], 5);  // page 1, processor, atomic access
  EXPECT_EQ(rich[3], 3);
  EXPECT_EQ(number(rich, 4, 4), 41U);
  EXPECT_EQ(rich.substr(8, 8), "NVDA1071");
  EXPECT_EQ(number(rich, 16, 4), 9U);
  EXPECT_EQ(number(rich, 20, 8), 0x90'1010'0000U);
  EXPECT_EQ(number(rich, 28, 8), 0x90'1010'1000U);
  EXPECT_EQ(number(rich, 36, 4), 143U);
  EXPECT_EQ(number(rich, 44, 4), 1U);  // edge
  EXPECT_EQ(number(rich, 48, 4), 104U);
  EXPECT_EQ(number(rich, 52, 4), 0x1070'036bU);
}

// Laid out as in ACPI 6.5 and Arm DEN0117.
TEST(AcpiTables, tables_of_the_platform_have_its_own_addresses_interrupts_and_cpus) {
  InterruptLine level("level");
  InterruptLine edge("edge", InterruptTrigger::edge);
  FirmwareDescription firmware = two_sockets();
  firmware.apmt[0].overflow_interrupt = platform::InterruptResource{288, &level};
  firmware.apmt[1].overflow_interrupt = platform::InterruptResource{289, &edge};
  firmware.pci_segments = {{.number = 3, .ecam_base = 0x5000'0000, .first_bus = 2, .last_bus = 6}};
  std::map<std::string, std::string> tables;
  std::string order;
  for (const guest::AcpiTable& table : guest::make_platform_tables(firmware)) {
    order += table.signature + " ";
    EXPECT_EQ(table.bytes.substr(0, 4), table.signature);
    EXPECT_EQ(number(table.bytes, 4, 4), table.bytes.size());
    unsigned sum = 0;
    for (const char byte : table.bytes) sum += static_cast<unsigned char>(byte);
    EXPECT_EQ(sum % 256, 0U) << table.signature;
    tables[table.signature] = table.bytes;
  }
  EXPECT_EQ(order, "DSDT PPTT SRAT MCFG APMT ");
  for (unsigned socket = 0; socket < 2; ++socket) {
    const std::string_view node = std::string_view(tables.at("APMT")).substr(36 + 56 * socket, 56);
    EXPECT_EQ(number(node, 20, 8), 0x1000'0000U + 0x10'0000U * socket);
    EXPECT_EQ(number(node, 36, 4), 288 + socket);
    EXPECT_EQ(number(node, 44, 4), socket) << "0 is a level, 1 an edge";
    EXPECT_EQ(number(node, 48, 4), 7 + socket);
  }
  const std::string& srat = tables.at("SRAT");
  ASSERT_EQ(srat.size(), 48U + 8 * 18) << "all processors, and no memory";
  for (unsigned cpu = 0; cpu < 8; ++cpu) {
    EXPECT_EQ(number(srat, 48 + 18 * cpu + 2, 4), cpu / 4);
    EXPECT_EQ(number(srat, 48 + 18 * cpu + 6, 4), 100 + cpu);
  }
  EXPECT_EQ(tables.at("PPTT").size(), 36U + 10 * 20) << "two packages of four";
  EXPECT_EQ(tables.at("MCFG").substr(36), bytes_of("0000000000000000"
                                                   "0000005000000000"
                                                   "0300020600000000"));
}

TEST(AcpiTables, wired_interrupts_are_the_last_that_messages_raise) {
  FirmwareDescription firmware = two_sockets();
  EXPECT_TRUE(guest::assign_interrupts(firmware).empty());
  firmware.apmt[0].overflow_interrupt = platform::InterruptResource{384, nullptr};
  platform::AcpiDevice device;
  device.hid = "ARMHC700";
  device.uid = "0";
  device.interrupts = {{320, nullptr}, {321, nullptr}, {320, nullptr}};
  firmware.devices.push_back(device);
  EXPECT_THAT(guest::assign_interrupts(firmware), ElementsAre(Pair(320, 141), Pair(321, 142), Pair(384, 143)));
  device.interrupts.clear();
  for (unsigned i = 0; i < 56; ++i) device.interrupts.push_back({400 + i, nullptr});
  firmware.devices = {device};
  EXPECT_THAT(message_of([&] { static_cast<void>(guest::assign_interrupts(firmware)); }),
              HasSubstr("57 wired interrupts, and a guest has room for 56"));
}

TEST(AcpiTables, a_guest_that_cannot_be_is_refused) {
  const FirmwareDescription firmware = two_sockets();
  const auto refused = [&](unsigned cpus, std::uint64_t memory) {
    return message_of([&] { static_cast<void>(guest::guest_cpus(firmware, {cpus, memory})); });
  };
  constexpr std::uint64_t kGib = 1 << 30;
  EXPECT_EQ(refused(4, 100 * kGib), "nothing was wrong");
  EXPECT_THAT(refused(0, kGib), HasSubstr("needs a CPU at each node"));
  EXPECT_THAT(refused(5, kGib), HasSubstr("5 CPUs at each of 2 nodes"));
  EXPECT_THAT(refused(5, kGib), HasSubstr("use 4 at each or fewer"));
  EXPECT_THAT(refused(1, 0), HasSubstr("0 bytes of memory"));
  EXPECT_THAT(refused(1, 128 * kGib), HasSubstr("of memory at each of 2 nodes"));
  FirmwareDescription small = firmware;
  small.cpus.erase(small.cpus.begin(), small.cpus.begin() + 2);
  EXPECT_THAT(message_of([&] {
                static_cast<void>(guest::guest_cpus(small, {3, kGib}));
              }),
              HasSubstr("node 0 of the platform has 2 CPUs, so the guest cannot have 3"));
  small.cpus.clear();
  EXPECT_THAT(message_of([&] { static_cast<void>(guest::guest_cpus(small, {})); }), HasSubstr("has no CPU"));
}

TEST(AcpiTables, a_place_registers_or_interrupts_cannot_have_is_refused) {
  FirmwareDescription firmware = two_sockets();
  firmware.apmt[0].overflow_interrupt = platform::InterruptResource{300, nullptr};
  firmware.apmt[1].overflow_interrupt = platform::InterruptResource{301, nullptr};
  GuestMap map = shifted(firmware);
  EXPECT_EQ(refusal(firmware, {}, map), "nothing was wrong");
  map.interrupts = {{300, 143}};
  EXPECT_THAT(refusal(firmware, {}, map), HasSubstr("interrupt 301 of the platform has no number"));
  map.interrupts = {{300, 143}, {301, 143}};
  EXPECT_THAT(refusal(firmware, {}, map), HasSubstr("interrupts 300 and 301 of the platform would both be 143"));
  map.interrupts = {{300, 143}, {301, 79}};
  EXPECT_THAT(refusal(firmware, {}, map),
              HasSubstr("301 of the platform would be 79 in the guest; messages can raise only 80 ... 143"));
  map.interrupts = {{300, 143}, {301, 144}};
  EXPECT_THAT(refusal(firmware, {}, map), HasSubstr("would be 144"));
  map = shifted(firmware);
  map.address = [](const MemoryResource& range) { return range.base; };
  EXPECT_THAT(refusal(firmware, {}, map), HasSubstr("registers at 0x10000000 (0x1000 bytes) would be at 0x10000000"));
  map.address = [](const MemoryResource&) { return guest::kPlatformEnd - 0x800; };
  EXPECT_THAT(refusal(firmware, {}, map), HasSubstr("outside 0x9000000000 ... 0xffffffffff"));
}

TEST(AcpiTables, a_pmu_without_a_cpu_or_a_device_without_its_node_is_refused) {
  FirmwareDescription firmware = two_sockets();
  firmware.apmt[0].affinity_is_container = false;
  firmware.apmt[0].processor_affinity = 101;
  EXPECT_THAT(refusal(firmware, {.cpus_per_node = 1}, shifted(firmware)),
              HasSubstr("APMT node 40 belongs to processor 101, which has no CPU in the guest"));
  EXPECT_EQ(refusal(firmware, {.cpus_per_node = 2}, shifted(firmware)), "nothing was wrong");
  firmware.apmt[0].affinity_is_container = true;
  EXPECT_THAT(refusal(firmware, {.cpus_per_node = 4}, shifted(firmware)), HasSubstr("processor container 101"));
  firmware = two_sockets();
  platform::AcpiDevice device;
  device.hid = "NVDA2021";
  device.uid = "2";
  device.node = 2;
  firmware.devices.push_back(device);
  EXPECT_THAT(refusal(firmware, {}, shifted(firmware)),
              HasSubstr("device NVDA2021 2 is at NUMA node 2; the guest has 2"));
}

}  // namespace
}  // namespace pmufab::testing
