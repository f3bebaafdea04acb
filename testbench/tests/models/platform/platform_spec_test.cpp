// SPDX-License-Identifier: Apache-2.0
// Refusals of validate(), and their messages.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/part/cmn_spec.h"
#include "models/cxl/part/cxl_spec.h"
#include "models/dwc/part/dwc_ports.h"
#include "models/platform/platform_spec.h"
#include "models/soc/part/soc_rows.h"
#include "models/tegra410/part/pmu_model.h"
#include "models/tegra410/part/pmu_row.h"
#include "models/tegra410/part/tegra410_spec.h"

namespace pmufab::platform {
namespace {

using ::testing::HasSubstr;

/// The field and reason with which a changed default specification is refused; empty if it is accepted.
std::pair<std::string, std::string> refusal(const std::function<void(PlatformSpec&)>& change) {
  PlatformSpec spec = tegra410_platform();
  change(spec);
  try {
    validate(spec);
  } catch (const SpecError& error) {
    EXPECT_EQ(std::string(error.what()),
              error.field() + ": " + error.reason() + (error.suggestion().empty() ? "" : "; " + error.suggestion()));
    return {error.field(), error.reason() + "; " + error.suggestion()};
  }
  return {};
}

void expect_refused(const std::string& field, const std::string& reason,
                    const std::function<void(PlatformSpec&)>& change) {
  const auto [where, why] = refusal(change);
  EXPECT_EQ(where, field);
  EXPECT_THAT(why, HasSubstr(reason));
}

void expect_accepted(const std::function<void(PlatformSpec&)>& change) {
  const auto [where, why] = refusal(change);
  EXPECT_EQ(where, "") << why;
}

TEST(PlatformSpec, defaults_are_valid_for_one_to_four_sockets) {
  for (unsigned sockets = 1; sockets <= 4; ++sockets) {
    expect_accepted([&](PlatformSpec& spec) { spec.sockets = sockets; });
    expect_accepted([&](PlatformSpec& spec) {
      spec.sockets = sockets;
      spec.edit<platform::Tegra410Spec>().memory = default_memory(sockets);
    });
  }
}

TEST(PlatformSpec, refuses_numbers_of_sockets_and_cpus_that_cannot_be) {
  expect_refused("sockets", "is 0, must be 1 ... 4", [](PlatformSpec& spec) { spec.sockets = 0; });
  expect_refused("sockets", "is 5", [](PlatformSpec& spec) { spec.sockets = 5; });
  expect_refused("cpus_per_socket", "is 0", [](PlatformSpec& spec) { spec.cpus_per_socket = 0; });
  expect_refused("cpus_per_socket", "90 CPUs cannot be shared evenly by 11 clusters; 88 can",
                 [](PlatformSpec& spec) { spec.cpus_per_socket = 90; });
  expect_refused("cpus_per_socket", "is 264, must be 1 ... 256",
                 [](PlatformSpec& spec) { spec.cpus_per_socket = 264; });
  expect_refused("cpus_per_socket", "; 11 can", [](PlatformSpec& spec) { spec.cpus_per_socket = 4; });
  expect_refused("tegra410.clusters", "is 65, must be 1 ... 64",
                 [](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().clusters = 65; });
  expect_refused("tegra410.clusters", "is 0",
                 [](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().clusters = 0; });
  expect_accepted([](PlatformSpec& spec) { spec.cpus_per_socket = spec.edit<platform::Tegra410Spec>().clusters = 64; });
  expect_refused("platform", "has no fabric", [](PlatformSpec& spec) { spec.parts.clear(); });
}

TEST(PlatformSpec, refuses_pmus_of_ones_own_that_cannot_be) {
  const auto with = [](const std::function<void(PmuRow&)>& change) {
    return [change](PlatformSpec& spec) {
      PmuRow row = coresight_row({.socket = 1, .name = "my_pmu", .page0 = 0x1004'0000, .interrupt = 700},
                                 tegra410::CoreSightPmuParameters{});
      row.make = [](const PmuSite& /*site*/) { return std::unique_ptr<PmuModel>(); };
      change(row);
      spec.edit<platform::Tegra410Spec>().own_pmus.push_back(row);
    };
  };
  expect_accepted(with([](PmuRow& /*row*/) {}));
  expect_refused("own_pmus[0].socket", "is 2", with([](PmuRow& row) { row.socket = 2; }));
  expect_refused("own_pmus[0].name", "'socket0.ucf_pmu' is taken",
                 with([](PmuRow& row) { row.name = "socket0.ucf_pmu"; }));
  expect_refused("own_pmus[0].make", "is missing", with([](PmuRow& row) { row.make = nullptr; }));
  const auto interrupt = [&](std::uint32_t number) {
    return with([number](PmuRow& row) { row.apmt->overflow_interrupt->number = number; });
  };
  expect_refused("own_pmus", "interrupt 289 of socket1.my_pmu is that of socket1.ucf_pmu already", interrupt(289));
  expect_refused("own_pmus", "interrupt 8192 of socket1.my_pmu is too high; numbers from 8192 on are those of messages",
                 interrupt(8192));
}

TEST(PlatformSpec, refuses_registers_of_pmus_of_ones_own_where_something_else_is) {
  const auto at = [](std::uint64_t base, std::uint64_t size = 0x1000) {
    return [=](PlatformSpec& spec) {
      PmuRow row;
      row.name = "socket0.my_pmu";
      row.windows = {{"socket0.my_pmu", 0x1004'0000, 0x1000}, {"socket0.my_pmu.more", base, size}};
      row.make = [](const PmuSite& /*site*/) { return std::unique_ptr<PmuModel>(); };
      spec.edit<platform::Tegra410Spec>().own_pmus.push_back(row);
    };
  };
  expect_accepted(at(0x1004'1000));
  expect_refused("own_pmus[0].windows[1].size", "is 0", at(0x1004'1000, 0));
  expect_refused("own_pmus[0].windows[1].size", "beyond the last address", at(~std::uint64_t{0}, 2));
  expect_refused("own_pmus[0].windows[1].base", "covers the registers socket0.my_pmu at [0x10040000, 0x10040fff]",
                 at(0x1004'0800));
  expect_refused("own_pmus[0].windows[1].base", "covers the registers socket0.ucf_pmu at",
                 at(default_map::kUcfPmuPage0));
  expect_refused("own_pmus[0].windows[1].base", "covers the memory of socket 0 at [0x8000000000, 0xffffffffff]",
                 at(default_map::kCmem + 0x1000));
  expect_refused("own_pmus[0].windows[1].base", "covers the configuration space of root complex 0 of socket 0",
                 at(default_map::kPcieEcam));
}

TEST(PlatformSpec, refuses_memory_that_cannot_be) {
  const auto with = [](const std::vector<tegra410::MemoryRange>& memory) {
    return [memory](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().memory = memory; };
  };
  constexpr std::uint64_t kLimit = tegra410::AddressMap::kLimit;
  expect_refused("memory[0].size", "is 0", with({{0, 0, 0, MemoryClass::cmem}}));
  expect_refused("memory[0].base", "0x20 is not a multiple", with({{0x20, 64, 0, MemoryClass::cmem}}));
  expect_refused("memory[1].size", "0x60 is not a multiple of a line (64 bytes); 0x80 is",
                 with({{0, 64, 0, MemoryClass::cmem}, {64, 0x60, 0, MemoryClass::cmem}}));
  expect_refused("memory[0].size", "beyond the last address", with({{kLimit - 64, 128, 0, MemoryClass::cmem}}));
  expect_refused("memory[0].socket", "is 2, but the platform has 2 sockets (0 ... 1)",
                 with({{0, 64, 2, MemoryClass::cmem}}));
  expect_refused("memory[2].base", "overlaps memory[0] [0x1000, 0x1fff]; it would fit from 0x2000",
                 with({{0x1000, 0x1000, 0, MemoryClass::cmem},
                       {0x4000, 0x1000, 0, MemoryClass::gmem},
                       {0x1fc0, 0x1000, 1, MemoryClass::cxl}}));
  expect_refused("memory[0].base", "covers the registers of socket 0", with({{0, 0x2000'0000, 0, MemoryClass::cmem}}));
  expect_refused("memory[0].base", "covers the registers of socket 1",
                 with({{(std::uint64_t{1} << 44) + 0x101f'ffc0, 64, 0, MemoryClass::cmem}}));
  expect_accepted(with({{0x1000, 0x1000, 0, MemoryClass::cmem}, {0x2000, 64, 1, MemoryClass::cxl}}));
}

TEST(PlatformSpec, refuses_caches_that_cannot_be) {
  const auto cache = [](std::uint64_t size, unsigned ways) {
    return [=](PlatformSpec& spec) {
      spec.edit<platform::Tegra410Spec>().private_cache = {.size = size, .ways = ways, .hit_latency = 0};
    };
  };
  expect_refused("tegra410.private_cache.ways", "is 0", cache(1 << 20, 0));
  expect_refused("tegra410.private_cache.ways", "is 65", cache(1 << 20, 65));
  expect_refused("tegra410.private_cache.size", "is 256", cache(256, 8));
  expect_refused("tegra410.private_cache.size", "; 524288 bytes (1024 sets) are", cache(786432, 8));
  expect_refused("tegra410.private_cache.size", "not a power of two of sets", cache(1 << 20, 7));
  expect_accepted(cache(7 * 64 * 1024, 7));
  const auto slc = [](unsigned slices, unsigned sets, unsigned ways) {
    return [=](PlatformSpec& spec) {
      spec.edit<platform::Tegra410Spec>().slc.slices = slices;
      spec.edit<platform::Tegra410Spec>().slc.sets = sets;
      spec.edit<platform::Tegra410Spec>().slc.ways = ways;
    };
  };
  expect_refused("tegra410.slc.slices", "is 257", slc(257, 1, 1));
  expect_refused("tegra410.slc.slices", "is 0", slc(0, 1, 1));
  expect_refused("tegra410.slc.sets", "is 16385", slc(1, 16385, 1));
  expect_refused("tegra410.slc.ways", "is 0", slc(1, 1, 0));
  expect_accepted(slc(1, 1, 1));
  expect_refused("tegra410.slc.sets", "are 17825792 lines, must be at most 16777216", slc(17, 16384, 64));
  expect_accepted(slc(16, 16384, 64));
  expect_refused("tegra410.slc.sets", "are 17825792 lines, must be at most 16777216", slc(17, 16384, 64));
  expect_accepted(slc(16, 16384, 64));
  expect_refused("tegra410.slc.cached[0]", "twice", [](PlatformSpec& spec) {
    spec.edit<platform::Tegra410Spec>().slc.cached = {MemoryClass::cxl, MemoryClass::cxl};
  });
  expect_accepted([](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().slc.cached.clear(); });
}

TEST(PlatformSpec, refuses_pmus_clocks_and_latencies_that_cannot_be) {
  expect_refused("tegra410.ucf_pmu.counters", "is 1, must be 2",
                 [](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().ucf_pmu.counters = 1; });
  expect_refused("tegra410.ucf_pmu.counters", "is 65",
                 [](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().ucf_pmu.counters = 65; });
  expect_refused("tegra410.ucf_pmu.width", "is 7",
                 [](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().ucf_pmu.width = 7; });
  expect_refused("tegra410.ucf_pmu.width", "is 65",
                 [](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().ucf_pmu.width = 65; });
  expect_refused("tegra410.cmem_latency_pmu.width", "is 65",
                 [](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().cmem_latency_pmu.width = 65; });
  expect_refused("tegra410.ucf_clock_hz", "is 0",
                 [](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().ucf_clock_hz = 0; });
  expect_refused("tegra410.latency.link", "picoseconds",
                 [](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().latency.link = 2'000'000'000; });
}

TEST(PlatformSpec, refuses_chip_to_chip_interfaces_that_cannot_be) {
  using tegra410::NvlinkPeer;
  using Nvlink = tegra410::NvlinkC2cParameters;
  const auto nvlink = [](const std::function<void(Nvlink&)>& change) {
    return [change](PlatformSpec& spec) { change(spec.edit<platform::Tegra410Spec>().nvlink_c2c); };
  };
  expect_refused("tegra410.nvlink_c2c.gpus", "is 3, must be 1 or 2", nvlink([](Nvlink& link) { link.gpus = 3; }));
  expect_refused("tegra410.nvlink_c2c.gpus", "'peer: none'", nvlink([](Nvlink& link) { link.gpus = 0; }));
  expect_refused("tegra410.nvlink_c2c.gpu0_en_mask", "0x4001 has a bit for instance 14, there are 14 (0 ... 13)",
                 nvlink([](Nvlink& link) { link.gpu0_en_mask = 0x4001; }));
  expect_refused("tegra410.nvlink_c2c.gpu0_en_mask", "instance 7 leads to GPU 0 (0xff) and to GPU 1 (0x3f80)",
                 nvlink([](Nvlink& link) { link.gpu0_en_mask = 0xff; }));
  expect_refused("tegra410.nvlink_c2c.gpu1_en_mask", "instance 0 leads to", nvlink([](Nvlink& link) {
                   link.gpu0_en_mask = 1;
                   link.gpu1_en_mask = 3;
                 }));
  expect_refused("tegra410.nvlink_c2c.gpu1_en_mask", "there is one GPU", nvlink([](Nvlink& link) {
                   link.gpus = 1;
                   link.gpu1_en_mask = 1;
                 }));
  expect_refused("tegra410.nvlink_c2c.cpu_en_mask", "the peer is not a CPU",
                 nvlink([](Nvlink& link) { link.cpu_en_mask = 1; }));
  expect_refused("tegra410.nvlink_c2c.gpu0_en_mask", "the peer is not a GPU", nvlink([](Nvlink& link) {
                   link.peer = NvlinkPeer::cpu;
                   link.gpu0_en_mask = 1;
                 }));
  expect_accepted(nvlink([](Nvlink& link) {
    link.gpu0_en_mask = 0;
    link.gpu1_en_mask = 0x3fff;
  }));
  expect_refused("tegra410.nvlink_c2c.width", "is 7, must be 8 ... 64", nvlink([](Nvlink& link) { link.width = 7; }));
  expect_refused("tegra410.nvclink.width", "is 65",
                 [](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().nvclink.width = 65; });
  expect_refused("tegra410.nvdlink.width", "is 65",
                 [](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().nvdlink.width = 65; });
  expect_refused("tegra410.nvclink.cpu_en_mask", "instance 12",
                 [](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().nvclink.cpu_en_mask = 0x1fff; });
  expect_refused("tegra410.c2c_clock_hz", "is 0",
                 [](PlatformSpec& spec) { spec.edit<platform::Tegra410Spec>().c2c_clock_hz = 0; });
  expect_refused("dwc_root_ports[0].clock_hz", "must be 1 Hz ... 1 THz", [](PlatformSpec& spec) {
    spec.edit<platform::DwcSpec>().ports.push_back({.name = "slot", .clock_hz = 0});
  });
}

TEST(PlatformSpec, compares_what_parts_claim) {
  // A mesh on memory, on registers of the sockets, and on the configuration space of CXL.
  const auto with_mesh = [](std::uint64_t base) {
    return [base](PlatformSpec& spec) {
      spec.edit<CxlSpec>().devices.resize(1);
      cmn::Topology& topology = spec.edit<CmnMeshesSpec>().meshes.emplace_back().topology;
      topology = cmn::examples::cmn650_two_dtcs();
      topology.base = base;
    };
  };
  expect_accepted(with_mesh(0x1'0000'0000));
  expect_refused("meshes[0].base", "covers the memory of socket 0", with_mesh(default_map::kCmem));
  expect_refused("meshes[0].base", "covers the registers socket0.ucf_pmu", with_mesh(default_map::kRegistersBegin));
  expect_refused("meshes[0].base", "covers the configuration space of PCI segment 0", with_mesh(default_map::kEcam));
  // Memory is not on the bus: the doorbell of messages may lie in it.
  expect_accepted([](PlatformSpec& spec) {
    spec.edit<Tegra410Spec>().memory = {{0x30'0000'0000, 0x2000'0000, 0, MemoryClass::cmem}};
  });
  expect_refused("coresight_pmus", "before a part", [](PlatformSpec& spec) {
    static_cast<void>(spec.edit<SocSpec>());
    static_cast<void>(spec.edit<CmnMeshesSpec>());
  });
  expect_refused("platform", "two parts of one kind",
                 [](PlatformSpec& spec) { spec.parts.push_back(std::make_shared<Tegra410Spec>()); });
}

constexpr std::uint64_t kStep = std::uint64_t{256} << 20;
constexpr std::uint64_t kMemory = std::uint64_t{1} << 40;

TEST(PlatformSpec, refuses_cxl_devices_that_cannot_be) {
  const auto refuses = [](const std::string& field, const std::string& reason,
                          const std::function<void(CxlDeviceSpec&)>& change) {
    expect_refused(field, reason, [&](PlatformSpec& spec) {
      CxlDeviceSpec device;
      device.decoders = {{.base = kMemory, .size = kStep}};
      device.cpmus.resize(1);
      device.cpmus[0].groups.resize(1);
      spec.edit<platform::CxlSpec>().devices = {device};
      change(spec.edit<platform::CxlSpec>().devices[0]);
    });
  };
  refuses("", "", [](CxlDeviceSpec&) {});
  refuses("cxl[0].decoders[0].size", "0x1000", [](CxlDeviceSpec& device) { device.decoders[0].size = 0x1000; });
  refuses("cxl[0].decoders[1].base", "not above", [](CxlDeviceSpec& device) {
    device.decoders.push_back({kMemory, kStep});
  });
  // Addresses that are used by other parts.
  refuses("cxl[0].decoders[0].base", "below 4 GiB", [](CxlDeviceSpec& device) { device.decoders[0].base = 0; });
  refuses("cxl[0].decoders[0].base", "below 4 GiB", [](CxlDeviceSpec& device) { device.decoders[0].base = kStep; });
  refuses("", "", [](CxlDeviceSpec& device) { device.decoders[0].base = 16 * kStep; });
  for (const std::uint64_t base : {0x20'0000'0000U, 0x20'3000'0000U})
    refuses("cxl[0].decoders[0].base", "0x2000000000 ... 0x203fffffff",
            [&](CxlDeviceSpec& device) { device.decoders[0].base = base; });
  refuses("cxl[0].decoders[0].base", "overlaps the registers of CXL devices",
          [](CxlDeviceSpec& device) { device.decoders[0] = {.base = 0x1f'0000'0000, .size = 0x10'0000'0000}; });
  for (const std::uint64_t base : {0x1f'f000'0000U, 0x20'4000'0000U})
    refuses("", "", [&](CxlDeviceSpec& device) { device.decoders[0].base = base; });
  refuses("cxl[0].decoders[0].coherency", "with a cache",
          [](CxlDeviceSpec& device) { device.decoders[0].coherency = cxl::Coherency::hdm_d; });
  refuses("cxl[0].cpmus[0].groups", "are 0", [](CxlDeviceSpec& device) { device.cpmus[0].groups.clear(); });
  refuses("cxl[0].cpmus[0].groups[0].group", "0x0010",
          [](CxlDeviceSpec& device) { device.cpmus[0].groups[0].group = 0x10; });
  refuses("cxl[0].link.period", "1 ps", [](CxlDeviceSpec& device) { device.link.period = 0; });
  refuses("cxl[0].link.credits", "at most 4096", [](CxlDeviceSpec& device) { device.link.lanes[0].credits = 4097; });
  refuses("cxl[0].memory.ddr.banks", "more than 64", [](CxlDeviceSpec& device) { device.memory.ddr.shape.banks = 16; });
  refuses("cxl[0].memory.ddr.refresh_interval", "leaves 295000 ps for a refresh that takes 295000",
          [](CxlDeviceSpec& device) { device.memory.ddr.timing.refresh_interval = 295'000; });
  refuses("cxl[0].memory.ddr.refresh_interval", "leaves 121875 ps for a refresh that takes 130000",
          [](CxlDeviceSpec& device) {
            device.memory.ddr.refresh_mode = cxl::RefreshMode::same_bank;
            device.memory.ddr.shape = {2, 1, 2, 32};
          });
  expect_refused("cxl[1].decoders", "overlap those of cxl[0]", [](PlatformSpec& spec) {
    spec.edit<platform::CxlSpec>().devices.resize(2);
    for (CxlDeviceSpec& device : spec.edit<platform::CxlSpec>().devices)
      device.decoders = {{.base = kMemory, .size = kStep}};
  });
}

// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
TEST(PlatformSpec, refuses_cxl_switches_and_interleaving_that_cannot_be) {
  // Devices 0 and 1 are below a switch, 2 and 3 below root ports. The first two share a range, the last two another
  // one.
  const auto refuses = [](const std::string& field, const std::string& reason,
                          const std::function<void(std::vector<CxlDeviceSpec>&)>& change) {
    expect_refused(field, reason, [&](PlatformSpec& spec) {
      CxlCpmuSpec ticks;
      ticks.groups.resize(1);
      CxlDeviceSpec device;
      device.port.cpmus = device.cpmus = {ticks};
      device.decoders = {{.base = kMemory, .size = 2 * kStep, .interleave = {2, 512}}};
      CxlDeviceSpec branch;
      branch.port.cpmus = {ticks};
      branch.below.emplace().devices = {device, device};
      branch.below->cpmus = {ticks};
      device.decoders[0] = {.base = kMemory + 4 * kStep, .size = 4 * kStep, .interleave = {2, 16384}};
      spec.edit<platform::CxlSpec>().devices = {branch, device, device};
      change(spec.edit<platform::CxlSpec>().devices);
    });
  };
  using Cxl = std::vector<CxlDeviceSpec>;
  refuses("", "", [](Cxl&) {});
  // Ways, granularity, sizes.
  const auto ways = [](Cxl& cxl, unsigned number, unsigned granularity = 512) {
    for (CxlDeviceSpec& device : cxl[0].below->devices) device.decoders[0].interleave = {number, granularity};
  };
  refuses("cxl[0].switch.devices[0].decoders[0].ways", "3 ways", [&](Cxl& cxl) { ways(cxl, 3); });
  refuses("cxl[0].switch.devices[0].decoders[0].ways", "16 ways", [&](Cxl& cxl) { ways(cxl, 16); });
  refuses("cxl[0].switch.devices[0].decoders[0].granularity", "128", [&](Cxl& cxl) { ways(cxl, 2, 128); });
  refuses("cxl[0].switch.devices[0].decoders[0].granularity", "32768", [&](Cxl& cxl) { ways(cxl, 2, 32768); });
  refuses("cxl[0].switch.devices[0].decoders[0].size", "not a multiple of 4 x 256 MiB",
          [&](Cxl& cxl) { ways(cxl, 4); });
  refuses("cxl[1].decoders[0].ways", "are 4, but the devices with that decoder are 2",
          [](Cxl& cxl) { cxl[1].decoders[0].interleave.ways = cxl[2].decoders[0].interleave.ways = 4; });
  refuses("cxl[0].switch.devices[1].decoders", "overlap those of cxl[0].switch.devices[0]",
          [](Cxl& cxl) { cxl[0].below->devices[1].decoders[0].interleave.granularity = 256; });
  refuses("cxl[0].switch.devices[1].decoders[0].base", "not a multiple of 256 MiB",
          [](Cxl& cxl) { cxl[0].below->devices[1].decoders[0].base = 0x1000; });
  // Four ways: two below the switch, one below each of two root ports.
  refuses("cxl[0].switch.devices[0].decoders[1].ways", "not spread evenly", [](Cxl& cxl) {
    const CxlDecoderSpec shared{.base = kMemory + 16 * kStep, .size = 4 * kStep, .interleave = {4, 256}};
    for (CxlDeviceSpec* const device : {&cxl[0].below->devices[0], &cxl[0].below->devices[1], &cxl[1], &cxl[2]})
      device->decoders.push_back(shared);
  });
  // Two below each of two switches: the host bridge would need chunks of 32 KiB.
  refuses("cxl[0].switch.devices[0].decoders[0].granularity", "32768 bytes for each of 2 root ports", [](Cxl& cxl) {
    cxl.resize(1);
    for (CxlDeviceSpec& device : cxl[0].below->devices)
      device.decoders = {{.base = kMemory, .size = 4 * kStep, .interleave = {4, 16384}}};
    cxl.push_back(cxl[0]);
  });
  refuses("cxl[1].decoders[0].ways", "with a cache", [](Cxl& cxl) { cxl[1].cache.emplace(); });
  // Counters that ports cannot have.
  refuses("cxl[0].port.cpmus[0].hdm_filter", "root port has no HDM decoders",
          [](Cxl& cxl) { cxl[0].port.cpmus[0].parameters.hdm_filter = true; });
  refuses("cxl[0].switch.devices[1].port.cpmus[0].hdm_filter", "downstream port has no HDM decoders",
          [](Cxl& cxl) { cxl[0].below->devices[1].port.cpmus[0].parameters.hdm_filter = true; });
  refuses("", "", [](Cxl& cxl) { cxl[0].below->cpmus[0].parameters.hdm_filter = true; });
  refuses("cxl[0].switch.cpmus[0].groups[0].group", "0x8000",
          [](Cxl& cxl) { cxl[0].below->cpmus[0].groups[0].group = 0x8000; });
  refuses("cxl[1].port.cpmus[0].ddr_filter", "no memory",
          [](Cxl& cxl) { cxl[1].port.cpmus[0].parameters.ddr_filter = true; });
  // Switches.
  refuses("cxl[0].switch.devices", "are missing", [](Cxl& cxl) { cxl[0].below->devices.clear(); });
  refuses("cxl[0].switch.devices[0].switch", "below a switch",
          [](Cxl& cxl) { cxl[0].below->devices[0].below.emplace().devices.resize(1); });
  refuses("cxl[0].decoders", "a switch is here", [](Cxl& cxl) { cxl[0].decoders.resize(1); });
  refuses("cxl[0].switch.forward_latency", "1 ms", [](Cxl& cxl) { cxl[0].below->forward_latency = 1'000'000'001; });
  refuses("cxl[0].switch.devices[1].cache", "first downstream port", [](Cxl& cxl) {
    CxlDeviceSpec& device = cxl[0].below->devices[1];
    device.cache.emplace();
    device.decoders.clear();
  });
}

}  // namespace
}  // namespace pmufab::platform
