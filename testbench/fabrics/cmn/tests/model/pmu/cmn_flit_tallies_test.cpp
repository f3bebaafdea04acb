// SPDX-License-Identifier: Apache-2.0
// Counters of flit events that are read from the mesh's tallies: right whenever they are read, and their carries at the
// event that causes them.

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <boost/random/mersenne_twister.hpp>

#include "testbench/fabrics/cmn/tests/model/pmu/cmn_rig.h"

namespace pmufab {
namespace {

using cmn::Channel;
using cmn::FlitEvent;
using cmn::Interface;
using testing::CmnDriver;
using testing::CmnRig;
using testing::xp_event_id;

constexpr std::uint64_t kWrap = 0x10000;
constexpr std::uint32_t kCounterStart = 0x8000'0000;  // of a global counter, by the driver

/// A mesh that tallies what happens, and reports what the PMU watches.
class TalliedRig : public CmnRig {
 public:
  explicit TalliedRig(const cmn::PmuParameters& parameters = {}) : CmnRig(cmn::examples::cmn700_server(), parameters) {
    pmu.on_watch([this](unsigned xp, Interface interface, Channel channel, FlitEvent event, bool on) {
      watched_[{xp, interface, channel, event}] = on;
    });
    pmu.use_tallies([this](unsigned xp, Interface interface, Channel channel, FlitEvent event) {
      return tallies_[{xp, interface, channel, event}];
    });
  }

  /// The work of a cycle: flits leave some XPs.
  void cycle(const std::vector<cmn::MeshPulse>& pulses) {
    pmu.look_at_tallies(cycle_++);
    std::vector<cmn::MeshPulse> reported;
    for (const cmn::MeshPulse& pulse : pulses) {
      const Key key{pulse.xp, pulse.interface, pulse.channel, pulse.event};
      ++tallies_[key];
      if (reports_all || watched_[key]) reported.push_back(pulse);
    }
    reported_ += reported.size();
    pmu.pulses(reported, testing::now());
  }
  /// Requests leave an XP to the east, one per cycle.
  void requests(unsigned xp, std::uint64_t amount) {
    const std::vector<cmn::MeshPulse> one{
        {0, static_cast<std::uint8_t>(xp), Interface::east, Channel::req, FlitEvent::valid}};
    for (std::uint64_t i = 0; i < amount; ++i) cycle(one);
  }
  [[nodiscard]] std::uint64_t reported() const noexcept { return reported_; }

  bool reports_all = false;  ///< as for an observer

 private:
  using Key = std::tuple<unsigned, Interface, Channel, FlitEvent>;
  std::map<Key, std::uint64_t> tallies_;
  std::map<Key, bool> watched_;
  cmn::Cycle cycle_ = 0;
  std::uint64_t reported_ = 0;
};

constexpr unsigned kEast = xp_event_id(1, Interface::east, Channel::req);

using CmnFlitTallies = testing::SimulationTest;

TEST_F(CmnFlitTallies, count_without_reports_but_near_a_wrap) {
  TalliedRig rig;
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event event = rig.driver.open(rig.xp(9), kEast);
    EXPECT_TRUE(rig.pmu.watches(9, Interface::east, Channel::req, FlitEvent::valid));
    std::uint64_t expected = 0;
    for (const std::uint64_t amount : {1U, 1'000U, 30'000U, 34'000U, 535U, 1U, 70'000U, 0U, 200'000U}) {
      rig.requests(9, amount);
      rig.requests(10, 7);  // nobody counts these
      expected += amount;
      ASSERT_EQ(rig.driver.read(event), expected);
    }
    EXPECT_EQ(rig.driver.close(event), expected);
    EXPECT_FALSE(rig.pmu.watches(9, Interface::east, Channel::req, FlitEvent::valid));
    const std::uint64_t wraps = expected / kWrap;
    EXPECT_GE(rig.reported(), wraps) << "each wrap needs at least the report that causes it";
    EXPECT_LE(rig.reported(), (wraps + 1) * 3 * cmn::FlitTallies::kPeriod);
  });
}

TEST_F(CmnFlitTallies, are_not_counted_twice_where_all_is_reported) {
  TalliedRig rig;
  rig.reports_all = true;
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event event = rig.driver.open(rig.xp(9), kEast);
    rig.requests(9, 3 * kWrap + 5);
    EXPECT_EQ(rig.driver.close(event), 3 * kWrap + 5);
    EXPECT_EQ(rig.reported(), 3 * kWrap + 5);
  });
}

TEST_F(CmnFlitTallies, carry_at_the_event_that_wraps) {
  TalliedRig rig;
  testing::InterruptProbe probe(rig.pmu.interrupt(0));
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event event = rig.driver.open(rig.xp(2), kEast);
    rig.requests(2, 100);
    rig.cpu.put64(rig.driver.dtms().at(event.dtms[0]).base + 0x220, 0);
    rig.cpu.put32(rig.driver.pmevcnt(0, static_cast<unsigned>(event.globals[0])), 0xffff'ffff);
    rig.requests(2, kWrap - 1);
    testing::advance(10'000);
    EXPECT_FALSE(probe.is_high());
    rig.requests(2, 1);
    testing::advance(10'000);
    EXPECT_TRUE(probe.is_high()) << "no register was read meanwhile";
  });
}

TEST_F(CmnFlitTallies, go_on_from_what_software_writes) {
  TalliedRig rig;
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event event = rig.driver.open(rig.xp(9), kEast);
    const std::uint64_t local = rig.driver.dtms().at(event.dtms[0]).base + 0x220;
    const std::uint64_t global = rig.driver.pmevcnt(0, static_cast<unsigned>(event.globals[0]));
    rig.requests(9, 1'000);
    // A few events before the next wrap, in the middle of a period.
    rig.cpu.put64(local, 0xfff0U << 16 * event.counters[0]);
    rig.requests(9, 20);
    EXPECT_EQ(rig.cpu.get64(local) >> 16 * event.counters[0] & 0xffff, 4U);
    EXPECT_EQ(rig.cpu.get32(global), kCounterStart + 1);
    rig.cpu.put64(local, 0x1234U << 16 * event.counters[0]);
    rig.requests(9, 2'000);
    EXPECT_EQ(rig.cpu.get64(local) >> 16 * event.counters[0] & 0xffff, 0x1234U + 2'000);
    EXPECT_EQ(rig.cpu.get32(global), kCounterStart + 1);
  });
}

TEST_F(CmnFlitTallies, take_events_that_come_from_elsewhere) {
  TalliedRig rig;
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event event = rig.driver.open(rig.xp(9), kEast);
    CmnDriver::Event partial = rig.driver.open(rig.xp(9), xp_event_id(3, Interface::east, Channel::dat));
    rig.requests(9, 1'000);
    rig.pmu.xp_event(9, kEast, 5 * kWrap - 1'010, testing::now());
    rig.pmu.xp_event(9, xp_event_id(3, Interface::east, Channel::dat), 3, testing::now());
    rig.requests(9, 11);  // through the next wrap, before the next look
    EXPECT_EQ(rig.driver.read(event), 5 * kWrap + 1);
    EXPECT_EQ(rig.driver.read(partial), 3U);
    rig.pmu.xp_events_at_once(9, kEast, 7, testing::now());
    rig.requests(9, 3'000);
    EXPECT_EQ(rig.driver.close(event), 5 * kWrap + 3'008);
    EXPECT_EQ(rig.driver.close(partial), 3U);
  });
}

TEST_F(CmnFlitTallies, stop_with_the_gates_and_start_again) {
  TalliedRig rig;
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event event = rig.driver.open(rig.xp(9), kEast);
    std::uint64_t expected = 0;
    for (unsigned turn = 0; turn < 4; ++turn) {
      rig.requests(9, 777);
      expected += 777;
      rig.cpu.put32(rig.driver.pmcr(0), 0);
      rig.requests(9, 555);
      EXPECT_EQ(rig.driver.read(event), expected);
      rig.cpu.put32(rig.driver.pmcr(0), 0x41);
    }
    rig.pmu.reset();
    rig.requests(9, 999);
    EXPECT_EQ(rig.cpu.get64(rig.driver.dtms().at(event.dtms[0]).base + 0x220), 0U);
  });
}

/// Widths of local counters.
class CmnFlitTalliesAtRandom : public testing::SimulationTest, public ::testing::WithParamInterface<unsigned> {};

TEST_P(CmnFlitTalliesAtRandom, count_what_happened) {
  TalliedRig rig({.local_width = GetParam()});
  run([&] {
    ASSERT_TRUE(rig.probe());
    boost::random::mt19937_64 random(GetParam());
    struct Counted {
      CmnDriver::Event event;
      cmn::MeshPulse pulse;
      std::uint64_t expected = 0;
    };
    // Three counters of one XP. The last counts what the first does, from another time on: it wraps at other times.
    std::vector<Counted> all;
    const auto count = [&](std::uint8_t xp, Interface interface, Channel channel, FlitEvent happened) {
      const unsigned id = xp_event_id(happened == FlitEvent::valid ? 1 : 2, interface, channel);
      all.push_back({rig.driver.open(rig.xp(xp), id), {0, xp, interface, channel, happened}, 0});
    };
    count(0, Interface::north, Channel::dat, FlitEvent::valid);
    count(0, Interface::east, Channel::dat, FlitEvent::stall);
    count(0, Interface::port1, Channel::rsp, FlitEvent::valid);
    count(37, Interface::west, Channel::snp, FlitEvent::valid);
    const std::uint64_t turn = std::uint64_t{1} << GetParam();
    for (std::uint64_t i = 0; i < turn / 3; ++i) {
      rig.cycle({all[0].pulse});
      ++all[0].expected;
    }
    count(0, Interface::north, Channel::dat, FlitEvent::valid);
    for (unsigned round = 0; round < 60; ++round) {
      const std::uint64_t cycles = random() % (2 * turn);
      const std::uint64_t busy = random();
      for (std::uint64_t i = 0; i < cycles; ++i) {
        std::vector<cmn::MeshPulse> pulses;
        const std::uint64_t bits = random() | busy;
        for (std::size_t n = 0; n < all.size() - 1; ++n) {
          if ((bits >> n & 1U) == 0) continue;
          pulses.push_back(all[n].pulse);
          ++all[n].expected;
          if (n == 0) ++all.back().expected;
        }
        rig.cycle(pulses);
      }
      Counted& read = all[random() % all.size()];
      // The driver knows counters of 16 bits only: it takes a narrow one's wraps for 2^16 events each.
      const std::uint64_t counted = rig.driver.read(read.event);
      if (GetParam() == 16) {
        ASSERT_EQ(counted, read.expected) << "round " << round;
      }
      const std::uint64_t local =
          rig.cpu.get64(rig.driver.dtms().at(read.event.dtms[0]).base + 0x220) >> 16 * read.event.counters[0] & 0xffff;
      ASSERT_EQ(local, read.expected % turn) << "round " << round;
    }
    for (Counted& last : all) {
      if (GetParam() == 16) {
        EXPECT_EQ(rig.driver.close(last.event), last.expected);
      }
      EXPECT_GT(last.expected, turn);
    }
  });
}
INSTANTIATE_TEST_SUITE_P(Widths, CmnFlitTalliesAtRandom, ::testing::Values(8U, 9U, 10U, 11U, 16U));

}  // namespace
}  // namespace pmufab
