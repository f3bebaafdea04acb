// SPDX-License-Identifier: Apache-2.0
// Raw flits for a mesh: targets, times, and the same result on all machines.

#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <boost/random/mersenne_twister.hpp>

#include "testbench/fabrics/cmn/traffic/due_queue.h"
#include "testbench/fabrics/cmn/traffic/mesh_traffic.h"
#include "testbench/traffic/pacer.h"
#include "testbench/traffic/producers/traffic_spec.h"

namespace pmufab::traffic {
namespace {

using cmn::Channel;
using cmn::Cycle;
using cmn::Delivery;
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

TEST(MeshTraffic, beyond_saturation_packets_wait_at_their_sources_or_as_many_as_may) {
  for (const unsigned most : {0U, 10U}) {
    MeshEngine engine(MeshParameters::booksim2(4, 4));
    MeshTraffic traffic(engine, {.rate = 1, .most_waiting = most});
    traffic.run(5'000);
    const MeshTrafficStatistics& statistics = traffic.statistics();
    EXPECT_GT(statistics.flits_delivered, 16U * 1'000) << "the mesh moves";
    const std::uint64_t room = 16 * (5 * MeshParameters{}.buffer_depth + 8);  // of the mesh and its devices
    EXPECT_LE(statistics.packets_made - statistics.packets_delivered - traffic.waiting(), room);
    if (most == 0) {
      EXPECT_GT(traffic.waiting(), 16U * 100);
    } else {
      EXPECT_LE(traffic.waiting(), 16U * most);
      EXPECT_GT(traffic.waiting(), 8U * most);
    }
  }
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
  EXPECT_EQ(fault(mesh_of(2, 2, 0), {}), "channel");
}

// The queue of waiting flits against one of whole numbers.
TEST(DueQueue, gives_back_what_it_was_given) {
  boost::random::mt19937_64 random(1);
  // None, short ones, those around the longest that fits into a byte, and far longer ones.
  const auto gap = [&]() -> cmn::Cycle {
    const std::uint64_t kind = random() % 8;
    if (kind == 0) return 0;
    if (kind < 5) return random() % 4;
    if (kind < 7) return 250 + random() % 12;
    return random() >> (20 + random() % 40);
  };
  DueQueue queue;
  std::deque<cmn::Cycle> reference;
  cmn::Cycle due = 0;
  std::uint64_t popped = 0;
  for (unsigned step = 0; step < 100'000; ++step) {
    ASSERT_EQ(queue.empty(), reference.empty());
    if (!reference.empty()) {
      ASSERT_EQ(queue.front(), reference.front()) << step;
    }
    // It grows for some time, then it shrinks until it is empty.
    const bool grows = (step / 5'000) % 2 == 0;
    if (reference.empty() || random() % 8 < (grows ? 6U : 2U)) {
      due += gap();
      queue.push(due);
      reference.push_back(due);
    } else {
      queue.pop();
      reference.pop_front();
      ++popped;
    }
  }
  EXPECT_GT(popped, 40'000U);
  for (unsigned i = 0; i < 1'000; ++i) {
    due += i;  // gaps of both kinds
    queue.push(due);
  }
  queue.pop();
  queue.clear();
  EXPECT_TRUE(queue.empty());
  queue.push(7);
  queue.push(due + 7);
  EXPECT_EQ(queue.front(), 7U);
  queue.pop();
  EXPECT_EQ(queue.front(), due + 7);
  queue.pop();
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace pmufab::traffic
