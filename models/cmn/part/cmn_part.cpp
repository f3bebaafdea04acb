// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/part/cmn_part.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace pmufab::platform {

namespace {

const char* compatible_of(cmn::Product product) {
  switch (product) {
    case cmn::Product::cmn600:
      return "arm,cmn-600";
    case cmn::Product::cmn650:
      return "arm,cmn-650";
    case cmn::Product::cmn700:
      return "arm,cmn-700";
    case cmn::Product::ci700:
      return "arm,ci-700";
    case cmn::Product::s3:
      break;
  }
  return "arm,cmn-s3";
}

/// @return the ACPI hardware id; CI-700 has none.
const char* hid_of(const cmn::Topology& topology) {
  if (topology.variant == cmn::Variant::graviton5) return "AMZN0070";
  switch (topology.product) {
    case cmn::Product::cmn600:
      return "ARMHC600";
    case cmn::Product::cmn650:
      return "ARMHC650";
    case cmn::Product::cmn700:
      return "ARMHC700";
    case cmn::Product::s3:
      return "ARMHC003";
    case cmn::Product::ci700:
      break;
  }
  return "";
}

}  // namespace

CmnPart::CmnPart(const CmnSpec& spec, unsigned index)
    : spec_(spec),
      index_(index),
      mesh_(fmt::format("cmn{}", index).c_str(), spec.topology, spec.mesh),
      nodes_(mesh_, spec.nodes) {}

void CmnPart::map(MmioBus& bus) {
  bus.map(fmt::format("cmn{}", index_), spec_.topology.base, mesh_.layout().size(), mesh_.config_space().socket);
}

void CmnPart::describe(FirmwareDescription& firmware) {
  const cmn::Topology& topology = spec_.topology;
  AcpiDevice device;
  device.uid = fmt::format("{}", index_);
  const std::uint32_t root = mesh_.layout().root_offset();
  std::vector<MemoryResource> acpi_memory{{topology.base, mesh_.layout().size()}};
  // The root node's place, needed only by the driver of CMN-600: a second memory resource in ACPI, else a property.
  const bool tells_root = topology.product == cmn::Product::cmn600;
  if (tells_root) acpi_memory.push_back({topology.base + root, mesh_.layout().size() - root});
  AcpiDevice::TreeForm tree{compatible_of(topology.product), {{topology.base, mesh_.layout().size()}}, {}};
  if (tells_root) tree.properties.emplace("arm,root-node", root);
  if (spec_.firmware == CmnSpec::Firmware::acpi) {
    device.hid = hid_of(topology);
    device.memory = std::move(acpi_memory);
    // Amazon's variant has no compatible string of its own.
    if (topology.variant != cmn::Variant::graviton5) device.in_tree = std::move(tree);
  } else {
    device.compatible = std::move(tree.compatible);
    device.memory = std::move(tree.memory);
    device.properties = std::move(tree.properties);
    if (tells_root) device.in_acpi = AcpiDevice::AcpiForm{hid_of(topology), std::move(acpi_memory)};
  }
  for (unsigned dtc = 0; dtc < topology.dtcs; ++dtc) {
    const unsigned number = spec_.interrupts.empty() ? dtc : spec_.interrupts[dtc];
    device.interrupts.push_back({cmn_interrupt(index_, number), &mesh_.interrupt(dtc)});
  }
  device.node = spec_.socket;
  firmware.devices.push_back(std::move(device));
}

void CmnPart::reset() { mesh_.reset(); }

void CmnPart::add_registers(std::vector<NamedRegisters>& banks) const {
  for (const cmn::PlacedBank& bank : mesh_.config_space().banks())
    banks.push_back(registers_of(bank.bank->name(), spec_.topology.base + bank.offset, *bank.bank));
}

}  // namespace pmufab::platform
