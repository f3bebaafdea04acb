// SPDX-License-Identifier: Apache-2.0
#include "models/platform/platform.h"

#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/platform/cmn/cmn_link.h"
#include "models/platform/cmn/cmn_part.h"
#include "models/platform/cxl/cxl_part.h"
#include "models/platform/tegra410/c2c_part.h"
#include "models/platform/tegra410/pcie_part.h"
#include "models/platform/tegra410/pcie_pmu_part.h"
#include "models/platform/tegra410/pcie_spec.h"
#include "models/platform/tegra410/tegra410_part.h"

namespace pmufab::platform {

namespace {

PlatformSpec complete(PlatformSpec spec) {
  validate(spec);
  if (spec.tegra410 && spec.memory.empty()) spec.memory = default_memory(spec.sockets);
  return spec;
}

void describe_cpus(const PlatformSpec& spec, FirmwareDescription& firmware) {
  for (unsigned socket = 0; socket < spec.sockets; ++socket) {
    for (unsigned cpu = 0; cpu < spec.cpus_per_socket; ++cpu) {
      firmware.cpus.push_back({.uid = socket * spec.cpus_per_socket + cpu, .container_uid = socket, .node = socket});
    }
  }
}

}  // namespace

NamedRegisters registers_of(std::string name, const coresight::CoreSightPmu& pmu) {
  return {std::move(name), [&pmu](std::ostream& out, Picoseconds when) { pmu.dump_text(out, when); },
          [&pmu](Picoseconds when) { return pmu.dump_json(when); },
          [&pmu](std::ostream& out) { pmu.dump_markdown(out); }};
}

NamedRegisters registers_of(std::string name, const RegisterBank& bank) {
  return {std::move(name), [&bank](std::ostream& out, Picoseconds when) { bank.dump_text(out, when); },
          [&bank](Picoseconds when) { return nlohmann::json::array({bank.dump_json(when)}); },
          [&bank](std::ostream& out) { bank.dump_markdown(out); }};
}

Platform::Platform(const sc_core::sc_module_name& name, const PlatformSpec& spec)
    : sc_core::sc_module(name), spec_(complete(spec)), bus_("bus") {
  if (spec_.tegra410) {
    auto part = std::make_unique<Tegra410Part>(spec_);
    tegra410_ = part.get();
    parts_.push_back(std::move(part));
    parts_.push_back(std::make_unique<PciePmuPart>(spec_, *tegra410_));
    parts_.push_back(std::make_unique<C2cPart>(spec_, *tegra410_));
    if (!root_complexes_of(spec_).empty()) parts_.push_back(std::make_unique<PciePart>(spec_));
  }
  for (const CmnSpec& mesh : spec_.cmn) {
    auto part = std::make_unique<CmnPart>(mesh, static_cast<unsigned>(cmn_.size()));
    cmn_.push_back(part.get());
    parts_.push_back(std::move(part));
  }
  if (!spec_.cxl.empty()) {
    auto part = std::make_unique<CxlPart>(spec_.cxl);
    cxl_ = part.get();
    parts_.push_back(std::move(part));
  }
  for (const CmnLinkSpec& link : spec_.links)
    links_.push_back(std::make_unique<CmnLink>(link, mesh(link.from.mesh), mesh(link.to.mesh)));
  tell_of_links();
  describe_cpus(spec_, firmware_);
  for (const auto& part : parts_) {
    part->map(bus_);
    part->describe(firmware_);
  }
}

Platform::~Platform() = default;

Tegra410Part& Platform::tegra410() const {
  if (tegra410_ == nullptr) throw std::out_of_range("the platform has no Tegra410 sockets");
  return *tegra410_;
}

tegra410::Socket& Platform::socket(unsigned index) {
  if (index >= spec_.sockets) {
    throw std::out_of_range(fmt::format("there is no socket {}: the platform has {}", index, spec_.sockets));
  }
  return tegra410().socket(index);
}

const tegra410::AddressMap& Platform::address_map() const { return tegra410().address_map(); }
const ClockDomain& Platform::ucf_clock() const { return tegra410().ucf_clock(); }

cmn::Mesh& Platform::mesh(std::size_t index) {
  if (index >= cmn_.size())
    throw std::out_of_range(fmt::format("there is no mesh {}: the platform has {}", index, cmn_.size()));
  return cmn_[index]->mesh();
}

void Platform::tell_of_links() {
  for (unsigned index = 0; index < cmn_.size(); ++index) {
    std::set<unsigned> gateways;
    unsigned other = 0;
    for (const CmnLinkSpec& link : spec_.links) {
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

std::uint64_t Platform::pending_at_links() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& link : links_) sum += link->pending();
  return sum;
}

cmn::Nodes& Platform::nodes(std::size_t index) {
  static_cast<void>(mesh(index));
  return cmn_[index]->nodes();
}

Platform::CpuPlace Platform::place_of_cpu(unsigned cpu) const {
  if (cpu >= spec_.sockets * spec_.cpus_per_socket) {
    throw std::out_of_range(
        fmt::format("there is no CPU {}: the platform has {}", cpu, spec_.sockets * spec_.cpus_per_socket));
  }
  const unsigned clusters = spec_.tegra410 ? spec_.tegra410->clusters : 1;
  return {cpu / spec_.cpus_per_socket, cpu % spec_.cpus_per_socket / (spec_.cpus_per_socket / clusters)};
}

void Platform::set_observer(BoundaryObserver* observer) { tegra410().set_observer(observer); }

void Platform::reset() {
  for (const auto& part : parts_) part->reset();
}

std::vector<NamedRegisters> Platform::registers() const {
  std::vector<NamedRegisters> all;
  for (const auto& part : parts_) part->add_registers(all);
  return all;
}

std::vector<Probe*> Platform::probes() {
  std::vector<Probe*> all;
  for (const auto& part : parts_) part->add_probes(all);
  return all;
}

}  // namespace pmufab::platform
