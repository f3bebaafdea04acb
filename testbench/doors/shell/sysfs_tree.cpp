// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/shell/sysfs_tree.h"

#include <cerrno>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "models/cxl/part/cxl_spec.h"
#include "testbench/doors/shell/sysfs_write.h"
#include "testbench/perf/software_events.h"

namespace pmufab::shell {
namespace {

namespace fs = std::filesystem;
using pci_access::FoundFunction;

constexpr std::uint32_t kBridge = 1;  // header type
constexpr std::uint32_t kCxlMemory = 0x0502;
constexpr std::uint32_t kDvsec = 0x23;
constexpr std::uint32_t kCxlVendor = 0x1e98;

/// A device that is on a bus: its link to the bus, and the bus's to it.
void join_bus(const fs::path& root, const std::string& bus, const fs::path& device) {
  link_to(root / "bus" / bus, device / "subsystem");
  link_to(device, root / "bus" / bus / "devices" / device.filename());
}

/// A file of which every read fails with EIO, as that of address 0 does.
void make_unreadable(const fs::path& file) {
  fs::create_directories(file.parent_path());
  fs::create_symlink("/proc/self/mem", file);
}

/// A file that nobody may read. The preload library refuses that to root, too, as sysfs does.
void make_secret(const fs::path& file) {
  write_bytes(file, "");
  fs::permissions(file, fs::perms::owner_write);
}

void write_pmu(const fs::path& root, const fs::path& own, const perf::Pmu& pmu) {
  fs::create_directories(own / "events");
  fs::create_directories(own / "format");
  fs::create_directories(own / "power");
  write_file(own / "uevent", "");
  write_file(own / "type", fmt::format("{}", pmu.type));
  for (const auto& [path, content] : pmu.files) {
    const auto error = pmu.unreadable.find(path);
    if (error == pmu.unreadable.end()) {
      write_bytes(own / path, content);
    } else if (error->second == -EACCES) {
      make_secret(own / path);
    } else {
      make_unreadable(own / path);
    }
  }
  join_bus(root, "event_source", own);
}

/// The PMU of software events, which no driver registers. perf knows its events by itself.
void write_software(const fs::path& root) {
  const fs::path own = root / "devices" / perf::kSoftwarePmu;
  fs::create_directories(own / "power");
  write_file(own / "uevent", "");
  write_file(own / "type", fmt::format("{}", perf::kSoftwareType));
  write_file(own / "perf_event_mux_interval_ms", "4");
  join_bus(root, "event_source", own);
}

bool is_bridge(const FoundFunction& function) { return (function.field(0x0e, 1) & 0x7fU) == kBridge; }

void write_function(const fs::path& own, const FoundFunction& function, const std::vector<platform::Cpu>& cpus) {
  const bool bridge = is_bridge(function);
  write_file(own / "vendor", fmt::format("{:#06x}", function.field(0x00, 2)));
  write_file(own / "device", fmt::format("{:#06x}", function.field(0x02, 2)));
  write_file(own / "revision", fmt::format("{:#04x}", function.field(0x08, 1)));
  write_file(own / "class", fmt::format("{:#08x}", function.field(0x09, 3)));
  write_file(own / "subsystem_vendor", fmt::format("{:#06x}", bridge ? 0 : function.field(0x2c, 2)));
  write_file(own / "subsystem_device", fmt::format("{:#06x}", bridge ? 0 : function.field(0x2e, 2)));
  write_file(own / "irq", "0");
  write_file(own / "enable", (function.field(0x04, 1) & 2U) != 0 ? "1" : "0");
  write_file(own / "numa_node", fmt::format("{}", function.node));
  std::vector<unsigned> near = function.node < 0 ? std::vector<unsigned>{} : cpus_of(cpus, function.node);
  if (near.empty()) {
    for (unsigned cpu = 0; cpu < cpus.size(); ++cpu) near.push_back(cpu);
  }
  write_file(own / "local_cpulist", list_of(near));
  write_file(own / "local_cpus", mask_of(near, cpus.size()));
  std::string resources;
  constexpr int kResources = 7;  // six base address registers and the expansion ROM's
  for (std::size_t i = 0; i < kResources; ++i) {
    const FoundFunction::Bar bar = i < function.bars.size() ? function.bars.at(i) : FoundFunction::Bar{};
    const std::uint64_t last = bar.size == 0 ? 0 : bar.base + bar.size - 1;
    resources += fmt::format("{:#018x} {:#018x} {:#018x}\n", bar.size == 0 ? 0 : bar.base, last, bar.flags);
  }
  write_file(own / "resource", resources);
  write_file(own / "uevent",
             fmt::format("PCI_CLASS={:X}\nPCI_ID={:04X}:{:04X}\nPCI_SLOT_NAME={}\n", function.field(0x09, 3),
                         function.field(0x00, 2), function.field(0x02, 2), function.name()));
  write_bytes(own / "config", {reinterpret_cast<const char*>(function.configuration.data()),  // NOLINT
                               function.configuration.size()});
}

/// Functions below the bridge that leads to their bus; those of root buses below their host bridge.
std::map<std::uint32_t, fs::path> write_functions(const fs::path& root, const std::vector<FoundFunction>& functions,
                                                  const std::vector<platform::Cpu>& cpus) {
  std::map<std::uint32_t, fs::path> folders;     // by address
  std::map<std::uint32_t, fs::path> behind_bus;  // by segment << 8 | bus: the bridge's folder
  fs::create_directories(root / "bus/pci/devices");
  fs::create_directories(root / "bus/pci/slots");
  for (const FoundFunction& function : functions) {  // bridges come before what is behind them
    const std::uint32_t bus = function.address >> 8;
    const auto bridge = behind_bus.find(bus);
    const fs::path parent = bridge != behind_bus.end()
                                ? bridge->second
                                : root / fmt::format("devices/pci{:04x}:{:02x}", bus >> 8, bus & 0xffU);
    const fs::path own = parent / function.name();
    write_function(own, function, cpus);
    join_bus(root, "pci", own);
    folders.emplace(function.address, own);
    if (is_bridge(function)) behind_bus.emplace((bus & ~0xffU) | function.field(0x19, 1), own);
  }
  return folders;
}

/// @return bytes of memory behind the ranges of a CXL device (CXL 3.1, 8.1.3: DVSEC for CXL devices)
std::uint64_t capacity_of(const FoundFunction& function) {
  constexpr std::uint32_t kExtended = 0x100;
  std::uint32_t at = kExtended;
  for (int turn = 0; at >= kExtended && turn < 64; ++turn) {
    const std::uint32_t header = function.field(at, 4);
    if ((header & 0xffffU) == kDvsec && (function.field(at + 4, 2)) == kCxlVendor && function.field(at + 8, 2) == 0) {
      std::uint64_t bytes = 0;
      for (const std::uint32_t range : {0x18U, 0x28U})
        bytes += std::uint64_t{function.field(at + range, 4)} << 32 | (function.field(at + range + 4, 4) & 0xf0000000U);
      return bytes;
    }
    at = header >> 20;
  }
  return 0;
}

/// @param payload  bytes that its mailbox takes
void write_memory(const fs::path& root, const fs::path& own, const FoundFunction& function, unsigned number,
                  std::uint64_t payload) {
  write_file(own / "dev", fmt::format("251:{}", number));
  write_file(own / "uevent",
             fmt::format("MAJOR=251\nMINOR={}\nDEVNAME=cxl/mem{}\nDEVTYPE=cxl_memdev\n", number, number));
  write_file(own / "ram/size", fmt::format("{:#x}", capacity_of(function)));
  write_file(own / "pmem/size", "0x0");
  write_file(own / "payload_max", fmt::format("{}", payload));
  write_file(own / "label_storage_size", "0");
  write_file(own / "firmware_version", "\n");
  write_file(own / "numa_node", fmt::format("{}", function.node));
  // Programs look for the device's file. No mailbox is behind it.
  write_file(root.parent_path() / fmt::format("dev/cxl/mem{}", number), "");
  fs::create_directories(root / "bus/cxl/drivers/cxl_mem");
  link_to(root / "bus/cxl/drivers/cxl_mem", own / "driver");  // programs leave out devices without a driver
  join_bus(root, "cxl", own);
}

/// @return bytes of a device's mailbox: what cxl_pci reads from Payload Size (CXL 3.1, 8.2.8.4.3)
std::uint64_t payload_of(const platform::PlatformSpec& spec, unsigned number) {
  const cxl::Type3Parameters usual;
  return std::uint64_t{1} << (number < spec.of<platform::CxlSpec>().devices.size()
                                  ? spec.of<platform::CxlSpec>().devices[number].registers
                                  : usual)
                                 .payload_size_log2;
}

/// The windows of physical addresses, as the root decoders of cxl_acpi.
void write_windows(const fs::path& root, const std::vector<platform::CxlWindow>& windows,
                   const std::vector<platform::PciSegment>& bridges) {
  const fs::path own = root / "devices/platform/ACPI0017:00/root0";
  write_file(own / "devtype", "cxl_port");
  write_file(own / "uevent", "DEVTYPE=cxl_port");
  link_to(own.parent_path(), own / "uport");
  join_bus(root, "cxl", own);
  for (const platform::PciSegment& bridge : bridges) {  // ACPI's _UID is the segment
    if (bridge.cxl_registers)
      link_to(root / fmt::format("devices/pci{:04x}:{:02x}", bridge.number, bridge.first_bus),
              own / fmt::format("dport{}", bridge.number));
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const fs::path decoder = own / fmt::format("decoder0.{}", i);
    write_file(decoder / "devtype", "cxl_decoder_root");
    write_file(decoder / "uevent", "DEVTYPE=cxl_decoder_root");
    write_file(decoder / "start", fmt::format("{:#x}", windows[i].base));
    write_file(decoder / "size", fmt::format("{:#x}", windows[i].size));
    write_file(decoder / "interleave_ways", "1");
    write_file(decoder / "interleave_granularity", "256");
    write_file(decoder / "locked", "0");
    write_file(decoder / "target_list", fmt::format("{}", windows[i].segment));
    write_file(decoder / "target_type", "expander");
    for (const char* capability : {"cap_pmem", "cap_ram", "cap_type3"}) write_file(decoder / capability, "1");
    write_file(decoder / "cap_type2", windows[i].host_only ? "0" : "1");
    join_bus(root, "cxl", decoder);
  }
}

/// A port below another one, with the device whose port it is: a host bridge, or the memory device of an endpoint.
void write_port(const fs::path& root, const fs::path& own, const char* kind, const fs::path& device) {
  write_file(own / "devtype", kind);
  write_file(own / "uevent", fmt::format("DEVTYPE={}", kind));
  link_to(device, own / "uport");
  fs::create_directories(root / "bus/cxl/drivers/cxl_port");
  link_to(root / "bus/cxl/drivers/cxl_port", own / "driver");
  join_bus(root, "cxl", own);
}

/// Memory devices in the order in which the functions were found, as cxl_pci numbers them, and their PMUs.
void write_cxl(const fs::path& root, const std::vector<FoundFunction>& functions,
               const std::map<std::uint32_t, fs::path>& folders, const std::vector<perf::Pmu>& pmus,
               const platform::FirmwareDescription& firmware, const platform::PlatformSpec& spec) {
  constexpr std::string_view kPmu = "cxl_pmu_";
  unsigned number = 0;
  unsigned port = 1;
  std::map<std::string, fs::path> ports;  // by the host bridge's name
  for (const FoundFunction& function : functions) {
    if (function.field(0x0a, 2) != kCxlMemory) continue;
    const fs::path& above = folders.at(function.address);
    const std::string name = fmt::format("mem{}", number);
    write_memory(root, above / name, function, number, payload_of(spec, number));
    ++number;
    const fs::path bridge = root / "devices" / *above.lexically_relative(root / "devices").begin();
    fs::path& below = ports[bridge.filename()];
    if (below.empty()) {
      below = root / fmt::format("devices/platform/ACPI0017:00/root0/port{}", port++);
      write_port(root, below, "cxl_port", bridge);
    }
    write_port(root, below / fmt::format("endpoint{}", port++), "cxl_endpoint", above / name);
    for (const perf::Pmu& pmu : pmus) {
      if (!pmu.name.starts_with(fmt::format("{}{}.", kPmu, name))) continue;
      const fs::path own = above / ("pmu_" + pmu.name.substr(kPmu.size()));
      write_file(own / "uevent", "DEVTYPE=cxl_pmu");
      join_bus(root, "cxl", own);
    }
  }
  if (!firmware.cxl_windows.empty()) write_windows(root, firmware.cxl_windows, firmware.pci_segments);
}

}  // namespace

void write_sysfs(const fs::path& root, const fs::path& proc, const std::vector<perf::Pmu>& pmus,
                 const platform::FirmwareDescription& firmware, const std::vector<FoundFunction>& functions,
                 const std::vector<std::pair<std::string, std::string>>& debugfs, const platform::PlatformSpec& spec) {
  write_machine(root, proc, firmware.cpus, firmware.memory_of_nodes);
  for (const perf::Pmu& pmu : pmus) write_pmu(root, root / "devices" / pmu.name, pmu);
  write_software(root);
  const std::map<std::uint32_t, fs::path> folders = write_functions(root, functions, firmware.cpus);
  write_cxl(root, functions, folders, pmus, firmware, spec);
  for (const auto& [path, content] : debugfs) write_bytes(root / "kernel/debug" / path, content);
  fs::create_directories(root / "bus/event_source/drivers");
}

}  // namespace pmufab::shell
