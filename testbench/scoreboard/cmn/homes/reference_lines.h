// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <boost/container/flat_set.hpp>
#include <boost/container/small_vector.hpp>

#include "testbench/scoreboard/core/line_table.h"

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

/// A set-associative array with least-recently-used replacement. The lines of a set are in one piece of memory.
template <typename Line>
class ReferenceLines {
 public:
  ReferenceLines(unsigned sets, unsigned ways, unsigned homes) : sets_(sets), ways_(ways), homes_(homes) {}

  /// @name Let memory bring what a search for the line needs, while something else is done
  /// @{ prefetch_set() comes first, and prefetch_lines() later: it reads what the first has brought.
  void prefetch_set(std::uint64_t line) const noexcept { sets_of_lines_.prefetch(number_of_set(line)); }
  void prefetch_lines(std::uint64_t line) {
    const Set* const set = set_of(line);
    if (set == nullptr) return;
    constexpr std::size_t kPerCacheLine = 64 / sizeof(std::uint64_t);
    for (std::size_t i = 0; i < set->numbers.size(); i += kPerCacheLine) __builtin_prefetch(&set->numbers[i]);
  }
  /// @}

  [[nodiscard]] bool is_full(std::uint64_t line) {
    const Set* const set = set_of(line);
    return set != nullptr && set->numbers.size() >= ways_;
  }
  /// @return the line, up to the next change; nullptr: it is not there. Its age does not change.
  [[nodiscard]] Line* find(std::uint64_t line) {
    Way* const way = way_of(line);
    return way == nullptr ? nullptr : &way->line;
  }
  /// The same, and make it the youngest.
  Line* touch(std::uint64_t line) {
    Way* const way = way_of(line);
    if (way == nullptr) return nullptr;
    way->used = ++uses_;
    return &way->line;
  }
  /// @return of the lines in the set of `line` that may go, the oldest; nullptr: none may
  template <typename MayGo>
  [[nodiscard]] const Line* oldest(std::uint64_t line, MayGo may_go) {
    const Way* oldest = nullptr;
    const Set* const set = set_of(line);
    if (set == nullptr) return nullptr;
    for (const Way& way : set->ways) {
      if ((oldest == nullptr || way.used < oldest->used) && may_go(way.line)) oldest = &way;
    }
    return oldest == nullptr ? nullptr : &oldest->line;
  }
  /// Add a line that is not there, as the youngest.
  void add(Line line) {
    Set& set = sets_of_lines_[number_of_set(line.line)];
    set.numbers.push_back(line.line);
    set.ways.push_back({std::move(line), ++uses_});
  }
  /// Remove a line, if it is there.
  void remove(std::uint64_t line) {
    const Way* const way = way_of(line);
    if (way == nullptr) return;
    Set& set = *set_of(line);
    const auto index = static_cast<std::size_t>(way - set.ways.data());
    std::swap(set.numbers[index], set.numbers.back());
    std::swap(set.ways[index], set.ways.back());
    set.numbers.pop_back();
    set.ways.pop_back();
  }

 private:
  struct Way {
    Line line;
    std::uint64_t used;  // the greater, the younger
  };
  struct Set {
    std::vector<std::uint64_t> numbers;  // of the lines in `ways`, for the search
    std::vector<Way> ways;
  };

  [[nodiscard]] std::uint64_t number_of_set(std::uint64_t line) const noexcept { return line / homes_ % sets_; }
  /// @return the set of a line; nullptr: no line was ever in it
  [[nodiscard]] Set* set_of(std::uint64_t line) { return sets_of_lines_.find(number_of_set(line)); }
  /// @return the place of a line; nullptr: it is not there
  [[nodiscard]] Way* way_of(std::uint64_t line) {
    Set* const set = set_of(line);
    if (set == nullptr) return nullptr;
    const auto found = std::find(set->numbers.begin(), set->numbers.end(), line);
    return found == set->numbers.end() ? nullptr : &set->ways[static_cast<std::size_t>(found - set->numbers.begin())];
  }

  unsigned sets_;
  unsigned ways_;
  unsigned homes_;
  std::uint64_t uses_ = 0;
  LineTable<Set> sets_of_lines_;  // by number
};

}  // namespace pmufab::scoreboard
