// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/cmn/nodes/zeroed_array.h"

namespace pmufab::cmn {

/// State of a line in the cache of an RN-F.
enum class LineState : std::uint8_t { invalid, shared_clean, unique_clean, unique_dirty };

/// A place of a requester's cache; zero-initialised, which means invalid. A reserved place belongs to a transaction
/// under way and is never replaced.
struct LinePlace {
  std::uint64_t line;
  std::uint32_t used;  ///< time of last use, in lookups
  LineState state;
  bool reserved;
};
static_assert(LineState{} == LineState::invalid);

/// The states of lines in an RN-F's cache: set-associative, with least-recently-used replacement.
class PrivateLines {
 public:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  PrivateLines(unsigned sets, unsigned ways) : places_(std::size_t{sets} * ways), sets_(sets), ways_(ways) {}

  /// @return the place of a line that is valid or reserved, kNowhere if there is none.
  [[nodiscard]] std::uint32_t find(std::uint64_t line) const noexcept {
    const std::uint32_t first = set_of(line);
    for (std::uint32_t place = first; place < first + ways_; ++place) {
      const LinePlace& one = places_[place];
      if (one.line == line && (one.state != LineState::invalid || one.reserved)) return place;
    }
    return kNowhere;
  }
  /// @return the place for a new line: a free one, else the least recently used; kNowhere if all are reserved.
  [[nodiscard]] std::uint32_t place_for(std::uint64_t line) const noexcept {
    const std::uint32_t first = set_of(line);
    std::uint32_t oldest = kNowhere;
    for (std::uint32_t place = first; place < first + ways_; ++place) {
      const LinePlace& one = places_[place];
      if (one.reserved) continue;
      if (one.state == LineState::invalid) return place;
      if (oldest == kNowhere || one.used - now_ < places_[oldest].used - now_) oldest = place;
    }
    return oldest;
  }
  [[nodiscard]] std::uint32_t places() const noexcept { return sets_ * ways_; }
  void touch(std::uint32_t place) noexcept { places_[place].used = now_++; }
  [[nodiscard]] LinePlace& at(std::uint32_t place) noexcept { return places_[place]; }
  [[nodiscard]] const LinePlace& at(std::uint32_t place) const noexcept { return places_[place]; }

 private:
  [[nodiscard]] std::uint32_t set_of(std::uint64_t line) const noexcept {
    // The lines of one home are equal modulo the number of homes. Without the fold they would use few sets.
    return static_cast<std::uint32_t>((line ^ line >> 17U) % sets_ * ways_);
  }

  ZeroedArray<LinePlace> places_;
  unsigned sets_;
  unsigned ways_;
  std::uint32_t now_ = 0;
};

}  // namespace pmufab::cmn
