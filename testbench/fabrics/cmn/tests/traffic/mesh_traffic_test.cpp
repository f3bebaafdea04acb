// SPDX-License-Identifier: Apache-2.0
// Raw flits for a mesh: targets, times, and the same result on all machines.

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/traffic/mesh_traffic.h"
#include "testbench/traffic/geometric_gaps.h"
#include "testbench/traffic/producers/traffic_spec.h"

namespace pmufab::traffic {
namespace {

using cmn::Channel;
using cmn::Cycle;
using cmn::Delivery;
using cmn::Interface;
using cmn::MeshEngine;
using cmn::MeshParameters;

MeshParameters mesh_of(unsigned columns, unsigned rows, unsigned ports) {
  MeshParameters parameters;
  parameters.columns = columns;
  parameters.rows = rows;
  parameters.ports.assign(parameters.xps(), ports);
  return parameters;
}

/// Send for `cycles`, then let the mesh drain.
/// @return deliveries by XP and port
std::map<std::pair<unsigned, unsigned>, unsigned> deliveries(const MeshParameters& parameters,
                                                             const MeshTrafficSpec& spec, Cycle cycles) {
  MeshEngine engine(parameters);
  MeshTraffic traffic(engine, spec);
  std::map<std::pair<unsigned, unsigned>, unsigned> count;
  const auto cycle = [&] {
    traffic.send();
    engine.step();
    for (const Delivery& delivery : engine.delivered()) ++count[{delivery.xp, delivery.port}];
    traffic.receive();
  };
  while (engine.now() < cycles) cycle();
  traffic.stop();
  while (traffic.waiting() != 0 || engine.next_cycle() != cmn::kNoCycle) cycle();
  EXPECT_EQ(traffic.statistics().packets_delivered, traffic.statistics().packets_made);
  EXPECT_EQ(traffic.statistics().flits_delivered, traffic.statistics().packets_made * spec.packet_length);
  return count;
}

TEST(GeometricGaps, have_the_distribution_of_coin_flips) {
  for (const double probability : {0.9, 0.3, 0.02, 0.0004}) {
    const GeometricGaps gaps(probability);
    boost::random::mt19937_64 engine(11);
    constexpr unsigned kDraws = 200'000;
    double sum = 0;
    unsigned ones = 0;
    unsigned beyond_mean = 0;
    for (unsigned i = 0; i < kDraws; ++i) {
      const std::uint64_t gap = gaps.draw(static_cast<std::uint32_t>(engine() >> 32), engine);
      ASSERT_GE(gap, 1U);
      sum += static_cast<double>(gap);
      ones += gap == 1 ? 1 : 0;
      beyond_mean += static_cast<double>(gap) > 1 / probability ? 1 : 0;
    }
    // Five standard deviations.
    EXPECT_NEAR(sum / kDraws * probability, 1, 5 * std::sqrt((1 - probability) / kDraws));
    const auto expect_share = [&](unsigned count, double share) {
      EXPECT_NEAR(count / double{kDraws}, share, 5 * std::sqrt(share * (1 - share) / kDraws) + 1e-9);
    };
    expect_share(ones, probability);
    expect_share(beyond_mean, std::pow(1 - probability, std::floor(1 / probability)));
  }
}

TEST(GeometricGaps, certain_success_leaves_no_gaps) {
  const GeometricGaps gaps(1);
  boost::random::mt19937_64 engine(11);
  EXPECT_EQ(gaps.draw(0, engine), 1U);
  EXPECT_EQ(gaps.draw(std::numeric_limits<std::uint32_t>::max(), engine), 1U);
}

TEST(MeshTraffic, uniform_reaches_every_port_equally) {
  const auto count = deliveries(mesh_of(4, 2, 2), {.rate = 0.1, .seed = 5}, 100'000);
  ASSERT_EQ(count.size(), 16U);
  for (const auto& [place, packets] : count) EXPECT_NEAR(packets, 10'000, 500);  // five standard deviations
}

TEST(MeshTraffic, hotspot_sends_its_share_to_one_xp) {
  MeshTrafficSpec spec{.pattern = MeshPattern::hotspot, .rate = 0.02, .hot_xp = 3, .hot_share = 0.25, .seed = 6};
  auto count = deliveries(mesh_of(3, 3, 1), spec, 200'000);
  double sum = 0;
  for (const auto& [place, packets] : count) sum += packets;
  EXPECT_NEAR(sum, 36'000, 1000);
  const double share = 0.25 + 0.75 / 9;
  EXPECT_NEAR(count[std::pair(3U, 0U)] / sum, share, 0.013);
  EXPECT_NEAR(count[std::pair(8U, 0U)] / sum, 0.75 / 9, 0.008);
}

TEST(MeshTraffic, fixed_patterns_send_each_source_to_one_target) {
  // The used links show who sends to whom.
  const auto interfaces = [](MeshPattern pattern) {
    MeshEngine engine(mesh_of(3, 3, 1));
    MeshTraffic traffic(engine, {.pattern = pattern, .rate = 0.001, .seed = 7});
    traffic.run(500'000);
    std::vector<bool> used;
    for (unsigned xp = 0; xp < 9; ++xp) {
      for (const Interface side : {Interface::east, Interface::west, Interface::north, Interface::south}) {
        used.push_back(engine.tally(xp, side, Channel::req, cmn::FlitEvent::valid) != 0);
      }
    }
    return used;
  };
  // Links by XP, from (0,0) along x: east, west, north, south. Computed by hand.
  EXPECT_EQ(interfaces(MeshPattern::neighbour), (std::vector<bool>{1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0,  //
                                                                   1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0,  //
                                                                   1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(interfaces(MeshPattern::bit_complement), (std::vector<bool>{1, 0, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0,  //
                                                                        1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1,  //
                                                                        1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1}));
  // (1,0) and (2,0) go west to column 0, then north; (2,1) to (1,2) by (1,1); and the mirror images.
  EXPECT_EQ(interfaces(MeshPattern::transpose), (std::vector<bool>{0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0,  //
                                                                   1, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1,  //
                                                                   1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}));
}

TEST(MeshTraffic, equal_seeds_give_equal_flits) {
  const auto flits = [](std::uint64_t seed) {
    MeshEngine engine(mesh_of(4, 4, 1));
    MeshTraffic traffic(engine, {.rate = 0.2, .packet_length = 2, .seed = seed});
    std::vector<std::uint64_t> seen;
    while (engine.now() < 2000) {
      traffic.send();
      engine.step();
      for (const Delivery& delivery : engine.delivered()) {
        seen.push_back(engine.now() << 40 | std::uint64_t{delivery.xp} << 32 | delivery.flit.handle);
      }
      traffic.receive();
    }
    return seen;
  };
  EXPECT_EQ(flits(1), flits(1));
  EXPECT_NE(flits(1), flits(2));
}

TEST(MeshTraffic, ports_of_equal_number_talk_to_each_other) {
  MeshParameters parameters = mesh_of(2, 1, 3);
  parameters.ports[1] = 2;
  const auto count = deliveries(parameters, {.pattern = MeshPattern::neighbour, .rate = 0.1}, 10'000);
  EXPECT_EQ(count.size(), 4U);  // (0,0) ports 0 and 1 from (1,0); (1,0) port 0 from ports 0 and 2, port 1 from port 1
  EXPECT_NEAR(count.at({1, 0}), 2000, 220);
  EXPECT_NEAR(count.at({1, 1}), 1000, 160);
}

TEST(MeshTraffic, beyond_saturation_packets_wait_at_their_sources) {
  MeshEngine engine(MeshParameters::booksim2(4, 4));
  MeshTraffic traffic(engine, {.pattern = MeshPattern::hotspot, .rate = 0.5, .packet_length = 4, .hot_share = 1});
  traffic.run(20'000);
  EXPECT_NEAR(static_cast<double>(traffic.statistics().flits_delivered), 20'000, 200) << "one port takes all";
  EXPECT_NEAR(static_cast<double>(traffic.waiting()), 16 * 2500 - 5000, 700);
}

TEST(MeshTraffic, a_source_may_be_told_how_many_packets_can_wait) {
  cmn::MeshEngine engine(cmn::MeshParameters::booksim2(4, 4));
  MeshTraffic traffic(engine, {.pattern = MeshPattern::hotspot, .rate = 1, .hot_share = 1, .most_waiting = 10});
  traffic.run(5'000);
  EXPECT_LE(traffic.waiting(), 16U * 10);
  EXPECT_GT(traffic.waiting(), 15U * 9);
  EXPECT_NEAR(static_cast<double>(traffic.statistics().flits_delivered), 5'000, 100) << "as many as one port takes";
}

TEST(MeshTraffic, idle_cycles_are_skipped_without_changing_anything) {
  const MeshTrafficSpec spec{.rate = 0.0001, .packet_length = 3, .seed = 8};
  MeshEngine skipping(mesh_of(3, 3, 1));
  MeshTraffic fast(skipping, spec);
  fast.run(300'000);
  MeshEngine stepping(mesh_of(3, 3, 1));
  MeshTraffic slow(stepping, spec);
  while (stepping.now() < 300'000) {
    slow.send();
    stepping.step();
    slow.receive();
  }
  EXPECT_GT(fast.statistics().packets_made, 50U);
  EXPECT_EQ(fast.statistics().packets_made, slow.statistics().packets_made);
  EXPECT_EQ(fast.statistics().latency_sum, slow.statistics().latency_sum);
  EXPECT_EQ(fast.statistics().packets_delivered, slow.statistics().packets_delivered);
}

TEST(MeshTraffic, several_share_a_mesh_on_their_channels) {
  MeshEngine engine(mesh_of(4, 4, 2));
  MeshTraffic requests(engine, {.channel = Channel::req, .rate = 0.05, .seed = 1});
  MeshTraffic data(engine, {.channel = Channel::dat, .rate = 0.1, .seed = 2});
  while (engine.now() < 5000) {
    requests.send();
    data.send();
    engine.step();
    requests.receive();
    data.receive();
  }
  EXPECT_NEAR(static_cast<double>(requests.statistics().flits_delivered), 32 * 0.05 * 5000, 500);
  EXPECT_NEAR(static_cast<double>(data.statistics().flits_delivered), 32 * 0.1 * 5000, 800);
}

TEST(MeshTraffic, impossible_traffic_is_refused_by_name) {
  const auto fault = [](const MeshParameters& parameters, const MeshTrafficSpec& spec) -> std::string {
    MeshEngine engine(parameters);
    try {
      const MeshTraffic traffic(engine, spec);
    } catch (const SpecError& error) {
      return error.field();
    }
    return "";
  };
  const MeshParameters mesh = mesh_of(3, 2, 1);
  EXPECT_EQ(fault(mesh, {}), "");
  EXPECT_EQ(fault(mesh, {.channel = Channel::req2}), "channel");
  EXPECT_EQ(fault(mesh, {.rate = 0}), "rate");
  EXPECT_EQ(fault(mesh, {.rate = 1.01}), "rate");
  EXPECT_EQ(fault(mesh, {.rate = std::nan("")}), "rate");
  EXPECT_EQ(fault(mesh, {.packet_length = 0}), "packet_length");
  EXPECT_EQ(fault(mesh, {.pattern = MeshPattern::transpose}), "pattern");
  EXPECT_EQ(fault(mesh, {.pattern = MeshPattern::hotspot, .hot_xp = 6}), "hot_xp");
  EXPECT_EQ(fault(mesh, {.pattern = MeshPattern::hotspot, .hot_share = 1.5}), "hot_share");
  MeshParameters partly = mesh;
  partly.ports[5] = 0;
  EXPECT_EQ(fault(partly, {.pattern = MeshPattern::bit_complement}), "pattern");
  EXPECT_EQ(fault(mesh_of(2, 2, 0), {}), "channel");
}

}  // namespace
}  // namespace pmufab::traffic
