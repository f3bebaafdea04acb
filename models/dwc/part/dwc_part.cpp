// SPDX-License-Identifier: Apache-2.0
#include "models/dwc/part/dwc_part.h"

#include "models/dwc/part/dwc_ports.h"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>

namespace pmufab::platform {
namespace {

/// Names of modules hold letters, digits and underscores.
std::string dwc_module_name(const dwc::RootPortDescription& port) {
  std::string name = "dwc_" + port.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return name;
}

}  // namespace

DwcPart::DwcPart(const PlatformSpec& spec) : spec_(spec) {
  for (unsigned index = 0; index < spec_.of<DwcSpec>().ports.size(); ++index) {
    const dwc::RootPortDescription& port = spec_.of<DwcSpec>().ports[index];
    ports_.push_back(std::make_unique<dwc::RootPort>(dwc_module_name(port).c_str(), port, index));
  }
  for (const DwcBridge& place : dwc_bridges(spec_)) {
    Bridge& bridge = bridges_.emplace_back();
    bridge.place = place;
    bridge.ecam = std::make_unique<pcie::Ecam>(
        fmt::format("dwc_segment{}_bus{}", place.segment, place.first_bus).c_str(), place.first_bus, place.last_bus);
    for (const unsigned port : place.ports)
      bridge.ecam->attach(spec_.of<DwcSpec>().ports[port].device, 0, ports_[port]->function());
  }
  configure();
}

void DwcPart::configure() {
  for (const Bridge& bridge : bridges_) {
    std::uint8_t below = bridge.place.first_bus;
    for (const unsigned port : bridge.place.ports) {
      ++below;
      pcie::Function& function = ports_[port]->function();
      function.assign_buses(bridge.place.first_bus, below, below);
      function.enable();
    }
  }
}

void DwcPart::map(MmioBus& bus) {
  for (const Bridge& bridge : bridges_)
    bus.map(fmt::format("pci{:04x}_{:02x}.ecam", bridge.place.segment, bridge.place.first_bus),
            bridge.place.ecam_base + (std::uint64_t{bridge.place.first_bus} << 20), bridge.ecam->size(),
            bridge.ecam->socket);
}

void DwcPart::describe(FirmwareDescription& firmware) {
  for (const Bridge& bridge : bridges_)
    firmware.pci_segments.push_back({.number = bridge.place.segment,
                                     .ecam_base = bridge.place.ecam_base,
                                     .first_bus = bridge.place.first_bus,
                                     .last_bus = bridge.place.last_bus,
                                     .node = bridge.place.socket});
}

void DwcPart::reset() {
  for (const Bridge& bridge : bridges_) bridge.ecam->reset(pcie::ResetKind::conventional);
  configure();
}

void DwcPart::add_registers(std::vector<NamedRegisters>& banks) const {
  for (unsigned index = 0; index < ports_.size(); ++index)
    banks.push_back(registers_of(spec_.of<DwcSpec>().ports[index].name + ".config", dwc_configuration(spec_, index),
                                 ports_[index]->registers()));
}

void DwcPart::set_observer(dwc::LinkObserver* observer) noexcept {
  for (const auto& port : ports_) port->set_observer(observer);
}

void DwcSpec::make(const PlatformSpec& platform, PlatformParts& parts) const {
  if (!ports.empty()) parts.push_back(std::make_unique<DwcPart>(platform));
}

}  // namespace pmufab::platform
