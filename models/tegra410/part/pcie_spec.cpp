// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/part/pcie_spec.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "models/tegra410/part/tegra410_spec.h"

namespace pmufab::platform {

using tegra410::PcieEndpoint;
using tegra410::PcieRootComplex;
using tegra410::PcieRootPort;

namespace {

constexpr unsigned kLastRootBus = 254;  // the bus below a root port is the next one
constexpr std::uint64_t kSmallestBar = 4096;

std::uint64_t window_of(const PcieRootComplex& complex, unsigned port) {
  const std::uint64_t number = std::uint64_t{complex.number} * tegra410::kRootPorts + port;
  return address_in(complex.socket, default_map::kPcieBars + number * default_map::kPcieBarsOfPort);
}

std::uint64_t total_size(const PcieRootPort& port) {
  std::uint64_t sum = 0;
  for (const PcieEndpoint& device : port.devices) sum += device.bar_size;
  return sum;
}

void check_devices(const std::string& field, const PcieRootPort& port) {
  std::set<unsigned> functions;
  for (std::size_t index = 0; index < port.devices.size(); ++index) {
    const PcieEndpoint& device = port.devices[index];
    const std::string here = fmt::format("{}.devices[{}].", field, index);
    if (!functions.insert(device.function).second)
      throw SpecError(here + "function", fmt::format("another device has function {} already", device.function));
    if (!std::has_single_bit(device.bar_size) || device.bar_size < kSmallestBar ||
        device.bar_size > default_map::kPcieBarsOfPort)
      throw SpecError(here + "bar_size", fmt::format("{:#x} bytes are not possible", device.bar_size),
                      "use a power of two from 4 KiB to 4 GiB");
    if (device.vendor_id == 0 || device.vendor_id == 0xffff)
      throw SpecError(here + "vendor", fmt::format("{:#06x} means that there is no function", device.vendor_id));
    if (device.class_code > 0xff'ffff) throw SpecError(here + "class", "has more than 24 bits");
  }
  if (!functions.empty() && !functions.contains(0))
    throw SpecError(field + ".devices", "function 0 is missing, and without it software finds no other function",
                    "give one function 0");
  if (total_size(port) > default_map::kPcieBarsOfPort)
    throw SpecError(field + ".devices", "their BARs are larger than 4 GiB together", "make them smaller");
}

void check_port(const std::string& field, const PcieRootPort& port) {
  if (port.number >= tegra410::kRootPorts)
    throw SpecError(field + ".number", fmt::format("is {}, must be 0 ... {}", port.number, tegra410::kRootPorts - 1));
  if (port.bus > kLastRootBus)
    throw SpecError(field + ".bus", fmt::format("is {:#x}, must be 0 ... {:#x}", port.bus, kLastRootBus),
                    "devices below the port are on the next bus");
  check_devices(field, port);
}

void check_ports(const std::string& field, const PcieRootComplex& complex) {
  if (complex.root_ports.empty())
    throw SpecError(field + ".root_ports", "is empty", "leave the root complex out, or give it 1 to 8 root ports");
  if (complex.root_ports.size() > tegra410::kRootPorts)
    throw SpecError(field + ".root_ports", fmt::format("are {}, but a root complex has at most {}",
                                                       complex.root_ports.size(), tegra410::kRootPorts));
  std::map<unsigned, std::size_t> numbers;
  std::map<unsigned, std::size_t> buses;  // root buses and those below
  for (std::size_t index = 0; index < complex.root_ports.size(); ++index) {
    const PcieRootPort& port = complex.root_ports[index];
    const std::string here = fmt::format("{}.root_ports[{}]", field, index);
    check_port(here, port);
    if (const auto [same, fresh] = numbers.emplace(port.number, index); !fresh)
      throw SpecError(here + ".number", fmt::format("root_ports[{}] is number {} already", same->second, port.number));
    for (const unsigned bus : {unsigned{port.bus}, port.bus + 1U}) {
      if (const auto [same, fresh] = buses.emplace(bus, index); !fresh)
        throw SpecError(here + ".bus",
                        fmt::format("bus {:#04x} belongs to root_ports[{}], which has {:#04x} and the one below it",
                                    bus, same->second, complex.root_ports[same->second].bus),
                        "leave two buses to each root port");
    }
  }
}

}  // namespace

std::vector<PcieRootComplex> root_complexes_of(const PlatformSpec& spec) {
  if (!spec.has<Tegra410Spec>()) return {};
  return spec.of<Tegra410Spec>().pcie.root_complexes ? *spec.of<Tegra410Spec>().pcie.root_complexes
                                                     : tegra410::default_root_complexes(spec.sockets);
}

std::vector<PlacedBar> bars_of(const PcieRootComplex& complex, const PcieRootPort& port) {
  std::vector<PlacedBar> bars;
  for (unsigned device = 0; device < port.devices.size(); ++device) bars.push_back({device, 0});
  // Powers of two, the largest first: each is aligned to its size, without gaps.
  std::stable_sort(bars.begin(), bars.end(), [&port](const PlacedBar& a, const PlacedBar& b) {
    return port.devices[a.device].bar_size > port.devices[b.device].bar_size;
  });
  std::uint64_t next = window_of(complex, port.number);
  for (PlacedBar& bar : bars) {
    bar.base = next;
    next += port.devices[bar.device].bar_size;
  }
  return bars;
}

std::vector<tegra410::MemoryRange> bar_ranges_of(const PlatformSpec& spec) {
  std::vector<tegra410::MemoryRange> ranges;
  for (const PcieRootComplex& complex : root_complexes_of(spec)) {
    for (const PcieRootPort& port : complex.root_ports) {
      if (port.devices.empty()) continue;
      ranges.push_back({.base = window_of(complex, port.number),
                        .size = total_size(port),
                        .socket = complex.socket,
                        .memory_class = MemoryClass::bar,
                        .root_complex = complex.number,
                        .root_port = port.number});
    }
  }
  return ranges;
}

std::uint64_t ecam_base_of(const PcieRootComplex& complex) {
  return address_in(complex.socket, default_map::kPcieEcam) + complex.number * default_map::kPcieEcamOfSegment;
}

std::uint8_t last_bus_of(const PcieRootComplex& complex, const PcieRootPort& port) {
  unsigned last = 255;
  for (const PcieRootPort& other : complex.root_ports) {
    if (other.bus > port.bus) last = std::min(last, other.bus - 1U);
  }
  return static_cast<std::uint8_t>(last);
}

void check_pcie(const PlatformSpec& spec) {
  if (!spec.has<Tegra410Spec>()) return;
  const auto& complexes = spec.of<Tegra410Spec>().pcie.root_complexes;
  if (!complexes) return;
  std::map<std::pair<unsigned, unsigned>, std::size_t> seen;
  for (std::size_t index = 0; index < complexes->size(); ++index) {
    const PcieRootComplex& complex = (*complexes)[index];
    const std::string field = fmt::format("tegra410.pcie.root_complexes[{}]", index);
    if (complex.socket >= spec.sockets)
      throw SpecError(field + ".socket",
                      fmt::format("is {}, but the platform has sockets 0 ... {}", complex.socket, spec.sockets - 1));
    if (complex.number >= tegra410::kRootComplexes)
      throw SpecError(field + ".number", fmt::format("is {}, but a socket has root complexes 0 ... {}", complex.number,
                                                     tegra410::kRootComplexes - 1));
    if (const auto [same, fresh] = seen.emplace(std::pair{complex.socket, complex.number}, index); !fresh)
      throw SpecError(field + ".number", fmt::format("root_complexes[{}] is number {} of socket {} already",
                                                     same->second, complex.number, complex.socket));
    check_ports(field, complex);
  }
}

}  // namespace pmufab::platform
