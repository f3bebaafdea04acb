// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace pmufab::tegra410 {

inline constexpr unsigned kRootComplexes = 6;  ///< per socket: nvidia-tegra410-pmu.rst, example output
inline constexpr unsigned kRootPorts = 8;      ///< largest number per root complex: nvidia-tegra410-pmu.rst, "PCIE PMU"
inline constexpr std::uint16_t kNvidiaVendor = 0x10de;

/// A function on the bus below a root port, as software finds it: an endpoint with one base address register.
struct PcieEndpoint {
  /// Low byte of the requester id: device << 3 | function, or an alternative (ARI) function number. One endpoint of
  /// each port is function 0.
  std::uint8_t function = 0;
  std::uint64_t bar_size = 16 << 20;  ///< bytes, a power of two, 4 KiB ... 4 GiB
  std::uint16_t vendor_id = 0x144d;   ///< vendor, device and class as lspci shows them; they have no other effect
  std::uint16_t device_id = 0xa80a;
  std::uint32_t class_code = 0x010802;  ///< 24 bits: base class, sub class, programming interface
};

/// A root port. It is device 0, function 0 of its own root bus; the devices below it are on the next bus.
struct PcieRootPort {
  unsigned number = 0;   ///< RP# of DVSEC 4, port number of its link, bit number in masks of root ports: 0 ... 7
  std::uint8_t bus = 0;  ///< the root bus, 0 ... 254
  std::vector<PcieEndpoint> devices;
};

/// A root complex, with one PCIE and one PCIE-TGT PMU. It is PCI segment 8 x socket + number + 1.
struct PcieRootComplex {
  unsigned socket = 0;
  unsigned number = 0;  ///< RC# of DVSEC 4: 0 ... 5
  std::vector<PcieRootPort> root_ports;
};

/// PCI Express of a platform.
struct PcieParameters {
  /// If not set: default_root_complexes() of the platform's sockets. If empty: none, and none of their PMUs.
  std::optional<std::vector<PcieRootComplex>> root_complexes;
};

/// @return the PCI segment of a root complex.
[[nodiscard]] constexpr std::uint16_t segment_of(unsigned socket, unsigned root_complex) noexcept {
  return static_cast<std::uint16_t>(8 * socket + root_complex + 1);
}
/// @return the bus below a root port.
[[nodiscard]] constexpr std::uint8_t secondary_bus(const PcieRootPort& port) noexcept {
  return static_cast<std::uint8_t>(port.bus + 1);
}

/// The root ports of the example output in nvidia-tegra410-pmu.rst. Sockets 2 and 3, which it does not show, are like
/// socket 0. The devices below the ports are our choice.
[[nodiscard]] std::vector<PcieRootComplex> default_root_complexes(unsigned sockets);

}  // namespace pmufab::tegra410
