// SPDX-License-Identifier: Apache-2.0
#include "models/platform/tegra410/pcie_pmu_part.h"

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "models/tegra410/pcie/pcie_parameters.h"

namespace pmufab::platform {

namespace {

constexpr std::uint64_t kPmuPage = 0x1000;
/// The driver takes any; what firmware of the part says is not public (inferred).
constexpr std::string_view kPciePmuHid = "NVDA1030";

std::uint64_t page0_of(unsigned socket, unsigned complex) {
  return (std::uint64_t{socket} << default_map::kSocketShift) + default_map::kPciePmu +
         complex * default_map::kPciePmusStride;
}

std::uint32_t number_of(unsigned socket, unsigned complex) { return socket * tegra410::kRootComplexes + complex; }

std::string name_of(unsigned socket, const tegra410::RootComplex& complex) {
  return fmt::format("socket{}.rc{}.pcie_pmu", socket, complex.number);
}

}  // namespace

PciePmuPart::PciePmuPart(const PlatformSpec& spec, Tegra410Part& sockets) : parameters_(spec.tegra410->pcie_pmu) {
  for (unsigned socket = 0; socket < spec.sockets; ++socket) {
    for (unsigned number = 0; number < tegra410::kRootComplexes; ++number) {
      tegra410::RootComplex* const complex = sockets.socket(socket).root_complex(number);
      if (complex == nullptr) continue;
      Place& place = places_.emplace_back(Place{socket, complex, nullptr});
      if (!parameters_.interrupt) continue;
      place.interrupt = std::make_unique<InterruptLine>(name_of(socket, *complex), parameters_.trigger);
      complex->pcie_pmu.connect_interrupt(*place.interrupt);
    }
  }
}

void PciePmuPart::map(MmioBus& bus) {
  for (const Place& place : places_) {
    const std::string name = name_of(place.socket, *place.complex);
    const std::uint64_t page0 = page0_of(place.socket, place.complex->number);
    bus.map(name, page0, kPmuPage, place.complex->pcie_pmu.socket);
    if (parameters_.dual_page) {
      bus.map(name + ".page1", page0 + default_map::kPciePmuPage1, kPmuPage, place.complex->pcie_pmu.page1);
    }
  }
}

void PciePmuPart::describe(FirmwareDescription& firmware) {
  for (const Place& place : places_) {
    const unsigned complex = place.complex->number;
    const std::uint32_t number = number_of(place.socket, complex);
    ApmtNode pmu{};
    pmu.id = static_cast<std::uint32_t>(firmware.apmt.size());
    pmu.type = ApmtNode::Type::acpi_device;
    static_assert(kPciePmuHid.size() == sizeof(pmu.instance_primary));
    std::memcpy(&pmu.instance_primary, kPciePmuHid.data(), sizeof(pmu.instance_primary));
    pmu.instance_secondary = number;
    pmu.base0 = page0_of(place.socket, complex);
    if (parameters_.dual_page) pmu.base1 = pmu.base0 + default_map::kPciePmuPage1;
    if (place.interrupt)
      pmu.overflow_interrupt = InterruptResource{default_map::kPciePmuInterrupt + number, place.interrupt.get()};
    pmu.affinity_is_container = true;
    pmu.processor_affinity = place.socket;
    pmu.atomic_64bit = parameters_.atomic_64bit;
    firmware.apmt.push_back(pmu);

    // The driver finds out here which root complex it is.
    AcpiDevice device;
    device.hid = kPciePmuHid;
    device.uid = fmt::format("{}", number);
    device.properties["instance_id"] = complex;
    firmware.devices.push_back(std::move(device));
  }
}

void PciePmuPart::reset() {
  for (const Place& place : places_) place.complex->pcie_pmu.reset();
}

void PciePmuPart::add_registers(std::vector<NamedRegisters>& banks) const {
  for (const Place& place : places_)
    banks.push_back(registers_of(name_of(place.socket, *place.complex), place.complex->pcie_pmu));
}

void PciePmuPart::add_probes(std::vector<Probe*>& probes) {
  for (const Place& place : places_) {
    for (unsigned event = 0; event < tegra410::kPcieEventCount; ++event)
      probes.push_back(&place.complex->inbound.probe(static_cast<tegra410::PcieEvent>(event)));
  }
}

}  // namespace pmufab::platform
