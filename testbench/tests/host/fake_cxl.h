// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/tests/host/fake_pci.h"

namespace pmufab::driver_host::testing {

/// The registers of a CXL performance monitoring unit (CXL specification 8.2.7). They keep written values, and writing
/// ones clears overflow status. There are no events: a test sets the counts.
class FakeCpmu : public FakeDevice {
 public:
  static constexpr std::uint64_t kOverflow = 0x10, kFreeze = 0x18;
  static constexpr std::uint64_t kEventCapability = 0x100, kConfig = 0x200, kFilter = 0x400, kData = 0xc00;
  static constexpr std::uint64_t kFixed = 1, kConfigurable = 2;  ///< type of a counter; 0: free-running
  static constexpr std::uint64_t kEnable = 1U << 8, kInterrupt = 1U << 9, kFreezeOnOverflow = 1U << 10;

  struct Options {
    unsigned width = 32;
    unsigned message = 1;
    std::uint64_t filters = 0;  ///< bit 0: HDM decoder, bit 1: channel, rank, bank
    bool writable_while_frozen = true;
    bool freeze = true;
    bool interrupt = true;
    std::vector<std::uint64_t> events{group(0x1e98, 0x20, 0x7)};        ///< event capabilities
    std::vector<std::uint64_t> counters{kConfigurable, kConfigurable};  ///< configuration registers after reset
  };
  static std::uint64_t group(std::uint64_t vendor, std::uint64_t id, std::uint64_t supported) {
    return vendor << 48 | id << 32 | supported;
  }
  /// Configuration of a fixed-function counter: events of one event capability.
  static std::uint64_t fixed(std::uint64_t capability, std::uint64_t events) {
    return kFixed | events << 24 | capability << 59;
  }

  FakeCpmu(const Options& options, std::function<void(unsigned)> send);

  std::uint64_t read(std::uint64_t offset, unsigned size) override;
  void write(std::uint64_t offset, unsigned size, std::uint64_t value) override;

  /// Add to a counter that is enabled and not frozen. It wraps, freezes and sends its message like hardware.
  void count(unsigned counter, std::uint64_t amount);
  /// Set overflow bits without counting and send one message.
  void raise(std::uint64_t counters);
  [[nodiscard]] std::uint64_t reg(std::uint64_t offset) const;

 private:
  Options options_;
  std::function<void(unsigned)> send_;
  std::map<std::uint64_t, std::uint64_t> registers_;  ///< 64 bits each
};

/// A CXL Type 3 memory device, as far as Linux reads it before its PMUs appear: a PCI function with DVSECs, the memory
/// device's registers with a mailbox, and PMUs. BAR 0 is 1 MiB.
class FakeCxlMemory {
 public:
  struct Block {
    std::uint8_t id;  ///< 1: component, 3: memory device, 4: PMU
    std::uint64_t offset;
    std::uint8_t bar = 0;
  };
  struct Reply {
    std::uint16_t code = 0;
    std::vector<std::uint8_t> payload{};
  };
  using Command = std::function<Reply(const std::vector<std::uint8_t>& input)>;
  static constexpr std::uint64_t kBarSize = 0x100000, kDeviceBlock = 0x10000;
  static constexpr std::uint16_t kUnsupported = 3;

  struct Options {
    std::vector<Block> locator{{.id = 3, .offset = kDeviceBlock}, {.id = 4, .offset = 0x20000}};
    bool media_info_valid = true;
    bool media_active = true;
    bool media_ready = true;
    unsigned msix_vectors = 8;
    unsigned msi_order = 0;  ///< 0: no MSI, else 2^order messages
    std::uint8_t pcie_type = FakePciFunction::kEndpoint;
  };

  FakeCxlMemory(const std::string& name, FakeBus& bus, std::uint64_t base, const Options& options);

  /// Put a PMU at its place in the locator.
  FakeCpmu& add_cpmu(std::uint64_t offset, const FakeCpmu::Options& options);

  FakePciFunction function;
  MessageInterrupt line;
  FakeMessages messages;
  std::map<std::uint16_t, Command> commands;  ///< opcode and its effect; a test may replace them
  std::optional<std::uint16_t> hangs;         ///< a command that never ends
  std::vector<std::uint16_t> seen;            ///< opcodes in order of arrival
  [[nodiscard]] std::uint64_t base() const { return base_; }

 private:
  /// The memory device's registers: capability array, status, mailbox, memory device status.
  struct DeviceBlock : FakeDevice {
    explicit DeviceBlock(FakeCxlMemory* memory_in) : memory(memory_in), bytes(0x1000) {}
    std::uint64_t read(std::uint64_t offset, unsigned size) override;
    void write(std::uint64_t offset, unsigned size, std::uint64_t value) override;
    void set(std::uint64_t offset, unsigned size, std::uint64_t value);
    FakeCxlMemory* memory;
    std::vector<std::uint8_t> bytes;
  };
  void execute();
  void add_default_commands();

  FakeBus& bus_;
  std::uint64_t base_;
  DeviceBlock block_{this};
  std::vector<std::unique_ptr<FakeCpmu>> cpmus_;
};

}  // namespace pmufab::driver_host::testing
