// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "models/tegra410/ucf/large_table.h"

namespace pmufab::tegra410 {

/// Sets of cache lines in exact least-recently-used order, with one bit of state per line: of the SLC and of
/// the CPUs' caches.
///
/// A set is a row of words, the most recently used line first and empty places last. The position is the recency; no
/// other state is kept. Line numbers are below 2^62.
class LruSets {
 public:
  /// A line that was replaced.
  struct Victim {
    std::uint64_t line;
    bool flag;
  };

  LruSets(std::size_t sets, unsigned ways) : ways_(ways), words_(sets * ways, kEmpty) {}

  /// Prefetch a set that will be used soon.
  void prefetch(std::size_t set) const noexcept {
    const std::uint64_t* const row = &words_[set * ways_];
    for (unsigned way = 0; way < ways_; way += kWordsPerFetch) __builtin_prefetch(row + way, 1);
  }

  /// Make the line the most recently used. @return false if it is absent
  bool touch(std::size_t set, std::uint64_t line) noexcept {
    std::uint64_t* const row = &words_[set * ways_];
    const unsigned way = find(row, line);
    if (way == ways_) return false;
    move_to_front(row, way);
    return true;
  }

  /// As touch(), and set the flag of the line.
  bool touch_and_set(std::size_t set, std::uint64_t line) noexcept {
    if (!touch(set, line)) return false;
    words_[set * ways_] |= 1U;
    return true;
  }

  /// @return the flag of a line; nothing if it is absent. The order does not change.
  [[nodiscard]] std::optional<bool> flag(std::size_t set, std::uint64_t line) const noexcept {
    const std::uint64_t* const row = &words_[set * ways_];
    const unsigned way = find(row, line);
    if (way == ways_) return std::nullopt;
    return (row[way] & 1U) != 0;
  }

  /// Change the flag of a line, if present. The order does not change.
  void set_flag(std::size_t set, std::uint64_t line, bool flag) noexcept {
    std::uint64_t* const row = &words_[set * ways_];
    const unsigned way = find(row, line);
    if (way != ways_) row[way] = line << 1 | static_cast<std::uint64_t>(flag);
  }

  /// If the set is full, remove the least recently used line.
  std::optional<Victim> make_room(std::size_t set) noexcept {
    std::uint64_t& last = words_[set * ways_ + ways_ - 1];
    if (last == kEmpty) return std::nullopt;
    const Victim victim{last >> 1, (last & 1U) != 0};
    last = kEmpty;
    return victim;
  }

  /// Insert an absent line as the most recently used. The set must not be full.
  void insert(std::size_t set, std::uint64_t line, bool flag) noexcept {
    std::uint64_t* const row = &words_[set * ways_];
    std::memmove(row + 1, row, (ways_ - 1) * sizeof *row);
    row[0] = line << 1 | static_cast<std::uint64_t>(flag);
  }

  /// Remove a line. @return its flag, or nothing if it was absent
  std::optional<bool> erase(std::size_t set, std::uint64_t line) noexcept {
    std::uint64_t* const row = &words_[set * ways_];
    const unsigned way = find(row, line);
    if (way == ways_) return std::nullopt;
    const bool flag = (row[way] & 1U) != 0;
    std::memmove(row + way, row + way + 1, (ways_ - way - 1) * sizeof *row);
    row[ways_ - 1] = kEmpty;
    return flag;
  }

  [[nodiscard]] unsigned ways() const noexcept { return ways_; }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  static constexpr unsigned kWordsPerFetch = 8;  // a cache line of the host

  [[nodiscard]] unsigned find(const std::uint64_t* row, std::uint64_t line) const noexcept {
    unsigned way = 0;
    while (way < ways_ && row[way] >> 1 != line) ++way;
    return way;
  }

  static void move_to_front(std::uint64_t* row, unsigned way) noexcept {
    const std::uint64_t word = row[way];
    std::memmove(row + 1, row, way * sizeof *row);
    row[0] = word;
  }

  unsigned ways_;
  std::vector<std::uint64_t, LargeTableAllocator<std::uint64_t>> words_;  // line << 1 | flag
};

/// Division by a number fixed at construction, without a divide instruction. Exact for dividends below 2^50.
class Divider {
 public:
  /// @param divisor  1 ... 2^14
  explicit Divider(std::uint64_t divisor) noexcept
      : divisor_(divisor), reciprocal_(divisor == 1 ? 0 : ~std::uint64_t{0} / divisor + 1) {}

  [[nodiscard]] std::uint64_t quotient(std::uint64_t dividend) const noexcept {
    // reciprocal = (2^64 + e) / divisor with e < divisor: exact while dividend * e < 2^64.
    if (divisor_ == 1) return dividend;
    return static_cast<std::uint64_t>(static_cast<Wide>(dividend) * reciprocal_ >> 64);
  }
  [[nodiscard]] std::uint64_t divisor() const noexcept { return divisor_; }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t divisor_;
  std::uint64_t reciprocal_;
};

}  // namespace pmufab::tegra410
