// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/traffic/random_stream.h"

namespace pmufab::traffic {

/// Draws ranks 0 ... n - 1 with a probability proportional to 1 / (rank + 1)^exponent, in constant time.
///
/// Weights are integers, computed with multiplications, divisions and square roots only, which IEEE 754 defines
/// exactly: the C library's pow() differs between machines. The exponent is rounded to a multiple of 2^-16. Ranks less
/// likely than about 2^-40 of the first are never drawn.
class ZipfTable {
 public:
  /// @param ranks     1 ... 2^22
  /// @param exponent  above 0, up to 8
  ZipfTable(std::uint64_t ranks, double exponent);

  std::uint64_t draw(RandomStream& random) const {
    const std::uint64_t column = random.below(columns_.size());
    const Column& chosen = columns_[column];
    return random.below(total_) < chosen.threshold ? column : chosen.alias;
  }

 private:
  // Walker's alias method: every column has the same capacity, filled by itself up to `threshold`, then by `alias`.
  struct Column {
    std::uint64_t threshold;
    std::uint64_t alias;
  };

  std::vector<Column> columns_;
  std::uint64_t total_ = 0;
};

}  // namespace pmufab::traffic
