// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/part/cmn_meshes.h"

#include <set>

#include <fmt/format.h>

namespace pmufab::platform {

CmnMeshes::CmnMeshes(const PlatformSpec& spec) {
  for (const CmnSpec& mesh : spec.of<CmnMeshesSpec>().meshes)
    meshes_.push_back(std::make_unique<CmnPart>(mesh, static_cast<unsigned>(meshes_.size())));
  for (const CmnLinkSpec& link : spec.of<CmnMeshesSpec>().links)
    links_.push_back(std::make_unique<CmnLink>(link, mesh(link.from.mesh), mesh(link.to.mesh)));
  tell_of_links(spec.of<CmnMeshesSpec>().links);
}

void CmnMeshes::tell_of_links(const std::vector<CmnLinkSpec>& links) {
  for (unsigned index = 0; index < meshes_.size(); ++index) {
    std::set<unsigned> gateways;
    unsigned other = 0;
    for (const CmnLinkSpec& link : links) {
      if (link.from.mesh != index && link.to.mesh != index) continue;
      const bool is_from = link.from.mesh == index;
      gateways.insert(is_from ? link.from.gateway : link.to.gateway);
      other = is_from ? link.to.mesh : link.from.mesh;
    }
    if (gateways.empty()) continue;
    const std::vector<std::uint16_t> all = cmn::gateways_of(mesh(index).layout());
    std::vector<std::uint16_t> linked;
    for (const unsigned gateway : gateways) linked.push_back(all.at(gateway));
    nodes(index).link(linked, nodes(other).addresses());
  }
}

void CmnMeshes::map(MmioBus& bus) {
  for (const auto& mesh : meshes_) mesh->map(bus);
}

void CmnMeshes::describe(FirmwareDescription& firmware) {
  for (const auto& mesh : meshes_) mesh->describe(firmware);
}

void CmnMeshes::reset() {
  for (const auto& mesh : meshes_) mesh->reset();
}

bool CmnMeshes::can_reset(const std::string& window) const {
  for (std::size_t index = 0; index < meshes_.size(); ++index) {
    if (window == fmt::format("cmn{}", index)) return true;
  }
  return false;
}

void CmnMeshes::reset_window(const std::string& window) {
  for (std::size_t index = 0; index < meshes_.size(); ++index) {
    if (window == fmt::format("cmn{}", index)) meshes_[index]->reset();
  }
}

void CmnMeshes::add_registers(std::vector<NamedRegisters>& banks) const {
  for (const auto& mesh : meshes_) mesh->add_registers(banks);
}

std::uint64_t CmnMeshes::pending_at_links() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& link : links_) sum += link->pending();
  return sum;
}

CmnLink::CmnLink(const CmnLinkSpec& spec, cmn::Mesh& from, cmn::Mesh& to)
    : from_(from, cmn::gateways_of(from.layout()).at(spec.from.gateway), spec.parameters),
      to_(to, cmn::gateways_of(to.layout()).at(spec.to.gateway), spec.parameters) {
  cmn::Gateway::connect(from_, to_);
}

}  // namespace pmufab::platform
