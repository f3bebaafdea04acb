// SPDX-License-Identifier: Apache-2.0
// Overflow interrupts: level, edge, delay, and the times at which a driver can be interrupted.
#include <optional>

#include <gtest/gtest-spi.h>

#include "testbench/host/interrupt_controller.h"
#include "testbench/tests/host/driver_host_test.h"

namespace pmufab::driver_host::testing {
namespace {

using pmufab::testing::advance;
using pmufab::testing::now;

constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;  // the driver starts a 64-bit counter one below this

class LevelInterrupt : public DriverHostTest {};
class EdgeInterrupt : public DriverHostTest {
 protected:
  EdgeInterrupt() : DriverHostTest(InterruptTrigger::edge) {}
};
PMUFAB_FOR_EVERY_TEGRA410_KERNEL(LevelInterrupt);
PMUFAB_FOR_EVERY_TEGRA410_KERNEL(EdgeInterrupt);

TEST_P(LevelInterrupt, stays_pending_until_the_device_drops_it) {
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    ucf0.stuck = true;
    ucf0.raise(1);
    advance(5'000'000);
    EXPECT_GT(host->handled_interrupts(), 5U);  // taken again and again
    ucf0.stuck = false;
    advance(1'000'000);
    const std::uint64_t taken = host->handled_interrupts();
    EXPECT_FALSE(line0.is_high());
    advance(10'000'000);
    EXPECT_EQ(host->handled_interrupts(), taken);
    host->close(event);
  });
}

TEST_P(LevelInterrupt, one_that_drops_before_it_is_taken_is_gone) {
  options.interrupt_delay = 1'000'000;
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    ucf0.raise(1);
    advance(400'000);
    ucf0.write(0xc80, 4, 1);  // another agent clears it
    advance(10'000'000);
    EXPECT_EQ(host->handled_interrupts() + host->unhandled_interrupts(), 0U);
    host->close(event);
  });
}

TEST_P(LevelInterrupt, comes_the_configured_time_after_the_line) {
  options.interrupt_delay = 20'000'000;
  CallRecorder calls;
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    host->observe(&calls);
    const Picoseconds rose = now();
    ucf0.raise(1);
    advance(50'000'000);
    ASSERT_GE(calls.seen.size(), 2U);
    EXPECT_EQ(calls.seen[0].call, PerfCallObserver::Call::interrupt);
    EXPECT_EQ(calls.seen[0].when, rose + 20'000'000);
    EXPECT_EQ(calls.seen[0].pmu, "nvidia_ucf_pmu_0");
    EXPECT_EQ(calls.seen[1].call, PerfCallObserver::Call::interrupt);
    EXPECT_FALSE(calls.seen[1].begin);
    EXPECT_GT(calls.seen[1].when, calls.seen[0].when);
    host->observe(nullptr);
    host->close(event);
  });
}

/// Times that a test sets.
struct SetTimes final : CpuTimes {
  std::optional<Picoseconds> interrupt_delay() override { return delay; }
  Picoseconds handler_time() override { return handler; }
  Picoseconds goes_on_at(Picoseconds when) override { return when < from || when >= until ? when : until; }
  std::optional<Picoseconds> delay = 0;
  Picoseconds handler = 0;
  Picoseconds from = 0;
  Picoseconds until = 0;
};

TEST_P(LevelInterrupt, a_lost_one_is_not_seen_until_its_line_has_dropped) {
  SetTimes times;
  options.times = &times;
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    times.delay.reset();
    ucf0.raise(1);
    times.delay = 0;
    advance(10'000'000);
    EXPECT_TRUE(line0.is_high());
    EXPECT_EQ(host->handled_interrupts(), 0U);
    EXPECT_EQ(host->lost_interrupts(), 1U);
    ucf0.write(0xc80, 4, 1);  // another agent clears it
    ucf0.raise(1);
    advance(10'000'000);
    EXPECT_FALSE(line0.is_high());
    EXPECT_EQ(host->handled_interrupts(), 1U);
    EXPECT_EQ(host->lost_interrupts(), 1U);
    host->close(event);
  });
}

TEST_P(EdgeInterrupt, a_lost_one_does_not_keep_the_next_one) {
  SetTimes times;
  options.times = &times;
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    times.delay.reset();
    ucf0.raise(1);
    advance(10'000'000);
    EXPECT_EQ(host->handled_interrupts(), 0U);
    ucf0.write(0xc80, 4, 1);
    times.delay = 3'000'000;
    ucf0.raise(1);
    advance(2'900'000);
    EXPECT_EQ(host->handled_interrupts(), 0U);
    advance(2'000'000);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    EXPECT_EQ(host->lost_interrupts(), 1U);
    host->close(event);
  });
}

TEST_P(LevelInterrupt, time_of_a_handler_passes_while_it_has_stopped_the_counters) {
  SetTimes times;
  options.times = &times;
  CallRecorder calls;
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    host->observe(&calls);
    ucf0.raise(1);
    advance(10'000'000);
    ASSERT_EQ(calls.seen.size(), 2U);
    const Picoseconds plain = calls.seen[1].when - calls.seen[0].when;
    calls.seen.clear();
    times.handler = 7'000'000;
    const Picoseconds began = now();
    ucf0.raise(1);
    advance(5'000'000);
    EXPECT_FALSE(ucf0.enabled());
    advance(15'000'000);
    EXPECT_TRUE(ucf0.enabled());
    ASSERT_EQ(calls.seen.size(), 2U);
    EXPECT_EQ(calls.seen[0].when, began);
    EXPECT_EQ(calls.seen[1].when - calls.seen[0].when, plain + 7'000'000);
    host->observe(nullptr);
    host->close(event);
  });
}

TEST_P(LevelInterrupt, waits_while_the_cpu_is_away_and_so_do_accesses) {
  SetTimes times;
  options.times = &times;
  CallRecorder calls;
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    host->observe(&calls);
    times.from = now() + 1'000'000;
    times.until = times.from + 20'000'000;
    advance(2'000'000);
    ucf0.raise(1);
    advance(10'000'000);
    EXPECT_EQ(host->handled_interrupts(), 0U);
    advance(10'000'000);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    ASSERT_EQ(calls.seen.size(), 2U);
    EXPECT_EQ(calls.seen[0].when, times.until);
    times.from = now();
    times.until = now() + 5'000'000;
    static_cast<void>(value(event));
    EXPECT_GE(now(), times.until);
    EXPECT_LT(now(), times.until + 1'000'000);
    host->observe(nullptr);
    host->close(event);
  });
}

/// Handlers that let nothing else run, from when on a task waits.
class Lockup : public LevelInterrupt {
 protected:
  /// @param away  the CPU is, for so long, while the task waits
  void expect_lockup(Picoseconds away) {
    times.handler = 10'000'000;
    options.times = &times;
    Picoseconds came = 0;
    ::testing::TestPartResultArray failures;  // of the simulation: the panic is in a process of its own
    {
      const ::testing::ScopedFakeTestPartResultReporter reporter(
          ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
      boot([&] {
        const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
        // Each time the handler starts the PMU again, the next interrupt is there.
        bus.before = [&](const FakeBus::Access& access) {
          if (access.is_write && access.address == kUcfBase[0] + 0xe04 && access.value == 1) ucf0.raise(1);
        };
        ucf0.raise(1);
        advance(30'000'000'000);
        came = now();
        times.from = now() + 5'000'000'000;
        times.until = times.from + away;
        static_cast<void>(value(event));
      });
    }
    EXPECT_GT(host->handled_interrupts(), 3'000U) << "as long as nobody waited";
    ASSERT_EQ(failures.size(), 2) << "SystemC's report, and the end of the simulation";
    EXPECT_THAT(failures.GetTestPartResult(1).message(),
                ::testing::HasSubstr("the CPU is locked up: for 20 ms, interrupt handlers have let nothing else run; "
                                     "the last was that of interrupt 100"));
    EXPECT_GT(now(), came + 20'000'000'000);
    EXPECT_LT(now(), came + 20'100'000'000);
  }

  SetTimes times;
};
PMUFAB_FOR_EVERY_TEGRA410_KERNEL(Lockup);

TEST_P(Lockup, of_a_task_that_comes_later) { expect_lockup(0); }
TEST_P(Lockup, on_a_cpu_that_is_away) { expect_lockup(10'000'000'000); }

// contract C32
TEST_P(LevelInterrupt, one_without_an_event_is_cleared_but_not_handled) {
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    ucf0.write(0xc40, 4, 1U << 5);
    ucf0.raise(1U << 5);  // an unused counter
    advance(10'000'000);
    EXPECT_EQ(host->unhandled_interrupts(), 1U);
    EXPECT_EQ(host->handled_interrupts(), 0U);
    EXPECT_FALSE(line0.is_high());
    host->close(event);
  });
}

TEST_P(LevelInterrupt, one_whose_line_is_never_quiet_is_given_up) {
  boot([&] {
    ucf0.stuck = true;
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    ucf0.raise(1);
    advance(10'000'000'000);
    EXPECT_EQ(host->handled_interrupts(), 1'000U);
    EXPECT_TRUE(logged("irq 100: still asserted after 1000 calls of its handler"));
    const EventHandle other = open("nvidia_ucf_pmu_1", 1, 0, false, 2);  // other PMUs continue
    ucf1.count(0, 3);
    EXPECT_EQ(value(other), 3U);
    host->close(event);
  });
}

TEST_P(LevelInterrupt, one_nobody_ever_handles_is_given_up) {
  options.access_latency = 1'000;
  boot([&] {
    ucf0.write(0xc40, 4, 1U << 5);
    for (unsigned i = 0; i < 100'000; ++i) {  // an unused counter; each time the handler clears the line
      ucf0.raise(1U << 5);
      advance(10'000);
    }
    EXPECT_EQ(host->unhandled_interrupts(), 100'000U);
    EXPECT_TRUE(logged("irq 100: nobody cared"));
    ucf0.raise(1U << 5);
    advance(10'000);
    EXPECT_EQ(host->unhandled_interrupts(), 100'000U);
    EXPECT_TRUE(line0.is_high());
  });
}

TEST_P(LevelInterrupt, is_deferred_while_the_driver_is_in_a_callback) {
  CallRecorder calls;
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    ucf0.count(0, 7);
    host->observe(&calls);
    // The counter wraps between the halves of the driver's read.
    bool pulled = false;
    bus.before = [&](const FakeBus::Access& access) {
      if (access.address != kUcfBase[0] || access.is_write || pulled) return;
      pulled = true;
      ucf0.count(0, kHalf);
    };
    static_cast<void>(value(event));
    bus.before = nullptr;
    EXPECT_TRUE(pulled);
    EXPECT_EQ(calls.begun("nvidia_ucf_pmu_0"), "read interrupt");
    ASSERT_EQ(calls.seen.size(), 4U);
    EXPECT_FALSE(calls.seen[1].begin);  // the read is over
    EXPECT_EQ(calls.seen[2].when, calls.seen[1].when);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    EXPECT_EQ(value(event), kHalf + 7);
    host->observe(nullptr);
  });
}

TEST_P(LevelInterrupt, comes_between_the_accesses_of_a_probe) {
  // The driver requests its interrupt before the last accesses of its probe, with interrupts on.
  ucf0.write(0xc40, 4, 1U << 3);
  ucf0.raise(1U << 3);
  boot([&] {
    EXPECT_GE(host->unhandled_interrupts(), 1U);
    EXPECT_FALSE(line0.is_high());
    bool found = false;
    const auto accesses = bus.accesses(kUcfBase[0], 0x1000);
    for (std::size_t i = 0; i + 1 < accesses.size(); ++i) {
      // Handler: PMCR = 0, read and clear PMOVSCLR, PMCR = 1. Then the probe continues with PMIIDR or later.
      if (accesses[i].is_write && accesses[i].address == kUcfBase[0] + 0xc80) found = accesses.size() > i + 2;
    }
    EXPECT_TRUE(found);
    EXPECT_EQ(host->pmus().size(), 4U);
  });
}

TEST_P(EdgeInterrupt, is_remembered_though_the_line_drops_and_taken_once) {
  options.interrupt_delay = 1'000'000;
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    for (unsigned i = 0; i < 3; ++i) {  // three edges before the first is taken
      ucf0.raise(1);
      advance(100'000);
      ucf0.write(0xc80, 4, 1);
    }
    advance(10'000'000);
    EXPECT_EQ(host->unhandled_interrupts(), 1U);  // the handler finds nothing
    host->close(event);
  });
}

TEST_P(EdgeInterrupt, a_storm_that_takes_no_time_is_given_up) {
  options.access_latency = 0;
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    // Each time the handler starts the PMU again, another edge follows.
    bus.before = [&](const FakeBus::Access& access) {
      if (access.is_write && access.address == kUcfBase[0] + 0xe04 && access.value == 1) ucf0.raise(1);
    };
    ucf0.raise(1);
    advance(1'000);
    bus.before = nullptr;
    EXPECT_EQ(host->handled_interrupts(), 100'000U);
    EXPECT_TRUE(logged("irq 100: taken 100000 times at one instant"));
    host->close(event);
  });
}

TEST_P(EdgeInterrupt, a_line_that_stays_high_is_taken_once) {
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    ucf0.stuck = true;
    ucf0.raise(1);
    advance(10'000'000);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    host->close(event);
  });
}

}  // namespace
}  // namespace pmufab::driver_host::testing
