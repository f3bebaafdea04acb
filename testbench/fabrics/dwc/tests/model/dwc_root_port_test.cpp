// SPDX-License-Identifier: Apache-2.0
// A root port with a RAS DES capability, as software sees it through configuration space. Offsets and values are those
// of docs/platforms/dwc-root-ports.md, and are repeated here.
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include "models/dwc/root_port.h"
#include "models/pcie/ecam.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::dwc {
namespace {

constexpr std::uint64_t kPort = 3U << 15;
constexpr std::uint64_t kCapability = kPort + 0x100;
constexpr std::uint64_t kCounterControl = kCapability + 0x08;
constexpr std::uint64_t kCounterData = kCapability + 0x0c;
constexpr std::uint64_t kAnalysisControl = kCapability + 0x10;
constexpr std::uint64_t kAnalysisLow = kCapability + 0x14;
constexpr std::uint64_t kAnalysisHigh = kCapability + 0x18;

constexpr std::uint32_t kClear = 1;
constexpr std::uint32_t kOff = 1U << 2;
constexpr std::uint32_t kOn = 3U << 2;
constexpr std::uint32_t kStatus = 1U << 7;

constexpr unsigned kMemoryRead = 0x70c;  // received
constexpr unsigned kMemoryWrite = 0x70b;
constexpr Picoseconds kMicrosecond = 1'000'000;

constexpr std::uint32_t select(unsigned event, unsigned lane) { return event << 16 | lane << 8; }
constexpr std::uint32_t report(unsigned number) { return number << 24; }

class DwcRootPort : public testing::SimulationTest {
 protected:
  DwcRootPort() {
    cpu.socket.bind(ecam.socket);
    ecam.attach(3, 0, port.function());
  }
  void happen(unsigned id, unsigned lane, std::uint64_t bytes = 0, std::uint64_t repeat = 1) {
    port.happen({id, lane, bytes, repeat}, testing::now());
  }
  static void until(Picoseconds when) { testing::advance_to(when); }
  std::uint32_t data(unsigned event, unsigned lane) {
    cpu.put32(kCounterControl, select(event, lane));
    return cpu.get32(kCounterData);
  }
  std::uint64_t analysis() {
    const std::uint64_t high = cpu.get32(kAnalysisHigh);
    return high << 32 | cpu.get32(kAnalysisLow);
  }

  testing::Initiator cpu{"cpu"};
  pcie::Ecam ecam{"ecam", 0, 0};
  RootPort port{"port", {.name = "slot", .lanes = 8, .clock_hz = 1'000'000'000}, 0};
};

TEST_F(DwcRootPort, drivers_find_the_capability_by_vendor_id_and_revision) {
  run([&] {
    EXPECT_EQ(cpu.get32(kPort), 0x80001dedU);
    EXPECT_EQ(cpu.get32(kCapability) & 0xfffffU, 0x1000bU);
    EXPECT_EQ(cpu.get32(kCapability + 4), 0x10040002U);
  });
}

TEST_F(DwcRootPort, each_event_of_each_lane_has_a_counter_with_a_switch) {
  run([&] {
    happen(kMemoryRead, 4);
    cpu.put32(kCounterControl, select(kMemoryRead, 4) | kOn);
    cpu.put32(kCounterControl, select(kMemoryRead, 5) | kOn);
    happen(kMemoryRead, 4, 0, 3);
    happen(kMemoryRead, 5);
    happen(kMemoryWrite, 4);
    EXPECT_EQ(data(kMemoryRead, 4), 3U);
    EXPECT_EQ(data(kMemoryRead, 5), 1U);
    EXPECT_EQ(data(kMemoryWrite, 4), 0U);
    cpu.put32(kCounterControl, select(kMemoryRead, 4) | kOff);
    happen(kMemoryRead, 4);
    EXPECT_EQ(data(kMemoryRead, 4), 3U);
    cpu.put32(kCounterControl, select(kMemoryRead, 4) | kClear);
    EXPECT_EQ(data(kMemoryRead, 4), 0U);
    EXPECT_EQ(data(kMemoryRead, 5), 1U);
  });
}

TEST_F(DwcRootPort, commands_read_0_and_the_status_shows_the_selected_counter) {
  run([&] {
    cpu.put32(kCounterControl, select(kMemoryRead, 2) | kOn | kClear);
    EXPECT_EQ(cpu.get32(kCounterControl), select(kMemoryRead, 2) | kStatus);
    cpu.put32(kCounterControl, select(kMemoryRead, 3));
    EXPECT_EQ(cpu.get32(kCounterControl), select(kMemoryRead, 3));
  });
}

TEST_F(DwcRootPort, events_and_lanes_that_there_are_not_have_no_counter) {
  run([&] {
    for (const std::uint32_t selection :
         {select(0x70d, 0), select(0x000, 0), select(0xf0c, 0), select(kMemoryRead, 8)}) {
      cpu.put32(kCounterControl, selection | kOn);
      EXPECT_EQ(cpu.get32(kCounterControl), selection);
    }
    happen(0x70d, 0);
    happen(kMemoryRead, 8);
    EXPECT_EQ(data(kMemoryRead, 0), 0U);
  });
}

TEST_F(DwcRootPort, a_counter_of_a_lane_wraps_after_32_bits) {
  run([&] {
    cpu.put32(kCounterControl, select(kMemoryRead, 0) | kOn);
    happen(kMemoryRead, 0, 0, 0xffff'ffff);
    EXPECT_EQ(data(kMemoryRead, 0), 0xffff'ffffU);
    happen(kMemoryRead, 0, 0, 0x1'0000'0003);
    EXPECT_EQ(data(kMemoryRead, 0), 2U);
  });
}

TEST_F(DwcRootPort, each_duration_is_as_long_as_software_asks) {
  constexpr Picoseconds kMillisecond = 1000 * kMicrosecond;
  run(
      [&] {
        for (const auto& [duration, milliseconds] :
             {std::pair{1U, 1U}, {2U, 10U}, {3U, 100U}, {4U, 1000U}, {5U, 2000U}, {6U, 4000U}}) {
          const Picoseconds begin = testing::now();
          cpu.put32(kAnalysisControl, report(0x00) | duration << 8 | 1);
          until(begin + milliseconds * kMillisecond - 1);
          EXPECT_EQ(cpu.get32(kAnalysisControl) & 1, 1U) << duration;
          until(begin + milliseconds * kMillisecond);
          EXPECT_EQ(cpu.get32(kAnalysisControl) & 1, 0U) << duration;
        }
      },
      10'000 * kMillisecond);
}

TEST_F(DwcRootPort, cycles_pass_at_once_in_a_state) {
  run([&] {
    cpu.put32(kAnalysisControl, report(0x06) | 1);
    port.statistics().pass_cycles(LinkState::l1_2, 0x1'0000'0001, testing::now());
    EXPECT_EQ(cpu.get32(kAnalysisLow), 1U);
    EXPECT_EQ(cpu.get32(kAnalysisHigh), 1U);
  });
}

TEST_F(DwcRootPort, a_reset_turns_everything_off) {
  run([&] {
    cpu.put32(kCounterControl, select(kMemoryRead, 0) | kOn);
    cpu.put32(kAnalysisControl, report(0x00) | 1);
    happen(kMemoryRead, 0);
    until(kMicrosecond);
    ecam.reset(pcie::ResetKind::conventional);
    happen(kMemoryRead, 0);
    until(2 * kMicrosecond);
    EXPECT_EQ(data(kMemoryRead, 0), 0U);
    EXPECT_EQ(cpu.get32(kAnalysisControl), 0U);
    EXPECT_EQ(analysis(), 0U);
  });
}

class NarrowRootPort : public DwcRootPort {
 protected:
  NarrowRootPort() { ecam.attach(4, 0, narrow.function()); }
  RootPort narrow{"narrow", {.name = "narrow", .vendor_id = 0x20fa, .time_width = 33, .vsec_revision = 5}, 1};
};

TEST_F(NarrowRootPort, software_sees_as_many_bits_as_there_are) {
  run([&] {
    const std::uint64_t offset = std::uint64_t{1} << 15;
    EXPECT_EQ(cpu.get32(kCapability + offset + 4), 0x10050002U);
    cpu.put32(kAnalysisControl + offset, report(0x00) | 1);
    narrow.statistics().pass_cycles(std::nullopt, 0x3'0000'0007, testing::now());
    EXPECT_EQ(cpu.get32(kAnalysisLow + offset), 7U);
    EXPECT_EQ(cpu.get32(kAnalysisHigh + offset), 1U);
  });
}

}  // namespace
}  // namespace pmufab::dwc
