// SPDX-License-Identifier: Apache-2.0
// The CXL hierarchy of a platform: what software finds, what firmware programmed, and the ways of messages.
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/part/cmn_spec.h"
#include "models/cxl/part/cxl_part.h"
#include "models/cxl/part/cxl_spec.h"
#include "models/platform/platform.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/cxl/client/cpmu_search.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing {
namespace {

TEST_F(SimulationTest, cpmus_are_reset_with_their_device_and_firmware_programs_it_anew_with_the_platform) {
  constexpr std::uint64_t kMemory = std::uint64_t{1} << 40;
  constexpr std::uint64_t kPort = platform::default_map::kEcam;                   // bus 0
  constexpr std::uint64_t kFunction = kPort + (1U << 20);                         // bus 1
  constexpr std::uint64_t kAfterReset = 0x1'0002;                                 // configurable, threshold 1
  constexpr std::uint64_t kProgram = kAfterReset | 1U << 24 | 1U << 8 | 1U << 9;  // clock ticks, enabled, interrupt
  platform::PlatformSpec spec;
  spec.sockets = 1;
  spec.cpus_per_socket = 1;
  platform::CxlDeviceSpec device;
  device.decoders = {{.base = kMemory, .size = std::uint64_t{256} << 20}};
  device.cpmus.resize(1);
  device.cpmus[0].groups.resize(1);
  spec.edit<platform::CxlSpec>().devices = {device};
  platform::Platform built("platform", spec);
  Initiator cpu("cpu");
  cpu.socket.bind(built.bus().socket);
  platform::CxlPart::Device& parts = built.get<platform::CxlPart>().device(0);
  const std::uint64_t configuration = built.get<platform::CxlPart>().cpmu_address(0, 0) + 0x200;
  const auto enable = [&] {
    EXPECT_TRUE(cpu.write(kFunction + 0x04, 2, 2).ok());  // Memory Space Enable
    cpu.put64(configuration, kProgram);
    EXPECT_TRUE(parts.cpmus[0]->is_running(0));
  };
  run([&] {
    enable();
    EXPECT_TRUE(cpu.write(kPort + 0x3e, 0x40, 2).ok());  // Secondary Bus Reset
    EXPECT_FALSE(parts.cpmus[0]->is_running(0));
    EXPECT_EQ(parts.map.decoder(kMemory), cxl::kNoHdmDecoder);
    built.reset();
    EXPECT_EQ(parts.map.decoder(kMemory), 0U);
    enable();
    built.reset();
    EXPECT_TRUE(cpu.write(kFunction + 0x04, 2, 2).ok());
    EXPECT_EQ(cpu.get64(configuration), kAfterReset);
  });
}

platform::CxlDeviceSpec cxl_device(const std::vector<platform::CxlDecoderSpec>& decoders) {
  platform::CxlCpmuSpec reads;
  reads.groups = {{.group = 0x20}};
  platform::CxlDeviceSpec device;
  device.decoders = decoders;
  device.cpmus = device.port.cpmus = {reads};
  return device;
}

platform::CxlDeviceSpec cxl_switch(const std::vector<platform::CxlDeviceSpec>& devices) {
  platform::CxlDeviceSpec branch = cxl_device({});
  branch.below.emplace().cpmus = std::exchange(branch.cpmus, {});
  branch.below->devices = devices;
  return branch;
}

platform::PlatformSpec cxl_platform(const std::vector<platform::CxlDeviceSpec>& branches) {
  platform::PlatformSpec spec;
  spec.sockets = 1;
  spec.cpus_per_socket = 1;
  spec.edit<platform::CxlSpec>().devices = branches;
  return spec;
}

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST_F(SimulationTest, mistakes_of_software_are_reported_again_after_a_reset_of_the_platform) {
  platform::PlatformSpec spec = cxl_platform({cxl_device({{.base = std::uint64_t{1} << 40, .size = 256 * kMiB}})});
  spec.edit<platform::Tegra410Spec>().clusters = spec.cpus_per_socket;
  spec.edit<platform::CmnMeshesSpec>().meshes.resize(1);
  spec.edit<platform::CmnMeshesSpec>().meshes[0].topology = cmn::examples::cmn650_two_dtcs();
  platform::Platform built("platform", spec);
  Initiator cpu("cpu");
  cpu.socket.bind(built.bus().socket);
  constexpr std::uint64_t kEcam = platform::default_map::kEcam;
  const std::uint64_t configuration = built.get<platform::CxlPart>().cpmu_address(0, 0) + 0x200;
  const platform::MemoryResource mesh = built.firmware().devices.back().memory.at(0);
  const auto make_mistakes = [&] {
    cpu.read32(8);
    cpu.read(built.firmware().apmt.at(0).base0 + 2, 2);
    cpu.read64(mesh.base + mesh.size - 8);
    cpu.read64(kEcam);
    cpu.read64(configuration);  // while the device's memory space is closed
    EXPECT_TRUE(cpu.write(kEcam + (1U << 20) + 0x04, 2, 2).ok());
    cpu.put64(configuration,
              std::uint64_t{0x1f} << 59 | 1U << 24 | 1U << 8);  // enable a counter of a group that does not exist
  };
  run([&] {
    for (unsigned i = 0; i < 2; ++i) {
      expect_guest_error("4-byte read at 0x8 is in no window");
      expect_guest_error("2-byte read at offset 0x2");
      expect_guest_error("no node has its window there");
      expect_guest_error("8-byte read", "bus 0x0 device 0x0 function 0");
      expect_guest_error("unsupported request", "Memory Space Enable");
      expect_guest_error("event group that does not exist");
      make_mistakes();
      check_announced();
      built.reset();
    }
  });
}

// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
TEST_F(SimulationTest, cxl_ports_are_found_with_their_registers) {  // contract B42
  using Kind = cxl_client::CpmuFunction::Kind;
  constexpr std::uint64_t kShared = std::uint64_t{1} << 40;
  const platform::CxlDeviceSpec half =
      cxl_device({{.base = kShared, .size = 1024 * kMiB, .interleave = {.ways = 2, .granularity = 1024}}});
  platform::Platform built(
      "platform",
      cxl_platform({cxl_switch({half, half}), cxl_device({{.base = kShared + 1024 * kMiB, .size = 256 * kMiB}})}));
  platform::CxlPart& part = built.get<platform::CxlPart>();
  Initiator cpu("cpu");
  cpu.socket.bind(built.bus().socket);
  constexpr std::uint64_t kEcam = platform::default_map::kEcam;
  run([&] {
    const std::vector<cxl_client::CpmuFunction> found =
        cxl_client::find_cpmus({[&](std::uint64_t at) { return cpu.get32(kEcam + at); },
                                [&](std::uint64_t at, std::uint32_t value) { cpu.put32(kEcam + at, value); }},
                               0, built.firmware().pci_segments.at(0).last_bus);
    struct Found {
      Kind kind;
      unsigned bus, device, number_of_kind;
      unsigned first, end;  // devices below
    };
    const std::vector<Found> expected = {{Kind::root_port, 0, 0, 0, 1, 6},       {Kind::upstream_port, 1, 0, 0, 2, 6},
                                         {Kind::downstream_port, 2, 0, 0, 3, 4}, {Kind::endpoint, 3, 0, 0, 0, 0},
                                         {Kind::downstream_port, 2, 1, 1, 5, 6}, {Kind::endpoint, 4, 0, 1, 0, 0},
                                         {Kind::root_port, 0, 1, 1, 7, 8},       {Kind::endpoint, 5, 0, 2, 0, 0}};
    ASSERT_EQ(found.size(), expected.size());
    const auto configuration = [&](std::size_t i, unsigned where) {
      return kEcam + (std::uint64_t{found[i].bus} << 20 | found[i].device << 15 | where);
    };
    for (std::size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE(i);
      EXPECT_EQ(found[i].kind, expected[i].kind);
      EXPECT_EQ(found[i].bus, expected[i].bus);
      EXPECT_EQ(found[i].device, expected[i].device);
      EXPECT_EQ(found[i].number_of_kind, expected[i].number_of_kind);
      ASSERT_EQ(found[i].blocks.size(), 1U);
      EXPECT_EQ(found[i].blocks[0], platform::CxlPart::cpmu_address(part.components()[i], 0));
      EXPECT_EQ(cpu.get64(found[i].blocks[0]) >> 60, 1U);                    // version of the CPMU
      EXPECT_EQ(cpu.get64(found[i].blocks[0] + 0x100) >> 32, 0x1e98'0020U);  // its one event group: M2S Req
      if (found[i].kind == Kind::endpoint) continue;
      EXPECT_EQ(cpu.get32(configuration(i, 0x08)) >> 8, 0x060400U);
      // The prefetchable window covers exactly what is below.
      const std::uint32_t window = cpu.get32(configuration(i, 0x24));
      const std::uint64_t base = std::uint64_t{cpu.get32(configuration(i, 0x28))} << 32 | (window & 0xfff0U) << 16;
      const std::uint64_t limit = std::uint64_t{cpu.get32(configuration(i, 0x2c))} << 32 | (window & 0xfff0'0000U);
      for (std::size_t other = 0; other < expected.size(); ++other) {
        const bool below = other >= expected[i].first && other < expected[i].end;
        EXPECT_EQ(found[other].blocks[0] >= base && found[other].blocks[0] < limit + kMiB, below) << other;
      }
    }
    // Component registers are at the start of BAR 0. The upstream port is the only port with HDM decoders.
    const auto component = [&](std::size_t i, unsigned where) {
      return cpu.get32(part.components()[i].bar + 0x1000 + where);
    };
    EXPECT_EQ(component(0, 0) >> 24, 1U);
    EXPECT_EQ(component(2, 0) >> 24, 1U);
    ASSERT_EQ(component(1, 0) >> 24, 2U);
    const std::uint32_t header = component(1, 8);
    ASSERT_EQ(header & 0xffffU, 5U);
    const unsigned hdm = header >> 20;
    EXPECT_EQ(component(1, hdm) >> 4 & 0xf, 2U);           // targets
    EXPECT_EQ(component(1, hdm + 0x14), 0x100U);           // base, upper half
    EXPECT_EQ(component(1, hdm + 0x18), 1024 * kMiB);      // size
    EXPECT_EQ(component(1, hdm + 0x20) & 0x4ffU, 0x412U);  // committed, two ways, 1 KiB
    EXPECT_EQ(component(1, hdm + 0x24), 0x0100U);          // way 0 to port 0, way 1 to port 1
    // Those of the host bridge are where firmware says. A range of one root port has one way there.
    const std::uint64_t registers = built.firmware().pci_segments.at(0).cxl_registers.value().base + 0x1000;
    EXPECT_EQ(cpu.get32(registers), 0x0211'0001U);
    EXPECT_EQ(cpu.get32(registers + 8) & 0xffffU, 5U);
    const std::uint64_t bridge = registers + (cpu.get32(registers + 8) >> 20);
    EXPECT_EQ(cpu.get32(bridge) & 0xffU, 0x22U);  // four decoders, two targets
    EXPECT_EQ(cpu.get32(bridge + 4), 2U);         // enabled
    EXPECT_EQ(cpu.get32(bridge + 0x14), 0x100U);
    EXPECT_EQ(cpu.get32(bridge + 0x18), 1024 * kMiB);
    EXPECT_EQ(cpu.get32(bridge + 0x20) & 0x4ffU, 0x400U);
    EXPECT_EQ(cpu.get32(bridge + 0x24), 0U);
    EXPECT_EQ(cpu.get32(bridge + 0x30), 0x4000'0000U);
    EXPECT_EQ(cpu.get32(bridge + 0x34), 0x100U);
    EXPECT_EQ(cpu.get32(bridge + 0x38), 256 * kMiB);
    EXPECT_EQ(cpu.get32(bridge + 0x40) & 0x4ffU, 0x400U);
    EXPECT_EQ(cpu.get32(bridge + 0x44), 1U);
    EXPECT_EQ(cpu.get32(bridge + 0x60) & 0x4ffU, 0U);  // not committed
    // A device without Mem_Enable claims nothing.
    EXPECT_EQ(part.device(1).map.decoder(kShared), 0U);
    const unsigned dvsec = part.device(1).registers->function().space().find_dvsec(0x1e98, 0);
    EXPECT_TRUE(cpu.write(configuration(5, dvsec + 0xc), 2, 2).ok());
    EXPECT_EQ(part.device(1).map.decoder(kShared), cxl::kNoHdmDecoder);
    built.reset();
    EXPECT_EQ(part.device(1).map.decoder(kShared), 0U);
  });
}

// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
TEST_F(SimulationTest, each_chunk_of_an_interleaved_range_goes_to_its_device) {  // contract B43, B44
  struct Range {
    platform::CxlDecoderSpec decoder;
    unsigned first;  // of its devices
  };
  const std::vector<Range> ranges = {
      {{.base = 0x1'0000'0000, .size = 2048 * kMiB, .interleave = {8, 1024}}, 0},  // two below each of four root ports
      {{.base = 0x2'0000'0000, .size = 1024 * kMiB, .interleave = {4, 256}}, 2},   // of two
      {{.base = 0x3'0000'0000, .size = 512 * kMiB, .interleave = {2, 16384}}, 6},  // of one
      {{.base = 0x4'0000'0000, .size = 256 * kMiB}, 5}};
  std::vector<platform::CxlDeviceSpec> devices;
  for (unsigned device = 0; device < 8; ++device) {
    devices.push_back(cxl_device({}));
    for (const Range& range : ranges) {
      if (device >= range.first && device < range.first + range.decoder.interleave.ways)
        devices.back().decoders.push_back(range.decoder);
    }
  }
  std::vector<platform::CxlDeviceSpec> branches;
  for (unsigned root = 0; root < 4; ++root) branches.push_back(cxl_switch({devices[2 * root], devices[2 * root + 1]}));
  platform::Platform built("platform", cxl_platform(branches));
  Initiator cpu("cpu");
  cpu.socket.bind(built.bus().socket);
  platform::CxlPart& part = built.get<platform::CxlPart>();
  struct : cxl::OperationClient {
    void completed(std::uint32_t /*user*/, Picoseconds /*now*/) override { ++done; }
    void unblocked(Picoseconds /*now*/) override {}
    unsigned done = 0;
  } client;
  constexpr unsigned kReads = 2000;
  std::array<std::uint64_t, 8> expected{};
  std::array<std::uint64_t, 4> at_roots{};
  run([&] {
    std::mt19937_64 random(7);
    for (unsigned read = 0; read < kReads; ++read) {
      const Range& range = ranges[random() % ranges.size()];
      const std::uint64_t granularity = range.decoder.interleave.granularity;
      const std::uint64_t ways = range.decoder.interleave.ways;
      const std::uint64_t offset = random() % range.decoder.size & ~std::uint64_t{63};
      const std::uint64_t address = range.decoder.base + offset;
      const unsigned device = range.first + static_cast<unsigned>(offset / granularity % ways);
      ++expected[device];
      ++at_roots[device / 2];
      cxl::Host& host = part.bridge().route(address, part.root(0).host);
      ASSERT_EQ(&host, &part.root(device / 2).host);
      host.issue({cxl::HostOperationKind::read, false, address, 0}, client);
      // Above the ranges of the device's lower decoders.
      std::uint64_t place = offset / (granularity * ways) * granularity + offset % granularity;
      for (const platform::CxlDecoderSpec& lower : devices[device].decoders) {
        if (lower.base < range.decoder.base) place += lower.size / lower.interleave.ways;
      }
      ASSERT_EQ(part.device(device).map.claim(address).device_address, place);
    }
    for (unsigned step = 0; step < 500; ++step) {
      advance(100'000);
      std::uint64_t under_way = 0;  // without what the switches hold
      for (unsigned root = 0; root < 4; ++root) under_way += part.root(root).host.pending();
      for (const platform::CxlPart::Wire& wire : part.wires()) under_way += wire.link->pending();
      for (unsigned device = 0; device < 8; ++device) under_way += part.device(device).memory.pending();
      ASSERT_GE(part.pending(), under_way);
    }
    EXPECT_EQ(client.done, kReads);
    EXPECT_EQ(part.pending(), 0U);
    for (unsigned device = 0; device < 8; ++device) {
      EXPECT_EQ(part.device(device).memory.probes().probe(cxl::MessageClass::m2s_req, 1)->tally(), expected[device]);
      EXPECT_EQ(part.device(device).memory.probes().probe(cxl::MessageClass::s2m_drs, 0)->tally(), expected[device]);
      EXPECT_GT(expected[device], 50U);
    }
    for (unsigned root = 0; root < 4; ++root)
      EXPECT_EQ(part.root(root).host.probes().probe(cxl::MessageClass::m2s_req, 1)->tally(), at_roots[root]);
  });
}

TEST_F(SimulationTest, addresses_go_to_root_ports_as_the_decoders_of_the_host_bridge_say) {
  const platform::CxlDecoderSpec shared = {
      .base = 0x1'0000'0000, .size = 1024 * kMiB, .interleave = {.ways = 4, .granularity = 512}};
  std::vector<platform::CxlDeviceSpec> branches;
  for (unsigned root = 0; root < 2; ++root)
    branches.push_back(cxl_switch({cxl_device({shared}), cxl_device({shared})}));
  platform::Platform built("platform", cxl_platform(branches));
  Initiator cpu("cpu");
  cpu.socket.bind(built.bus().socket);
  platform::CxlPart& part = built.get<platform::CxlPart>();
  const std::uint64_t decoders = platform::default_map::kCxlHostBridge + 0x1200;
  const auto root_of = [&](std::uint64_t address) {
    return &part.bridge().route(address, part.root(0).host) == &part.root(1).host ? 1 : 0;
  };
  run([&] {
    EXPECT_EQ(cpu.get32(decoders + 0x20) & 0x4ffU, 0x412U);  // committed; two ways of 1 KiB, two devices below each
    EXPECT_EQ(cpu.get32(decoders + 0x24), 0x0100U);
    EXPECT_EQ(root_of(shared.base + 1023), 0);
    EXPECT_EQ(root_of(shared.base + 1024), 1);
    EXPECT_EQ(root_of(shared.base + 2048), 0);
    // It is locked. A second one may be committed behind it; the first one of another host bridge's range may not.
    cpu.put32(decoders + 0x20, 0);
    EXPECT_EQ(root_of(shared.base + 1024), 1);
    cpu.put32(decoders + 0x34, 0x2);
    cpu.put32(decoders + 0x38, 0x1000'0000);
    cpu.put32(decoders + 0x44, 1);
    cpu.put32(decoders + 0x40, 1U << 9);
    EXPECT_EQ(cpu.get32(decoders + 0x40) & 0x400U, 0x400U);
    EXPECT_EQ(root_of(0x2'0000'0000), 1);
    cpu.put32(decoders + 0x64, 1);
    cpu.put32(decoders + 0x40 + 0x20, 1U << 9);  // at address 0x1'0000'0000, below the second one
    EXPECT_EQ(cpu.get32(decoders + 0x60) & 0xc00U, 0x800U);
    cpu.put32(decoders + 4, 0);  // HDM Decoder Enable
    EXPECT_EQ(root_of(shared.base + 1024), 0);
    EXPECT_EQ(root_of(0x2'0000'0000), 0);
    built.reset();
    EXPECT_EQ(root_of(shared.base + 1024), 1);
    EXPECT_EQ(root_of(0x2'0000'0000), 0);
  });
}

TEST(CxlPlatform, a_host_bridge_has_as_many_decoders_as_ranges_need_and_32_at_most) {
  const auto platform_of = [](unsigned ranges) {
    std::vector<platform::CxlDeviceSpec> branches;
    for (unsigned range = 0; range < ranges; ++range) {
      if (range % 10 == 0) branches.push_back(cxl_device({}));
      branches.back().decoders.push_back({.base = (16 + range) * 256 * kMiB, .size = 256 * kMiB});
    }
    return cxl_platform(branches);
  };
  EXPECT_NO_THROW(validate(platform_of(32)));
  EXPECT_THROW(validate(platform_of(33)), SpecError);
  EXPECT_EQ(cxl::ComponentRegisters::bridge_decoders(4), 4U);
  EXPECT_EQ(cxl::ComponentRegisters::bridge_decoders(11), 12U);
  EXPECT_EQ(cxl::ComponentRegisters::bridge_decoders(17), 20U);
  EXPECT_EQ(cxl::ComponentRegisters::bridge_decoders(29), 32U);
  EXPECT_EQ(cxl::ComponentRegisters::bridge_decoders(33), 0U);
}

}  // namespace
}  // namespace pmufab::testing
