// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/report/statistics.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace pmufab::explore {

void Sample::add(double number) noexcept {
  minimum_ = size_ == 0 ? number : std::min(minimum_, number);
  maximum_ = size_ == 0 ? number : std::max(maximum_, number);
  ++size_;
  const double distance = number - mean_;
  mean_ += distance / static_cast<double>(size_);
  squares_ += distance * (number - mean_);
}

std::optional<double> Sample::half_interval() const {
  if (size_ < 2) return std::nullopt;
  constexpr double kTail = 0.975;
  const auto number = static_cast<double>(size_);
  const double deviation = std::sqrt(squares_ / (number - 1));
  // Without long double, whose tables Boost would make when the program starts: valgrind has none of that precision.
  using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const boost::math::students_t_distribution<double, Policy> student(number - 1);
  return boost::math::quantile(student, kTail) * deviation / std::sqrt(number);
}

}  // namespace pmufab::explore
