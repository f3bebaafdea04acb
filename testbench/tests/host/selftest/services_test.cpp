// SPDX-License-Identifier: Apache-2.0
// What the small kernel offers beside registers and interrupts, used by a driver written for it (selftest_services.c).
#include "testbench/tests/host/selftest/services.h"

namespace pmufab::driver_host::testing {
namespace {

using ::testing::ElementsAre;

INSTANTIATE_TEST_SUITE_P(linux, Services, ::testing::ValuesIn(selftest_driver_sets()), version_name);

TEST_P(Services, timers_fire_at_the_exact_time_as_interrupts_and_start_again) {
  add_device(1);
  boot([&] {
    EXPECT_THAT(said(), ElementsAre("active 1, remaining 1000007", "cancel 1", "cancel 0"));
    bus.clear();
    pmufab::testing::advance(2'000'000'000);
    std::vector<std::uint64_t> times;
    for (const FakeBus::Access& access : bus.accesses(kBase + 0x14, 4)) times.push_back(access.when);
    // Nothing took time before. The second and third are 300 ns after the time of the first, not after its end.
    EXPECT_THAT(times, ElementsAre(1'000'007'000, 1'000'307'000, 1'000'607'000));
    const std::vector<std::string> lines = said();
    EXPECT_THAT(std::vector<std::string>(lines.begin() + 3, lines.end()),
                ElementsAre("timer at 1000007 on cpu 0, interrupts off", "forward 1",
                            "timer at 1000307 on cpu 0, interrupts off", "forward 1",
                            "timer at 1000607 on cpu 0, interrupts off"));
    host->unload();
    EXPECT_EQ(host->warnings(), 0U);
  });
}

/// Drivers wait for work with a lock held that the work takes, too, but never while it is queued.
class Deadlocks : public Services {
 protected:
  void expect_deadlock(std::uint32_t mode, const std::string& what) {
    add_device(mode);
    boot([&] {
      EXPECT_THAT(said(), ElementsAre("no deadlock"));
      EXPECT_EQ(host->warnings(), 1U);
      EXPECT_TRUE(logged("possible deadlock: " + what)) << ::testing::PrintToString(host->log());
      EXPECT_TRUE(logged("services_deadlocks() of selftest_services.c"));
    });
  }
};
INSTANTIATE_TEST_SUITE_P(linux, Deadlocks, ::testing::ValuesIn(selftest_driver_sets()), version_name);

TEST_P(Deadlocks, work_that_has_taken_the_lock_before) { expect_deadlock(14, "flush_work() with a mutex held"); }
TEST_P(Deadlocks, work_that_takes_the_lock_afterwards) { expect_deadlock(15, "cancel_work_sync() with a mutex held"); }
TEST_P(Deadlocks, work_of_a_queue) { expect_deadlock(16, "flush_workqueue() with a mutex held"); }
TEST_P(Deadlocks, a_reader_and_a_writer) { expect_deadlock(19, "flush_work() with a semaphore held"); }
TEST_P(Deadlocks, not_of_other_work_or_another_lock) { expect_said(17, ElementsAre("no deadlock")); }
TEST_P(Deadlocks, not_of_two_readers) { expect_said(18, ElementsAre("no deadlock")); }
TEST_P(Deadlocks, work_that_is_queued_then_ends_the_kernel) {
  add_device(20);
  make_host();
  run([&] {
    EXPECT_THROW(static_cast<void>(host->load()), std::runtime_error);
    EXPECT_TRUE(
        logged("Kernel panic - not syncing: deadlock: this mutex is already held, taken by services_deadlocks()"));
  });
}

TEST_P(Services, a_timer_waits_for_interrupts) {
  expect_said(13, ElementsAre("interrupts on", "timer at 20000 on cpu 0, interrupts off", "after"));
}

TEST_P(Services, timers_that_sleep_are_found) {
  add_device(10);
  boot([&] {
    pmufab::testing::advance(1'000'000);
    EXPECT_EQ(host->warnings(), 1U);
    EXPECT_TRUE(
        logged("sleeping function called from invalid context: mutex_lock() in an interrupt handler, in "
               "services_sleeping_timer() of selftest_services.c"));
  });
}

/// Timers that are due again before anything else can go on.
class TimerLockups : public Services {
 protected:
  void expect_panic(std::uint32_t mode, const std::string& text, Picoseconds least, Picoseconds most) {
    add_device(mode);
    make_host();
    run([&] {
      std::string error;
      try {
        static_cast<void>(host->load());
      } catch (const std::runtime_error& panic) {
        error = panic.what();
      }
      EXPECT_THAT(error, ::testing::HasSubstr("kernel panic in the drivers of Linux"));
      EXPECT_THAT(error, ::testing::HasSubstr("the CPU is locked up: " + text));
      EXPECT_GE(pmufab::testing::now(), least);
      EXPECT_LE(pmufab::testing::now(), most);
    });
  }
};
INSTANTIATE_TEST_SUITE_P(linux, TimerLockups, ::testing::ValuesIn(selftest_driver_sets()), version_name);

TEST_P(TimerLockups, a_timer_that_is_not_put_forward) {
  expect_panic(21,
               "100000 callbacks of timers were due at one instant, in "
               "services_timer_at_once() of selftest_services.c",
               1'000'000, 1'000'000);
}

TEST_P(TimerLockups, a_timer_that_is_due_faster_than_a_cpu_takes_it) {
  options.access_latency = 400'000;
  expect_panic(22,
               "a timer was due 1000 times in 400 us, and a CPU takes 1 us for each, in services_timer_too_soon() of "
               "selftest_services.c",
               400'000'000, 410'000'000);
}

TEST_P(TimerLockups, a_timer_that_takes_longer_than_its_interval) {
  options.access_latency = 1'200'000;
  expect_panic(22,
               "for 20 ms, interrupt handlers have let nothing else run; the last was that of a timer, in "
               "services_timer_too_soon() of selftest_services.c",
               20'000'000'000, 20'010'000'000);
}

TEST_P(TimerLockups, a_timer_list_that_starts_itself_for_the_present_tick) {
  expect_panic(23,
               "100000 callbacks of timers were due at one instant, in "
               "services_tick_at_once() of selftest_services.c",
               8'000'000'000, 8'000'000'000);
}

TEST_P(Services, waiting_takes_time_in_which_interrupts_timers_and_work_are_carried_out) {
  add_device(2);
  elaborate([&] {
    sc_core::sc_spawn([&] {
      pmufab::testing::advance(5'000'000'000);
      line.drive(true);
    });
    ASSERT_EQ(host->load(), 0);
    pmufab::testing::advance(100'000'000'000);
    EXPECT_THAT(said(), ElementsAre("completed at 5 ms", "timeout at 25 ms, left 0", "tick at 32 ms",
                                    "work at 32 ms, interrupts on", "condition at 32 ms",
                                    "no condition at 40 ms, left 0", "queued again 0", "cancelled 1",
                                    "probe ends at 40 ms", "work at 40 ms, interrupts on", "delayed work at 80 ms"));
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(Services, waiting_for_what_never_comes_is_a_panic) {
  add_device(12);
  make_host();
  constexpr Picoseconds kSecond = 1'000'000'000'000;
  run(
      [&] {
        EXPECT_THROW(static_cast<void>(host->load()), std::runtime_error);
        EXPECT_TRUE(logged("Kernel panic - not syncing: task blocked for more than 120 seconds: wait_for_completion"));
        EXPECT_EQ(pmufab::testing::now(), 120 * kSecond);
      },
      200 * kSecond);
}

TEST_P(Services, polling_ends_with_the_condition_or_after_its_time) {
  // -110 is ETIMEDOUT.
  expect_said(3, ElementsAre("poll 0 with 3 after 200 us", "poll -110 with 0 after 1000 us", "poll -110 after 35 us"));
}

TEST_P(Services, references_that_are_dropped_too_often_are_warned_of_and_stay) {
  expect_said(4,
              ElementsAre("refcount 3", "last 0", "last 0", "last 1", "not zero 0", "kref 0", "kref released", "kref 1",
                          "underflow 0", "stays 0"),
              2);
  EXPECT_TRUE(logged("refcount_t: underflow; use-after-free."));
}

TEST_P(Services, maps_of_registers_access_the_bus_and_check_what_is_accessed) {
  // -22 is EINVAL, -5 is EIO.
  expect_said(5, ElementsAre("write 0", "read 0", "value 0xf0", "update 0", "update 0", "stride -22 end -5 hidden -5",
                             "bits 1 0"));
  std::vector<std::pair<bool, std::uint64_t>> accesses;
  for (const FakeBus::Access& access : bus.accesses(kBase, 0x1000)) {
    EXPECT_EQ(access.address, kBase + 0x30);
    EXPECT_EQ(access.size, 4U);
    accesses.emplace_back(access.is_write, access.value);
  }
  // What would not change is not written.
  EXPECT_THAT(accesses,
              ElementsAre(std::pair(true, 0xf0), std::pair(false, 0xf0), std::pair(false, 0xf0), std::pair(true, 0xf5),
                          std::pair(false, 0xf5), std::pair(false, 0xf5), std::pair(false, 0xf5)));
}

TEST_P(Services, rcu_frees_after_the_readers_and_readers_do_not_sleep) {
  expect_said(7, ElementsAre("still 1", "reclaim 1", "still 0"), 1);
  EXPECT_TRUE(logged("sleeping function called from invalid context: mutex_lock() in an RCU reader that services_"));
}

TEST_P(Services, arrays_keep_pointers_by_number) {
  // -16 is EBUSY, -28 is ENOSPC.
  expect_said(8, ElementsAre("store 0", "insert -16", "alloc 0", "id 8", "entry 7: 1", "entry 8: 2",
                             "entry 1099511627776: 3", "erased 1", "then 0", "empty 1", "idr 5", "idr 6", "idr -28",
                             "number 5: 1", "number 6: 2", "scan 2", "scanned 12 0x1f", "scan 0"));
}

TEST_P(Services, notifiers_power_and_clocks_are_called_and_counted) {
  // -108 is ESHUTDOWN.
  expect_said(
      9,
      ElementsAre("told 3 with priority 9", "told 3 with priority 1", "told 4 with priority 5", "chain 0x8001",
                  "resume", "get 0", "get 1", "put", "suspend", "suspended 1", "clock -108", "clock 0 48000000"),
      2);
  EXPECT_TRUE(logged("enabling an unprepared clock of TEST0002:00"));
  EXPECT_TRUE(logged("a clock of TEST0002:00 is already disabled"));
}

}  // namespace
}  // namespace pmufab::driver_host::testing
