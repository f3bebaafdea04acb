// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/run/results/results.h"

namespace pmufab::scenario {

/// Parts of a page in their order, each a list of items, of which only as much is taken as there is room for: what is
/// important first, wherever it stands. All text is markup.
class Parts {
 public:
  enum class Importance : std::uint8_t { failed, important, usual, lengthy };
  /// What stands around the words where items of a part are left out.
  struct Gap {
    std::string before;
    std::string after;
  };

  /// Begin a part. It is left out if none of its items is taken.
  /// @param head, tail  around its items
  /// @param what        its items are, in a sentence about what is left out: "counter"
  void begin(std::string head, std::string tail, std::string what, Gap gap);
  /// Add an item to the part that was begun last.
  void add(std::string item, Importance importance);

  /// @param most  bytes. @return the parts, with marks where items are left out, and before them a sentence about these
  [[nodiscard]] std::string take(std::size_t most);

 private:
  struct Item {
    std::string text;
    Importance importance;
    bool is_taken = false;
  };
  struct Part {
    std::string head;
    std::string tail;
    std::string what;
    Gap gap;
    std::vector<Item> items;
    bool is_open = false;  // an item of it is taken
    bool is_full = false;  // one was left out, so that none behind it is taken but what is more important
  };
  void choose(std::size_t most);
  /// @return the most that a mark for left out items takes
  [[nodiscard]] static std::size_t room_of_mark(const Part& part);
  [[nodiscard]] static std::string text_of(const Part& part);
  [[nodiscard]] std::string left_out(std::size_t most) const;

  std::vector<Part> parts_;
};

/// A picture of a counter over the time of its measure, as markup: what the driver's readings add up to, each
/// impossible reading with what was possible, and both counts at the end. Nothing is drawn between them that no result
/// has.
/// @return "" if the counter was not read on the way
[[nodiscard]] std::string time_line(const MeasureResult& measure, std::size_t counter);

}  // namespace pmufab::scenario
