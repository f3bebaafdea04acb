// SPDX-License-Identifier: Apache-2.0
// What no judge sees of CXL.mem and CXL.cache: times of a read, credits, what a cache gives up, memory that is not
// there, the device's own memory.
// The judge compares messages with docs/cxl-messages.md, in cxl_cross_test.cpp and in each scenario with CXL traffic.

#include <gtest/gtest.h>

#include "testbench/fabrics/cxl/tests/model/cxl_rig.h"
#include "testbench/tests/models/allocation_counter.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {
namespace {

using testing::SimulationTest;
using Kind = HostOperationKind;

struct CxlMemory : public SimulationTest {
  /// DDR timers are off unless a test needs them.
  static MemoryDeviceParameters quiet() {
    MemoryDeviceParameters parameters;
    parameters.ddr.refresh_mode = RefreshMode::none;
    parameters.ddr.power_down_after = 0;
    parameters.ddr.self_refresh_after = 0;
    return parameters;
  }
};

TEST_F(CxlMemory, a_read_takes_the_time_of_two_ways_and_of_its_ddr_commands) {
  Rig rig(quiet());
  run([&] {
    testing::advance(100);
    rig.issue(Kind::read, Rig::kH + 64);
    rig.settle();
    // Leaves at edge 500, arrives 20 ns later; ACT at once, CAS 15 ns later, data 20 ns, answer 10 ns, way back 20 ns.
    ASSERT_EQ(rig.wires.seen.size(), 4U);
    EXPECT_EQ(rig.wires.seen[0].when, 500U);
    EXPECT_EQ(rig.wires.seen[0].end, LinkEnd::upper);
    EXPECT_EQ(rig.wires.seen[1].when, 20'500U);
    EXPECT_EQ(rig.wires.seen[1].end, LinkEnd::lower);
    EXPECT_EQ(rig.wires.seen[2].when, 65'500U);
    EXPECT_EQ(rig.wires.seen[2].end, LinkEnd::lower);
    EXPECT_EQ(rig.wires.seen[3].when, 85'500U);
    ASSERT_EQ(rig.done.size(), 1U);
    EXPECT_EQ(rig.done[0].when, 85'500U);
    for (MessageProbes* probes : {&rig.host->probes(), &rig.device->probes()}) {
      EXPECT_EQ(rig.tally(*probes, MessageClass::m2s_req, m2s_req::mem_rd), 1U);
      EXPECT_EQ(rig.tally(*probes, MessageClass::s2m_drs, s2m_drs::mem_data), 1U);
    }
    EXPECT_EQ(rig.ddr(0), 1U);
    EXPECT_EQ(rig.ddr(2), 1U);
    EXPECT_EQ(rig.ddr(14), 1U);
  });
}

TEST_F(CxlMemory, a_class_sends_as_its_credits_and_its_clock_let_it) {
  LinkParameters parameters;
  parameters.lanes[static_cast<unsigned>(MessageClass::m2s_req)] = {1, 3};
  Rig rig(quiet(), {}, parameters);
  run([&] {
    for (unsigned i = 0; i < 4; ++i) rig.issue(Kind::invalidate_none, Rig::kH + i * 64);
    rig.issue(Kind::write, Rig::kH);  // of another class
    rig.settle();
    std::vector<Picoseconds> requests;
    std::vector<Picoseconds> writes;
    for (const Wires::Seen& one : rig.wires.seen) {
      if (one.end != LinkEnd::upper || !is_down(one.message.message_class)) continue;
      (one.message.message_class == MessageClass::m2s_req ? requests : writes).push_back(one.when);
    }
    // One per edge. The fourth waits for the first one's answer (arrival 20 ns, 10 ns) and for the credit to return.
    EXPECT_EQ(requests, (std::vector<Picoseconds>{0, 500, 1000, 50'000}));
    EXPECT_EQ(writes, std::vector<Picoseconds>{0});
  });
}

TEST_F(CxlMemory, links_that_move_nothing_are_refused) {
  Engine engine;
  LinkParameters impossible;
  impossible.lanes[2].credits = 0;
  EXPECT_THROW(Link("impossible", engine, impossible), SpecError);
  impossible.lanes[2].credits = kMostCredits + 1;
  EXPECT_THROW(Link("impossible", engine, impossible), SpecError);
  impossible.lanes[2].credits = 1;
  impossible.period = 0;
  EXPECT_THROW(Link("impossible", engine, impossible), SpecError);
  HdmMap map;
  EXPECT_THROW(map.set(0, {.base = 0, .size = 4096, .interleave = {5, 256}}), SpecError);
}

// The second read moves the host's table of requests. The sanitizers detect whether the end of the first one still uses
// the old table.
TEST_F(CxlMemory, a_read_of_hdm_db_memory_that_is_not_there_lets_those_that_wait_for_the_line_go_on) {
  Engine engine;
  Link link("link", engine, {});
  HdmMap host_map;
  host_map.set(0, {.base = 0, .size = Rig::kGiB, .coherency = Coherency::hdm_db});
  const HdmMap device_map;
  Host host("host", engine, link, host_map, {});
  MemoryDevice device("device", engine, link, device_map, quiet());
  struct Client : public OperationClient {
    explicit Client(Host& its_host) : host(its_host) {}
    IssueResult read() { return host.issue({HostOperationKind::read, false, 0, 0}, *this); }
    void completed(std::uint32_t /*user*/, Picoseconds /*now*/) override { ++over; }
    void unblocked(Picoseconds /*now*/) override { EXPECT_EQ(read(), IssueResult::sent); }
    Host& host;
    unsigned over = 0;
  } client(host);
  run([&] {
    EXPECT_EQ(client.read(), IssueResult::sent);
    EXPECT_EQ(client.read(), IssueResult::blocked);
    testing::advance(1'000'000);
    EXPECT_EQ(client.over, 2U);
    EXPECT_EQ(host.pending() + device.pending() + link.pending(), 0U);
  });
}

TEST_F(CxlMemory, a_full_cache_evicts_the_line_used_least_recently) {
  HostParameters host;
  host.cache.take_clean = true;
  constexpr std::uint64_t kLine = Rig::kHostMemory;
  Rig rig({}, host);  // four lines
  run([&] {
    rig.run_cache(d2h_req::rd_own, kLine);
    for (const unsigned i : {1U, 2U, 3U}) rig.run_cache(d2h_req::rd_shared, kLine + i * 64);
    rig.run_cache(d2h_req::rd_own, kLine);  // a hit
    EXPECT_EQ(rig.run_cache(d2h_req::rd_any, kLine + 256), "10:4 13:4 14:1 10:9 13:5 14:0");
    EXPECT_EQ(rig.cache->state(kLine + 64), LineState::invalid);
    rig.run_cache(d2h_req::rd_any, kLine + 320);
    rig.run_cache(d2h_req::rd_any, kLine + 384);
    EXPECT_EQ(rig.run_cache(d2h_req::rd_any, kLine + 448), "10:4 13:4 14:1 10:10 13:5 14:0");
  });
}

TEST_F(CxlMemory, the_number_of_a_snoop_has_the_12_bits_of_uqid) {
  Rig rig;
  run([&] {
    for (unsigned i = 0; i <= 1U << 12U; ++i) {
      rig.wires.seen.clear();
      rig.issue(HostOperationKind::snoop_current, Rig::kHostMemory);
      rig.settle();
    }
    EXPECT_LT(rig.wires.seen.front().message.tag, 1U << 12U);
  });
}

TEST_F(CxlMemory, the_devices_own_memory_is_forwarded_to_it) {
  Rig rig;
  run([&] {
    const auto accesses = [&] { return rig.ddr(14) * 100 + rig.ddr(15); };
    EXPECT_EQ(rig.run_cache(d2h_req::rd_own, Rig::kD), "10:2 20:3");
    EXPECT_EQ(rig.run_cache(d2h_req::rd_curr, Rig::kD), "10:1 20:3");
    EXPECT_EQ(accesses(), 200U);
    EXPECT_EQ(rig.run_cache(d2h_req::rd_own_no_data, Rig::kD), "10:5 20:3");
    EXPECT_EQ(accesses(), 200U);
    EXPECT_EQ(rig.run_cache(d2h_req::wo_wr_inv, Rig::kD), "10:12 20:4");
    EXPECT_EQ(rig.run_cache(d2h_req::wo_wr_inv_f, Rig::kD), "10:13 20:4");
    EXPECT_EQ(accesses(), 202U);
    EXPECT_EQ(rig.cache->state(Rig::kD), LineState::invalid);
    EXPECT_EQ(rig.run_cache(d2h_req::cl_flush, Rig::kD), "10:8 13:4");
    EXPECT_EQ(rig.done.size(), 6U);
  });
}

TEST_F(CxlMemory, what_a_process_sees_is_what_happened_before) {
  Rig rig(quiet());
  struct Loop : public OperationClient {
    void completed(std::uint32_t /*user*/, Picoseconds /*now*/) override { next(); }
    void unblocked(Picoseconds /*now*/) override {}
    void next() {
      if (left-- > 0) host->issue({HostOperationKind::read, false, std::uint64_t{left} * 64, 0}, *this);
    }
    Host* host = nullptr;
    unsigned left = 2000;
  } loop;
  loop.host = rig.host.get();
  run([&] {
    loop.next();
    std::uint64_t probe_before = 0;
    for (unsigned i = 0; i < 500; ++i) {
      testing::advance(12'345 * (i % 7 + 1));
      const Picoseconds now = testing::now();
      ASSERT_TRUE(rig.wires.seen.empty() || rig.wires.seen.back().when <= now);
      const std::uint64_t probe = rig.tally(rig.device->probes(), MessageClass::m2s_req, m2s_req::mem_rd);
      // Reads take 70 to 105 ns each, one after the other.
      if (i > 0) {
        EXPECT_LE(probe - probe_before, 2U);
      }
      probe_before = probe;
    }
    EXPECT_GT(probe_before, 200U);
    // Nothing is allocated once queues have their final length.
    rig.link.set_observer(nullptr);
    const std::uint64_t allocations = testing::allocations();
    testing::advance(500'000);
    if (testing::counts_allocations()) {
      EXPECT_LE(testing::allocations() - allocations, 1U);  // the engine's alarm
    }
  });
}

}  // namespace
}  // namespace pmufab::cxl
