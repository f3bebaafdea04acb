// SPDX-License-Identifier: Apache-2.0
// The mesh engine, without the movements themselves: cmn_mesh_reference_test.cpp checks those. Its mean packet latency is
// compared with BookSim2's, for uniform random traffic in square meshes.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/engine/mesh_engine.h"
#include "testbench/fabrics/cmn/traffic/mesh_traffic.h"
#include "testbench/tests/models/allocation_counter.h"

namespace pmufab::cmn {
namespace {

Flit flit_to(unsigned xp, unsigned port, std::uint32_t handle = 1) {
  return {handle, static_cast<std::uint8_t>(xp), static_cast<std::uint8_t>(port), 0, Flit::kSingle};
}

MeshParameters mesh_of(unsigned columns, unsigned rows) {
  MeshParameters parameters;
  parameters.columns = columns;
  parameters.rows = rows;
  return parameters;
}

TEST(MeshEngine, only_watched_events_become_pulses) {
  MeshEngine engine(mesh_of(3, 1));
  engine.watch(1, Interface::east, Channel::req, FlitEvent::valid, true);
  const auto send = [&] {
    engine.upload(Channel::req, 0, 0, flit_to(2, 0));
    engine.upload(Channel::dat, 0, 0, flit_to(2, 0));
    unsigned pulses = 0;
    while (engine.next_cycle() != kNoCycle) {
      engine.step();
      for (const MeshPulse& pulse : engine.pulses()) {
        ++pulses;
        EXPECT_EQ(pulse.channel, Channel::req);
      }
      for (const Delivery& delivery : engine.delivered()) engine.take(delivery.channel, delivery.xp, delivery.port);
    }
    return pulses;
  };
  EXPECT_EQ(send(), 1U);
  engine.watch(1, Interface::east, Channel::req, FlitEvent::stall, true);
  EXPECT_EQ(send(), 1U);
  engine.watch(1, Interface::east, Channel::req, FlitEvent::valid, false);
  EXPECT_EQ(send(), 0U);
  EXPECT_EQ(engine.tally(1, Interface::east, Channel::req, FlitEvent::valid), 3U) << "the truth counts all";
}

TEST(MeshEngine, an_observer_of_everything_leaves_what_was_watched) {
  MeshEngine engine(mesh_of(2, 1));
  engine.watch(0, Interface::east, Channel::req, FlitEvent::valid, true);
  const auto pulses = [&] {
    engine.upload(Channel::req, 0, 0, flit_to(1, 0));
    std::size_t sum = 0;
    while (engine.next_cycle() != kNoCycle) {
      engine.step();
      sum += engine.pulses().size();
    }
    return sum;
  };
  engine.watch_everything(true);
  EXPECT_EQ(pulses(), 2U);
  engine.watch(1, Interface::port0, Channel::req, FlitEvent::valid, true);
  engine.watch(0, Interface::east, Channel::req, FlitEvent::valid, false);
  EXPECT_EQ(pulses(), 2U);
  engine.watch_everything(false);
  EXPECT_EQ(pulses(), 1U);
}

TEST(MeshEngine, time_without_work_is_skipped) {
  MeshParameters parameters = mesh_of(2, 2);
  parameters.link_delay = 20;
  parameters.router_delay = 10;
  MeshEngine engine(parameters);
  EXPECT_EQ(engine.next_cycle(), kNoCycle);
  engine.step_to(1'000'000'000'000);
  EXPECT_EQ(engine.now(), 1'000'000'000'000U);
  engine.upload(Channel::req, 0, 0, flit_to(1, 0));
  EXPECT_EQ(engine.next_cycle(), 1'000'000'000'030U);
  engine.step_to(kNoCycle);
  EXPECT_EQ(engine.now(), 1'000'000'000'081U) << "the step of the delivery is done";
  ASSERT_EQ(engine.delivered().size(), 1U);
  engine.step_to(1'000'000'000'100);
  EXPECT_EQ(engine.now(), 1'000'000'000'100U);
  EXPECT_TRUE(engine.delivered().empty());
}

TEST(MeshEngine, nothing_is_allocated_after_construction) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizer's allocator is in place";
  for (const unsigned depth : {8U, 5U}) {
    MeshParameters parameters = mesh_of(6, 5);
    parameters.buffer_depth = depth;
    MeshEngine engine(parameters);
    engine.watch_everything(true);
    const std::uint64_t before = testing::allocations();
    std::uint64_t delivered = 0;
    std::uint64_t sum = 0;
    for (unsigned cycle = 0; cycle < 3000; ++cycle) {
      for (const Channel channel : parameters.channels) {
        for (unsigned xp = 0; xp < 30; ++xp) {
          if (engine.ready(channel, xp, 0)) engine.upload(channel, xp, 0, flit_to((xp * 7 + cycle) % 30, cycle % 2));
        }
      }
      engine.step();
      for (const Delivery& delivery : engine.delivered()) {
        engine.take(delivery.channel, delivery.xp, delivery.port);
        ++delivered;
      }
      sum += engine.pulses().size();
    }
    EXPECT_EQ(testing::allocations(), before);
    EXPECT_GT(delivered, 10'000U);
    EXPECT_GT(sum, delivered);
  }
}

TEST(MeshEngine, a_mesh_of_144_xps_fits_into_six_megabytes) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizer's allocator is in place";
  MeshParameters parameters = mesh_of(12, 12);
  parameters.ports.assign(144, kMaximumPorts);
  const std::uint64_t before = testing::allocated_bytes();
  const MeshEngine engine(parameters);
  EXPECT_LT(testing::allocated_bytes() - before, 6U << 20);
}

/// @return the wrong field, or "" if the mesh can be built.
std::string fault(const MeshParameters& parameters) {
  try {
    const MeshEngine engine(parameters);
  } catch (const SpecError& error) {
    EXPECT_NE(error.reason(), "");
    return error.field();
  }
  return "";
}

TEST(MeshEngine, impossible_parameters_are_refused_by_name) {
  const auto with = [](auto change) {
    MeshParameters parameters = mesh_of(3, 2);
    change(parameters);
    return fault(parameters);
  };
  EXPECT_EQ(with([](MeshParameters&) {}), "");
  EXPECT_EQ(with([](MeshParameters& p) { p.columns = 0; }), "columns");
  EXPECT_EQ(with([](MeshParameters& p) { p.rows = 15; }), "rows");
  EXPECT_EQ(with([](MeshParameters& p) { p.channels.clear(); }), "channels");
  EXPECT_EQ(with([](MeshParameters& p) { p.channels = {Channel::req, Channel::pub}; }), "channels[1]");
  EXPECT_EQ(with([](MeshParameters& p) { p.channels = {Channel::req, Channel::req}; }), "channels[1]");
  EXPECT_EQ(with([](MeshParameters& p) { p.ports = {1, 2}; }), "ports");
  EXPECT_EQ(with([](MeshParameters& p) { p.ports = {1, 2, 6, 0, 7, 1}; }), "ports[4]");
  EXPECT_EQ(with([](MeshParameters& p) { p.buffer_depth = 0; }), "buffer_depth");
  EXPECT_EQ(with([](MeshParameters& p) { p.download_credits = 129; }), "download_credits");
  EXPECT_EQ(with([](MeshParameters& p) { p.router_delay = std::numeric_limits<unsigned>::max(); }), "router_delay");
  EXPECT_EQ(with([](MeshParameters& p) { p.link_delay = 0; }), "link_delay");
  EXPECT_EQ(with([](MeshParameters& p) { p.credit_delay = 0; }), "credit_delay");
}

/// A figure of BookSim2 with topology mesh, routing dor, router iq, num_vcs 1, vc_buf_size 8, speculative 1, delays 1,
/// uniform traffic (a node's own included) and Bernoulli injection from sources with an infinite queue.
struct Figure {
  const char* name;
  unsigned side;           ///< XPs in x and y
  unsigned packet_length;  ///< flits
  double rate;             ///< flits per node and cycle
  double latency;          ///< cycles from the creation of a packet to its ejection
  double tolerance;        ///< as a share of it
};

class BookSim2 : public ::testing::TestWithParam<Figure> {};

TEST_P(BookSim2, mean_packet_latency_agrees) {
  const Figure& figure = GetParam();
  for (const std::uint64_t seed : {3, 4}) {
    MeshEngine engine(MeshParameters::booksim2(figure.side, figure.side));
    traffic::MeshTraffic traffic(engine, {.rate = figure.rate, .packet_length = figure.packet_length, .seed = seed});
    traffic.run(10'000);
    traffic.measure();
    traffic.run(120'000);
    const double latency = traffic.statistics().mean_latency();
    EXPECT_NEAR(latency, figure.latency, figure.latency * figure.tolerance) << "seed " << seed;
    RecordProperty("latency_" + std::to_string(seed), std::to_string(latency));
    // The requested rate is reached: below saturation everything arrives.
    const double rate = static_cast<double>(traffic.statistics().flits_delivered) / 120'000 / figure.side / figure.side;
    EXPECT_NEAR(rate, figure.rate, figure.rate * 0.01);
  }
}
INSTANTIATE_TEST_SUITE_P(figures, BookSim2,
                         ::testing::Values(Figure{"single_flits_at_005", 8, 1, 0.05, 20.84, 0.01},
                                           Figure{"single_flits_at_010", 8, 1, 0.10, 21.04, 0.01},
                                           Figure{"single_flits_at_020", 8, 1, 0.20, 21.55, 0.01},
                                           Figure{"single_flits_at_030", 8, 1, 0.30, 23.07, 0.01},
                                           Figure{"single_flits_at_035", 8, 1, 0.35, 26.70, 0.03},
                                           Figure{"five_flits_at_010", 8, 5, 0.10, 26.33, 0.02},
                                           Figure{"five_flits_at_010_in_12x12", 12, 5, 0.10, 35.9, 0.02}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace pmufab::cmn
