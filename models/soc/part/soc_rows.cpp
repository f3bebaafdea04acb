// SPDX-License-Identifier: Apache-2.0
#include "models/soc/part/soc_rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>

#include <fmt/format.h>

#include "models/soc/part/pci_places.h"
#include "models/tegra410/part/pmu_row.h"

namespace pmufab::platform {
namespace {

using soc::PmuDescription;
using Type = ApmtNode::Type;

constexpr std::uint64_t kSocPage = 0x1000;
constexpr std::array<const char*, 5> kTypeNames = {"mc", "smmu", "pcie", "acpi", "cache"};

bool is_on(const PmuDescription& pmu, unsigned socket) {
  return pmu.sockets.empty() || std::find(pmu.sockets.begin(), pmu.sockets.end(), socket) != pmu.sockets.end();
}

/// Numbers that are not given: the smallest that is free.
class Numbers {
 public:
  void take(std::uint32_t number) { taken_.insert(number); }
  std::uint32_t next() {
    while (taken_.contains(next_)) ++next_;
    taken_.insert(next_);
    return next_;
  }

 private:
  std::set<std::uint32_t> taken_;
  std::uint32_t next_ = 0;
};

std::vector<SocPmuRow> bare_rows(const PlatformSpec& spec) {
  std::vector<SocPmuRow> rows;
  for (std::size_t index = 0; index < spec.of<SocSpec>().pmus.size(); ++index) {
    const PmuDescription& pmu = spec.of<SocSpec>().pmus[index];
    for (unsigned socket = 0; socket < spec.sockets; ++socket) {
      if (!is_on(pmu, socket)) continue;
      SocPmuRow& row = rows.emplace_back();
      row.pmu = index;
      row.socket = socket;
      row.name = fmt::format("socket{}.{}", socket, pmu.name);
    }
  }
  return rows;
}

void replace_socket(std::string& text, unsigned socket) {
  constexpr std::string_view kSocket = "{socket}";
  if (const std::size_t at = text.find(kSocket); at != std::string::npos)
    text.replace(at, kSocket.size(), fmt::format("{}", socket));
}

/// A PMU with a register map.
void describe_device(const PmuDescription& pmu, SocPmuRow& row) {
  const std::uint64_t from = address_in(row.socket, 0);
  AcpiDevice& device = row.device.emplace();
  device.hid = pmu.map->device.hid;
  device.uid = pmu.map->device.uid;
  replace_socket(device.uid, row.socket);
  const auto& below = pmu.map->device.below;
  if (below) {
    AcpiDevice& parent = row.parent.emplace();
    parent.hid = below->hid;
    parent.uid = below->uid;
    replace_socket(parent.uid, row.socket);
    parent.compatible = below->compatible;
    parent.node = row.socket;
    device.uid.insert(0, parent.hid.empty() ? parent.compatible + '/' : parent.hid + ':' + parent.uid + '/');
  }
  for (const soc::WindowDescription& window : pmu.map->windows) {
    row.windows.push_back(
        {window.name.empty() ? row.name : row.name + "." + window.name, from + window.base, window.size});
    const bool is_above = below && std::ranges::find(below->windows, window.name) != below->windows.end();
    (is_above ? *row.parent : device).memory.push_back({from + window.base, window.size});
  }
  device.compatible = pmu.map->device.compatible;
  for (const auto& [name, value] : pmu.map->device.properties) {
    if (value >> 32 != 0) {
      device.properties_u64[name] = value;
    } else {
      device.properties[name] = static_cast<std::uint32_t>(value);
    }
  }
  device.node = row.socket;
  if (!pmu.interrupt) return;
  for (const std::uint32_t number : pmu.interrupt->numbers(row.socket)) {
    device.interrupts.insert(device.interrupts.end(), pmu.interrupt->count, {number, nullptr});
    if (row.parent) row.parent->interrupts.push_back({number, nullptr});
  }
}

void describe(const PlatformSpec& spec, SocPmuRow& row) {
  const PmuDescription& pmu = spec.of<SocSpec>().pmus[row.pmu];
  if (pmu.map) return describe_device(pmu, row);
  const std::uint64_t from = address_in(row.socket, 0);
  ApmtNode& node = row.apmt;
  node.type = pmu.type;
  node.base0 = from + pmu.base;
  row.windows.push_back({row.name, node.base0, kSocPage});
  if (pmu.page1) {
    node.base1 = from + *pmu.page1;
    row.windows.push_back({row.name + ".page1", *node.base1, kSocPage});
  }
  if (pmu.interrupt) node.overflow_interrupt = InterruptResource{pmu.interrupt->number + row.socket, nullptr};
  node.affinity_is_container = !pmu.cpu.has_value();
  node.processor_affinity = pmu.cpu ? row.socket * spec.cpus_per_socket + *pmu.cpu : row.socket;
  node.atomic_64bit = pmu.atomic_64bit;
  node.implementation_id = pmu.implementation_id;
}

void set_instance(const PmuDescription& pmu, std::uint32_t number, ApmtNode& node) {
  switch (pmu.type) {
    case Type::acpi_device:
      std::memcpy(&node.instance_primary, pmu.hid.data(),
                  std::min(pmu.hid.size(), sizeof(node.instance_primary)));  // little endian, and so is the host
      node.instance_secondary = number;
      break;
    case Type::cache:
      node.instance_secondary = number;
      break;
    case Type::smmu:
    case Type::pcie_root:
    case Type::memory_controller:
      node.instance_primary = number;
      break;
  }
}

/// Instances are numbered within their type, ACPI devices within their hardware id.
void number_instances(const PlatformSpec& spec, std::vector<SocPmuRow>& rows) {
  std::map<std::pair<Type, std::string>, Numbers> numbers;
  const auto numbers_of = [&](const PmuDescription& pmu) -> Numbers& {
    return numbers[{pmu.type, pmu.type == Type::acpi_device ? pmu.hid : std::string()}];
  };
  for (const SocPmuRow& row : rows) {
    const PmuDescription& pmu = spec.of<SocSpec>().pmus[row.pmu];
    if (pmu.instance && !pmu.map) numbers_of(pmu).take(*pmu.instance + row.socket);
  }
  for (SocPmuRow& row : rows) {
    const PmuDescription& pmu = spec.of<SocSpec>().pmus[row.pmu];
    if (pmu.map) continue;
    set_instance(pmu, pmu.instance ? *pmu.instance + row.socket : numbers_of(pmu).next(), row.apmt);
  }
}

/// Nodes are numbered after those of other fabrics, memory controllers first: the driver names them by that number.
void number_nodes(const PlatformSpec& spec, std::vector<SocPmuRow>& rows) {
  Numbers numbers;
  std::uint32_t others = 0;
  for (const PmuRow& row : tegra410_pmus(spec)) {
    if (row.apmt) numbers.take(others++);
  }
  for (SocPmuRow& row : rows) {
    if (const auto id = spec.of<SocSpec>().pmus[row.pmu].id; id && !row.device) {
      row.apmt.id = *id + row.socket;
      numbers.take(row.apmt.id);
    }
  }
  for (const bool controllers : {true, false}) {
    for (SocPmuRow& row : rows) {
      const PmuDescription& pmu = spec.of<SocSpec>().pmus[row.pmu];
      if (!row.device && !pmu.id && (pmu.type == Type::memory_controller) == controllers) row.apmt.id = numbers.next();
    }
  }
}

std::uint64_t number_in_name(const ApmtNode& node) {
  switch (node.type) {
    case Type::memory_controller:
      return node.id;
    case Type::smmu:
    case Type::pcie_root:
      return node.instance_primary;
    case Type::acpi_device:
    case Type::cache:
      break;
  }
  return node.instance_secondary;
}

/// As arm_cspmu and the kernel's documents for its back-ends name PMUs.
void name_rows(const PlatformSpec& spec, std::vector<SocPmuRow>& rows) {
  std::map<Type, unsigned> order;
  for (SocPmuRow& row : rows) {
    const PmuDescription& pmu = spec.of<SocSpec>().pmus[row.pmu];
    row.perf_name = pmu.perf_name;
    replace_socket(row.perf_name, row.socket);
    row.old_perf_name = row.perf_name;
    if (!row.perf_name.empty()) continue;
    const std::string_view type = kTypeNames.at(static_cast<std::size_t>(pmu.type));
    if (pmu.type == Type::acpi_device) {
      row.perf_name = fmt::format("arm_cspmu_{}_{}_{}", type, pmu.hid, row.apmt.instance_secondary);
      row.old_perf_name = row.perf_name;
    } else {
      row.perf_name = fmt::format("arm_cspmu_{}_{}", type, number_in_name(row.apmt) & 0xffff'ffffU);
      row.old_perf_name = fmt::format("arm_cspmu_{}_{}", type, order[pmu.type]++);
    }
  }
}

}  // namespace

std::string field_of(const soc::Description& description, std::size_t pmu) {
  if (!description.pmus[pmu].map) return fmt::format("coresight_pmus[{}].", pmu);
  const auto first = std::find_if(description.pmus.begin(), description.pmus.end(),
                                  [](const PmuDescription& one) { return one.map.has_value(); });
  return fmt::format("pmus[{}].", pmu - static_cast<std::size_t>(first - description.pmus.begin()));
}

std::vector<SocPmuRow> soc_pmus(const PlatformSpec& spec) {
  std::vector<SocPmuRow> rows = bare_rows(spec);
  for (SocPmuRow& row : rows) describe(spec, row);
  number_instances(spec, rows);
  number_nodes(spec, rows);
  name_rows(spec, rows);
  return rows;
}

PartClaims SocSpec::claims(const PlatformSpec& platform) const {
  PartClaims claims;
  std::set<std::pair<std::string, std::string>> parents;
  for (const SocPmuRow& row : soc_pmus(platform)) {
    const std::string field = field_of(*this, row.pmu);
    if (row.parent && !row.parent->hid.empty() && parents.emplace(row.parent->hid, row.parent->uid).second)
      claims.devices.push_back(
          {row.parent->hid, row.parent->uid, "what " + row.name + " is below", field + "device.below.uid"});
    for (const PmuWindow& window : row.windows) {
      const std::size_t number = static_cast<std::size_t>(&window - row.windows.data());
      const std::string key = row.device ? fmt::format("windows[{}].base", number) : number == 0 ? "base" : "page1";
      claims.windows.push_back({"registers " + window.name, window.base, window.size, field + key});
    }
    if (const auto& its = pmus[row.pmu].interrupt; its) {
      const std::vector<std::uint32_t> numbers = its->numbers(row.socket);
      for (std::size_t line = 0; line < numbers.size(); ++line)
        claims.interrupts.push_back(
            {numbers[line], its->shared ? "described PMUs that share one" : row.name,
             field + (its->lines.empty() ? "interrupt.number" : fmt::format("interrupt.lines[{}].number", line))});
    }
    if (row.device && !row.device->hid.empty())
      claims.devices.push_back({row.device->hid, row.device->uid, row.name, field + "device.uid"});
    if (!row.device && row.apmt.type == Type::acpi_device)
      claims.devices.push_back(
          {pmus[row.pmu].hid, fmt::format("{}", row.apmt.instance_secondary), row.name, field + "hid"});
  }
  claim_pci(platform, claims);
  return claims;
}

}  // namespace pmufab::platform
