// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cxl/link/messages.h"

namespace pmufab::cxl {

/// Lines by address, in order of use. Allocates only when it holds more lines than ever before.
class LineTable {
 public:
  using Index = std::int32_t;
  static constexpr Index kNone = -1;

  struct Line {
    std::uint64_t address = 0;
    LineState state = LineState::invalid;
    bool busy = false;        ///< being snooped
    std::uint16_t users = 0;  ///< transactions under way
    Index chain = kNone;
    Index older = kNone;
    Index newer = kNone;
  };

  /// @param capacity  lines allocated at construction
  explicit LineTable(std::size_t capacity);

  [[nodiscard]] Index find(std::uint64_t address) const noexcept {
    Index index = buckets_[bucket(address)];
    while (index != kNone && lines_[static_cast<std::size_t>(index)].address != address)
      index = lines_[static_cast<std::size_t>(index)].chain;
    return index;
  }
  /// Add an absent line, as the youngest.
  Index insert(std::uint64_t address);
  Index find_or_insert(std::uint64_t address) {
    const Index index = find(address);
    return index != kNone ? index : insert(address);
  }
  void erase(Index index) noexcept;
  /// Make a line the youngest.
  void touch(Index index) noexcept;
  [[nodiscard]] Line& operator[](Index index) noexcept { return lines_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const Line& operator[](Index index) const noexcept { return lines_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] Index oldest() const noexcept { return oldest_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// @return the state of a line; invalid if it is absent.
  [[nodiscard]] LineState state(std::uint64_t address) const noexcept {
    const Index index = find(address);
    return index == kNone ? LineState::invalid : (*this)[index].state;
  }

 private:
  [[nodiscard]] std::size_t bucket(std::uint64_t address) const noexcept {
    return (address / 64 * 0x9e3779b97f4a7c15ULL) >> shift_;
  }
  void link_youngest(Index index) noexcept;
  void unlink(Index index) noexcept;

  unsigned shift_;
  std::vector<Index> buckets_;
  std::vector<Line> lines_;
  Index free_ = kNone;  // free entries, chained
  Index oldest_ = kNone;
  Index youngest_ = kNone;
  std::size_t size_ = 0;
};

}  // namespace pmufab::cxl
