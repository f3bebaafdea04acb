// SPDX-License-Identifier: Apache-2.0
// Operations for the requesters of a mesh: which requesters, how many, how often, and to which addresses; and refusals.

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/nodes/nodes.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_node_rig.h"
#include "testbench/fabrics/cmn/traffic/chi_traffic.h"
#include "testbench/support/simulation_test.h"
#include "testbench/traffic/producers/traffic_spec.h"

namespace pmufab {
namespace {

using cmn::Channel;
using cmn::FlitFields;
using cmn::OperationKind;
using testing::advance;
using traffic::ChiPattern;
using traffic::ChiTraffic;
using traffic::ChiTrafficSpec;

constexpr Picoseconds kMeshCycle = 500;

/// Records the requests of all RN-Fs.
class Requests final : public cmn::MeshObserver {
 public:
  void on_upload(Picoseconds when, unsigned xp, unsigned port, Channel channel, std::uint32_t /*flit*/,
                 const FlitFields& fields) override {
    if (cmn::channel_class(channel) != Channel::req || port != 0 || xp == 7) return;
    seen.push_back(fields);
    times.push_back(when);
  }
  void on_cycle(Picoseconds /*when*/, std::span<const cmn::MeshPulse> /*pulses*/) override {}
  std::vector<FlitFields> seen;
  std::vector<Picoseconds> times;
};

struct Rig {
  Rig() { bound.mesh.set_observer(&requests); }
  ~Rig() { bound.mesh.set_observer(nullptr); }
  void run(ChiTraffic& traffic, Picoseconds duration) {
    traffic.start(testing::now());
    advance(duration);
    traffic.stop();
    for (unsigned turn = 0; turn < 100 && nodes.pending() != 0; ++turn) advance(2000 * kMeshCycle);
    EXPECT_EQ(nodes.pending(), 0U);
    EXPECT_EQ(traffic.begun(), traffic.completed());
  }
  testing::BoundMesh bound{cmn::examples::cmn600_small()};  // RN-Fs 0x00, 0x20, 0x08 and 0x28
  cmn::Nodes nodes{bound.mesh, {}};
  Requests requests;
};

ChiTrafficSpec reads() {
  ChiTrafficSpec spec;
  spec.name = "reads";
  spec.mix = {{OperationKind::read_no_snp, 1}};
  spec.ranges = {{.base = 0x10000, .size = 64 * 64}};
  return spec;
}

using CmnChiTraffic = testing::SimulationTest;

TEST_F(CmnChiTraffic, each_requester_begins_as_many_operations_as_asked_for_and_no_more_at_a_time) {
  Rig rig;
  ChiTrafficSpec spec = reads();
  spec.count = 50;
  spec.numbers = {1, 3};
  spec.outstanding = 1;
  ChiTraffic traffic(rig.bound.mesh, rig.nodes, spec, "chi_traffic[0]", 1);
  run([&] {
    EXPECT_FALSE(traffic.ended());
    rig.run(traffic, 100'000 * kMeshCycle);
    EXPECT_TRUE(traffic.ended());
    EXPECT_EQ(traffic.begun(), 100U);
    std::multiset<unsigned> sources;
    for (const FlitFields& request : rig.requests.seen) sources.insert(request.srcid);
    EXPECT_EQ(sources.count(0x20), 50U);
    EXPECT_EQ(sources.count(0x28), 50U);
    EXPECT_EQ(sources.size(), 100U);
  });
}

TEST_F(CmnChiTraffic, operations_come_at_their_rate) {
  Rig rig;
  ChiTrafficSpec spec = reads();
  spec.rate = 0.02;
  spec.outstanding = 0;
  ChiTraffic traffic(rig.bound.mesh, rig.nodes, spec, "chi_traffic[0]", 1);
  run([&] {
    rig.run(traffic, 50'000 * kMeshCycle);
    // 4 requesters, 50000 cycles: 4000 expected, standard deviation 63.
    EXPECT_NEAR(static_cast<double>(traffic.begun()), 4000, 5 * 63);
  });
}

TEST_F(CmnChiTraffic, private_streams_walk_through_a_part_of_the_range_each) {
  Rig rig;
  ChiTrafficSpec spec = reads();
  spec.ranges = {{.base = 0x10000, .size = 64 * 64, .is_private = true, .pattern = ChiPattern::stream}};
  spec.size = 64;
  spec.count = 20;
  ChiTraffic traffic(rig.bound.mesh, rig.nodes, spec, "chi_traffic[0]", 1);
  run([&] {
    rig.run(traffic, 100'000 * kMeshCycle);
    const std::vector<unsigned> order = {0x00, 0x20, 0x08, 0x28};  // by XP
    for (std::size_t number = 0; number < order.size(); ++number) {
      std::uint64_t line = 0;
      for (const FlitFields& request : rig.requests.seen) {
        if (request.srcid != order[number]) continue;
        EXPECT_EQ(request.addr, 0x10000 + (number * 16 + line % 16) * 64);
        ++line;
      }
      EXPECT_EQ(line, 20U);
    }
  });
}

TEST_F(CmnChiTraffic, what_cannot_be_is_refused_with_its_field) {
  Rig rig;
  const auto field_of = [&](const std::function<void(ChiTrafficSpec&)>& change) -> std::string {
    ChiTrafficSpec spec = reads();
    change(spec);
    cmn::Nodes& nodes = rig.nodes;
    try {
      const ChiTraffic traffic(rig.bound.mesh, nodes, spec, "chi_traffic[0]", 1);
    } catch (const SpecError& error) {
      return error.field();
    }
    return "";
  };
  EXPECT_EQ(field_of([](auto& spec) { spec.rate = 2; }), "chi_traffic[0].rate");
  EXPECT_EQ(field_of([](auto& spec) { spec.outstanding = 0; }), "chi_traffic[0].outstanding");
  EXPECT_EQ(field_of([](auto& spec) { spec.qos = {16}; }), "chi_traffic[0].qos");
  EXPECT_EQ(field_of([](auto& spec) { spec.size = 3; }), "chi_traffic[0].size");
  EXPECT_EQ(field_of([](auto& spec) { spec.numbers = {4}; }), "chi_traffic[0].numbers");
  EXPECT_EQ(field_of([](auto& spec) { spec.numbers = {1, 1}; }), "chi_traffic[0].numbers");
  EXPECT_EQ(field_of([](auto& spec) { spec.requesters = cmn::DeviceKind::home; }), "chi_traffic[0].requesters");
  // Requesters of specifications refused later than this stay claimed, so each of the following takes another one.
  EXPECT_EQ(field_of([](auto& spec) {
              spec.numbers = {0};
              spec.ranges.clear();
            }),
            "chi_traffic[0].ranges");
  EXPECT_EQ(field_of([](auto& spec) {
              spec.numbers = {1};
              spec.ranges[0].base = 0x2000'0000'0000;  // MTSX, which this mesh does not have
            }),
            "chi_traffic[0].ranges[0].base");
  EXPECT_EQ(field_of([](auto& spec) {
              spec.numbers = {2};
              spec.mix = {{OperationKind::load, 1}};
              spec.ranges[0].base = 0x4000'0000'0000;  // I/O
            }),
            "chi_traffic[0].ranges[0].base");
  EXPECT_EQ(field_of([](auto& spec) { spec.numbers = {2}; }), "chi_traffic[0].numbers") << "it has other traffic";
}

}  // namespace
}  // namespace pmufab
