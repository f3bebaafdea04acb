// SPDX-License-Identifier: Apache-2.0
// The Tegra410 platform under the drivers.
#include <algorithm>

#include "models/platform/platform.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/tests/integration/tegra410_gpu.h"
#include "testbench/tests/integration/integration_test.h"

namespace pmufab::integration {
namespace {

using testing::advance;
using ::testing::Contains;
using ::testing::Not;
using testing::now;
using ::testing::UnorderedElementsAre;

class Tegra410Pmus : public DriverTest {
 protected:
  static constexpr std::uint64_t kCycles = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kCmemCycles = 0, kRequests = 1, kOutstanding = 2;

  static std::uint64_t cmem(unsigned socket, std::uint64_t line) {
    return (std::uint64_t{socket} << 44) + 0x80'0000'0000 + line * 64;
  }
  /// A line of CMEM behind controller `controller` of instance `instance`. Line L is at instance L mod 14 and
  /// controller (L / 14) mod 3. Addresses start at a line that is the first of both.
  static std::uint64_t behind(unsigned instance, unsigned controller) {
    constexpr std::uint64_t kFirst = 0x80'0000'0000 / 64;
    std::uint64_t line = 0;
    while ((kFirst + line) % 14 != instance || (kFirst + line) / 14 % 3 != controller) ++line;
    return cmem(0, line);
  }

  void build(const platform::PlatformSpec& spec) {
    machine = std::make_unique<platform::Platform>("platform", spec);
    for (unsigned socket = 0; socket < spec.sockets; ++socket) {
      gpus.push_back(std::make_unique<Gpu>(("gpu" + std::to_string(socket)).c_str(), *machine, socket));
    }
    firmware = machine->firmware();
  }
  static platform::PlatformSpec small(unsigned sockets) {
    platform::PlatformSpec spec = platform::tegra410_platform();
    spec.sockets = sockets;
    spec.cpus_per_socket = 2;
    spec.edit<platform::Tegra410Spec>().clusters = 2;
    spec.edit<platform::Tegra410Spec>().pcie.root_complexes.emplace();  // none: their PMUs have tests of their own
    return spec;
  }
  void boot(std::function<void()> story) { DriverTest::boot(machine->bus(), firmware, std::move(story)); }

  [[nodiscard]] std::vector<std::string> ucf_and_cmem_pmus() const {
    std::vector<std::string> names = pmu_names();
    std::erase_if(names, [](const std::string& name) {
      return name.find("_ucf_") == std::string::npos && name.find("_cmem_") == std::string::npos;
    });
    return names;
  }

  /// Lines that the kernel log gains while `action` runs.
  std::vector<std::string> new_lines(const std::function<void()>& action) {
    const std::size_t before = host->log().size();
    action();
    return {host->log().begin() + static_cast<std::ptrdiff_t>(before), host->log().end()};
  }
  static std::size_t lines_with(const std::vector<std::string>& lines, const std::string& part) {
    return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.starts_with("<4>") && line.find(part) != std::string::npos;
    }));
  }

  std::unique_ptr<platform::Platform> machine;
  std::vector<std::unique_ptr<Gpu>> gpus;
  platform::FirmwareDescription firmware;
};
INSTANTIATE_TEST_SUITE_P(linux, Tegra410Pmus, ::testing::ValuesIn(tegra410_driver_sets()), version_name);

// contract C3
TEST_P(Tegra410Pmus, are_named_after_the_socket_of_their_cpus) {
  build(small(3));
  std::swap(firmware.apmt[0].processor_affinity, firmware.apmt[2].processor_affinity);
  boot([&] {
    EXPECT_THAT(ucf_and_cmem_pmus(), UnorderedElementsAre("nvidia_ucf_pmu_0", "nvidia_ucf_pmu_1", "nvidia_ucf_pmu_2",
                                                          "nvidia_cmem_latency_pmu_0", "nvidia_cmem_latency_pmu_1",
                                                          "nvidia_cmem_latency_pmu_2"));
    const EventHandle zero = open("nvidia_ucf_pmu_0", 0x111, 0, 0, 0);
    const EventHandle two = open("nvidia_ucf_pmu_2", 0x111, 0, 0, 4);
    gpus[0]->read(cmem(0, 0), 64, 12);  // at the fabric whose PMU the table gives to socket 2
    EXPECT_EQ(value(zero), 0U);
    EXPECT_EQ(value(two), 12U);
  });
}

// contract C47
TEST_P(Tegra410Pmus, are_found_with_the_32_bit_layout) {
  platform::PlatformSpec spec = small(2);
  spec.edit<platform::Tegra410Spec>().ucf_pmu.atomic_64bit =
      false;  // so that only the 64-bit layout makes 8-byte accesses
  build(spec);
  boot([&] {
    EXPECT_THAT(ucf_and_cmem_pmus(), UnorderedElementsAre("nvidia_ucf_pmu_0", "nvidia_ucf_pmu_1",
                                                          "nvidia_cmem_latency_pmu_0", "nvidia_cmem_latency_pmu_1"));
    for (unsigned socket = 0; socket < 2; ++socket) {
      const std::string name = "nvidia_ucf_pmu_" + std::to_string(socket);
      const std::uint64_t page0 = machine->firmware().apmt[socket].base0;
      const int cpu = static_cast<int>(socket * 2);
      EXPECT_THAT(files(pmu(name), "events"), Contains("cycles"));
      EXPECT_EQ(content(pmu(name), "format/event"), "config:0-32\n");
      const EventHandle reads = open(name, 0x111, 0, 0, cpu);
      const EventHandle bytes = open(name, 0x113, 0, 0, cpu);
      const EventHandle gpu_alone = open(name, 0x111, 0x101, 0, cpu);  // loc_noncpu to loc_cmem
      const EventHandle cycles = open(name, kCycles, 0, 0, cpu);
      gpus[socket]->read(cmem(socket, 3), 32, 40);
      gpus[1 - socket]->read(cmem(socket, 3), 64, 2);  // remote
      advance(1'000'000);
      EXPECT_EQ(value(reads), 42U);
      EXPECT_EQ(value(bytes), 40U * 32 + 2 * 64);
      EXPECT_EQ(value(gpu_alone), 40U);
      EXPECT_GE(value(cycles), 2'400U);  // at least one microsecond, at 2.4 GHz

      bool fourth_type = false;
      bool started = false;
      for (const MmioBus::BusAccess& access : accesses_to(page0, 0x2000)) {
        EXPECT_EQ(access.length, 4U) << std::hex << access.address;
        if (!access.is_write) continue;
        EXPECT_NE(access.address, 0xe10U);
        started = started || (access.address == 0xe04 && access.data == 1);
        fourth_type = fourth_type || (access.address == 0x400 + 2 * 4 && access.data == 0x111);
      }
      EXPECT_TRUE(started);
      EXPECT_TRUE(fourth_type);  // the third event, four bytes behind the second
      EXPECT_EQ(
          machine->get<platform::Tegra410Part>().pmu("socket" + std::to_string(socket) + ".ucf_pmu").guest_errors(),
          0U);
    }
  });
}

// contract D1
TEST_P(Tegra410Pmus, of_cmem_latency_need_all_fifteen_memory_resources) {
  build(small(2));
  ASSERT_EQ(firmware.devices[1].memory.size(), 15U);
  firmware.devices[1].memory.pop_back();
  boot([&] {
    EXPECT_THAT(pmu_names(), Not(Contains("nvidia_cmem_latency_pmu_1")));
    EXPECT_EQ(logged("Failed map broadcast address"), 1U);
    const EventHandle requests = open("nvidia_cmem_latency_pmu_0", kRequests);  // the other PMU works
    gpus[0]->read(cmem(0, 0), 64, 5);
    advance(10'000'000);
    EXPECT_EQ(value(requests), 10U);  // of 32 bytes
  });
}

// contract D1
TEST_P(Tegra410Pmus, of_cmem_latency_take_a_decimal_or_hexadecimal_unit_id) {
  build(small(3));
  firmware.devices[0].uid = "0x2";
  firmware.devices[1].uid = "0";
  firmware.devices[2].uid = "0x1";
  boot([&] {
    EXPECT_THAT(ucf_and_cmem_pmus(), UnorderedElementsAre("nvidia_ucf_pmu_0", "nvidia_ucf_pmu_1", "nvidia_ucf_pmu_2",
                                                          "nvidia_cmem_latency_pmu_0", "nvidia_cmem_latency_pmu_1",
                                                          "nvidia_cmem_latency_pmu_2"));
    EXPECT_EQ(content(pmu("nvidia_cmem_latency_pmu_2"), "associated_cpus"), "4-5\n");
    const EventHandle two = open("nvidia_cmem_latency_pmu_2", kRequests, 0, 0, 4);
    gpus[0]->read(cmem(0, 0), 64, 7);  // the device that reports unit 2
    advance(10'000'000);
    EXPECT_EQ(value(two), 14U);  // of 32 bytes
  });
}

// contract D1
TEST_P(Tegra410Pmus, of_cmem_latency_need_cpus_on_their_socket) {
  build(small(2));
  firmware.devices[1].uid = "5";
  boot([&] {
    EXPECT_THAT(ucf_and_cmem_pmus(),
                UnorderedElementsAre("nvidia_ucf_pmu_0", "nvidia_ucf_pmu_1", "nvidia_cmem_latency_pmu_0"));
  });
}

// contract D6
TEST_P(Tegra410Pmus, of_cmem_latency_have_no_event_three) {
  constexpr int kENOENT = -2;
  build(small(1));
  boot([&] {
    for (const std::uint64_t code : {kCmemCycles, kRequests, kOutstanding}) {
      const EventHandle event = open("nvidia_cmem_latency_pmu_0", code);
      EXPECT_GT(event, 0) << code;
      host->close(event);
    }
    EXPECT_EQ(open("nvidia_cmem_latency_pmu_0", 3), kENOENT);
    EXPECT_THAT(files(pmu("nvidia_cmem_latency_pmu_0"), "events"),
                UnorderedElementsAre("cycles", "rd_req", "rd_cum_outs"));
  });
}

// contract D9
TEST_P(Tegra410Pmus, of_cmem_latency_keep_a_64_bit_count_through_an_overflow) {
  __extension__ using Wide = unsigned __int128;
  constexpr std::uint64_t kBase = 0x1010'0000;
  constexpr unsigned kParts = 0xffff'ffff;
  constexpr Picoseconds kDuration = Picoseconds{1} << 33;
  ClockDomain fast("fast", 1'000'000'000'000);  // an edge every picosecond: 64 bits wrap in a few milliseconds
  tegra410::CmemLatencyPmu device("cmem", {.width = 64}, fast);
  MmioBus bus("bus");
  bus.map("cmem", kBase, 15 * 0x1000, device.socket);
  firmware.cpus.push_back({.uid = 0, .container_uid = 0, .node = 0});
  platform::AcpiDevice acpi;
  acpi.hid = "NVDA2021";
  acpi.uid = "0";
  for (unsigned window = 0; window < 15; ++window)
    acpi.memory.push_back({kBase + window * std::uint64_t{0x1000}, 0x1000});
  firmware.devices.push_back(acpi);
  DriverTest::boot(bus, firmware, [&] {
    const EventHandle requests = open("nvidia_cmem_latency_pmu_0", kRequests);
    const EventHandle outstanding = open("nvidia_cmem_latency_pmu_0", kOutstanding);
    const Picoseconds start = now() + 1'000;
    device.read({.instance = 3, .controller = 1}, kParts, now(), start, start + kDuration);
    device.read({.instance = 0, .controller = 0}, 7, now(), start, start + 100);
    advance(kDuration + 10'000);
    const Wide exact = Wide{kParts} * kDuration + 7 * 100;
    ASSERT_GT(exact, Wide{~std::uint64_t{0}});
    for (unsigned i = 0; i < 2; ++i) {
      const std::vector<std::string> lines =
          new_lines([&] { EXPECT_EQ(value(outstanding), static_cast<std::uint64_t>(exact)); });
      EXPECT_EQ(lines.size(), 1U);
      EXPECT_EQ(lines_with(lines, "MC1 AOR counter overflow"), 1U);
      EXPECT_EQ(new_lines([&] { EXPECT_EQ(value(requests), std::uint64_t{kParts} + 7); }).size(), 0U);
    }
    // Stopping clears the counter. After a new start, counts are added.
    EXPECT_EQ(host->disable(requests), 0);
    device.read({.instance = 3, .controller = 1}, 2, now(), now() + 1'000, now() + 1'500);
    advance(10'000);
    EXPECT_EQ(
        new_lines([&] { EXPECT_EQ(value(outstanding), static_cast<std::uint64_t>(exact + Wide{2 * 500})); }).size(),
        0U);
  });
}

}  // namespace
}  // namespace pmufab::integration
