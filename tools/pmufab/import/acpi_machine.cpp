// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/import/machine.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/platform/platform_spec.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/import/acpi_table.h"

namespace pmufab::cli {
namespace {

/// Types of APMT nodes, as platforms name them.
constexpr std::array<const char*, 5> kApmtTypes = {"mc", "smmu", "pcie", "acpi", "cache"};
constexpr unsigned kApmtAcpiDevice = 3;
constexpr unsigned kApmtCache = 4;

/// Devices that pmufab knows, and describes in another way.
const std::map<std::string_view, const char*>& known_devices() {
  static const std::map<std::string_view, const char*> devices = {
      {"NVDA2020", "NV-DLink PMU of a Tegra410, which kind: tegra410 has"},
      {"NVDA2021", "CMEM latency PMU of a Tegra410, which kind: tegra410 has"},
      {"NVDA2022", "NV-CLink PMU of a Tegra410, which kind: tegra410 has"},
      {"NVDA2023", "NVLink-C2C PMU of a Tegra410, which kind: tegra410 has"},
      {"AMZN0070", "CMN S3 of a Graviton5, which scenarios/platforms/graviton5.yaml describes"},
      {"ACPI0016", "CXL host bridge. Describe what is below it under the key cxl"},
  };
  return devices;
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

/// Sockets and processors, as the PPTT or at least affinities tell them.
class Sockets {
 public:
  Sockets(const std::vector<TableFile>& tables, const std::vector<ApmtEntry>& entries, FoundMachine& machine) {
    for (const TableFile& table : tables) {
      if (table.signature != "PPTT") continue;
      std::vector<Package> more = packages_of(table);
      packages_.insert(packages_.end(), more.begin(), more.end());
    }
    if (packages_.empty()) {
      machine.remarks.emplace_back("there is no PPTT: sockets and CPUs are placeholders");
      std::set<std::uint32_t> containers;
      for (const ApmtEntry& entry : entries) {
        if (entry.affinity_is_container) containers.insert(entry.affinity);
      }
      for (const std::uint32_t container : containers) packages_.push_back({{}, {{container, 0}}});
    }
    machine.sockets = static_cast<unsigned>(std::max<std::size_t>(1, packages_.size()));
    for (const Package& package : packages_)
      machine.cpus_per_socket = std::max(machine.cpus_per_socket, static_cast<unsigned>(package.processors.size()));
    if (std::ranges::any_of(packages_, [&](const Package& package) {
          return package.processors.size() != packages_.front().processors.size();
        }))
      machine.remarks.emplace_back("sockets have different numbers of CPUs; this is the largest");
  }

  /// Put a PMU to the processors that it belongs to.
  void place(const ApmtEntry& entry, FoundPmu& pmu) const {
    for (unsigned socket = 0; socket < packages_.size(); ++socket) {
      const Package& package = packages_[socket];
      const auto cpu = std::ranges::find(package.processors, entry.affinity);
      const bool is_there =
          entry.affinity_is_container ? package.containers.contains(entry.affinity) : cpu != package.processors.end();
      if (!is_there) continue;
      pmu.socket = socket;
      const std::size_t all = package.processors.size();
      if (!entry.affinity_is_container) {
        pmu.facts.cpu = static_cast<unsigned>(cpu - package.processors.begin());
      } else if (const std::size_t its = package.containers.at(entry.affinity); its < all) {
        pmu.facts.remarks.push_back(
            fmt::format("it belongs to {} of the {} CPUs of its socket, here to all", its, all));
      }
      return;
    }
    // Its address may tell.
    const std::uint64_t socket = entry.base0 >> platform::default_map::kSocketShift;
    if (socket < packages_.size()) pmu.socket = static_cast<unsigned>(socket);
    pmu.facts.remarks.push_back(fmt::format("it belongs to {} {}, which is in no table",
                                            entry.affinity_is_container ? "processor container" : "processor",
                                            entry.affinity));
  }

 private:
  std::vector<Package> packages_;
};

/// @return the hardware id in the instance of an ACPI device; empty if it is none of eight letters and digits
std::string hardware_id(std::uint64_t primary) {
  std::string id;
  for (unsigned index = 0; index < sizeof primary; ++index) id += static_cast<char>(primary >> 8 * index);
  const bool is_id = std::ranges::all_of(id, [](unsigned char c) { return std::isalnum(c) != 0 && c < 0x80; });
  return is_id ? id : std::string();
}

void add_pmu(const ApmtEntry& entry, const std::string& file, const Sockets& sockets, FoundMachine& machine) {
  FoundPmu pmu;
  pmu.place = fmt::format("node {} of {}", entry.number, printable(file));
  PmuFacts& facts = pmu.facts;
  if (entry.type >= kApmtTypes.size()) {
    machine.others.push_back(fmt::format("{}: a CoreSight PMU at {:#x} of type {}, which pmufab does not know",
                                         pmu.place, entry.base0, entry.type));
    return;
  }
  facts.type = kApmtTypes.at(entry.type);
  facts.instance = entry.primary;
  if (entry.type == kApmtCache) {
    facts.instance = entry.secondary;
    if (entry.primary != 0)
      facts.remarks.push_back(fmt::format("its primary instance is {}, which no key tells", entry.primary));
  }
  if (entry.type == kApmtAcpiDevice) {
    facts.instance = entry.secondary;
    facts.hid = hardware_id(entry.primary);
    if (facts.hid.empty()) {
      machine.others.push_back(
          fmt::format("{}: a CoreSight PMU at {:#x} of an ACPI device, with {:#018x} in place of a "
                      "hardware id of eight letters and digits",
                      pmu.place, entry.base0, entry.primary));
      return;
    }
  }
  facts.id = entry.id;
  facts.base = entry.base0;
  if (entry.has_two_pages) facts.page1 = entry.base1;
  if (entry.interrupt != 0) facts.interrupt = entry.interrupt;
  facts.is_edge = (entry.interrupt_flags & 1) != 0 && entry.interrupt != 0;
  if ((entry.interrupt_flags & 6) != 0) facts.remarks.emplace_back("the interrupt is not wired, as its flags say");
  facts.atomic_64bit = entry.is_atomic;
  facts.implementation_id = entry.implementation_id;
  sockets.place(entry, pmu);
  machine.pmus.push_back(std::move(pmu));
}

std::string in_words(const NamespaceDevice& device) {
  std::string text =
      fmt::format("{} {}, device {}", device.hid, device.uid.empty() ? "without _UID" : device.uid, device.place);
  std::string_view before = ", registers at";
  for (const NamespaceDevice::Range& range : device.memory) {
    text += fmt::format("{} {:#x} ... {:#x}", before, range.base, range.base + range.size - 1);
    before = " and";
  }
  for (const std::uint64_t number : device.interrupts) text += fmt::format(", interrupt {}", number);
  if (device.segment) text += fmt::format(", segment {}", *device.segment);
  if (device.bus) text += fmt::format(", bus {:#x}", *device.bus);
  return text;
}

/// @return whether `inner` is in `outer`
bool contains(const NamespaceDevice::Range& outer, const NamespaceDevice::Range& inner) {
  return inner.base >= outer.base && inner.size <= outer.size && inner.base - outer.base <= outer.size - inner.size;
}

void add_mesh(const NamespaceDevice& device, const char* product, FoundMachine& machine) {
  FoundMesh mesh{.place = fmt::format("{} {}", device.hid, device.place), .product = product};
  mesh.in_acpi = device.compatible.empty();
  // The windows of CMN-600 are the mesh and its root node, in any order.
  std::vector<NamespaceDevice::Range> memory = device.memory;
  if (mesh.product == "CMN-600" && memory.size() > 1 && !contains(memory[0], memory[1]))
    std::swap(memory[0], memory[1]);
  if (!memory.empty()) {
    mesh.base = memory[0].base;
    mesh.size = memory[0].size;
  }
  const bool has_root = mesh.product == "CMN-600" && memory.size() > 1 && contains(memory[0], memory[1]);
  if (has_root) mesh.root = memory[1].base - mesh.base;
  for (std::size_t more = has_root ? 2 : 1; more < memory.size(); ++more)
    mesh.remarks.push_back(fmt::format("it has a memory resource at {:#x} ... {:#x}, too", memory[more].base,
                                       memory[more].base + memory[more].size - 1));
  for (const std::string& word : device.unread)
    mesh.remarks.push_back(fmt::format("it has a memory resource {} whose place is computed", word));
  mesh.interrupts = device.interrupts;
  mesh.proximity = device.node;
  machine.meshes.push_back(std::move(mesh));
}

/// @return the first id of a device, its own one or a compatible one, that pmufab knows; else its own
const std::string& known_id(const NamespaceDevice& device) {
  const std::string& own = device.hid == "PRP0001" ? device.compatible : device.hid;
  const auto is_known = [](const std::string& id) {
    return mesh_product(id) != nullptr || known_devices().contains(id);
  };
  if (is_known(own)) return own;
  const auto found = std::ranges::find_if(device.cids, is_known);
  return found == device.cids.end() ? own : *found;
}

/// Puts devices of the namespace into the machine.
class Devices {
 public:
  explicit Devices(FoundMachine& machine) : machine_(machine) {
    for (const FoundPmu& pmu : machine.pmus) {
      if (!pmu.facts.hid.empty())
        pmus_.emplace(std::pair(pmu.facts.hid, fmt::format("{}", pmu.facts.instance.value_or(0))), pmu.place);
    }
  }

  void add(const NamespaceDevice& device) {
    const std::string& id = known_id(device);
    const char* const product = mesh_product(id);
    const auto known = known_devices().find(id);
    const bool is_known = product != nullptr || known != known_devices().end();
    if (!device.is_present) {
      if (is_known) machine_.others.push_back(fmt::format("{}: not present, as _STA says", in_words(device)));
      return;
    }
    if (product != nullptr) return add_mesh(device, product, machine_);
    if (is_known) machine_.others.push_back(fmt::format("{}: {}", in_words(device), known->second));
    // What the namespace says of the device of a PMU.
    const auto [first, last] = pmus_.equal_range({device.hid, device.uid});
    for (auto pmu = first; pmu != last; ++pmu) {
      if (!(device.memory.empty() && device.interrupts.empty()))
        machine_.others.push_back(
            fmt::format("{}: belongs to the CoreSight PMU of {}. A description has its pages alone", in_words(device),
                        pmu->second));
    }
    if (is_known || first != last || (device.memory.empty() && device.unread.empty())) return;
    Unknown& unknown = unknown_[device.hid];
    if (unknown.devices++ == 0) unknown.first = in_words(device);
  }

  /// Tell of devices with registers that pmufab does not know, by their ids.
  void finish() const {
    for (const auto& [hid, unknown] : unknown_)
      machine_.asides.push_back(
          unknown.devices == 1
              ? fmt::format("{}: a device that pmufab does not know", unknown.first)
              : fmt::format("{}: the first of {} devices that pmufab does not know", unknown.first, unknown.devices));
  }

 private:
  struct Unknown {
    std::string first;
    unsigned devices = 0;
  };
  FoundMachine& machine_;
  std::multimap<std::pair<std::string, std::string>, std::string> pmus_;  // their places, by hid and instance
  std::map<std::string, Unknown> unknown_;                                // by their hids
};

}  // namespace

FoundMachine machine_from_acpi(const std::vector<std::string>& paths, const std::filesystem::path& scratch) {
  const std::vector<TableFile> tables = read_tables(paths);
  FoundMachine machine;
  std::vector<std::pair<std::string, ApmtEntry>> nodes;  // with the file
  std::vector<ApmtEntry> entries;
  std::set<std::string> signatures;
  for (const TableFile& table : tables) {
    signatures.insert(table.signature);
    if (table.signature != "APMT") continue;
    for (const ApmtEntry& entry : apmt_entries(table)) {
      entries.push_back(entry);
      nodes.emplace_back(file_name(table.file), entry);
    }
  }
  machine.origin = fmt::format("from the ACPI tables {}", fmt::join(signatures, ", "));
  const Sockets sockets(tables, entries, machine);
  for (const auto& [file, entry] : nodes) add_pmu(entry, file, sockets, machine);
  Devices devices(machine);
  for (const TableFile& table : tables) {
    if (table.signature != "DSDT" && table.signature != "SSDT") continue;
    for (const NamespaceDevice& device : devices_in(disassembled(table, scratch), file_name(table.file)))
      devices.add(device);
  }
  devices.finish();
  return machine;
}

}  // namespace pmufab::cli
