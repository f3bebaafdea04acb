// SPDX-License-Identifier: Apache-2.0
// The model of a DesignWare root port against its judge: random events, states and register accesses. The judge says
// what a counter has, from when it was switched on to when it is read.
#include <cstdint>
#include <map>
#include <utility>

#include <gtest/gtest.h>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>

#include "models/dwc/root_port.h"
#include "models/pcie/ecam.h"
#include "testbench/fabrics/dwc/judge/dwc_judge.h"
#include "testbench/fabrics/dwc/judge/dwc_meaning.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::scoreboard::dwc_cross_test {
namespace {

constexpr std::uint64_t kEcam = 0x18'0000'0000;
constexpr std::uint64_t kConfiguration = kEcam + (2U << 15);
constexpr std::uint64_t kCounterControl = kConfiguration + 0x108;
constexpr std::uint64_t kCounterData = kConfiguration + 0x10c;
constexpr std::uint64_t kAnalysisControl = kConfiguration + 0x110;
constexpr std::uint64_t kAnalysisLow = kConfiguration + 0x114;
constexpr std::uint64_t kAnalysisHigh = kConfiguration + 0x118;

const dwc::RootPortDescription kPort{.name = "slot", .device = 2, .lanes = 4, .clock_hz = 333'333'333};

class DwcCross : public testing::SimulationTest {
 protected:
  DwcCross() {
    cpu.socket.bind(bus.socket);
    bus.map("ecam", kEcam, ecam.size(), ecam.socket);
    ecam.attach(2, 0, port.function());
    port.set_observer(&judge);
    bus.monitor([this](const MmioBus::BusAccess& access) {
      if (access.is_write) {
        pmu().see_write(access);
      } else {
        pmu().see_read(access);
      }
    });
  }

  std::uint64_t draw(std::uint64_t most) {
    return boost::random::uniform_int_distribution<std::uint64_t>(0, most)(engine);
  }
  DwcPmuJudge& pmu() { return dynamic_cast<DwcPmuJudge&>(*judge.pmus().front()); }
  DwcProgress progress(const EventTerms& terms) {
    return pmu().wires().progress(dwc_meaning(terms, kPort), testing::now());
  }
  static EventTerms lane_terms(unsigned id, unsigned lane) { return {{"eventid", id}, {"type", 1}, {"lane", lane}}; }

  /// Events, data and states for a while.
  void occur() {
    for (unsigned n = 0; n < 60; ++n) {
      testing::advance(draw(20'000));
      const auto id = static_cast<unsigned>(draw(1) == 0 ? 0x700 + draw(0x17) : 0x600 + draw(7));
      port.happen({id, static_cast<unsigned>(draw(3)), draw(300), 1 + draw(2)}, testing::now());
      if (draw(2) == 0) port.enter(static_cast<dwc::LinkState>(draw(dwc::kLinkStates - 1)), testing::now());
    }
  }

  testing::Initiator cpu{"cpu"};
  MmioBus bus{"bus"};
  pcie::Ecam ecam{"ecam", 0, 0};
  dwc::RootPort port{"port", kPort, 0};
  Chronicle chronicle;
  DwcJudge judge{DwcJudgeSpec{{{kPort, "dwc_rootport_10", kConfiguration}}}, chronicle};
  boost::random::mt19937_64 engine{20261126};
};

TEST_F(DwcCross, counters_of_lanes_have_what_the_judge_counts) {
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> at_clear;  // what the judge had when a counter was cleared
  std::uint64_t all = 0;
  run([&] {
    for (unsigned turn = 0; turn < 400; ++turn) {
      occur();
      const auto id = static_cast<unsigned>(draw(1) == 0 ? 0x700 + draw(0x17) : 0x600 + draw(7));
      const auto lane = static_cast<unsigned>(draw(3));
      const auto enable = static_cast<std::uint32_t>(draw(9) == 0 ? 5 + 2 * draw(1) : draw(4));
      const auto clear = static_cast<std::uint32_t>(draw(9) == 0 ? 3 : draw(2));
      if (dwc_meaning(lane_terms(id, lane), kPort).kind == DwcMeaning::Kind::nothing) continue;
      cpu.put32(kCounterControl, id << 16 | lane << 8 | enable << 2 | clear);
      if (clear == 1) at_clear[{id, lane}] = progress(lane_terms(id, lane)).counted;
      if (clear == 3) {
        at_clear.clear();
        for (unsigned event = 0x600; event < 0x718; ++event) {
          for (unsigned other = 0; other < kPort.lanes; ++other)
            at_clear[{event, other}] = progress(lane_terms(event, other)).counted;
        }
      }
      const std::uint64_t expected = progress(lane_terms(id, lane)).counted - at_clear[{id, lane}];
      ASSERT_EQ(cpu.get32(kCounterData), expected) << std::hex << id << " on lane " << lane;
      all += expected;
    }
  });
  EXPECT_GT(all, 500U);
}

TEST_F(DwcCross, measurements_have_what_the_judge_counts) {
  std::uint64_t all = 0;
  run([&] {
    for (unsigned turn = 0; turn < 400; ++turn) {
      const auto report = static_cast<unsigned>(draw(1) == 0 ? draw(9) : 0x20 + draw(3));
      const EventTerms terms{{"eventid", report}, {"type", 0}};
      cpu.put32(kAnalysisControl, report << 24 | 1);
      const DwcProgress begin = progress(terms);
      occur();
      const bool is_stopped = draw(1) == 0;
      if (is_stopped) {
        cpu.put32(kAnalysisControl, report << 24);
        occur();
      }
      const std::uint64_t low = cpu.get32(kAnalysisLow);
      const std::uint64_t value = std::uint64_t{cpu.get32(kAnalysisHigh)} << 32 | low;
      const std::uint64_t expected = progress(terms).counted - begin.counted;
      ASSERT_EQ(report < 0x20 ? value : value * 16, expected) << std::hex << report;
      EXPECT_LE(expected, progress(terms).happened - begin.happened);
      all += expected;
    }
  });
  EXPECT_GT(all, 10'000U);
}

}  // namespace
}  // namespace pmufab::scoreboard::dwc_cross_test
