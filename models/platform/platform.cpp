// SPDX-License-Identifier: Apache-2.0
#include "models/platform/platform.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "models/platform/cmn/cmn_meshes.h"
#include "models/platform/cxl/cxl_part.h"
#include "models/platform/dwc/dwc_part.h"
#include "models/platform/soc/soc_part.h"
#include "models/platform/tegra410/tegra410_part.h"
#include "models/platform/tegra410/tegra410_parts.h"

namespace pmufab::platform {

namespace {

PlatformSpec checked(PlatformSpec spec) {
  validate(spec);
  return spec;
}

void add_other_parts(const PlatformSpec& spec, PlatformParts& parts) {
  for (const auto& part : spec.parts) parts.push_back(part->make());
}

/// The kinds of fabric, as hardware. A kind that the platform does not have adds nothing. Described PMUs come after
/// what they may count.
constexpr std::array kKinds = {&add_tegra410_parts, &add_cmn_parts, &add_cxl_parts,
                               &add_other_parts,    &add_soc_part,  &add_dwc_part};

void describe_cpus(const PlatformSpec& spec, FirmwareDescription& firmware) {
  for (unsigned socket = 0; socket < spec.sockets; ++socket) {
    for (unsigned cpu = 0; cpu < spec.cpus_per_socket; ++cpu) {
      firmware.cpus.push_back({.uid = socket * spec.cpus_per_socket + cpu, .container_uid = socket, .node = socket});
    }
  }
}

}  // namespace

NamedRegisters registers_of(std::string name, std::vector<std::uint64_t> bases, const coresight::CoreSightPmu& pmu) {
  return {std::move(name), std::move(bases), pmu.pages()};
}

Platform::Platform(const sc_core::sc_module_name& name, const PlatformSpec& spec)
    : sc_core::sc_module(name), spec_(checked(spec)), bus_("bus") {
  for (const auto add : kKinds) add(spec_, parts_);
  tegra410_ = find<Tegra410Part>();
  cmn_ = find<CmnMeshes>();
  cxl_ = find<CxlPart>();
  describe_cpus(spec_, firmware_);
  for (const auto& part : parts_) {
    part->map(bus_);
    part->describe(firmware_);
  }
}

/// Described PMUs listen to the fabrics, which were made before them.
Platform::~Platform() {
  while (!parts_.empty()) parts_.pop_back();
}

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

coresight::CoreSightPmu& Platform::coresight_pmu(std::string_view name) {
  coresight::CoreSightPmu* const pmu = tegra410().coresight_pmu(name);
  if (pmu == nullptr) throw std::out_of_range(fmt::format("there is no CoreSight PMU {}", name));
  return *pmu;
}

std::size_t Platform::meshes() const noexcept { return cmn_ == nullptr ? 0 : cmn_->size(); }

cmn::Mesh& Platform::mesh(std::size_t index) {
  if (index >= meshes())
    throw std::out_of_range(fmt::format("there is no mesh {}: the platform has {}", index, meshes()));
  return cmn_->mesh(index);
}

std::uint64_t Platform::pending_at_links() const noexcept { return cmn_ == nullptr ? 0 : cmn_->pending_at_links(); }

cmn::Nodes& Platform::nodes(std::size_t index) {
  static_cast<void>(mesh(index));
  return cmn_->nodes(index);
}

void Platform::set_observer(BoundaryObserver* observer) { tegra410().set_observer(observer); }

void Platform::reset() {
  for (const auto& part : parts_) part->reset();
  bus_.reset();
}

bool Platform::can_reset(const std::string& window) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part->can_reset(window); });
}

void Platform::reset_window(const std::string& window) {
  for (const auto& part : parts_) {
    if (part->can_reset(window)) part->reset_window(window);
  }
}

std::vector<NamedRegisters> Platform::registers() const {
  std::vector<NamedRegisters> all;
  for (const auto& part : parts_) part->add_registers(all);
  return all;
}

}  // namespace pmufab::platform
