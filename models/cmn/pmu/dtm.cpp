// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/pmu/dtm.h"

#include "models/pmu/counter.h"

namespace pmufab::cmn {

void Dtm::wrap(unsigned n, std::uint64_t wraps, Picoseconds when) {
  if (n + 1 < kLocalCounters && is_upper(n + 1)) {
    add(n + 1, wraps, when);
  } else if (targets_[n] != nullptr) {
    path_->send(*targets_[n], wraps, when);
  }
}

std::uint64_t Dtm::values() const noexcept {
  std::uint64_t all = 0;
  for (unsigned n = 0; n < kLocalCounters; ++n) all |= std::uint64_t{values_[n]} << 16 * n;
  return all;
}

void Dtm::set_values(std::uint64_t values, std::uint64_t mask) noexcept {
  const std::uint64_t all = (this->values() & ~mask) | (values & mask);
  for (unsigned n = 0; n < kLocalCounters; ++n) values_[n] = static_cast<std::uint32_t>(all >> 16 * n) & maximum_;
}

void Dtm::snapshot() noexcept {
  shadows_ = values();
  if ((config_ >> 8 & 1U) != 0) values_.fill(0);
}

void Dtm::reset() noexcept {
  values_.fill(0);
  targets_.fill(nullptr);
  config_ = 0;
  shadows_ = 0;
}

}  // namespace pmufab::cmn
