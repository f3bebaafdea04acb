// SPDX-License-Identifier: Apache-2.0
// CPUs go offline and come back.
#include "testbench/tests/host/driver_host_test.h"

namespace pmufab::driver_host::testing {
namespace {

using pmufab::testing::advance;

class Hotplug : public DriverHostTest {};
PMUFAB_FOR_EVERY_TEGRA410_KERNEL(Hotplug);

// contract C36
TEST_P(Hotplug, events_move_to_another_cpu_of_the_socket_and_stay_exact) {
  boot([&] {
    const EventHandle leader = open("nvidia_ucf_pmu_0", 1);
    const EventHandle member = open("nvidia_ucf_pmu_0", 2, leader, false);
    const EventHandle cmem = open("nvidia_cmem_latency_pmu_0", 0, 0, false);
    EXPECT_EQ(host->enable(leader), 0);
    ucf0.count(0, 10);
    ucf0.count(1, 20);
    cmem0.count(100, 0, 0);
    EXPECT_EQ(host->set_cpu_online(0, false), 0);
    EXPECT_EQ(content(pmu("nvidia_ucf_pmu_0"), "cpumask"), "1\n");
    EXPECT_EQ(content(pmu("nvidia_cmem_latency_pmu_0"), "cpumask"), "1\n");
    ucf0.count(0, 1);
    ucf0.count(1, 2);
    cmem0.count(11, 0, 0);
    EXPECT_EQ(value(leader), 11U);
    EXPECT_EQ(value(member), 22U);
    EXPECT_EQ(value(cmem), 111U);
    // An overflow interrupt reaches the new CPU.
    ucf0.count(0, std::uint64_t{1} << 63);
    advance(10'000'000);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    EXPECT_EQ(value(leader), 11U + (std::uint64_t{1} << 63));
    // A group stays together.
    std::vector<EventReading> readings;
    EXPECT_EQ(host->read_group(leader, readings), 0);
    EXPECT_EQ(readings.size(), 2U);
    EXPECT_EQ(host->disable(leader), 0);
    EXPECT_EQ(ucf0.enables(), 0U);
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(Hotplug, a_disabled_event_comes_back_enabled_as_in_the_kernel) {
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1);
    EXPECT_EQ(ucf0.enables(), 0U);
    EXPECT_EQ(host->set_cpu_online(0, false), 0);
    EXPECT_EQ(ucf0.enables(), 1U);
    host->close(event);
  });
}

TEST_P(Hotplug, a_cpu_that_returns_takes_nothing_back) {
  boot([&] {
    EXPECT_EQ(host->set_cpu_online(0, false), 0);
    EXPECT_EQ(host->set_cpu_online(0, false), 0);  // it is offline already
    EXPECT_EQ(host->set_cpu_online(0, true), 0);
    EXPECT_EQ(content(pmu("nvidia_ucf_pmu_0"), "cpumask"), "1\n");
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false, 0);  // any CPU of the socket is accepted
    EXPECT_GT(event, 0);
    ucf0.count(0, 4);
    EXPECT_EQ(value(event), 4U);
  });
}

TEST_P(Hotplug, without_a_cpu_on_the_socket_counting_ends_and_opening_fails) {
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_1", 1, 0, false, 2);
    ucf1.count(0, 3);
    EXPECT_EQ(host->set_cpu_online(2, false), 0);
    EXPECT_EQ(host->set_cpu_online(3, false), 0);
    EXPECT_EQ(ucf1.enables(), 0U);
    EXPECT_EQ(value(event), 3U);
    EXPECT_EQ(content(pmu("nvidia_ucf_pmu_1"), "cpumask"), "\n");
    EXPECT_EQ(open("nvidia_ucf_pmu_1", 1, 0, false, 2), kEINVAL);
    EXPECT_EQ(host->set_cpu_online(3, true), 0);
    EXPECT_EQ(content(pmu("nvidia_ucf_pmu_1"), "cpumask"), "3\n");
    EXPECT_GT(open("nvidia_ucf_pmu_1", 1, 0, false, 2), 0);
  });
}

TEST_P(Hotplug, the_last_cpu_stays) {
  boot([&] {
    for (unsigned cpu = 0; cpu < 3; ++cpu) EXPECT_EQ(host->set_cpu_online(cpu, false), 0);
    EXPECT_EQ(host->set_cpu_online(3, false), kEBUSY);
    EXPECT_EQ(host->set_cpu_online(17, false), kEINVAL);
  });
}

TEST_P(Hotplug, drivers_are_loaded_again_on_the_cpus_that_are_online) {
  boot([&] {
    EXPECT_EQ(host->set_cpu_online(0, false), 0);
    host->unload();
    EXPECT_EQ(host->set_cpu_online(2, false), 0);
    EXPECT_EQ(host->set_cpu_online(1, false), 0);
    EXPECT_EQ(host->set_cpu_online(3, false), kEBUSY) << "the last one";
    EXPECT_EQ(host->set_cpu_online(17, false), kEINVAL);
    EXPECT_EQ(host->set_cpu_online(1, true), 0);
    ASSERT_EQ(host->load(), 0);
    EXPECT_FALSE(host->is_online(0));
    EXPECT_EQ(content(pmu("nvidia_ucf_pmu_0"), "cpumask"), "1\n");
    EXPECT_EQ(content(pmu("nvidia_ucf_pmu_0"), "associated_cpus"), "0-1\n");
    EXPECT_EQ(content(pmu("nvidia_ucf_pmu_1"), "cpumask"), "3\n");
    EXPECT_EQ(host->set_cpu_online(0, true), 0);
    EXPECT_EQ(host->set_cpu_online(1, false), 0);
    EXPECT_EQ(content(pmu("nvidia_ucf_pmu_0"), "cpumask"), "0\n");
    host->unload();
    host->set_all_online();
    EXPECT_TRUE(host->is_online(1));
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(Hotplug, unloading_with_a_cpu_missing_is_clean) {
  boot([&] {
    const EventHandle event = open("nvidia_ucf_pmu_0", 1, 0, false);
    ASSERT_GT(event, 0);
    EXPECT_EQ(host->set_cpu_online(1, false), 0);
    host->unload();
    EXPECT_EQ(ucf0.enables(), 0U);
    EXPECT_EQ(host->warnings(), 0U);
  });
}

}  // namespace
}  // namespace pmufab::driver_host::testing
