// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace pmufab::explore {

/// Mean and confidence interval of numbers that are given one after the other.
class Sample {
 public:
  void add(double number) noexcept;
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] double mean() const noexcept { return mean_; }
  [[nodiscard]] double minimum() const noexcept { return minimum_; }
  [[nodiscard]] double maximum() const noexcept { return maximum_; }
  /// @return half the width of the interval in which the mean lies with 95 % confidence, by Student's distribution, if
  ///         the numbers are independent and normally distributed; nothing of fewer than two
  [[nodiscard]] std::optional<double> half_interval() const;

 private:
  std::uint64_t size_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of squared distances from the mean (Welford)
  double minimum_ = 0;
  double maximum_ = 0;
};

}  // namespace pmufab::explore
