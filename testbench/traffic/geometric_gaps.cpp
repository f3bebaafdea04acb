// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/geometric_gaps.h"

#include <cassert>

namespace pmufab::traffic {

GeometricGaps::GeometricGaps(double probability) {
  assert(probability >= kSmallestProbability && probability <= 1);
  double longer = 1;
  for (std::uint64_t& entry : longer_) {
    entry = static_cast<std::uint64_t>(longer * 0x1p32);
    longer *= 1 - probability;
  }
  unsigned gap = 1;
  for (unsigned upper = 256; upper-- > 0;) {
    // The largest number with these upper bits has the shortest gap.
    const std::uint64_t largest = std::uint64_t{upper} << 24 | 0xffffff;
    while (gap < kLongest && largest < longer_[gap]) ++gap;
    shortest_[upper] = static_cast<std::uint16_t>(gap);
  }
}

}  // namespace pmufab::traffic
