// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/address_map.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace pmufab::tegra410 {

AddressMap::AddressMap(std::vector<MemoryRange> ranges, unsigned sockets)
    : ranges_(std::move(ranges)), sockets_(sockets) {
  if (ranges_.empty()) throw std::invalid_argument("the memory map is empty");
  for (const MemoryRange& range : ranges_) {
    if (range.size == 0 || range.size % kLineBytes != 0 || range.base % kLineBytes != 0) {
      throw std::invalid_argument(
          fmt::format("memory range at {:#x} of {:#x} bytes is not a whole number of {}-byte lines", range.base,
                      range.size, kLineBytes));
    }
    if (range.base >= kLimit || range.size > kLimit - range.base) {
      throw std::invalid_argument(fmt::format("memory range at {:#x} reaches beyond {:#x}", range.base, kLimit));
    }
    if (range.socket >= sockets) {
      throw std::invalid_argument(
          fmt::format("memory range at {:#x} belongs to socket {} of {}", range.base, range.socket, sockets));
    }
  }
  std::sort(ranges_.begin(), ranges_.end(), [](const auto& a, const auto& b) { return a.base < b.base; });
  for (std::size_t i = 1; i < ranges_.size(); ++i) {
    if (ranges_[i].base - ranges_[i - 1].base < ranges_[i - 1].size) {
      throw std::invalid_argument(
          fmt::format("memory ranges at {:#x} and {:#x} overlap", ranges_[i - 1].base, ranges_[i].base));
    }
  }
}

const MemoryRange* AddressMap::search(std::uint64_t address) const noexcept {
  const auto above = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](std::uint64_t value, const MemoryRange& range) { return value < range.base; });
  if (above == ranges_.begin()) return nullptr;
  const auto range = above - 1;
  if (address - range->base >= range->size) return nullptr;
  last_ = static_cast<std::size_t>(range - ranges_.begin());
  return &*range;
}

}  // namespace pmufab::tegra410
