#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "models/cmn/nodes/lru_lines.h"

namespace pmufab::cmn {

/// Which RN-Fs of the mesh, by index: a view of the words of whoever holds them.
class RnfSet {
 public:
  RnfSet(std::uint64_t* words, unsigned count) noexcept : words_(words), count_(count) {}

  [[nodiscard]] bool has(unsigned index) const noexcept { return (words_[index / 64] >> index % 64 & 1U) != 0; }
  void add(unsigned index) noexcept { words_[index / 64] |= std::uint64_t{1} << index % 64; }
  void remove(unsigned index) noexcept { words_[index / 64] &= ~(std::uint64_t{1} << index % 64); }
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

/// The snoop filter of a home: which RN-Fs may have which line, and whether one may have it alone ("unique").
class SnoopFilter {
 public:
  /// An entry, as long as nothing in its set changes.
  struct Found {
    unsigned position;
    std::uint64_t line;
    bool unique;
    RnfSet sharers;
  };

  /// @param ways   lines a set holds; more while none of them can be replaced
  /// @param limit  lines a set can grow to
  /// @param rn_fs  of the mesh
  SnoopFilter(std::size_t sets, unsigned ways, unsigned limit, unsigned rn_fs);

  /// @return the entry for a line, if there is one; nothing changes.
  [[nodiscard]] std::optional<Found> find(std::size_t set, std::uint64_t line) const {
    const unsigned position = lines_.find(set, line);
    if (position == LruLines::kAbsent) return std::nullopt;
    return at(set, position);
  }
  /// @return whether there is one.
  [[nodiscard]] bool has(std::size_t set, std::uint64_t line) const noexcept {
    return lines_.find(set, line) != LruLines::kAbsent;
  }
  /// Look a line up: its entry becomes the youngest. @return false if it has none
  bool look_up(std::size_t set, std::uint64_t line) noexcept;

  /// The set will be needed soon.
  void prefetch(std::size_t set) const noexcept {
    lines_.prefetch(set, ways_);
    __builtin_prefetch(slots(set), 1);
  }

  /// @name The youngest entry of a set
  /// @{
  [[nodiscard]] RnfSet youngest(std::size_t set) const noexcept { return sharers(set, 0); }
  [[nodiscard]] bool is_unique(std::size_t set) const noexcept { return lines_.flag(set, 0); }
  void set_unique(std::size_t set, bool unique) noexcept { lines_.set_flag(set, 0, unique); }
  void remove_youngest(std::size_t set) noexcept { remove(set, 0); }
  /// @}

  /// @param is_busy  is_busy(line): the line cannot be replaced now
  /// @return the one to replace when an entry is added: the oldest that is not busy, if the set has as many as it
  /// should; nothing if none must or can go.
  template <typename IsBusy>
  [[nodiscard]] std::optional<Found> victim(std::size_t set, IsBusy is_busy) const {
    if (!lines_.has(set, ways_)) return std::nullopt;
    for (unsigned position = lines_.size(set); position-- > 0;) {
      const std::uint64_t line = lines_.line(set, position);
      if (!is_busy(line)) return at(set, position);
    }
    return std::nullopt;
  }
  /// Add an entry with no RN-F, not unique, for a line that has none, as the youngest.
  /// @pre the set is smaller than the limit
  void add(std::size_t set, std::uint64_t line) noexcept;
  /// Take an entry out.
  void remove(std::size_t set, unsigned position) noexcept;

  /// @return entries of a set.
  [[nodiscard]] unsigned size(std::size_t set) const noexcept { return lines_.size(set); }

 private:
  [[nodiscard]] Found at(std::size_t set, unsigned position) const noexcept {
    return {position, lines_.line(set, position), lines_.flag(set, position), sharers(set, position)};
  }
  [[nodiscard]] RnfSet sharers(std::size_t set, unsigned position) const noexcept {
    const std::size_t place = set * lines_.ways() + slots(set)[position];
    return {sharers_.data() + place * words_, words_};
  }
  [[nodiscard]] std::uint16_t* slots(std::size_t set) const noexcept { return slots_.data() + set * lines_.ways(); }
  void move_slot_to_front(std::size_t set, unsigned position) noexcept;

  unsigned ways_;
  unsigned words_;  // of a set of RN-Fs
  LruLines lines_;  // flag: unique
  // Where the sharers of the line at a position are. Beyond the set's size: the free places.
  ZeroedArray<std::uint16_t> slots_;
  ZeroedArray<std::uint64_t> sharers_;
};

}  // namespace pmufab::cmn
