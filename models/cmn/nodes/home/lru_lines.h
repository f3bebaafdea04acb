// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/cmn/nodes/zeroed_array.h"

namespace pmufab::cmn {

/// A set-associative table of lines, each with a flag, in exact least-recently-used order.
///
/// The lines of a set are stored youngest first. A line's position is its age; no other state is kept. Line numbers are
/// below 2^62.
class LruLines {
 public:
  static constexpr unsigned kAbsent = ~0U;

  /// @param sets, ways  at least 1
  LruLines(std::size_t sets, unsigned ways) : ways_(ways), words_(sets * ways) {}

  [[nodiscard]] unsigned ways() const noexcept { return ways_; }
  /// @return the position of a line in its set, 0 for the youngest; kAbsent if it is not there.
  [[nodiscard]] unsigned find(std::size_t set, std::uint64_t line) const noexcept {
    const std::uint64_t* const words = row(set);
    const std::uint64_t wanted = word_of(line, false);
    for (unsigned position = 0; position < ways_ && words[position] != 0; ++position) {
      if ((words[position] & ~kFlag) == wanted) return position;
    }
    return kAbsent;
  }
  /// @return the number of lines in a set.
  [[nodiscard]] unsigned size(std::size_t set) const noexcept {
    const std::uint64_t* const words = row(set);
    unsigned size = 0;
    while (size < ways_ && words[size] != 0) ++size;
    return size;
  }
  /// @return true if a set has that many lines.
  [[nodiscard]] bool has(std::size_t set, unsigned lines) const noexcept { return row(set)[lines - 1] != 0; }
  [[nodiscard]] bool is_full(std::size_t set) const noexcept { return has(set, ways_); }
  /// Prefetch a set that will be used soon.
  void prefetch(std::size_t set, unsigned lines) const noexcept {
    constexpr unsigned kWordsPerFetch = 8;  // a cache line of the host
    for (unsigned position = 0; position < lines; position += kWordsPerFetch)
      __builtin_prefetch(row(set) + position, 1);
  }

  /// @name For a position below size()
  /// @{
  [[nodiscard]] std::uint64_t line(std::size_t set, unsigned position) const noexcept {
    return row(set)[position] >> kStateBits;
  }
  [[nodiscard]] bool flag(std::size_t set, unsigned position) const noexcept {
    return (row(set)[position] & kFlag) != 0;
  }
  void set_flag(std::size_t set, unsigned position, bool flag) noexcept {
    std::uint64_t& word = row(set)[position];
    word = flag ? word | kFlag : word & ~kFlag;
  }
  /// Make a line the youngest.
  void touch(std::size_t set, unsigned position) noexcept {
    std::uint64_t* const words = row(set);
    const std::uint64_t word = words[position];
    std::memmove(words + 1, words, position * sizeof *words);
    words[0] = word;
  }
  void erase(std::size_t set, unsigned position) noexcept {
    std::uint64_t* const words = row(set);
    const unsigned last = size(set) - 1;
    std::memmove(words + position, words + position + 1, (last - position) * sizeof *words);
    words[last] = 0;
  }
  /// @}

  /// Put an absent line into a set that is not full, as the youngest.
  void insert(std::size_t set, std::uint64_t line, bool flag) noexcept {
    std::uint64_t* const words = row(set);
    const unsigned lines = size(set);
    assert(lines < ways_);
    std::memmove(words + 1, words, lines * sizeof *words);
    words[0] = word_of(line, flag);
  }

 private:
  static constexpr std::uint64_t kPresent = 1;
  static constexpr std::uint64_t kFlag = 2;
  static constexpr unsigned kStateBits = 2;

  static std::uint64_t word_of(std::uint64_t line, bool flag) noexcept {
    return line << kStateBits | (flag ? kFlag : 0) | kPresent;
  }
  [[nodiscard]] std::uint64_t* row(std::size_t set) const noexcept { return words_.data() + set * ways_; }

  unsigned ways_;
  ZeroedArray<std::uint64_t> words_;
};

}  // namespace pmufab::cmn
