// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/pci_access/pci_access.h"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <set>

#include <fmt/format.h>

namespace pmufab::pci_access {
namespace {

// Offsets and bits of the configuration header: PCI Express Base Specification, 7.5.1.
constexpr std::uint64_t kCommand = 0x04;
constexpr std::uint32_t kDecoding = 0x3;  // I/O and memory
constexpr std::uint64_t kHeaderType = 0x0e;
constexpr std::uint32_t kMultiFunction = 0x80;
constexpr std::uint64_t kBars = 0x10;
constexpr std::uint64_t kSecondaryBus = 0x19;

// include/linux/ioport.h: what sysfs shows as flags of a resource.
constexpr std::uint64_t kMemory = 0x200;
constexpr std::uint64_t kPrefetch = 0x2000;
constexpr std::uint64_t kSizeAligned = 0x4'0000;
constexpr std::uint64_t kMemory64 = 0x10'0000;

/// The pieces Linux takes an access of configuration space apart into: aligned, of 1, 2 or 4 bytes.
unsigned piece(std::uint64_t offset, std::uint64_t left) {
  if (offset % 2 != 0 || left < 2) return 1;
  return offset % 4 != 0 || left < 4 ? 2 : 4;
}

}  // namespace

std::string FoundFunction::name() const {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", address >> 16, address >> 8 & 0xff, address >> 3 & 0x1f, address & 7);
}

std::uint32_t FoundFunction::field(std::size_t offset, unsigned bytes) const {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint32_t{configuration.at(offset + i)} << 8 * i;
  return value;
}

std::uint64_t PciAccess::base(std::uint32_t function) const {
  const std::uint32_t bus = function >> 8 & 0xff;
  for (const platform::PciSegment& segment : segments_) {
    if (segment.number == function >> 16 && segment.first_bus <= bus && bus <= segment.last_bus)
      return segment.ecam_base + (std::uint64_t{function & 0xffff} << 12);
  }
  return 0;
}

std::uint32_t PciAccess::get(std::uint64_t address, unsigned size) {
  return static_cast<std::uint32_t>(host_.read_register(address, size) & (~std::uint64_t{0} >> (64 - 8 * size)));
}

std::vector<std::uint8_t> PciAccess::read(std::uint32_t function, std::uint64_t offset, std::uint64_t size) {
  std::vector<std::uint8_t> bytes;
  const std::uint64_t space = base(function);
  if (space == 0 || offset >= kSize) return bytes;
  size = std::min(size, kSize - offset);
  host_.run_program([&] {
    while (bytes.size() < size) {
      const std::uint64_t at = offset + bytes.size();
      const unsigned length = piece(at, size - bytes.size());
      const std::uint32_t value = get(space + at, length);
      for (unsigned i = 0; i < length; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    }
  });
  return bytes;
}

int PciAccess::write(std::uint32_t function, std::uint64_t offset, const std::uint8_t* data, std::uint64_t size) {
  const std::uint64_t space = base(function);
  if (space == 0) return -ENODEV;
  if (offset >= kSize) return -EINVAL;
  size = std::min(size, kSize - offset);
  host_.run_program([&] {
    for (std::uint64_t done = 0; done < size;) {
      const unsigned length = piece(offset + done, size - done);
      std::uint64_t value = 0;
      for (unsigned i = 0; i < length; ++i) value |= std::uint64_t{data[done + i]} << 8 * i;
      host_.write_register(space + offset + done, length, value);
      done += length;
    }
  });
  return static_cast<int>(size);
}

void PciAccess::measure_bars(FoundFunction& function) {
  const std::uint64_t space = base(function.address);
  const bool bridge = (get(space + kHeaderType, 1) & ~kMultiFunction) == 1;
  const std::uint32_t command = get(space + kCommand, 2);
  host_.write_register(space + kCommand, 2, command & ~kDecoding);
  const auto measure = [&](std::uint64_t at) {
    const std::uint32_t old = get(space + at, 4);
    host_.write_register(space + at, 4, 0xffff'ffff);
    const std::uint32_t mask = get(space + at, 4);
    host_.write_register(space + at, 4, old);
    return std::pair{old, mask};
  };
  for (unsigned i = 0; i < (bridge ? 2U : 6U); ++i) {
    const auto [low, low_mask] = measure(kBars + 4 * i);
    if (low_mask == 0 || (low & 1U) != 0) continue;  // none, or I/O ports, which no Arm system decodes
    FoundFunction::Bar& bar = function.bars.at(i);
    bar.flags = (low & 0xfU) | kMemory | kSizeAligned | ((low & 8U) != 0 ? kPrefetch : 0);
    bar.base = low & ~0xfU;
    std::uint64_t mask = 0xffff'ffff'0000'0000U | (low_mask & ~0xfU);
    if ((low & 6U) == 4) {
      const auto [high, high_mask] = measure(kBars + 4 * ++i);
      bar.flags |= kMemory64;
      bar.base |= std::uint64_t{high} << 32;
      mask = std::uint64_t{high_mask} << 32 | (low_mask & ~0xfU);
    }
    bar.size = ~mask + 1;
  }
  host_.write_register(space + kCommand, 2, command);
}

std::vector<FoundFunction> PciAccess::enumerate() {
  std::vector<FoundFunction> functions;
  for (const platform::PciSegment& segment : segments_) {
    std::deque<std::uint32_t> buses{segment.first_bus};
    std::set<std::uint32_t> seen{segment.first_bus};
    const std::size_t first = functions.size();
    const int node = segment.node ? static_cast<int>(*segment.node) : -1;
    for (; !buses.empty(); buses.pop_front()) {
      for (std::uint32_t slot = 0; slot < 32 * 8; ++slot) {
        FoundFunction function{std::uint32_t{segment.number} << 16 | buses.front() << 8 | slot, node, {}, {}};
        const std::uint64_t space = base(function.address);
        bool present = false;
        std::uint32_t header = 0;
        host_.run_program([&] {
          present = get(space, 4) != 0xffff'ffff;
          if (!present) return;
          header = get(space + kHeaderType, 1);
          measure_bars(function);
          if ((header & ~kMultiFunction) != 1) return;
          const std::uint32_t below = get(space + kSecondaryBus, 1);
          if (below != 0 && below <= segment.last_bus && seen.insert(below).second) buses.push_back(below);
        });
        if (present) {
          function.configuration = read(function.address, 0, kSize);
          functions.push_back(std::move(function));
        }
        if (slot % 8 == 0 && (!present || (header & kMultiFunction) == 0)) slot += 7;
      }
    }
    // Buses are numbered depth first, and so Linux finds functions.
    std::stable_sort(functions.begin() + static_cast<std::ptrdiff_t>(first), functions.end(),
                     [](const FoundFunction& a, const FoundFunction& b) { return a.address < b.address; });
  }
  return functions;
}

}  // namespace pmufab::pci_access
