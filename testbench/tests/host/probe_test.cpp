// SPDX-License-Identifier: Apache-2.0
// Devices, modules, names and sysfs.
#include "testbench/tests/host/driver_host_test.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace pmufab::driver_host::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class Probe : public DriverHostTest {};
PMUFAB_FOR_EVERY_TEGRA410_KERNEL(Probe);

TEST_P(Probe, every_described_pmu_appears_under_its_documented_name) {
  boot([&] {
    EXPECT_THAT(pmu_names(), UnorderedElementsAre("nvidia_ucf_pmu_0", "nvidia_ucf_pmu_1", "nvidia_cmem_latency_pmu_0",
                                                  "nvidia_cmem_latency_pmu_1"));
    std::set<std::uint32_t> types;
    for (const Pmu& one : host->pmus()) types.insert(one.type);
    EXPECT_EQ(types.size(), 4U);
    EXPECT_GE(*types.begin(), 6U);  // lower numbers are the kernel's fixed types
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(Probe, the_vendor_module_is_loaded_because_the_probe_asks_for_it) {
  boot([&] {
    // arm_cspmu's first probe defers, asks for nvidia_cspmu, whose init attaches the devices.
    std::vector<std::string> modules;
    for (const DriverHost::LoadedModule& module : host->modules()) modules.push_back(module.name);
    ASSERT_THAT(modules, Contains("arm_cspmu_module"));
    EXPECT_EQ(modules[0], "arm_cspmu_module");
    EXPECT_EQ(modules[1], "nvidia_cspmu");
    // Two devices, each probed twice: the configuration register is read four times.
    unsigned reads = 0;
    for (const FakeBus::Access& access : bus.accesses(kUcfBase[0], 0x1000))
      reads += access.address == kUcfBase[0] + 0xe00;
    EXPECT_EQ(reads, 2U);
    EXPECT_FALSE(logged("deferred probe pending"));
  });
}

// contract C1
TEST_P(Probe, the_apmt_node_gives_pages_and_interrupt) {
  FakeCoresightPmu page0(kUcf, nullptr);
  FakeCoresightPmu page1(kUcf, nullptr);
  add_coresight(7, 0x30000000, page0, nullptr, 0, 0);
  firmware.apmt.back().base1 = 0x30001000;
  firmware.apmt.back().implementation_id = kGenericPart;  // so that its name differs from the UCF PMU's
  bus.map(0x30001000, 0x1000, page1);
  boot([&] {
    const std::vector<std::string> names = pmu_names();
    const auto found = std::find_if(names.begin(), names.end(),
                                    [](const std::string& name) { return name.starts_with("arm_cspmu_cache_"); });
    ASSERT_NE(found, names.end());
    // contract C2: the identifier comes from the table, not from the device
    EXPECT_EQ(content(pmu(*found), "identifier"), "1230043b\n");
    const EventHandle event = open(*found, 1, 0, false);
    ASSERT_GT(event, 0);
    const auto counter_writes = [&](std::uint64_t base) {
      unsigned writes = 0;
      for (const FakeBus::Access& access : bus.accesses(base, 0x100)) writes += access.is_write ? 1 : 0;
      return writes;
    };
    EXPECT_GT(counter_writes(0x30001000), 0U);
    EXPECT_EQ(counter_writes(0x30000000), 0U);
    EXPECT_EQ(host->warnings(), 0U);
  });
}

// contract C6
TEST_P(Probe, without_a_cycle_counter_the_cycles_event_is_hidden) {
  class WithoutCycles : public FakeCoresightPmu {
   public:
    using FakeCoresightPmu::FakeCoresightPmu;
    std::uint64_t read(std::uint64_t offset, unsigned size) override {
      const std::uint64_t value = FakeCoresightPmu::read(offset, size);
      return offset == 0xe00 ? value & ~(std::uint64_t{1} << 14) : value;
    }
  };
  WithoutCycles device(0x1230036B, nullptr);  // by NVIDIA, but not a product the driver knows
  add_coresight(7, 0x30000000, device, nullptr, 0, 0);
  boot([&] {
    // contract C4
    const std::vector<std::string> events = files(pmu("nvidia_uncore_pmu_0"), "events/");
    EXPECT_EQ(std::count(events.begin(), events.end(), "cycles"), 0);
    const std::vector<std::string> other = files(pmu("nvidia_ucf_pmu_0"), "events/");
    EXPECT_EQ(std::count(other.begin(), other.end(), "cycles"), 1);
  });
}

TEST_P(Probe, two_claims_of_one_memory_range_conflict) {
  firmware.devices[1].memory[3] = firmware.devices[0].memory[3];
  boot([&] {
    EXPECT_THAT(pmu_names(), Not(Contains("nvidia_cmem_latency_pmu_1")));
    EXPECT_TRUE(logged("can't request region for resource [mem 0x11003000-0x11003fff]"));
  });
}

TEST_P(Probe, unloading_leaves_nothing_and_loading_again_finds_the_same) {
  boot([&] {
    const std::vector<std::string> before = pmu_names();
    const EventHandle first = open("nvidia_ucf_pmu_0", 0x111, 0, false);
    ASSERT_GT(first, 0);
    host->unload();
    EXPECT_THAT(host->pmus(), IsEmpty());
    EXPECT_EQ(ucf0.enables(), 0U);
    EXPECT_FALSE(cmem0.runs());
    EventReading ignored{};
    EXPECT_EQ(host->read(first, ignored), kENODEV);

    ASSERT_EQ(host->load(), 0);
    EXPECT_EQ(pmu_names(), before);
    const EventHandle second = open("nvidia_ucf_pmu_0", 0x111, 0, false);
    EXPECT_GT(second, first);  // a handle is never reused
    ucf0.count(0, 5);
    EXPECT_EQ(value(second), 5U);
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(Probe, an_access_nobody_answers_is_an_external_abort_in_the_log) {
  firmware.devices[0].memory[13].base = 0x40000000;  // no device is there
  boot([&] {
    ASSERT_EQ(host->warnings(), 0U);  // the driver's probe writes only to the broadcast page
    const EventHandle event = open("nvidia_cmem_latency_pmu_0", 1, 0, false);
    const std::uint64_t warnings = host->warnings();
    // The status also reads all ones, which the driver takes for overflows. The three counters add 3 x -1.
    EXPECT_EQ(value(event), static_cast<std::uint64_t>(-3));
    EXPECT_EQ(host->warnings(), warnings + 4);
    EXPECT_TRUE(
        logged("<4>WARNING: external abort: 8-byte read at 0x0000000040000810 answered "
               "TLM_ADDRESS_ERROR_RESPONSE"));
    EXPECT_TRUE(logged("MC0 request counter overflow"));
  });
}

TEST_P(Probe, a_register_access_takes_the_configured_time) {
  options.access_latency = 70'000;
  boot([&] {
    const EventHandle event = open("nvidia_cmem_latency_pmu_0", 0, 0, false);
    const Picoseconds start = pmufab::testing::now();
    static_cast<void>(value(event));  // status and cycle counter of instance 0
    EXPECT_EQ(pmufab::testing::now() - start, 2 * 70'000U);
  });
}

TEST_P(Probe, two_hosts_of_one_version_do_not_share_variables) {
  FakeBus other_bus("other_bus");
  DriverHost other("other", GetParam(), options);
  other.bus.bind(other_bus.socket);
  platform::FirmwareDescription nothing;
  nothing.cpus = firmware.cpus;
  other.describe(nothing);
  boot([&] {
    ASSERT_EQ(other.load(), 0);
    EXPECT_THAT(other.pmus(), IsEmpty());
    EXPECT_EQ(host->pmus().size(), 4U);
  });
}

/// The same platform under every kernel, with the drivers each kernel has.
class AnyKernel : public DriverHostTest {};
PMUFAB_FOR_EVERY_SET(AnyKernel, all_driver_sets());

TEST_P(AnyKernel, devices_without_a_driver_are_left_alone) {
  boot([&] {
    std::size_t expected = 0;
    if (GetParam().holds("arm_cspmu_module")) expected += 2;
    if (GetParam().holds("nvidia_t410_cmem_latency_pmu")) expected += 2;
    EXPECT_EQ(host->pmus().size(), expected);
    EXPECT_EQ(host->modules().size(), GetParam().modules.size() - (GetParam().holds("apmt") ? 1 : 0));
    EXPECT_EQ(host->warnings(), 0U);
    host->unload();
    EXPECT_EQ(host->warnings(), 0U);
  });
}

class AnyCoresight : public DriverHostTest {};
PMUFAB_FOR_EVERY_SET(AnyCoresight, sets_that_hold(all_driver_sets(), {"arm_cspmu_module"}));

TEST_P(AnyCoresight, pmus_count_also_where_they_have_another_name) {
  boot([&] {
    const Pmu first = host->pmus().front();
    PerfAttributes attributes;
    attributes.type = first.type;
    attributes.config = kCycles;
    const EventHandle cycles = host->open(attributes, 0);
    ASSERT_GT(cycles, 0);
    ASSERT_EQ(host->enable(cycles), 0);
    ucf0.count(FakeCoresightPmu::kCycles, 1234);
    ucf1.count(FakeCoresightPmu::kCycles, 1234);  // one of the two, depending on the order
    EXPECT_EQ(value(cycles), 1234U);
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST(DriverSets, a_folder_without_drivers_says_how_to_get_them) {
  try {
    static_cast<void>(find_driver_sets("/nonexistent"));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("tools/fetch-linux-sources"));
  }
}

TEST(DriverSets, versions_are_sorted_by_number) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "driver_sets_test";
  for (const char* version : {"7.10.1", "7.9.12", "7.9.3", "6.12.117"}) {
    std::filesystem::create_directories(folder / version);
    std::ofstream(folder / version / "pmufab_drivers.so") << "x";
  }
  std::filesystem::create_directories(folder / "7.11");  // did not build
  std::vector<std::string> versions;
  for (const DriverSet& set : find_driver_sets(folder)) versions.push_back(set.kernel_version);
  std::filesystem::remove_all(folder);
  EXPECT_THAT(versions, ElementsAre("6.12.117", "7.9.3", "7.9.12", "7.10.1"));
}

TEST(DriverSets, the_manifest_tells_which_modules_a_set_has) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "driver_sets_manifest_test";
  const auto add = [&](const std::string& version, const std::string& manifest) {
    std::filesystem::create_directories(folder / version);
    std::ofstream(folder / version / "pmufab_drivers.so") << "x";
    if (!manifest.empty()) std::ofstream(folder / version / "manifest.txt") << manifest;
  };
  add("6.1.192", "kernel 6.1.192\nflags -O2 driver\ndriver arm_cmn 0123 drivers/perf/arm-cmn.c\n");
  add("7.2.13", "kernel 7.2.13\ndriver nvidia_cspmu 4567 a b.c\ndriver arm_cmn 89ab drivers/perf/arm-cmn.c\n");
  add("7.3.4", "");
  const std::vector<DriverSet> sets = find_driver_sets(folder);
  std::filesystem::remove_all(folder);
  ASSERT_EQ(sets.size(), 3U);
  EXPECT_THAT(sets[0].modules, ElementsAre("arm_cmn"));
  EXPECT_THAT(sets[1].modules, ElementsAre("nvidia_cspmu", "arm_cmn"));
  EXPECT_THAT(sets[2].modules, IsEmpty());
  EXPECT_TRUE(sets[0].holds("arm-cmn"));  // the name of the file
  EXPECT_FALSE(sets[0].holds("arm"));
  EXPECT_FALSE(sets[0].holds("nvidia_cspmu"));

  const auto versions_with = [&](const std::vector<std::string_view>& modules) {
    std::vector<std::string> versions;
    for (const DriverSet& set : sets_that_hold(sets, modules)) versions.push_back(set.kernel_version);
    return versions;
  };
  EXPECT_THAT(versions_with({"arm_cmn"}), ElementsAre("6.1.192", "7.2.13", "7.3.4"));
  EXPECT_THAT(versions_with({"arm_cmn", "nvidia_cspmu"}), ElementsAre("7.2.13", "7.3.4"));
  EXPECT_THAT(versions_with({"cxl_pmu"}), ElementsAre("7.3.4")) << "it is not known what that holds";
  EXPECT_THAT(versions_with({}), ElementsAre("6.1.192", "7.2.13", "7.3.4"));
}

TEST(DriverSets, there_are_drivers_and_every_kernel_that_was_fetched_builds) {
  EXPECT_FALSE(all_driver_sets().empty()) << "run tools/fetch-linux-sources, then build again";
  for (const auto& entry : std::filesystem::directory_iterator(PMUFAB_DRIVERS_DIR)) {
    std::ifstream failed(entry.path() / "FAILED");
    if (failed) ADD_FAILURE() << failed.rdbuf();
  }
}

TEST(DriverSets, a_file_that_is_no_driver_module_is_refused) {
  const DriverSet wrong{"/proc/self/exe", "7.2"};
  EXPECT_THROW(DriverHost("host", wrong, {}), std::runtime_error);
}

}  // namespace
}  // namespace pmufab::driver_host::testing
