// SPDX-License-Identifier: Apache-2.0
// What a design may vary, and what the driver does not use: filters, occupancies, snapshots, combined counters, slow
// and narrow carries, other widths.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/pmu/cycle_condition.h"
#include "models/cmn/pmu/occupancy.h"
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_rig.h"

namespace pmufab::cmn_pmu_design_test {
namespace {

using cmn::Channel;
using cmn::FilterKind;
using cmn::Interface;
using cmn::NodeType;
using testing::advance;
using testing::CmnDriver;
using testing::CmnRig;
using testing::InterruptProbe;
using testing::now;
using testing::xp_event_id;

using CmnPmuDesign = testing::CmnRigTest;

constexpr std::uint64_t kWrap = 65'536;
constexpr unsigned kEast = xp_event_id(1, Interface::east, Channel::req);

TEST_F(CmnPmuDesign, an_occurrence_of_several_classes_passes_each_of_their_filters) {
  EXPECT_TRUE(cmn::passes(FilterKind::occup1, 1, 1U << 1 | 1U << 7));
  EXPECT_TRUE(cmn::passes(FilterKind::occup1, 7, 1U << 1 | 1U << 7));
  EXPECT_FALSE(cmn::passes(FilterKind::occup1, 2, 1U << 1 | 1U << 7));
  EXPECT_TRUE(cmn::passes(FilterKind::snp_vc, 2, 1U << 0));
  EXPECT_FALSE(cmn::passes(FilterKind::snp_vc, 2, 1U << 0, false));
}

TEST_F(CmnPmuDesign, occupancy_is_summed_by_code_over_the_cycles_there_are) {
  cmn::Occupancy queue;
  queue.change(1U << 0 | 1U << 1, 3, 1);   // three reads from cycle 1
  queue.change(1U << 0 | 1U << 2, 2, 11);  // two writes from cycle 11
  // Cycles 1 ... 10 have 3, cycles 11 ... 99 have 5.
  EXPECT_EQ(queue.sum(0, 100), 10U * 3 + 89 * 5);
  EXPECT_EQ(queue.sum(1, 100), 99U * 3);
  EXPECT_EQ(queue.sum(2, 100), 89U * 2);
  EXPECT_EQ(queue.sum(3, 100), 0U);
  queue.change(1U << 0 | 1U << 1, -3, 150);
  queue.change(1U << 0 | 1U << 2, -2, 400);
  EXPECT_EQ(queue.entries(0), 0);
  const std::uint64_t all = queue.sum(0, 400);
  EXPECT_EQ(all, 10U * 3 + 139 * 5 + 250 * 2);
  EXPECT_EQ(queue.sum(0, 1'000'000'000'000), all) << "empty, however long";
}

TEST_F(CmnPmuDesign, wraps_of_an_accumulator_are_counted_while_its_event_is) {
  on(cmn::examples::cmn650_two_dtcs(), [&](CmnRig& rig) {
    const unsigned hnf = rig.source(NodeType::hn_f, 2);
    const unsigned id = rig.layout.nodes()[rig.layout.sources()[hnf].node].node_id;
    cmn::Occupancy queue;
    rig.pmu.add_occupancy(hnf, 0x0f, queue);
    constexpr Picoseconds kEdge = 500;
    const auto wraps = [&] { return 16 * rig.clock.edges_before(now()) / 256; };
    ASSERT_EQ(now() % kEdge, 0U);
    queue.change(1U << 0 | 1U << 1, 16, 0);  // sixteen reads since the beginning
    advance(1'000'000);                      // before the event is opened
    CmnDriver::Event event = rig.driver.open(rig.driver.find(5, id), 0x0f, 1U);
    const std::uint64_t before = wraps();
    advance(1'000'000'000);  // 2,000,000 edges of 16: 125,000 wraps, and one of the local counter
    EXPECT_EQ(rig.driver.read(event), wraps() - before);
    EXPECT_EQ(wraps() - before, 125'000U);
    const std::uint64_t stopped = wraps();
    rig.driver.enable(false);
    advance(1'000'000);
    rig.driver.enable(true);
    const std::uint64_t again = wraps();
    EXPECT_GT(again, stopped);
    advance(100'000);
    EXPECT_EQ(rig.driver.close(event), stopped - before + wraps() - again);
    CmnDriver::Event writes = rig.driver.open(rig.driver.find(5, id), 0x0f, 2U);
    advance(1'000'000);
    EXPECT_EQ(rig.driver.close(writes), 0U);
  });
}

// In this rig nothing happens by itself. Only the PMU follows occupancies.
TEST_F(CmnPmuDesign, an_overflow_by_what_lasts_interrupts_at_its_own_cycle_while_nothing_moves) {
  CmnRig rig(cmn::examples::cmn650_two_dtcs(), {.local_width = 8, .global_width = 8});
  const unsigned hnf = rig.source(NodeType::hn_f, 2);
  const cmn::NodePlace& node = rig.layout.nodes()[rig.layout.sources()[hnf].node];
  InterruptProbe line(rig.pmu.interrupt(rig.topology.crosspoints[node.xp].dtc_domain));
  cmn::Occupancy queue;
  cmn::Level full;
  rig.pmu.add_occupancy(hnf, 0x0f, queue);
  rig.pmu.add_cycles(hnf, 0x05, full);
  run([&] {
    ASSERT_TRUE(rig.probe());
    const auto expect_overflow = [&](unsigned event_id, unsigned filter, auto cycle_of) {
      line.clear();
      advance(123'456);
      const cmn::Cycle begin = rig.clock.edges_before(now());
      CmnDriver::Event event = rig.driver.open(rig.driver.find(5, node.node_id), event_id, filter);
      // The global counter begins at 0, because the driver's 0x8000'0000 is beyond it. Local ones keep their values.
      const std::uint64_t local = rig.cpu.get64(rig.driver.dtms()[event.dtms[0]].base + 0x220) & 0xff;
      const Picoseconds overflow = rig.clock.time_of_edge(cycle_of(begin, 65'536 - local));
      testing::advance_to(overflow + 100'000);
      ASSERT_FALSE(line.changes().empty()) << event_id;
      EXPECT_EQ(line.changes()[0], (InterruptProbe::Change{overflow, true})) << event_id;
      rig.driver.close(event);
      rig.cpu.put32(rig.driver.pmovsr_clear(0), 0x1ff);
      rig.cpu.put32(rig.driver.pmovsr_clear(1), 0x1ff);
    };
    full.set(true, 0);
    expect_overflow(0x05, 0, [](cmn::Cycle begin, std::uint64_t counts) { return begin + counts; });
    // Sixteen entries: a wrap in each sixteenth cycle.
    queue.change(1U << 0 | 1U << 1, 16, 0);
    expect_overflow(0x0f, 1, [](cmn::Cycle begin, std::uint64_t counts) { return (begin / 16 + counts) * 16; });
  });
}

// contract A28
TEST_F(CmnPmuDesign, shadows_change_only_when_a_snapshot_is_asked_for) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    CmnDriver::Event near = rig.driver.open(rig.xp(9), kEast);
    CmnDriver::Event far = rig.driver.open(rig.xp(13), kEast);
    rig.pulse(9, Interface::east, Channel::req, kWrap + 7);
    rig.pulse(13, Interface::east, Channel::req, 5);
    const std::uint64_t near_base = rig.driver.dtms()[near.dtms[0]].base;
    const std::uint64_t far_base = rig.driver.dtms()[far.dtms[0]].base;
    const std::uint64_t dtc = rig.driver.dtcs()[0].select;
    EXPECT_EQ(rig.cpu.get64(near_base + 0x240), 0U);
    EXPECT_EQ(rig.cpu.get64(dtc + 0x50), 0U);
    EXPECT_EQ(rig.cpu.get32(dtc + 0x128), 0U);
    rig.cpu.put32(dtc + 0x130, 0);
    EXPECT_EQ(rig.cpu.get32(dtc + 0x128), 0U);
    rig.cpu.put32(dtc + 0x130, 1);
    EXPECT_EQ(rig.cpu.get32(dtc + 0x130), 0U);
    EXPECT_EQ(rig.cpu.get32(dtc + 0x128), 0x1ffU);
    EXPECT_EQ(rig.cpu.get64(near_base + 0x240), 7U);
    EXPECT_EQ(rig.cpu.get64(far_base + 0x240), 0U);  // no snapshot was requested in the other domain
    EXPECT_EQ(rig.cpu.get32(dtc + 0x50), 0x8000'0001U);
    rig.pulse(9, Interface::east, Channel::req, 1);
    EXPECT_EQ(rig.cpu.get64(near_base + 0x240), 7U);
    EXPECT_EQ(rig.cpu.get64(near_base + 0x220), 8U);  // and live counters continued
    // With the clear bits, live counters start from zero.
    rig.cpu.put32(near_base + 0x210, rig.cpu.get32(near_base + 0x210) | 1U << 8);
    rig.cpu.put32(rig.driver.pmcr(0), 0x61);
    rig.cpu.put32(dtc + 0x130, 1);
    EXPECT_EQ(rig.cpu.get64(near_base + 0x240), 8U);
    EXPECT_EQ(rig.cpu.get64(near_base + 0x220), 0U);
    EXPECT_EQ(rig.cpu.get32(dtc + 0x00), 0U);
  });
}

TEST_F(CmnPmuDesign, combined_local_counters_chain) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    rig.driver.enable(true);
    const CmnDriver::Node& xp = rig.driver.nodes()[rig.xp(9)[0]];
    const std::uint64_t base = rig.driver.dtms()[xp.dtm].base;
    rig.cpu.put64(xp.select, 0x0001'0001'0001'0001ULL * kEast);
    const std::uint64_t inputs = 0x0706'0504ULL << 32;
    const auto count = [&](std::uint64_t mode, std::uint64_t start, std::uint64_t flits) {
      rig.cpu.put64(base + 0x210, inputs | mode | 1);
      rig.cpu.put64(base + 0x220, start);
      rig.pulse(9, Interface::east, Channel::req, flits);
      return rig.cpu.get64(base + 0x220);
    };
    EXPECT_EQ(count(0, 0, 3), 0x0003'0003'0003'0003U);
    EXPECT_EQ(count(1U << 1, 0xfffe, 3), 0x0003'0003'0001'0001U);  // counters 0 and 1 are one
    EXPECT_EQ(count(1U << 2, 0xfffe'0000'0000, 3), 0x0001'0001'0003'0003U);
    EXPECT_EQ(count(1U << 3, 0x0000'ffff'ffff'fffe, 3), 0x0001'0000'0000'0001U);
    // The pair's wrap leaves through its upper half, paired or not.
    rig.cpu.put32(rig.driver.pmevcnt(0, 2), 0);
    EXPECT_EQ(count(1U << 1 | 1U << 5 | 2U << 20, 0xffff'ffff, 1), 0x0001'0001'0000'0000U);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmevcnt(0, 2)), 1U);
  });
}

TEST_F(CmnPmuDesign, joined_global_counters_overflow_as_one) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    CmnDriver::Event event = rig.driver.open(rig.xp(9), kEast);
    rig.cpu.put32(rig.driver.pmcr(0), 0x43);  // A and B
    rig.cpu.put64(rig.driver.pmevcnt(0, 0), 0xffff'ffff);
    rig.pulse(9, Interface::east, Channel::req, kWrap);
    EXPECT_EQ(rig.cpu.get64(rig.driver.pmevcnt(0, 0)), 0x1'0000'0000U);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 0U);
    rig.cpu.put64(rig.driver.pmevcnt(0, 0), ~0ULL);
    rig.pulse(9, Interface::east, Channel::req, kWrap);
    EXPECT_EQ(rig.cpu.get64(rig.driver.pmevcnt(0, 0)), 0U);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 0b10U);
  });
}

TEST_F(CmnPmuDesign, narrower_local_counters_wrap_and_carry_earlier) {
  on(cmn::examples::cmn700_server(), {.local_width = 8, .global_width = 16}, [&](CmnRig& rig) {
    CmnDriver::Event event = rig.driver.open(rig.xp(9), kEast);
    rig.cpu.put32(rig.driver.pmevcnt(0, 0), 0xffff);
    rig.pulse(9, Interface::east, Channel::req, 513);
    EXPECT_EQ(rig.cpu.get64(rig.driver.dtms()[event.dtms[0]].base + 0x220) & 0xffff, 1U);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmevcnt(0, 0)), 1U);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 1U);
  });
}

TEST_F(CmnPmuDesign, a_carry_arrives_after_the_latency_of_its_wires) {
  on(cmn::examples::cmn700_server(), {.carry = {.latency = 5'000}}, [&](CmnRig& rig) {
    CmnDriver::Event event = rig.driver.open(rig.xp(9), kEast);
    rig.pulse(9, Interface::east, Channel::req, kWrap);
    EXPECT_EQ(rig.driver.read(event), 0U);  // the local counter has wrapped, the carry is under way
    advance(4'999);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmevcnt(0, 0)), 0x8000'0000U);
    advance(1);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmevcnt(0, 0)), 0x8000'0001U);
    EXPECT_EQ(rig.driver.close(event), kWrap);
  });
}

TEST_F(CmnPmuDesign, a_narrow_way_into_a_dtc_delays_carries_and_a_full_queue_loses_them) {
  // 64 XPs wrap in one cycle, 32 of them in each domain.
  on(cmn::examples::cmn700_server(), {.carry = {.per_cycle = 2, .queue_room = 20}}, [&](CmnRig& rig) {
    CmnDriver::Event event = rig.driver.open(rig.driver.find(CmnDriver::kXp), kEast);
    testing::advance_to(rig.clock.time_of_edge(1'000));
    std::vector<cmn::MeshPulse> cycle;
    for (std::uint8_t xp = 0; xp < 64; ++xp)
      cycle.push_back({0, xp, Interface::east, Channel::req, cmn::FlitEvent::valid});
    for (std::uint64_t i = 0; i < kWrap; ++i) rig.pmu.pulses(cycle, now());
    // Two pass at once, twenty wait, ten are lost.
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmevcnt(0, 0)), 0x8000'0002U);
    EXPECT_EQ(rig.pmu.lost_carries(0), 10U);
    EXPECT_EQ(rig.pmu.lost_carries(1), 10U);
    EXPECT_EQ(rig.pmu.carry_path(0).longest_queue(), 20U);
    testing::advance_to(rig.clock.time_of_edge(1'009));
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmevcnt(0, 0)), 0x8000'0000U + 20);
    testing::advance_to(rig.clock.time_of_edge(1'010));
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmevcnt(0, 0)), 0x8000'0000U + 22);
    EXPECT_EQ(rig.driver.close(event), 44 * kWrap);
  });
}

TEST_F(CmnPmuDesign, who_moves_flits_is_told_what_is_watched) {
  CmnRig rig(cmn::examples::cmn700_server());
  struct Change {
    unsigned xp;
    Interface interface;
    Channel channel;
    cmn::FlitEvent event;
    bool on;
    bool operator==(const Change&) const = default;
  };
  std::vector<Change> changes;
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event before = rig.driver.open(rig.xp(9), kEast);
    rig.pmu.on_watch([&](unsigned xp, Interface interface, Channel channel, cmn::FlitEvent event, bool on) {
      changes.push_back({xp, interface, channel, event, on});
    });
    const Change east{9, Interface::east, Channel::req, cmn::FlitEvent::valid, true};
    const Change east_off{9, Interface::east, Channel::req, cmn::FlitEvent::valid, false};
    EXPECT_EQ(changes, (std::vector<Change>{east}));
    changes.clear();
    rig.driver.enable(false);
    EXPECT_EQ(changes, (std::vector<Change>{east_off}));
    rig.driver.enable(true);
    CmnDriver::Event twice = rig.driver.open(rig.xp(9), kEast);
    changes.clear();
    rig.driver.close(twice);  // it switches everything off and on, and one of the two continues
    EXPECT_EQ(changes, (std::vector<Change>{east_off, east}));
    changes.clear();
    rig.driver.close(before);
    EXPECT_EQ(changes, (std::vector<Change>{east_off}));
  });
}

TEST_F(CmnPmuDesign, who_moves_flits_is_told_of_ports_whose_downloads_a_watchpoint_sees) {
  CmnRig rig(cmn::examples::cmn700_server());
  std::vector<std::pair<Interface, bool>> changes;
  run([&] {
    ASSERT_TRUE(rig.probe());
    rig.pmu.on_watch([&](unsigned xp, Interface interface, Channel channel, cmn::FlitEvent event, bool on) {
      EXPECT_EQ(xp, 0U);
      EXPECT_EQ(channel, Channel::req);
      EXPECT_EQ(event, cmn::FlitEvent::valid);
      changes.emplace_back(interface, on);
    });
    EXPECT_TRUE(changes.empty());
    CmnDriver::Event up = rig.driver.open(rig.xp(0), CmnDriver::Watch{.port = 1});
    EXPECT_TRUE(changes.empty()) << "whoever uploads asks for himself";
    constexpr unsigned kPort1 = 1 | 5 << 2;
    CmnDriver::Event down = rig.driver.open(rig.xp(0), CmnDriver::Watch{.down = true, .port = 1});
    CmnDriver::Event count = rig.driver.open(rig.xp(0), kPort1);
    ASSERT_FALSE(changes.empty());
    EXPECT_EQ(changes.back(), std::pair(Interface::port1, true));
    rig.driver.close(down);
    EXPECT_EQ(changes.back(), std::pair(Interface::port1, true)) << "the counter still wants it";
    rig.driver.close(count);
    EXPECT_EQ(changes.back(), std::pair(Interface::port1, false));
    changes.clear();
    rig.driver.close(up);
    EXPECT_TRUE(changes.empty());
  });
}

TEST_F(CmnPmuDesign, a_watchpoint_at_a_port_no_crosspoint_has_sees_nothing) {
  on(cmn::examples::ci700_small(), [&](CmnRig& rig) {
    rig.pmu.on_watch([](unsigned, Interface, Channel, cmn::FlitEvent, bool) { ADD_FAILURE() << "nothing to watch"; });
    CmnDriver::Event event = rig.driver.open(rig.xp(0), CmnDriver::Watch{.down = true, .port = 7, .channel = 3});
    for (unsigned port = 0; port < cmn::kMaximumPorts; ++port) {
      for (unsigned channel = 0; channel < cmn::kChannels; ++channel)
        EXPECT_FALSE(rig.pmu.watches(0, port, cmn::FlitDirection::download, static_cast<Channel>(channel)));
    }
    EXPECT_EQ(rig.driver.close(event), 0U);
  });
}

TEST_F(CmnPmuDesign, reset_makes_everything_as_new) {
  on(cmn::examples::s3_small(3), [&](CmnRig& rig) {
    CmnDriver::Event event = rig.driver.open(rig.xp(1), kEast);
    rig.driver.start_cycles(0);
    rig.cpu.put32(rig.driver.pmevcnt(0, 0), 0xffff'ffff);
    rig.pulse(1, Interface::east, Channel::req, kWrap + 3);
    advance(1'000);
    ASSERT_TRUE(rig.pmu.interrupt(0).is_high());
    rig.pmu.reset();
    EXPECT_FALSE(rig.pmu.interrupt(0).is_high());
    EXPECT_FALSE(rig.pmu.watches(1, Interface::east, Channel::req, cmn::FlitEvent::valid));
    EXPECT_EQ(rig.cpu.get64(rig.driver.dtms()[event.dtms[0]].base + 0x210), 0U);
    EXPECT_EQ(rig.cpu.get64(rig.driver.dtms()[event.dtms[0]].base + 0x220), 0U);
    EXPECT_EQ(rig.cpu.get64(rig.driver.pmccntr(0)), 0U);
    EXPECT_EQ(rig.cpu.get64(rig.driver.pmevcnt(0, 0)), 0U);
    EXPECT_EQ(rig.cpu.get64(rig.driver.pmovsr(0)), 0U);
    CmnDriver again(rig.cpu);
    ASSERT_TRUE(again.probe(0));
    CmnDriver::Event next = again.open(again.find(CmnDriver::kXp), kEast);
    rig.pulse(1, Interface::east, Channel::req, 9);
    EXPECT_EQ(again.close(next), 9U);
  });
}

TEST_F(CmnPmuDesign, parameters_out_of_range_are_refused) {
  cmn::Topology topology = cmn::examples::cmn600_small();
  const cmn::Layout layout(topology);
  const ClockDomain clock("clk", 1'000'000'000);
  cmn::ConfigSpace space("space", "cmn0", topology, layout);
  EXPECT_THROW(cmn::Pmu("cmn0", topology, layout, space, clock, {.local_width = 17}), std::invalid_argument);
  EXPECT_THROW(cmn::Pmu("cmn0", topology, layout, space, clock, {.global_width = 7}), std::invalid_argument);
  EXPECT_THROW(cmn::Pmu("cmn0", topology, layout, space, clock, {.cycle_width = 41}), std::invalid_argument);
}

}  // namespace
}  // namespace pmufab::cmn_pmu_design_test
