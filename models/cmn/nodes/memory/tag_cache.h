// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace pmufab::cmn {

/// Which tag lines an MTSX has: sets of ways, the least recently used of which is replaced.
class TagCache {
 public:
  /// @throws std::invalid_argument for no sets or ways
  TagCache(unsigned sets, unsigned ways);
  /// @return true if the line is there; then it becomes the youngest of its set.
  bool look_up(std::uint64_t line) noexcept;
  /// The line is put in, as the youngest.
  void fill(std::uint64_t line) noexcept;

 private:
  struct Way {
    std::uint64_t line = 0;
    std::uint64_t used = 0;  // the higher the younger; 0: free
  };
  [[nodiscard]] Way* set_of(std::uint64_t line) noexcept { return &ways_[line % sets_ * ways_per_set_]; }

  unsigned sets_;
  unsigned ways_per_set_;
  std::uint64_t use_ = 0;
  std::vector<Way> ways_;
};

}  // namespace pmufab::cmn
