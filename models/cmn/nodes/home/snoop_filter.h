// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "models/cmn/nodes/zeroed_array.h"

namespace pmufab::cmn {

/// A set of RN-Fs of the mesh, by index: a view of words stored elsewhere.
class RnfSet {
 public:
  RnfSet(std::uint64_t* words, unsigned count) noexcept : words_(words), count_(count) {}

  [[nodiscard]] bool has(unsigned index) const noexcept { return (words_[index / 64] >> index % 64 & 1U) != 0; }
  void add(unsigned index) noexcept { words_[index / 64] |= std::uint64_t{1} << index % 64; }
  void remove(unsigned index) noexcept { words_[index / 64] &= ~(std::uint64_t{1} << index % 64); }
  void copy_to(std::uint64_t* words) const noexcept { std::copy_n(words_, count_, words); }
  void copy_from(const std::uint64_t* words) noexcept { std::copy_n(words, count_, words_); }
  void clear() noexcept { std::fill_n(words_, count_, 0); }
  [[nodiscard]] unsigned size() const noexcept {
    unsigned size = 0;
    for (unsigned i = 0; i < count_; ++i) size += static_cast<unsigned>(std::popcount(words_[i]));
    return size;
  }
  /// Call visit(index) in ascending order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (unsigned i = 0; i < count_; ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1)
        visit(i * 64 + static_cast<unsigned>(std::countr_zero(word)));
    }
  }

 private:
  std::uint64_t* words_;
  unsigned count_;
};

/// The snoop filter of a home: which RN-Fs may have which line, and whether one may have it alone ("unique"). Exact
/// least-recently-used order; an entry's position is its age, 0 for the youngest.
///
/// Most sets have few entries, and most of the time goes into fetching them from the host's memory. So the youngest
/// entries of a set are stored together, near those of other sets, and older entries elsewhere.
class SnoopFilter {
 public:
  /// An entry. Valid as long as nothing in its set changes.
  struct Found {
    unsigned position;
    std::uint64_t line;
    bool unique;
    RnfSet sharers;
  };

  /// @param ways   lines a set holds; more while none of them can be replaced
  /// @param limit  lines a set can grow to
  /// @param rn_fs  number of RN-Fs in the mesh
  SnoopFilter(std::size_t sets, unsigned ways, unsigned limit, unsigned rn_fs);

  /// @return the entry for a line, if there is one. Changes nothing.
  [[nodiscard]] std::optional<Found> find(std::size_t set, std::uint64_t line) const {
    const unsigned position = position_of(set, line);
    if (position == kAbsent) return std::nullopt;
    return at(set, position);
  }
  /// @return true if there is an entry for the line.
  [[nodiscard]] bool has(std::size_t set, std::uint64_t line) const noexcept {
    return position_of(set, line) != kAbsent;
  }
  /// Look a line up and make its entry the youngest. @return false if it has none
  bool look_up(std::size_t set, std::uint64_t line) noexcept;

  /// Prefetch a set that will be used soon.
  void prefetch(std::size_t set) const noexcept {
    constexpr unsigned kWordsPerFetch = 8;  // a cache line of the host
    const std::uint64_t* const words = near(set);
    for (unsigned word = 0; word < near_words_; word += kWordsPerFetch) __builtin_prefetch(words + word, 1);
  }

  /// @name The youngest entry of a set
  /// @{
  [[nodiscard]] RnfSet youngest(std::size_t set) const noexcept { return sharers(set, 0); }
  [[nodiscard]] bool is_unique(std::size_t set) const noexcept { return (near(set)[0] & kUnique) != 0; }
  void set_unique(std::size_t set, bool unique) noexcept {
    std::uint64_t& word = near(set)[0];
    word = unique ? word | kUnique : word & ~kUnique;
  }
  void remove_youngest(std::size_t set) noexcept { remove(set, 0); }
  /// @}

  /// @param is_busy  is_busy(line): the line cannot be replaced now
  /// @return the entry to replace when another is added: the oldest that is not busy, if the set is at its size; empty
  ///         if none must or can go.
  template <typename IsBusy>
  [[nodiscard]] std::optional<Found> victim(std::size_t set, IsBusy is_busy) const {
    if (!has_entry(set, ways_ - 1)) return std::nullopt;
    for (unsigned position = size(set); position-- > 0;) {
      const std::uint64_t line = word(set, position) >> kStateBits;
      if (!is_busy(line)) return at(set, position);
    }
    return std::nullopt;
  }
  /// Add an entry without RN-Fs, not unique, as the youngest. The line has no entry yet.
  /// @pre the set is smaller than the limit
  void add(std::size_t set, std::uint64_t line) noexcept;
  /// Remove an entry.
  void remove(std::size_t set, unsigned position) noexcept;

  /// @return the number of entries in a set.
  [[nodiscard]] unsigned size(std::size_t set) const noexcept {
    unsigned size = 0;
    while (size < most_ && word(set, size) != 0) ++size;
    return size;
  }

 private:
  static constexpr unsigned kAbsent = ~0U;
  static constexpr unsigned kNear = 4;  ///< entries of a set that are stored together
  static constexpr std::uint64_t kPresent = 1;
  static constexpr std::uint64_t kUnique = 2;
  static constexpr unsigned kStateBits = 2;

  [[nodiscard]] unsigned position_of(std::size_t set, std::uint64_t line) const noexcept {
    const std::uint64_t wanted = line << kStateBits | kPresent;
    for (unsigned position = 0; position < most_; ++position) {
      const std::uint64_t one = word(set, position);
      if ((one & ~kUnique) == wanted) return position;
      if (one == 0) break;
    }
    return kAbsent;
  }
  /// @return true if a set has an entry at a position. Reads the older entries only if it must.
  [[nodiscard]] bool has_entry(std::size_t set, unsigned position) const noexcept {
    return (position < kNear || word(set, kNear - 1) != 0) && word(set, position) != 0;
  }
  [[nodiscard]] Found at(std::size_t set, unsigned position) const noexcept {
    const std::uint64_t one = word(set, position);
    return {position, one >> kStateBits, (one & kUnique) != 0, sharers(set, position)};
  }
  /// Layout of both arrays: first a word for each entry, which holds its line; then their sharers.
  [[nodiscard]] std::uint64_t* near(std::size_t set) const noexcept { return near_.data() + set * near_words_; }
  [[nodiscard]] std::uint64_t* far(std::size_t set) const noexcept { return far_.data() + set * far_words_; }
  [[nodiscard]] std::uint64_t& word(std::size_t set, unsigned position) const noexcept {
    return position < kNear ? near(set)[position] : far(set)[position - kNear];
  }
  [[nodiscard]] RnfSet sharers(std::size_t set, unsigned position) const noexcept {
    if (position < kNear) return {near(set) + kNear + std::size_t{position} * words_, words_};
    return {far(set) + far_entries_ + std::size_t{position - kNear} * words_, words_};
  }
  void make_room(std::size_t set, unsigned entries) noexcept;

  unsigned ways_;
  unsigned words_;  // words per set of RN-Fs
  unsigned most_;   // largest number of entries in a set
  unsigned far_entries_;
  std::size_t near_words_;
  std::size_t far_words_;
  ZeroedArray<std::uint64_t> near_;
  ZeroedArray<std::uint64_t> far_;
  std::vector<std::uint64_t> moving_;  // sharers of an entry while it moves to the front
};

}  // namespace pmufab::cmn
