// SPDX-License-Identifier: Apache-2.0
// arm-cmn of every kernel version on the driver host: claims, interrupts and CPUs that no shipped platform has. What it
// finds of a mesh, publishes and counts is tested with the models.
#include <algorithm>

#include "testbench/tests/host/driver_host_test.h"
#include "testbench/tests/host/fake_cmn.h"

namespace pmufab::driver_host::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<DriverSet> cmn_driver_sets() { return sets_that_hold(all_driver_sets(), {"arm_cmn"}); }

/// Two sockets of two CPUs, and meshes that a test adds.
class Cmn : public DriverHostTest {
 protected:
  static constexpr std::uint64_t kBase = 0x40000000;
  static constexpr std::uint64_t kDtcCycles = 0x3;  ///< config of dtc_cycles: the node type is the DTC's, event 0

  Cmn() {
    firmware.apmt.clear();
    firmware.devices.clear();
  }

  /// A device with one mesh in its window and one interrupt for each DTC.
  platform::AcpiDevice& describe(const FakeCmn::Options& shape, std::vector<InterruptLine*> lines = {}) {
    if (lines.empty()) lines.push_back(&line0);
    platform::AcpiDevice device;
    const std::uint64_t base = kBase + meshes.size() * FakeCmn::kWindow;
    device.memory.push_back({.base = base, .size = FakeCmn::kWindow});
    for (std::size_t i = 0; i < lines.size(); ++i)
      device.interrupts.push_back({.number = static_cast<std::uint32_t>(300 + i), .line = lines[i]});
    meshes.push_back(std::make_unique<FakeCmn>(shape, lines));
    bus.map(base, FakeCmn::kWindow, *meshes.back());
    firmware.devices.push_back(device);
    return firmware.devices.back();
  }
  platform::AcpiDevice& add_device_tree(const FakeCmn::Options& shape = {}, std::vector<InterruptLine*> lines = {}) {
    platform::AcpiDevice& device = describe(shape, std::move(lines));
    device.compatible = "arm,cmn-600";
    device.properties["arm,root-node"] = static_cast<std::uint32_t>(shape.root);
    return device;
  }
  platform::AcpiDevice& add_acpi(const std::string& hid, const FakeCmn::Options& shape = {}) {
    platform::AcpiDevice& device = describe(shape);
    device.hid = hid;
    device.uid = std::to_string(meshes.size() - 1);
    return device;
  }

  /// Part number and revision, which the driver of Linux 6.1 does not show.
  void expect_identifier(const Pmu& pmu, const std::string& text) const {
    EXPECT_EQ(content(pmu, "identifier"), kernel_is_at_least(6, 12) ? text + "\n" : "(no such file)");
  }
  [[nodiscard]] FakeCmn& mesh(std::size_t index = 0) const { return *meshes.at(index); }
  /// Values written to a register since the bus was cleared.
  [[nodiscard]] std::vector<std::uint64_t> written(std::uint64_t offset) const {
    std::vector<std::uint64_t> values;
    for (const FakeBus::Access& access : bus.accesses(kBase + offset, 4))
      if (access.is_write) values.push_back(access.value);
    return values;
  }

  /// One event more than there are counters, spread over the XPs.
  std::vector<EventHandle> open_nine(const std::string& name, int cpu) {
    std::vector<EventHandle> events;
    for (std::uint64_t i = 0; i < FakeCmn::kCounters + 1; ++i) {
      const std::uint64_t xp = mesh().xp_id(static_cast<unsigned>(i % 4));
      const std::uint64_t config = 0x6 | (1 + i % 3) << 16 | std::uint64_t{1} << 31 | xp << 32;
      events.push_back(open(name, config, 0, false, cpu));
      EXPECT_GT(events.back(), 0);
    }
    return events;
  }

  std::vector<std::unique_ptr<FakeCmn>> meshes;
};
PMUFAB_FOR_EVERY_SET(Cmn, cmn_driver_sets());

TEST_P(Cmn, hardware_ids_that_came_with_later_kernels_find_a_driver_there_alone) {
  // Linux 6.12 introduced CMN S3, and 7.3 Amazon's firmware name for its own.
  add_acpi("ARMHC003", {.part = 0x43e, .root = 0});
  add_acpi("AMZN0070", {.part = 0x43e, .root = 0});
  firmware.devices[1].interrupts[0] = {.number = 310, .line = &line1};
  boot([&] {
    const bool knows_s3 = kernel_is_at_least(6, 12);
    const bool knows_amazon = kernel_is_at_least(7, 3);
    EXPECT_EQ(host->pmus().size(), (knows_s3 ? 1U : 0U) + (knows_amazon ? 1U : 0U));
    for (const Pmu& one : host->pmus()) expect_identifier(one, "43e00");
    // The match data (a made-up part number) reached the driver: it stands for the S3, so there is no warning.
    EXPECT_FALSE(logged("binding mismatch"));
  });
}

TEST_P(Cmn, a_device_tree_without_root_offset_or_interrupt_fails_the_probe) {
  add_device_tree().properties.clear();
  add_device_tree().interrupts.clear();
  boot([&] {
    EXPECT_THAT(pmu_names(), IsEmpty());
    EXPECT_TRUE(logged("40000000.arm,cmn-600: probe with driver arm-cmn failed with error -22"));
    EXPECT_TRUE(logged("44000000.arm,cmn-600: error -6: IRQ index 0 not found"));
  });
}

TEST_P(Cmn, one_window_is_claimed_once) {
  add_acpi("ARMHC700", {.part = 0x43c, .root = 0});
  firmware.devices.push_back(firmware.devices[0]);
  firmware.devices[1].interrupts[0] = {.number = 310, .line = &line1};
  boot([&] {
    EXPECT_THAT(pmu_names(), ElementsAre("arm_cmn_0"));
    EXPECT_TRUE(logged("ARMHC700:01: probe with driver arm-cmn failed with error -16"));
  });
}

TEST_P(Cmn, a_probe_that_fails_late_gives_its_claims_back) {
  // The first device of the window lacks the second trace controller's interrupt. The driver notices this after it has
  // claimed the first one's registers.
  InterruptLine other("overflow_of_dtc1");
  describe({.part = 0x43c, .root = 0}, {&line0, &other});
  firmware.devices[0].hid = "ARMHC700";
  platform::AcpiDevice lacking = firmware.devices[0];
  lacking.interrupts.pop_back();
  firmware.devices.insert(firmware.devices.begin(), lacking);
  boot([&] {
    EXPECT_TRUE(logged("ARMHC700:00: error -6: IRQ index 1 not found"));
    EXPECT_THAT(pmu_names(), ElementsAre("arm_cmn_0"));
    EXPECT_FALSE(logged("failed with error -16"));
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(Cmn, unloading_stops_the_trace_controller) {
  add_device_tree();
  boot([&] {
    const EventHandle cycles = open("arm_cmn_0", kDtcCycles, 0, false);
    ASSERT_GT(cycles, 0);
    EXPECT_TRUE(mesh().runs());
    bus.clear();
    host->unload();
    EXPECT_THAT(written(mesh().dtc(0) + FakeCmn::kDtcControl), Contains(0U));
    EXPECT_FALSE(mesh().runs());
    EXPECT_THAT(host->debugfs(), IsEmpty());
    EXPECT_EQ(host->warnings(), 0U);
    ASSERT_EQ(host->load(), 0);
    EXPECT_THAT(pmu_names(), ElementsAre("arm_cmn_0"));
  });
}

TEST_P(Cmn, meshes_of_two_sockets_take_turns_apart) {
  add_device_tree().node = 0;
  add_device_tree().node = 1;
  firmware.devices[1].interrupts[0] = {.number = 310, .line = &line1};
  boot([&] {
    const std::vector<EventHandle> first = open_nine("arm_cmn_0", 0);
    const std::vector<EventHandle> second = open_nine("arm_cmn_1", 2);
    sc_core::wait(1, sc_core::SC_MS);
    host->rotate("arm_cmn_1");
    sc_core::wait(1, sc_core::SC_MS);
    EXPECT_EQ(reading(first[8]).time_running, 0U);
    EXPECT_GE(reading(second[8]).time_running, Picoseconds{1'000'000'000});
    host->rotate("arm_cmn_0");
    sc_core::wait(1, sc_core::SC_MS);
    EXPECT_GE(reading(first[8]).time_running, Picoseconds{1'000'000'000});
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(Cmn, two_meshes_cannot_share_an_interrupt) {
  add_device_tree();
  add_device_tree();
  boot([&] {
    EXPECT_THAT(pmu_names(), ElementsAre("arm_cmn_0"));
    EXPECT_TRUE(logged("44000000.arm,cmn-600: probe with driver arm-cmn failed with error -16"));
  });
}

TEST_P(Cmn, events_belong_to_a_cpu_of_the_meshs_node_and_move_when_it_goes) {
  add_device_tree().node = 1;  // CPUs 2 and 3
  boot([&] {
    EXPECT_EQ(content(pmu("arm_cmn_0"), "cpumask"), "2\n");
    const EventHandle event = open("arm_cmn_0", kDtcCycles, 0, false, 2);
    ASSERT_GT(event, 0);
    mesh().cycle(0, 11);
    ASSERT_EQ(host->set_cpu_online(2, false), 0);
    EXPECT_EQ(content(pmu("arm_cmn_0"), "cpumask"), "3\n");
    mesh().cycle(0, 12);
    EXPECT_EQ(value(event), 23U);
    // If no CPU of the node is left, any other one takes over.
    ASSERT_EQ(host->set_cpu_online(3, false), 0);
    EXPECT_EQ(content(pmu("arm_cmn_0"), "cpumask"), "0\n");
    mesh().cycle(0, (1ULL << 39) + 100);  // and the interrupt arrives there
    sc_core::wait(1, sc_core::SC_US);
    EXPECT_EQ(value(event), (1ULL << 39) + 123);
    ASSERT_EQ(host->set_cpu_online(3, true), 0);
    EXPECT_EQ(content(pmu("arm_cmn_0"), "cpumask"), "3\n");
    EXPECT_EQ(value(event), (1ULL << 39) + 123);
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(Cmn, sampling_and_task_events_are_refused) {
  add_device_tree();
  boot([&] {
    PerfAttributes attributes;
    attributes.type = type("arm_cmn_0");
    attributes.config = kDtcCycles;
    EXPECT_EQ(host->open_for_task(attributes, 0), kEINVAL);
    attributes.sample_period = 1000;
    EXPECT_EQ(host->open(attributes, 0), kEINVAL);
    attributes.sample_period = 0;
    attributes.exclude_user = true;
    EXPECT_EQ(host->open(attributes, 0), kEINVAL);
  });
}

}  // namespace
}  // namespace pmufab::driver_host::testing
