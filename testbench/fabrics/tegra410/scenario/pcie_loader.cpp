// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "testbench/fabrics/tegra410/scenario/tegra410_loader.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::scenario {
namespace {

using tegra410::PcieEndpoint;
using tegra410::PcieRootComplex;
using tegra410::PcieRootPort;

Value number(std::uint64_t value) { return Value::of(fmt::format("{}", value)); }
Value hexadecimal(std::uint64_t value) { return Value::of(format_quantity(value, Quantity::address)); }

// What the effective configuration shows where a file leaves the root complexes out.

Value value_of(const PcieEndpoint& device) {
  Value map = Value::map();
  map.add("function", number(device.function));
  map.add("bar_size", Value::of(format_quantity(device.bar_size, Quantity::bytes)));
  map.add("vendor", hexadecimal(device.vendor_id));
  map.add("device", hexadecimal(device.device_id));
  map.add("class", hexadecimal(device.class_code));
  return map;
}

Value value_of(const PcieRootPort& port) {
  Value map = Value::map();
  map.add("number", number(port.number));
  map.add("bus", hexadecimal(port.bus));
  Value devices = Value::sequence();
  for (const PcieEndpoint& device : port.devices) devices.items.push_back(value_of(device));
  map.add("devices", std::move(devices));
  return map;
}

Value value_of(const std::vector<PcieRootComplex>& complexes) {
  Value list = Value::sequence();
  for (const PcieRootComplex& complex : complexes) {
    Value map = Value::map();
    map.add("socket", number(complex.socket));
    map.add("number", number(complex.number));
    Value ports = Value::sequence();
    for (const PcieRootPort& port : complex.root_ports) ports.items.push_back(value_of(port));
    map.add("root_ports", std::move(ports));
    list.items.push_back(std::move(map));
  }
  return list;
}

void read_device(Reader& reader, PcieEndpoint& device) {
  reader.number("function", device.function);
  reader.number("bar_size", device.bar_size, Quantity::bytes);
  reader.number("vendor", device.vendor_id, Quantity::address);
  reader.number("device", device.device_id, Quantity::address);
  reader.number("class", device.class_code, Quantity::address);
}

void read_root_port(Reader& reader, PcieRootPort& port) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  reader.number("number", port.number, Quantity::count, 0, kMost, Presence::required);
  reader.number("bus", port.bus, Quantity::address, 0, kMost, Presence::required);
  reader.list("devices", [&](Reader& item, std::size_t) { read_device(item, port.devices.emplace_back()); });
}

void read_root_complex(Reader& reader, PcieRootComplex& complex) {
  reader.number("socket", complex.socket);
  reader.number("number", complex.number, Quantity::count, 0, ~std::uint64_t{0}, Presence::required);
  reader.list(
      "root_ports", [&](Reader& item, std::size_t) { read_root_port(item, complex.root_ports.emplace_back()); },
      Presence::required);
}

}  // namespace

void read_pcie(Reader& reader, unsigned sockets, tegra410::PcieParameters& pcie) {
  if (!reader.has("root_complexes")) {
    reader.put("root_complexes", value_of(tegra410::default_root_complexes(sockets)));
    return;
  }
  std::vector<PcieRootComplex>& complexes = pcie.root_complexes.emplace();
  reader.list("root_complexes", [&](Reader& item, std::size_t) { read_root_complex(item, complexes.emplace_back()); });
}

}  // namespace pmufab::scenario
