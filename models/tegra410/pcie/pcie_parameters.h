// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace pmufab::tegra410 {

inline constexpr unsigned kRootComplexes = 6;  ///< of a socket: nvidia-tegra410-pmu.rst, example output
inline constexpr unsigned kRootPorts = 8;      ///< of a root complex at most: nvidia-tegra410-pmu.rst, "PCIE PMU"
inline constexpr std::uint16_t kNvidiaVendor = 0x10de;

/// A function on the bus below a root port, as software finds it there: an endpoint with one base address register.
struct PcieEndpoint {
  /// Low byte of the requester id: device << 3 | function, or an alternative (ARI) function number. One of a port's
  /// endpoints is function 0.
  std::uint8_t function = 0;
  std::uint64_t bar_size = 16 << 20;  ///< bytes, a power of two, 4 KiB ... 4 GiB
  std::uint16_t vendor_id = 0x144d;   ///< as lspci shows vendor, device and class; nothing depends on them
  std::uint16_t device_id = 0xa80a;
  std::uint32_t class_code = 0x010802;  ///< 24 bits: base class, sub class, programming interface
};

/// A root port. It is device 0, function 0 of a root bus of its own; what is below it is on the next bus.
struct PcieRootPort {
  unsigned number = 0;   ///< RP# of DVSEC 4, port number of its link, bit number in masks of root ports: 0 ... 7
  std::uint8_t bus = 0;  ///< the root bus, 0 ... 254
  std::vector<PcieEndpoint> devices;
};

/// A root complex, with one PCIE and one PCIE-TGT PMU. It is the PCI segment 8 x socket + number + 1.
struct PcieRootComplex {
  unsigned socket = 0;
  unsigned number = 0;  ///< RC# of DVSEC 4: 0 ... 5
  std::vector<PcieRootPort> root_ports;
};

/// PCI Express of a platform.
struct PcieParameters {
  /// Not set: default_root_complexes() of the platform's sockets. Empty: none, and no PMUs of them.
  std::optional<std::vector<PcieRootComplex>> root_complexes;
};

/// @return the PCI segment that is a root complex.
[[nodiscard]] constexpr std::uint16_t segment_of(unsigned socket, unsigned root_complex) noexcept {
  return static_cast<std::uint16_t>(8 * socket + root_complex + 1);
}
/// @return the bus below a root port.
[[nodiscard]] constexpr std::uint8_t secondary_bus(const PcieRootPort& port) noexcept {
  return static_cast<std::uint8_t>(port.bus + 1);
}

/// The root ports of the example output in nvidia-tegra410-pmu.rst; sockets 2 and 3, which it does not show, are like
/// socket 0. What is below the ports is of our choice.
[[nodiscard]] std::vector<PcieRootComplex> default_root_complexes(unsigned sockets);

}  // namespace pmufab::tegra410
