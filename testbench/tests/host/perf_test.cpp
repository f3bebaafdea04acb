// SPDX-License-Identifier: Apache-2.0
// Opening, counting, groups and multiplexing, from the perf core's side of the drivers.
#include "testbench/tests/host/driver_host_test.h"

namespace pmufab::driver_host::testing {
namespace {

using pmufab::testing::advance;
using pmufab::testing::now;

class Perf : public DriverHostTest {
 protected:
  /// A valid attribute set. Tests change it.
  PerfAttributes good() const {
    PerfAttributes attributes;
    attributes.type = type("nvidia_ucf_pmu_0");
    attributes.config = 0x111;
    return attributes;
  }
};
PMUFAB_FOR_EVERY_TEGRA410_KERNEL(Perf);

TEST_P(Perf, an_event_counts_from_enable_to_disable) {
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 0x111);
    ASSERT_GT(event, 0);
    ucf0.count(0, 100);
    EXPECT_EQ(value(event), 0U);
    EXPECT_EQ(host->enable(event), 0);
    EXPECT_EQ(ucf0.event_type(0), 0x111U);
    EXPECT_EQ(ucf0.filter(0), 0xf07U);  // nothing selected means everything
    ucf0.count(0, 42);
    EXPECT_EQ(value(event), 42U);
    ucf0.count(0, 8);
    EXPECT_EQ(host->disable(event), 0);
    ucf0.count(0, 1000);
    EXPECT_EQ(value(event), 50U);
    EXPECT_EQ(host->enable(event), 0);
    ucf0.count(0, 1);
    EXPECT_EQ(value(event), 51U);
    host->close(event);
    EXPECT_EQ(host->enable(event), kEBADF);
    EXPECT_FALSE(ucf0.runs(0));
  });
}

// contract C5
TEST_P(Perf, a_cpu_of_another_socket_is_refused) {
  boot([&] {
    EXPECT_EQ(host->open(good(), 2), kEINVAL);
    EXPECT_GT(host->open(good(), 1), 0);
    EXPECT_EQ(host->open(good(), 99), kEINVAL);
    EXPECT_EQ(host->open(good(), -1), kEINVAL);
  });
}

TEST_P(Perf, sampling_is_refused) {
  boot([&] {
    PerfAttributes attributes = good();
    attributes.sample_period = 1000;
    EXPECT_EQ(host->open(attributes, 0), kEOPNOTSUPP);
    attributes.type = type("nvidia_cmem_latency_pmu_0");
    attributes.config = 1;
    EXPECT_EQ(host->open(attributes, 0), kEOPNOTSUPP);
  });
}

TEST_P(Perf, an_event_for_a_task_is_refused) {
  boot([&] {
    EXPECT_EQ(host->open_for_task(good(), 0), kEINVAL);
    EXPECT_EQ(host->open_for_task(good(), -1), kEINVAL);
    PerfAttributes attributes = good();
    attributes.type = type("nvidia_cmem_latency_pmu_0");
    attributes.config = 1;
    EXPECT_EQ(host->open_for_task(attributes, 0), kEOPNOTSUPP);
  });
}

TEST_P(Perf, exclusion_of_a_privilege_level_is_refused) {
  boot([&] {
    PerfAttributes attributes = good();
    attributes.exclude_user = true;
    EXPECT_EQ(host->open(attributes, 0), kEINVAL);
    attributes = good();
    attributes.exclude_kernel = true;
    EXPECT_EQ(host->open(attributes, 0), kEINVAL);
    attributes = good();
    attributes.exclude_guest = true;  // perf tries this first
    EXPECT_EQ(host->open(attributes, 0), kEINVAL);
    attributes.exclude_guest = false;
    EXPECT_GT(host->open(attributes, 0), 0);
  });
}

TEST_P(Perf, unknown_pmus_events_and_handles_are_errors) {
  boot([&] {
    PerfAttributes attributes = good();
    attributes.type = 4711;
    EXPECT_EQ(host->open(attributes, 0), kENOENT);
    EXPECT_EQ(open("nvidia_cmem_latency_pmu_0", 3), kENOENT);
    EXPECT_EQ(host->open(good(), 0, 4711), kEBADF);
    EventReading ignored{};
    EXPECT_EQ(host->read(4711, ignored), kEBADF);
    EXPECT_EQ(host->disable(0), kEBADF);
    std::vector<EventReading> none;
    EXPECT_EQ(host->read_group(-1, none), kEBADF);
    host->close(4711);
  });
}

TEST_P(Perf, a_group_over_two_pmus_is_refused) {
  boot([&] {
    const EventHandle leader = open("nvidia_ucf_pmu_0", 1);
    EXPECT_EQ(open("nvidia_cmem_latency_pmu_0", 1, leader), kEINVAL);
    EXPECT_EQ(open("nvidia_ucf_pmu_1", 1, leader, true, 2), kEINVAL);
    const EventHandle member = open("nvidia_ucf_pmu_0", 2, leader);
    EXPECT_EQ(open("nvidia_ucf_pmu_0", 3, member), kEINVAL);  // a member cannot lead
  });
}

TEST_P(Perf, a_group_starts_stops_and_is_read_as_one) {
  boot([&] {
    const EventHandle leader = open("nvidia_ucf_pmu_0", 1);
    const EventHandle second = open("nvidia_ucf_pmu_0", 2, leader, false);
    const EventHandle third = open("nvidia_ucf_pmu_0", kCycles, leader, false);
    EXPECT_FALSE(ucf0.enabled());
    EXPECT_EQ(host->enable(leader), 0);
    ucf0.count(0, 10);
    ucf0.count(1, 20);
    ucf0.count(FakeCoresightPmu::kCycles, 30);
    std::vector<EventReading> readings;
    EXPECT_EQ(host->read_group(leader, readings), 0);
    ASSERT_EQ(readings.size(), 3U);
    EXPECT_EQ(readings[0].value, 10U);
    EXPECT_EQ(readings[1].value, 20U);
    EXPECT_EQ(readings[2].value, 30U);
    EXPECT_EQ(host->disable(leader), 0);
    EXPECT_EQ(ucf0.enables(), 0U);
    EXPECT_EQ(value(second), 20U);
    EXPECT_EQ(value(third), 30U);
  });
}

TEST_P(Perf, group_enable_reaches_members_that_were_opened_disabled) {
  boot([&] {
    const EventHandle leader = open("nvidia_ucf_pmu_0", 1);
    const EventHandle member = open("nvidia_ucf_pmu_0", 2, leader);
    EXPECT_EQ(host->enable(leader), 0);
    EXPECT_EQ(ucf0.enables(), 1U);
    EXPECT_EQ(host->enable(leader, true), 0);
    EXPECT_EQ(ucf0.enables(), 3U);
    EXPECT_EQ(host->disable(leader, true), 0);
    EXPECT_EQ(ucf0.enables(), 0U);
    EXPECT_EQ(host->enable(member), 0);  // its leader is disabled
    EXPECT_EQ(ucf0.enables(), 0U);
  });
}

TEST_P(Perf, members_go_on_counting_when_their_leader_is_closed) {
  boot([&] {
    const EventHandle leader = open("nvidia_ucf_pmu_0", 1);
    const EventHandle member = open("nvidia_ucf_pmu_0", 2, leader, false);
    EXPECT_EQ(host->enable(leader), 0);
    ucf0.count(1, 5);
    host->close(leader);
    ucf0.count(1, 6);
    EXPECT_EQ(value(member), 11U);
    EXPECT_EQ(host->disable(member), 0);
    EXPECT_EQ(ucf0.enables(), 0U);
  });
}

TEST_P(Perf, times_tell_how_long_an_event_was_enabled_and_on_the_hardware) {
  options.access_latency = 0;
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1);
    advance(1'000'000);
    EXPECT_EQ(reading(event).time_enabled, 0U);
    EXPECT_EQ(host->enable(event), 0);
    advance(5'000'000);
    EXPECT_EQ(reading(event).time_enabled, 5'000'000U);
    EXPECT_EQ(reading(event).time_running, 5'000'000U);
    EXPECT_EQ(host->disable(event), 0);
    advance(3'000'000);
    EXPECT_EQ(reading(event).time_enabled, 5'000'000U);
  });
}

TEST_P(Perf, a_group_that_does_not_fit_is_not_put_on_in_part) {
  boot([&] {
    std::vector<EventHandle> singles;
    for (unsigned i = 0; i < 6; ++i) singles.push_back(open("nvidia_ucf_pmu_0", i, 0, false));
    const EventHandle leader = open("nvidia_ucf_pmu_0", 10);
    const EventHandle member = open("nvidia_ucf_pmu_0", 11, leader, false);
    ASSERT_GT(member, 0);
    EXPECT_EQ(host->enable(leader), 0);
    EXPECT_EQ(ucf0.enables(), 0x3fU);
    EXPECT_EQ(reading(leader).time_running, 0U);
    host->close(singles[0]);
    host->rotate("nvidia_ucf_pmu_0");
    EXPECT_EQ(ucf0.enables(), 0x7fU);
  });
}

TEST_P(Perf, an_exclusive_group_is_on_alone) {
  boot([&] {
    PerfAttributes attributes = good();
    attributes.disabled = false;
    const EventHandle first = host->open(attributes, 0);
    attributes.exclusive = true;
    const EventHandle alone = host->open(attributes, 0);
    const EventHandle member = open("nvidia_ucf_pmu_0", 1, alone, false);
    EXPECT_EQ(host->open(attributes, 0, first), kEINVAL) << "it is for leaders to say";
    EXPECT_EQ(ucf0.enables(), 0x1U);
    EXPECT_EQ(reading(alone).time_running, 0U);
    host->rotate("nvidia_ucf_pmu_0");
    EXPECT_EQ(ucf0.enables(), 0x3U) << "it and its member";
    const Picoseconds before = reading(first).time_running;
    advance(1'000'000);
    EXPECT_EQ(reading(first).time_running, before);
    EXPECT_GT(reading(member).time_running, 0U);
    host->rotate("nvidia_ucf_pmu_0");
    EXPECT_EQ(ucf0.enables(), 0x1U);
    advance(1'000'000);
    EXPECT_GT(reading(first).time_running, before);
  });
}

TEST_P(Perf, a_pinned_event_that_does_not_fit_is_in_error_until_it_is_enabled_again) {
  boot([&] {
    PerfAttributes attributes = good();
    attributes.disabled = false;
    attributes.pinned = true;
    std::vector<EventHandle> events;
    for (unsigned i = 0; i <= FakeCoresightPmu::kCounters; ++i) events.push_back(host->open(attributes, 0));
    EXPECT_EQ(host->open(attributes, 0, events.front()), kEINVAL) << "it is for leaders to say";
    const EventHandle last = events.back();
    EXPECT_TRUE(host->in_error(last));
    EXPECT_FALSE(host->in_error(events.front()));
    EXPECT_FALSE(host->in_error(4711));
    host->close(events.front());
    host->rotate("nvidia_ucf_pmu_0");
    EXPECT_TRUE(host->in_error(last)) << "room comes too late";
    EXPECT_EQ(host->enable(last), 0);
    EXPECT_FALSE(host->in_error(last));
    EXPECT_EQ(ucf0.enables(), 0x7fU);
  });
}

TEST_P(Perf, calls_come_in_the_order_of_the_kernel) {
  CallRecorder calls;
  boot([&] {
    host->observe(&calls);
    const std::string name = "nvidia_ucf_pmu_0";
    const EventHandle first = open(name, 1);
    calls.seen.clear();
    EXPECT_EQ(host->enable(first), 0);
    EXPECT_EQ(calls.begun(name), "pmu_disable add pmu_enable");
    calls.seen.clear();
    const EventHandle second = open(name, 2, 0, false);
    EXPECT_EQ(calls.begun(name), "pmu_disable del add add pmu_enable");  // everything off and on again
    calls.seen.clear();
    ucf0.count(0, 9);
    static_cast<void>(value(first));
    EXPECT_EQ(calls.begun(name), "read");
    calls.seen.clear();
    EXPECT_EQ(host->disable(second), 0);
    EXPECT_EQ(calls.begun(name), "pmu_disable del pmu_enable");
    calls.seen.clear();
    host->close(first);
    EXPECT_EQ(calls.begun(name), "pmu_disable del pmu_enable");
    host->observe(nullptr);
  });
}

TEST_P(Perf, the_observer_learns_event_value_and_instant_of_each_call) {
  CallRecorder calls;
  options.access_latency = 10'000;
  boot([&] {
    host->observe(&calls);
    const EventHandle event = open("nvidia_ucf_pmu_1", 1, 0, false, 2);
    ucf1.count(0, 33);
    calls.seen.clear();
    const Picoseconds start = now();
    static_cast<void>(value(event));
    ASSERT_EQ(calls.seen.size(), 2U);
    const CallRecorder::Seen& begin = calls.seen[0];
    const CallRecorder::Seen& end = calls.seen[1];
    EXPECT_EQ(begin.call, PerfCallObserver::Call::read);
    EXPECT_TRUE(begin.begin);
    EXPECT_FALSE(end.begin);
    EXPECT_EQ(end.pmu, "nvidia_ucf_pmu_1");
    EXPECT_EQ(end.event, event);
    EXPECT_EQ(begin.value, 0U);
    EXPECT_EQ(end.value, 33U);
    EXPECT_EQ(begin.when, start);
    EXPECT_EQ(end.when, start + 3 * 10'000);  // high, low, high
    host->observe(nullptr);
  });
}

TEST_P(Perf, threads_wait_for_each_other) {
  boot([&] {
    const EventHandle event = open("nvidia_cmem_latency_pmu_0", 1, 0, false);
    const EventHandle other = open("nvidia_cmem_latency_pmu_1", 1, 0, false, 2);
    bus.clear();
    bool done = false;
    sc_core::sc_spawn([&] {
      EXPECT_EQ(value(other), 0U);
      done = true;
    });
    EXPECT_EQ(value(event), 0U);
    while (!done) advance(1000);
    // 14 status and 42 counter reads each, not interleaved.
    const auto first = bus.accesses(kCmemBase[0], 0x100000);
    const auto second = bus.accesses(kCmemBase[1], 0x100000);
    ASSERT_EQ(first.size(), 56U);
    ASSERT_EQ(second.size(), 56U);
    EXPECT_TRUE(first.back().when < second.front().when || second.back().when < first.front().when);
  });
}

TEST_P(Perf, a_call_from_outside_a_thread_process_is_refused) {
  make_host();
  EventReading ignored{};
  EXPECT_THROW(static_cast<void>(host->read(1, ignored)), std::logic_error);
  EXPECT_THROW(static_cast<void>(host->load()), std::logic_error);
}

}  // namespace
}  // namespace pmufab::driver_host::testing
