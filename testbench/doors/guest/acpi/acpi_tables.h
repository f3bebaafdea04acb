// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "testbench/doors/guest/guest_map.h"
#include "tlm/firmware/firmware_description.h"

/// A real operating system in QEMU's machine `virt` (gic-version=2, acpi=off), whose drivers find a platform's PMUs.
namespace pmufab::guest {

/// The size of the guest. It has the platform's NUMA nodes. Each has the first CPUs of the platform's node.
struct GuestTopology {
  unsigned cpus_per_node = 1;
  std::uint64_t memory_per_node = std::uint64_t{512} << 20;  ///< bytes
};

/// The files that QEMU's -fw_cfg hands to the UEFI firmware. The firmware installs the tables in them.
struct AcpiBlobs {
  static constexpr const char* kTablesFile = "etc/acpi/tables";
  static constexpr const char* kRsdpFile = "etc/acpi/rsdp";
  static constexpr const char* kLoaderFile = "etc/table-loader";

  std::string tables;
  std::string rsdp;
  std::string loader;  ///< commands in QEMU's linker/loader format: place, link and checksum the other two
};

/// @return the guest's CPUs. CPU i is QEMU's CPU i. The CPUs are sorted by node, from node 0 up.
/// @throws std::invalid_argument if such a guest is impossible: no CPU, more CPUs than a GICv2 serves or the platform's
/// nodes have, or too little or too much memory.
[[nodiscard]] std::vector<platform::Cpu> guest_cpus(const platform::FirmwareDescription& firmware,
                                                    const GuestTopology& topology);

/// Describes the guest to its operating system: the machine as QEMU makes it, the topology, and the platform's APMT
/// nodes and devices.
///
/// - Interrupts of the platform are edges, whatever their lines are, because messages raise them. Drivers do not share
///   them. The interrupts of PCI functions end below the lowest of `map.interrupts`.
/// - A device of the device tree gets the hardware id PRP0001 and its `compatible` string; a CMN-600 is an ARMHC600.
/// - PCI functions are below QEMU's one host bridge. The operating system gets control of hot plug, PME and AER, and of
///   CXL errors if firmware.pci_segments allow that. Segments, configuration space and the message doorbell of the
///   platform are not described. PCI functions get no addresses from `kPlatformBegin` on: the platform's registers lie
///   there.
/// - With `map.has_cxl_ports`, and if no window of CXL memory lies where the guest has something else, there are a CEDT
///   and an ACPI0017, to which the operating system's driver of the CXL hierarchy binds. The windows are the platform's,
///   because decoders of devices hold its addresses. Each is a NUMA node to the operating system. No memory is there.
///
/// @throws std::invalid_argument as guest_cpus() does, or if `map` has no place or an impossible one for something, or
/// if a node of the topology lacks something that firmware names
[[nodiscard]] AcpiBlobs make_acpi_tables(const platform::FirmwareDescription& firmware, const GuestTopology& topology,
                                         const GuestMap& map);

/// A whole ACPI table, with its checksum.
struct AcpiTable {
  std::string signature;
  std::string bytes;
};

/// Describes the platform itself, with its own addresses and interrupts and all its CPUs, as far as `firmware` does:
/// DSDT (processors and their containers, PCI host bridges, devices), PPTT, SRAT for processors of several nodes, MCFG,
/// CEDT (CXL host bridges and windows) and APMT. It has no description of memory, interrupt controllers, timers or the
/// memory windows of host bridges, so no table has them.
[[nodiscard]] std::vector<AcpiTable> make_platform_tables(const platform::FirmwareDescription& firmware);
/// The signatures of all tables that it makes for one platform or another.
inline constexpr std::array<const char*, 6> kPlatformTables = {"DSDT", "PPTT", "SRAT", "MCFG", "CEDT", "APMT"};

/// The guest's addresses for the platform's registers: [kPlatformBegin, kPlatformEnd). QEMU decodes them as PCI memory.
inline constexpr std::uint64_t kPlatformBegin = 0x90'0000'0000;
inline constexpr std::uint64_t kPlatformEnd = 0x100'0000'0000;

}  // namespace pmufab::guest
