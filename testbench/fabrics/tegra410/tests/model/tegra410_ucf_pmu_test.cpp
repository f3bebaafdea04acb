// SPDX-License-Identifier: Apache-2.0
// The UCF PMU through its registers: events, filters, cycles, overflow. Other tests check what the events mean.
#include <gtest/gtest.h>

#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"
#include "testbench/support/interrupt_probe.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing::tegra410_ucf_pmu_test {
namespace {

using Opcode = FabricOpcode;
constexpr RequesterKind kGpu = RequesterKind::gpu;

class Tegra410UcfPmu : public SimulationTest {
 protected:
  Rig rig{small_spec(2)};
  UcfPmuRegisters pmu{rig, 0};
};

TEST_F(Tegra410UcfPmu, an_unknown_event_counts_nothing) {
  run([&] {
    pmu.program(0, 0x110);
    pmu.program(1, 0);
    pmu.enable(3);
    pmu.start();
    rig.request({.opcode = Opcode::read_shared, .address = cmem(0, 1)});
    advance(1'000'000);
    EXPECT_EQ(pmu.counter(0), 0U);
    EXPECT_EQ(pmu.counter(1), 0U);
  });
}

TEST_F(Tegra410UcfPmu, bus_cycles_and_the_cycle_counter_count_fabric_clock_edges_whatever_their_filters) {
  run([&] {
    pmu.program(2, 0x1d, 0);
    pmu.put(0, 0xa7c, 2);  // PMCCFILTR as the driver writes it for config1 = 2
    pmu.enable(1U << 2 | 1U << 31);
    advance(1'000'000);
    EXPECT_EQ(pmu.counter(2), 0U);
    pmu.start();
    advance(1'000'000'000);  // 1 ms at 2.4 GHz
    pmu.stop();
    advance(1'000'000);
    EXPECT_EQ(pmu.counter(2), 2'400'000U);
    EXPECT_EQ(pmu.counter(UcfPmuRegisters::kCycleCounter), 2'400'000U);
  });
}

TEST_F(Tegra410UcfPmu, a_change_of_event_or_filter_takes_effect_at_once) {  // register side of C27
  run([&] {
    const auto traffic = [&] {
      rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1), .kind = kGpu});
      rig.request({.opcode = Opcode::write_unique_ptl, .address = gmem(0, 1), .length = 4});
    };
    pmu.program(0, 0x111);
    pmu.enable(1);
    pmu.start();
    traffic();
    EXPECT_EQ(pmu.counter(0), 1U);
    pmu.program(0, 0x112);
    traffic();
    EXPECT_EQ(pmu.counter(0), 2U);
    pmu.program(0, 0x112, 0xf01);
    traffic();
    EXPECT_EQ(pmu.counter(0), 2U) << "the writer is a CPU";
    pmu.program(0, 0x114, 0xf02);
    traffic();
    EXPECT_EQ(pmu.counter(0), 6U);
    pmu.disable(1);
    traffic();
    EXPECT_EQ(pmu.counter(0), 6U);
  });
}

TEST_F(Tegra410UcfPmu, overflow_by_a_request_issued_ahead_raises_the_line_when_the_request_arrives) {
  InterruptProbe line(*rig.platform.firmware().apmt.at(0).overflow_interrupt->line);
  run([&] {
    pmu.program(0, 0x114);  // bytes: one request adds several
    pmu.set_counter(0, ~std::uint64_t{0} - 9);
    pmu.put(0, 0xc40, 1);
    pmu.enable(1);
    pmu.start();
    const Ask write{.opcode = Opcode::write_unique_full, .address = gmem(0, 1), .kind = kGpu, .delay = 3'000};
    rig.request(write);
    EXPECT_EQ(now(), 0U);
    EXPECT_FALSE(line.is_high());
    advance(3'001);
    ASSERT_EQ(line.changes().size(), 1U);
    EXPECT_EQ(line.changes()[0], (InterruptProbe::Change{3'000, true}));
    EXPECT_EQ(pmu.counter(0), 54U);
    EXPECT_EQ(pmu.get(1, 0xc80), 1U);
    pmu.put(1, 0xc80, 1);
    EXPECT_EQ(pmu.get(1, 0xc80), 0U);
    advance(1);
    EXPECT_FALSE(line.is_high());
  });
}

TEST_F(SimulationTest, tegra410_ucf_pmu_has_the_counters_and_width_it_is_configured_with) {
  platform::PlatformSpec spec = small_spec(1);
  spec.edit<platform::Tegra410Spec>().ucf_pmu.counters = 31;
  spec.edit<platform::Tegra410Spec>().ucf_pmu.width = 32;
  spec.edit<platform::Tegra410Spec>().ucf_pmu.dual_page = false;
  Rig rig(spec);
  UcfPmuRegisters pmu(rig, 0);
  run([&] {
    const std::uint32_t configuration = pmu.get(0, 0xe00);
    EXPECT_EQ(configuration & 0xff, 30U);
    EXPECT_EQ(configuration >> 8 & 0x3f, 31U);
    pmu.program(29, 0x111);
    pmu.set_counter(29, 0xffff'ffff);
    pmu.enable(1U << 29);
    pmu.start();
    rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1), .kind = kGpu});
    EXPECT_EQ(pmu.counter(29), 0U);
    EXPECT_EQ(pmu.get(1, 0xc80), 1U << 29);
  });
}

}  // namespace
}  // namespace pmufab::testing::tegra410_ucf_pmu_test
