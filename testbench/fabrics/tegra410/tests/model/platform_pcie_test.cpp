// SPDX-License-Identifier: Apache-2.0
// PCI Express of a platform: configuration space as software finds it, requests to BARs, and counts of PCIE-TGT PMUs.
#include <sstream>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/cxl/part/cxl_spec.h"
#include "models/tegra410/part/pcie_spec.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing {
namespace {

using ::testing::HasSubstr;
using Opcode = FabricOpcode;
using platform::PciSegment;
constexpr std::uint16_t kNvidia = 0x10de;

/// Software that knows only what firmware describes: the segments.
class ConfigurationReader {
 public:
  explicit ConfigurationReader(Rig& rig) : rig_(rig) {}

  std::uint32_t read32(const PciSegment& segment, unsigned bus, unsigned devfn, unsigned at) {
    return rig_.cpu.get32(segment.ecam_base + (std::uint64_t{bus} << 20) + (devfn << 12) + at);
  }
  std::uint8_t read8(const PciSegment& segment, unsigned bus, unsigned devfn, unsigned at) {
    return static_cast<std::uint8_t>(read32(segment, bus, devfn, at & ~3U) >> 8 * (at & 3));
  }
  bool exists(const PciSegment& segment, unsigned bus, unsigned devfn) { return read32(segment, bus, devfn, 0) != ~0U; }
  unsigned vendor(const PciSegment& segment, unsigned bus, unsigned devfn) {
    return read32(segment, bus, devfn, 0) & 0xffff;
  }
  /// Numbers of the functions on the bus below a port: 0, and those in the alternative routing capability.
  std::vector<unsigned> functions(const PciSegment& segment, unsigned bus) {
    std::vector<unsigned> found;
    if (!exists(segment, bus, 0)) return found;
    unsigned function = 0;
    do {
      found.push_back(function);
      const unsigned ari =
          extended(segment, bus, function, [](std::uint32_t header, unsigned) { return (header & 0xffff) == 0x000e; });
      function = ari == 0 ? 0 : read8(segment, bus, function, ari + 5);
    } while (function != 0);
    return found;
  }
  /// @return offset of NVIDIA's DVSEC 4, or 0
  unsigned dvsec4(const PciSegment& segment, unsigned bus, unsigned devfn) {
    return extended(segment, bus, devfn, [&](std::uint32_t header, unsigned at) {
      return (header & 0xffff) == 0x0023 && (read32(segment, bus, devfn, at + 4) & 0xffff) == kNvidia &&
             (read32(segment, bus, devfn, at + 8) & 0xffff) == 4;
    });
  }

 private:
  template <typename IsIt>
  unsigned extended(const PciSegment& segment, unsigned bus, unsigned devfn, IsIt is_it) {
    for (unsigned at = 0x100; at != 0;) {
      const std::uint32_t header = read32(segment, bus, devfn, at);
      if (header == 0) return 0;
      if (is_it(header, at)) return at;
      at = header >> 20;
    }
    return 0;
  }

  Rig& rig_;
};

platform::PlatformSpec default_spec() {
  platform::PlatformSpec spec = small_spec(2);
  spec.edit<platform::Tegra410Spec>().pcie.root_complexes.reset();
  return spec;
}

// contract C37
TEST_F(SimulationTest, platform_pcie_software_maps_every_root_port_as_the_kernel_document_does) {
  Rig rig(default_spec());
  run([&] {
    // Segment, bus, and of the DVSEC: bus, segment, root port, root complex, socket.
    using Line = std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned>;
    std::vector<Line> lines;
    unsigned nvidia_without = 0;
    ConfigurationReader software(rig);
    for (const PciSegment& segment : rig.platform.firmware().pci_segments) {
      const unsigned root = segment.first_bus;
      ASSERT_TRUE(software.exists(segment, root, 0));
      EXPECT_FALSE(software.exists(segment, root, 8)) << "device 1 of a root bus";
      ASSERT_EQ(software.vendor(segment, root, 0), kNvidia);
      const unsigned at = software.dvsec4(segment, root, 0);
      ASSERT_NE(at, 0U);
      const auto byte = [&](unsigned offset) { return software.read8(segment, root, 0, at + offset); };
      lines.emplace_back(segment.number, root, byte(0x0c), byte(0x0d), byte(0x0e), byte(0x0f), byte(0x10));
      const unsigned below = software.read8(segment, root, 0, 0x19);
      for (const unsigned function : software.functions(segment, below)) {
        EXPECT_EQ(software.dvsec4(segment, below, function), 0U);
        if (software.vendor(segment, below, function) == kNvidia) ++nvidia_without;
      }
    }
    const std::vector<Line> document = {
        {1, 0x00, 0x00, 1, 0, 0, 0},   {2, 0x80, 0x80, 2, 1, 1, 0},   {2, 0xa0, 0xa0, 2, 2, 1, 0},
        {2, 0xc0, 0xc0, 2, 3, 1, 0},   {2, 0xe0, 0xe0, 2, 4, 1, 0},   {3, 0x00, 0x00, 3, 0, 2, 0},
        {4, 0x00, 0x00, 4, 0, 3, 0},   {5, 0x00, 0x00, 5, 0, 4, 0},   {5, 0x40, 0x40, 5, 1, 4, 0},
        {5, 0xc0, 0xc0, 5, 2, 4, 0},   {6, 0x00, 0x00, 6, 0, 5, 0},   {9, 0x00, 0x00, 9, 0, 0, 1},
        {10, 0x80, 0x80, 10, 1, 1, 1}, {10, 0xa0, 0xa0, 10, 2, 1, 1}, {10, 0xe0, 0xe0, 10, 3, 1, 1},
        {11, 0x00, 0x00, 11, 0, 2, 1}, {12, 0x00, 0x00, 12, 0, 3, 1}, {13, 0x00, 0x00, 13, 0, 4, 1},
        {13, 0x40, 0x40, 13, 1, 4, 1}, {13, 0xc0, 0xc0, 13, 2, 4, 1}, {14, 0x00, 0x00, 14, 0, 5, 1}};
    EXPECT_EQ(lines, document);
    EXPECT_GE(nvidia_without, 1U) << "a device of NVIDIA's that software has to skip";
  });
}

TEST_F(SimulationTest, platform_pcie_root_ports_are_bridges_to_the_functions_below) {
  Rig rig(default_spec());
  run([&] {
    ConfigurationReader software(rig);
    const auto& segments = rig.platform.firmware().pci_segments;
    const PciSegment& five = segments.at(7);  // 0005:00
    ASSERT_EQ(five.number, 5U);
    EXPECT_EQ(five.node, 0U);
    EXPECT_EQ(five.last_bus, 0x3fU);
    EXPECT_EQ(software.read32(five, 0, 0, 0x08) >> 8, 0x060400U);
    EXPECT_EQ(software.read8(five, 0, 0, 0x0e), 1U) << "type 1 header";
    EXPECT_EQ(software.read32(five, 0, 0, 0x18) & 0xff'ffff, 0x01'0100U) << "buses 0, 1, 1";
    EXPECT_EQ(software.functions(five, 1), (std::vector<unsigned>{0, 0x80})) << "requester id 0x0180";
    EXPECT_EQ(software.read32(five, 1, 0x80, 0x08) >> 8, 0x020000U);
    EXPECT_FALSE(software.exists(five, 1, 8));
    // BARs, and the window of the port around them.
    EXPECT_EQ(software.read32(five, 1, 0, 0x10) & ~0xfU, 0U);
    EXPECT_EQ(software.read32(five, 1, 0, 0x14), 0x60U);
    EXPECT_EQ(software.read32(five, 1, 0x80, 0x10) & ~0xfU, 32U << 20);
    EXPECT_EQ(software.read32(five, 0, 0, 0x24), 0x03f1'0001U) << "two BARs of 32 MiB";
    EXPECT_EQ(software.read32(five, 0, 0, 0x28), 0x60U);
    EXPECT_EQ(software.read32(five, 0, 0, 0x2c), 0x60U);
    // The port number in the link capabilities is that of the root port.
    for (const unsigned index : {1U, 4U, 8U, 9U}) {
      const PciSegment& segment = segments.at(index);
      unsigned express = software.read8(segment, segment.first_bus, 0, 0x34);
      while (software.read8(segment, segment.first_bus, 0, express) != 0x10)
        express = software.read8(segment, segment.first_bus, 0, express + 1);
      const unsigned dvsec = software.dvsec4(segment, segment.first_bus, 0);
      EXPECT_EQ(software.read8(segment, segment.first_bus, 0, express + 0x0f),
                software.read8(segment, segment.first_bus, 0, dvsec + 0x0e));
    }
    // Software changes the writable bits, and a platform reset restores them.
    const std::uint64_t port = five.ecam_base;
    rig.cpu.put32(port + 0x18, 0x0020'2000);
    EXPECT_EQ(software.functions(five, 0x20), (std::vector<unsigned>{0, 0x80}));
    rig.platform.reset();
    EXPECT_EQ(software.functions(five, 1), (std::vector<unsigned>{0, 0x80}));
  });
}

TEST_F(SimulationTest, platform_pcie_and_cxl_devices_live_on_one_platform) {
  platform::PlatformSpec spec = default_spec();
  spec.edit<platform::CxlSpec>().devices.emplace_back();
  Rig rig(spec);
  run([&] {
    ConfigurationReader software(rig);
    unsigned cxl_ports = 0;
    for (const PciSegment& segment : rig.platform.firmware().pci_segments) {
      if (segment.number != 0) continue;
      EXPECT_TRUE(software.exists(segment, 0, 0));
      EXPECT_TRUE(software.exists(segment, 1, 0));
      ++cxl_ports;
    }
    EXPECT_EQ(cxl_ports, 1U);
    EXPECT_EQ(rig.platform.firmware().pci_segments.size(), 22U);
  });
}

TEST_F(SimulationTest, platform_pcie_configuration_space_is_shown_with_the_place_of_each_port) {
  Rig rig(default_spec());
  std::string text;
  bool endpoint = false;
  for (const auto& registers : rig.platform.registers()) {
    std::ostringstream out;
    if (registers.name == "socket1.rc1.rp3.config") {
      registers.dump_text(out, 0);
      text = out.str();
      EXPECT_EQ(registers.dump_json(0).size(), 1U);
    }
    endpoint = endpoint || registers.name == "socket0.rc4.rp0.fn128.config";
  }
  EXPECT_TRUE(endpoint);
  EXPECT_THAT(text, HasSubstr("DVSEC4_PLACE"));
  EXPECT_THAT(text, HasSubstr("0x01030ae0")) << "root complex 1, root port 3, segment 0xa, bus 0xe0";
  EXPECT_THAT(text, HasSubstr("Secondary Bus Number"));
}

// ---- Requests to BARs

constexpr std::uint64_t kBar = 0x49'0000'0000;  // socket 0, root complex 1, root port 1

/// The sum of a PCIE-TGT event of root complex 1 of socket 0.
std::uint64_t tally(Rig& rig, const std::string& event, unsigned complex = 1) {
  for (unsigned number = 0; number < tegra410::kPcieTargetEvents; ++number) {
    const Probe& probe =
        rig.platform.get<platform::Tegra410Part>().socket(0).root_complexes().at(complex)->target.probe(
            static_cast<tegra410::PcieTargetEvent>(number));
    if (probe.name() == "socket0.rc" + std::to_string(complex) + ".tgt." + event) return probe.tally();
  }
  ADD_FAILURE() << event;
  return 0;
}

TEST_F(SimulationTest, platform_pcie_requests_to_bars_are_answered_and_are_no_event_of_a_ucf) {
  platform::PlatformSpec spec = default_spec();
  spec.edit<platform::Tegra410Spec>().latency.bar = 700'000;
  spec.edit<platform::Tegra410Spec>().latency.link = 120'000;
  Rig rig(spec);
  run([&] {
    for (const Opcode opcode : {Opcode::read_once, Opcode::read_shared, Opcode::read_unique, Opcode::write_unique_full,
                                Opcode::write_unique_ptl, Opcode::write_back_full, Opcode::evict, Opcode::clean_unique,
                                Opcode::clean_invalid, Opcode::atomic_store}) {
      EXPECT_EQ(rig.request({.opcode = opcode, .address = kBar}), 700'000U);
    }
    EXPECT_EQ(rig.request({.opcode = Opcode::read_once, .address = kBar, .kind = RequesterKind::gpu, .socket = 1}),
              820'000U)
        << "over the link";
    EXPECT_EQ(
        rig.request({.opcode = Opcode::read_once, .address = kBar + 60, .kind = RequesterKind::pcie, .length = 4}),
        700'000U);
    EXPECT_EQ(rig.take(), Rig::Counts{});
    EXPECT_EQ(tally(rig, "rd_req"), 5U);
    EXPECT_EQ(tally(rig, "rd_bytes"), 4U * 64 + 4);
    EXPECT_EQ(tally(rig, "wr_req"), 4U) << "three writes and an atomic";
    EXPECT_EQ(tally(rig, "wr_bytes"), 4U * 64);
    EXPECT_EQ(tally(rig, "rd_req", 0), 0U);
  });
}

TEST_F(SimulationTest, platform_pcie_an_address_between_bars_is_nobodys) {
  Rig rig(default_spec());
  run([&] {
    EXPECT_EQ(rig.send({.opcode = Opcode::read_once, .address = kBar + (16 << 20)}).status,
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(rig.send({.opcode = Opcode::read_once, .address = 0x48'0000'0000}).status,
              tlm::TLM_ADDRESS_ERROR_RESPONSE)
        << "root complex 1 has no root port 0";
  });
}

}  // namespace
}  // namespace pmufab::testing
