// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/review/time_left.h"

#include <iterator>

namespace pmufab::cli {
namespace {

constexpr double kEnough = 0.05;  // of a part, to tell of the rest

}  // namespace

void TimeLeft::begin(double now) {
  if (next_ > 0) last_.at(static_cast<std::size_t>(parts_[next_ - 1].kind)) = now - began_;
  began_ = now;
  ++next_;
}

std::optional<double> TimeLeft::seconds(double fraction, double now) const {
  if (next_ == 0 || next_ > std::ssize(parts_)) return std::nullopt;
  auto expected = last_;
  const Part& now_running = parts_[next_ - 1];
  std::optional<double>& own = expected.at(static_cast<std::size_t>(now_running.kind));
  if (now_running.kind == Kind::random_cases) {
    own = now_running.seconds;
  } else if (fraction >= kEnough) {
    own = (now - began_) / fraction;
  }
  if (!own) return std::nullopt;
  double left = *own * (1 - fraction);
  for (auto part = parts_.begin() + next_; part != parts_.end(); ++part) {
    const std::optional<double> usual =
        part->kind == Kind::random_cases ? part->seconds : expected.at(static_cast<std::size_t>(part->kind));
    if (!usual) return std::nullopt;
    left += *usual;
  }
  return left;
}

}  // namespace pmufab::cli
