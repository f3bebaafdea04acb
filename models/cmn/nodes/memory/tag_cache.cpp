// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/memory/tag_cache.h"

#include <algorithm>
#include <stdexcept>

namespace pmufab::cmn {

TagCache::TagCache(unsigned sets, unsigned ways) : sets_(sets), ways_per_set_(ways) {
  if (sets == 0 || ways == 0) throw std::invalid_argument("tc_sets, tc_ways: a cache has at least one; use 1 or more");
  ways_.resize(std::size_t{sets} * ways);
}

bool TagCache::look_up(std::uint64_t line) noexcept {
  Way* const set = set_of(line);
  Way* const last = set + ways_per_set_;
  Way* const way = std::find_if(set, last, [&](const Way& one) { return one.used != 0 && one.line == line; });
  if (way == last) return false;
  way->used = ++use_;
  return true;
}

void TagCache::fill(std::uint64_t line) noexcept {
  Way* const set = set_of(line);
  // A free way counts as oldest; of equals the first is taken.
  Way* const way =
      std::min_element(set, set + ways_per_set_, [](const Way& a, const Way& b) { return a.used < b.used; });
  *way = {line, ++use_};
}

}  // namespace pmufab::cmn
