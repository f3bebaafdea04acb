// SPDX-License-Identifier: Apache-2.0
// Transactions allocate no memory once every structure has been used.

#include <cstdint>

#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/nodes/nodes.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_node_rig.h"
#include "testbench/fabrics/cmn/traffic/chi_traffic.h"
#include "testbench/support/simulation_test.h"
#include "testbench/tests/models/allocation_counter.h"

namespace pmufab::cmn_nodes_allocation_test {
namespace {

using traffic::ChiTraffic;
using traffic::ChiTrafficSpec;
using CmnNodesAllocation = testing::SimulationTest;

TEST_F(CmnNodesAllocation, transactions_allocate_nothing_once_warm) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizer's allocator is in place";
  const cmn::NodeParameters parameters{.rn_f = {.cache_sets = 16, .cache_ways = 2, .outstanding = 16},
                                       .sn_f = {.entries = 8},  // causes retries too
                                       .home = {.pocq_entries = 8}};
  testing::BoundMesh bound(cmn::examples::cmn700_server());
  cmn::Nodes nodes(bound.mesh, parameters);
  ChiTrafficSpec spec;
  spec.name = "warm";
  spec.mix = {{cmn::OperationKind::load, 6}, {cmn::OperationKind::store, 3}, {cmn::OperationKind::atomic_load, 1}};
  spec.ranges = {{.base = 0, .size = 1 << 16}, {.base = 1 << 20, .size = 1 << 22}};
  spec.outstanding = 12;
  // When half of the load has passed, queues have reached their length.
  ChiTrafficSpec half = spec;
  const auto requesters = static_cast<unsigned>(nodes.addresses().nodes(cmn::DeviceKind::rn_f).size());
  for (unsigned number = 0; number < requesters; ++number) (number % 2 != 0 ? half : spec).numbers.push_back(number);
  ChiTraffic first(bound.mesh, nodes, spec, "chi_traffic[0]", 1);
  ChiTraffic second(bound.mesh, nodes, half, "chi_traffic[1]", 1);
  run([&] {
    constexpr Picoseconds kMicrosecond = 1'000'000;
    first.start(testing::now());
    second.start(testing::now());
    testing::advance(40 * kMicrosecond);
    first.stop();
    testing::advance(5 * kMicrosecond);
    const std::uint64_t before = testing::allocations();
    const std::uint64_t completed = second.completed();
    testing::advance(20 * kMicrosecond);
    EXPECT_GT(second.completed() - completed, 10'000U);
    EXPECT_EQ(testing::allocations(), before);
  });
}

}  // namespace
}  // namespace pmufab::cmn_nodes_allocation_test
