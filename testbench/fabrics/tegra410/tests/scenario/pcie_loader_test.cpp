// SPDX-License-Identifier: Apache-2.0
// tegra410.pcie of platform files: what is read, what the effective configuration shows, and refusals with their
// places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/tegra410/part/pcie_spec.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/scenario/tegra410_loader.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Loaded {
  platform::PlatformSpec spec = platform::tegra410_platform();
  std::string effective;
};

Loaded load(const std::string& yaml) {
  Value effective = Value::map();
  platform::PlatformSpec spec = read_platform(parse_text(yaml, "p.yaml"), "", effective);
  return {std::move(spec), to_yaml(effective)};
}

std::string error_of(const std::string& pcie) {
  try {
    static_cast<void>(load("sockets: 1\ntegra410:\n  pcie:\n" + pcie));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PcieLoader, the_effective_configuration_shows_the_default_and_reads_back_as_it) {
  const Loaded left_out = load("sockets: 2\n");
  EXPECT_FALSE(left_out.spec.of<platform::Tegra410Spec>().pcie.root_complexes.has_value());
  EXPECT_THAT(left_out.effective, AllOf(HasSubstr("bus: 0xe0"), HasSubstr("function: 128"), HasSubstr("vendor: 0x10de"),
                                        HasSubstr("bar: 600 ns"), HasSubstr("soc_clock: 1 GHz")));
  const Loaded again = load(left_out.effective);
  EXPECT_EQ(again.effective, left_out.effective);
  const auto ports = [](const platform::PlatformSpec& spec) {
    std::vector<std::uint64_t> bases;
    for (const auto& range : platform::bar_ranges_of(spec)) bases.insert(bases.end(), {range.base, range.size});
    return bases;
  };
  ASSERT_TRUE(again.spec.of<platform::Tegra410Spec>().pcie.root_complexes.has_value());
  EXPECT_EQ(again.spec.of<platform::Tegra410Spec>().pcie.root_complexes->size(), 12U);
  EXPECT_EQ(ports(again.spec), ports(left_out.spec));
}

TEST(PcieLoader, reads_every_key) {
  const Loaded loaded = load(R"(sockets: 2
tegra410:
  soc_clock: 800 MHz
  latency: {bar: 1 us}
  pcie:
    root_complexes:
      - socket: 1
        number: 5
        root_ports:
          - {number: 7, bus: 0x40, devices: [{function: 0}, {function: 3, bar_size: 64 KiB, vendor: 0x10de, device: 0x1234, class: 0x060000}]}
  pcie_tgt_pmu: {counters: 4, width: 40, atomic_64bit: true, dual_page: false, interrupt: false, trigger: edge}
)");
  const tegra410::Parameters& part = loaded.spec.of<platform::Tegra410Spec>();
  EXPECT_EQ(part.soc_clock_hz, 800'000'000U);
  EXPECT_EQ(part.latency.bar, 1'000'000U);
  ASSERT_EQ(part.pcie.root_complexes->size(), 1U);
  const tegra410::PcieRootComplex& complex = part.pcie.root_complexes->front();
  EXPECT_EQ(complex.socket, 1U);
  EXPECT_EQ(complex.number, 5U);
  ASSERT_EQ(complex.root_ports.size(), 1U);
  EXPECT_EQ(complex.root_ports[0].number, 7U);
  EXPECT_EQ(complex.root_ports[0].bus, 0x40U);
  ASSERT_EQ(complex.root_ports[0].devices.size(), 2U);
  EXPECT_EQ(complex.root_ports[0].devices[0].bar_size, 16U << 20);
  const tegra410::PcieEndpoint& device = complex.root_ports[0].devices[1];
  EXPECT_EQ(device.function, 3U);
  EXPECT_EQ(device.bar_size, 64U << 10);
  EXPECT_EQ(device.vendor_id, 0x10deU);
  EXPECT_EQ(device.device_id, 0x1234U);
  EXPECT_EQ(device.class_code, 0x060000U);
  EXPECT_EQ(part.pcie_tgt_pmu.counters, 4U);
  EXPECT_EQ(part.pcie_tgt_pmu.width, 40U);
  EXPECT_TRUE(part.pcie_tgt_pmu.atomic_64bit);
  EXPECT_FALSE(part.pcie_tgt_pmu.dual_page);
  EXPECT_FALSE(part.pcie_tgt_pmu.interrupt);
  EXPECT_EQ(part.pcie_tgt_pmu.trigger, InterruptTrigger::edge);
}

TEST(PcieLoader, an_empty_list_of_root_complexes_is_none) {
  const Loaded loaded = load("tegra410: {pcie: {root_complexes: []}}\n");
  ASSERT_TRUE(loaded.spec.of<platform::Tegra410Spec>().pcie.root_complexes.has_value());
  EXPECT_TRUE(loaded.spec.of<platform::Tegra410Spec>().pcie.root_complexes->empty());
  EXPECT_THAT(loaded.effective, HasSubstr("root_complexes: []"));
}

TEST(PcieLoader, cxl_memory_names_the_root_complex_it_is_below) {
  const Loaded loaded = load("memory: [{base: 0x40000000000, size: 1 GiB, memory_class: cxl, root_complex: 3}]\n");
  EXPECT_EQ(loaded.spec.of<platform::Tegra410Spec>().memory.at(0).root_complex, 3U);
  EXPECT_THAT(loaded.effective, HasSubstr("root_complex: 3"));
  EXPECT_THAT(load("sockets: 1\n").effective, HasSubstr("root_complex: 0"));
}

TEST(PcieLoader, mistakes_have_their_place) {
  EXPECT_THAT(error_of("    root_complexes: [{root_ports: [{number: 0, bus: 0}]}]\n"),
              AllOf(HasSubstr("p.yaml:4:22"), HasSubstr("the key 'number' is missing")));
  EXPECT_THAT(error_of("    root_complexes: [{number: 0}]\n"), HasSubstr("the key 'root_ports' is missing"));
  EXPECT_THAT(error_of("    root_complexes: [{number: 0, root_ports: [{number: 0}]}]\n"),
              HasSubstr("the key 'bus' is missing"));
  EXPECT_THAT(error_of("    root_complexes: [{number: 0, root_ports: [{number: 0, bus: 0x100}]}]\n"),
              AllOf(HasSubstr("p.yaml:4:64"), HasSubstr("tegra410.pcie.root_complexes[0].root_ports[0].bus")));
  EXPECT_THAT(error_of("    root_complex: []\n"), AllOf(HasSubstr("p.yaml:4:5"), HasSubstr("root_complexes")));
  EXPECT_THAT(error_of("    root_complexes: [{number: 0, root_ports: [{number: 0, bus: 0, devices: [{bar: 1}]}]}]\n"),
              HasSubstr("bar_size"));
  // Errors that only validate() detects have a place too.
  EXPECT_THAT(error_of("    root_complexes:\n"
                       "      - number: 0\n"
                       "        root_ports:\n"
                       "          - {number: 0, bus: 0}\n"
                       "          - {number: 1, bus: 1}\n"),
              AllOf(HasSubstr("p.yaml:8:30: tegra410.pcie.root_complexes[0].root_ports[1].bus"),
                    HasSubstr("bus 0x01 belongs to root_ports[0]"), HasSubstr("leave two buses to each root port")));
  EXPECT_THAT(error_of("    root_complexes: [{number: 0, root_ports: [{number: 0, bus: 0, devices: [{function: 0, "
                       "bar_size: 3 MiB}]}]}]\n"),
              AllOf(HasSubstr("p.yaml:4:101"), HasSubstr("use a power of two from 4 KiB to 4 GiB")));
}

}  // namespace
}  // namespace pmufab::scenario
