// SPDX-License-Identifier: Apache-2.0
// Devices attached to a mesh: which device receives what, when a flit is sent, and calls that devices ask for.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/engine/call_wheel.h"
#include "models/cmn/mesh.h"
#include "models/cmn/outbox.h"
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_driver.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"
#include "testbench/tests/models/allocation_counter.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab {
namespace {

using cmn::CallWheel;
using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
using testing::advance;
using testing::advance_to;

constexpr Picoseconds kCycle = 500;  // 2 GHz
constexpr std::uint8_t kComp = 4;

TEST(CallWheel, calls_each_in_the_cycles_it_asked_for_and_in_no_other) {
  traffic::RandomStream random(7);
  CallWheel wheel;
  wheel.resize(130);
  std::map<Cycle, std::set<unsigned>> wanted;
  const auto ask = [&](Cycle from) {
    const auto actor = static_cast<unsigned>(random.below(130));
    const Cycle when = from + random.below(random.below(4) == 0 ? 20'000 : 900);
    wanted[when].insert(actor);
    wheel.call(actor, when);
  };
  for (int i = 0; i < 50; ++i) ask(0);
  Cycle last = 0;
  while (!wanted.empty() && last < 200'000) {
    ASSERT_EQ(wheel.next(), wanted.begin()->first);
    last = wheel.next();
    std::vector<unsigned> called;
    wheel.visit(last, [&](unsigned actor) { called.push_back(actor); });
    const std::set<unsigned>& expected = wanted.begin()->second;
    ASSERT_TRUE(std::equal(called.begin(), called.end(), expected.begin(), expected.end())) << last;
    wanted.erase(wanted.begin());
    for (std::uint64_t i = random.below(3); i > 0; --i) ask(last + 1);
  }
  EXPECT_GT(last, 20'000U);
}

TEST(CallWheel, keeps_calls_when_it_grows) {
  CallWheel wheel;
  wheel.resize(1);
  wheel.call(0, 5);
  wheel.resize(200);
  wheel.call(199, 5);
  std::vector<unsigned> called;
  wheel.visit(5, [&](unsigned actor) { called.push_back(actor); });
  EXPECT_EQ(called, (std::vector<unsigned>{0, 199}));
  EXPECT_EQ(wheel.next(), cmn::kNoCycle);
}

TEST(CallWheel, who_is_visited_may_call_those_that_come_after_in_the_same_cycle) {
  CallWheel wheel;
  wheel.resize(100);
  wheel.call(3, 9);
  std::vector<unsigned> called;
  wheel.visit(9, [&](unsigned actor) {
    called.push_back(actor);
    if (actor == 3) wheel.call(80, 9);
  });
  EXPECT_EQ(called, (std::vector<unsigned>{3, 80}));
}

TEST(Outbox, gives_flits_in_the_order_they_are_ready_then_of_arrival) {
  cmn::Outbox outbox;
  for (const auto& [ready, handle] :
       std::vector<std::pair<Cycle, std::uint32_t>>{{5, 0}, {9, 1}, {5, 2}, {7, 3}, {9, 4}, {1, 5}})
    outbox.push({.ready = ready, .handle = handle, .tell = false, .target_xp = 0, .target_port = 0});
  std::vector<std::uint32_t> order;
  while (!outbox.empty()) order.push_back(outbox.pop().handle);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{5, 0, 2, 3, 1, 4}));
}

/// Records what it gets and when, and does what a test says.
class Station final : public cmn::MeshDevice {
 public:
  struct Got {
    Cycle cycle;
    Channel channel;
    std::uint16_t from;
    std::uint16_t txnid;
    bool operator==(const Got&) const = default;
  };
  Station(cmn::Mesh& mesh, std::uint16_t id) : mesh_(mesh), number(mesh.attach(*this, id)) {}

  void run(Cycle now) override {
    runs.push_back(now);
    for (const cmn::Arrival* flit = mesh_.arrival(number); flit != nullptr && now >= deaf_until;
         flit = mesh_.arrival(number)) {
      got.push_back({now, flit->channel, flit->fields.srcid, flit->fields.txnid});
      mesh_.take(number);
    }
    if (action) action(now);
  }
  void sent(Channel /*channel*/, const FlitFields& fields, Cycle now) override { told.emplace_back(now, fields.txnid); }

  void post(std::uint16_t to, std::uint16_t txnid, Cycle ready, Channel channel = Channel::rsp, bool tell = false) {
    FlitFields fields{.tgtid = to, .txnid = txnid, .opcode = kComp};
    mesh_.post(number, channel, fields, ready, tell);
  }

 private:
  cmn::Mesh& mesh_;

 public:
  unsigned number;
  Cycle deaf_until = 0;
  std::function<void(Cycle)> action;
  std::vector<Got> got;
  std::vector<Cycle> runs;
  std::vector<std::pair<Cycle, std::uint16_t>> told;
};

class Holds final : public cmn::MeshObserver {
 public:
  void on_upload(Picoseconds when, unsigned, unsigned, Channel, std::uint32_t, const FlitFields& fields) override {
    uploads.emplace_back(when / kCycle, fields.srcid);
  }
  void on_cycle(Picoseconds, std::span<const cmn::MeshPulse>) override {}
  void on_hold(Picoseconds when, std::uint16_t node, Channel channel) override {
    EXPECT_EQ(channel, Channel::rsp);
    holds.emplace_back(when / kCycle, node);
  }
  std::vector<std::pair<Cycle, std::uint16_t>> uploads;
  std::vector<std::pair<Cycle, std::uint16_t>> holds;
};

// Node ids of cmn600_small(), four by two: x in bits 6:5, y in 4:3, port in bit 2.
constexpr std::uint16_t kHere = 0x00;
constexpr std::uint16_t kNeighbour = 0x24;  // XP 1, port 1
constexpr std::uint16_t kFar = 0x4c;        // XP 6, port 1

struct DeviceRig {
  explicit DeviceRig(const cmn::Topology& topology = cmn::examples::cmn600_small(),
                     const cmn::MeshOptions& options = {})
      : mesh("cmn0", topology, options) {
    cpu.socket.bind(mesh.config_space().socket);
  }
  cmn::Mesh mesh;
  testing::Initiator cpu{"cpu"};
  testing::CmnDriver driver{cpu};
};

using CmnDevices = testing::SimulationTest;

TEST_F(CmnDevices, a_flit_arrives_two_cycles_after_the_last_crosspoint_sent_it) {
  DeviceRig rig;
  Station here(rig.mesh, kHere);
  Station far(rig.mesh, kFar);
  run([&] {
    advance_to(100 * kCycle);
    here.post(kFar, 7, 100);
    advance_to(200 * kCycle);
    // Uploaded at 100; sent by XPs 0, 1, 2 and 6 at 103, 106, 109 and 112; then a link and the next cycle.
    EXPECT_EQ(far.got, (std::vector<Station::Got>{{114, Channel::rsp, kHere, 7}}));
    EXPECT_EQ(far.runs, (std::vector<Cycle>{114}));
    EXPECT_TRUE(here.runs.empty()) << "nobody called it";
    EXPECT_EQ(rig.mesh.delivered(), 1U);
  });
}

TEST_F(CmnDevices, flits_wait_until_they_are_ready_and_leave_in_that_order) {
  DeviceRig rig;
  Station here(rig.mesh, kHere);
  Station near(rig.mesh, kNeighbour);
  run([&] {
    advance_to(10 * kCycle);
    here.post(kNeighbour, 1, 60);
    here.post(kNeighbour, 2, 50, Channel::rsp, true);
    here.post(kNeighbour, 3, 0);
    here.post(kNeighbour, 4, 0, Channel::dat, true);
    advance_to(200 * kCycle);
    ASSERT_EQ(near.got.size(), 4U);
    std::vector<std::uint16_t> order;
    for (const Station::Got& got : near.got) order.push_back(got.txnid);
    EXPECT_EQ(order, (std::vector<std::uint16_t>{3, 4, 2, 1})) << "RSP before DAT where they come together";
    EXPECT_EQ(near.got[2].cycle - near.got[0].cycle, 40U);
    EXPECT_EQ(near.got[3].cycle - near.got[2].cycle, 10U);
    EXPECT_EQ(here.told, (std::vector<std::pair<Cycle, std::uint16_t>>{{10, 4}, {50, 2}}));
  });
}

TEST_F(CmnDevices, are_called_once_in_each_cycle_they_asked_for) {
  DeviceRig rig;
  Station here(rig.mesh, kHere);
  here.action = [&](Cycle now) {
    if (now == 20) {
      rig.mesh.call(here.number, 20);  // too late for this cycle: in the next
      rig.mesh.call(here.number, 30);
      rig.mesh.call(here.number, 5'000);
    }
  };
  run([&] {
    advance_to(15 * kCycle);
    rig.mesh.call(here.number, 3);  // past: now
    rig.mesh.call(here.number, 20);
    advance_to(10'000 * kCycle);
    EXPECT_EQ(here.runs, (std::vector<Cycle>{15, 20, 21, 30, 5'000}));
  });
}

TEST_F(CmnDevices, a_device_that_does_not_take_stops_the_crosspoint) {
  DeviceRig rig(cmn::examples::cmn600_small(), {.download_credits = 4});
  Station here(rig.mesh, kHere);
  Station near(rig.mesh, kNeighbour);
  near.deaf_until = 500;
  run([&] {
    for (std::uint16_t i = 0; i < 20; ++i) here.post(kNeighbour, static_cast<std::uint16_t>(2 * i), 0);
    advance_to(400 * kCycle);
    EXPECT_EQ(rig.mesh.engine().tally(1, cmn::Interface::port1, Channel::rsp, cmn::FlitEvent::valid), 4U);
    EXPECT_GT(rig.mesh.engine().tally(1, cmn::Interface::port1, Channel::rsp, cmn::FlitEvent::stall), 300U);
    advance_to(1'000 * kCycle);
    ASSERT_EQ(near.got.size(), 20U);
    for (std::uint16_t i = 0; i < 20; ++i) EXPECT_EQ(near.got[i].txnid, 2 * i);
    EXPECT_EQ(near.got.front().cycle, 500U);
  });
}

TEST_F(CmnDevices, raw_flits_reach_nobody) {
  DeviceRig rig;
  Station here(rig.mesh, kHere);
  Station far(rig.mesh, kFar);
  here.action = [&](Cycle) {
    FlitFields fields{.tgtid = kFar, .opcode = kComp};
    rig.mesh.upload(Channel::rsp, 0, 0, fields);
  };
  run([&] {
    rig.mesh.call(here.number, 10);
    advance_to(100 * kCycle);
    EXPECT_EQ(rig.mesh.delivered(), 1U);
    EXPECT_TRUE(far.runs.empty());
  });
}

TEST_F(CmnDevices, a_node_id_has_one_device) {
  DeviceRig rig;
  Station here(rig.mesh, kHere);
  run([&] {
    EXPECT_THROW(Station(rig.mesh, kHere), std::invalid_argument);
    EXPECT_THROW(Station(rig.mesh, 0x6c), std::invalid_argument) << "no port there";
    EXPECT_THROW(here.post(0x7ff, 1, 0), std::invalid_argument);
  });
}

TEST_F(CmnDevices, behind_one_port_take_turns_and_who_waits_holds) {
  cmn::Topology topology = cmn::examples::cmn700_server();
  DeviceRig rig(topology);
  // The first port with two requesters behind a CAL.
  unsigned xp = 0;
  while (!topology.crosspoints[xp].ports[0].cal) ++xp;
  const std::uint16_t first = rig.mesh.layout().xp(xp).node_id;
  const auto second = static_cast<std::uint16_t>(first + 1);
  const std::uint16_t target = rig.mesh.layout().xp(xp == 0 ? 1 : 0).node_id;
  Station one(rig.mesh, first);
  Station two(rig.mesh, second);
  Station other(rig.mesh, target);
  Holds wires;
  rig.mesh.set_observer(&wires);
  run([&] {
    advance_to(50 * kCycle);
    for (std::uint16_t i = 0; i < 3; ++i) {
      one.post(target, static_cast<std::uint16_t>(2 * i), 0);
      two.post(target, static_cast<std::uint16_t>(2 * i), 0);
    }
    advance_to(200 * kCycle);
    using Seen = std::vector<std::pair<Cycle, std::uint16_t>>;
    EXPECT_EQ(wires.uploads, (Seen{{50, first}, {51, second}, {52, first}, {53, second}, {54, first}, {55, second}}));
    EXPECT_EQ(wires.holds, (Seen{{50, second}, {51, first}, {52, second}, {53, first}, {54, second}}));
    EXPECT_EQ(other.got.size(), 6U);
    rig.mesh.set_observer(nullptr);
  });
}

TEST_F(CmnDevices, odd_transactions_go_by_the_second_sub_channel_where_there_is_one) {
  cmn::Topology topology = cmn::examples::cmn700_server();
  topology.channels = {.req = 1, .rsp = 2, .snp = 1, .dat = 1};
  DeviceRig rig(topology);
  Station here(rig.mesh, rig.mesh.layout().xp(0).node_id);
  Station there(rig.mesh, rig.mesh.layout().xp(9).node_id);
  const std::uint16_t id = rig.mesh.layout().xp(9).node_id;
  run([&] {
    here.post(id, 6, 0);
    here.post(id, 7, 0);
    here.post(id, 7, 0, Channel::dat);
    advance_to(200 * kCycle);
    ASSERT_EQ(there.got.size(), 3U);
    EXPECT_EQ(there.got[0].channel, Channel::rsp);
    EXPECT_EQ(there.got[1].channel, Channel::dat);
    EXPECT_EQ(there.got[2].channel, Channel::rsp2);
  });
}

TEST_F(CmnDevices, cycles_of_holding_are_counted_as_the_nodes_event) {
  DeviceRig rig;
  constexpr unsigned kTxRspStall = 0x15;
  constexpr std::uint16_t kHnf = 0x24;  // XP 1, port 1
  Station home(rig.mesh, kHnf);
  Station here(rig.mesh, kHere);
  unsigned source = 0;
  while (rig.mesh.layout().nodes()[rig.mesh.layout().sources()[source].node].node_id != kHnf) ++source;
  rig.mesh.count_holds(home.number, Channel::rsp, source, kTxRspStall);
  run([&] {
    ASSERT_TRUE(rig.driver.probe(rig.mesh.layout().root_offset()));
    auto event = rig.driver.open(rig.driver.find(5, kHnf), kTxRspStall);
    home.post(kHere, 1, 0);
    advance(100 * kCycle);
    EXPECT_EQ(rig.driver.read(event), 0U) << "alone it goes at once";
    // Another source occupies the port for four cycles.
    home.action = [&, left = 4](Cycle now) mutable {
      FlitFields fields{.tgtid = kHere, .opcode = kComp};
      rig.mesh.upload(Channel::rsp, 1, 1, fields);
      if (left == 4) home.post(kHere, 3, now);
      if (--left > 0) rig.mesh.call(home.number, now + 1);
    };
    rig.mesh.call(home.number, 0);
    advance(100 * kCycle);
    EXPECT_EQ(rig.driver.close(event), 4U);
  });
}

TEST_F(CmnDevices, nothing_is_allocated_once_everything_has_been_used) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers' operator new is left alone";
  DeviceRig rig;
  Station here(rig.mesh, kHere);
  Station far(rig.mesh, kFar);
  std::uint16_t turn = 0;
  here.action = [&](Cycle now) {
    for (int i = 0; i < 3; ++i) here.post(kFar, static_cast<std::uint16_t>(turn++ & 0xffU), now + 5);
    rig.mesh.call(here.number, now + 5);
  };
  run([&] {
    rig.mesh.call(here.number, 0);
    far.got.reserve(100'000);
    far.runs.reserve(100'000);
    here.runs.reserve(100'000);
    advance(2'000 * kCycle);
    const std::uint64_t before = testing::allocations();
    const std::size_t got = far.got.size();
    advance(10'000 * kCycle);
    EXPECT_EQ(testing::allocations() - before, 0U);
    EXPECT_GT(far.got.size() - got, 5'000U);
  });
}

}  // namespace
}  // namespace pmufab
