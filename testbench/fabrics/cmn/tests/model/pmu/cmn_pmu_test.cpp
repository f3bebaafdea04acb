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

using CmnPmu = testing::SimulationTest;

constexpr std::uint64_t kWrap = 65'536;

TEST_F(CmnPmu, counts_flits_of_one_xp_and_of_no_other) {
  CmnRig rig(cmn::examples::cmn700_server());
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event event = rig.driver.open(rig.xp(9), xp_event_id(1, Interface::east, Channel::req));
    rig.pulse(9, Interface::east, Channel::req, 100);
    rig.pulse(10, Interface::east, Channel::req, 1000);                   // another XP
    rig.pulse(9, Interface::west, Channel::req, 1000);                    // another interface
    rig.pulse(9, Interface::east, Channel::dat, 1000);                    // another channel
    rig.pulse(9, Interface::east, Channel::req, 1000, FlitEvent::stall);  // another event
    EXPECT_EQ(rig.driver.read(event), 100U);
    rig.pulse(9, Interface::east, Channel::req, 11);
    EXPECT_EQ(rig.driver.close(event), 111U);
    rig.pulse(9, Interface::east, Channel::req, 5);
    EXPECT_EQ(rig.driver.read(event), 111U);
  });
}

TEST_F(CmnPmu, every_interface_channel_and_event_has_its_id) {
  CmnRig rig(cmn::examples::s3_small(3));
  run([&] {
    ASSERT_TRUE(rig.probe());
    for (unsigned interface = 0; interface < 8; ++interface) {
      for (unsigned channel = 0; channel < 9; ++channel) {
        for (unsigned id = 1; id <= 2; ++id) {
          const auto i = static_cast<Interface>(interface);
          const auto c = static_cast<Channel>(channel);
          CmnDriver::Event event = rig.driver.open(rig.xp(3), id | interface << 2 | channel << 5);
          rig.pulse(3, i, c, 3, id == 1 ? FlitEvent::valid : FlitEvent::stall);
          rig.pulse(3, i, c, 5, id == 1 ? FlitEvent::stall : FlitEvent::valid);
          EXPECT_EQ(rig.driver.close(event), 3U) << interface << " " << channel << " " << id;
        }
      }
    }
    // Ports 4 and 5 have no code.
    CmnDriver::Event event = rig.driver.open(rig.xp(3), xp_event_id(1, Interface::east, Channel::rsp));
    rig.pulse(3, Interface::port4, Channel::req, 9);
    rig.pmu.xp_event(3, 3U | 5U << 2 | 3U << 5, 4, now());
    EXPECT_EQ(rig.driver.close(event), 0U);
  });
}

TEST_F(CmnPmu, a_single_xp_numbers_its_ports_from_zero) {
  CmnRig rig(cmn::examples::cmn700_single_xp());
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event event = rig.driver.open(rig.xp(0), 1U | 5U << 2 | 3U << 5);
    rig.pulse(0, Interface::port5, Channel::dat, 7);
    rig.pulse(0, Interface::port1, Channel::dat, 100);
    EXPECT_EQ(rig.driver.close(event), 7U);
  });
}

// contract A35
TEST_F(CmnPmu, wraps_of_a_local_counter_carry_and_totals_are_exact) {
  CmnRig rig(cmn::examples::cmn700_server());
  run([&] {
    ASSERT_TRUE(rig.probe());
    for (const std::uint64_t total : {kWrap - 1, kWrap, kWrap + 1, 2 * kWrap}) {
      for (const unsigned xp : {9U, 13U}) {  // one in each domain
        CmnDriver::Event event = rig.driver.open(rig.xp(xp), xp_event_id(1, Interface::north, Channel::rsp));
        rig.pulse(xp, Interface::north, Channel::rsp, total);
        EXPECT_EQ(rig.driver.read(event), total);
        EXPECT_EQ(rig.driver.close(event), total);
      }
    }
  });
}

// contract A36
TEST_F(CmnPmu, what_a_local_counter_holds_at_the_start_does_not_count) {
  CmnRig rig(cmn::examples::cmn600_small());
  run([&] {
    ASSERT_TRUE(rig.probe());
    for (unsigned turn = 0; turn < 5; ++turn) {
      CmnDriver::Event event = rig.driver.open(rig.xp(2), xp_event_id(1, Interface::east, Channel::req));
      rig.pulse(2, Interface::east, Channel::req, 40'000);
      EXPECT_EQ(rig.driver.close(event), 40'000U);
    }
  });
}

// contract A37
TEST_F(CmnPmu, several_dtms_that_wrap_in_one_cycle_each_carry) {
  CmnRig rig(cmn::examples::cmn700_server());
  run([&] {
    ASSERT_TRUE(rig.probe());
    const std::vector<unsigned> all = rig.driver.find(CmnDriver::kXp);
    CmnDriver::Event event = rig.driver.open(all, xp_event_id(1, Interface::south, Channel::dat));
    std::vector<cmn::MeshPulse> cycle;
    for (unsigned xp = 0; xp < 64; ++xp) {
      cycle.push_back({0, static_cast<std::uint8_t>(xp), Interface::south, Channel::dat, FlitEvent::valid});
    }
    for (std::uint64_t i = 0; i < kWrap; ++i) rig.pmu.pulses(cycle, now());
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmevcnt(0, 0)), 0x8000'0000U + 32);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmevcnt(1, 0)), 0x8000'0000U + 32);
    EXPECT_EQ(rig.driver.close(event), 64 * kWrap);
  });
}

TEST_F(CmnPmu, cmn600_counts_in_the_domain_each_xp_is_wired_to) {
  CmnRig rig(cmn::examples::cmn600_two_dtcs());
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event event =
        rig.driver.open(rig.driver.find(CmnDriver::kXp), xp_event_id(1, Interface::west, Channel::snp));
    rig.pulse(1, Interface::west, Channel::snp, kWrap + 1);
    rig.pulse(14, Interface::west, Channel::snp, 3 * kWrap + 2);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmevcnt(0, 0)), 0x8000'0001U);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmevcnt(1, 0)), 0x8000'0003U);
    EXPECT_EQ(rig.driver.close(event), 4 * kWrap + 3);
  });
}

TEST_F(CmnPmu, four_events_of_one_dtm_count_apart) {
  CmnRig rig(cmn::examples::cmn650_two_dtcs());
  run([&] {
    ASSERT_TRUE(rig.probe());
    std::vector<CmnDriver::Event> events;
    const std::array<Interface, 4> interfaces{Interface::east, Interface::west, Interface::north, Interface::south};
    for (const Interface interface : interfaces) {
      events.push_back(rig.driver.open(rig.xp(6), xp_event_id(2, interface, Channel::dat2)));
    }
    for (unsigned i = 0; i < 4; ++i) rig.pulse(6, interfaces[i], Channel::dat2, 70'000 + i, FlitEvent::stall);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(rig.driver.close(events[i]), 70'000 + i);
  });
}

TEST_F(CmnPmu, counting_needs_dtm_dtc0_and_the_domains_dtc) {
  CmnRig rig(cmn::examples::cmn700_server());
  run([&] {
    ASSERT_TRUE(rig.probe());
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
  CmnRig rig(cmn::examples::cmn700_server());
  run([&] {
    ASSERT_TRUE(rig.probe());
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

TEST_F(CmnPmu, node_events_count_at_the_position_of_their_device) {
  CmnRig rig(cmn::examples::cmn650_two_dtcs());  // HN-F behind CALs: two devices on one port
  run([&] {
    ASSERT_TRUE(rig.probe());
    const unsigned first = rig.source(NodeType::hn_f, 0);
    const unsigned second = rig.source(NodeType::hn_f, 1);
    ASSERT_EQ(rig.layout.nodes()[rig.layout.sources()[first].node].xp,
              rig.layout.nodes()[rig.layout.sources()[second].node].xp);
    const auto id_of = [&](unsigned source) { return rig.layout.nodes()[rig.layout.sources()[source].node].node_id; };
    CmnDriver::Event one = rig.driver.open(rig.driver.find(5, id_of(first)), 0x1);
    CmnDriver::Event two = rig.driver.open(rig.driver.find(5, id_of(second)), 0x1);
    CmnDriver::Event other = rig.driver.open(rig.driver.find(5, id_of(second)), 0x2);
    rig.pmu.node_event(first, 0x1, cmn::kEveryClass, 70'000, now());
    rig.pmu.node_event(second, 0x1, cmn::kEveryClass, 5, now());
    rig.pmu.node_event(second, 0x2, cmn::kEveryClass, 9, now());
    rig.pmu.node_event(second, 0x3, cmn::kEveryClass, 100, now());
    EXPECT_EQ(rig.driver.close(one), 70'000U);
    EXPECT_EQ(rig.driver.close(two), 5U);
    EXPECT_EQ(rig.driver.close(other), 9U);
  });
}

TEST_F(CmnPmu, nodes_at_one_position_share_its_signals) {
  CmnRig rig(cmn::examples::cmn600_small());
  run([&] {
    ASSERT_TRUE(rig.probe());
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

TEST_F(CmnPmu, second_event_sets_are_apart_from_the_first) {
  CmnRig rig(cmn::examples::s3_small(1));
  run([&] {
    ASSERT_TRUE(rig.probe());
    const unsigned hnp = rig.source(NodeType::hn_p);
    const unsigned hni = hnp - 1;
    ASSERT_EQ(rig.layout.sources()[hni].node, rig.layout.sources()[hnp].node);
    const unsigned id = rig.layout.nodes()[rig.layout.sources()[hnp].node].node_id;
    CmnDriver::Event second = rig.driver.open(rig.driver.find(0x11, id), 0x3);
    CmnDriver::Event first = rig.driver.open(rig.driver.find(0x4, id), 0x3);
    rig.pmu.node_event(hnp, 0x3, cmn::kEveryClass, 11, now());
    rig.pmu.node_event(hni, 0x3, cmn::kEveryClass, 22, now());
    EXPECT_EQ(rig.driver.close(second), 11U);
    EXPECT_EQ(rig.driver.close(first), 22U);
    const unsigned ccla = rig.source(NodeType::ccla);
    const unsigned ccla_id = rig.layout.nodes()[rig.layout.sources()[ccla].node].node_id;
    CmnDriver::Event link = rig.driver.open(rig.driver.find(0x105, ccla_id), 0x2b);
    rig.pmu.node_event(ccla, 0x2b, cmn::kEveryClass, 33, now());
    EXPECT_EQ(rig.driver.close(link), 33U);
  });
}

TEST_F(CmnPmu, with_several_dtms_each_counts_its_own_two_ports) {
  CmnRig rig(cmn::examples::s3_small(1));
  run([&] {
    ASSERT_TRUE(rig.probe());
    // XP 3: CCG, SN-F | CCG, RN-D: two DTMs.
    const unsigned rnd = rig.source(NodeType::rn_d, 1);
    const unsigned rnd_id = rig.layout.nodes()[rig.layout.sources()[rnd].node].node_id;
    ASSERT_EQ(rig.layout.nodes()[rig.layout.sources()[rnd].node].port, 3);
    CmnDriver::Event event = rig.driver.open(rig.driver.find(0xa, rnd_id), 0x5);
    EXPECT_EQ(event.dtms[0], rig.layout.first_dtm(3) + 1);
    rig.pmu.node_event(rnd, 0x5, cmn::kEveryClass, 123'456, now());
    EXPECT_EQ(rig.driver.close(event), 123'456U);
  });
}

TEST_F(CmnPmu, inputs_without_a_wire_count_nothing) {
  CmnRig rig(cmn::examples::s3_small(1));
  run([&] {
    ASSERT_TRUE(rig.probe());
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
  CmnRig rig(cmn::examples::cmn700_server());
  InterruptProbe line0(rig.pmu.interrupt(0));
  InterruptProbe line1(rig.pmu.interrupt(1));
  run([&] {
    ASSERT_TRUE(rig.probe());
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
  CmnRig rig(cmn::examples::cmn700_server());
  InterruptProbe line(rig.pmu.interrupt(0));
  run([&] {
    ASSERT_TRUE(rig.probe());
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
  CmnRig rig(cmn::examples::cmn700_server());
  run([&] {
    ASSERT_TRUE(rig.probe());
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
  CmnRig rig(cmn::examples::cmn700_server());
  InterruptProbe line(rig.pmu.interrupt(0));
  run([&] {
    ASSERT_TRUE(rig.probe());
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
  CmnRig rig(cmn::examples::cmn700_server());
  InterruptProbe line(rig.pmu.interrupt(0));
  run([&] {
    ASSERT_TRUE(rig.probe());
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
