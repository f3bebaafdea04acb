// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/tests/traffic/traffic_rig.h"

namespace pmufab::traffic {
namespace {

/// One generator of every pattern, with all random features.
TrafficSpec everything(std::uint64_t seed) {
  TrafficSpec spec;
  spec.seed = seed;
  for (const PatternKind kind : {PatternKind::uniform, PatternKind::stream, PatternKind::stride, PatternKind::hotspot,
                                 PatternKind::zipf, PatternKind::pointer_chase, PatternKind::producer_consumer}) {
    GeneratorSpec one = generator(kind, 2000);
    one.name = std::string(to_string(kind));
    one.pattern.consumer = RequesterSpec{.kind = RequesterKind::cpu, .socket = 1, .id = 2};
    one.targets.push_back(Target{.socket = 1, .base = {}});
    one.mix = {{Operation::read, 3}, {Operation::write, 2}, {Operation::atomic, 1}, {Operation::dataless, 1}};
    one.sizes = {{64, 1}, {32, 1}, {4, 2}};
    one.pacing.kind = PacingSpec::Kind::exponential;
    spec.generators.push_back(one);
  }
  return spec;
}

TEST(Producer, the_same_seed_gives_the_same_requests) { EXPECT_EQ(plan_of(everything(5)), plan_of(everything(5))); }

TEST(Producer, another_seed_gives_other_requests) { EXPECT_NE(plan_of(everything(5)), plan_of(everything(6))); }

TEST(Producer, how_many_are_asked_for_at_a_time_does_not_matter) {
  const TrafficSpec spec = everything(9);
  std::vector<Request> by_one;
  for (const auto& producer : make_producers(spec, two_sockets(), 2)) {
    Request request{};
    while (producer->fill({&request, 1}) == 1) by_one.push_back(request);
  }
  EXPECT_EQ(by_one, plan_of(spec));
}

TEST(Producer, other_generators_do_not_change_a_generators_requests) {
  TrafficSpec spec = everything(5);
  const std::vector<Request> all = plan_of(spec);
  spec.generators.erase(spec.generators.begin());
  const std::vector<Request> others = plan_of(spec);
  EXPECT_TRUE(std::equal(others.begin(), others.end(), all.begin() + 2000, all.end()));
}

TEST(Producer, an_explicit_seed_overrules_the_scenarios) {
  GeneratorSpec one = generator(PatternKind::uniform, 1000);
  one.seed = 77;
  TrafficSpec a{1, {one}};
  TrafficSpec b{2, {one}};
  EXPECT_EQ(plan_of(a), plan_of(b));
  b.generators[0].name = "another name";
  EXPECT_EQ(plan_of(a), plan_of(b));
  b.generators[0].seed = 78;
  EXPECT_NE(plan_of(a), plan_of(b));
}

TEST(Producer, no_request_ever_crosses_a_line) {
  TrafficSpec spec = everything(3);
  for (GeneratorSpec& one : spec.generators) {
    one.sizes = {{1, 1}, {3, 1}, {17, 1}, {33, 1}, {63, 1}, {64, 1}};
    one.pattern.stride = 37;
  }
  for (const Request& request : plan_of(spec)) {
    ASSERT_LE(request.address % 64 + request.length, 64U);
    ASSERT_TRUE(request.length != 0 || request.address % 64 == 0);
  }
}

class FixedRate : public ::testing::TestWithParam<std::pair<double, std::uint64_t>> {};

TEST_P(FixedRate, puts_request_n_at_exactly_n_over_the_rate) {
  const auto [requests_per_us, per_second] = GetParam();
  GeneratorSpec spec = generator(PatternKind::stream, 20'000);
  spec.pacing.requests_per_us = requests_per_us;
  const std::vector<Request> plan = plan_of(spec);
  for (std::uint64_t n = 0; n < plan.size(); ++n) {
    __extension__ using Wide = unsigned __int128;
    const auto exact = (static_cast<Wide>(n) * 1'000'000'000'000 + per_second - 1) / per_second;
    ASSERT_EQ(plan[n].when, static_cast<std::uint64_t>(exact)) << n;
  }
}
INSTANTIATE_TEST_SUITE_P(Rates, FixedRate,
                         ::testing::Values(std::pair{1000.0, 1'000'000'000ULL}, std::pair{3.0, 3'000'000ULL},
                                           std::pair{0.000001, 1ULL}, std::pair{1e6, 1'000'000'000'000ULL},
                                           std::pair{7.123457, 7'123'457ULL}, std::pair{2400.0, 2'400'000'000ULL},
                                           std::pair{666'666.666667, 666'666'666'667ULL}));

TEST(Pacing, exponential_gaps_have_the_distribution_of_poisson_arrivals) {
  constexpr std::size_t kCount = 200'000;
  GeneratorSpec spec = generator(PatternKind::stream, kCount);
  spec.pacing.kind = PacingSpec::Kind::exponential;
  spec.pacing.requests_per_us = 10;  // mean gap 100000 ps
  const std::vector<Request> plan = plan_of(spec);
  Picoseconds last = 0;
  std::vector<std::uint64_t> above(5);
  for (const Request& request : plan) {
    const Picoseconds gap = request.when - last;
    last = request.when;
    for (std::size_t k = 0; k < above.size(); ++k) above[k] += gap > k * 100'000 ? 1 : 0;
  }
  // The mean of n gaps has a standard deviation of mean / sqrt(n).
  const double mean = static_cast<double>(last) / kCount;
  EXPECT_NEAR(mean, 100'000.0, 6 * 100'000.0 / std::sqrt(kCount));
  for (std::size_t k = 1; k < above.size(); ++k) {
    const double share = std::exp(-static_cast<double>(k));
    EXPECT_NEAR(static_cast<double>(above[k]), kCount * share, 6 * std::sqrt(kCount * share)) << k;
  }
}

TEST(Pacing, bursts_send_in_on_windows_only_and_lose_nothing) {
  GeneratorSpec spec = generator(PatternKind::stream, 1000);
  spec.pacing.requests_per_us = 1000;
  spec.burst = BurstSpec{10'000, 25'000};
  const std::vector<Request> plan = plan_of(spec);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EXPECT_EQ(plan[i].when, i / 10 * 35'000 + i % 10 * 1000);
  }
}

TEST(Pacing, back_to_back_keeps_its_gap) {
  GeneratorSpec spec = generator(PatternKind::stream, 10);
  spec.pacing.kind = PacingSpec::Kind::back_to_back;
  spec.pacing.gap = 123;
  const std::vector<Request> plan = plan_of(spec);
  for (std::size_t i = 0; i < plan.size(); ++i) EXPECT_EQ(plan[i].when, i * 123);
}

TEST(Phases, follow_each_other_with_their_own_settings) {
  GeneratorSpec spec = generator(PatternKind::stream, 1);
  spec.phases.assign(3, {});
  spec.phases[0].duration = 10'000;  // ten requests at one per nanosecond
  spec.phases[1].start = 50'000;
  spec.phases[1].count = 4;
  spec.phases[1].pacing = PacingSpec{.requests_per_us = 100};
  spec.phases[1].mix = {{Operation::write, 1}};
  spec.phases[1].targets = {Target{.socket = 1, .base = {}}};
  spec.phases[2].count = 2;
  spec.phases[2].sizes = {{8, 1}};
  spec.phases[2].mix = {{Operation::read_once, 1}};
  const std::vector<Request> plan = plan_of(spec);
  ASSERT_EQ(plan.size(), 16U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(plan[i].when, i * 1000);
    EXPECT_EQ(plan[i].opcode, FabricOpcode::read_shared);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(plan[10 + i].when, 50'000 + i * 10'000);
    EXPECT_EQ(plan[10 + i].opcode, FabricOpcode::write_unique_full);
    EXPECT_EQ(plan[10 + i].address, kCmem1 + i * 64);
  }
  EXPECT_EQ(plan[14].when, 90'000U);  // the time of a fifth request of the previous phase
  EXPECT_EQ(plan[15].when, 91'000U);
  EXPECT_EQ(plan[15].length, 8U);
}

TEST(Phases, without_an_end_go_on) {
  GeneratorSpec spec = generator(PatternKind::stream, 1);
  spec.phases.clear();
  spec.start = 777;
  const std::vector<Request> plan = plan_of(spec, 100'000);
  ASSERT_EQ(plan.size(), 100'000U);
  EXPECT_EQ(plan.front().when, 777U);
  EXPECT_EQ(plan.back().when, 777U + 99'999U * 1000);
}

TEST(Mix, operations_get_their_weights) {
  GeneratorSpec spec = generator(PatternKind::stream, 100'000);
  spec.mix = {{Operation::read_unique, 1}, {Operation::evict, 2}, {Operation::atomic_store, 0}, {Operation::write, 7}};
  std::map<FabricOpcode, std::uint64_t> counts;
  for (const Request& request : plan_of(spec)) ++counts[request.opcode];
  ASSERT_EQ(counts.size(), 3U);
  // Six standard deviations of a binomial distribution.
  EXPECT_NEAR(static_cast<double>(counts[FabricOpcode::read_unique]), 10'000, 6 * 95.0);
  EXPECT_NEAR(static_cast<double>(counts[FabricOpcode::evict]), 20'000, 6 * 127.0);
  EXPECT_NEAR(static_cast<double>(counts[FabricOpcode::write_unique_full]), 70'000, 6 * 145.0);
}

struct OperationCase {
  Operation operation;
  RequesterKind requester;
  Path path;
  std::uint32_t size;
  FabricOpcode opcode;
  std::uint32_t length;
};

TEST(Mix, operations_become_the_opcodes_and_lengths_of_the_readme) {
  using enum Operation;
  const OperationCase cases[] = {
      {read, RequesterKind::cpu, Path::cached, 8, FabricOpcode::read_shared, 8},
      {write, RequesterKind::cpu, Path::cached, 64, FabricOpcode::write_unique_ptl, 64},
      {read, RequesterKind::cpu, Path::direct, 8, FabricOpcode::read_shared, 64},
      {read, RequesterKind::gpu, Path::direct, 32, FabricOpcode::read_once, 32},
      {read, RequesterKind::pcie, Path::direct, 64, FabricOpcode::read_once, 64},
      {write, RequesterKind::pcie, Path::direct, 64, FabricOpcode::write_unique_full, 64},
      {write, RequesterKind::gpu, Path::direct, 63, FabricOpcode::write_unique_ptl, 63},
      {write_partial, RequesterKind::cpu, Path::direct, 64, FabricOpcode::write_unique_ptl, 64},
      {atomic, RequesterKind::cpu, Path::direct, 64, FabricOpcode::atomic_store, 8},
      {atomic, RequesterKind::gpu, Path::direct, 4, FabricOpcode::atomic_store, 4},
      {dataless, RequesterKind::cpu, Path::direct, 64, FabricOpcode::clean_invalid, 0},
      {read_shared, RequesterKind::gpu, Path::direct, 8, FabricOpcode::read_shared, 64},
      {read_unique, RequesterKind::cpu, Path::direct, 8, FabricOpcode::read_unique, 64},
      {read_once, RequesterKind::cpu, Path::direct, 8, FabricOpcode::read_once, 8},
      {write_unique_full, RequesterKind::cpu, Path::direct, 8, FabricOpcode::write_unique_full, 64},
      {write_unique_ptl, RequesterKind::cpu, Path::direct, 8, FabricOpcode::write_unique_ptl, 8},
      {write_back_full, RequesterKind::cpu, Path::direct, 8, FabricOpcode::write_back_full, 64},
      {evict, RequesterKind::cpu, Path::direct, 8, FabricOpcode::evict, 0},
      {clean_unique, RequesterKind::cpu, Path::direct, 8, FabricOpcode::clean_unique, 0},
      {clean_invalid, RequesterKind::pcie, Path::direct, 8, FabricOpcode::clean_invalid, 0},
      {atomic_store, RequesterKind::pcie, Path::direct, 2, FabricOpcode::atomic_store, 2},
  };
  for (const OperationCase& one : cases) {
    GeneratorSpec spec = generator(PatternKind::uniform, 1);
    spec.requester.kind = one.requester;
    spec.path = one.path;
    spec.mix = {{one.operation, 1}};
    spec.sizes = {{one.size, 1}};
    const std::vector<Request> plan = plan_of(spec);
    ASSERT_EQ(plan.size(), 1U);
    EXPECT_EQ(plan[0].opcode, one.opcode) << to_string(one.operation);
    EXPECT_EQ(plan[0].length, one.length) << to_string(one.operation);
  }
}

}  // namespace
}  // namespace pmufab::traffic
