// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tlm/interrupt/interrupt.h"

/// What firmware tells an operating system about a platform: plain data. The platform makes it, the driver host reads
/// it.
namespace pmufab::platform {

/// A range of physical addresses.
struct MemoryResource {
  std::uint64_t base;
  std::uint64_t size;
};

/// A wired interrupt: the number firmware gives it, and the line in the model.
struct InterruptResource {
  std::uint32_t number;  ///< GSIV; also the number the driver host shows
  InterruptLine* line;   ///< not owned; outlives the description
};

/// A CPU as the operating system numbers it.
struct Cpu {
  std::uint32_t uid;            ///< ACPI processor UID
  std::uint32_t container_uid;  ///< UID of the ACPI0010 processor container above it
  std::uint32_t node;           ///< NUMA node, equal to the socket
};

/// A device in the ACPI namespace (Device(), _HID, _UID, _CRS, _DSD), or the equivalent device tree node.
struct AcpiDevice {
  std::string hid;         ///< for example "NVDA2021"; empty for a device tree node
  std::string uid;         ///< decimal or 0x...; before a '/', what it is in: HID:UID, compatible string, container uid
  std::string compatible;  ///< device tree only
  std::vector<MemoryResource> memory;
  std::vector<InterruptResource> interrupts;
  std::map<std::string, std::uint32_t> properties;  ///< _DSD / device tree u32 properties
  /// _DSD integers of more than 32 bits / device tree u64 properties (two cells). Each name is in only one of the two
  /// maps.
  std::map<std::string, std::uint64_t> properties_u64{};
  std::optional<std::uint32_t> node{};  ///< NUMA node: _PXM / numa-node-id

  /// What the ACPI namespace says of a device in place of its compatible string and properties.
  struct AcpiForm {
    std::string hid;
    std::vector<MemoryResource> memory;
  };
  /// Device tree only: for a driver that does not find the device's compatible string in the ACPI namespace (PRP0001).
  std::optional<AcpiForm> in_acpi{};

  /// What a device tree says of a device in place of its hardware id and memory.
  struct TreeForm {
    std::string compatible;
    std::vector<MemoryResource> memory;
    std::map<std::string, std::uint32_t> properties;
  };
  /// ACPI only: if the device has a binding. The driver host does not read it.
  std::optional<TreeForm> in_tree{};
};

/// A node of the ACPI APMT table (Arm DEN0117): one CoreSight PMU.
struct ApmtNode {
  enum class Type : std::uint8_t { memory_controller, smmu, pcie_root, acpi_device, cache };
  std::uint32_t id;  ///< unique, below 2^31
  Type type;
  std::uint64_t instance_primary;  ///< meaning depends on the type; for acpi_device the eight characters of the HID
  std::uint32_t instance_secondary;
  std::uint64_t base0;                                  ///< page 0, 4 KiB
  std::optional<std::uint64_t> base1;                   ///< page 1, 4 KiB: dual-page implementation
  std::optional<InterruptResource> overflow_interrupt;  ///< level or edge as the line says
  bool affinity_is_container;           ///< processor_affinity names a container (true) or a processor (false)
  std::uint32_t processor_affinity;     ///< UID of that container or processor
  bool atomic_64bit;                    ///< 64-bit single-copy atomicity
  std::uint32_t implementation_id = 0;  ///< overrides PMIIDR when not 0
};

/// A host bridge of a PCI Express segment (ACPI MCFG and PNP0A08) with the buses below it. Several bridges may share a
/// segment; each has its own buses. The operating system finds the functions by reading configuration space: firmware
/// has already numbered the buses below bridges and written the base address registers.
struct PciSegment {
  std::uint16_t number;
  std::uint64_t ecam_base;         ///< configuration space of bus 0, even if first_bus is another
  std::uint8_t first_bus = 0;      ///< the root bus
  std::uint8_t last_bus = 0;       ///< configuration space reaches to the end of this bus
  std::optional<unsigned> node{};  ///< NUMA node: _PXM
  bool native_cxl_error = true;    ///< _OSC gives the operating system control of CXL error reporting
  /// Component registers of a host bridge with CXL root ports (ACPI CEDT, CHBS).
  std::optional<MemoryResource> cxl_registers{};
};

/// A window of physical addresses that leads to the CXL devices below one host bridge (ACPI CEDT, CFMWS).
struct CxlWindow {
  std::uint64_t base = 0;     ///< a multiple of 256 MiB
  std::uint64_t size = 0;     ///< bytes, likewise
  std::uint16_t segment = 0;  ///< the host bridge: its PCI segment, where there is one that has cxl_registers
  bool host_only = true;      ///< hosts keep its memory coherent (HDM-H), or else devices, too
};

/// Where functions send message-signalled interrupts (MSI and MSI-X). The operating system chooses the numbers. A
/// message to `doorbell` raises, as an edge, the interrupt whose number is the message's data.
struct MessageInterruptDoorbell {
  std::uint64_t address = 0;
  std::uint32_t first_number = 8192;         ///< numbers below belong to wired interrupts (Arm GIC: LPIs begin at 8192)
  std::uint32_t count = 8192;                ///< count of numbers from first_number on
  std::vector<MessageInterrupt*> sources{};  ///< those of every function; not owned, outlive the description
};

/// Everything firmware tells about a platform.
struct FirmwareDescription {
  std::vector<Cpu> cpus;  ///< index = the operating system's CPU number
  std::vector<ApmtNode> apmt;
  std::vector<AcpiDevice> devices;
  std::vector<PciSegment> pci_segments{};
  std::vector<CxlWindow> cxl_windows{};
  MessageInterruptDoorbell msi{};
  std::map<unsigned, std::uint64_t> memory_of_nodes{};  ///< bytes of the CPUs' memory, by NUMA node
};

}  // namespace pmufab::platform
