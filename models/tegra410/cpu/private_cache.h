// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "models/tegra410/parameters.h"
#include "models/tegra410/ucf/lru_sets.h"

namespace pmufab::tegra410 {

/// The private cache of one cluster: write-back, exact LRU, lines shared (clean) or unique (dirty).
class PrivateCache {
 public:
  enum class Lookup : std::uint8_t { hit, hit_shared, miss };
  using Victim = LruSets::Victim;  ///< flag: dirty

  explicit PrivateCache(const PrivateCacheParameters& parameters)
      : set_mask_(parameters.size / kLineBytes / parameters.ways - 1), lines_(set_mask_ + 1, parameters.ways) {}

  /// A load or store of the cluster. A line in the cache becomes the most recently used.
  /// @return hit: done; hit_shared: a store that needs ownership; miss: the line is absent
  Lookup access(std::uint64_t line, bool store) noexcept {
    const std::size_t set = line & set_mask_;
    if (!lines_.touch(set, line)) return Lookup::miss;
    return store && !*lines_.flag(set, line) ? Lookup::hit_shared : Lookup::hit;
  }
  /// Ownership arrived: the line is dirty from now on, if it is still present.
  void own(std::uint64_t line) noexcept { lines_.set_flag(line & set_mask_, line, true); }
  /// Remove the line that a fill of `line` replaces, if the set is full.
  std::optional<Victim> make_room(std::uint64_t line) noexcept { return lines_.make_room(line & set_mask_); }
  /// A line arrived; make_room() was called before.
  void fill(std::uint64_t line, bool dirty) noexcept { lines_.insert(line & set_mask_, line, dirty); }

  /// A snoop takes the line away.
  void drop(std::uint64_t line) noexcept { lines_.erase(line & set_mask_, line); }
  /// A snoop takes ownership away; the line stays, clean.
  void share(std::uint64_t line) noexcept { lines_.set_flag(line & set_mask_, line, false); }

  /// @return true if the line is dirty; nothing if it is absent
  [[nodiscard]] std::optional<bool> dirty(std::uint64_t line) const noexcept {
    return lines_.flag(line & set_mask_, line);
  }

 private:
  std::uint64_t set_mask_;
  LruSets lines_;
};

}  // namespace pmufab::tegra410
