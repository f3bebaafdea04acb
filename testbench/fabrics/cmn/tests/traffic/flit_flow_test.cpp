// SPDX-License-Identifier: Apache-2.0
// Flits with CHI fields from all device ports of a mesh: numbers, times, targets, and the same result every time.

#include <array>
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

TEST_F(FlitFlows, every_port_sends_at_its_rate_for_the_duration_and_starts_on_time) {
  Rig rig({.name = "flow", .rate = 0.05, .start = 10'000 * kCycle, .duration = 20'000 * kCycle});
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
  // Too few to fill a buffer of eight.
  Rig rig({.name = "flow", .pattern = MeshPattern::transpose, .rate = 1, .duration = 4 * kCycle});
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
  Rig rig({.name = "flow", .pattern = MeshPattern::hotspot, .rate = 1, .hot_xp = 4, .hot_share = 1, .count = 40});
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
  Rig rig({.name = "flow", .pattern = MeshPattern::hotspot, .rate = 1, .hot_xp = 4, .hot_share = 1});
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
  Rig rig({.name = "flow", .count = 2'000});
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
  Rig rig(
      {.name = "flow", .pattern = MeshPattern::hotspot, .rate = 0.02, .hot_xp = 8, .hot_share = 0.3, .count = 2'000});
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

/// Patterns with fixed targets: which XP each XP sends to, from XP 0 on. XP 3 without devices sends nothing. Flits for it
/// go back to their sender.
TEST_F(FlitFlows, of_fixed_patterns_go_to_the_port_of_the_same_number_at_one_xp) {
  struct Case {
    MeshPattern pattern;
    std::array<unsigned, 9> targets;
  };
  constexpr std::array kCases{Case{MeshPattern::transpose, {0, 1, 6, 3, 4, 7, 2, 5, 8}},
                              Case{MeshPattern::bit_complement, {8, 7, 6, 3, 4, 5, 2, 1, 0}},
                              Case{MeshPattern::neighbour, {1, 2, 0, 3, 5, 5, 7, 8, 6}}};
  std::vector<std::unique_ptr<Rig>> rigs;
  for (const Case& one : kCases) {
    const FlitFlowSpec spec{.name = "flow", .pattern = one.pattern, .count = 20};
    rigs.push_back(std::make_unique<Rig>(spec, 1, std::to_string(rigs.size())));
  }
  run([&] {
    for (const auto& rig : rigs) rig->flow.start(0);
    advance_to(10'000 * kCycle);
    for (std::size_t number = 0; number < kCases.size(); ++number) {
      std::set<unsigned> senders;
      for (const Witness::Seen& one : rigs[number]->witness.seen) {
        const Place target = place_of(one.fields.tgtid);
        senders.insert(one.from.xp);
        EXPECT_EQ(target.xp, kCases[number].targets.at(one.from.xp)) << number;
        EXPECT_EQ(target.port, target.xp == 4 ? 0U : one.from.port) << "if it exists";
      }
      EXPECT_EQ(senders, (std::set<unsigned>{0, 1, 2, 4, 5, 6, 7, 8}));
    }
  });
}

TEST_F(FlitFlows, have_the_fields_asked_for) {
  Rig rig(
      {.name = "flow", .channel = Channel::dat, .opcodes = {1, 4, 0x7f}, .base = 0x4000, .size = 0x100, .count = 200});
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
  const FlitFlowSpec spec{.name = "flow", .count = 50};
  const FlitFlowSpec other_name{.name = "other", .count = 50};
  const FlitFlowSpec own_seed{.name = "other", .count = 50, .seed = 77};
  const FlitFlowSpec same_seed{.name = "flow", .count = 50, .seed = 77};
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
  const auto refused = [](cmn::Mesh& where, const FlitFlowSpec& spec) -> std::string {
    try {
      FlitFlow(where, spec, "mesh_traffic[2]", 1);
    } catch (const SpecError& error) {
      EXPECT_FALSE(error.reason().empty());
      EXPECT_FALSE(error.suggestion().empty());
      return error.field();
    }
    return {};
  };
  const std::vector<std::pair<FlitFlowSpec, std::string>> cases = {
      {{.name = "flow"}, ""},
      {{.name = "flow", .channel = Channel::pub}, "channel"},
      {{.name = "flow", .channel = Channel::rsp2}, "channel"},
      {{.name = "flow", .rate = 0}, "rate"},
      {{.name = "flow", .rate = 1.01}, "rate"},
      {{.name = "flow", .rate = std::numeric_limits<double>::quiet_NaN()}, "rate"},
      {{.name = "flow", .hot_share = -0.1}, "hot_share"},
      {{.name = "flow", .hot_share = 1.1}, "hot_share"},
      {{.name = "flow", .pattern = MeshPattern::hotspot, .hot_xp = 9}, "hot_xp"},
      {{.name = "flow", .pattern = MeshPattern::hotspot, .hot_xp = 3}, "hot_xp"},
      {{.name = "flow", .size = 63}, "size"},
      {{.name = "flow", .base = 32}, "size"},
      {{.name = "flow", .base = ~std::uint64_t{63}}, "size"},
      {{.name = "flow", .opcodes = {4, 0}}, "opcodes[1]"},
      {{.name = "flow", .opcodes = {0x80}}, "opcodes[0]"},
      {{.name = "flow", .count = 0}, "count"}};
  for (const auto& [spec, field] : cases)
    EXPECT_EQ(refused(mesh, spec), field.empty() ? "" : "mesh_traffic[2]." + field);
  EXPECT_EQ(refused(not_square, {.name = "flow", .pattern = MeshPattern::transpose}), "mesh_traffic[2].pattern");
  run([] {});
}

}  // namespace
}  // namespace pmufab::traffic
