// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/pcie/pcie_parameters.h"

#include <utility>

namespace pmufab::tegra410 {

namespace {

PcieEndpoint accelerator() {  // by NVIDIA, but no root port: it has no DVSEC 4
  return {.bar_size = 256 << 20, .vendor_id = kNvidiaVendor, .device_id = 0x2941, .class_code = 0x030200};
}

PcieEndpoint network(std::uint8_t function = 0) {
  return {.function = function, .bar_size = 32 << 20, .vendor_id = 0x15b3, .device_id = 0x1021, .class_code = 0x020000};
}

PcieEndpoint storage() { return {}; }

/// Function 0x80 of bus 1: the requester id 0x0180 of the kernel document's command line.
constexpr std::uint8_t kDocumentedFunction = 0x80;

std::vector<PcieRootPort> quartered(unsigned socket) {
  std::vector<PcieRootPort> ports;
  for (const unsigned bus : {0x80U, 0xa0U, 0xc0U, 0xe0U}) {
    if (socket == 1 && bus == 0xc0) continue;
    ports.push_back({.number = static_cast<unsigned>(ports.size()) + 1,
                     .bus = static_cast<std::uint8_t>(bus),
                     .devices = {storage()}});
  }
  return ports;
}

}  // namespace

std::vector<PcieRootComplex> default_root_complexes(unsigned sockets) {
  std::vector<PcieRootComplex> all;
  for (unsigned socket = 0; socket < sockets; ++socket) {
    const auto add = [&](std::vector<PcieRootPort> ports) {
      all.push_back({.socket = socket,
                     .number = static_cast<unsigned>(all.size()) % kRootComplexes,
                     .root_ports = std::move(ports)});
    };
    add({{.number = 0, .bus = 0x00, .devices = {accelerator()}}});
    add(quartered(socket));
    add({{.number = 0, .bus = 0x00, .devices = {accelerator()}}});
    add({{.number = 0, .bus = 0x00, .devices = {network()}}});
    add({{.number = 0, .bus = 0x00, .devices = {network(), network(kDocumentedFunction)}},
         {.number = 1, .bus = 0x40, .devices = {storage()}},
         {.number = 2, .bus = 0xc0, .devices = {storage()}}});
    add({{.number = 0, .bus = 0x00, .devices = {storage()}}});
  }
  return all;
}

}  // namespace pmufab::tegra410
