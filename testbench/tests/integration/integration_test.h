// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/coresight/coresight_pmu.h"
#include "testbench/host/driver_host.h"
#include "testbench/support/simulation_test.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/firmware/firmware_description.h"

/// The unmodified Linux drivers of every kernel version that was built, on the real models.
namespace pmufab::integration {

using driver_host::DriverSet;
using perf::EventHandle;
using perf::EventReading;
using perf::Pmu;

/// All driver sets with the Tegra410's drivers, oldest first.
const std::vector<DriverSet>& tegra410_driver_sets();
/// Those of kernel `version` and later.
std::vector<DriverSet> driver_sets_from(const std::string& version);
/// The kernel version as a suffix for test names.
std::string version_name(const ::testing::TestParamInfo<DriverSet>& info);

/// A story about a driver host on a bus.
class DriverTest : public testing::SimulationTest, public ::testing::WithParamInterface<DriverSet> {
 protected:
  /// The first version that knows the 64-bit layout and names generic PMUs after the firmware table.
  static constexpr const char* kKnows64BitLayout = "7.3";

  /// Load the drivers on `bus`, which must succeed, and run the story.
  void boot(MmioBus& bus, const platform::FirmwareDescription& firmware, std::function<void()> story);
  [[nodiscard]] bool kernel_is_at_least(const std::string& version) const;

  [[nodiscard]] Pmu pmu(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> pmu_names() const;
  [[nodiscard]] static std::string content(const Pmu& pmu, const std::string& path);
  /// Names of the files in a folder of sysfs ("events").
  [[nodiscard]] static std::vector<std::string> files(const Pmu& pmu, const std::string& folder);
  /// Number of lines in the kernel log that contain `part`.
  [[nodiscard]] std::size_t logged(const std::string& part) const;

  EventHandle open(const std::string& name, std::uint64_t config, std::uint64_t config1 = 0, std::uint64_t config2 = 0,
                   int cpu = 0);
  EventReading reading(EventHandle event);
  std::uint64_t value(EventHandle event) { return reading(event).value; }

  /// Register accesses in [base, base + size), offsets from `base`, since the last clear of `accesses`.
  [[nodiscard]] std::vector<MmioBus::BusAccess> accesses_to(std::uint64_t base, std::uint64_t size) const;
  /// The value of a register of `length` bytes, as a debugger reads it.
  [[nodiscard]] std::uint64_t peek(std::uint64_t address, unsigned length = 4);

  driver_host::DriverHost::Options options;
  std::uint64_t expected_warnings = 0;       ///< of the driver, in the whole story
  Picoseconds limit = kDefaultLimit;         ///< within which the story must end
  std::vector<MmioBus::BusAccess> accesses;  ///< of the driver, in order
  std::unique_ptr<driver_host::DriverHost> host;
};

/// One socket of two CPUs with the CoreSight PMUs that a test adds.
class CoreSightTest : public DriverTest {
 protected:
  static constexpr std::uint32_t kGenericPart = 0x1230043b;  ///< PMIIDR no vendor module knows
  static constexpr std::uint64_t kEvents[] = {0x10, 0x11, 0x12};
  static constexpr std::uint64_t kCycles = std::uint64_t{1} << 32;  ///< config of the cycle counter, 32-bit layout

  struct Device {
    Device(unsigned number, const coresight::CoreSightPmuOptions& options, const ClockDomain& clock,
           coresight::InputResolver resolve, InterruptTrigger trigger);

    std::array<Probe, 3> probes{Probe("a"), Probe("b"), Probe("c")};
    std::uint64_t page0;
    std::uint64_t page1;  ///< equal to page0 without a second page
    InterruptLine line;
    coresight::CoreSightPmu pmu;
  };

  CoreSightTest();

  /// Put a PMU on the bus and into the APMT. Node n has id n and type cache, and is instance n. Change node(n) before
  /// boot(). Without a resolver the probes are the events kEvents.
  void add(const coresight::CoreSightPmuOptions& options, InterruptTrigger trigger = InterruptTrigger::level,
           coresight::InputResolver resolve = {});
  platform::ApmtNode& node(unsigned number) { return firmware.apmt.at(number); }
  void boot(std::function<void()> story) { DriverTest::boot(bus, firmware, std::move(story)); }
  /// Name of the PMU of node `number`, if the node was not changed.
  [[nodiscard]] static std::string name_of(unsigned number) { return "arm_cspmu_cache_" + std::to_string(number); }

  ClockDomain clock{"clk", 1'000'000'000};
  MmioBus bus{"bus"};
  platform::FirmwareDescription firmware;
  std::deque<Probe> more_probes;  ///< of resolvers, because probes must outlive the PMUs
  std::vector<std::unique_ptr<Device>> devices;
};

}  // namespace pmufab::integration
