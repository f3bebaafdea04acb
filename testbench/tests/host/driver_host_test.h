// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/host/driver_host.h"
#include "testbench/support/simulation_test.h"
#include "testbench/tests/host/fake_devices.h"

namespace pmufab::driver_host::testing {

constexpr std::uint32_t kUcf = 0x2CF2036B;          ///< PMIIDR of a Tegra410 UCF PMU
constexpr std::uint32_t kGenericPart = 0x1230043B;  ///< unknown to all vendor modules
constexpr int kEINVAL = -22, kENOENT = -2, kEOPNOTSUPP = -95, kEBADF = -9, kENODEV = -19, kEBUSY = -16;

/// Two sockets of two CPUs (0, 1 and 2, 3), with a UCF PMU and a CMEM latency PMU each. A test may add to `firmware`
/// before it calls boot().
class DriverHostTest : public pmufab::testing::SimulationTest, public ::testing::WithParamInterface<DriverSet> {
 protected:
  static constexpr std::uint64_t kUcfBase[2] = {0x10000000, 0x20000000};
  static constexpr std::uint64_t kCmemBase[2] = {0x11000000, 0x21000000};
  static constexpr std::uint64_t kCycles = std::uint64_t{1} << 32;  ///< config of the CoreSight cycle counter

  explicit DriverHostTest(InterruptTrigger trigger = InterruptTrigger::level);

  /// Make the host and run the story after host->load(), which must succeed.
  void boot(std::function<void()> story);
  /// Make the host without simulating.
  void make_host();
  /// As boot(), but the story loads the drivers.
  void elaborate(std::function<void()> story);

  [[nodiscard]] bool kernel_is_at_least(unsigned major, unsigned minor) const;
  [[nodiscard]] Pmu pmu(const std::string& name) const;
  [[nodiscard]] std::uint32_t type(const std::string& name) const { return pmu(name).type; }
  [[nodiscard]] std::vector<std::string> pmu_names() const;
  /// Names of a PMU's files below a folder ("events/"), without the folder.
  [[nodiscard]] static std::vector<std::string> files(const Pmu& pmu, const std::string& folder);
  [[nodiscard]] static std::string content(const Pmu& pmu, const std::string& path);
  [[nodiscard]] bool logged(const std::string& part) const;

  EventHandle open(const std::string& name, std::uint64_t config, EventHandle leader = 0, bool disabled = true,
                   int cpu = 0);
  std::uint64_t value(EventHandle event);
  EventReading reading(EventHandle event);

  void add_coresight(std::uint32_t id, std::uint64_t base, FakeCoresightPmu& device, InterruptLine* line,
                     std::uint32_t number, std::uint32_t container);
  void add_cmem(unsigned socket, FakeCmem& device);

  DriverHost::Options options;
  platform::FirmwareDescription firmware;
  FakeBus bus{"bus"};
  InterruptLine line0;
  InterruptLine line1;
  FakeCoresightPmu ucf0{kUcf, &line0};
  FakeCoresightPmu ucf1{kUcf, &line1};
  FakeCmem cmem0;
  FakeCmem cmem1;
  std::unique_ptr<DriverHost> host;
};

/// The kernel version as a suffix for test names.
std::string version_name(const ::testing::TestParamInfo<DriverSet>& info);
/// Every driver set that was built.
const std::vector<DriverSet>& all_driver_sets();
/// Driver sets with every driver that DriverHostTest's own devices need.
std::vector<DriverSet> tegra410_driver_sets();

#define PMUFAB_FOR_EVERY_SET(fixture, sets) \
  INSTANTIATE_TEST_SUITE_P(linux, fixture, ::testing::ValuesIn(sets), pmufab::driver_host::testing::version_name)
#define PMUFAB_FOR_EVERY_TEGRA410_KERNEL(fixture) \
  PMUFAB_FOR_EVERY_SET(fixture, pmufab::driver_host::testing::tegra410_driver_sets())

/// Records every call of the perf core.
class CallRecorder : public PerfCallObserver {
 public:
  struct Seen {
    Call call;
    bool begin;
    std::string pmu;
    EventHandle event;
    std::uint64_t value;
    Picoseconds when;
  };
  void on_call(Call call, bool begin, const std::string& pmu, EventHandle event, std::uint64_t value,
               Picoseconds when) override {
    seen.push_back({call, begin, pmu, event, value, when});
  }
  /// Names of the calls that began for one PMU, for example "pmu_disable add pmu_enable".
  [[nodiscard]] std::string begun(const std::string& pmu) const;
  std::vector<Seen> seen;
};

}  // namespace pmufab::driver_host::testing
