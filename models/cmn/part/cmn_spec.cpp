// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/part/cmn_spec.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"
#include "models/cmn/nodes/gateway/gateway.h"
#include "models/cmn/nodes/system_address_map.h"
#include "models/cmn/part/cmn_meshes.h"

namespace pmufab::platform {
namespace {

constexpr Picoseconds kMaximumLatency = 1'000'000'000;  // 1 ms: a larger value is a mistake of units

void check_interrupts(const std::string& field, const CmnSpec& mesh) {
  if (mesh.interrupts.empty()) return;
  if (mesh.interrupts.size() != mesh.topology.dtcs)
    throw SpecError(field, fmt::format("are {}, for {} DTCs; give the interrupt of each, or leave them out",
                                       mesh.interrupts.size(), mesh.topology.dtcs));
  for (const unsigned number : mesh.interrupts) {
    if (number >= cmn::kMaximumDtcs)
      throw SpecError(field,
                      fmt::format("there is no interrupt {}; a mesh has 0 to {}", number, cmn::kMaximumDtcs - 1));
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
      throw SpecError(field(index), error.what());
    }
    if (mesh.firmware == CmnSpec::Firmware::acpi && mesh.topology.product == cmn::Product::ci700)
      throw SpecError(field(index) + ".firmware", "CI-700 has no ACPI hardware id; use device_tree");
    if (mesh.firmware == CmnSpec::Firmware::device_tree && mesh.topology.variant == cmn::Variant::graviton5)
      throw SpecError(field(index) + ".firmware", "no device tree names the mesh of a Graviton5; use acpi");
    check_interrupts(field(index) + ".interrupts", mesh);
    if (mesh.socket && *mesh.socket >= sockets)
      throw SpecError(field(index) + ".socket",
                      fmt::format("{} is not below the number of sockets, {}", *mesh.socket, sockets));
    const cmn::Layout layout(mesh.topology);
    check_vmid_filters(field(index) + ".nodes.dvm_node.vmid_filters", mesh, layout);
    const std::uint64_t size = layout.size();
    if (mesh.topology.base % size != 0)
      throw SpecError(
          field(index) + ".base",
          fmt::format("{:#x} is not a multiple of the configuration space's size {:#x}", mesh.topology.base, size));
    for (std::size_t other = 0; other < index; ++other) {
      const std::uint64_t begin = meshes[other].topology.base;
      const std::uint64_t end = begin + cmn::Layout(meshes[other].topology).size();
      if (mesh.topology.base < end && begin < mesh.topology.base + size)
        throw SpecError(field(index) + ".base", fmt::format("[{:#x}, {:#x}] overlaps the registers of meshes[{}]",
                                                            mesh.topology.base, mesh.topology.base + size - 1, other));
    }
  }
}

void check_link_end(const std::string& field, const CmnLinkSpec::End& end, const std::vector<CmnSpec>& meshes) {
  if (end.mesh >= meshes.size())
    throw SpecError(field, fmt::format("there is no mesh cmn{}; there are {}, from cmn0 on", end.mesh, meshes.size()));
  const cmn::Layout layout(meshes[end.mesh].topology);
  const std::size_t gateways = cmn::gateways_of(layout).size();
  if (end.gateway >= gateways)
    throw SpecError(field, fmt::format("there is no gateway {} in cmn{}: it has {} (CCG or CXRH)", end.gateway,
                                       end.mesh, gateways));
  const bool has_home = std::any_of(layout.nodes().begin(), layout.nodes().end(), [](const cmn::NodePlace& node) {
    return node.type == cmn::NodeType::hn_f || node.type == cmn::NodeType::hn_s;
  });
  if (!has_home) throw SpecError(field, fmt::format("cmn{} has no HN-F or HN-S to serve the other mesh", end.mesh));
}

void check_links(const CmnMeshesSpec& spec) {
  std::map<unsigned, unsigned> other_of;
  std::set<std::pair<unsigned, unsigned>> used;
  for (std::size_t index = 0; index < spec.links.size(); ++index) {
    const CmnLinkSpec& link = spec.links[index];
    const std::string field = fmt::format("links[{}].", index);
    const auto check_end = [&](const char* name, const CmnLinkSpec::End& end, const CmnLinkSpec::End& other) {
      check_link_end(field + name, end, spec.meshes);
      if (!used.emplace(end.mesh, end.gateway).second)
        throw SpecError(field + name, fmt::format("gateway {} of cmn{} has a link already", end.gateway, end.mesh));
      const unsigned same = other_of.emplace(end.mesh, other.mesh).first->second;
      if (same != other.mesh)
        throw SpecError(field + name,
                        fmt::format("cmn{} is linked to cmn{} already; all its links must lead there", end.mesh, same));
    };
    check_end("from", link.from, link.to);
    check_end("to", link.to, link.from);
    if (link.from.mesh == link.to.mesh) throw SpecError(field + "to", "is the same mesh; a link joins two");
    if (const auto fault = cmn::fault_of(link.parameters)) throw SpecError(field + fault->field, fault->reason);
    if (link.parameters.latency > kMaximumLatency) throw SpecError(field + "latency", "is more than 1 ms");
  }
}

}  // namespace

void CmnMeshesSpec::check(const PlatformSpec& platform) const {
  check_meshes(meshes, platform.sockets);
  check_links(*this);
}

PartClaims CmnMeshesSpec::claims(const PlatformSpec& /*platform*/) const {
  PartClaims claims;
  for (std::size_t mesh = 0; mesh < meshes.size(); ++mesh) {
    const std::string name = fmt::format("cmn{}", mesh);
    const cmn::Topology& topology = meshes[mesh].topology;
    claims.windows.push_back(
        {"registers of " + name, topology.base, cmn::Layout(topology).size(), fmt::format("meshes[{}].base", mesh)});
    for (unsigned dtc = 0; dtc < topology.dtcs; ++dtc)
      claims.interrupts.push_back({cmn_interrupt(mesh, dtc), name, fmt::format("meshes[{}]", mesh)});
  }
  return claims;
}

void CmnMeshesSpec::make(const PlatformSpec& platform, PlatformParts& parts) const {
  if (!meshes.empty()) parts.push_back(std::make_unique<CmnMeshes>(platform));
}

}  // namespace pmufab::platform
