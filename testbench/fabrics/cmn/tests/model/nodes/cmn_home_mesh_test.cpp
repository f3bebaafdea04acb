// SPDX-License-Identifier: Apache-2.0
// Homes of whole meshes under random operations. At rest, the snoop filter knows every line of every RN-F, and the
// PMU's counts at homes are those of flits on their wires.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/nodes/nodes.h"
#include "models/cmn/wire/mesh_observer.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_node_rig.h"
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_driver.h"
#include "testbench/fabrics/cmn/traffic/chi_traffic.h"
#include "testbench/support/simulation_test.h"
#include "testbench/tests/models/allocation_counter.h"

namespace pmufab {
namespace {

using cmn::Channel;
using cmn::DeviceKind;
using cmn::FlitFields;
using cmn::LineState;
using testing::CmnDriver;

constexpr Picoseconds kMicrosecond = 1'000'000;

/// All operations of an RN-F on memory, on few lines, with structures that are too small.
traffic::ChiTrafficSpec everything(std::uint64_t seed) {
  traffic::ChiTrafficSpec spec;
  spec.name = "everything";
  spec.mix.clear();
  for (unsigned kind = 0; kind <= static_cast<unsigned>(cmn::OperationKind::prefetch); ++kind)
    spec.mix.push_back({static_cast<cmn::OperationKind>(kind), kind < 5 ? 6U : 1U});
  spec.outstanding = 12;
  spec.qos = {0, 9, 13, 15};
  spec.ranges = {traffic::ChiRange{.base = 0, .size = 200 * 64},
                 traffic::ChiRange{.base = 1 << 20, .size = 1 << 16, .is_private = true}};
  spec.seed = seed;
  return spec;
}

cmn::NodeParameters small() {
  cmn::NodeParameters parameters;
  parameters.rn_f = {.cache_sets = 16, .cache_ways = 2, .outstanding = 12};
  parameters.sn_f = {.entries = 4, .latency = 30};
  parameters.home.slc_sets = 8;
  parameters.home.slc_ways = 2;
  parameters.home.sf_sets = 8;
  parameters.home.sf_ways = 2;
  parameters.home.pocq_entries = 6;
  return parameters;
}

/// Counts flits at homes, on the wires.
class WireCounts final : public cmn::MeshObserver {
 public:
  explicit WireCounts(const cmn::SystemAddressMap& addresses) {
    for (const std::uint16_t id : addresses.nodes(DeviceKind::home)) homes_[id] = true;
  }
  void on_upload(Picoseconds /*when*/, unsigned /*xp*/, unsigned /*port*/, Channel channel, std::uint32_t /*flit*/,
                 const FlitFields& fields) override {
    const Channel main_channel = cmn::channel_class(channel);
    const bool retry = main_channel == Channel::rsp && fields.opcode == cmn::chi::rsp::kRetryAck;
    if (homes_.count(fields.tgtid) != 0) {
      if (main_channel == Channel::req) ++requests_to;
      if (retry) ++retries_to;
    }
    if (homes_.count(fields.srcid) != 0) {
      if (main_channel == Channel::req) ++requests_from;
      if (retry) ++retries_from;
      if (main_channel == Channel::snp) ++snoops;
      if (main_channel == Channel::snp && (fields.opcode & 0x10U) != 0) ++forwarding_snoops;
    }
  }
  void on_cycle(Picoseconds /*when*/, std::span<const cmn::MeshPulse> /*pulses*/) override {}
  void on_hold(Picoseconds /*when*/, std::uint16_t node_id, Channel channel) override {
    if (homes_.count(node_id) == 0) return;
    if (channel == Channel::dat) ++data_holds;
    if (channel == Channel::rsp) ++response_holds;
  }

  std::uint64_t requests_to = 0;
  std::uint64_t retries_to = 0;
  std::uint64_t requests_from = 0;
  std::uint64_t retries_from = 0;
  std::uint64_t snoops = 0;
  std::uint64_t forwarding_snoops = 0;
  std::uint64_t data_holds = 0;
  std::uint64_t response_holds = 0;

 private:
  std::map<std::uint16_t, bool> homes_;
};

struct System {
  explicit System(const cmn::Topology& topology, const cmn::NodeParameters& parameters, std::uint64_t seed = 1,
                  const cmn::MeshOptions& options = {})
      : bound(topology, options), nodes(bound.mesh, parameters), wires(nodes.addresses()) {
    traffic = std::make_unique<traffic::ChiTraffic>(bound.mesh, nodes, everything(seed), "chi_traffic", seed);
    bound.mesh.set_observer(&wires);
  }
  void run(Picoseconds duration) {
    traffic->start(testing::now());
    testing::advance(duration);
    traffic->stop();
    for (unsigned turn = 0; turn < 100 && nodes.pending() != 0; ++turn) testing::advance(kMicrosecond);
    ASSERT_EQ(nodes.pending(), 0U);
    testing::advance(kMicrosecond);
  }
  [[nodiscard]] const cmn::HomeNode& home_of(std::uint64_t address) const {
    return dynamic_cast<const cmn::HomeNode&>(*nodes.find(nodes.addresses().home_of(address)));
  }

  testing::BoundMesh bound;
  cmn::Nodes nodes;
  WireCounts wires;
  std::unique_ptr<traffic::ChiTraffic> traffic;
  CmnDriver driver{bound.cpu};
};

class CmnHomeMesh : public testing::SimulationTest, public ::testing::WithParamInterface<unsigned> {};

TEST_P(CmnHomeMesh, at_rest_the_snoop_filter_knows_every_line_of_every_rn_f) {
  System system(cmn::examples::s3_small(3), small(), GetParam());
  run([&] {
    system.run(30 * kMicrosecond);
    unsigned lines = 0;
    for (const std::uint16_t id : system.nodes.addresses().nodes(DeviceKind::rn_f)) {
      const auto& cache = dynamic_cast<const cmn::RnF&>(*system.nodes.find(id)).lines();
      for (std::uint32_t place = 0; place < cache.places(); ++place) {
        const cmn::LinePlace& one = cache.at(place);
        if (one.state == LineState::invalid) continue;
        ++lines;
        const cmn::HomeNode::Tracked tracked = system.home_of(one.line * 64).tracked(one.line * 64);
        EXPECT_EQ(std::count(tracked.rn_fs.begin(), tracked.rn_fs.end(), id), 1) << "line " << one.line;
        if (one.state == LineState::shared_clean) continue;
        EXPECT_TRUE(tracked.unique) << "line " << one.line;
        EXPECT_EQ(tracked.rn_fs.size(), 1U) << "line " << one.line;
      }
    }
    EXPECT_GT(lines, 20U);
    EXPECT_GT(system.wires.retries_from, 50U);
    EXPECT_GT(system.wires.retries_to, 50U);
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, CmnHomeMesh, ::testing::Range(1U, 5U));

using CmnHomeWires = testing::SimulationTest;

TEST_F(CmnHomeWires, requests_and_retries_of_homes_are_counted_as_they_cross_the_wires) {
  System system(cmn::examples::cmn600_two_dtcs(), small());
  run([&] {
    ASSERT_TRUE(system.driver.probe(system.bound.mesh.layout().root_offset()));
    const auto homes = system.driver.find(static_cast<unsigned>(cmn::NodeType::hn_f));
    auto received = system.driver.open(homes, 0x05);
    auto refused = system.driver.open(homes, 0x04);
    auto sent = system.driver.open(homes, 0x0d);
    auto sent_again = system.driver.open(homes, 0x0c);
    system.run(30 * kMicrosecond);
    EXPECT_EQ(system.driver.close(received), system.wires.requests_to);
    EXPECT_EQ(system.driver.close(refused), system.wires.retries_from);
    EXPECT_EQ(system.driver.close(sent), system.wires.requests_from);
    EXPECT_EQ(system.driver.close(sent_again), system.wires.retries_to);
    EXPECT_GT(system.wires.retries_from, 50U);
    EXPECT_GT(system.wires.retries_to, 50U);
  });
}

TEST_F(CmnHomeWires, held_flits_and_forwarding_snoops_of_homes_are_counted_as_they_are_seen) {
  cmn::NodeParameters parameters = small();
  parameters.home.pocq_entries = 32;
  parameters.home.slc_sets = 64;
  // A narrow mesh, in which flits must wait.
  cmn::MeshOptions options;
  options.buffer_depth = 1;
  options.download_credits = 1;
  System system(cmn::examples::cmn600_small(), parameters, 1, options);
  run([&] {
    ASSERT_TRUE(system.driver.probe(system.bound.mesh.layout().root_offset()));
    const auto homes = system.driver.find(static_cast<unsigned>(cmn::NodeType::hn_f));
    auto data_holds = system.driver.open(homes, 0x14);
    auto response_holds = system.driver.open(homes, 0x15);
    auto forwarding = system.driver.open(homes, 0x1f);
    auto snoops = system.driver.open(homes, 0x18);
    system.run(30 * kMicrosecond);
    EXPECT_EQ(system.driver.close(data_holds), system.wires.data_holds);
    EXPECT_EQ(system.driver.close(response_holds), system.wires.response_holds);
    EXPECT_EQ(system.driver.close(forwarding), system.wires.forwarding_snoops) << "each goes to one RN-F";
    const std::uint64_t operations = system.driver.close(snoops);
    EXPECT_LE(operations, system.wires.snoops);
    EXPECT_GT(operations, system.wires.snoops / 4) << "four RN-Fs";
    EXPECT_GT(system.wires.data_holds, 0U);
  });
}

TEST_F(CmnHomeWires, nothing_is_allocated_once_all_sizes_are_reached) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers bring an allocator of their own";
  System system(cmn::examples::cmn600_two_dtcs(), small());
  system.bound.mesh.set_observer(nullptr);
  run([&] {
    system.traffic->start(testing::now());
    testing::advance(100 * kMicrosecond);
    const std::uint64_t before = testing::allocations();
    const std::uint64_t completed = system.traffic->completed();
    testing::advance(20 * kMicrosecond);
    EXPECT_LE(testing::allocations() - before, 4U) << "a queue may still reach a new length";
    EXPECT_GT(system.traffic->completed(), completed + 5'000);
  });
}

}  // namespace
}  // namespace pmufab
