// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/random/mersenne_twister.hpp>

#include "testbench/tests/traffic/traffic_rig.h"
#include "testbench/traffic/address_stream.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab::traffic {
namespace {

constexpr std::uint64_t kLine = 64;

/// Pearson's statistic over equally likely or weighted cells.
double chi_square(const std::vector<std::uint64_t>& counts, const std::vector<double>& expected) {
  double sum = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double difference = static_cast<double>(counts[i]) - expected[i];
    sum += difference * difference / expected[i];
  }
  return sum;
}

/// Mean plus six standard deviations of a chi-square distribution. A correct generator stays below. One that is wrong
/// by a few per cent in a cell does not.
double chi_square_bound(std::size_t cells) {
  const auto freedom = static_cast<double>(cells - 1);
  return freedom + 6.0 * std::sqrt(2.0 * freedom);
}

TEST(RandomStream, is_the_engine_of_the_cpp_standard) {
  // [rand.predef]: the 10000th draw of a default-seeded mt19937_64.
  boost::random::mt19937_64 engine;
  engine.discard(9999);
  EXPECT_EQ(engine(), 9981545732273789042ULL);
}

TEST(RandomStream, mixes_bits_as_published) {
  // First outputs of SplitMix64 for the state 0, as published with the reference implementation.
  EXPECT_EQ(mix_bits(0), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(mix_bits(0x9e3779b97f4a7c15ULL), 0x6e789e6aa1b965f4ULL);
}

TEST(Pattern, uniform_visits_every_line_equally_often) {
  constexpr std::size_t kLines = 256;
  std::vector<std::uint64_t> counts(kLines);
  const std::vector<Request> plan = plan_of(generator(PatternKind::uniform, 256'000, kLines * kLine));
  for (const Request& request : plan) {
    ASSERT_GE(request.address, kCmem0);
    ASSERT_LT(request.address, kCmem0 + kLines * kLine);
    ASSERT_EQ(request.address % kLine, 0U);
    ++counts[(request.address - kCmem0) / kLine];
  }
  EXPECT_LT(chi_square(counts, std::vector<double>(kLines, 1000.0)), chi_square_bound(kLines));
}

TEST(Pattern, short_random_requests_fall_on_every_place_of_their_length) {
  GeneratorSpec spec = generator(PatternKind::uniform, 64'000, kLine);
  spec.mix = {{Operation::read_once, 1}};
  spec.sizes = {{8, 1}};
  std::vector<std::uint64_t> counts(8);
  for (const Request& request : plan_of(spec)) {
    ASSERT_EQ(request.length, 8U);
    ASSERT_EQ(request.address % 8, 0U);
    ++counts[request.address % kLine / 8];
  }
  EXPECT_LT(chi_square(counts, std::vector<double>(8, 8000.0)), chi_square_bound(8));
}

TEST(Pattern, stream_goes_line_by_line_and_starts_over) {
  const std::vector<Request> plan = plan_of(generator(PatternKind::stream, 300, 100 * kLine));
  ASSERT_EQ(plan.size(), 300U);
  for (std::size_t i = 0; i < plan.size(); ++i) EXPECT_EQ(plan[i].address, kCmem0 + i % 100 * kLine);
}

TEST(Pattern, stream_packs_short_requests_without_crossing_lines) {
  GeneratorSpec spec = generator(PatternKind::stream, 8, 2 * kLine);
  spec.mix = {{Operation::write_partial, 1}};
  spec.sizes = {{24, 1}};
  std::vector<std::uint64_t> offsets;
  for (const Request& request : plan_of(spec)) offsets.push_back(request.address - kCmem0);
  EXPECT_THAT(offsets, ::testing::ElementsAre(0, 24, 64, 88, 0, 24, 64, 88));
}

TEST(Pattern, stride_adds_the_stride_modulo_the_target) {
  GeneratorSpec spec = generator(PatternKind::stride, 1000, 10 * kLine);
  spec.pattern.stride = 3 * kLine;
  const std::vector<Request> plan = plan_of(spec);
  for (std::size_t i = 0; i < plan.size(); ++i) EXPECT_EQ(plan[i].address, kCmem0 + i * 3 * kLine % (10 * kLine));
}

TEST(Pattern, odd_strides_are_moved_to_stay_in_a_line) {
  GeneratorSpec spec = generator(PatternKind::stride, 4, 4 * kLine);
  spec.pattern.stride = 50;
  spec.mix = {{Operation::read_once, 1}};
  spec.sizes = {{16, 1}};
  std::vector<std::uint64_t> offsets;
  for (const Request& request : plan_of(spec)) offsets.push_back(request.address - kCmem0);
  EXPECT_THAT(offsets, ::testing::ElementsAre(0, 48, 100, 150));
}

TEST(Pattern, hotspot_sends_its_fraction_to_the_hot_lines) {
  GeneratorSpec spec = generator(PatternKind::hotspot, 100'000, 1000 * kLine);
  spec.pattern.hot_fraction = 0.75;
  spec.pattern.hot_size = 10 * kLine;
  std::uint64_t hot = 0;
  for (const Request& request : plan_of(spec)) hot += request.address < kCmem0 + 10 * kLine ? 1 : 0;
  // 75 % by the pattern, and 1 % of the other quarter by chance: 75250 expected, standard deviation 136.
  EXPECT_NEAR(static_cast<double>(hot), 75'250.0, 6 * 136.0);
}

TEST(Pattern, hotspot_fractions_0_and_1_are_exact) {
  GeneratorSpec spec = generator(PatternKind::hotspot, 10'000, 1000 * kLine);
  spec.pattern.hot_size = kLine;
  spec.pattern.hot_fraction = 1.0;
  for (const Request& request : plan_of(spec)) EXPECT_EQ(request.address, kCmem0);
  spec.pattern.hot_fraction = 0.0;
  std::set<std::uint64_t> lines;
  for (const Request& request : plan_of(spec)) lines.insert(request.address);
  EXPECT_GT(lines.size(), 990U);
}

class Zipf : public ::testing::TestWithParam<double> {};

TEST_P(Zipf, ranks_have_the_probabilities_of_the_law) {
  constexpr std::size_t kRanks = 50;
  constexpr std::size_t kDraws = 500'000;
  const double exponent = GetParam();
  RandomStream random(7);
  const ZipfTable table(kRanks, exponent);
  std::vector<std::uint64_t> counts(kRanks);
  for (std::size_t i = 0; i < kDraws; ++i) ++counts[table.draw(random)];
  std::vector<double> expected(kRanks);
  double sum = 0.0;
  for (std::size_t i = 0; i < kRanks; ++i) sum += expected[i] = std::pow(static_cast<double>(i + 1), -exponent);
  for (double& cell : expected) cell *= static_cast<double>(kDraws) / sum;
  EXPECT_LT(chi_square(counts, expected), chi_square_bound(kRanks));
}
INSTANTIATE_TEST_SUITE_P(Exponents, Zipf, ::testing::Values(0.3, 0.99, 1.0, 1.5, 2.0),
                         [](const auto& test) { return std::to_string(std::lround(test.param * 100)); });

TEST(Pattern, zipf_orders_lines_by_rank) {
  GeneratorSpec spec = generator(PatternKind::zipf, 400'000, 1 << 20);
  spec.pattern.ranks = 8;
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const Request& request : plan_of(spec)) ++counts[(request.address - kCmem0) / kLine];
  ASSERT_EQ(counts.size(), 8U);
  for (std::uint64_t rank = 1; rank < 8; ++rank) EXPECT_GT(counts[rank - 1], counts[rank]) << rank;
}

TEST(Pattern, zipf_has_no_more_ranks_than_its_target_has_lines) {
  GeneratorSpec spec = generator(PatternKind::zipf, 10'000, 4 * kLine);
  spec.pattern.exponent = 0.01;
  std::set<std::uint64_t> lines;
  for (const Request& request : plan_of(spec)) lines.insert(request.address);
  EXPECT_EQ(lines.size(), 4U);
  EXPECT_EQ(*lines.rbegin(), kCmem0 + 3 * kLine);
}

class PointerChase : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(PointerChase, goes_through_every_line_once_per_round_in_the_same_order) {
  const std::uint64_t lines = GetParam();
  const std::vector<Request> plan = plan_of(generator(PatternKind::pointer_chase, 2 * lines, lines * kLine));
  std::set<std::uint64_t> visited;
  for (std::size_t i = 0; i < lines; ++i) {
    visited.insert(plan[i].address);
    EXPECT_EQ(plan[i + lines].address, plan[i].address);
  }
  EXPECT_EQ(visited.size(), lines);
  EXPECT_EQ(*visited.begin(), kCmem0);
  EXPECT_EQ(*visited.rbegin(), kCmem0 + (lines - 1) * kLine);
}
INSTANTIATE_TEST_SUITE_P(Lines, PointerChase, ::testing::Values(1, 2, 3, 5, 8, 100, 1000, 4096, 12345));

TEST(Pattern, a_pointer_chase_does_not_run_along_the_lines) {
  const std::vector<Request> plan = plan_of(generator(PatternKind::pointer_chase, 4096, 4096 * kLine));
  ASSERT_GT(plan.size(), 1U);
  std::map<std::int64_t, unsigned> steps;
  for (std::size_t i = 1; i < plan.size(); ++i)
    ++steps[static_cast<std::int64_t>(plan[i].address - plan[i - 1].address)];
  for (const auto& [step, count] : steps) EXPECT_LT(count, 410U) << "a prefetcher would learn the step " << step;
}

TEST(Pattern, producer_and_consumer_take_turns_block_by_block) {
  GeneratorSpec spec = generator(PatternKind::producer_consumer, 24, 10 * kLine);
  spec.pattern.block_size = 4 * kLine;
  spec.pattern.consumer = RequesterSpec{.kind = RequesterKind::gpu, .socket = 1, .id = 3};
  const std::vector<Request> plan = plan_of(spec);
  ASSERT_EQ(plan.size(), 24U);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const std::size_t block = i / 8 % 2;  // two blocks fit into ten lines
    const bool consuming = i % 8 >= 4;
    EXPECT_EQ(plan[i].address, kCmem0 + (block * 4 + i % 4) * kLine) << i;
    EXPECT_EQ(plan[i].requester, consuming ? 1 : 0) << i;
    EXPECT_EQ(plan[i].opcode, consuming ? FabricOpcode::read_once : FabricOpcode::write_unique_full) << i;
  }
}

TEST(Pattern, targets_get_their_weights) {
  GeneratorSpec spec = generator(PatternKind::stream, 90'000);
  spec.targets = {cmem(1 << 20), Target{.socket = 0, .memory = MemoryClass::gmem, .base = {}},
                  Target{.base = kCmem1 + 4096, .size = 4096}};
  spec.targets[0].weight = 2;
  spec.targets[1].weight = 6;
  spec.targets[2].weight = 1;
  std::vector<std::uint64_t> counts(3);
  for (const Request& request : plan_of(spec)) {
    const std::size_t target = request.address >= kCmem1 ? 2 : request.address >= kGmem0 ? 1 : 0;
    if (target == 2) {
      ASSERT_GE(request.address, kCmem1 + 4096);
      ASSERT_LT(request.address, kCmem1 + 8192);
    }
    ++counts[target];
  }
  EXPECT_LT(chi_square(counts, {20'000, 60'000, 10'000}), chi_square_bound(3));
}

TEST(Pattern, each_target_of_a_stream_has_its_own_cursor) {
  GeneratorSpec spec = generator(PatternKind::stream, 1000);
  spec.targets = {cmem(1 << 20), Target{.socket = 1, .base = {}}};
  std::uint64_t next0 = kCmem0;
  std::uint64_t next1 = kCmem1;
  for (const Request& request : plan_of(spec)) {
    std::uint64_t& next = request.address >= kCmem1 ? next1 : next0;
    EXPECT_EQ(request.address, next);
    next += kLine;
  }
}

}  // namespace
}  // namespace pmufab::traffic
