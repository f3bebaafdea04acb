// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "models/tegra410/parameters.h"
#include "models/tegra410/ucf/lru_sets.h"

namespace pmufab::tegra410 {

/// The system-level cache: line L belongs to slice L mod slices and set (L / slices) mod sets, with exact LRU in each
/// set. It holds lines and whether they are dirty; the fabric handles victims.
class Slc {
 public:
  using Victim = LruSets::Victim;  ///< flag: dirty

  explicit Slc(const SlcParameters& parameters)
      : slices_(parameters.slices),
        sets_(parameters.sets),
        lines_(std::size_t{parameters.slices} * parameters.sets, parameters.ways) {}

  /// Prefetch: a request for the line follows soon.
  void prefetch(std::uint64_t line) const noexcept { lines_.prefetch(index(line)); }
  /// A read: makes the line the most recently used. @return true if it is present
  bool read(std::uint64_t line) noexcept { return lines_.touch(index(line), line); }
  /// A write: makes the line dirty and the most recently used. @return true if it is present
  bool write(std::uint64_t line) noexcept { return lines_.touch_and_set(index(line), line); }
  /// Insert an absent line. @return the line it replaced
  std::optional<Victim> allocate(std::uint64_t line, bool dirty) noexcept {
    const std::size_t set = index(line);
    const std::optional<Victim> victim = lines_.make_room(set);
    lines_.insert(set, line, dirty);
    return victim;
  }
  /// Make a line dirty, if present. Its place in the order does not change.
  void mark_dirty(std::uint64_t line) noexcept { lines_.set_flag(index(line), line, true); }
  /// Remove a line. @return true if it was dirty; nothing if it was absent
  std::optional<bool> drop(std::uint64_t line) noexcept { return lines_.erase(index(line), line); }
  /// @return true if the line is dirty; nothing if it is absent
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
