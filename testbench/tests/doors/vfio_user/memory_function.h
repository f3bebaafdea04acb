// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "testbench/doors/vfio_user/function.h"
#include "testbench/doors/vfio_user/protocol.h"

namespace pmufab::vfio_user {

/// A function whose configuration space and BAR 0 are memory, with four MSI-X vectors. At kInterrupt the BAR has a
/// register that interrupts and writes to the client's memory when it is read.
class MemoryFunction final : public Function {
 public:
  static constexpr std::uint64_t kBarBytes = 0x1000;
  static constexpr std::uint64_t kInterrupt = 0x800;
  static constexpr std::uint64_t kRefuses = 0x900;
  static constexpr std::uint64_t kDoorbell = 0x0802'0040;

  [[nodiscard]] std::uint64_t region_size(unsigned index) const override {
    if (index == 0) return bar.size();
    return index == kConfigRegion ? space.size() : 0;
  }
  [[nodiscard]] unsigned interrupts(unsigned kind) const override { return kind == kMsiX ? 4 : 0; }
  bool read(unsigned region, std::uint64_t offset, std::span<std::uint8_t> data) override {
    if (region == 0 && offset == kRefuses) return false;
    const std::span<const std::uint8_t> from = memory(region).subspan(offset, data.size());
    std::copy(from.begin(), from.end(), data.begin());
    if (region == 0 && offset == kInterrupt && client != nullptr) {
      client->interrupt(kMsiX, 1);
      client->write_memory(kDoorbell, from.first(1));
    }
    return true;
  }
  bool write(unsigned region, std::uint64_t offset, std::span<const std::uint8_t> data) override {
    if (region == 0 && offset == kRefuses) return false;
    std::copy(data.begin(), data.end(), memory(region).subspan(offset).begin());
    ++writes;
    return true;
  }
  void reset() override { ++resets; }
  void connected(Client* whom) override { client = whom; }

  std::vector<std::uint8_t> bar = std::vector<std::uint8_t>(kBarBytes);
  std::array<std::uint8_t, 256> space{};
  Client* client = nullptr;
  unsigned writes = 0;
  unsigned resets = 0;

 private:
  std::span<std::uint8_t> memory(unsigned region) {
    return region == kConfigRegion ? std::span<std::uint8_t>(space) : std::span<std::uint8_t>(bar);
  }
};

}  // namespace pmufab::vfio_user
