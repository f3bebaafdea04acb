// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pmufab::scoreboard {

/// What is known of lines of memory, or of sets of lines, by their numbers. All of it is in one piece of memory, because
/// a look-up in a table of nodes waits for memory several times.
///
/// A line's place is the first free one from where its number sends it. At least half of the places are free, so it is
/// found soon.
template <typename Value>
class LineTable {
 public:
  using Line = std::uint64_t;  ///< anything but 2^64 - 1

  LineTable() : places_(kSmallest) {}

  /// @return what is known of a line, up to the next insertion or removal; nullptr: nothing is
  [[nodiscard]] Value* find(Line line) {
    Place& place = places_[place_of(line)];
    return place.line == line ? &place.value : nullptr;
  }

  /// Let memory bring what a look-up of the line needs, while something else is done.
  void prefetch(Line line) const noexcept { __builtin_prefetch(&places_[first_place(line)], 1); }

  /// @return what is known of a line, up to the next insertion or removal. If nothing was, it is Value{}.
  Value& operator[](Line line) {
    std::size_t index = place_of(line);
    if (places_[index].line != line) {
      if (2 * (size_ + 1) > places_.size()) {
        grow();
        index = place_of(line);
      }
      places_[index].line = line;
      ++size_;
    }
    return places_[index].value;
  }

  /// Forget a line, if it is known.
  void erase(Line line) {
    std::size_t hole = place_of(line);
    if (places_[hole].line == kNone) return;
    // Each look-up ends at a free place, so a line that was sent past the hole moves there.
    for (std::size_t next = after(hole); places_[next].line != kNone; next = after(next)) {
      const std::size_t first = first_place(places_[next].line);
      if (((next - first) & mask()) < ((next - hole) & mask())) continue;
      places_[hole] = std::move(places_[next]);
      hole = next;
    }
    places_[hole] = Place{};
    --size_;
  }

  /// @return all lines of which something is known, in order.
  [[nodiscard]] std::vector<Line> lines() const {
    std::vector<Line> known;
    for (const Place& place : places_) {
      if (place.line != kNone) known.push_back(place.line);
    }
    std::sort(known.begin(), known.end());
    return known;
  }
  /// @return the number of lines of which something is known.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static constexpr Line kNone = ~Line{0};
  static constexpr std::size_t kSmallest = 64;  // a power of two
  struct Place {
    Line line = kNone;
    Value value{};
  };

  [[nodiscard]] std::size_t mask() const noexcept { return places_.size() - 1; }
  [[nodiscard]] std::size_t after(std::size_t place) const noexcept { return (place + 1) & mask(); }
  /// The upper bits of a product depend on all bits of the line.
  [[nodiscard]] std::size_t first_place(Line line) const noexcept {
    return static_cast<std::size_t>(line * 0x9e37'79b9'7f4a'7c15U >> (64 - std::countr_zero(places_.size())));
  }
  /// @return the place of a line, or the free one that it would get.
  [[nodiscard]] std::size_t place_of(Line line) const noexcept {
    std::size_t place = first_place(line);
    while (places_[place].line != line && places_[place].line != kNone) place = after(place);
    return place;
  }
  void grow() {
    std::vector<Place> before(2 * places_.size());
    before.swap(places_);
    for (Place& place : before) {
      if (place.line != kNone) places_[place_of(place.line)] = std::move(place);
    }
  }

  std::vector<Place> places_;
  std::size_t size_ = 0;
};

}  // namespace pmufab::scoreboard
