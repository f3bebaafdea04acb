// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/host/driver_host.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::pci_access {

/// A PCI function as an operating system finds it.
struct FoundFunction {
  std::uint32_t address;  ///< segment << 16 | bus << 8 | device << 3 | function
  int node;               ///< NUMA node; -1: firmware does not say
  struct Bar {
    std::uint64_t base = 0;
    std::uint64_t size = 0;   ///< 0: there is none
    std::uint64_t flags = 0;  ///< as Linux shows them in sysfs
  };
  std::array<Bar, 6> bars{};
  std::vector<std::uint8_t> configuration;  ///< all 4 KiB, when it was found

  /// "0001:00:00.0"
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::uint32_t field(std::size_t offset, unsigned bytes) const;
};

/// Configuration space as programs on the platform reach it. Use it from a SystemC thread process: each access is a bus
/// access and takes simulated time.
class PciAccess {
 public:
  static constexpr std::uint64_t kSize = 4096;

  PciAccess(driver_host::DriverHost& host, const platform::FirmwareDescription& firmware)
      : host_(host), segments_(firmware.pci_segments) {}

  /// Find all functions, of each host bridge in the order of their buses. Measure their base address registers as an
  /// operating system does when it starts. Call this before drivers are loaded, because decoding is off for an instant.
  [[nodiscard]] std::vector<FoundFunction> enumerate();

  /// @return as many bytes as there are from `offset` on, `size` at most; nothing if there is no such segment or bus
  [[nodiscard]] std::vector<std::uint8_t> read(std::uint32_t function, std::uint64_t offset, std::uint64_t size);
  /// @return how many bytes were written, or -errno
  int write(std::uint32_t function, std::uint64_t offset, const std::uint8_t* data, std::uint64_t size);

 private:
  [[nodiscard]] std::uint64_t base(std::uint32_t function) const;
  [[nodiscard]] std::uint32_t get(std::uint64_t address, unsigned size);
  void measure_bars(FoundFunction& function);

  driver_host::DriverHost& host_;
  std::vector<platform::PciSegment> segments_;
};

}  // namespace pmufab::pci_access
