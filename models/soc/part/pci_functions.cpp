// SPDX-License-Identifier: Apache-2.0
#include "models/soc/part/pci_functions.h"

#include <algorithm>
#include <bit>
#include <string>

#include <fmt/format.h>

namespace pmufab::platform {
namespace {

constexpr std::uint32_t kClassOfPorts = 0x06'0400;

std::string name_of(const soc::PciFunctionDescription& function) {
  return fmt::format("pci{:04x}_{:02x}_{:02x}_{}", function.segment, function.bus, function.device, function.function);
}

pcie::FunctionParameters parameters_of(const PlatformSpec& spec, const PciPlace& place) {
  const soc::PciFunctionDescription& description = place.description;
  pcie::FunctionParameters parameters;
  parameters.vendor_id = description.vendor_id;
  parameters.device_id = description.device_id;
  parameters.class_code = description.bus_below ? kClassOfPorts : description.class_code;
  parameters.type = description.bus_below               ? pcie::PortType::root_port
                    : place.root_bus == description.bus ? pcie::PortType::root_complex_integrated_endpoint
                                                        : pcie::PortType::endpoint;
  parameters.multi_function = place.has_siblings;
  if (!place.pmu) return parameters;
  const soc::PmuDescription& pmu = spec.of<SocSpec>().pmus[*place.pmu];
  for (const soc::WindowDescription& window : pmu.map->windows) parameters.bars.at(window.bar).size = window.size;
  if (pmu.interrupt) parameters.msi = {.vectors = std::bit_ceil(pmu.interrupt->message.value_or(0) + 1)};
  return parameters;
}

}  // namespace

PciFunctions::PciFunctions(const PlatformSpec& spec) : bridges_(pci_bridges(spec)) {
  for (const PciSegment& bridge : bridges_)
    ecams_.push_back(std::make_unique<pcie::Ecam>(
        fmt::format("pci{:04x}_{:02x}", bridge.number, bridge.first_bus).c_str(), bridge.first_bus, bridge.last_bus));
  for (PciPlace& place : pci_places(spec)) {
    const soc::PciFunctionDescription& its = place.description;
    const auto bridge = std::ranges::find_if(
        bridges_, [&](const PciSegment& one) { return one.number == its.segment && one.first_bus == place.root_bus; });
    Node node;
    node.function = std::make_unique<pcie::Function>(name_of(its).c_str(), parameters_of(spec, place));
    node.registers = std::make_unique<pcie::ConfigurationRegisters>(node.function->space(), its.bus_below.has_value());
    node.address = bridge->ecam_base +
                   (std::uint64_t{its.bus} << 20 | std::uint64_t{its.device} << 15 | std::uint64_t{its.function} << 12);
    if (its.bus == place.root_bus)
      ecams_[static_cast<std::size_t>(bridge - bridges_.begin())]->attach(its.device, its.function, *node.function);
    node.place = place;
    nodes_.push_back(std::move(node));
  }
  for (const Node& port : nodes_) {
    for (const Node& below : nodes_) {
      const soc::PciFunctionDescription& its = below.place.description;
      if (port.place.description.segment == its.segment && port.place.description.bus_below == its.bus)
        port.function->attach(its.device, its.function, *below.function);
    }
  }
}

pcie::Function& PciFunctions::connect(const SocPmuRow& row, const soc::RegisterMap& registers,
                                      soc::DescribedPmu& model) {
  Node& node = *std::ranges::find_if(
      nodes_, [&](const Node& one) { return one.place.pmu == row.pmu && one.place.socket == row.socket; });
  for (std::size_t index = 0; index < row.windows.size(); ++index) {
    const unsigned bar = registers.windows[index].bar;
    node.windows.emplace_back(row.windows[index], bar);
    node.function->map(bar, "registers", 0, row.windows[index].size, model.socket(index));
  }
  node.function->on_reset([&model](pcie::ResetKind) { model.reset(); });
  configure();
  return *node.function;
}

void PciFunctions::configure() {
  for (const Node& node : nodes_) {
    const soc::PciFunctionDescription& its = node.place.description;
    if (its.bus_below) node.function->assign_buses(its.bus, *its.bus_below, *its.bus_below);
    for (const auto& [window, bar] : node.windows) node.function->assign_bar(bar, window.base);
    node.function->enable();
  }
}

void PciFunctions::map(MmioBus& bus) {
  for (std::size_t index = 0; index < bridges_.size(); ++index) {
    const PciSegment& bridge = bridges_[index];
    bus.map(fmt::format("pci{:04x}_{:02x}.ecam", bridge.number, bridge.first_bus),
            bridge.ecam_base + (std::uint64_t{bridge.first_bus} << 20), ecams_[index]->size(), ecams_[index]->socket);
  }
  for (const Node& node : nodes_) {
    for (const auto& [window, bar] : node.windows)
      bus.map(window.name, window.base, window.size, node.function->socket(bar));
  }
}

void PciFunctions::describe(FirmwareDescription& firmware) {
  if (bridges_.empty()) return;
  firmware.pci_segments.insert(firmware.pci_segments.end(), bridges_.begin(), bridges_.end());
  firmware.msi.address = default_map::kMessageDoorbell;
  for (const Node& node : nodes_) firmware.msi.sources.push_back(&node.function->messages());
}

void PciFunctions::reset() {
  for (const auto& ecam : ecams_) ecam->reset(pcie::ResetKind::conventional);
  configure();
}

void PciFunctions::add_registers(std::vector<NamedRegisters>& banks) const {
  for (const Node& node : nodes_)
    banks.push_back(registers_of(name_of(node.place.description) + ".config", node.address, node.registers->bank()));
}

}  // namespace pmufab::platform
