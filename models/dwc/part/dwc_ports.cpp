// SPDX-License-Identifier: Apache-2.0
#include "models/dwc/part/dwc_ports.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tlm/spec/spec_error.h"

namespace pmufab::platform {
namespace {

constexpr std::uint64_t kMaximumDwcClock = 1'000'000'000'000;  // limit of ClockDomain
constexpr unsigned kMaximumDwcBus = 255;
constexpr unsigned kLeastTimeWidth = 32;
constexpr unsigned kGreatestTimeWidth = 64;
constexpr unsigned kDevicesOfBus = 32;

void check_dwc_port(const std::string& field, const dwc::RootPortDescription& port, unsigned sockets) {
  if (!std::has_single_bit(port.lanes) || port.lanes > dwc::kMaximumLanes)
    throw SpecError(field + "lanes", fmt::format("are {}, must be 1, 2, 4, 8 or 16", port.lanes));
  if (port.socket >= sockets)
    throw SpecError(field + "socket", fmt::format("{} is not below the number of sockets, {}", port.socket, sockets));
  if (port.clock_hz == 0 || port.clock_hz > kMaximumDwcClock)
    throw SpecError(field + "clock_hz", fmt::format("is {} Hz, must be 1 Hz ... 1 THz", port.clock_hz));
  check_between(field + "time_counter_width", port.time_width, kLeastTimeWidth, kGreatestTimeWidth);
  if (port.device >= kDevicesOfBus)
    throw SpecError(field + "address", fmt::format("has device {}, must be below 32", port.device));
}

/// Ports on one root bus are of one socket, and each has a bus of its own behind the root bus, before the next one.
void check_dwc_bridges(const PlatformSpec& spec) {
  const std::vector<DwcBridge> bridges = dwc_bridges(spec);
  std::map<std::pair<unsigned, unsigned>, const DwcBridge*> by_bus;
  std::set<unsigned> segments;
  for (const DwcBridge& bridge : bridges) {
    by_bus.emplace(std::pair(bridge.segment, bridge.first_bus), &bridge);
    segments.insert(bridge.segment);
    for (const unsigned port : bridge.ports) {
      if (spec.of<DwcSpec>().ports[port].socket != bridge.socket)
        throw SpecError(fmt::format("dwc_root_ports[{}].socket", port),
                        fmt::format("is {}, and that of other root ports on the root bus is {}",
                                    spec.of<DwcSpec>().ports[port].socket, bridge.socket));
    }
  }
  if (segments.size() > default_map::kDwcSegments)
    throw SpecError("dwc_root_ports", fmt::format("are in {} segments, must be in at most {}", segments.size(),
                                                  default_map::kDwcSegments));
  for (const DwcBridge& bridge : bridges) {
    const auto next = by_bus.upper_bound({bridge.segment, bridge.first_bus});
    const bool is_last = next == by_bus.end() || next->second->segment != bridge.segment;
    const std::size_t last_bus = bridge.first_bus + bridge.ports.size();
    if (last_bus > (is_last ? kMaximumDwcBus : next->second->first_bus - 1U))
      throw SpecError(fmt::format("dwc_root_ports[{}].address", bridge.ports.front()),
                      fmt::format("leaves no bus for what is below the {} root ports on bus {:#x} of the segment",
                                  bridge.ports.size(), bridge.first_bus),
                      is_last ? "" : fmt::format("the next root bus is {:#x}", next->second->first_bus));
  }
}

}  // namespace

std::vector<DwcBridge> dwc_bridges(const PlatformSpec& spec) {
  std::vector<DwcBridge> bridges;
  std::map<unsigned, std::uint64_t> ecam_bases;  // by segment
  for (unsigned port = 0; port < spec.of<DwcSpec>().ports.size(); ++port) {
    const dwc::RootPortDescription& description = spec.of<DwcSpec>().ports[port];
    auto bridge = std::find_if(bridges.begin(), bridges.end(), [&](const DwcBridge& one) {
      return one.segment == description.segment && one.first_bus == description.bus;
    });
    if (bridge == bridges.end()) {
      const std::uint64_t next = default_map::kDwcEcam + ecam_bases.size() * default_map::kPcieEcamOfSegment;
      DwcBridge& added = bridges.emplace_back();
      added.segment = description.segment;
      added.ecam_base = ecam_bases.emplace(description.segment, next).first->second;
      added.first_bus = description.bus;
      added.socket = description.socket;
      bridge = std::prev(bridges.end());
    }
    bridge->ports.push_back(port);
    bridge->last_bus = static_cast<std::uint8_t>(bridge->first_bus + bridge->ports.size());
  }
  return bridges;
}

std::uint64_t dwc_configuration(const PlatformSpec& spec, unsigned port) {
  const dwc::RootPortDescription& description = spec.of<DwcSpec>().ports.at(port);
  for (const DwcBridge& bridge : dwc_bridges(spec)) {
    if (bridge.segment == description.segment)
      return bridge.ecam_base + (std::uint64_t{description.bus} << 20) + (std::uint64_t{description.device} << 15);
  }
  return 0;
}

std::string dwc_perf_name(const dwc::RootPortDescription& port) {
  return fmt::format("dwc_rootport_{:x}", std::uint32_t{port.segment} << 16 | std::uint32_t{port.bus} << 8 |
                                              std::uint32_t{port.device} << 3);
}

void check_dwc(const PlatformSpec& spec) {
  std::set<std::string> names;
  std::set<std::tuple<unsigned, unsigned, unsigned>> places;
  for (unsigned index = 0; index < spec.of<DwcSpec>().ports.size(); ++index) {
    const dwc::RootPortDescription& port = spec.of<DwcSpec>().ports[index];
    const std::string field = fmt::format("dwc_root_ports[{}].", index);
    check_dwc_port(field, port, spec.sockets);
    check_module_name(field + "name", port.name);
    std::string name = port.name;  // of modules, in which - becomes _
    std::replace(name.begin(), name.end(), '-', '_');
    if (!names.insert(name).second)
      throw SpecError(field + "name", fmt::format("'{}' is that of another root port", port.name));
    if (!places.emplace(port.segment, port.bus, port.device).second)
      throw SpecError(field + "address", "is that of another root port");
  }
  check_dwc_bridges(spec);
}

PartClaims DwcSpec::claims(const PlatformSpec& platform) const {
  PartClaims claims;
  std::set<unsigned> segments;
  for (const DwcBridge& bridge : dwc_bridges(platform)) {
    if (!segments.insert(bridge.segment).second) continue;
    claims.segments.push_back(
        {bridge.segment, "DesignWare root ports", fmt::format("dwc_root_ports[{}].address", bridge.ports.front()), {}});
    claims.windows.push_back({fmt::format("configuration space of PCI segment {}", bridge.segment), bridge.ecam_base,
                              default_map::kPcieEcamOfSegment});
  }
  return claims;
}

}  // namespace pmufab::platform
