// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace pmufab {

/// How often each latency occurred, in picoseconds, cycles or any other unit. Small ones are counted exactly, others in
/// buckets of which each is at most 1/128 of what is in it: a percentile is within 0.4 % of the exact one. Adding
/// allocates nothing.
class LatencyHistogram {
 public:
  LatencyHistogram() : buckets_(kBuckets) {}

  void add(std::uint64_t value) noexcept {
    ++buckets_[bucket_of(value)];
    ++count_;
    sum_ += value;
    minimum_ = std::min(minimum_, value);
    maximum_ = std::max(maximum_, value);
    least_less_one_ = std::min(least_less_one_, value - 1);  // of 0, that is more than any
  }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }
  /// @name Of what was added; 0 if nothing was
  /// @{
  [[nodiscard]] std::uint64_t minimum() const noexcept { return count_ == 0 ? 0 : minimum_; }
  [[nodiscard]] std::uint64_t maximum() const noexcept { return maximum_; }
  [[nodiscard]] double mean() const noexcept {
    return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
  }
  /// @return how many were more than 0, and of those the least and the mean
  [[nodiscard]] std::uint64_t count_above_zero() const noexcept { return count_ - buckets_[0]; }
  [[nodiscard]] std::uint64_t least_above_zero() const noexcept {
    return count_above_zero() == 0 ? 0 : least_less_one_ + 1;
  }
  [[nodiscard]] double mean_above_zero() const noexcept {
    return count_above_zero() == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_above_zero());
  }
  /// @param per_thousand  1 ... 1000. @return the smallest latency that so many of a thousand do not exceed
  [[nodiscard]] std::uint64_t percentile(unsigned per_thousand) const noexcept {
    if (count_ == 0) return 0;
    // Without overflow: count_ may be large.
    const std::uint64_t rank = count_ / 1000 * per_thousand + (count_ % 1000 * per_thousand + 999) / 1000;
    std::uint64_t seen = 0;
    for (unsigned bucket = 0; bucket < kBuckets; ++bucket) {
      seen += buckets_[bucket];
      if (seen >= rank && seen > 0) return std::clamp(middle_of(bucket), minimum_, maximum_);
    }
    return maximum_;
  }
  /// @}

 private:
  static constexpr unsigned kBits = 7;
  static constexpr unsigned kHalf = 1U << kBits;
  static constexpr unsigned kBuckets = (64 - kBits + 1) * kHalf;

  [[nodiscard]] static unsigned shift_of(std::uint64_t value) noexcept {
    const auto width = static_cast<unsigned>(std::bit_width(value));
    return width > kBits + 1 ? width - kBits - 1 : 0;
  }
  [[nodiscard]] static unsigned bucket_of(std::uint64_t value) noexcept {
    const unsigned shift = shift_of(value);
    return shift * kHalf + static_cast<unsigned>(value >> shift);
  }
  [[nodiscard]] static std::uint64_t middle_of(unsigned bucket) noexcept {
    const unsigned shift = bucket < 2 * kHalf ? 0 : bucket / kHalf - 1;
    const std::uint64_t low = std::uint64_t{bucket - shift * kHalf} << shift;
    return low + ((std::uint64_t{1} << shift) - 1) / 2;
  }

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t minimum_ = ~std::uint64_t{0};
  std::uint64_t maximum_ = 0;
  std::uint64_t least_less_one_ = ~std::uint64_t{0};
};

}  // namespace pmufab
