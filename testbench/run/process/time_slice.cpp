// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/process/time_slice.h"

#include <algorithm>

namespace pmufab::process {

void TimeSlice::learn(Picoseconds simulated, Duration took) noexcept {
  if (simulated >= length_ && took < wall_ / 2) length_ = std::min(length_ * 2, kLongest);
  if (took > wall_) {
    const auto parts = static_cast<Picoseconds>(took / wall_ + 1);
    length_ = std::max(length_ / parts, kShortest);
  }
}

}  // namespace pmufab::process
