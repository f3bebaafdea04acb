// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/system_address_map.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace pmufab::cmn {

namespace {

/// @return the kind of a device with such a node; none if the node does not decide it.
DeviceKind kind_of(NodeType type) {
  switch (type) {
    case NodeType::rn_i:
      return DeviceKind::rn_i;
    case NodeType::rn_d:
      return DeviceKind::rn_d;
    case NodeType::hn_f:
    case NodeType::hn_s:
      return DeviceKind::home;
    case NodeType::hn_i:
    case NodeType::hn_p:
      return DeviceKind::io_home;
    case NodeType::sbsx:
      return DeviceKind::sbsx;
    case NodeType::mtsx:
      return DeviceKind::mtsx;
    case NodeType::cxra:
    case NodeType::cxha:
    case NodeType::ccra:
    case NodeType::ccha:
      return DeviceKind::gateway;
    default:
      return DeviceKind::none;
  }
}

const char* who_answers(Region region) {
  switch (region) {
    case Region::sn_f:
      return "home nodes with an SN-F";
    case Region::sbsx:
      return "home nodes with an SBSX";
    case Region::mtsx:
      return "home nodes with an MTSX";
    case Region::io:
      return "an HN-I, HN-D, HN-T or HN-P";
    case Region::remote:
      return "a gateway to another mesh";
  }
  return "nodes of a region 0, 1, 2 or 4";
}

[[noreturn]] void nobody(std::uint64_t address) {
  throw std::invalid_argument(fmt::format("no node answers for address {:#x}: the mesh needs {}", address,
                                          who_answers(SystemAddressMap::region_of(address))));
}

}  // namespace

SystemAddressMap::SystemAddressMap(const Topology& topology, const Layout& layout) {
  std::vector<std::pair<unsigned, std::uint16_t>> homes;  // with logical ids
  for (unsigned xp = 0; xp < layout.xps(); ++xp) {
    const Crosspoint& crosspoint = topology.crosspoints[xp];
    const unsigned shift = device_bits(topology, crosspoint);
    for (unsigned port = 0; port < crosspoint.ports.size(); ++port) {
      const Port& connected = crosspoint.ports[port];
      if (connected.device == DeviceType::none) continue;
      for (unsigned device = connected.first_device; device < device_end(connected); ++device) {
        DevicePlace place;
        place.node_id = static_cast<std::uint16_t>(layout.xp(xp).node_id | port << shift | device);
        place.xp = static_cast<std::uint8_t>(xp);
        place.port = static_cast<std::uint8_t>(port);
        place.device = static_cast<std::uint8_t>(device);
        place.type = connected.device;
        if (is_rn_f(connected.device)) place.kind = DeviceKind::rn_f;
        if (is_sn_f(connected.device)) place.kind = DeviceKind::sn_f;
        const Layout::Range children = layout.children(xp);
        for (unsigned index = children.first; index < children.last; ++index) {
          const NodePlace& node = layout.nodes()[index];
          if (node.port != port || node.device != device || node.is_closed()) continue;
          place.nodes.push_back(index);
          if (node.type == NodeType::hn_s) has_local_homes_ = true;
          if (node.type == NodeType::dvm) dvm_nodes_.push_back(place.node_id);
          const DeviceKind kind = kind_of(node.type);
          if (kind == DeviceKind::none || place.kind != DeviceKind::none) continue;
          place.kind = kind;
          if (kind == DeviceKind::home) homes.emplace_back(node.logical_id, place.node_id);
        }
        if (place.kind != DeviceKind::none && place.kind != DeviceKind::home)
          by_kind_[static_cast<unsigned>(place.kind)].push_back(place.node_id);
        devices_.push_back(std::move(place));
      }
    }
  }
  std::stable_sort(homes.begin(), homes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& home : homes) by_kind_[static_cast<unsigned>(DeviceKind::home)].push_back(home.second);
}

void SystemAddressMap::link(std::span<const std::uint16_t> gateways, const SystemAddressMap& other) {
  gateways_.assign(gateways.begin(), gateways.end());
  for (unsigned region = 0; region < remote_memory_.size(); ++region)
    remote_memory_[region] = other.has(static_cast<Region>(region));
}

std::uint16_t SystemAddressMap::gateway_of(std::uint64_t address) const {
  const auto region = static_cast<std::size_t>(address >> kRegionShift & 7U);
  if (!is_remote(address) || gateways_.empty() || region >= remote_memory_.size() || !remote_memory_[region])
    nobody(address);
  return gateways_[(address & ~kRemote) / 64 % gateways_.size()];
}

bool SystemAddressMap::has(Region region) const noexcept {
  switch (region) {
    case Region::sn_f:
      return homes() != 0 && !nodes(DeviceKind::sn_f).empty();
    case Region::sbsx:
      return homes() != 0 && !nodes(DeviceKind::sbsx).empty();
    case Region::mtsx:
      return homes() != 0 && !nodes(DeviceKind::mtsx).empty();
    case Region::io:
      return !nodes(DeviceKind::io_home).empty();
    case Region::remote:
      return !gateways_.empty();
  }
  return false;
}

void SystemAddressMap::check_range(std::uint64_t base, std::uint64_t size) const {
  if (size == 0 || size > (std::uint64_t{1} << kRegionShift) || base >> 48 != 0)
    throw std::invalid_argument(
        fmt::format("{} bytes from {:#x} are not a valid range: addresses have 48 bits, and "
                    "bits 47:44 select the node that answers",
                    size, base));
  if (base >> kRegionShift != (base + size - 1) >> kRegionShift)
    throw std::invalid_argument(fmt::format(
        "{:#x} bytes from {:#x} reach into the next region: bits 47:44 must be the same in all of them", size, base));
  if (is_remote(base)) {
    static_cast<void>(gateway_of(base));
  } else if (!has(region_of(base))) {
    nobody(base);
  }
}

std::span<const std::uint16_t> SystemAddressMap::memory_nodes(std::uint64_t address) const noexcept {
  switch (region_of(address)) {
    case Region::sn_f:
      return nodes(DeviceKind::sn_f);
    case Region::sbsx:
      return nodes(DeviceKind::sbsx);
    case Region::mtsx:
      return nodes(DeviceKind::mtsx);
    default:
      return {};
  }
}

std::uint16_t SystemAddressMap::home_of(std::uint64_t address) const {
  if (is_remote(address)) {
    static_cast<void>(gateway_of(address));
  } else if (memory_nodes(address).empty()) {
    nobody(address);
  }
  if (homes() == 0) nobody(address);
  return nodes(DeviceKind::home)[home_index_of(address)];
}

std::uint16_t SystemAddressMap::memory_node(unsigned home_index, std::uint64_t address) const {
  if (is_remote(address)) return gateway_of(address);
  const std::span<const std::uint16_t> memory = memory_nodes(address);
  if (memory.empty()) nobody(address);
  return memory[home_index % memory.size()];
}

std::uint16_t SystemAddressMap::io_node(std::uint64_t address) const {
  const std::span<const std::uint16_t> homes = nodes(DeviceKind::io_home);
  if (region_of(address) != Region::io || homes.empty()) nobody(address);
  return homes[address / kPage % homes.size()];
}

}  // namespace pmufab::cmn
