// SPDX-License-Identifier: Apache-2.0
// The mesh engine, without the movements themselves: cmn_mesh_reference_test.cpp checks those.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/engine/mesh_engine.h"
#include "testbench/tests/models/allocation_counter.h"

namespace pmufab::cmn {
namespace {

Flit flit_to(unsigned xp, unsigned port, std::uint32_t handle = 1) {
  Flit flit{};
  flit.handle = handle;
  flit.target_xp = static_cast<std::uint8_t>(xp);
  flit.target_port = static_cast<std::uint8_t>(port);
  flit.flags = Flit::kSingle;
  return flit;
}

MeshParameters mesh_of(unsigned columns, unsigned rows) {
  MeshParameters parameters;
  parameters.columns = columns;
  parameters.rows = rows;
  return parameters;
}

TEST(MeshEngine, a_lonely_flit_takes_the_time_of_its_way) {
  MeshParameters parameters = mesh_of(4, 3);
  parameters.router_delay = 3;
  parameters.link_delay = 2;
  MeshEngine engine(parameters);
  engine.watch_everything(true);
  engine.skip_to(1000);
  engine.upload(Channel::snp, 0, 1, flit_to(11, 0, 77));  // (0,0) to (3,2): three east, two north
  std::vector<Cycle> left;
  std::vector<Interface> by;
  std::vector<unsigned> xps;
  Cycle delivered = 0;
  while (engine.next_cycle() != kNoCycle) {
    engine.step();
    for (const MeshPulse& pulse : engine.pulses()) {
      EXPECT_EQ(pulse.handle, 77U);
      EXPECT_EQ(pulse.channel, Channel::snp);
      EXPECT_EQ(pulse.event, FlitEvent::valid);
      left.push_back(engine.now() - 1);
      by.push_back(pulse.interface);
      xps.push_back(pulse.xp);
    }
    if (!engine.delivered().empty()) delivered = engine.now() - 1;
  }
  EXPECT_EQ(left, (std::vector<Cycle>{1005, 1010, 1015, 1020, 1025, 1030}));
  EXPECT_EQ(by, (std::vector<Interface>{Interface::east, Interface::east, Interface::east, Interface::north,
                                        Interface::north, Interface::port0}));
  EXPECT_EQ(xps, (std::vector<unsigned>{0, 1, 2, 3, 7, 11}));
  EXPECT_EQ(delivered, 1032U);
}

TEST(MeshEngine, a_device_that_takes_nothing_stalls_its_port_every_cycle) {
  MeshParameters parameters = mesh_of(1, 1);
  parameters.download_credits = 3;
  parameters.credit_delay = 2;
  MeshEngine engine(parameters);
  for (unsigned i = 0; i < 4; ++i) {
    ASSERT_TRUE(engine.ready(Channel::req, 0, 0));
    engine.upload(Channel::req, 0, 0, flit_to(0, 1));
    engine.step();
  }
  while (engine.now() < 100) engine.step();
  const auto valid = [&] { return engine.tally(0, Interface::port1, Channel::req, FlitEvent::valid); };
  const auto stall = [&] { return engine.tally(0, Interface::port1, Channel::req, FlitEvent::stall); };
  EXPECT_EQ(valid(), 3U);
  EXPECT_EQ(stall(), 100U - 6);  // the fourth was uploaded in cycle 3 and could leave in 6
  engine.take(Channel::req, 0, 1);
  engine.step();
  engine.step();
  EXPECT_EQ(valid(), 3U);
  EXPECT_EQ(stall(), 100U - 6 + 2);
  engine.step();
  EXPECT_EQ(valid(), 4U) << "the credit is back two cycles after take()";
  EXPECT_EQ(stall(), 100U - 6 + 2);
}

TEST(MeshEngine, channels_do_not_hold_each_other_up) {
  MeshParameters parameters = mesh_of(2, 1);
  parameters.download_credits = 1;
  MeshEngine engine(parameters);
  for (unsigned i = 0; i < 20; ++i) {
    if (engine.ready(Channel::dat, 0, 0)) engine.upload(Channel::dat, 0, 0, flit_to(1, 0));
    engine.step();
  }
  EXPECT_GT(engine.tally(1, Interface::port0, Channel::dat, FlitEvent::stall), 0U);
  engine.upload(Channel::rsp, 0, 0, flit_to(1, 0));
  const Cycle sent = engine.now();
  while (engine.delivered().empty()) engine.step();
  EXPECT_EQ(engine.delivered()[0].channel, Channel::rsp);
  EXPECT_EQ(engine.now() - 1 - sent, 7U);
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

}  // namespace
}  // namespace pmufab::cmn
