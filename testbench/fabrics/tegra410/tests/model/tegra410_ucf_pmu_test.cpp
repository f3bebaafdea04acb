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

TEST_F(Tegra410UcfPmu, identifies_itself_as_the_tegra410_ucf_with_eight_64_bit_counters) {
  run([&] {
    EXPECT_EQ(pmu.get(0, 0xe08), 0x2cf2036bU);
    const std::uint32_t configuration = pmu.get(0, 0xe00);
    EXPECT_EQ(configuration & 0xff, 7U);
    EXPECT_EQ(configuration >> 8 & 0x3f, 63U);
    EXPECT_EQ(configuration >> 14 & 1, 1U);
  });
}

TEST_F(Tegra410UcfPmu,
       each_source_and_destination_has_its_filter_bit_and_an_event_needs_both) {  // register side of C17
  run([&] {
    struct Case {
      std::uint32_t bits;
      Ask ask;
    };
    const auto read = [](RequesterKind kind, unsigned socket, std::uint64_t address) {
      return Ask{.opcode = Opcode::read_once, .address = address, .kind = kind, .socket = socket};
    };
    // Events at UCF 0. A remote source with a remote destination is a snoop and no request; it is tested below.
    const Case cases[] = {
        {0x101, read(kGpu, 0, cmem(0, 1))},
        {0x201, read(kGpu, 0, gmem(0, 1))},
        {0x401, read(kGpu, 0, cxl(0, 1))},
        {0x801, read(kGpu, 0, cmem(1, 1))},
        {0x102, read(RequesterKind::cpu, 0, cmem(0, 1))},
        {0x202, read(RequesterKind::cpu, 0, gmem(0, 1))},
        {0x402, read(RequesterKind::cpu, 0, cxl(0, 1))},
        {0x802, read(RequesterKind::cpu, 0, gmem(1, 1))},
        {0x104, read(kGpu, 1, cmem(0, 1))},
        {0x204, read(RequesterKind::pcie, 1, gmem(0, 1))},
        {0x404, read(RequesterKind::cpu, 1, cxl(0, 1))},
    };
    for (const Case& programmed : cases) {
      pmu.program(0, 0x111, programmed.bits);
      pmu.program(1, 0x111, programmed.bits & 0xff);          // no destination
      pmu.program(2, 0x111, programmed.bits & 0xf00);         // no source
      pmu.program(3, 0x111, 0xf07 & ~(programmed.bits & 7));  // every other source
      pmu.program(4, 0x111, 0xf07 & ~(programmed.bits & 0xf00));
      pmu.program(5, 0x111, 0xf07);
      for (unsigned counter = 0; counter < 6; ++counter) pmu.set_counter(counter, 0);
      pmu.enable(0x3f);
      pmu.start();
      std::uint64_t expected = 0;
      for (const Case& issued : cases) {
        rig.request(issued.ask);
        if (issued.bits == programmed.bits) ++expected;
      }
      pmu.stop();
      EXPECT_EQ(expected, 1U);
      EXPECT_EQ(pmu.counter(0), 1U) << std::hex << programmed.bits;
      EXPECT_EQ(pmu.counter(1), 0U);
      EXPECT_EQ(pmu.counter(2), 0U);
      std::uint64_t other_sources = 0, other_destinations = 0;
      for (const Case& issued : cases) {
        if ((issued.bits & 7) != (programmed.bits & 7)) ++other_sources;
        if ((issued.bits & 0xf00) != (programmed.bits & 0xf00)) ++other_destinations;
      }
      EXPECT_EQ(pmu.counter(3), other_sources);
      EXPECT_EQ(pmu.counter(4), other_destinations);
      EXPECT_EQ(pmu.counter(5), std::size(cases));
    }
  });
}

TEST_F(Tegra410UcfPmu, snoops_from_outside_have_a_remote_source_and_a_remote_destination) {
  run([&] {
    pmu.program(0, 0x181, 0x804);
    pmu.program(1, 0x181, 0x707);
    pmu.program(2, 0x180, 0x804);
    pmu.program(3, 0x182, 0x804);
    pmu.enable(0xf);
    pmu.start();
    rig.request({.opcode = Opcode::read_unique, .address = cmem(1, 0)});
    rig.request({.opcode = Opcode::read_once, .address = cmem(1, 0), .kind = kGpu, .socket = 1});
    EXPECT_EQ(pmu.counter(0), 1U);
    EXPECT_EQ(pmu.counter(1), 0U);
    EXPECT_EQ(pmu.counter(2), 1U);
    for (const std::uint64_t line : {4, 8}) {
      rig.request({.opcode = Opcode::read_shared, .address = cmem(1, line), .kind = kGpu, .socket = 1});
    }
    EXPECT_EQ(pmu.counter(3), 1U);
    EXPECT_EQ(pmu.counter(2), 2U);
  });
}

TEST_F(Tegra410UcfPmu, every_event_number_counts_its_event) {  // register side of C16
  // Seven regular counters: three rounds of the same traffic for the eighteen events.
  struct Event {
    std::uint32_t id;
    std::uint64_t expected;
  };
  const Event events[] = {
      {0x0f0, 3}, {0x0f3, 1}, {0x109, 1},   {0x10a, 1},  {0x111, 3}, {0x112, 2}, {0x113, 144}, {0x114, 68}, {0x119, 1},
      {0x121, 3}, {0x122, 1}, {0x123, 192}, {0x124, 64}, {0x180, 1}, {0x181, 0}, {0x182, 0},   {0x183, 1},  {0x184, 1},
  };
  run([&] {
    std::uint64_t base = 0;  // each round on fresh lines
    for (unsigned first = 0; first < std::size(events); first += 7) {
      const unsigned count = std::min<unsigned>(7, std::size(events) - first);
      for (unsigned counter = 0; counter < count; ++counter) {
        pmu.program(counter, events[first + counter].id);
        pmu.set_counter(counter, 0);
      }
      pmu.enable((1U << count) - 1);
      pmu.start();
      const std::uint64_t line = base;
      rig.request({.opcode = Opcode::read_unique, .address = cmem(0, line)});  // miss: refill_rd, allocate
      rig.request({.opcode = Opcode::read_once, .address = cmem(0, line), .kind = kGpu, .length = 16});  // hit, snoop
      rig.request({.opcode = Opcode::read_once, .address = cmem(0, line + 1), .kind = kGpu});  // miss, no allocation
      rig.request({.opcode = Opcode::write_unique_full, .address = cmem(0, line + 2), .kind = kGpu});  // allocate
      rig.request(
          {.opcode = Opcode::atomic_store, .address = cmem(0, line + 3), .kind = kGpu, .length = 4});  // refill_wr
      rig.request(
          {.opcode = Opcode::write_unique_ptl, .address = cmem(0, line + 3), .kind = kGpu, .length = 4});  // hit
      rig.request({.opcode = Opcode::clean_invalid, .address = cmem(0, line + 2), .kind = kGpu});          // write back
      pmu.stop();
      for (unsigned counter = 0; counter < count; ++counter) {
        EXPECT_EQ(pmu.counter(counter), events[first + counter].expected) << std::hex << events[first + counter].id;
      }
      // Remove all lines again.
      for (std::uint64_t l = line; l < line + 4; ++l) {
        rig.request({.opcode = Opcode::clean_invalid, .address = cmem(0, l), .kind = kGpu});
      }
      base += 16;
    }
  });
}

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

TEST_F(Tegra410UcfPmu, each_socket_counts_on_its_own) {
  UcfPmuRegisters other(rig, 1);
  run([&] {
    for (UcfPmuRegisters* each : {&pmu, &other}) {
      each->program(0, 0x111);
      each->enable(1);
      each->start();
    }
    rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1), .kind = kGpu});
    rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1), .kind = kGpu, .socket = 1});
    rig.request({.opcode = Opcode::read_once, .address = gmem(1, 1), .kind = kGpu, .socket = 1});
    EXPECT_EQ(pmu.counter(0), 2U);
    EXPECT_EQ(other.counter(0), 2U);
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
