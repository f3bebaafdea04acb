// SPDX-License-Identifier: Apache-2.0
#include "models/platform/platform_spec.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology_check.h"
#include "models/cmn/nodes/gateway/gateway.h"
#include "models/cmn/nodes/system_address_map.h"
#include "models/cxl/registers/component_registers.h"
#include "models/platform/dwc/dwc_ports.h"
#include "models/platform/soc/soc_rows.h"
#include "models/platform/tegra410/c2c_spec.h"
#include "models/platform/tegra410/pcie_spec.h"
#include "models/platform/tegra410/pmu_rows.h"

namespace pmufab::platform {

namespace {

using tegra410::MemoryRange;

constexpr std::uint64_t kMaximumFrequency = 1'000'000'000'000;      // limit of ClockDomain
constexpr Picoseconds kMaximumLatency = 1'000'000'000;              // 1 ms: a larger value is a mistake of units
constexpr unsigned kMaximumCpus = 512;                              // CONFIG_NR_CPUS of Debian's arm64 kernels
constexpr std::uint64_t kMaximumSlcLines = std::uint64_t{1} << 24;  // 1 GiB of cache: the model keeps every line's tag

[[noreturn]] void fail(std::string field, std::string reason) { throw SpecError(std::move(field), std::move(reason)); }

void check_between(const std::string& field, std::uint64_t value, std::uint64_t low, std::uint64_t high,
                   std::string_view hint = {}) {
  if (value >= low && value <= high) return;
  std::string reason = fmt::format("is {}, must be {} ... {}", value, low, high);
  if (!hint.empty()) reason += fmt::format("; {}", hint);
  fail(field, std::move(reason));
}

void check_sockets(const PlatformSpec& spec) {
  check_between("sockets", spec.sockets, 1, kMaximumSockets);
  check_between("cpus_per_socket", spec.cpus_per_socket, 1, kMaximumCpus / spec.sockets,
                "use 512 CPUs or fewer in all");
}

void check_memory_range(const std::string& field, const MemoryRange& range, unsigned sockets) {
  if (range.size == 0) fail(field + ".size", "is 0; leave the range out instead");
  if (range.base % tegra410::kLineBytes != 0) {
    fail(field + ".base", fmt::format("{:#x} is not a multiple of a line (64 bytes); {:#x} is", range.base,
                                      range.base / tegra410::kLineBytes * tegra410::kLineBytes));
  }
  if (range.size % tegra410::kLineBytes != 0) {
    fail(field + ".size", fmt::format("{:#x} is not a multiple of a line (64 bytes); {:#x} is", range.size,
                                      (range.size / tegra410::kLineBytes + 1) * tegra410::kLineBytes));
  }
  constexpr std::uint64_t kLimit = tegra410::AddressMap::kLimit;
  if (range.base >= kLimit || range.size > kLimit - range.base) {
    fail(field + ".size", fmt::format("reaches beyond the last address {:#x}", kLimit - 1));
  }
  if (range.socket >= sockets) {
    fail(field + ".socket", fmt::format("is {}, but the platform has {} socket{} (0 ... {})", range.socket, sockets,
                                        sockets == 1 ? "" : "s", sockets - 1));
  }
  if (range.memory_class == MemoryClass::bar)
    fail(field + ".memory_class", "is bar, which needs no range here: tegra410.pcie places the BARs");
  if (range.root_complex != 0 && range.memory_class != MemoryClass::cxl)
    fail(field + ".root_complex", "is for cxl only: no other memory is below a root complex");
  check_between(field + ".root_complex", range.root_complex, 0, tegra410::kRootComplexes - 1);
}

void check_overlaps(const std::vector<MemoryRange>& ranges) {
  for (std::size_t later = 1; later < ranges.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const MemoryRange& a = ranges[earlier];
      const MemoryRange& b = ranges[later];
      if (a.base < b.base + b.size && b.base < a.base + a.size) {
        fail(fmt::format("memory[{}].base", later),
             fmt::format("[{:#x}, {:#x}] overlaps memory[{}] [{:#x}, {:#x}]; it would fit from {:#x}", b.base,
                         b.base + b.size - 1, earlier, a.base, a.base + a.size - 1, a.base + a.size));
      }
    }
  }
}

/// A place with something other than memory.
struct Window {
  std::uint64_t first;
  std::uint64_t size;
  std::string what;
};

/// Of PCI Express below Tegra410 sockets.
std::vector<Window> pcie_windows_of(const PlatformSpec& spec) {
  std::vector<Window> windows;
  for (const tegra410::PcieRootComplex& complex : root_complexes_of(spec)) {
    windows.push_back(
        {ecam_base_of(complex), default_map::kPcieEcamOfSegment,
         fmt::format("configuration space of root complex {} of socket {}", complex.number, complex.socket)});
  }
  for (const MemoryRange& range : bar_ranges_of(spec)) {
    windows.push_back({range.base, range.size,
                       fmt::format("BARs below root port {} of root complex {} of socket {}", range.root_port,
                                   range.root_complex, range.socket)});
  }
  return windows;
}

std::vector<Window> windows_of(const PlatformSpec& spec) {
  if (!spec.tegra410) return {};
  std::vector<Window> windows = pcie_windows_of(spec);
  for (unsigned socket = 0; socket < spec.sockets; ++socket) {
    windows.push_back({(std::uint64_t{socket} << default_map::kSocketShift) + default_map::kRegistersBegin,
                       default_map::kRegistersSize, fmt::format("registers of socket {}", socket)});
  }
  return windows;
}

void check_window(const std::string& field, std::uint64_t base, std::uint64_t size,
                  const std::vector<Window>& windows) {
  for (const Window& window : windows) {
    const std::uint64_t end = window.first + window.size;
    if (base < end && window.first < base + size)
      fail(field, fmt::format("[{:#x}, {:#x}] covers the {} at [{:#x}, {:#x}]", base, base + size - 1, window.what,
                              window.first, end - 1));
  }
}

/// Registers, PCI Express and memory share one address space.
void check_windows(const PlatformSpec& spec) {
  const std::vector<Window> windows = windows_of(spec);
  for (std::size_t index = 0; index < spec.memory.size(); ++index) {
    const MemoryRange& range = spec.memory[index];
    check_window(fmt::format("memory[{}].base", index), range.base, range.size, windows);
  }
  for (const CxlDevicePlace& place : devices_of(spec.cxl)) {
    for (std::size_t index = 0; index < place.spec->decoders.size(); ++index) {
      const CxlDecoderSpec& decoder = place.spec->decoders[index];
      check_window(fmt::format("{}.decoders[{}].base", place.field, index), decoder.base, decoder.size, windows);
    }
  }
}

/// The registers of PMUs of one's own may lie beside those of the part, but not on them.
void check_windows_of_own_pmus(const PlatformSpec& spec) {
  if (spec.own_pmus.empty()) return;
  std::vector<Window> taken = pcie_windows_of(spec);
  for (const MemoryRange& range : spec.memory.empty() ? default_memory(spec.sockets) : spec.memory)
    taken.push_back({range.base, range.size, fmt::format("memory of socket {}", range.socket)});
  const std::vector<PmuRow> rows = tegra410_pmus(spec);
  const std::size_t first = rows.size() - spec.own_pmus.size();
  for (std::size_t number = 0; number < rows.size(); ++number) {
    for (std::size_t index = 0; index < rows[number].windows.size(); ++index) {
      const PmuWindow& window = rows[number].windows[index];
      if (number >= first) {
        const std::string field = fmt::format("own_pmus[{}].windows[{}].", number - first, index);
        if (window.size == 0) fail(field + "size", "is 0");
        if (window.size - 1 > ~window.base) fail(field + "size", "reaches beyond the last address");
        check_window(field + "base", window.base, window.size, taken);
      }
      taken.push_back({window.base, window.size, fmt::format("registers {}", window.name)});
    }
  }
}

/// What registers that may lie anywhere must leave alone.
std::vector<Window> taken_windows(const PlatformSpec& spec) {
  std::vector<Window> taken = pcie_windows_of(spec);
  if (spec.tegra410) {
    for (const MemoryRange& range : spec.memory.empty() ? default_memory(spec.sockets) : spec.memory)
      taken.push_back({range.base, range.size, fmt::format("memory of socket {}", range.socket)});
  }
  for (const PmuRow& row : tegra410_pmus(spec)) {
    for (const PmuWindow& window : row.windows)
      taken.push_back({window.base, window.size, fmt::format("registers {}", window.name)});
  }
  for (std::size_t mesh = 0; mesh < spec.cmn.size(); ++mesh)
    taken.push_back({spec.cmn[mesh].topology.base, cmn::Layout(spec.cmn[mesh].topology).size(),
                     fmt::format("registers of cmn{}", mesh)});
  if (!spec.cxl.empty()) {
    taken.push_back({default_map::kEcam, 0x1000'0000, "configuration space of PCI segment 0"});
    taken.push_back({default_map::kCxlBars, default_map::kCxlBarsSize, "BARs of CXL components"});
    taken.push_back(
        {default_map::kCxlHostBridge, cxl::ComponentRegisters::kSize, "component registers of the CXL host bridge"});
  }
  for (const DwcBridge& bridge : dwc_bridges(spec))
    taken.push_back({bridge.ecam_base, default_map::kPcieEcamOfSegment,
                     fmt::format("configuration space of PCI segment {}", bridge.segment)});
  taken.push_back({default_map::kMessageDoorbell / 0x1000 * 0x1000, 0x1000, "doorbell of interrupt messages"});
  return taken;
}

/// Registers of described PMUs, and windows of parts that bring their own description.
void check_free_windows(const PlatformSpec& spec) {
  if (spec.soc.pmus.empty() && spec.parts.empty()) return;
  std::vector<Window> taken = taken_windows(spec);
  for (const SocPmuRow& row : soc_pmus(spec)) {
    for (const PmuWindow& window : row.windows) {
      const bool is_page1 = &window != row.windows.data();
      check_window(fmt::format("coresight_pmus[{}].{}", row.pmu, is_page1 ? "page1" : "base"), window.base, window.size,
                   taken);
      taken.push_back({window.base, window.size, fmt::format("registers {}", window.name)});
    }
  }
  for (const auto& part : spec.parts) {
    const PartClaims claims = part->claims();
    for (const PartClaims::Window& window : claims.windows) {
      check_window(claims.field, window.base, window.size, taken);
      taken.push_back({window.base, window.size, fmt::format("window {}", window.name)});
    }
  }
}

void check_memory(const PlatformSpec& spec) {
  for (std::size_t index = 0; index < spec.memory.size(); ++index) {
    check_memory_range(fmt::format("memory[{}]", index), spec.memory[index], spec.sockets);
  }
  check_overlaps(spec.memory);
}

void check_private_cache(const tegra410::PrivateCacheParameters& cache) {
  const std::string field = "tegra410.private_cache.";
  check_between(field + "ways", cache.ways, 1, 64);
  check_between(field + "size", cache.size, std::uint64_t{cache.ways} * tegra410::kLineBytes, std::uint64_t{1} << 32);
  const std::uint64_t sets = cache.size / tegra410::kLineBytes / cache.ways;
  if (!std::has_single_bit(sets) || sets * cache.ways * tegra410::kLineBytes != cache.size) {
    const std::uint64_t better = std::bit_floor(sets) * cache.ways * tegra410::kLineBytes;
    fail(field + "size", fmt::format("{} bytes in {} ways are not a power of two of sets; {} bytes ({} sets) are",
                                     cache.size, cache.ways, better, std::bit_floor(sets)));
  }
  check_between(field + "hit_latency", cache.hit_latency, 0, kMaximumLatency, "picoseconds");
}

void check_slc(const tegra410::SlcParameters& slc) {
  const std::string field = "tegra410.slc.";
  check_between(field + "slices", slc.slices, 1, 256);
  check_between(field + "sets", slc.sets, 1, 16384, "sets are counted per slice");
  check_between(field + "ways", slc.ways, 1, 64);
  const std::uint64_t lines = std::uint64_t{slc.slices} * slc.sets * slc.ways;
  if (lines > kMaximumSlcLines) {
    fail(field + "sets", fmt::format("{} slices of {} sets of {} ways are {} lines, must be at most {}", slc.slices,
                                     slc.sets, slc.ways, lines, kMaximumSlcLines));
  }
  for (std::size_t index = 0; index < slc.cached.size(); ++index) {
    if (std::count(slc.cached.begin(), slc.cached.end(), slc.cached[index]) > 1) {
      fail(field + fmt::format("cached[{}]", index), "names a class twice");
    }
    if (slc.cached[index] == MemoryClass::bar)
      fail(field + fmt::format("cached[{}]", index), "is bar, which is not memory");
  }
}

void check_latencies(const tegra410::LatencyParameters& latency) {
  const auto check = [](std::string_view name, Picoseconds value) {
    check_between(fmt::format("tegra410.latency.{}", name), value, 0, kMaximumLatency, "picoseconds");
  };
  check("slc", latency.slc);
  check("cmem", latency.cmem);
  check("cmem_service", latency.cmem_service);
  check("gmem", latency.gmem);
  check("cxl", latency.cxl);
  check("bar", latency.bar);
  check("link", latency.link);
}

void check_coresight_pmu(const std::string& field, const tegra410::CoreSightPmuParameters& pmu) {
  check_between(field + "counters", pmu.counters, 2, 64, "the cycle counter is one of them");
  check_between(field + "width", pmu.width, 8, 64, "bits");
}

void check_tegra410(const PlatformSpec& spec) {
  if (!spec.tegra410) return;
  const tegra410::Parameters& part = *spec.tegra410;
  check_between("tegra410.clusters", part.clusters, 1, tegra410::kMaximumClusters);
  if (spec.cpus_per_socket % part.clusters != 0) {
    const unsigned cpus = std::max(1U, (spec.cpus_per_socket + part.clusters / 2) / part.clusters);
    fail("cpus_per_socket", fmt::format("{} CPUs cannot be shared evenly by {} clusters; {} can", spec.cpus_per_socket,
                                        part.clusters, cpus * part.clusters));
  }
  check_between("tegra410.ucf_clock_hz", part.ucf_clock_hz, 1, kMaximumFrequency, "hertz");
  check_between("tegra410.soc_clock_hz", part.soc_clock_hz, 1, kMaximumFrequency, "hertz");
  check_private_cache(part.private_cache);
  check_slc(part.slc);
  check_latencies(part.latency);
  check_coresight_pmu("tegra410.ucf_pmu.", part.ucf_pmu);
  check_coresight_pmu("tegra410.pcie_pmu.", part.pcie_pmu);
  check_coresight_pmu("tegra410.pcie_tgt_pmu.", part.pcie_tgt_pmu);
  check_between("tegra410.cmem_latency_pmu.width", part.cmem_latency_pmu.width, 8, 64, "bits");
  check_between("tegra410.c2c_clock_hz", part.c2c_clock_hz, 1, kMaximumFrequency, "hertz");
  check_c2c(part);
}

void check_interrupts(const std::string& field, const CmnSpec& mesh) {
  if (mesh.interrupts.empty()) return;
  if (mesh.interrupts.size() != mesh.topology.dtcs)
    fail(field, fmt::format("are {}, for {} DTCs; give the interrupt of each, or leave them out",
                            mesh.interrupts.size(), mesh.topology.dtcs));
  for (const unsigned number : mesh.interrupts) {
    if (number >= cmn::kMaximumDtcs)
      fail(field, fmt::format("there is no interrupt {}; a mesh has 0 to {}", number, cmn::kMaximumDtcs - 1));
  }
}

/// A pair for another node would have no effect.
void check_vmid_filters(const std::string& field, const CmnSpec& mesh, const cmn::Layout& layout) {
  const auto& filters = mesh.nodes.dvm_node.vmid_filters;
  if (filters.empty()) return;
  const cmn::SystemAddressMap addresses(mesh.topology, layout);
  std::vector<std::string> snooped;
  std::set<std::uint16_t> ids;
  for (const cmn::DevicePlace& device : addresses.devices()) {
    if (device.kind != cmn::DeviceKind::rn_f && device.kind != cmn::DeviceKind::rn_d) continue;
    if (ids.insert(device.node_id).second) snooped.push_back(fmt::format("{:#x}", device.node_id));
  }
  for (std::size_t index = 0; index < filters.size(); ++index) {
    if (ids.contains(filters[index].node_id)) continue;
    throw SpecError(fmt::format("{}[{}].node", field, index),
                    fmt::format("{:#x} is not the node id of an RN-F or RN-D", filters[index].node_id),
                    snooped.empty() ? "this mesh has none; leave the filters out"
                                    : fmt::format("this mesh has {}", fmt::join(snooped, ", ")));
  }
}

void check_meshes(const std::vector<CmnSpec>& meshes, unsigned sockets) {
  const auto field = [](std::size_t index) { return fmt::format("meshes[{}]", index); };
  for (std::size_t index = 0; index < meshes.size(); ++index) {
    const CmnSpec& mesh = meshes[index];
    try {
      cmn::check(mesh.topology);
    } catch (const SpecError& error) {
      fail(field(index), error.what());
    }
    if (mesh.firmware == CmnSpec::Firmware::acpi && mesh.topology.product == cmn::Product::ci700)
      fail(field(index) + ".firmware", "CI-700 has no ACPI hardware id; use device_tree");
    if (mesh.firmware == CmnSpec::Firmware::device_tree && mesh.topology.variant == cmn::Variant::graviton5)
      fail(field(index) + ".firmware", "no device tree names the mesh of a Graviton5; use acpi");
    check_interrupts(field(index) + ".interrupts", mesh);
    if (mesh.socket && *mesh.socket >= sockets)
      fail(field(index) + ".socket", fmt::format("{} is not below the number of sockets, {}", *mesh.socket, sockets));
    const cmn::Layout layout(mesh.topology);
    check_vmid_filters(field(index) + ".nodes.dvm_node.vmid_filters", mesh, layout);
    const std::uint64_t size = layout.size();
    if (mesh.topology.base % size != 0)
      fail(field(index) + ".base",
           fmt::format("{:#x} is not a multiple of the configuration space's size {:#x}", mesh.topology.base, size));
    for (std::size_t other = 0; other < index; ++other) {
      const std::uint64_t begin = meshes[other].topology.base;
      const std::uint64_t end = begin + cmn::Layout(meshes[other].topology).size();
      if (mesh.topology.base < end && begin < mesh.topology.base + size)
        fail(field(index) + ".base", fmt::format("[{:#x}, {:#x}] overlaps the registers of meshes[{}]",
                                                 mesh.topology.base, mesh.topology.base + size - 1, other));
    }
  }
}

void check_link_end(const std::string& field, const CmnLinkSpec::End& end, const std::vector<CmnSpec>& meshes) {
  if (end.mesh >= meshes.size())
    fail(field, fmt::format("there is no mesh cmn{}; there are {}, from cmn0 on", end.mesh, meshes.size()));
  const cmn::Layout layout(meshes[end.mesh].topology);
  const std::size_t gateways = cmn::gateways_of(layout).size();
  if (end.gateway >= gateways)
    fail(field,
         fmt::format("there is no gateway {} in cmn{}: it has {} (CCG or CXRH)", end.gateway, end.mesh, gateways));
  const bool has_home = std::any_of(layout.nodes().begin(), layout.nodes().end(), [](const cmn::NodePlace& node) {
    return node.type == cmn::NodeType::hn_f || node.type == cmn::NodeType::hn_s;
  });
  if (!has_home) fail(field, fmt::format("cmn{} has no HN-F or HN-S to serve the other mesh", end.mesh));
}

void check_links(const PlatformSpec& spec) {
  std::map<unsigned, unsigned> other_of;
  std::set<std::pair<unsigned, unsigned>> used;
  for (std::size_t index = 0; index < spec.links.size(); ++index) {
    const CmnLinkSpec& link = spec.links[index];
    const std::string field = fmt::format("links[{}].", index);
    const auto check_end = [&](const char* name, const CmnLinkSpec::End& end, const CmnLinkSpec::End& other) {
      check_link_end(field + name, end, spec.cmn);
      if (!used.emplace(end.mesh, end.gateway).second)
        fail(field + name, fmt::format("gateway {} of cmn{} has a link already", end.gateway, end.mesh));
      const unsigned same = other_of.emplace(end.mesh, other.mesh).first->second;
      if (same != other.mesh)
        fail(field + name,
             fmt::format("cmn{} is linked to cmn{} already; all its links must lead there", end.mesh, same));
    };
    check_end("from", link.from, link.to);
    check_end("to", link.to, link.from);
    if (link.from.mesh == link.to.mesh) fail(field + "to", "is the same mesh; a link joins two");
    if (const auto fault = cmn::fault_of(link.parameters)) fail(field + fault->field, fault->reason);
    if (link.parameters.latency > kMaximumLatency) fail(field + "latency", "is more than 1 ms");
  }
}

/// Each wired interrupt has a number of its own, below those of messages.
void check_interrupt_numbers(const PlatformSpec& spec) {
  std::map<std::uint32_t, std::string> owners;
  const auto check = [&](const std::string& field, std::uint32_t number, const std::string& owner) {
    if (number >= MessageInterruptDoorbell().first_number)
      fail(field, fmt::format("interrupt {} of {} is too high; numbers from {} on are those of messages", number, owner,
                              MessageInterruptDoorbell().first_number));
    const auto [other, fresh] = owners.emplace(number, owner);
    if (!fresh && other->second != owner)
      fail(field, fmt::format("interrupt {} of {} is that of {} already", number, owner, other->second));
  };
  const std::vector<PmuRow> rows = tegra410_pmus(spec);
  for (const PmuRow& row : rows) {
    const std::string field = row.type == PmuType::other ? "own_pmus" : "tegra410";
    if (row.apmt && row.apmt->overflow_interrupt) check(field, row.apmt->overflow_interrupt->number, row.name);
    if (!row.device) continue;
    for (const InterruptResource& interrupt : row.device->interrupts) check(field, interrupt.number, row.name);
  }
  for (const SocPmuRow& row : soc_pmus(spec)) {
    if (!row.apmt.overflow_interrupt) continue;
    const bool is_shared = spec.soc.pmus[row.pmu].interrupt->shared;
    check(fmt::format("coresight_pmus[{}].interrupt.number", row.pmu), row.apmt.overflow_interrupt->number,
          is_shared ? std::string("described PMUs that share one") : row.name);
  }
  for (std::size_t mesh = 0; mesh < spec.cmn.size(); ++mesh) {
    for (unsigned dtc = 0; dtc < spec.cmn[mesh].topology.dtcs; ++dtc)
      check(fmt::format("meshes[{}]", mesh), cmn_interrupt(mesh, dtc), fmt::format("cmn{}", mesh));
  }
  for (const auto& part : spec.parts) {
    const PartClaims claims = part->claims();
    for (const std::uint32_t number : claims.interrupts) check(claims.field, number, "the " + claims.field);
  }
}

/// Firmware tells devices in the ACPI namespace, and CoreSight nodes among them, by hardware id and instance.
void check_devices(const PlatformSpec& spec) {
  std::map<std::pair<std::string, std::string>, std::string> owners;
  const auto check = [&](const std::string& field, const PartClaims::Device& device) {
    const auto [other, fresh] = owners.emplace(std::pair(device.hid, device.uid), device.what);
    if (fresh) return;
    fail(field, fmt::format("{} and {} have the same hid and instance ({}, {})", other->second, device.what, device.hid,
                            device.uid));
  };
  for (const PmuRow& row : tegra410_pmus(spec)) {
    if (row.device)
      check(row.type == PmuType::other ? "own_pmus" : "tegra410", {row.device->hid, row.device->uid, row.name});
  }
  for (const SocPmuRow& row : soc_pmus(spec)) {
    if (row.apmt.type != ApmtNode::Type::acpi_device) continue;
    check(fmt::format("coresight_pmus[{}].hid", row.pmu),
          {spec.soc.pmus[row.pmu].hid, fmt::format("{}", row.apmt.instance_secondary), row.name});
  }
  for (const auto& part : spec.parts) {
    const PartClaims claims = part->claims();
    for (const PartClaims::Device& device : claims.devices) check(claims.field, device);
  }
}

}  // namespace

std::vector<MemoryRange> default_memory(unsigned sockets) {
  std::vector<MemoryRange> ranges;
  for (unsigned socket = 0; socket < sockets; ++socket) {
    const std::uint64_t base = std::uint64_t{socket} << default_map::kSocketShift;
    ranges.push_back({base + default_map::kCmem, default_map::kCmemSize, socket, MemoryClass::cmem});
    ranges.push_back({base + default_map::kGmem, default_map::kGmemSize, socket, MemoryClass::gmem});
    ranges.push_back({base + default_map::kCxl, default_map::kCxlSize, socket, MemoryClass::cxl});
  }
  return ranges;
}

std::vector<MemoryRange> system_map(const PlatformSpec& spec) {
  std::vector<MemoryRange> ranges = spec.memory.empty() ? default_memory(spec.sockets) : spec.memory;
  const std::vector<MemoryRange> bars = bar_ranges_of(spec);
  ranges.insert(ranges.end(), bars.begin(), bars.end());
  return ranges;
}

void validate(const PlatformSpec& spec) {
  check_sockets(spec);
  check_pcie(spec);
  check_memory(spec);
  if (!spec.tegra410 && spec.cmn.empty() && spec.cxl.empty() && spec.soc.pmus.empty() && spec.dwc.empty() &&
      spec.parts.empty())
    fail("tegra410", "is missing, and there are neither meshes, CXL devices, coresight_pmus nor dwc_root_ports");
  check_tegra410(spec);
  check_own_pmus(spec);
  check_meshes(spec.cmn, spec.sockets);
  check_soc(spec);
  check_interrupt_numbers(spec);
  check_devices(spec);
  check_links(spec);
  check_cxl(spec.cxl);
  check_dwc(spec);
  check_windows(spec);
  check_windows_of_own_pmus(spec);
  check_free_windows(spec);
  for (const auto& part : spec.parts) part->check();
}

}  // namespace pmufab::platform
