// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "testbench/tests/host/fake_devices.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::driver_host::testing {

/// The configuration space of a PCI Express function. Bits are read-only unless made writable.
class FakePciFunction : public FakeDevice {
 public:
  FakePciFunction(std::uint16_t vendor, std::uint16_t device, std::uint32_t class_code);

  std::uint64_t read(std::uint64_t offset, unsigned size) override { return get(offset, size); }
  void write(std::uint64_t offset, unsigned size, std::uint64_t value) override;

  [[nodiscard]] std::uint32_t get(std::uint64_t offset, unsigned size) const;
  /// Set bits, as the device itself does.
  void set(std::uint64_t offset, unsigned size, std::uint32_t value);
  /// Let software write bits of the aligned 32-bit word at `offset`.
  void writable(std::uint64_t offset, std::uint32_t mask) { masks_[offset] |= mask; }
  /// A 64-bit memory BAR at an address chosen by firmware. The size is a power of two.
  void add_bar(unsigned bar, std::uint64_t base, std::uint64_t size);
  /// @return the offset of the capability
  std::uint64_t add_capability(std::uint8_t id, std::uint64_t size);
  std::uint64_t add_extended_capability(std::uint16_t id, std::uint64_t size);
  /// A designated vendor-specific extended capability of CXL.
  std::uint64_t add_dvsec(std::uint16_t id, std::uint64_t size);
  /// Make it a bridge, with bus numbers assigned by firmware.
  void make_bridge(std::uint8_t primary, std::uint8_t secondary);
  void add_pcie(std::uint8_t type);

  static constexpr std::uint64_t kCommand = 0x4;
  static constexpr std::uint8_t kEndpoint = 0x0, kRootPort = 0x4, kRootComplexEndpoint = 0x9;

 private:
  std::array<std::uint8_t, 4096> bytes_{};
  std::map<std::uint64_t, std::uint32_t> masks_;
  std::uint64_t next_capability_ = 0x40;
  std::uint64_t last_capability_ = 0;
  std::uint64_t next_extended_ = 0x100;
  std::uint64_t last_extended_ = 0;
};

/// Configuration space of a segment from bus 0 on. Absent functions read all ones.
class FakeEcam : public FakeDevice {
 public:
  static std::uint64_t address(unsigned bus, unsigned device, unsigned function) {
    return std::uint64_t{bus} << 20 | device << 15 | function << 12;
  }
  void add(unsigned bus, unsigned device, unsigned function, FakePciFunction& pci) {
    functions_[address(bus, device, function)] = &pci;
  }
  std::uint64_t read(std::uint64_t offset, unsigned size) override;
  void write(std::uint64_t offset, unsigned size, std::uint64_t value) override;

 private:
  std::map<std::uint64_t, FakePciFunction*> functions_;
};

/// Messages of a function: MSI-X with its table at offset 0 of BAR 0, or MSI.
class FakeMessages : public FakeDevice {
 public:
  static constexpr std::uint64_t kWindow = 0x1000;
  struct Entry {
    std::uint64_t address = 0;
    std::uint32_t data = 0;
    std::uint32_t control = 1;  ///< bit 0: masked
  };

  FakeMessages(FakePciFunction& function, MessageInterrupt& line) : function_(function), line_(line) {}
  void add_msix(unsigned vectors);
  void add_msi(unsigned order);

  std::uint64_t read(std::uint64_t offset, unsigned size) override;
  void write(std::uint64_t offset, unsigned size, std::uint64_t value) override;
  /// Send message `number`. If its vector is masked, the message is kept.
  void send(unsigned number);
  [[nodiscard]] const Entry& entry(unsigned vector) const { return table_.at(vector); }
  [[nodiscard]] std::uint16_t msix_control() const;

 private:
  FakePciFunction& function_;
  MessageInterrupt& line_;
  std::vector<Entry> table_;
  std::uint32_t pending_ = 0;
  std::uint64_t msix_ = 0;
  std::uint64_t msi_ = 0;
};

}  // namespace pmufab::driver_host::testing
