// SPDX-License-Identifier: Apache-2.0
// Described PMUs whose sources are the fabrics of Tegra410 sockets: reset, and the use of memory. That they count what
// built-in PMUs count, described_twins_test.cpp shows.
#include <string_view>

#include <gtest/gtest.h>

#include "models/soc/part/soc_rows.h"
#include "models/soc/wire/fabric_sources.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"
#include "testbench/support/simulation_test.h"
#include "testbench/tests/models/allocation_counter.h"

namespace pmufab::fabric_taps_test {
namespace {

using soc::Cause;
using soc::EventDescription;
using soc::FilterDescription;
using testing::Rig;
using Counts = EventDescription::Counts;

constexpr std::uint64_t kTwin = 0x2000'0000;

soc::SourceDescription source(Cause cause, std::string_view event = {}) {
  for (const soc::FabricSource& one : soc::fabric_sources()) {
    if (one.cause == cause) return soc::describe(one, event);
  }
  ADD_FAILURE() << "there is no such source";
  return {};
}

/// Two small sockets, each with a described PMU.
platform::PlatformSpec spec() {
  platform::PlatformSpec spec = testing::small_spec(2);
  for (tegra410::PcieRootComplex& complex : *spec.edit<platform::Tegra410Spec>().pcie.root_complexes)
    complex.root_ports.front().devices = {{.bar_size = 1 << 20}};
  spec.edit<platform::SocSpec>().sources = {source(Cause::ucf, "slc_access_rd"), source(Cause::pcie),
                                            source(Cause::pcie_tgt)};
  soc::PmuDescription& pmu = spec.edit<platform::SocSpec>().pmus.emplace_back();
  pmu.name = "twin";
  pmu.base = kTwin;
  pmu.pmiidr = 0x7100'043b;
  pmu.hid = "ACME0001";
  pmu.events = {{"slc_access_rd", 1, Counts::occurrences, 0, 0, {}},
                {"requests", 2, Counts::occurrences, 1, 0, {}},
                {"read_bytes", 3, Counts::sum, 1, soc::pcie_source::bytes, {{soc::pcie_source::write, 0, 0}}},
                {"outstanding", 4, Counts::outstanding, 1, 0, {}},
                {"targets", 5, Counts::occurrences, 2, 0, {}},
                {"target_bytes", 6, Counts::sum, 2, soc::pcie_tgt_source::bytes, {{soc::pcie_tgt_source::cxl, 1, 1}}}};
  const auto mask = [&](const char* attribute, FilterDescription::Register where, unsigned first, unsigned width) {
    FilterDescription& filter = pmu.filters.emplace_back();
    filter.name = filter.attribute = attribute;
    filter.where = where;
    filter.bits = {first, width};
  };
  mask("source", FilterDescription::Register::filter, 0, 3);
  mask("destination", FilterDescription::Register::filter, 8, 5);
  FilterDescription& bdf = pmu.filters.emplace_back();
  bdf.name = bdf.attribute = "bdf";
  bdf.where = FilterDescription::Register::filter2;
  bdf.bits = {0, 16};
  bdf.match = FilterDescription::Match::value;
  return spec;
}

class SocSources : public testing::SimulationTest {
 protected:
  /// Let counter n count an event.
  void count(unsigned counter, std::uint32_t event, std::uint32_t filter = 0, std::uint32_t filter2 = 0) {
    rig.cpu.put32(kTwin + 0x400 + 4 * counter, event);
    rig.cpu.put32(kTwin + 0xa00 + 4 * counter, filter);
    rig.cpu.put32(kTwin + 0x800 + 4 * counter, filter2);
    rig.cpu.put32(kTwin + 0xc00, 1U << counter);
    rig.cpu.put32(kTwin + 0xe04, 1);
  }
  std::uint64_t value(unsigned counter) { return rig.cpu.get64(kTwin + 8 * counter); }
  Rig rig{spec()};
};

TEST_F(SocSources, a_reset_of_the_platform_or_of_its_window_clears_and_stops_a_pmu) {
  run([&] {
    const auto counts = [&] {
      rig.request({.opcode = FabricOpcode::read_once,
                   .address = testing::cmem(0, 0),
                   .kind = RequesterKind::pcie,
                   .length = 32,
                   .bdf = 0x0100});
      return value(0);
    };
    count(0, 2);
    EXPECT_EQ(counts(), 1U);
    rig.platform.reset();
    EXPECT_EQ(counts(), 0U);
    count(0, 2);
    EXPECT_EQ(counts(), 1U);
    ASSERT_TRUE(rig.platform.can_reset("socket0.twin"));
    rig.platform.reset_window("socket0.twin");
    EXPECT_EQ(counts(), 0U);
  });
}

TEST_F(SocSources, counting_an_occurrence_allocates_nothing) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers' operator new is left alone";
  run([&] {
    count(0, 1);
    count(1, 2, 0, 0x0100);
    count(2, 3);
    count(3, 5);
    tlm::tlm_generic_payload payload;
    FabricExtension extension;
    extension.opcode = FabricOpcode::read_once;
    extension.requester = RequesterKind::pcie;
    extension.bdf = 0x0100;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_data_length(64);
    payload.set_streaming_width(64);
    payload.set_extension(&extension);
    const auto send = [&] {
      for (unsigned line = 0; line < 100; ++line) {
        payload.set_address(line % 2 == 0 ? testing::cmem(0, line) : testing::cxl(0, line));
        ASSERT_EQ(rig.transport(payload, 0, false).status, tlm::TLM_OK_RESPONSE);
      }
    };
    // The rig's own logs allocate, the same for equal requests.
    const auto allocated = [&] {
      const std::uint64_t before = testing::allocations();
      send();
      return testing::allocations() - before;
    };
    send();
    send();
    testing::advance(1'000'000);
    const std::uint64_t so_far = value(1);
    const std::uint64_t counting = allocated();
    EXPECT_EQ(value(1), so_far + 100);
    rig.cpu.put32(kTwin + 0xe04, 0);
    EXPECT_EQ(allocated(), counting);
    payload.clear_extension(&extension);
  });
}

}  // namespace
}  // namespace pmufab::fabric_taps_test
