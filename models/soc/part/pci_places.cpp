// SPDX-License-Identifier: Apache-2.0
#include "models/soc/part/pci_places.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "models/soc/part/soc_rows.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::platform {
namespace {

using soc::PciFunctionDescription;

bool is_one_place(const PciFunctionDescription& a, const PciFunctionDescription& b) {
  return std::tie(a.segment, a.bus, a.device, a.function) == std::tie(b.segment, b.bus, b.device, b.function);
}

/// The key that places it, for messages.
std::string key_of(const PlatformSpec& spec, const PciPlace& place, std::string_view key) {
  const soc::Description& all = spec.of<SocSpec>();
  for (std::size_t pmu = 0; pmu < all.pmus.size(); ++pmu) {
    if (!all.pmus[pmu].map) continue;
    const std::vector<PciFunctionDescription>& others = all.pmus[pmu].map->device.pci_others;
    if (place.pmu == pmu) return fmt::format("{}device.pci.{}", field_of(all, pmu), key);
    for (std::size_t other = 0; !place.pmu && other < others.size(); ++other) {
      PciFunctionDescription its = others[other];
      its.segment = static_cast<std::uint16_t>(its.segment + place.socket);
      if (is_one_place(its, place.description))
        return fmt::format("{}device.pci.functions[{}].{}", field_of(all, pmu), other, key);
    }
  }
  return "pmus";
}

}  // namespace

std::vector<PciPlace> pci_places(const PlatformSpec& spec) {
  std::vector<PciPlace> places;
  const auto add = [&](const PciFunctionDescription& function, unsigned socket, std::optional<std::size_t> pmu) {
    PciPlace place{function, socket, pmu, function.bus};
    place.description.segment = static_cast<std::uint16_t>(function.segment + socket);
    // Several drivers may look for one function.
    const bool is_known = !pmu && std::ranges::any_of(places, [&](const PciPlace& one) {
      return !one.pmu && is_one_place(one.description, place.description);
    });
    if (!is_known) places.push_back(place);
  };
  const std::vector<SocPmuRow> rows = soc_pmus(spec);
  for (const bool is_own : {true, false}) {
    for (const SocPmuRow& row : rows) {
      const auto& map = spec.of<SocSpec>().pmus[row.pmu].map;
      if (!map || !map->device.pci) continue;
      if (is_own) add(*map->device.pci, row.socket, row.pmu);
      for (const PciFunctionDescription& other : map->device.pci_others) {
        if (!is_own) add(other, row.socket, std::nullopt);
      }
    }
  }
  for (PciPlace& place : places) {
    for (const PciPlace& other : places) {
      const PciFunctionDescription& its = place.description;
      if (other.description.segment != its.segment) continue;
      if (other.description.bus_below == its.bus) place.root_bus = other.description.bus;
      place.has_siblings = place.has_siblings || (other.description.bus == its.bus &&
                                                  other.description.device == its.device && &other != &place);
    }
  }
  return places;
}

std::vector<PciSegment> pci_bridges(const PlatformSpec& spec) {
  std::vector<PciSegment> bridges;
  std::map<unsigned, std::uint64_t> ecams;  // by segment
  for (const PciPlace& place : pci_places(spec)) {
    const PciFunctionDescription& its = place.description;
    const std::uint64_t next = default_map::kSocEcam + ecams.size() * default_map::kPcieEcamOfSegment;
    const std::uint64_t ecam = ecams.emplace(its.segment, next).first->second;
    auto bridge = std::ranges::find_if(
        bridges, [&](const PciSegment& one) { return one.number == its.segment && one.first_bus == place.root_bus; });
    if (bridge == bridges.end()) {
      const auto root = static_cast<std::uint8_t>(place.root_bus);
      bridges.push_back({.number = its.segment, .ecam_base = ecam, .first_bus = root, .node = place.socket});
      bridge = std::prev(bridges.end());
    }
    bridge->last_bus = std::max({bridge->last_bus, its.bus, its.bus_below.value_or(0)});
  }
  return bridges;
}

void check_pci_places(const PlatformSpec& spec) {
  const std::vector<PciPlace> places = pci_places(spec);
  for (const PciPlace& place : places) {
    const PciFunctionDescription& its = place.description;
    const auto count = [&](const auto& is_same) {
      return std::ranges::count_if(places, [&](const PciPlace& one) {
        return one.description.segment == its.segment && is_same(one.description);
      });
    };
    if (count([&](const auto& one) { return is_one_place(one, its); }) > 1)
      throw SpecError(key_of(spec, place, "address"), "is that of another function", "socket s adds s to the segment");
    if (its.function > 0 && count([&](const auto& one) {
                              return one.bus == its.bus && one.device == its.device && one.function == 0;
                            }) == 0)
      throw SpecError(key_of(spec, place, "address"),
                      "is of a device without a function 0, where nobody looks for others");
    if (!its.bus_below) continue;
    if (*its.bus_below <= its.bus)
      throw SpecError(key_of(spec, place, "bus_below"),
                      fmt::format("{:#x} is not above bus {:#x}, on which the port is", *its.bus_below, its.bus));
    if (count([&](const auto& one) { return one.bus_below == its.bus_below; }) > 1)
      throw SpecError(key_of(spec, place, "bus_below"), "is that of another port");
    if (place.root_bus != its.bus)
      throw SpecError(key_of(spec, place, "bus_below"), "makes a port below a port", "root ports are on a root bus");
  }
  const std::vector<PciSegment> bridges = pci_bridges(spec);
  std::set<unsigned> segments;
  for (const PciSegment& bridge : bridges) {
    segments.insert(bridge.number);
    for (const PciSegment& other : bridges) {
      if (&other != &bridge && other.number == bridge.number && bridge.first_bus <= other.first_bus &&
          other.first_bus <= bridge.last_bus)
        throw SpecError("pmus", fmt::format("have root bus {:#x} of segment {} among the buses below root bus {:#x}",
                                            other.first_bus, bridge.number, bridge.first_bus));
    }
  }
  if (segments.size() > default_map::kSocSegments)
    throw SpecError("pmus", fmt::format("are in {} PCI segments, must be in at most {}", segments.size(),
                                        default_map::kSocSegments));
}

void claim_pci(const PlatformSpec& spec, PartClaims& claims) {
  std::set<unsigned> segments;
  const std::vector<PciPlace> places = pci_places(spec);
  for (const PciSegment& bridge : pci_bridges(spec)) {
    if (!segments.insert(bridge.number).second) continue;
    const auto place =
        std::ranges::find_if(places, [&](const PciPlace& one) { return one.description.segment == bridge.number; });
    claims.segments.push_back({bridge.number, "described PMUs", key_of(spec, *place, "address"), {}});
    claims.windows.push_back({fmt::format("configuration space of PCI segment {}", bridge.number), bridge.ecam_base,
                              default_map::kPcieEcamOfSegment});
  }
}

}  // namespace pmufab::platform
