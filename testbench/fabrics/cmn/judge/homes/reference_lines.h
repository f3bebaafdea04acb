// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <boost/container/flat_set.hpp>
#include <boost/container/small_vector.hpp>

namespace pmufab::scoreboard {

/// Node ids, in order. A few need no memory of their own.
using NodeIds =
    boost::container::flat_set<std::uint16_t, std::less<>, boost::container::small_vector<std::uint16_t, 4>>;

/// A line of an SLC.
struct CachedLine {
  std::uint64_t line = 0;
  bool dirty = false;
};

/// An entry of a snoop filter.
struct TrackedLine {
  std::uint64_t line = 0;
  NodeIds sharers{};
  bool unique = false;
};

/// A set-associative array with least-recently-used replacement.
///
/// Each way has a mark of one byte, made of the number of its line. Most searches end at the marks, which are dense enough
/// for a cache: those of a set lie together, and so do those of sets that follow each other.
template <typename Line>
class ReferenceLines {
 public:
  ReferenceLines(unsigned sets, unsigned ways, unsigned homes)
      : sets_(sets), ways_(ways), homes_(homes), groups_((sets + kGroup - 1) / kGroup) {}

  /// @name Let memory bring what a search for the line needs, while something else is done
  /// @{ prefetch_set() comes first, and prefetch_lines() later: it reads what the first has brought.
  void prefetch_set(std::uint64_t line) {
    const Set set = set_of(line);
    if (set.marks == nullptr) return;
    __builtin_prefetch(set.marks);
    __builtin_prefetch(set.lines);
  }
  void prefetch_lines(std::uint64_t line) {
    const Set set = set_of(line);
    if (set.marks == nullptr) return;
    if (const auto* const mark = static_cast<const std::uint8_t*>(std::memchr(set.marks, mark_of(line), ways_)))
      __builtin_prefetch(set.lines->data() + (mark - set.marks));
  }
  /// @}

  [[nodiscard]] bool is_full(std::uint64_t line) {
    const Set set = set_of(line);
    return set.marks != nullptr && set.marks[ways_ - 1] != kFree;
  }
  /// @return the line, up to the next change; nullptr: it is not there. Its age does not change.
  [[nodiscard]] Line* find(std::uint64_t line) {
    const Set set = set_of(line);
    const std::size_t way = way_of(set, line);
    return way == kNone ? nullptr : &(*set.lines)[way];
  }
  /// The same, and make it the youngest.
  Line* touch(std::uint64_t line) {
    const Set set = set_of(line);
    const std::size_t way = way_of(set, line);
    if (way == kNone) return nullptr;
    const auto begin = set.lines->begin() + static_cast<std::ptrdiff_t>(way);
    if (const std::ptrdiff_t younger = set.lines->end() - begin - 1; younger != 0) {
      std::rotate(begin, begin + 1, set.lines->end());
      mark_from(set, way);
    }
    return &set.lines->back();
  }
  /// @return of the lines in the set of `line` that may go, the oldest; nullptr: none may
  template <typename MayGo>
  [[nodiscard]] const Line* oldest(std::uint64_t line, MayGo may_go) {
    const Set set = set_of(line);
    if (set.marks == nullptr) return nullptr;
    const auto found = std::find_if(set.lines->begin(), set.lines->end(), may_go);
    return found == set.lines->end() ? nullptr : &*found;
  }
  /// Add a line that is not there, as the youngest. A full set gets a further way. @return it, up to the next change
  Line* add(Line line) {
    const std::uint64_t number = line.line;
    Group& group = groups_[number_of_set(number) / kGroup];
    if (group.marks.empty()) {
      group.marks.resize(std::size_t{kGroup} * ways_);
      group.lines = std::make_unique<std::array<std::vector<Line>, kGroup>>();
    }
    const Set set = set_of(number);
    const std::size_t way = set.lines->size();
    has_further_ways_ = has_further_ways_ || way >= ways_;
    if (way < ways_) set.marks[way] = mark_of(number);
    set.lines->push_back(std::move(line));
    return &set.lines->back();
  }
  /// Remove a line, if it is there.
  void remove(std::uint64_t line) {
    const Set set = set_of(line);
    const std::size_t way = way_of(set, line);
    if (way == kNone) return;
    set.lines->erase(set.lines->begin() + static_cast<std::ptrdiff_t>(way));
    mark_from(set, way);
  }

 private:
  static constexpr unsigned kGroup = 64;
  static constexpr std::uint8_t kFree = 0;
  static constexpr std::size_t kNone = ~std::size_t{0};
  /// Sets that follow each other. They have memory if a line was ever in one of them.
  struct Group {
    std::vector<std::uint8_t> marks;                               // by set and way: of the lines, then kFree
    std::unique_ptr<std::array<std::vector<Line>, kGroup>> lines;  // by set: the oldest first
  };
  /// One set; null pointers: no line was ever in its group.
  struct Set {
    std::uint8_t* marks = nullptr;
    std::vector<Line>* lines = nullptr;
  };

  [[nodiscard]] std::uint64_t number_of_set(std::uint64_t line) const noexcept { return line / homes_ % sets_; }
  /// The upper bits of a product depend on all bits of the line.
  [[nodiscard]] static std::uint8_t mark_of(std::uint64_t line) noexcept {
    const auto mark = static_cast<std::uint8_t>(line * 0x9e37'79b9'7f4a'7c15U >> 56U);
    return mark == kFree ? 1 : mark;
  }
  [[nodiscard]] Set set_of(std::uint64_t line) {
    const std::uint64_t number = number_of_set(line);
    Group& group = groups_[number / kGroup];
    if (group.marks.empty()) return {};
    const std::uint64_t place = number % kGroup;
    return {group.marks.data() + place * ways_, &(*group.lines)[place]};
  }
  /// @return the number of a line among those of its set; kNone: it is not there
  [[nodiscard]] std::size_t way_of(Set set, std::uint64_t line) const {
    if (set.marks == nullptr) return kNone;
    const std::uint8_t mark = mark_of(line);
    for (std::size_t way = 0; way < ways_; ++way) {
      const void* const same = std::memchr(set.marks + way, mark, ways_ - way);
      if (same == nullptr) break;
      way = static_cast<std::size_t>(static_cast<const std::uint8_t*>(same) - set.marks);
      if ((*set.lines)[way].line == line) return way;
    }
    if (!has_further_ways_) return kNone;
    for (std::size_t way = ways_; way < set.lines->size(); ++way) {
      if ((*set.lines)[way].line == line) return way;
    }
    return kNone;
  }
  /// Lines of a set have moved, from this one on.
  void mark_from(Set set, std::size_t way) {
    for (; way < ways_ && (way < set.lines->size() || set.marks[way] != kFree); ++way)
      set.marks[way] = way < set.lines->size() ? mark_of((*set.lines)[way].line) : kFree;
  }

  unsigned sets_;
  unsigned ways_;
  unsigned homes_;
  bool has_further_ways_ = false;  // a set has, or had, more lines than ways
  std::vector<Group> groups_;
};

}  // namespace pmufab::scoreboard
