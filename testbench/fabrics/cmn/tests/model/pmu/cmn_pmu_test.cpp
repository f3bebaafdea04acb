// SPDX-License-Identifier: Apache-2.0
// Counting: from events of XPs and nodes through local counters, carries and global counters to a driver's reading.

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/model/pmu/cmn_rig.h"

namespace pmufab::cmn_pmu_test {
namespace {

using cmn::Channel;
using cmn::FlitEvent;
using cmn::Interface;
using cmn::NodeType;
using testing::advance;
using testing::CmnDriver;
using testing::CmnRig;
using testing::InterruptProbe;
using testing::now;
using testing::xp_event_id;

using CmnPmu = testing::CmnRigTest;

constexpr std::uint64_t kWrap = 65'536;

TEST_F(CmnPmu, a_single_xp_numbers_its_ports_from_zero) {
  on(cmn::examples::cmn700_single_xp(), [&](CmnRig& rig) {
    CmnDriver::Event event = rig.driver.open(rig.xp(0), 1U | 5U << 2 | 3U << 5);
    rig.pulse(0, Interface::port5, Channel::dat, 7);
    rig.pulse(0, Interface::port1, Channel::dat, 100);
    EXPECT_EQ(rig.driver.close(event), 7U);
  });
}

// contract A36
TEST_F(CmnPmu, what_a_local_counter_holds_at_the_start_does_not_count) {
  on(cmn::examples::cmn600_small(), [&](CmnRig& rig) {
    for (unsigned turn = 0; turn < 5; ++turn) {
      CmnDriver::Event event = rig.driver.open(rig.xp(2), xp_event_id(1, Interface::east, Channel::req));
      rig.pulse(2, Interface::east, Channel::req, 40'000);
      EXPECT_EQ(rig.driver.close(event), 40'000U);
    }
  });
}

TEST_F(CmnPmu, counting_needs_dtm_dtc0_and_the_domains_dtc) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    CmnDriver::Event near = rig.driver.open(rig.xp(9), xp_event_id(1, Interface::east, Channel::req));
    CmnDriver::Event far = rig.driver.open(rig.xp(13), xp_event_id(1, Interface::east, Channel::req));
    std::uint64_t expected_near = 0;
    std::uint64_t expected_far = 0;
    const auto expect_counting = [&](bool near_counts, bool far_counts) {
      rig.pulse(9, Interface::east, Channel::req, 10);
      rig.pulse(13, Interface::east, Channel::req, 10);
      expected_near += near_counts ? 10 : 0;
      expected_far += far_counts ? 10 : 0;
      EXPECT_EQ(rig.driver.read(near), expected_near);
      EXPECT_EQ(rig.driver.read(far), expected_far);
      EXPECT_EQ(rig.pmu.watches(9, Interface::east, Channel::req, FlitEvent::valid), near_counts);
      EXPECT_EQ(rig.pmu.watches(13, Interface::east, Channel::req, FlitEvent::valid), far_counts);
    };
    expect_counting(true, true);
    rig.cpu.put32(rig.driver.pmcr(0), 0);
    expect_counting(false, false);
    rig.cpu.put32(rig.driver.pmcr(0), 0x41);
    rig.cpu.put32(rig.driver.pmcr(1), 0);
    expect_counting(true, false);
    rig.cpu.put32(rig.driver.pmcr(1), 0x41);
    rig.cpu.put32(rig.driver.dtc_ctl(1), 0);
    expect_counting(true, false);
    rig.cpu.put32(rig.driver.dtc_ctl(1), 1);
    rig.cpu.put32(rig.driver.dtc_ctl(0), 0);  // as the driver does when it is removed
    expect_counting(false, false);
    rig.cpu.put32(rig.driver.dtc_ctl(0), 1);
    expect_counting(true, true);
    const std::uint64_t config = rig.driver.dtms()[near.dtms[0]].base + 0x210;
    rig.cpu.put32(config, rig.cpu.get32(config) & ~1U);
    expect_counting(false, true);
  });
}

// contract A29
TEST_F(CmnPmu, dtm_control_has_no_influence) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    CmnDriver::Event event = rig.driver.open(rig.xp(9), xp_event_id(1, Interface::east, Channel::req));
    const std::uint64_t control = rig.driver.dtms()[event.dtms[0]].base + 0x100;
    rig.pulse(9, Interface::east, Channel::req, 1);
    rig.cpu.put64(control, 0xf);
    rig.pulse(9, Interface::east, Channel::req, 2);
    rig.cpu.put64(control, 0);
    rig.pulse(9, Interface::east, Channel::req, 4);
    EXPECT_EQ(rig.driver.close(event), 7U);
  });
}

TEST_F(CmnPmu, nodes_at_one_position_share_its_signals) {
  on(cmn::examples::cmn600_small(), [&](CmnRig& rig) {
    const unsigned dn = rig.source(NodeType::dvm);
    const unsigned hni = rig.source(NodeType::hn_i);
    CmnDriver::Event dvm = rig.driver.open(rig.driver.find(1), 0x1);
    CmnDriver::Event home = rig.driver.open(rig.driver.find(4), 0x20);
    rig.pmu.node_event(dn, 0x1, cmn::kEveryClass, 3, now());
    rig.pmu.node_event(hni, 0x20, cmn::kEveryClass, 5, now());
    rig.pmu.node_event(hni, 0x1, cmn::kEveryClass, 100, now());  // not selected there
    EXPECT_EQ(rig.driver.read(dvm), 3U);
    EXPECT_EQ(rig.driver.read(home), 5U);
    // Both are in one slot, and the signal is the sum.
    rig.cpu.put32(rig.driver.nodes()[home.nodes[0]].select, 0x2020);
    rig.pmu.node_event(hni, 0x20, cmn::kEveryClass, 7, now());
    EXPECT_EQ(rig.driver.read(dvm), 10U);
    EXPECT_EQ(rig.driver.read(home), 12U);
  });
}

TEST_F(CmnPmu, inputs_without_a_wire_count_nothing) {
  on(cmn::examples::s3_small(1), [&](CmnRig& rig) {
    rig.driver.enable(true);
    const std::uint64_t base = rig.driver.dtms()[rig.layout.first_dtm(0)].base;
    // Reserved, an absent device, another DTM's port, and beyond the last port.
    for (const std::uint64_t input : {0x08, 0x0f, 0x1c, 0x30, 0x60, 0x70, 0xff}) {
      rig.cpu.put64(base + 0x210, input * 0x0101'0101'0000'0000 | 1);
      for (unsigned source = 0; source < rig.layout.sources().size(); ++source) {
        for (unsigned id = 1; id < 64; ++id) rig.pmu.node_event(source, id, cmn::kEveryClass, 1, now());
      }
      rig.pulse(0, Interface::east, Channel::req, 10);
      EXPECT_EQ(rig.cpu.get64(base + 0x220), 0U) << input;
    }
  });
}

// contract A61
TEST_F(CmnPmu, a_global_overflow_sets_status_and_raises_the_level_until_cleared) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    InterruptProbe line0(rig.pmu.interrupt(0));
    InterruptProbe line1(rig.pmu.interrupt(1));
    std::vector<CmnDriver::Event> events;
    for (const Interface interface : {Interface::east, Interface::west, Interface::north}) {
      events.push_back(rig.driver.open(rig.xp(13), xp_event_id(1, interface, Channel::req)));
    }
    rig.cpu.put32(rig.driver.pmevcnt(1, 0), 0xffff'ffff);
    rig.cpu.put32(rig.driver.pmevcnt(1, 2), 0xffff'ffff);
    rig.pulse(13, Interface::east, Channel::req, 2 * kWrap);
    rig.pulse(13, Interface::west, Channel::req, 2 * kWrap);
    rig.pulse(13, Interface::north, Channel::req, kWrap);
    advance(1);
    EXPECT_TRUE(line1.is_high());
    EXPECT_FALSE(line0.is_high());
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(1)), 0b101U);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmevcnt(1, 0)), 1U);  // keeps counting
    rig.cpu.put32(rig.driver.pmovsr_clear(1), 0b001);
    EXPECT_TRUE(line1.is_high());
    rig.cpu.put32(rig.driver.pmovsr_clear(1), 0b100);
    EXPECT_FALSE(line1.is_high());
    EXPECT_EQ(line1.changes().size(), 2U);
  });
}

TEST_F(CmnPmu, the_interrupt_follows_its_enable_bit) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    InterruptProbe line(rig.pmu.interrupt(0));
    CmnDriver::Event event = rig.driver.open(rig.xp(9), xp_event_id(1, Interface::east, Channel::req));
    rig.cpu.put32(rig.driver.pmevcnt(0, 0), 0xffff'ffff);
    rig.pulse(9, Interface::east, Channel::req, kWrap);
    advance(1);
    EXPECT_TRUE(line.is_high());
    rig.driver.enable(false);
    EXPECT_FALSE(line.is_high());
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 1U);
    rig.driver.enable(true);
    EXPECT_TRUE(line.is_high());
    rig.driver.close(event);
  });
}

// contract A68
TEST_F(CmnPmu, an_overflow_in_the_instant_of_its_clearing_stays) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    CmnDriver::Event event = rig.driver.open(rig.xp(9), xp_event_id(1, Interface::east, Channel::req));
    rig.cpu.put32(rig.driver.pmevcnt(0, 0), 0xffff'ffff);
    rig.pulse(9, Interface::east, Channel::req, kWrap);
    rig.cpu.put32(rig.driver.pmovsr_clear(0), 0x1ff);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 1U);
    advance(1);
    rig.cpu.put32(rig.driver.pmovsr_clear(0), 0x1ff);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 0U);
    // The cycle counter: its wrap is visible one picosecond after the edge. The clear comes in that instant.
    rig.driver.start_cycles(0);
    rig.cpu.put64(rig.driver.pmccntr(0), (1ULL << 40) - 10);
    const Picoseconds wrap = rig.clock.time_of_edge(rig.clock.edges_before(now()) + 9) + 1;
    testing::advance_to(wrap);
    rig.cpu.put32(rig.driver.pmovsr_clear(0), 0x100);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 0x100U);
    advance(1);
    rig.cpu.put32(rig.driver.pmovsr_clear(0), 0x100);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 0U);
    rig.driver.close(event);
  });
}

// contract A73
TEST_F(CmnPmu, with_dtc0_off_no_interrupt_follows) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    InterruptProbe line(rig.pmu.interrupt(0));
    CmnDriver::Event event = rig.driver.open(rig.xp(9), xp_event_id(1, Interface::east, Channel::req));
    rig.driver.start_cycles(0);
    rig.cpu.put32(rig.driver.pmevcnt(0, 0), 0xffff'ffff);
    rig.cpu.put64(rig.driver.pmccntr(0), (1ULL << 40) - 100);
    rig.cpu.put32(rig.driver.dtc_ctl(0), 0);
    rig.pulse(9, Interface::east, Channel::req, 3 * kWrap);
    advance(1'000'000);
    EXPECT_FALSE(line.is_high());
    EXPECT_TRUE(line.changes().empty());
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 0U);
  });
}

TEST_F(CmnPmu, cycles_are_the_clock_edges_of_the_window_and_need_the_clock_not_gated) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    InterruptProbe line(rig.pmu.interrupt(0));
    rig.driver.enable(true);
    rig.cpu.put64(rig.driver.pmccntr(0), 5);
    advance(1'000'000);
    EXPECT_EQ(rig.cpu.get64(rig.driver.pmccntr(0)), 5U);  // cg_disable is 0
    const Picoseconds begin = now();
    rig.driver.start_cycles(0);
    advance(123'457);
    const std::uint64_t expected = rig.clock.edges_before(now()) - rig.clock.edges_before(begin);
    EXPECT_EQ(rig.driver.stop_cycles(0), expected);
    advance(1'000);
    EXPECT_EQ(rig.driver.read_cycles(0), 0U);
    // Overflow sets status bit 8 and the interrupt, one picosecond after the edge.
    rig.driver.start_cycles(0);
    rig.cpu.put64(rig.driver.pmccntr(0), (1ULL << 40) - 3);
    const Picoseconds wrap = rig.clock.time_of_edge(rig.clock.edges_before(now()) + 2) + 1;
    advance(10'000);
    ASSERT_EQ(line.changes().size(), 1U);
    EXPECT_EQ(line.changes()[0].when, wrap);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 0x100U);
  });
}

}  // namespace
}  // namespace pmufab::cmn_pmu_test
