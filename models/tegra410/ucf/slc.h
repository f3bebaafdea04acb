// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "models/tegra410/parameters.h"
#include "models/tegra410/ucf/lru_sets.h"

namespace pmufab::tegra410 {

/// The system-level cache: line L belongs to slice L mod slices and set (L / slices) mod sets; exact LRU in each set.
/// Knows lines and whether they are dirty; what to do with a victim is the fabric's matter.
class Slc {
 public:
  using Victim = LruSets::Victim;  ///< flag: dirty

  explicit Slc(const SlcParameters& parameters)
      : slices_(parameters.slices),
        sets_(parameters.sets),
        lines_(std::size_t{parameters.slices} * parameters.sets, parameters.ways) {}

  /// A request for the line follows soon.
  void prefetch(std::uint64_t line) const noexcept { lines_.prefetch(index(line)); }
  /// A read: the line becomes the most recently used. @return whether it is there
  bool read(std::uint64_t line) noexcept { return lines_.touch(index(line), line); }
  /// A write: the line becomes dirty and the most recently used. @return whether it is there
  bool write(std::uint64_t line) noexcept { return lines_.touch_and_set(index(line), line); }
  /// Put a line in that is not there. @return the line that had to go
  std::optional<Victim> allocate(std::uint64_t line, bool dirty) noexcept {
    const std::size_t set = index(line);
    const std::optional<Victim> victim = lines_.make_room(set);
    lines_.insert(set, line, dirty);
    return victim;
  }
  /// Make a line dirty if it is there; its place in the order does not change.
  void mark_dirty(std::uint64_t line) noexcept { lines_.set_flag(index(line), line, true); }
  /// Take a line out. @return whether it was dirty; nothing if it was not there
  std::optional<bool> drop(std::uint64_t line) noexcept { return lines_.erase(index(line), line); }
  /// @return whether the line is dirty; nothing if it is not there
  [[nodiscard]] std::optional<bool> dirty(std::uint64_t line) const noexcept { return lines_.flag(index(line), line); }

 private:
  [[nodiscard]] std::size_t index(std::uint64_t line) const noexcept {
    const std::uint64_t above = slices_.quotient(line);
    const std::uint64_t slice = line - above * slices_.divisor();
    const std::uint64_t set = above - sets_.quotient(above) * sets_.divisor();
    return static_cast<std::size_t>(slice * sets_.divisor() + set);
  }

  Divider slices_;
  Divider sets_;
  LruSets lines_;
};

}  // namespace pmufab::tegra410
