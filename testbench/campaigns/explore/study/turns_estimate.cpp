// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/study/turns_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pmufab::explore {
namespace {

/// A span that had a counter for most of its time: the middle of the span, and its rate.
struct Known {
  double time;
  double rate;
};

double interpolated(const std::vector<Known>& known, double time) {
  const auto after = std::ranges::find_if(known, [&](const Known& one) { return one.time >= time; });
  if (after == known.begin()) return known.front().rate;
  if (after == known.end()) return known.back().rate;
  const Known& before = *(after - 1);
  return before.rate + (after->rate - before.rate) * (time - before.time) / (after->time - before.time);
}

double mean_of_neighbours(std::vector<Known> known, double time) {
  constexpr std::size_t kNeighbours = 5;
  const std::size_t count = std::min(kNeighbours, known.size());
  std::partial_sort(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(count), known.end(),
                    [&](const Known& a, const Known& b) { return std::abs(a.time - time) < std::abs(b.time - time); });
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += known[i].rate;
  return sum / static_cast<double>(count);
}

}  // namespace

std::optional<double> estimated_count(const std::vector<CountedSpan>& spans, TurnsEstimate how) {
  std::vector<Known> known;
  std::vector<double> middles;
  double time = 0;
  for (const CountedSpan& span : spans) {
    middles.push_back(time + span.enabled / 2);
    time += span.enabled;
    if (span.running > span.enabled / 2) known.push_back({middles.back(), span.counted / span.running});
  }
  if (known.empty()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const CountedSpan& span = spans[i];
    const double missing = std::max(0.0, span.enabled - span.running);
    const double rate = span.running > span.enabled / 2      ? span.counted / span.running
                        : how == TurnsEstimate::interpolated ? interpolated(known, middles[i])
                                                             : mean_of_neighbours(known, middles[i]);
    sum += span.counted + rate * missing;
  }
  return sum;
}

}  // namespace pmufab::explore
