// SPDX-License-Identifier: Apache-2.0
// Root complexes, root ports and devices below them: the default, and what validate() refuses.
#include <functional>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cxl/part/cxl_spec.h"
#include "models/platform/platform_spec.h"
#include "models/tegra410/part/pcie_spec.h"
#include "models/tegra410/part/tegra410_spec.h"

namespace pmufab::platform {
namespace {

using tegra410::PcieRootComplex;
using tegra410::PcieRootPort;
using ::testing::HasSubstr;

/// A line of the kernel document's example output: segment, bus, RP#, RC#, socket.
using Line = std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>;

std::vector<Line> lines_of(const std::vector<PcieRootComplex>& complexes) {
  std::vector<Line> lines;
  for (const PcieRootComplex& complex : complexes) {
    for (const PcieRootPort& port : complex.root_ports)
      lines.emplace_back(tegra410::segment_of(complex.socket, complex.number), port.bus, port.number, complex.number,
                         complex.socket);
  }
  return lines;
}

TEST(PcieSpec, the_default_is_the_example_output_of_the_kernel_document) {
  const std::vector<Line> document = {
      {0x1, 0x00, 0, 0, 0}, {0x2, 0x80, 1, 1, 0}, {0x2, 0xa0, 2, 1, 0}, {0x2, 0xc0, 3, 1, 0}, {0x2, 0xe0, 4, 1, 0},
      {0x3, 0x00, 0, 2, 0}, {0x4, 0x00, 0, 3, 0}, {0x5, 0x00, 0, 4, 0}, {0x5, 0x40, 1, 4, 0}, {0x5, 0xc0, 2, 4, 0},
      {0x6, 0x00, 0, 5, 0}, {0x9, 0x00, 0, 0, 1}, {0xa, 0x80, 1, 1, 1}, {0xa, 0xa0, 2, 1, 1}, {0xa, 0xe0, 3, 1, 1},
      {0xb, 0x00, 0, 2, 1}, {0xc, 0x00, 0, 3, 1}, {0xd, 0x00, 0, 4, 1}, {0xd, 0x40, 1, 4, 1}, {0xd, 0xc0, 2, 4, 1},
      {0xe, 0x00, 0, 5, 1},
  };
  EXPECT_EQ(lines_of(root_complexes_of(tegra410_platform())), document);
}

TEST(PcieSpec, sockets_the_document_does_not_show_are_like_the_first) {
  PlatformSpec spec = tegra410_platform();
  spec.sockets = 4;
  const std::vector<PcieRootComplex> all = root_complexes_of(spec);
  ASSERT_EQ(all.size(), 24U);
  for (const unsigned socket : {2U, 3U}) {
    for (unsigned number = 0; number < 6; ++number) {
      PcieRootComplex moved = all[socket * 6 + number];
      EXPECT_EQ(moved.socket, socket);
      moved.socket = 0;
      EXPECT_EQ(lines_of({moved}), lines_of({all[number]}));
    }
  }
}

TEST(PcieSpec, requester_id_0x0180_of_the_document_exists_below_root_complex_4) {
  const PcieRootComplex four = root_complexes_of(tegra410_platform()).at(4);
  const PcieRootPort& port = four.root_ports.at(0);
  EXPECT_EQ(tegra410::secondary_bus(port), 1U);
  ASSERT_EQ(port.devices.size(), 2U);
  EXPECT_EQ(port.devices[1].function, 0x80U);
}

TEST(PcieSpec, an_empty_list_means_no_root_complex_and_a_platform_without_sockets_has_none) {
  PlatformSpec spec = tegra410_platform();
  spec.edit<platform::Tegra410Spec>().pcie.root_complexes.emplace();
  EXPECT_TRUE(root_complexes_of(spec).empty());
  EXPECT_TRUE(bar_ranges_of(spec).empty());
  EXPECT_NO_THROW(validate(spec));
  EXPECT_TRUE(root_complexes_of(spec).empty());
}

TEST(PcieSpec, bars_lie_without_gaps_each_at_a_multiple_of_its_size) {
  const PcieRootComplex complex{.socket = 1,
                                .number = 2,
                                .root_ports = {{.number = 3,
                                                .bus = 0x20,
                                                .devices = {{.function = 0, .bar_size = 4096},
                                                            {.function = 1, .bar_size = 1 << 20},
                                                            {.function = 2, .bar_size = 8192},
                                                            {.function = 3, .bar_size = 1 << 20}}}}};
  const std::vector<PlacedBar> bars = bars_of(complex, complex.root_ports[0]);
  constexpr std::uint64_t kWindow = (std::uint64_t{1} << 44) + 0x40'0000'0000 + (2 * 8 + 3) * 0x1'0000'0000;
  ASSERT_EQ(bars.size(), 4U);
  EXPECT_EQ(bars[0].device, 1U);
  EXPECT_EQ(bars[0].base, kWindow);
  EXPECT_EQ(bars[1].device, 3U);
  EXPECT_EQ(bars[1].base, kWindow + 0x10'0000);
  EXPECT_EQ(bars[2].device, 2U);
  EXPECT_EQ(bars[2].base, kWindow + 0x20'0000);
  EXPECT_EQ(bars[3].device, 0U);
  EXPECT_EQ(bars[3].base, kWindow + 0x20'2000);

  PlatformSpec spec = tegra410_platform();
  spec.edit<platform::Tegra410Spec>().pcie.root_complexes = {complex};
  const std::vector<tegra410::MemoryRange> ranges = bar_ranges_of(spec);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].base, kWindow);
  EXPECT_EQ(ranges[0].size, 0x20'3000U);
  EXPECT_EQ(ranges[0].socket, 1U);
  EXPECT_EQ(ranges[0].memory_class, MemoryClass::bar);
  EXPECT_EQ(ranges[0].root_complex, 2U);
  EXPECT_EQ(ranges[0].root_port, 3U);
}

TEST(PcieSpec, a_root_port_has_the_buses_up_to_the_next_root_bus) {
  const PcieRootComplex one = root_complexes_of(tegra410_platform()).at(1);
  EXPECT_EQ(last_bus_of(one, one.root_ports[0]), 0x9fU);
  EXPECT_EQ(last_bus_of(one, one.root_ports[2]), 0xdfU);
  EXPECT_EQ(last_bus_of(one, one.root_ports[3]), 0xffU);
  EXPECT_EQ(ecam_base_of(one), 0x10'1000'0000U);
}

// ---- Refusals

void expect_refused(const std::string& field, const std::string& reason,
                    const std::function<void(std::vector<PcieRootComplex>&)>& change) {
  PlatformSpec spec = tegra410_platform();
  change(spec.edit<platform::Tegra410Spec>().pcie.root_complexes.emplace(tegra410::default_root_complexes(2)));
  try {
    validate(spec);
    ADD_FAILURE() << "accepted, but expected: " << reason;
  } catch (const SpecError& error) {
    EXPECT_EQ(error.field(), field);
    EXPECT_THAT(error.what(), HasSubstr(reason));
  }
}

TEST(PcieSpec, refuses_root_complexes_that_cannot_be) {
  const std::string first = "tegra410.pcie.root_complexes[0].";
  expect_refused(first + "socket", "is 2, but the platform has sockets 0 ... 1", [](auto& all) { all[0].socket = 2; });
  expect_refused(first + "number", "is 6, but a socket has root complexes 0 ... 5",
                 [](auto& all) { all[0].number = 6; });
  expect_refused("tegra410.pcie.root_complexes[3].number", "root_complexes[2] is number 2 of socket 0 already",
                 [](auto& all) { all[3].number = 2; });
  expect_refused(first + "root_ports", "leave the root complex out", [](auto& all) { all[0].root_ports.clear(); });
  expect_refused(first + "root_ports", "are 9, but a root complex has at most 8", [](auto& all) {
    all[0].root_ports.clear();
    for (unsigned number = 0; number < 9; ++number)
      all[0].root_ports.push_back({.number = number, .bus = static_cast<std::uint8_t>(16 * number), .devices = {}});
  });
}

TEST(PcieSpec, refuses_root_ports_that_cannot_be) {
  const std::string one = "tegra410.pcie.root_complexes[1].root_ports";
  expect_refused(one + "[0].number", "is 8, must be 0 ... 7", [](auto& all) { all[1].root_ports[0].number = 8; });
  expect_refused(one + "[2].number", "root_ports[1] is number 2 already",
                 [](auto& all) { all[1].root_ports[2].number = 2; });
  expect_refused(one + "[3].bus", "is 0xff, must be 0 ... 0xfe", [](auto& all) { all[1].root_ports[3].bus = 0xff; });
  expect_refused(one + "[1].bus", "bus 0x80 belongs to root_ports[0]",
                 [](auto& all) { all[1].root_ports[1].bus = 0x80; });
  // The bus below a port is occupied too, by the first user.
  expect_refused(one + "[1].bus", "bus 0x81 belongs to root_ports[0]",
                 [](auto& all) { all[1].root_ports[1].bus = 0x81; });
  expect_refused(one + "[1].bus", "bus 0x80 belongs to root_ports[0]",
                 [](auto& all) { all[1].root_ports[1].bus = 0x7f; });
}

TEST(PcieSpec, refuses_devices_that_cannot_be) {
  const std::string devices = "tegra410.pcie.root_complexes[4].root_ports[0].devices";
  expect_refused(devices + "[1].function", "another device has function 0",
                 [](auto& all) { all[4].root_ports[0].devices[1].function = 0; });
  expect_refused(devices, "function 0 is missing", [](auto& all) { all[4].root_ports[0].devices[0].function = 1; });
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{2048}, std::uint64_t{12288}, std::uint64_t{1} << 33}) {
    expect_refused(devices + "[0].bar_size", "use a power of two from 4 KiB to 4 GiB",
                   [size](auto& all) { all[4].root_ports[0].devices[0].bar_size = size; });
  }
  expect_refused(devices, "larger than 4 GiB together",
                 [](auto& all) { all[4].root_ports[0].devices[0].bar_size = std::uint64_t{1} << 32; });
  expect_refused(devices + "[0].vendor", "means that there is no function",
                 [](auto& all) { all[4].root_ports[0].devices[0].vendor_id = 0xffff; });
  expect_refused(devices + "[0].class", "more than 24 bits",
                 [](auto& all) { all[4].root_ports[0].devices[0].class_code = 0x1000000; });
}

TEST(PcieSpec, refuses_memory_where_pci_express_is) {
  const auto refusal = [](const tegra410::MemoryRange& range) -> std::string {
    PlatformSpec spec = tegra410_platform();
    spec.edit<platform::Tegra410Spec>().memory = {range};
    try {
      validate(spec);
    } catch (const SpecError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(
      refusal({0x10'0000'0000, 64, 0, MemoryClass::cmem}),
      HasSubstr("memory[0].base: [0x1000000000, 0x100000003f] covers the configuration space of root complex 0"));
  EXPECT_THAT(refusal({0x49'0000'0000, 64, 0, MemoryClass::cmem}),
              HasSubstr("covers the BARs below root port 1 of root complex 1 of socket 0"));
  EXPECT_EQ(refusal({0x48'0000'0000, 64, 0, MemoryClass::cmem}), "") << "there is no root port 0";
  EXPECT_THAT(refusal({0x1000, 64, 0, MemoryClass::bar}), HasSubstr("memory[0].memory_class: is bar"));
  EXPECT_THAT(refusal({0x1000, 64, 0, MemoryClass::cmem, 1}), HasSubstr("memory[0].root_complex: is for cxl only"));
  EXPECT_THAT(refusal({0x1000, 64, 0, MemoryClass::cxl, 6}),
              HasSubstr("memory[0].root_complex: is 6, must be 0 ... 5"));
  EXPECT_EQ(refusal({0x1000, 64, 0, MemoryClass::cxl, 5}), "");
}

TEST(PcieSpec, refuses_memory_of_cxl_devices_where_pci_express_is) {
  PlatformSpec spec = tegra410_platform();
  spec.edit<platform::CxlSpec>().devices.emplace_back().decoders = {{.base = 0x40'0000'0000, .size = 256 << 20}};
  try {
    validate(spec);
    ADD_FAILURE();
  } catch (const SpecError& error) {
    EXPECT_EQ(error.field(), "cxl[0].decoders[0].base");
    EXPECT_THAT(error.what(), HasSubstr("covers the BARs below root port 0 of root complex 0 of socket 0"));
  }
}

}  // namespace
}  // namespace pmufab::platform
