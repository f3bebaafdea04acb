// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "models/cxl/registers/type3_device.h"
#include "models/pcie/ecam.h"
#include "testbench/support/initiator.h"
#include "testbench/support/interrupt_probe.h"
#include "testbench/support/simulation_test.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::cxl {

/// A memory expander alone in a segment (device 2 of bus 0), with its BAR on the bus, and accesses of a driver.
struct Type3Rig {
  static constexpr std::uint64_t kEcam = 0x30'0000'0000;
  static constexpr std::uint64_t kBar = 0x40'0000'0000;

  explicit Type3Rig(const Type3Parameters& parameters = {}) : device("mem", parameters) {
    cpu.socket.bind(bus.socket);
    bus.map("ecam", kEcam, ecam.size(), ecam.socket);
    bus.map("bar", kBar, device.function().bar_size(0), device.function().socket(0));
    ecam.attach(2, 0, device.function());
    firmware();
  }
  void firmware() {
    device.function().assign_bar(0, kBar);
    device.function().space().write(0x04, 2, 0x6, 0);
  }

  // Configuration space.
  std::uint32_t config(unsigned offset, unsigned bytes = 4) {
    const auto result = cpu.read(kEcam + (2U << 15) + offset, bytes);
    EXPECT_TRUE(result.ok()) << offset;
    return static_cast<std::uint32_t>(result.data);
  }
  void config_write(unsigned offset, unsigned bytes, std::uint32_t value) {
    EXPECT_TRUE(cpu.write(kEcam + (2U << 15) + offset, value, bytes).ok()) << offset;
  }
  unsigned capability(unsigned id) {
    for (unsigned at = config(0x34, 1); at != 0; at = config(at + 1, 1)) {
      if (config(at, 1) == id) return at;
    }
    return 0;
  }
  /// Offset of a DVSEC of vendor 0x1e98, 0 if it does not exist.
  unsigned dvsec(unsigned id) {
    for (unsigned at = 0x100; at != 0; at = config(at) >> 20) {
      if (config(at, 2) == 0x23 && config(at + 4, 2) == 0x1e98 && config(at + 8, 2) == id) return at;
    }
    return 0;
  }
  /// Offset of the extended capability, 0 if it does not exist.
  unsigned extended(unsigned id) {
    for (unsigned at = 0x100; at != 0; at = config(at) >> 20) {
      if (config(at, 2) == id) return at;
    }
    return 0;
  }
  struct Entry {
    unsigned id;
    unsigned bar;
    std::uint64_t offset;
  };
  std::vector<Entry> locator() {
    const unsigned at = dvsec(8);
    std::vector<Entry> entries;
    for (unsigned i = 0; i < ((config(at + 4) >> 20) - 0xc) / 8; ++i) {
      const std::uint32_t low = config(at + 0xc + 8 * i);
      entries.push_back(
          {low >> 8 & 0xff, low & 7, (low & 0xffff'0000) | std::uint64_t{config(at + 0x10 + 8 * i)} << 32});
    }
    return entries;
  }
  /// Address of the first block with that id.
  std::uint64_t block(unsigned id) {
    for (const Entry& entry : locator()) {
      if (entry.id == id) return kBar + entry.offset;
    }
    ADD_FAILURE() << "no block " << id;
    return kBar;
  }
  /// Address of a capability of the device registers, 0 if it does not exist.
  std::uint64_t device_capability(unsigned id) {
    const std::uint64_t base = block(3);
    const auto count = static_cast<unsigned>(cpu.get64(base) >> 32 & 0xffff);
    for (unsigned i = 1; i <= count; ++i) {
      if ((cpu.get32(base + 16 * i) & 0xffff) == id) return base + cpu.get32(base + 16 * i + 4);
    }
    return 0;
  }

  // The mailbox.
  struct Answer {
    unsigned code;
    std::vector<std::uint8_t> payload;
    [[nodiscard]] std::uint64_t number(std::size_t at, unsigned bytes) const {
      std::uint64_t value = 0;
      for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{payload.at(at + i)} << (8 * i);
      return value;
    }
  };
  void put_payload(std::uint64_t mailbox, const std::vector<std::uint8_t>& bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_TRUE(cpu.write(mailbox + 0x20 + i, bytes[i], 1).ok());
  }
  void wait_for_doorbell(std::uint64_t mailbox) {
    unsigned polls = 0;
    while ((cpu.get32(mailbox + 4) & 1) != 0) {
      ASSERT_LT(++polls, 1000U) << "the doorbell stays set";
      testing::advance(100'000);
    }
  }
  /// @param length  payload length in the command register; -1: the true one
  Answer command(unsigned opcode, const std::vector<std::uint8_t>& input = {}, int length = -1) {
    const std::uint64_t mailbox = device_capability(2);
    EXPECT_EQ(cpu.get32(mailbox + 4) & 1, 0U);
    put_payload(mailbox, input);
    const std::uint64_t bytes = length < 0 ? input.size() : static_cast<std::uint64_t>(length);
    cpu.put64(mailbox + 8, opcode | bytes << 16);
    cpu.put32(mailbox + 4, 1);
    wait_for_doorbell(mailbox);
    Answer answer{static_cast<unsigned>(cpu.get64(mailbox + 0x10) >> 32 & 0xffff), {}};
    const std::uint64_t out = cpu.get64(mailbox + 8) >> 16 & 0x1f'ffff;
    for (std::uint64_t i = 0; i < out; ++i) {
      answer.payload.push_back(static_cast<std::uint8_t>(cpu.read(mailbox + 0x20 + i, 1).data));
    }
    return answer;
  }

  testing::Initiator cpu{"cpu"};
  MmioBus bus{"bus"};
  pcie::Ecam ecam{"ecam", 0, 0};
  Type3Device device;
  testing::MessageProbe messages{device.function().messages()};
};

}  // namespace pmufab::cxl
