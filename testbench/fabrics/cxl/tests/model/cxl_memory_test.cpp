// SPDX-License-Identifier: Apache-2.0
// CXL.mem: links, answers, back-invalidate. Expected values are derived by hand from docs/cxl-messages.md, sections 1
// to 4.

#include <gtest/gtest.h>

#include "models/cxl/link/switch.h"
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

TEST_F(CxlMemory, each_operation_sends_and_is_answered_as_its_memory_demands) {
  Rig rig(quiet());
  struct Case {
    Kind kind;
    const char* hdm_h;
    const char* hdm_d;
    const char* hdm_h_tee;
    unsigned reads;
    unsigned writes;
  };
  const std::vector<Case> cases = {
      {Kind::read, "20:1 25:0", "20:1 24:0 25:0", "20:5 25:2", 1, 0},
      {Kind::load, "20:2 25:0", "20:2 24:2 25:0", "20:6 25:2", 1, 0},
      {Kind::load_shared, "20:1 25:0", "20:1 24:1 25:0", "20:5 25:2", 1, 0},
      {Kind::store, "20:1 25:0", "20:1 24:2 25:0", "20:5 25:2", 1, 0},
      {Kind::write, "21:1 24:0", "21:1 24:0", "21:9 24:5", 0, 1},
      {Kind::write_partial, "21:2 24:0", "21:2 24:0", "21:10 24:5", 1, 1},
      {Kind::invalidate, "20:0 24:0", "20:0 24:2", "20:7 24:0", 0, 0},
      {Kind::invalidate_shared, "20:0 24:0", "20:0 24:1", "20:7 24:0", 0, 0},
      {Kind::invalidate_none, "20:0 24:0", "20:0 24:0", "20:7 24:0", 0, 0},
      {Kind::invalidate_nt, "20:9 24:0", "20:9 24:0", "20:11 24:5", 0, 0},
      {Kind::speculative_read, "20:8", "20:8", "20:12", 1, 0},
      {Kind::clean_evict, "20:10 24:0", "20:10 24:0", "20:14 24:0", 0, 0},
      {Kind::clean_evict_unknown, "20:15 24:0", "20:15 24:0", "20:15 24:0", 0, 0},
      {Kind::te_update, "20:13 24:0", "20:13 24:0", "20:13 24:0", 0, 0},
      {Kind::read_fill, "21:5 25:0", "21:5 25:0", "21:13 25:2", 1, 0},
  };
  run([&] {
    for (const Case& one : cases) {
      const std::uint64_t reads = rig.ddr(14);
      const std::uint64_t writes = rig.ddr(15);
      EXPECT_EQ(rig.run(one.kind, Rig::kH), one.hdm_h);
      EXPECT_EQ(rig.run(one.kind, Rig::kD), one.hdm_d);
      EXPECT_EQ(rig.run(one.kind, Rig::kH, true), one.hdm_h_tee);
      EXPECT_EQ(rig.ddr(14) - reads, 3 * one.reads);
      EXPECT_EQ(rig.ddr(15) - writes, 3 * one.writes);
    }
    // A read of memory that does not exist. Other requests are accepted and change nothing.
    const std::uint64_t accesses = rig.ddr(14) + rig.ddr(15);
    EXPECT_EQ(rig.run(Kind::read, 5 * Rig::kGiB), "20:1 25:1");
    EXPECT_EQ(rig.run(Kind::write, 5 * Rig::kGiB), "21:1 24:0");
    EXPECT_EQ(rig.run(Kind::speculative_read, 5 * Rig::kGiB), "20:8");
    EXPECT_EQ(rig.run(Kind::read_fill, 5 * Rig::kGiB), "21:5 25:1");
    EXPECT_EQ(rig.ddr(14) + rig.ddr(15), accesses);
  });
}

TEST_F(CxlMemory, the_qualifier_is_the_lowest_decoder_that_claims_the_address) {
  Rig rig(quiet());
  rig.map.set(3, {.base = 64 * 1024, .size = 4096});  // within decoder 0
  rig.map.set(4, {.base = 6 * Rig::kGiB, .size = 4096, .device_base = 0, .interleave = {2, 256}});
  std::vector<EventSink> sinks(5);
  EventSink none;
  Probe* const probe = rig.device->probes().probe(MessageClass::s2m_drs, s2m_drs::mem_data);
  for (unsigned i = 0; i < 5; ++i) probe->watch(sinks[i], std::uint64_t{1} << i);
  rig.device->probes().probe(MessageClass::s2m_drs, s2m_drs::mem_data_nxm)->watch(none, std::uint64_t{1} << 63);
  run([&] {
    rig.run(Kind::read, 64 * 1024);
    rig.run(Kind::read, Rig::kDb);
    rig.run(Kind::read, 6 * Rig::kGiB + 512);
    rig.run(Kind::read, 5 * Rig::kGiB);
    EXPECT_EQ(sinks[0].value(), 1U);
    EXPECT_EQ(sinks[1].value(), 1U);
    EXPECT_EQ(sinks[3].value(), 0U);
    EXPECT_EQ(sinks[4].value(), 1U);
    EXPECT_EQ(none.value(), 1U);
    // Two ways of 256 bytes: byte 512 of the range is byte 256 of the device.
    EXPECT_EQ(rig.map.claim(6 * Rig::kGiB + 512).device_address, 256U);
    EXPECT_EQ(rig.map.claim(6 * Rig::kGiB + 1024 + 70).device_address, 512U + 70U);
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

TEST_F(CxlMemory, the_host_caches_hdm_db_lines_and_evicts_what_it_can_not_hold) {
  HostParameters host;
  host.host_lines = 2;
  Rig rig(quiet(), host);
  run([&] {
    EXPECT_EQ(rig.run(Kind::load, Rig::kDb), "20:2 24:2 25:0");
    EXPECT_EQ(rig.run(Kind::load, Rig::kDb), "");
    EXPECT_EQ(rig.run(Kind::read, Rig::kDb), "");
    EXPECT_EQ(rig.run(Kind::store, Rig::kDb), "");  // exclusive becomes modified
    EXPECT_EQ(rig.run(Kind::load_shared, Rig::kDb + 64), "20:1 24:1 25:0");
    EXPECT_EQ(rig.run(Kind::store, Rig::kDb + 64), "20:0 24:2");                        // upgrade
    EXPECT_EQ(rig.run(Kind::load_shared, Rig::kDb + 128), "20:1 24:1 25:0 21:1 24:0");  // line 0 is written back, dirty
    EXPECT_EQ(rig.run(Kind::clean_evict, Rig::kDb + 64), "");                           // dirty
    EXPECT_EQ(rig.run(Kind::clean_evict, Rig::kDb + 128), "20:10 24:0");
    // A fill does not change the holder of the line. A new state of trust takes the line from all caches.
    EXPECT_EQ(rig.run(Kind::read_fill, Rig::kDb + 64), "21:5 25:0");
    EXPECT_EQ(rig.host->state(Rig::kDb + 64), LineState::modified);
    EXPECT_EQ(rig.run(Kind::clean_evict_unknown, Rig::kDb + 64), "");
    EXPECT_EQ(rig.run(Kind::te_update, Rig::kDb + 64), "20:13 24:0");
    EXPECT_EQ(rig.host->state(Rig::kDb + 64), LineState::invalid);
    EXPECT_EQ(rig.device->coherence().filter_state(Rig::kDb + 64), LineState::invalid);
    EXPECT_EQ(rig.run(Kind::store, Rig::kDb + 64), "20:1 24:2 25:0");
    EXPECT_EQ(rig.run(Kind::invalidate_none, Rig::kDb + 64), "20:0 24:0");
    EXPECT_EQ(rig.run(Kind::read, Rig::kDb + 64), "20:1 24:0 25:0");
    EXPECT_EQ(rig.run(Kind::invalidate, Rig::kDb + 192), "20:0 24:2");
    EXPECT_EQ(rig.run(Kind::invalidate_shared, Rig::kDb + 256), "20:0 24:1");
    EXPECT_EQ(rig.run(Kind::write, Rig::kDb + 256), "21:1 24:0");
  });
}

TEST_F(CxlMemory, the_device_snoops_the_host_for_its_own_operations) {
  MemoryDeviceParameters parameters = quiet();
  parameters.back_invalidate.block_snoops = false;
  parameters.back_invalidate.device_lines = 2;
  Rig rig(parameters);
  using Local = LocalOperation;
  run([&] {
    const auto line = [](unsigned number) { return Rig::kDb + number * 4096; };
    EXPECT_EQ(rig.run(Local::read, line(0)), "");
    rig.run(Kind::load, line(0));                           // host E
    EXPECT_EQ(rig.run(Local::read, line(0)), "23:0 22:2");  // stays E
    EXPECT_EQ(rig.run(Local::read, line(0), true), "23:8 22:2");
    rig.run(Kind::store, line(0));                                    // M
    EXPECT_EQ(rig.run(Local::read, line(0)), "23:0 21:1 24:0 22:2");  // written back first
    EXPECT_EQ(rig.run(Local::load, line(0)), "23:1 22:1");            // S in both
    EXPECT_EQ(rig.run(Local::load, line(0)), "");
    EXPECT_EQ(rig.run(Kind::load, line(0)), "");
    EXPECT_EQ(rig.run(Local::store, line(0)), "23:2 22:0");
    EXPECT_EQ(rig.run(Local::store, line(0)), "");
    EXPECT_EQ(rig.run(Kind::store, line(0)), "20:1 24:3 25:0");  // the device's M
    EXPECT_EQ(rig.run(Local::store, line(0)), "23:2 21:1 24:0 22:0");
    EXPECT_EQ(rig.run(Kind::load, line(0)), "20:2 24:1 25:0");  // the device keeps a copy
    const std::uint64_t writes = rig.ddr(15);
    rig.run(Local::store, line(1));
    rig.run(Local::load, line(2));
    EXPECT_EQ(rig.ddr(15), writes);  // line 0 was shared
    rig.run(Local::load, line(3));
    EXPECT_EQ(rig.ddr(15), writes + 1);  // line 1 was modified
  });
}

TEST_F(CxlMemory, a_full_snoop_filter_invalidates_blocks_it_holds_wholly) {
  MemoryDeviceParameters parameters = quiet();
  parameters.back_invalidate.filter_lines = 4;
  Rig rig(parameters);
  run([&] {
    const auto pair = Rig::kDb + 8192;
    for (const unsigned i : {0U, 1U, 2U, 3U}) rig.run(Kind::load, Rig::kDb + i * 64);
    rig.run(Kind::store, Rig::kDb + 128);
    // One line is dirty, but the answer covers both, because both end invalid. Snoops overtake the data.
    EXPECT_EQ(rig.run(Kind::load, pair), "20:2 23:6 21:1 24:2 25:0 24:0 22:4");
    rig.run(Kind::load, pair + 64);
    rig.run(Kind::load, pair + 4096);
    rig.run(Kind::load, pair + 8192);
    EXPECT_EQ(rig.run(Kind::load, pair + 12288, true), "20:6 23:14 22:4 24:7 25:2");  // the pair
    rig.run(Kind::load, pair + 16384);
    EXPECT_EQ(rig.run(Kind::load, pair + 20480), "20:2 23:2 22:0 24:2 25:0");
    // A block for Data is answered line by line if the lines differ.
    rig.run(Kind::load, Rig::kDb);
    rig.run(Kind::load, Rig::kDb + 64);
    EXPECT_EQ(rig.run(LocalOperation::read, Rig::kDb), "23:4 22:6");
    EXPECT_EQ(rig.run(LocalOperation::load, Rig::kDb), "23:5 22:5");
  });
}

TEST_F(CxlMemory, a_snoop_that_meets_a_request_under_way_is_a_conflict) {
  MemoryDeviceParameters parameters = quiet();
  parameters.back_invalidate.block_snoops = false;
  Rig rig(parameters);
  run([&] {
    rig.run(Kind::load_shared, Rig::kDb);  // host S
    rig.wires.seen.clear();
    rig.issue(Kind::store, Rig::kDb);  // MemInv on its way
    EXPECT_EQ(rig.issue(Kind::load, Rig::kDb), IssueResult::blocked);
    rig.device->local(LocalOperation::store, Rig::kDb, false);  // BISnpInv on its way
    rig.settle();
    // The device's store comes first. In the end the host gets the device's modified line.
    EXPECT_EQ(rig.wires.sent(), "20:0 23:2 21:4 24:4 22:0 24:3");
    EXPECT_EQ(rig.unblocks, 1U);
    EXPECT_EQ(rig.local_over, 1U);
    EXPECT_EQ(rig.run(Kind::load, Rig::kDb), "");  // the host has it Modified
  });
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

TEST_F(CxlMemory, a_switch_counts_at_each_of_its_ports) {
  Engine engine;
  Link upper("upper", engine, {});
  LinkParameters narrow;
  narrow.lanes[static_cast<unsigned>(MessageClass::m2s_req)].credits = 1;
  Link first("first", engine, narrow);
  Link second("second", engine, {});
  HdmMap host_map;
  host_map.set(0, {.base = 0, .size = 2 * Rig::kGiB});
  HdmMap switch_map;
  switch_map.set(0, {.base = 0, .size = Rig::kGiB, .targets = {0}});
  switch_map.set(1, {.base = Rig::kGiB, .size = Rig::kGiB, .targets = {1}});
  HdmMap maps[2];
  maps[0].set(0, {.base = 0, .size = Rig::kGiB});
  maps[1].set(0, {.base = Rig::kGiB, .size = Rig::kGiB});
  Host host("host", engine, upper, host_map, {});
  Switch the_switch("switch", engine, upper, switch_map, 5'000);
  the_switch.add_downstream(first);
  the_switch.add_downstream(second);
  MemoryDevice device0("device0", engine, first, maps[0], quiet());
  MemoryDevice device1("device1", engine, second, maps[1], quiet());
  struct Client : public OperationClient {
    void completed(std::uint32_t /*user*/, Picoseconds now) override { done.push_back(now); }
    void unblocked(Picoseconds /*now*/) override {}
    std::vector<Picoseconds> done;
  } client;
  EventSink second_decoder;
  the_switch.upstream_probes().probe(MessageClass::m2s_req, m2s_req::mem_inv)->watch(second_decoder, 2);
  run([&] {
    for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{64}, Rig::kGiB})
      host.issue({HostOperationKind::invalidate_none, false, address, 0}, client);
    testing::advance(1'000'000);
    // There and back: 2 * (20 + 5 + 20) + 10 ns. The second one's credit comes back 20 + 10 + 20 ns after the first
    // left. Two leave at an edge, the third at the next.
    EXPECT_EQ(client.done, (std::vector<Picoseconds>{100'000, 100'500, 150'000}));
    const auto count = [](MessageProbes& probes) {
      return probes.probe(MessageClass::m2s_req, m2s_req::mem_inv)->tally() * 10 +
             probes.probe(MessageClass::s2m_ndr, s2m_ndr::cmp)->tally();
    };
    EXPECT_EQ(count(the_switch.upstream_probes()), 33U);
    EXPECT_EQ(count(the_switch.downstream_probes(0)), 22U);
    EXPECT_EQ(count(the_switch.downstream_probes(1)), 11U);
    EXPECT_EQ(count(host.probes()), 33U);
    EXPECT_EQ(second_decoder.value(), 1U);
    // A decoder that leads to a missing port.
    switch_map.set(2, {.base = 2 * Rig::kGiB, .size = Rig::kGiB, .targets = {5}});
    host.issue({HostOperationKind::invalidate_none, false, 2 * Rig::kGiB, 0}, client);
    testing::advance(1'000'000);
    EXPECT_EQ(count(the_switch.downstream_probes(0)), 33U);
    EXPECT_EQ(the_switch.pending() + host.pending() + device0.pending() + device1.pending(), 0U);
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
