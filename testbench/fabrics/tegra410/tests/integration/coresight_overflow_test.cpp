// SPDX-License-Identifier: Apache-2.0
// Unusual overflows: while an event stops, and without a handler.
#include "testbench/tests/integration/integration_test.h"

namespace pmufab::integration::coresight_overflow_test {
namespace {

using testing::advance;
using testing::advance_to;
using testing::now;

constexpr std::uint64_t kPmovsclr = 0xc80;
constexpr std::uint64_t kPmcr = 0xe04;
constexpr Picoseconds kMicrosecond = 1'000'000;

class OverflowBase : public CoreSightTest {
 protected:
  /// Instant of the first access since the last clear that writes `data` to PMCR.
  [[nodiscard]] Picoseconds time_of_control(const Device& device, std::uint64_t data) const {
    for (const MmioBus::BusAccess& access : accesses_to(device.page0, 0x1000)) {
      if (access.is_write && access.address == kPmcr && access.data == data) return access.when;
    }
    ADD_FAILURE() << "nobody wrote " << data << " to PMCR";
    return 0;
  }

  /// The story of two tests below: a 16-bit counter wraps around the instant at which its event is disabled.
  void wrap_while_an_event_stops(InterruptTrigger trigger);
};

class Overflow : public OverflowBase {};
INSTANTIATE_TEST_SUITE_P(linux, Overflow, ::testing::ValuesIn(tegra410_driver_sets()), version_name);

// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
void OverflowBase::wrap_while_an_event_stops(InterruptTrigger trigger) {
  constexpr std::uint64_t kToTheTop = 1U << 15;  // the driver starts at 0x7fff: one more wraps
  options.interrupt_delay = 5 * kMicrosecond;    // so that the wrap is not handled before the event has stopped
  add({.counters = 4, .width = 16, .pmiidr = kGenericPart}, trigger);
  Device& device = *devices[0];
  boot([&] {
    const EventHandle other = open(name_of(0), kEvents[1]);  // keeps counter 0 and the PMU in use
    std::uint64_t other_expected = 0;
    unsigned before = 0;
    unsigned after = 0;
    unsigned stale = 0;
    // The time at which the event is disabled. The wrap comes at 1 us and 1 ps. The last one is handled in time.
    std::vector<Picoseconds> calls;
    for (Picoseconds call = 300'000; call <= 1'700'000; call += 25'000) calls.push_back(call);
    calls.push_back(21 * kMicrosecond);
    for (const Picoseconds call : calls) {
      // A status bit left by the previous round raises the line as soon as the event is on. Events until the handler
      // runs, and after it, count once.
      const EventHandle event = open(name_of(0), kEvents[0]);
      ASSERT_TRUE(device.pmu.is_running(1));
      device.probes[0].publish(100, 0, now());
      advance(20 * kMicrosecond);
      EXPECT_EQ(value(event), 100U);
      const std::uint64_t position = device.pmu.counter_value(1, now());
      ASSERT_TRUE(position == 0x7fff || position == 0x7fff + 100) << position;  // the handler sets it up again
      const std::uint64_t fill = 0xffff - position;
      device.probes[0].publish(fill, 0, now());
      device.probes[1].publish(5, 0, now());
      other_expected += 5;

      const Picoseconds start = now();
      const Picoseconds wrap = start + kMicrosecond + 1;
      accesses.clear();
      sc_core::sc_spawn([&] {
        advance_to(wrap);
        device.probes[0].publish(1, 0, now());
      });
      advance(call);
      EXPECT_EQ(host->disable(event), 0);
      const Picoseconds stopped = call > 10 * kMicrosecond ? start + call : time_of_control(device, 0);
      advance_to(wrap + 1);
      const bool counted = wrap < stopped;
      ++(counted ? before : after);
      EXPECT_EQ(value(event), 100 + fill + (counted ? 1 : 0)) << "disabled at " << call;
      advance(20 * kMicrosecond);  // for anything that is still pending
      EXPECT_EQ(value(event), 100 + fill + (counted ? 1 : 0)) << "disabled at " << call << ", later";
      if ((peek(device.page0 + kPmovsclr) & 2) != 0) ++stale;
      host->close(event);
    }
    EXPECT_GT(before, 20U);
    EXPECT_GT(after, 20U);
    if (trigger == InterruptTrigger::level) {
      EXPECT_EQ(stale, before - 1);  // all but the last were masked before they were handled
    } else {
      EXPECT_EQ(stale, 0U);  // an edge is remembered and finds no event
    }
    EXPECT_EQ(value(other), other_expected);

    // The counter whose status was stale still overflows correctly.
    const EventHandle last = open(name_of(0), kEvents[0]);
    advance(20 * kMicrosecond);
    for (unsigned i = 0; i < 3; ++i) {
      const std::uint64_t handled = host->handled_interrupts();
      device.probes[0].publish(kToTheTop + 1, 0, now());
      advance(20 * kMicrosecond);
      EXPECT_EQ(host->handled_interrupts(), handled + 1);
    }
    EXPECT_EQ(value(last), 3 * (kToTheTop + 1));
    EXPECT_EQ(host->disabled_interrupts(), 0U);
  });
}

// contract C31
TEST_P(Overflow, while_an_event_stops_is_counted_once_and_a_stale_status_does_no_harm) {
  wrap_while_an_event_stops(InterruptTrigger::level);
}

// contract C31
TEST_P(Overflow, while_an_event_stops_is_counted_once_though_the_edge_finds_no_event) {
  wrap_while_an_event_stops(InterruptTrigger::edge);
}

// contract C31
TEST_P(Overflow, of_the_cycle_counter_is_counted_to_the_picosecond_at_which_it_stops) {
  options.interrupt_delay = 5 * kMicrosecond;
  add({.counters = 4, .width = 16, .pmiidr = kGenericPart});
  Device& device = *devices[0];
  boot([&] {
    constexpr Picoseconds kPeriod = 1'000;  // rising edges at whole nanoseconds
    unsigned wrapped = 0;
    for (Picoseconds offset = 0; offset <= 6; ++offset) {
      accesses.clear();
      const EventHandle event = open(name_of(0), kCycles);
      advance(20 * kMicrosecond);  // a handler that runs for a status of the previous round gets its turn
      Picoseconds running_since = 0;
      std::uint64_t expected = 0;
      Picoseconds reloaded = 0;  // the driver has put the counter to 0x7fff, and it has counted from `reloaded` on
      const auto edges = [&](Picoseconds begin, Picoseconds end) {
        return (end + kPeriod - 1) / kPeriod - (begin + kPeriod - 1) / kPeriod;
      };
      // Windows in which the counter ran, according to the driver's writes.
      for (const MmioBus::BusAccess& access : accesses_to(device.page0, 0x1000)) {
        if (!access.is_write || access.address != kPmcr) continue;
        if (access.data == 1) {
          running_since = reloaded = access.when;
        } else if (running_since != 0) {
          expected += edges(running_since, access.when);
          running_since = 0;
        }
      }
      ASSERT_NE(running_since, 0U);
      // Edge 32769 after the reload wraps it.
      const Picoseconds wrap = ((reloaded + kPeriod - 1) / kPeriod + 32'768) * kPeriod;
      accesses.clear();
      const Picoseconds stop = wrap - 3 + offset;
      advance_to(stop);
      EXPECT_EQ(host->disable(event), 0);
      const Picoseconds stopped = time_of_control(device, 0);
      ASSERT_EQ(stopped, stop);
      expected += edges(running_since, stopped);
      wrapped += stopped > wrap ? 1 : 0;
      EXPECT_EQ(value(event), expected) << "stopped at " << stop << ", the edge that wraps is at " << wrap;
      advance(20 * kMicrosecond);
      EXPECT_EQ(value(event), expected);
      host->close(event);
    }
    EXPECT_EQ(wrapped, 3U);
  });
}

// contract C33
TEST_P(Overflow, that_finds_no_event_starts_the_pmu_for_nobody) {
  // Expected failure: arm_cspmu_handle_irq() ends by starting the counters, whether or not an event is active. Linux
  // 7.2 and 7.3 do this. If this test fails, the version has corrected it: then expect PMCR.E = 0 from it on.
  options.interrupt_delay = 5 * kMicrosecond;
  add({.counters = 4, .width = 16, .pmiidr = kGenericPart}, InterruptTrigger::edge);
  Device& device = *devices[0];
  boot([&] {
    const EventHandle event = open(name_of(0), kEvents[0]);
    device.probes[0].publish((1U << 15) + 1, 0, now());  // wraps; the interrupt comes in 5 us
    EXPECT_EQ(host->disable(event), 0);
    EXPECT_EQ(value(event), (1U << 15) + 1);
    EXPECT_EQ(peek(device.page0 + kPmcr), 0U);  // the driver has stopped the PMU
    EXPECT_EQ(host->handled_interrupts() + host->unhandled_interrupts(), 0U);
    advance(20 * kMicrosecond);
    EXPECT_EQ(host->unhandled_interrupts(), 1U);
    EXPECT_EQ(peek(device.page0 + kPmovsclr), 0U);
    EXPECT_EQ(peek(device.page0 + kPmcr), 1U) << "Linux " << GetParam().kernel_version << " leaves the PMU stopped";
  });
}

}  // namespace
}  // namespace pmufab::integration::coresight_overflow_test
