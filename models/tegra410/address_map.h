// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/tegra410/parameters.h"

namespace pmufab::tegra410 {

/// A range of system addresses with one home. Base and size are multiples of a line.
struct MemoryRange {
  std::uint64_t base;
  std::uint64_t size;  ///< bytes
  unsigned socket;     ///< home socket
  MemoryClass memory_class;
  unsigned root_complex = 0;  ///< root complex of the socket: for cxl and bar
  unsigned root_port = 0;     ///< root port of the root complex: for bar
};

/// Maps addresses to memory. The same map serves all sockets of a platform.
class AddressMap {
 public:
  /// Largest end of a range.
  static constexpr std::uint64_t kLimit = std::uint64_t{1} << 56;

  /// @throws std::invalid_argument for an empty map; a range that is empty, not a multiple of a line, beyond kLimit, of
  ///         a socket that does not exist, or overlapping another
  AddressMap(std::vector<MemoryRange> ranges, unsigned sockets);

  /// @return the range that holds `address`, or nullptr. Valid for the life of the map.
  [[nodiscard]] const MemoryRange* find(std::uint64_t address) const noexcept {
    const MemoryRange& last = ranges_[last_];
    if (address - last.base < last.size) [[likely]]
      return &last;
    return search(address);
  }

  [[nodiscard]] const std::vector<MemoryRange>& ranges() const noexcept { return ranges_; }  ///< sorted by address
  [[nodiscard]] unsigned sockets() const noexcept { return sockets_; }

 private:
  const MemoryRange* search(std::uint64_t address) const noexcept;

  std::vector<MemoryRange> ranges_;
  unsigned sockets_;
  mutable std::size_t last_ = 0;  // most requests hit the range of the previous one
};

}  // namespace pmufab::tegra410
