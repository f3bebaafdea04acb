// SPDX-License-Identifier: Apache-2.0
// Transactions under way when a scenario ends.
#include <gtest/gtest.h>

#include "models/cmn/part/cmn_spec.h"
#include "testbench/fabrics/cmn/scenario/cmn_fabric.h"
#include "testbench/run/session/draining.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::scenario {
namespace {

constexpr Picoseconds kMillisecond = 1'000'000'000;

class Draining : public testing::SimulationTest {
 protected:
  static Picoseconds now() { return to_picoseconds(sc_core::sc_time_stamp()); }
  static bool nobody() { return false; }
};

TEST_F(Draining, goes_on_as_long_as_anything_moves) {
  // One transaction ends every 0.9 ms.
  const auto look = [] { return DrainProgress{100, 100, 10 - std::min<std::uint64_t>(10, now() / 900'000'000)}; };
  run([&] {
    EXPECT_EQ(drain(look, kMillisecond, nobody), 0U);
    EXPECT_GE(now(), 9 * kMillisecond);
    EXPECT_LT(now(), 9 * kMillisecond + kMillisecond / 100);
  });
}

TEST_F(Draining, flits_that_move_are_progress_though_no_transaction_ends) {
  const auto look = [] {
    const std::uint64_t flits = std::min<std::uint64_t>(30, now() / 100'000'000);
    return DrainProgress{30, flits, flits == 30 ? 0U : 1U};
  };
  run([&] {
    EXPECT_EQ(drain(look, kMillisecond, nobody), 0U);
    EXPECT_GE(now(), 3 * kMillisecond);
  });
}

TEST_F(Draining, what_stands_still_is_given_up_after_the_patience) {
  run([&] {
    EXPECT_EQ(drain([] { return DrainProgress{5, 4, 3}; }, kMillisecond, nobody), 3U);
    EXPECT_EQ(now(), kMillisecond);
  });
}

TEST_F(Draining, an_interrupt_ends_it_though_everything_moves) {
  std::uint64_t looks = 0;
  run([&] {
    EXPECT_EQ(drain([&] { return DrainProgress{++looks, 0, 1}; }, kMillisecond, [] { return true; }), 1U);
    EXPECT_EQ(now(), kMillisecond);
  });
}

TEST_F(Draining, nothing_under_way_takes_no_time) {
  run([&] {
    EXPECT_EQ(drain([] { return DrainProgress{7, 7, 0}; }, kMillisecond, nobody), 0U);
    EXPECT_EQ(now(), 0U);
  });
}

TEST(DrainPatience, is_a_millisecond_and_more_for_slow_meshes_and_links) {
  platform::PlatformSpec spec;
  EXPECT_EQ(mesh_patience(spec), kMillisecond);
  spec.edit<platform::CmnMeshesSpec>().meshes.emplace_back().topology.frequency_hz = 2'000'000'000;
  EXPECT_EQ(mesh_patience(spec), kMillisecond);
  spec.edit<platform::CmnMeshesSpec>().meshes.emplace_back().topology.frequency_hz = 100'000'000;
  EXPECT_EQ(mesh_patience(spec), 20 * kMillisecond);
  spec.edit<platform::CmnMeshesSpec>().meshes.back().nodes.sn_f.latency = 1'000'000;
  spec.edit<platform::CmnMeshesSpec>().meshes.back().nodes.sn_f.cycles_per_request = 1'000'000;
  EXPECT_GT(mesh_patience(spec), 40 * kMillisecond);
}

}  // namespace
}  // namespace pmufab::scenario
