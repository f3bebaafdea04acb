// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/report/profile.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

#include <gtest/gtest.h>

namespace pmufab::scenario {
namespace {

// Not inlined, so that it has addresses of its own. @return a number that nobody can foresee
[[gnu::noinline]] std::uint64_t work(std::clock_t until) {
  std::uint64_t sum = 1;
  while (std::clock() < until) {
    for (std::uint64_t i = 0; i < 100'000; ++i) sum = sum * 6364136223846793005U + i;
  }
  return sum;
}

TEST(ProcessorSamplesTest, notes_what_uses_processor_time_until_it_is_stopped) {
  ProcessorSamples samples;
  const std::clock_t begin = std::clock();
  ASSERT_NE(work(begin + CLOCKS_PER_SEC / 2), 0U);
  const auto noted = samples.stop();
  const std::vector<std::uintptr_t> kept(noted.begin(), noted.end());
  // Kernels look at least a hundred times a second.
  EXPECT_GE(kept.size(), 25U);
  constexpr std::uintptr_t kSize = 4096;
  const auto start = reinterpret_cast<std::uintptr_t>(&work);
  const auto within = std::count_if(kept.begin(), kept.end(), [&](std::uintptr_t instruction) {
    return instruction >= start && instruction < start + kSize;
  });
  EXPECT_GE(static_cast<std::size_t>(within), kept.size() / 4) << "the rest is in the clock";

  ASSERT_NE(work(std::clock() + CLOCKS_PER_SEC / 10), 0U);
  EXPECT_EQ(samples.stop().size(), kept.size()) << "it was stopped";
}

TEST(ProcessorSamplesTest, begins_anew) {
  { ProcessorSamples first; }
  ProcessorSamples second;
  EXPECT_LT(second.stop().size(), 5U);
}

}  // namespace
}  // namespace pmufab::scenario
