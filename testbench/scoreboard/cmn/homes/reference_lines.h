// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <set>

#include "testbench/scoreboard/core/line_table.h"

namespace pmufab::scoreboard {

/// A line of an SLC.
struct CachedLine {
  std::uint64_t line = 0;
  bool dirty = false;
};

/// An entry of a snoop filter.
struct TrackedLine {
  std::uint64_t line = 0;
  std::set<std::uint16_t> sharers{};
  bool unique = false;
};

/// A set-associative array with least-recently-used replacement.
template <typename Line>
class ReferenceLines {
 public:
  ReferenceLines(unsigned sets, unsigned ways, unsigned homes) : sets_(sets), ways_(ways), homes_(homes) {}

  [[nodiscard]] std::list<Line>& set_of(std::uint64_t line) { return lines_[line / homes_ % sets_]; }
  [[nodiscard]] bool is_full(std::uint64_t line) { return set_of(line).size() >= ways_; }
  /// @return the line, or nullptr. Its age does not change.
  [[nodiscard]] Line* find(std::uint64_t line) {
    std::list<Line>& set = set_of(line);
    const auto found = std::find_if(set.begin(), set.end(), [&](const Line& one) { return one.line == line; });
    return found == set.end() ? nullptr : &*found;
  }
  /// The same, and make it the youngest.
  Line* touch(std::uint64_t line) {
    std::list<Line>& set = set_of(line);
    const auto found = std::find_if(set.begin(), set.end(), [&](const Line& one) { return one.line == line; });
    if (found == set.end()) return nullptr;
    set.splice(set.begin(), set, found);
    return &set.front();
  }
  Line& add(const Line& line) { return set_of(line.line).emplace_front(line); }
  void remove(std::uint64_t line) {
    std::erase_if(set_of(line), [&](const Line& one) { return one.line == line; });
  }

 private:
  unsigned sets_;
  unsigned ways_;
  unsigned homes_;
  LineTable<std::list<Line>> lines_;  // by set, the youngest first
};

}  // namespace pmufab::scoreboard
