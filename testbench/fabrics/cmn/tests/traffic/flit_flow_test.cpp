// SPDX-License-Identifier: Apache-2.0
// Flits with CHI fields from all device ports of a mesh: numbers, times, targets, and the same result every time.

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/mesh.h"
#include "testbench/fabrics/cmn/traffic/flit_flow.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"
#include "testbench/traffic/producers/traffic_spec.h"

namespace pmufab::traffic {
namespace {

using cmn::Channel;
using cmn::FlitFields;
using testing::advance_to;

using FlitFlows = testing::SimulationTest;

constexpr Picoseconds kCycle = 500;  // 2 GHz

/// Three by three XPs with two ports each, except XP 3 with none and XP 4 with one: fifteen ports. Ids: x in bits 6:5,
/// y in 4:3, port in 2.
cmn::Topology mesh_of_15_ports() {
  cmn::Topology topology;
  topology.product = cmn::Product::cmn700;
  topology.revision = 3;
  topology.columns = 3;
  topology.rows = 3;
  topology.crosspoints.resize(9);
  for (unsigned xp = 0; xp < 9; ++xp) {
    if (xp == 3) continue;
    cmn::Port first{cmn::DeviceType::rn_f_chid_esam, false, {{cmn::NodeType::rn_sam}}};
    if (xp == 0)
      first = {cmn::DeviceType::hn_d, false, {{cmn::NodeType::dvm}, {cmn::NodeType::dtc}, {cmn::NodeType::hn_i}}};
    topology.crosspoints[xp].ports.push_back(first);
    if (xp != 4) topology.crosspoints[xp].ports.push_back({cmn::DeviceType::sn_f_chid, false, {}});
  }
  return topology;
}

struct Place {
  unsigned xp;
  unsigned port;
  auto operator<=>(const Place&) const = default;
};
Place place_of(std::uint16_t id) { return {(id >> 3 & 3U) * 3 + (id >> 5 & 3U), id >> 2 & 1U}; }

class Witness final : public cmn::MeshObserver {
 public:
  struct Seen {
    Picoseconds when;
    Place from;
    Channel channel;
    FlitFields fields;
    [[nodiscard]] auto key() const {
      return std::tuple(when, from, channel, fields.srcid, fields.tgtid, fields.opcode, fields.addr, fields.qos);
    }
  };
  void on_upload(Picoseconds when, unsigned xp, unsigned port, Channel channel, std::uint32_t /*flit*/,
                 const FlitFields& fields) override {
    seen.push_back({when, {xp, port}, channel, fields});
  }
  void on_cycle(Picoseconds, std::span<const cmn::MeshPulse>) override {}

  [[nodiscard]] std::map<Place, std::uint64_t> by_source() const {
    std::map<Place, std::uint64_t> count;
    for (const Seen& one : seen) ++count[one.from];
    return count;
  }
  [[nodiscard]] std::map<Place, std::uint64_t> by_target() const {
    std::map<Place, std::uint64_t> count;
    for (const Seen& one : seen) ++count[place_of(one.fields.tgtid)];
    return count;
  }
  std::vector<Seen> seen;
};

struct Rig {
  explicit Rig(const FlitFlowSpec& spec, std::uint64_t seed = 1, const std::string& number = "0")
      : mesh(("cmn" + number).c_str(), mesh_of_15_ports(), {}),
        cpu(("cpu" + number).c_str()),
        flow(mesh, spec, "mesh_traffic[0]", seed) {
    cpu.socket.bind(mesh.config_space().socket);
    mesh.set_observer(&witness);
  }
  cmn::Mesh mesh;
  testing::Initiator cpu;
  FlitFlow flow;
  Witness witness;
};

FlitFlowSpec flow_of(MeshPattern pattern) {
  FlitFlowSpec spec;
  spec.name = "flow";
  spec.pattern = pattern;
  return spec;
}

TEST_F(FlitFlows, every_port_sends_at_its_rate_for_the_duration_and_starts_on_time) {
  FlitFlowSpec spec = flow_of(MeshPattern::uniform);
  spec.rate = 0.05;
  spec.start = 10'000 * kCycle;
  spec.duration = 20'000 * kCycle;
  Rig rig(spec);
  run([&] {
    rig.flow.start(1'000 * kCycle);
    advance_to(50'000 * kCycle);
    const auto sources = rig.witness.by_source();
    EXPECT_EQ(sources.size(), 15U);
    for (const auto& [place, count] : sources) {
      // A binomial distribution: five standard deviations.
      EXPECT_NEAR(static_cast<double>(count), 1'000, 5 * std::sqrt(1'000 * 0.95)) << place.xp << " " << place.port;
    }
    EXPECT_GE(rig.witness.seen.front().when, 11'000 * kCycle);
    EXPECT_LT(rig.witness.seen.front().when, 11'100 * kCycle);
    EXPECT_LT(rig.witness.seen.back().when, 31'050 * kCycle) << "the last queue is short";
    EXPECT_EQ(rig.flow.uploaded(), rig.witness.seen.size());
    EXPECT_EQ(rig.mesh.delivered(), rig.flow.uploaded());
  });
}

TEST_F(FlitFlows, at_rate_one_every_port_sends_in_every_cycle_it_can) {
  FlitFlowSpec spec = flow_of(MeshPattern::transpose);
  spec.rate = 1;
  spec.duration = 4 * kCycle;  // too few to fill a buffer of eight
  Rig rig(spec);
  run([&] {
    rig.flow.start(100 * kCycle);
    advance_to(1'000 * kCycle);
    std::map<Picoseconds, unsigned> times;
    for (const Witness::Seen& one : rig.witness.seen) ++times[one.when];
    EXPECT_EQ(times, (std::map<Picoseconds, unsigned>{
                         {100 * kCycle, 15}, {101 * kCycle, 15}, {102 * kCycle, 15}, {103 * kCycle, 15}}));
  });
}

TEST_F(FlitFlows, a_count_is_what_each_port_sends_however_long_it_waits) {
  FlitFlowSpec spec = flow_of(MeshPattern::hotspot);
  spec.hot_xp = 4;
  spec.hot_share = 1;
  spec.rate = 1;
  spec.count = 40;
  Rig rig(spec);
  run([&] {
    rig.flow.start(0);
    advance_to(600 * kCycle);
    EXPECT_LT(rig.mesh.delivered(), 600U) << "the one port at XP 4 takes one flit per cycle";
    advance_to(10'000 * kCycle);
    for (const auto& [place, count] : rig.witness.by_source()) EXPECT_EQ(count, 40U);
    EXPECT_EQ(rig.flow.uploaded(), 600U);
    EXPECT_EQ(rig.mesh.delivered(), 600U);
    EXPECT_EQ(rig.witness.by_target(), (std::map<Place, std::uint64_t>{{{4, 0}, 600}}));
    EXPECT_GT(rig.witness.seen.back().when, 40 * kCycle) << "flits wait, and are not lost";
  });
}

TEST_F(FlitFlows, stopped_send_nothing_any_more_not_even_what_waits) {
  FlitFlowSpec spec = flow_of(MeshPattern::hotspot);
  spec.hot_xp = 4;
  spec.hot_share = 1;
  spec.rate = 1;
  Rig rig(spec);
  run([&] {
    rig.flow.start(0);
    advance_to(200 * kCycle + 1);
    rig.flow.stop();
    const std::uint64_t sent = rig.flow.uploaded();
    EXPECT_GT(sent, 100U);
    advance_to(1'000 * kCycle);
    EXPECT_EQ(rig.flow.uploaded(), sent);
    EXPECT_EQ(rig.mesh.delivered(), sent) << "what is in the mesh arrives";
  });
}

TEST_F(FlitFlows, uniform_reach_every_port_equally) {
  FlitFlowSpec spec = flow_of(MeshPattern::uniform);
  spec.count = 2'000;
  Rig rig(spec);
  run([&] {
    rig.flow.start(0);
    advance_to(100'000 * kCycle);
    const auto targets = rig.witness.by_target();
    EXPECT_EQ(rig.flow.uploaded(), 30'000U);
    EXPECT_EQ(targets.size(), 15U);
    for (const auto& [place, count] : targets)
      EXPECT_NEAR(static_cast<double>(count), 2'000, 5 * std::sqrt(2'000.0 * 14 / 15)) << place.xp << " " << place.port;
  });
}

TEST_F(FlitFlows, of_a_hotspot_go_there_as_often_as_said) {
  FlitFlowSpec spec = flow_of(MeshPattern::hotspot);
  spec.hot_xp = 8;
  spec.hot_share = 0.3;
  spec.rate = 0.02;
  spec.count = 2'000;
  Rig rig(spec);
  run([&] {
    rig.flow.start(0);
    advance_to(300'000 * kCycle);
    const auto targets = rig.witness.by_target();
    const double hot = static_cast<double>(targets.at({8, 0}) + targets.at({8, 1}));
    // The uniform share also goes there: 0.3 + 0.7 * 2 / 15.
    const double share = 0.3 + 0.7 * 2 / 15;
    EXPECT_NEAR(hot, 30'000 * share, 5 * std::sqrt(30'000 * share * (1 - share)));
    for (const Witness::Seen& one : rig.witness.seen) ASSERT_NE(place_of(one.fields.tgtid).xp, 3U);
  });
}

/// Runs a pattern with fixed targets. @return which XP each XP sends to
std::map<unsigned, std::set<unsigned>> targets_of(const Rig& rig) {
  std::map<unsigned, std::set<unsigned>> targets;
  for (const Witness::Seen& one : rig.witness.seen) {
    const Place target = place_of(one.fields.tgtid);
    targets[one.from.xp].insert(target.xp);
    // The port of the same number, if it exists.
    EXPECT_EQ(target.port, target.xp == 4 ? 0U : one.from.port);
  }
  return targets;
}
using Ways = std::map<unsigned, std::set<unsigned>>;

// An XP without devices sends nothing. Flits for it go back to their sender.
TEST_F(FlitFlows, transposed_swap_x_and_y) {
  FlitFlowSpec spec = flow_of(MeshPattern::transpose);
  spec.count = 20;
  Rig rig(spec);
  run([&] {
    rig.flow.start(0);
    advance_to(10'000 * kCycle);
    EXPECT_EQ(targets_of(rig), (Ways{{0, {0}}, {1, {1}}, {2, {6}}, {4, {4}}, {5, {7}}, {6, {2}}, {7, {5}}, {8, {8}}}));
  });
}

TEST_F(FlitFlows, bit_complement_go_to_the_opposite_side) {
  FlitFlowSpec spec = flow_of(MeshPattern::bit_complement);
  spec.count = 20;
  Rig rig(spec);
  run([&] {
    rig.flow.start(0);
    advance_to(10'000 * kCycle);
    EXPECT_EQ(targets_of(rig), (Ways{{0, {8}}, {1, {7}}, {2, {6}}, {4, {4}}, {5, {5}}, {6, {2}}, {7, {1}}, {8, {0}}}));
  });
}

TEST_F(FlitFlows, to_neighbours_go_one_east_and_round) {
  FlitFlowSpec spec = flow_of(MeshPattern::neighbour);
  spec.count = 20;
  Rig rig(spec);
  run([&] {
    rig.flow.start(0);
    advance_to(10'000 * kCycle);
    EXPECT_EQ(targets_of(rig), (Ways{{0, {1}}, {1, {2}}, {2, {0}}, {4, {5}}, {5, {5}}, {6, {7}}, {7, {8}}, {8, {6}}}));
  });
}

TEST_F(FlitFlows, have_the_fields_asked_for) {
  FlitFlowSpec spec = flow_of(MeshPattern::uniform);
  spec.channel = Channel::dat;
  spec.opcodes = {1, 4, 0x7f};
  spec.base = 0x4000;
  spec.size = 0x100;
  spec.count = 200;
  Rig rig(spec);
  run([&] {
    rig.flow.start(0);
    advance_to(20'000 * kCycle);
    std::map<unsigned, unsigned> opcodes;
    std::set<std::uint64_t> addresses;
    for (const Witness::Seen& one : rig.witness.seen) {
      ++opcodes[one.fields.opcode];
      addresses.insert(one.fields.addr);
      EXPECT_EQ(one.channel, Channel::dat);
      EXPECT_EQ(place_of(one.fields.srcid), one.from);
      EXPECT_LT(one.fields.qos, 15U) << "all ones is what idle watchpoints wait for";
    }
    EXPECT_EQ(addresses, (std::set<std::uint64_t>{0x4000, 0x4040, 0x4080, 0x40c0}));
    ASSERT_EQ(opcodes.size(), 3U);
    for (const unsigned opcode : {1U, 4U, 0x7fU})
      EXPECT_NEAR(opcodes[opcode], 1'000, 5 * std::sqrt(3'000 * 2.0 / 9)) << opcode;
  });
}

TEST_F(FlitFlows, are_the_same_every_time_and_others_for_another_seed_or_name) {
  FlitFlowSpec spec = flow_of(MeshPattern::uniform);
  spec.count = 50;
  FlitFlowSpec other_name = spec;
  other_name.name = "other";
  FlitFlowSpec own_seed = other_name;
  own_seed.seed = 77;
  FlitFlowSpec same_seed = spec;
  same_seed.seed = 77;
  struct Case {
    const FlitFlowSpec& spec;
    std::uint64_t seed;
  };
  const std::vector<Case> cases{{spec, 1}, {spec, 1}, {spec, 2}, {other_name, 1}, {own_seed, 1}, {same_seed, 2}};
  std::vector<std::unique_ptr<Rig>> rigs;
  for (const Case& which : cases)
    rigs.push_back(std::make_unique<Rig>(which.spec, which.seed, std::to_string(rigs.size())));
  const auto flits = [&](std::size_t number) {
    std::vector<decltype(Witness::Seen{}.key())> keys;
    for (const Witness::Seen& one : rigs[number]->witness.seen) keys.push_back(one.key());
    return keys;
  };
  run([&] {
    for (const auto& rig : rigs) rig->flow.start(0);
    advance_to(10'000 * kCycle);
    for (const auto& rig : rigs) ASSERT_EQ(rig->witness.seen.size(), 750U);
    EXPECT_EQ(flits(0), flits(1));
    EXPECT_NE(flits(0), flits(2));
    EXPECT_NE(flits(0), flits(3));
    EXPECT_EQ(flits(4), flits(5)) << "a seed of its own is all that matters";
    EXPECT_NE(flits(0), flits(4));
  });
}

TEST_F(FlitFlows, no_mesh_can_have_are_refused_by_field) {
  cmn::Mesh mesh("cmn0", mesh_of_15_ports(), {});
  cmn::Topology flat = mesh_of_15_ports();
  flat.rows = 2;
  flat.crosspoints.resize(6);
  cmn::Mesh not_square("cmn1", flat, {});
  testing::Initiator cpu0("cpu0");
  testing::Initiator cpu1("cpu1");
  cpu0.socket.bind(mesh.config_space().socket);
  cpu1.socket.bind(not_square.config_space().socket);
  const auto refused = [&](cmn::Mesh& where, void (*spoil)(FlitFlowSpec&)) -> std::string {
    FlitFlowSpec spec = flow_of(MeshPattern::uniform);
    spoil(spec);
    try {
      FlitFlow(where, spec, "mesh_traffic[2]", 1);
    } catch (const SpecError& error) {
      EXPECT_FALSE(error.reason().empty());
      EXPECT_FALSE(error.suggestion().empty());
      return error.field();
    }
    return {};
  };
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec&) {}), "");
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec& s) { s.channel = Channel::pub; }), "mesh_traffic[2].channel");
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec& s) { s.channel = Channel::rsp2; }), "mesh_traffic[2].channel");
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec& s) { s.rate = 0; }), "mesh_traffic[2].rate");
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec& s) { s.rate = 1.01; }), "mesh_traffic[2].rate");
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec& s) { s.rate = std::numeric_limits<double>::quiet_NaN(); }),
            "mesh_traffic[2].rate");
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec& s) { s.hot_share = -0.1; }), "mesh_traffic[2].hot_share");
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec& s) { s.hot_share = 1.1; }), "mesh_traffic[2].hot_share");
  const auto hot_at_9 = [](FlitFlowSpec& s) {
    s.pattern = MeshPattern::hotspot;
    s.hot_xp = 9;
  };
  const auto hot_at_3 = [](FlitFlowSpec& s) {
    s.pattern = MeshPattern::hotspot;
    s.hot_xp = 3;
  };
  EXPECT_EQ(refused(mesh, hot_at_9), "mesh_traffic[2].hot_xp");
  EXPECT_EQ(refused(mesh, hot_at_3), "mesh_traffic[2].hot_xp") << "it has no device";
  EXPECT_EQ(refused(not_square, [](FlitFlowSpec& s) { s.pattern = MeshPattern::transpose; }),
            "mesh_traffic[2].pattern");
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec& s) { s.size = 63; }), "mesh_traffic[2].size");
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec& s) { s.base = 32; }), "mesh_traffic[2].size");
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec& s) { s.base = ~std::uint64_t{63}; }), "mesh_traffic[2].size");
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec& s) { s.opcodes = {4, 0}; }), "mesh_traffic[2].opcodes[1]");
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec& s) { s.opcodes = {0x80}; }), "mesh_traffic[2].opcodes[0]");
  EXPECT_EQ(refused(mesh, [](FlitFlowSpec& s) { s.count = 0; }), "mesh_traffic[2].count");
  run([] {});
}

}  // namespace
}  // namespace pmufab::traffic
