// SPDX-License-Identifier: Apache-2.0
// The PMUs of the Tegra410's chip-to-chip interfaces under their driver.
#include <algorithm>

#include "models/platform/platform.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/tests/integration/tegra410_gpu.h"
#include "testbench/tests/integration/integration_test.h"

namespace pmufab::integration::c2c_pmus_test {
namespace {

using tegra410::NvlinkPeer;
using testing::advance;
using ::testing::Contains;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr const char* kNvlink = "nvidia_nvlink_c2c_pmu_0";
constexpr const char* kNvclink = "nvidia_nvclink_pmu_0";
constexpr const char* kNvdlink = "nvidia_nvdlink_pmu_0";
enum Event : std::uint64_t {
  cycles,
  in_rd_cum_outs,
  in_rd_req,
  in_wr_cum_outs,
  in_wr_req,
  out_rd_cum_outs,
  out_rd_req
};

class C2cPmus : public DriverTest {
 protected:
  static platform::PlatformSpec small(unsigned sockets) {
    platform::PlatformSpec spec = platform::tegra410_platform();
    spec.sockets = sockets;
    spec.cpus_per_socket = 2;
    spec.edit<platform::Tegra410Spec>().clusters = 2;
    return spec;
  }
  void build(const platform::PlatformSpec& spec) {
    machine = std::make_unique<platform::Platform>("platform", spec);
    for (unsigned socket = 0; socket < spec.sockets; ++socket)
      gpus.push_back(std::make_unique<Gpu>(("gpu" + std::to_string(socket)).c_str(), *machine, socket));
    firmware = machine->firmware();
  }
  void boot(std::function<void()> story) { DriverTest::boot(machine->bus(), firmware, std::move(story)); }

  /// The firmware's description of a socket's device.
  platform::AcpiDevice& device(const std::string& hid, const std::string& uid = "0") {
    return *std::find_if(firmware.devices.begin(), firmware.devices.end(),
                         [&](const platform::AcpiDevice& each) { return each.hid == hid && each.uid == uid; });
  }
  static std::uint64_t cmem(std::uint64_t line) { return 0x80'0000'0000 + line * 64; }

  std::unique_ptr<platform::Platform> machine;
  std::vector<std::unique_ptr<Gpu>> gpus;
  platform::FirmwareDescription firmware;
};
INSTANTIATE_TEST_SUITE_P(linux, C2cPmus, ::testing::ValuesIn(tegra410_driver_sets()), version_name);

// contract E1
TEST_P(C2cPmus, are_found_by_their_hardware_ids_one_for_each_socket) {
  build(small(2));
  EXPECT_EQ(device("NVDA2023").memory.size(), 14U + 1);
  EXPECT_EQ(device("NVDA2022").memory.size(), 12U + 1);
  EXPECT_EQ(device("NVDA2020").memory.size(), 16U + 1);
  boot([&] {
    for (const std::string name : {"nvidia_nvlink_c2c_pmu_", "nvidia_nvclink_pmu_", "nvidia_nvdlink_pmu_"}) {
      EXPECT_EQ(content(pmu(name + "0"), "associated_cpus"), "0-1\n");
      EXPECT_EQ(content(pmu(name + "1"), "associated_cpus"), "2-3\n");
    }
    EXPECT_EQ(content(pmu(kNvlink), "identifier"), "NVDA2023\n");
    EXPECT_EQ(content(pmu(kNvclink), "identifier"), "NVDA2022\n");
    EXPECT_EQ(content(pmu(kNvdlink), "identifier"), "NVDA2020\n");
  });
}

// contract E1
TEST_P(C2cPmus, need_all_their_memory_resources) {
  build(small(2));
  for (const char* const hid : {"NVDA2023", "NVDA2022", "NVDA2020"}) device(hid, "1").memory.pop_back();
  boot([&] {
    for (const std::string name : {"nvidia_nvlink_c2c_pmu_", "nvidia_nvclink_pmu_", "nvidia_nvdlink_pmu_"}) {
      EXPECT_THAT(pmu_names(), Contains(name + "0"));
      EXPECT_THAT(pmu_names(), Not(Contains(name + "1")));
    }
    EXPECT_EQ(logged("Failed map broadcast address"), 3U);
  });
}

// contract E2
TEST_P(C2cPmus, of_gpus_say_how_many_and_have_all_events_and_a_mask) {
  platform::PlatformSpec spec = small(1);
  build(spec);
  boot([&] {
    EXPECT_EQ(content(pmu(kNvlink), "peer"), "nr_gpu=2\n");
    EXPECT_EQ(content(pmu(kNvlink), "format/gpu_mask"), "config1:0-1\n");
    EXPECT_EQ(content(pmu(kNvlink), "format/event"), "config:0-3\n");
    EXPECT_THAT(files(pmu(kNvlink), "events"),
                UnorderedElementsAre("cycles", "in_rd_cum_outs", "in_rd_req", "in_wr_cum_outs", "in_wr_req",
                                     "out_rd_cum_outs", "out_rd_req", "out_wr_cum_outs", "out_wr_req"));
    EXPECT_EQ(content(pmu(kNvclink), "peer"), "nr_cpu=1\n");
    EXPECT_THAT(files(pmu(kNvclink), "format"), UnorderedElementsAre("event"));
    EXPECT_THAT(files(pmu(kNvclink), "events"),
                UnorderedElementsAre("cycles", "in_rd_cum_outs", "in_rd_req", "out_rd_cum_outs", "out_rd_req"));
    EXPECT_EQ(content(pmu(kNvdlink), "peer"), "nr_cxlmem=1\n");
    EXPECT_THAT(files(pmu(kNvdlink), "format"), UnorderedElementsAre("event"));
    EXPECT_THAT(files(pmu(kNvdlink), "events"), UnorderedElementsAre("cycles", "in_rd_cum_outs", "in_rd_req"));
  });
}

// contract E2
TEST_P(C2cPmus, without_a_mask_are_refused) {
  platform::PlatformSpec spec = small(1);
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.peer = NvlinkPeer::none;
  spec.edit<platform::Tegra410Spec>().nvclink.cpu_en_mask = 0;  // like firmware of a board with one socket
  build(spec);
  EXPECT_TRUE(device("NVDA2023").properties.empty());
  EXPECT_TRUE(device("NVDA2022").properties.empty());
  boot([&] {
    EXPECT_THAT(pmu_names(), Not(Contains(kNvlink)));
    EXPECT_THAT(pmu_names(), Not(Contains(kNvclink)));
    EXPECT_THAT(pmu_names(), Contains(kNvdlink));
    EXPECT_EQ(logged("No GPU is enabled"), 2U);
  });
}

// contract E7, E8
TEST_P(C2cPmus, are_read_in_32_bit_halves_high_low_high) {
  constexpr std::uint64_t kInstance0 = 0x1011'0000;
  platform::PlatformSpec spec = small(1);
  spec.edit<platform::Tegra410Spec>().c2c_clock_hz =
      1'000'000'000'000;  // an edge every picosecond: the lower half wraps in milliseconds
  build(spec);
  boot([&] {
    const EventHandle event = open(kNvlink, cycles);
    const Picoseconds start = testing::now();
    std::uint64_t last = 0;
    for (unsigned turn = 1; turn < 20; ++turn) {
      // So that the carry happens between accesses of the driver, 50 ns apart.
      testing::advance_to(start + (Picoseconds{turn} << 32) - 200'000 - turn * 17'000);
      for (unsigned i = 0; i < 3; ++i) {
        const Picoseconds before = testing::now();
        const std::uint64_t seen = value(event);
        EXPECT_GE(seen, last);
        EXPECT_GE(seen + 1'000'000, before - start);
        EXPECT_LE(seen, testing::now());
        last = seen;
      }
    }
    unsigned again = 0;  // readings for which three accesses were not enough
    std::vector<std::uint64_t> highs;
    for (const MmioBus::BusAccess& access : accesses_to(kInstance0, 0x1000)) {
      EXPECT_EQ(access.length, 4U) << std::hex << access.address;
      EXPECT_FALSE(access.is_write) << "the broadcast window is written alone";
      if (access.address == 0x870) highs.push_back(access.data);
    }
    for (std::size_t i = 0; i + 1 < highs.size(); i += 2) {
      if (highs[i] != highs[i + 1]) ++again;
    }
    EXPECT_GT(again, 0U) << "no carry was caught";
  });
}

// contract E9
TEST_P(C2cPmus, warn_at_each_read_of_an_instance_with_an_overflow_and_count_on) {
  platform::PlatformSpec spec = small(1);
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.gpus = 1;
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.gpu0_en_mask = 0x6;
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.width = 12;
  build(spec);
  boot([&] {
    const EventHandle requests = open(kNvlink, in_rd_req);
    gpus[0]->read(cmem(1), 64, 9);
    advance(1'000'000);
    EXPECT_EQ(value(requests), 9U);
    EXPECT_EQ(logged("C2C PMU overflow"), 0U);
    advance(4'000'000);  // 4096 cycles at 1.8 GHz are 2.3 us
    for (unsigned times = 1; times < 4; ++times) {
      EXPECT_EQ(value(requests), 9U);
      EXPECT_EQ(logged("C2C PMU overflow in: 0x1, out: 0x0"), 2 * times) << "one for each instance";
    }
    EXPECT_EQ(host->disable(requests), 0);  // reads once more, and the next start clears
    EXPECT_EQ(host->enable(requests), 0);
    const std::size_t before = logged("C2C PMU overflow");
    gpus[0]->read(cmem(1), 64, 2);
    advance(1'000'000);
    EXPECT_EQ(value(requests), 11U);
    EXPECT_EQ(logged("C2C PMU overflow"), before);
  });
}

// contract E11
TEST_P(C2cPmus, have_no_event_from_nine_on) {
  constexpr int kENOENT = -2;
  build(small(1));
  boot([&] {
    for (const char* const name : {kNvlink, kNvclink, kNvdlink}) {
      for (std::uint64_t code = 0; code < 16; ++code) {
        const EventHandle event = open(name, code);
        if (code < 9) {
          EXPECT_GT(event, 0) << name << code;
          host->close(event);
        } else {
          EXPECT_EQ(event, kENOENT) << name << code;
        }
      }
    }
  });
}

// contract E12
TEST_P(C2cPmus, count_thirty_two_events_at_once_and_not_one_more) {
  constexpr int kEINVAL = -22;
  build(small(1));
  boot([&] {
    std::vector<EventHandle> events;
    for (unsigned i = 0; i < 32; ++i) events.push_back(open(kNvlink, in_rd_req, i % 4));
    const EventHandle too_many = open(kNvlink, in_rd_req);
    EXPECT_GT(too_many, 0) << "opening is no promise";
    gpus[0]->read(cmem(1), 64, 5, 0);
    gpus[0]->read(cmem(2), 64, 7, 1);
    advance(1'000'000);
    constexpr std::uint64_t kExpected[] = {12, 5, 7, 12};
    for (unsigned i = 0; i < 32; ++i) {
      const EventReading now = reading(events[i]);
      EXPECT_EQ(now.value, kExpected[i % 4]);
      EXPECT_EQ(now.time_running, now.time_enabled);
    }
    EXPECT_EQ(reading(too_many).value, 0U);
    EXPECT_EQ(reading(too_many).time_running, 0U);
    host->close(events[0]);  // gives it room; it is added with the next change
    host->close(too_many);
    for (unsigned i = 1; i < 32; ++i) host->close(events[i]);

    std::vector<perf::PerfAttributes> group(32);
    for (perf::PerfAttributes& attributes : group) {
      attributes.type = pmu(kNvlink).type;
      attributes.config = in_rd_req;
    }
    const auto open_member = [&](EventHandle leader, const perf::PerfAttributes& attributes) {
      return host->open(attributes, 0, leader);
    };
    const EventHandle leader = open(kNvlink, in_rd_req);
    for (unsigned i = 1; i < 32; ++i) EXPECT_GT(open_member(leader, group[i]), 0);
    EXPECT_EQ(open_member(leader, group[0]), kEINVAL) << "the thirty-third of a group";
  });
}

}  // namespace
}  // namespace pmufab::integration::c2c_pmus_test
