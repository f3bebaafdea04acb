// SPDX-License-Identifier: Apache-2.0
// CPUs go offline and come back.
#include "testbench/tests/host/driver_host_test.h"

namespace pmufab::driver_host::testing {
namespace {

class Hotplug : public DriverHostTest {};
PMUFAB_FOR_EVERY_TEGRA410_KERNEL(Hotplug);

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
