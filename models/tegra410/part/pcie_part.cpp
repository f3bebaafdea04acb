// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/part/pcie_part.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/pcie/express_capability.h"

namespace pmufab::platform {

namespace {

using tegra410::PcieEndpoint;
using tegra410::PcieRootComplex;
using tegra410::PcieRootPort;

constexpr std::uint32_t kClassBridge = 0x060400;
constexpr std::uint16_t kRootPortDevice = 0x22b1;  // the real number is not public
constexpr std::uint64_t kWindowStep = 1 << 20;

// PCI Express capability.
constexpr std::uint8_t kExpressId = 0x10;
constexpr unsigned kPortNumber = 0x0f;  // Link Capabilities, bits 31:24
constexpr unsigned kDeviceCapabilities2 = 0x24;
constexpr unsigned kDeviceControl2 = 0x28;
constexpr std::uint32_t kAriForwarding = 1 << 5;

// Alternative routing: functions 8 ... 255 of a device.
constexpr std::uint16_t kAriId = 0x000e;
constexpr unsigned kAriBytes = 8;
constexpr unsigned kAriNextFunction = 5;

// NVIDIA's DVSEC 4: nvidia-tegra410-pmu.rst, "Mapping the RC# to lspci segment number".
constexpr std::uint16_t kDvsecId = 4;
constexpr unsigned kDvsecBytes = 0x14;
constexpr FieldSpec kPlaceFields[] = {{"Bus", 0, 8, Access::ro},
                                      {"Segment", 8, 8, Access::ro},
                                      {"RP", 16, 8, Access::ro, 0, "port number of the link"},
                                      {"RC", 24, 8, Access::ro}};
constexpr FieldSpec kSocketFields[] = {{"Socket", 0, 8, Access::ro}};

pcie::FunctionParameters port_parameters() {
  pcie::FunctionParameters parameters;
  parameters.vendor_id = tegra410::kNvidiaVendor;
  parameters.device_id = kRootPortDevice;
  parameters.class_code = kClassBridge;
  parameters.type = pcie::PortType::root_port;
  return parameters;
}

pcie::FunctionParameters device_parameters(const PcieEndpoint& device, bool multi_function) {
  pcie::FunctionParameters parameters;
  parameters.vendor_id = device.vendor_id;
  parameters.device_id = device.device_id;
  parameters.class_code = device.class_code;
  parameters.subsystem_vendor_id = device.vendor_id;
  parameters.subsystem_id = device.device_id;
  parameters.multi_function = multi_function;
  parameters.bars[0] = {.size = device.bar_size, .prefetchable = true};
  return parameters;
}

/// @return the next function above `function`, or 0, as the capability of alternative routing holds it.
std::uint8_t next_function(const PcieRootPort& port, unsigned function) {
  unsigned next = 0;
  for (const PcieEndpoint& device : port.devices) {
    if (device.function > function && (next == 0 || device.function < next)) next = device.function;
  }
  return static_cast<std::uint8_t>(next);
}

}  // namespace

PciePart::PciePart(const PlatformSpec& spec) {
  for (const PcieRootComplex& complex : root_complexes_of(spec)) {
    for (const PcieRootPort& port : complex.root_ports) add_root(complex, port);
  }
  configure();
}

PciePart::~PciePart() = default;

void PciePart::add_root(const PcieRootComplex& complex, const PcieRootPort& port) {
  Root& root = *roots_.emplace_back(std::make_unique<Root>());
  root.complex = complex;
  root.port = port;
  root.bars = bars_of(complex, port);
  const std::string module = fmt::format("socket{}_rc{}_rp{}", complex.socket, complex.number, port.number);
  const std::string shown = fmt::format("socket{}.rc{}.rp{}", complex.socket, complex.number, port.number);
  root.ecam = std::make_unique<pcie::Ecam>((module + "_ecam").c_str(), port.bus, last_bus_of(complex, port));
  root.node = std::make_unique<Node>(module, shown + ".config", port_parameters());
  pcie::ConfigurationSpace& space = root.node->function.space();
  const unsigned express = space.find_capability(kExpressId);
  space.define(express + kPortNumber, 1, {.value = port.number});
  space.define(express + kDeviceCapabilities2, 1,
               {.value = space.read(express + kDeviceCapabilities2, 1) | kAriForwarding});
  space.define(express + kDeviceControl2, 1, {.writable = 0x10 | kAriForwarding});
  add_dvsec(root);
  root.ecam->attach(0, 0, root.node->function);
  for (std::size_t index = 0; index < port.devices.size(); ++index) add_device(root, module, shown, index);
}

void PciePart::add_dvsec(Root& root) {
  pcie::ConfigurationSpace& space = root.node->function.space();
  const PcieRootComplex& complex = root.complex;
  const unsigned dvsec = space.add_dvsec(tegra410::kNvidiaVendor, kDvsecId, 0, kDvsecBytes);
  space.define(dvsec + 0x0c, 1, {.value = root.port.bus});
  space.define(dvsec + 0x0d, 1, {.value = tegra410::segment_of(complex.socket, complex.number)});
  space.define(dvsec + 0x0e, 1, {.value = root.port.number});
  space.define(dvsec + 0x0f, 1, {.value = complex.number});
  space.define(dvsec + 0x10, 1, {.value = complex.socket});
  const std::array<RegisterSpec, 2> shown = {RegisterSpec{"DVSEC4_PLACE", dvsec + 0x0c, 32, kPlaceFields},
                                             RegisterSpec{"DVSEC4_SOCKET", dvsec + 0x10, 32, kSocketFields}};
  root.node->registers = std::make_unique<pcie::ConfigurationRegisters>(space, true, shown);
}

void PciePart::add_device(Root& root, const std::string& module, const std::string& shown, std::size_t index) {
  const PcieEndpoint& device = root.port.devices[index];
  Node& node = *root.devices.emplace_back(std::make_unique<Node>(
      fmt::format("{}_fn{}", module, device.function), fmt::format("{}.fn{}.config", shown, device.function),
      device_parameters(device, root.port.devices.size() > 1)));
  pcie::ConfigurationSpace& space = node.function.space();
  const unsigned ari = space.add_extended_capability(kAriId, 1, kAriBytes);
  space.define(ari + kAriNextFunction, 1, {.value = next_function(root.port, device.function)});
  node.registers = std::make_unique<pcie::ConfigurationRegisters>(space, false);
  root.node->function.attach(device.function >> 3, device.function & 7, node.function);
}

void PciePart::configure() {
  for (const auto& root : roots_) {
    pcie::Function& port = root->node->function;
    const std::uint8_t below = tegra410::secondary_bus(root->port);
    port.assign_buses(root->port.bus, below, below);
    std::uint64_t end = 0;
    for (const PlacedBar& bar : root->bars) {
      pcie::Function& device = root->devices[bar.device]->function;
      device.assign_bar(0, bar.base);
      device.enable();
      end = bar.base + root->port.devices[bar.device].bar_size;
    }
    const std::uint64_t base = root->bars.empty() ? 0 : root->bars.front().base;
    const std::uint64_t size = (end - base + kWindowStep - 1) / kWindowStep * kWindowStep;
    pcie::assign_prefetchable_window(port.space(), base, size);
    port.enable();
  }
}

void PciePart::map(MmioBus& bus) {
  for (const auto& root : roots_)
    bus.map(root->node->name, ecam_base_of(root->complex) + (std::uint64_t{root->port.bus} << 20), root->ecam->size(),
            root->ecam->socket);
}

void PciePart::describe(FirmwareDescription& firmware) {
  for (const auto& root : roots_)
    firmware.pci_segments.push_back({.number = tegra410::segment_of(root->complex.socket, root->complex.number),
                                     .ecam_base = ecam_base_of(root->complex),
                                     .first_bus = root->port.bus,
                                     .last_bus = root->ecam->last_bus(),
                                     .node = root->complex.socket});
}

void PciePart::reset() {
  for (const auto& root : roots_) root->ecam->reset(pcie::ResetKind::conventional);
  configure();
}

void PciePart::add_registers(std::vector<NamedRegisters>& banks) const {
  for (const auto& root : roots_) {
    const std::uint64_t ecam = ecam_base_of(root->complex);
    const auto add = [&](const Node& node, std::uint64_t bus, std::uint64_t function) {
      banks.push_back(registers_of(node.name, ecam + (bus << 20 | function << 12), node.registers->bank()));
    };
    add(*root->node, root->port.bus, 0);
    for (std::size_t index = 0; index < root->devices.size(); ++index)
      add(*root->devices[index], tegra410::secondary_bus(root->port), root->port.devices[index].function);
  }
}

}  // namespace pmufab::platform
