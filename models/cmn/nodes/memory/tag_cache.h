// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace pmufab::cmn {

/// The tag lines an MTSX has cached: sets of ways with least-recently-used replacement.
class TagCache {
 public:
  /// @throws std::invalid_argument for 0 sets or ways
  TagCache(unsigned sets, unsigned ways);
  /// @return true if the line is cached; it then becomes the youngest of its set.
  bool look_up(std::uint64_t line) noexcept;
  /// Put a line in, as the youngest.
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
