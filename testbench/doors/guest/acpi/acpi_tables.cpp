// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/acpi/acpi_tables.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "testbench/doors/guest/acpi/byte_writer.h"
#include "testbench/doors/guest/acpi/dsdt.h"
#include "testbench/doors/guest/acpi/table_set.h"
#include "testbench/doors/guest/qemu_virt.h"

namespace pmufab::guest {
namespace {

using platform::ApmtNode;
using platform::Cpu;
using platform::FirmwareDescription;
using platform::MemoryResource;

template <typename... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> text, Values&&... values) {
  throw std::invalid_argument(fmt::format(text, std::forward<Values>(values)...));
}

std::uint32_t nodes_of(const std::vector<Cpu>& cpus) {
  std::uint32_t count = 0;
  for (const Cpu& cpu : cpus) count = std::max(count, cpu.node + 1);
  return count;
}

/// @return the places of `map`, refusing addresses outside the range for the platform's registers.
Places checked(const GuestMap& map) {
  const auto address = [&map](const MemoryResource& range) {
    const std::uint64_t in_guest = map.address(range);
    if (in_guest < kPlatformBegin || in_guest >= kPlatformEnd || range.size > kPlatformEnd - in_guest) {
      refuse("registers at {:#x} ({:#x} bytes) would be at {:#x} in the guest, outside {:#x} ... {:#x}", range.base,
             range.size, in_guest, kPlatformBegin, kPlatformEnd - 1);
    }
    return in_guest;
  };
  const auto interrupt = [&map](const platform::InterruptResource& resource) {
    return Places::Interrupt{map.interrupts.at(resource.number), true};
  };
  return {address, interrupt};
}

/// The platform's own addresses and interrupts.
Places own_places() {
  return {[](const MemoryResource& range) { return range.base; },
          [](const platform::InterruptResource& interrupt) {
            const bool is_edge = interrupt.line != nullptr && interrupt.line->trigger() == InterruptTrigger::edge;
            return Places::Interrupt{interrupt.number, is_edge};
          }};
}

void check_affinity(const FirmwareDescription& firmware, const std::vector<Cpu>& cpus) {
  for (const ApmtNode& node : firmware.apmt) {
    const bool has_cpu = std::ranges::any_of(cpus, [&](const Cpu& cpu) {
      return (node.affinity_is_container ? cpu.container_uid : cpu.uid) == node.processor_affinity;
    });
    if (!has_cpu) {
      refuse("APMT node {} belongs to {} {}, which has no CPU in the guest; give the guest more CPUs of each node",
             node.id, node.affinity_is_container ? "processor container" : "processor", node.processor_affinity);
    }
  }
  for (const platform::AcpiDevice& device : firmware.devices) {
    if (device.node && *device.node >= nodes_of(cpus)) {
      refuse("device {} {} is at NUMA node {}; the guest has {}", device.hid.empty() ? device.compatible : device.hid,
             device.uid, *device.node, nodes_of(cpus));
    }
  }
}

std::string fadt() {
  constexpr std::uint32_t kHardwareReduced = 1U << 20;
  constexpr std::uint16_t kPsciByHypervisorCall = 3;
  ByteWriter body;
  body.zeros(76).u32(kHardwareReduced).zeros(13).u16(kPsciByHypervisorCall).u8(3);  // revision 6.3
  body.zeros(8).u64(0).zeros(120).text("QEMU", 8);
  return with_header("FACP", 6, body.bytes());
}
constexpr std::size_t kFadtDsdt = 140;

std::string madt(const std::vector<Cpu>& cpus, std::uint32_t message_interrupts) {
  constexpr std::uint32_t kEnabled = 1;
  constexpr std::uint32_t kInterruptsGivenHere = 1;
  ByteWriter body;
  body.u32(0).u32(0);
  body.u8(0x0c).u8(24).zeros(2).u32(0).u64(qemu_virt::kGicDistributor).u32(0).u8(2).zeros(3);
  for (std::uint32_t index = 0; index < cpus.size(); ++index) {
    body.u8(0x0b).u8(80).zeros(2).u32(index).u32(cpus[index].uid).u32(kEnabled).u32(0).u32(qemu_virt::kPmuInterrupt);
    body.u64(0).u64(qemu_virt::kGicCpuInterface).u64(qemu_virt::kGicVirtualCpuInterface);
    body.u64(qemu_virt::kGicHypervisorInterface).u32(0).u64(0);
    body.u64(index).zeros(4);  // MPIDR: eight CPUs need affinity level 0 only
  }
  body.u8(0x0d).u8(24).zeros(2).u32(0).u64(qemu_virt::kMessageFrame).u32(kInterruptsGivenHere);
  body.u16(static_cast<std::uint16_t>(message_interrupts)).u16(qemu_virt::kFirstMessageInterrupt);
  return with_header("APIC", 4, body.bytes());
}

std::string gtdt() {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  constexpr std::uint32_t kAlwaysOn = 4;
  ByteWriter body;
  body.u64(kNone).u32(0);
  body.u32(qemu_virt::kSecureTimerInterrupt).u32(0);
  body.u32(qemu_virt::kTimerInterrupt).u32(kAlwaysOn);
  body.u32(qemu_virt::kVirtualTimerInterrupt).u32(0);
  body.u32(qemu_virt::kHypervisorTimerInterrupt).u32(0);
  body.u64(kNone).u32(0).u32(0).u32(0).u32(0);
  return with_header("GTDT", 3, body.bytes());
}

std::string mcfg(const std::vector<platform::PciSegment>& segments) {
  ByteWriter body;
  body.u64(0);
  for (const platform::PciSegment& segment : segments)
    body.u64(segment.ecam_base).u16(segment.number).u8(segment.first_bus).u8(segment.last_bus).u32(0);
  return with_header("MCFG", 1, body.bytes());
}

std::string spcr() {
  constexpr std::uint8_t kPl011 = 3;
  constexpr std::uint8_t kGic = 8;
  constexpr std::uint8_t k9600Baud = 3;
  constexpr std::uint8_t kOneStopBit = 1;
  constexpr std::uint8_t kHardwareFlowControl = 2;
  constexpr std::uint16_t kNotPci = 0xffff;
  ByteWriter body;
  body.u8(kPl011).zeros(3).u8(0).u8(32).u8(0).u8(3).u64(qemu_virt::kUart);
  body.u8(kGic).u8(0).u32(qemu_virt::kUartInterrupt);
  body.u8(k9600Baud).u8(0).u8(kOneStopBit).u8(kHardwareFlowControl).zeros(2).u16(kNotPci).u16(kNotPci).zeros(12);
  return with_header("SPCR", 2, body.bytes());
}

/// A package for each container, with its CPUs below.
std::string pptt(const std::vector<Cpu>& cpus) {
  constexpr std::uint32_t kPackage = 1;
  constexpr std::uint32_t kUidIsValid = 2;
  constexpr std::uint32_t kLeaf = 8;
  constexpr std::size_t kHeaderSize = 36;
  ByteWriter body;
  const auto node = [&body](std::uint32_t flags, std::size_t parent, std::uint32_t uid) {
    body.u8(0).u8(20).zeros(2).u32(flags).u32(static_cast<std::uint32_t>(parent)).u32(uid).u32(0);
  };
  std::size_t parent = 0;
  for (std::size_t index = 0; index < cpus.size(); ++index) {
    if (index == 0 || cpus[index].container_uid != cpus[index - 1].container_uid) {
      parent = kHeaderSize + body.size();
      node(kPackage | kUidIsValid, 0, cpus[index].container_uid);
    }
    node(kUidIsValid | kLeaf, parent, cpus[index].uid);
  }
  return with_header("PPTT", 2, body.bytes());
}

/// @param memory_per_node  0: memory is not described
std::string srat(const std::vector<Cpu>& cpus, std::uint64_t memory_per_node) {
  constexpr std::uint32_t kEnabled = 1;
  ByteWriter body;
  body.u32(1).u64(0);
  for (const Cpu& cpu : cpus) body.u8(3).u8(18).u32(cpu.node).u32(cpu.uid).u32(kEnabled).u32(0);
  for (std::uint32_t node = 0; memory_per_node != 0 && node < nodes_of(cpus); ++node) {
    body.u8(1).u8(40).u32(node).u16(0).u64(qemu_virt::kMemory + node * memory_per_node).u64(memory_per_node);
    body.u32(0).u32(kEnabled).u64(0);
  }
  return with_header("SRAT", 3, body.bytes());
}

std::string slit(std::uint32_t nodes) {
  constexpr std::uint8_t kHere = 10;
  constexpr std::uint8_t kElsewhere = 20;
  ByteWriter body;
  body.u64(nodes);
  for (std::uint32_t from = 0; from < nodes; ++from) {
    for (std::uint32_t to = 0; to < nodes; ++to) body.u8(from == to ? kHere : kElsewhere);
  }
  return with_header("SLIT", 1, body.bytes());
}

/// CXL 3.1, 9.18.1.
/// @param uid_of  the _UID of the host bridge with this index in firmware.pci_segments
std::string cedt(const FirmwareDescription& firmware, const Places& places,
                 const std::function<std::uint32_t(std::size_t)>& uid_of) {
  constexpr std::uint8_t kHostBridge = 0;
  constexpr std::uint8_t kWindow = 1;
  constexpr std::uint16_t kHostBridgeSize = 32;
  constexpr std::uint16_t kWindowSize = 40;
  constexpr std::uint32_t kComponentRegisters = 1;  // not those of CXL 1.1
  enum Restrictions : unsigned { device_coherent = 1, host_only = 2, is_volatile = 4, is_fixed = 16 };
  ByteWriter body;
  std::map<std::uint16_t, std::uint32_t> uids;  // by segment
  for (std::size_t index = 0; index < firmware.pci_segments.size(); ++index) {
    const platform::PciSegment& bridge = firmware.pci_segments[index];
    if (!bridge.cxl_registers) continue;
    uids[bridge.number] = uid_of(index);
    body.u8(kHostBridge).u8(0).u16(kHostBridgeSize).u32(uid_of(index)).u32(kComponentRegisters).u32(0);
    body.u64(places.address(*bridge.cxl_registers)).u64(bridge.cxl_registers->size);
  }
  for (const platform::CxlWindow& window : firmware.cxl_windows) {
    body.u8(kWindow).u8(0).u16(kWindowSize).u32(0).u64(window.base).u64(window.size);
    body.u8(0).u8(0).u16(0).u32(0);  // one way, so neither arithmetic nor granularity
    body.u16(static_cast<std::uint16_t>((window.host_only ? host_only : device_coherent) | is_volatile | is_fixed));
    body.u16(0).u32(uids.at(window.segment));
  }
  return with_header("CEDT", 1, body.bytes());
}

/// @return what the guest's tables describe: without CXL hierarchy if the guest cannot have it.
FirmwareDescription for_guest(FirmwareDescription firmware, const GuestMap& map) {
  const bool is_free = std::ranges::all_of(
      firmware.cxl_windows, [](const platform::CxlWindow& window) { return window.base >= kPlatformEnd; });
  if (map.has_cxl_ports && is_free) return firmware;
  firmware.cxl_windows.clear();
  for (platform::PciSegment& bridge : firmware.pci_segments) bridge.cxl_registers.reset();
  return firmware;
}

/// Arm DEN0117.
std::string apmt(const FirmwareDescription& firmware, const Places& places) {
  constexpr std::uint64_t kPage = 0x1000;
  constexpr std::uint32_t kEdge = 1;
  ByteWriter body;
  for (const ApmtNode& node : firmware.apmt) {
    const unsigned flags =
        (node.base1 ? 1U : 0U) | (node.affinity_is_container ? 2U : 0U) | (node.atomic_64bit ? 4U : 0U);
    body.u16(56).u8(static_cast<std::uint8_t>(flags)).u8(static_cast<std::uint8_t>(node.type)).u32(node.id);
    body.u64(node.instance_primary).u32(node.instance_secondary);
    body.u64(places.address({node.base0, kPage})).u64(node.base1 ? places.address({*node.base1, kPage}) : 0);
    const Places::Interrupt interrupt =
        node.overflow_interrupt ? places.interrupt(*node.overflow_interrupt) : Places::Interrupt{0, true};
    body.u32(interrupt.number).u32(0).u32(interrupt.is_edge ? kEdge : 0);
    body.u32(node.processor_affinity).u32(node.implementation_id);
  }
  return with_header("APMT", 0, body.bytes());
}

}  // namespace

std::vector<Cpu> guest_cpus(const FirmwareDescription& firmware, const GuestTopology& topology) {
  const std::uint32_t nodes = nodes_of(firmware.cpus);
  if (nodes == 0) refuse("the platform has no CPU");
  if (topology.cpus_per_node == 0) refuse("the guest needs a CPU at each node");
  if (topology.cpus_per_node > qemu_virt::kMaximumCpus / nodes) {
    refuse(
        "{} CPUs at each of {} nodes are more than the guest's interrupt controller serves ({}); use {} at each or "
        "fewer",
        topology.cpus_per_node, nodes, qemu_virt::kMaximumCpus, qemu_virt::kMaximumCpus / nodes);
  }
  constexpr std::uint64_t kMaximumMemory = qemu_virt::kMemoryEnd - qemu_virt::kMemory;
  if (topology.memory_per_node == 0 || topology.memory_per_node > kMaximumMemory / nodes) {
    refuse("{} bytes of memory at each of {} nodes are not between 1 and {} bytes in all", topology.memory_per_node,
           nodes, kMaximumMemory);
  }
  std::vector<Cpu> cpus;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    unsigned count = 0;
    for (const Cpu& cpu : firmware.cpus) {
      if (cpu.node == node && count < topology.cpus_per_node) {
        cpus.push_back(cpu);
        ++count;
      }
    }
    if (count < topology.cpus_per_node)
      refuse("node {} of the platform has {} CPUs, so the guest cannot have {} there", node, count,
             topology.cpus_per_node);
  }
  return cpus;
}

AcpiBlobs make_acpi_tables(const FirmwareDescription& description, const GuestTopology& topology, const GuestMap& map) {
  const FirmwareDescription firmware = for_guest(description, map);
  const std::vector<Cpu> cpus = guest_cpus(firmware, topology);
  check_interrupts(firmware, map);
  check_affinity(firmware, cpus);
  const Places places = checked(map);
  std::uint32_t messages_end = qemu_virt::kMessageInterruptsEnd;
  for (const auto& [number, in_guest] : map.interrupts) messages_end = std::min(messages_end, in_guest);

  TableSet tables;
  const std::size_t dsdt = tables.add(with_header("DSDT", 2, guest_dsdt(firmware, cpus, places)));
  std::vector<std::size_t> listed{tables.add(fadt(), {{kFadtDsdt, dsdt}})};
  const auto add = [&](const std::string& table) { listed.push_back(tables.add(table)); };
  add(madt(cpus, messages_end - qemu_virt::kFirstMessageInterrupt));
  add(pptt(cpus));
  add(gtdt());
  add(mcfg({{.number = 0, .ecam_base = qemu_virt::kPciEcam, .first_bus = 0, .last_bus = 0xff}}));
  add(spcr());
  // Linux makes a node of each window of CXL memory, and then wants to know where the other memory is.
  if (nodes_of(cpus) > 1 || !firmware.cxl_windows.empty()) add(srat(cpus, topology.memory_per_node));
  if (nodes_of(cpus) > 1) add(slit(nodes_of(cpus)));
  if (has_cxl(firmware)) add(cedt(firmware, places, [](std::size_t) { return kGuestBridge; }));
  if (!firmware.apmt.empty()) add(apmt(firmware, places));

  std::string xsdt = with_header("XSDT", 1, std::string(listed.size() * sizeof(std::uint64_t), '\0'));
  std::vector<TableSet::Pointer> entries;
  for (std::size_t i = 0; i < listed.size(); ++i)
    entries.push_back({xsdt.size() - (listed.size() - i) * sizeof(std::uint64_t), listed[i]});
  return tables.finish(tables.add(xsdt, entries));
}

std::vector<AcpiTable> make_platform_tables(const FirmwareDescription& firmware) {
  std::vector<Cpu> cpus = firmware.cpus;
  std::ranges::stable_sort(cpus, [](const Cpu& left, const Cpu& right) {
    return std::tie(left.node, left.container_uid) < std::tie(right.node, right.container_uid);
  });
  const Places places = own_places();
  std::vector<AcpiTable> tables;
  const auto add = [&tables](const std::string& table) {
    tables.push_back({table.substr(0, 4), with_checksum(table)});
  };
  add(with_header("DSDT", 2, platform_dsdt(firmware, cpus, places)));
  if (!cpus.empty()) add(pptt(cpus));
  if (nodes_of(cpus) > 1) add(srat(cpus, 0));
  if (!firmware.pci_segments.empty()) add(mcfg(firmware.pci_segments));
  if (has_cxl(firmware))
    add(cedt(firmware, places, [](std::size_t index) { return static_cast<std::uint32_t>(index); }));
  if (!firmware.apmt.empty()) add(apmt(firmware, places));
  return tables;
}

}  // namespace pmufab::guest
