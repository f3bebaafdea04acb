// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/zipf_table.h"

#include <cmath>

namespace pmufab::traffic {
namespace {

/// @return value^-(exponent / 65536).
double inverse_power(double value, std::uint32_t exponent) {
  double power = 1.0;
  for (std::uint32_t i = 0; i < exponent >> 16; ++i) power *= value;
  double root = value;
  for (std::uint32_t bit = 0x8000; bit != 0; bit >>= 1) {
    root = std::sqrt(root);
    if ((exponent & bit) != 0) power *= root;
  }
  return 1.0 / power;
}

}  // namespace

ZipfTable::ZipfTable(std::uint64_t ranks, double exponent) : columns_(ranks) {
  constexpr double kFirst = 1099511627776.0;  // 2^40: with 2^22 ranks, weight times ranks stays below 2^63
  const auto steps = static_cast<std::uint32_t>(rounded(exponent * 65536.0));
  std::vector<std::uint64_t> scaled(ranks);
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const auto weight = static_cast<std::uint64_t>(kFirst * inverse_power(static_cast<double>(rank + 1), steps));
    total_ += weight;
    scaled[rank] = weight * ranks;
  }

  std::vector<std::uint64_t> small;
  std::vector<std::uint64_t> large;
  for (std::uint64_t rank = ranks; rank-- > 0;) (scaled[rank] < total_ ? small : large).push_back(rank);
  while (!small.empty() && !large.empty()) {
    const std::uint64_t poor = small.back();
    const std::uint64_t rich = large.back();
    small.pop_back();
    columns_[poor] = {scaled[poor], rich};
    scaled[rich] -= total_ - scaled[poor];
    if (scaled[rich] < total_) {
      large.pop_back();
      small.push_back(rich);
    }
  }
  // The arithmetic is exact, so each remaining rank fills its column completely.
  for (const std::uint64_t rank : small) columns_[rank] = {total_, rank};
  for (const std::uint64_t rank : large) columns_[rank] = {total_, rank};
}

}  // namespace pmufab::traffic
