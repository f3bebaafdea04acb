// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tlm/firmware/firmware_description.h"

/// A real operating system in QEMU's machine `virt` (gic-version=2, acpi=off) that finds a platform's PMUs.
namespace pmufab::guest {

/// How much of a machine the guest is. It has the platform's NUMA nodes, each with the first CPUs of the platform's.
struct GuestTopology {
  unsigned cpus_per_node = 1;
  std::uint64_t memory_per_node = std::uint64_t{512} << 20;  ///< bytes
};

/// Where the platform's registers and wired interrupts are in the guest.
struct GuestMap {
  /// @return the guest's physical address of the first byte of a range, which may be part of a window
  std::function<std::uint64_t(const platform::MemoryResource& range)> address;
  std::map<std::uint32_t, std::uint32_t> interrupts;  ///< platform's GSIV to the guest's
};

/// What QEMU's -fw_cfg hands to the UEFI firmware, which installs the tables.
struct AcpiBlobs {
  static constexpr const char* kTablesFile = "etc/acpi/tables";
  static constexpr const char* kRsdpFile = "etc/acpi/rsdp";
  static constexpr const char* kLoaderFile = "etc/table-loader";

  std::string tables;
  std::string rsdp;
  std::string loader;  ///< commands in QEMU's linker/loader format: place, link and checksum the other two
};

/// @return the guest's CPUs. CPU i is QEMU's CPU i; each node's follow one another, nodes in ascending order from 0.
/// @throws std::invalid_argument if the guest cannot be: no CPU, more than a GICv2 has room for or than the platform's
/// nodes have, or too little or too much memory.
[[nodiscard]] std::vector<platform::Cpu> guest_cpus(const platform::FirmwareDescription& firmware,
                                                    const GuestTopology& topology);

/// Gives each of the platform's wired interrupts an interrupt of the guest that a message to the GICv2m doorbell raises
/// (qemu_virt::kMessageDoorbell). They are taken from the end: those below the lowest are left to PCI functions.
/// @throws std::invalid_argument if there are too many
[[nodiscard]] std::map<std::uint32_t, std::uint32_t> assign_interrupts(const platform::FirmwareDescription& firmware);

/// Describes the guest to its operating system: the machine as QEMU makes it, the topology, and of the platform its
/// APMT nodes and devices.
///
/// - Interrupts of the platform are edges, whatever their line is, because messages raise them. Drivers do not share
///   them. The interrupts of PCI functions end below the lowest of `map.interrupts`.
/// - A device of the device tree is described as ACPI can: with the hardware id PRP0001 and its `compatible` string, a
///   CMN-600 as ARMHC600.
/// - PCI functions are below QEMU's one host bridge, whose operating system has control of hot plug, PME, AER, and of
///   CXL errors if firmware.pci_segments give that. Segments, configuration space and the message doorbell of the
///   platform are not described. Nothing is given to PCI functions from `kPlatformBegin` on, so that the platform's
///   registers can lie there.
///
/// @throws std::invalid_argument as guest_cpus() does, or if `map` has no or an impossible place for something, or a
/// node of the topology lacks what firmware names
[[nodiscard]] AcpiBlobs make_acpi_tables(const platform::FirmwareDescription& firmware, const GuestTopology& topology,
                                         const GuestMap& map);

/// The guest's addresses for the platform's registers: [kPlatformBegin, kPlatformEnd). QEMU decodes them as PCI memory.
inline constexpr std::uint64_t kPlatformBegin = 0x90'0000'0000;
inline constexpr std::uint64_t kPlatformEnd = 0x100'0000'0000;

}  // namespace pmufab::guest
