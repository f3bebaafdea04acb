// SPDX-License-Identifier: Apache-2.0
// The registers as software sees them, while little or nothing counts.

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/support/simulation_test.h"
#include "testbench/tests/models/coresight/coresight_rig.h"

namespace pmufab::coresight {
namespace {

class CoreSightRegisters : public testing::SimulationTest {};

TEST_F(CoreSightRegisters, configuration_and_identification_show_the_options) {
  testing::let_writes_be_lost();
  CoreSightRig rig({.counters = 8,
                    .width = 40,
                    .cycle_counter = true,
                    .pmiidr = 0x2cf2036b,
                    .pmpidr = {0x11, 0x22, 0x33, 0x44, 0x55},
                    .pmdevarch = 0x47700a04});
  run([&] {
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcfgr), 7U | 39U << 8 | 1U << 14);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmiidr), 0x2cf2036bU);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmdevarch), 0x47700a04U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + 0xfe0), 0x11U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + 0xfe4), 0x22U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + 0xfe8), 0x33U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + 0xfec), 0x44U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + 0xfd0), 0x55U);
    for (const std::uint64_t reg : {kPmcfgr, kPmiidr, kPmdevarch, std::uint64_t{0xfe0}}) {
      const std::uint32_t before = rig.cpu.get32(kPage0 + reg);
      rig.cpu.put32(kPage0 + reg, ~before);
      EXPECT_EQ(rig.cpu.get32(kPage0 + reg), before) << reg;
    }
    EXPECT_EQ(rig.pmu.guest_errors(), 0U);
  });
}

TEST_F(CoreSightRegisters, without_an_identification_register_the_peripheral_id_gives_it) {
  // The fields of 0x2cf2036b, by hand: product 0x2cf, variant 2, revision 0, JEP106 bank 3, identity 0x6b.
  CoreSightRig rig({.pmiidr = 0, .pmpidr = {0xcf, 0xb2, 0x2e, 0x00, 0x03}});
  run([&] {
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmiidr), 0U);
    const auto pidr = [&](unsigned n) { return rig.cpu.get32(kPage0 + (n == 4 ? 0xfd0 : 0xfe0 + 4 * n)); };
    const std::uint32_t id = (pidr(0) & 0xff) << 20 | (pidr(1) & 0xf) << 28 | pidr(1) >> 4 | pidr(2) >> 4 << 16 |
                             (pidr(2) & 7) << 4 | pidr(3) >> 4 << 12 | (pidr(4) & 0xf) << 8;
    EXPECT_EQ(id, 0x2cf2036bU);
  });
}

// contract C8
TEST_F(CoreSightRegisters, set_registers_only_set_clear_registers_only_clear_and_both_read_the_mask) {
  CoreSightRig rig({.counters = 40, .width = 32, .cycle_counter = false});
  run([&] {
    const std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs{
        {kPmcntenset, kPmcntenclr}, {kPmintenset, kPmintenclr}, {kPmovsset, kPmovsclr}};
    for (const auto& [set, clear] : pairs) {
      rig.cpu.put32(kPage0 + set, 0x8000'0005);
      rig.cpu.put32(kPage0 + set, 0x0000'0002);
      rig.cpu.put32(kPage0 + set, 0);
      EXPECT_EQ(rig.cpu.get32(kPage0 + set), 0x8000'0007U) << set;
      EXPECT_EQ(rig.cpu.get32(kPage0 + clear), 0x8000'0007U) << set;
      rig.cpu.put32(kPage0 + clear, 0);
      EXPECT_EQ(rig.cpu.get32(kPage0 + set), 0x8000'0007U) << set;
      rig.cpu.put32(kPage0 + clear, 0x8000'0001);
      EXPECT_EQ(rig.cpu.get32(kPage0 + set), 0x0000'0006U) << set;
      EXPECT_EQ(rig.cpu.get32(kPage0 + clear), 0x0000'0006U) << set;
      // The second word holds counters 32 ... 39 and nothing else. There is no third word.
      rig.cpu.put32(kPage0 + set + 4, ~0U);
      rig.cpu.put32(kPage0 + set + 8, ~0U);
      EXPECT_EQ(rig.cpu.get32(kPage0 + clear + 4), 0xffU) << set;
      EXPECT_EQ(rig.cpu.get32(kPage0 + clear + 8), 0U) << set;
      rig.cpu.put32(kPage0 + clear + 4, 0x0f);
      EXPECT_EQ(rig.cpu.get32(kPage0 + set + 4), 0xf0U) << set;
      EXPECT_EQ(rig.cpu.get32(kPage0 + set), 0x0000'0006U) << set;
    }
  });
}

TEST_F(CoreSightRegisters, the_cycle_counter_is_31_and_regular_counters_go_on_behind_it) {
  struct Case {
    unsigned counters;
    bool cycle_counter;
    std::uint32_t word0, word1;
  };
  const Case cases[] = {
      {1, true, 0x8000'0000, 0}, {31, true, 0xbfff'ffff, 0},  {32, true, 0xffff'ffff, 0},  {34, true, 0xffff'ffff, 3},
      {1, false, 1, 0},          {31, false, 0x7fff'ffff, 0}, {33, false, 0xffff'ffff, 1},
  };
  for (const Case& one : cases) {
    const CoreSightPmuOptions options{.counters = one.counters, .cycle_counter = one.cycle_counter};
    std::uint64_t found = 0;
    for (unsigned counter = 0; counter < options.counter_numbers(); ++counter) {
      found |= std::uint64_t{options.has_counter(counter)} << counter;
    }
    EXPECT_EQ(found, one.word0 | std::uint64_t{one.word1} << 32) << one.counters << one.cycle_counter;
  }
  CoreSightRig rig({.counters = 34, .width = 32, .cycle_counter = true});
  run([&] {
    rig.write_type(31, 0x10);  // PMCCFILTR, not an event
    rig.write_type(33, 0x10);
    rig.cpu.put32(kPage0 + kPmcntenset, ~0U);
    rig.cpu.put32(kPage0 + kPmcntenset + 4, ~0U);
    EXPECT_EQ(rig.get_mask(kPmcntenset, 1), 3U);
    rig.control(1);
    rig.probes[0].publish(5, 0, testing::now());
    EXPECT_EQ(rig.read_counter(33), 5U);
    EXPECT_EQ(rig.read_counter(31), 0U);
    testing::advance(10'000);
    EXPECT_EQ(rig.read_counter(31), 10U);
    EXPECT_EQ(rig.read_counter(32), 0U);
  });
}

// contract C9
TEST_F(CoreSightRegisters, control_resets_event_or_cycle_counters_and_keeps_the_enable_bit) {
  testing::let_writes_be_lost();
  CoreSightRig rig({.counters = 8, .width = 32});
  run([&] {
    const auto fill = [&] {
      for (const unsigned counter : {0U, 6U, 31U}) rig.write_counter(counter, 1000 + counter);
    };
    fill();
    rig.control(2);  // P
    EXPECT_EQ(rig.read_counter(0), 0U);
    EXPECT_EQ(rig.read_counter(6), 0U);
    EXPECT_EQ(rig.read_counter(31), 1031U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcr), 0U);
    fill();
    rig.control(4);  // C
    EXPECT_EQ(rig.read_counter(0), 1000U);
    EXPECT_EQ(rig.read_counter(31), 0U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcr), 0U);
    fill();
    rig.put_bit(kPmovsset, 0);
    rig.control(7);
    EXPECT_EQ(rig.read_counter(0) + rig.read_counter(6) + rig.read_counter(31), 0U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcr), 1U);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 1U);  // the status is kept
    rig.control(0xffff'fff9);                // bits of missing features read zero
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcr), 1U);
    rig.control(0);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcr), 0U);
    EXPECT_EQ(rig.pmu.guest_errors(), 0U);
  });
}

// contract C11
TEST_F(CoreSightRegisters, with_two_pages_counters_and_overflow_status_live_on_the_second) {
  testing::let_writes_be_lost();
  CoreSightRig rig({.counters = 8, .width = 64, .dual_page = true});
  run([&] {
    rig.cpu.put64(kPage1 + 8, 77);
    EXPECT_EQ(rig.cpu.get64(kPage1 + 8), 77U);
    EXPECT_EQ(rig.pmu.counter_value(1, testing::now()), 77U);
    EXPECT_EQ(rig.cpu.get64(kPage0 + 8), 0U);
    rig.cpu.put64(kPage0 + 8, 1);
    EXPECT_EQ(rig.cpu.get64(kPage1 + 8), 77U);
    rig.cpu.put32(kPage1 + kPmovsset, 2);
    EXPECT_EQ(rig.cpu.get32(kPage1 + kPmovsclr), 2U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmovsclr), 0U);
    rig.cpu.put32(kPage0 + kPmovsclr, 2);
    EXPECT_EQ(rig.cpu.get32(kPage1 + kPmovsclr), 2U);
    rig.cpu.put32(kPage1 + kPmovsclr, 2);
    EXPECT_EQ(rig.cpu.get32(kPage1 + kPmovsclr), 0U);
    // Configuration stays on page 0.
    EXPECT_EQ(rig.cpu.get32(kPage1 + kPmcfgr), 0U);
    rig.cpu.put32(kPage1 + kPmcntenset, 1);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcntenset), 0U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcfgr), 7U | 63U << 8 | 1U << 14);
  });
}

// contract C13
TEST_F(CoreSightRegisters, high_low_high_reads_across_a_carry_never_tear) {
  CoreSightRig rig({.counters = 8, .width = 64, .atomic_64bit = false});
  run([&] {
    rig.write_type(0, 0x10);
    rig.put_bit(kPmcntenset, 0);
    rig.control(1);
    const std::uint64_t start = 0x0000'0007'ffff'ffff;
    // An event between each two reads of the sequence, one at a time.
    for (unsigned place = 0; place < 3; ++place) {
      rig.write_counter(0, start);
      const std::uint64_t address = rig.counter_address(0);
      unsigned reads = 0;
      const auto read = [&](std::uint64_t offset) {
        const std::uint32_t value = rig.cpu.get32(address + offset);
        if (reads++ == place) rig.probes[0].publish(1, 0, testing::now());
        testing::advance(50'000);
        return value;
      };
      std::uint64_t value = 0;
      for (;;) {
        const std::uint64_t high = read(4);
        const std::uint64_t low = read(0);
        if (read(4) != high) continue;
        value = high << 32 | low;
        break;
      }
      EXPECT_TRUE(value == start || value == start + 1) << std::hex << value;
      EXPECT_EQ(rig.read_counter(0), start + 1);
    }
    // The halves are live: a reader of first high, then low, may see a torn value.
    rig.write_counter(0, start);
    const std::uint64_t high = rig.cpu.get32(rig.counter_address(0) + 4);
    rig.probes[0].publish(1, 0, testing::now());
    EXPECT_EQ(high << 32 | rig.cpu.get32(rig.counter_address(0)), 0x0000'0007'0000'0000U);
  });
}

// contract C14
TEST_F(CoreSightRegisters, eight_byte_access_to_counters_without_atomicity_is_refused_and_reported) {
  CoreSightRig rig({.counters = 8, .width = 64, .atomic_64bit = false});
  expect_guest_error("pmu.page0", "PMEVCNTR_LO[2]");
  expect_guest_error("pmu.page0", "write", "PMEVCNTR_LO[3]");
  run([&] {
    rig.write_counter(2, 0x1'0000'0002);
    EXPECT_EQ(rig.cpu.read64(rig.counter_address(2)).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.cpu.write64(rig.counter_address(3), 5).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.cpu.write64(rig.counter_address(3), 5).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.read_counter(3), 0U);
    EXPECT_EQ(rig.pmu.guest_errors(), 3U);
  });
}

// contract C14
TEST_F(CoreSightRegisters, unaligned_and_odd_sized_accesses_are_refused_and_reported) {
  CoreSightRig rig({.counters = 8, .width = 64});
  expect_guest_error("offset 0x2");
  expect_guest_error("offset 0x4", "8-byte");
  expect_guest_error("PMCNTENSET", "2-byte");
  expect_guest_error("PMCR", "8-byte");
  run([&] {
    EXPECT_EQ(rig.cpu.read32(kPage0 + 2).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.cpu.write64(kPage0 + 4, ~0ULL).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.cpu.write(kPage0 + kPmcntenset, 0xff, 2).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.cpu.write64(kPage0 + 0xe00, ~0ULL).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.read_counter(0), 0U);
    EXPECT_EQ(rig.get_mask(kPmcntenset), 0U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcr), 0U);
  });
}

// contract C15
TEST_F(CoreSightRegisters, type_and_filters_of_the_cycle_counter_accept_writes) {
  CoreSightRig rig({.counters = 8, .width = 64});
  run([&] {
    for (const std::uint64_t offset : {0x47cU, 0xa7cU, 0x87cU}) {
      rig.cpu.put32(kPage0 + offset, 0x1234'5678 + static_cast<std::uint32_t>(offset));
      EXPECT_EQ(rig.cpu.get32(kPage0 + offset), 0x1234'5678 + offset);
    }
    // Cycles pass any filter.
    rig.put_bit(kPmcntenset, 31);
    rig.control(1);
    testing::advance(5000);
    rig.cpu.put32(kPage0 + 0x47c, 2);
    testing::advance(5000);
    EXPECT_EQ(rig.read_counter(31), 10U);
    // Numbers without a counter ignore their filters.
    rig.cpu.put32(kPage0 + kPmevtyper + 4 * 20, 5);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmevtyper + 4 * 20), 0U);
    EXPECT_EQ(rig.pmu.guest_errors(), 0U);
  });
}

// contract C38
TEST_F(CoreSightRegisters, with_more_than_128_counters_the_probe_enables_128_to_159) {
  CoreSightRig rig({.counters = 256, .width = 32});
  run([&] {
    rig.cpu.put32(kPage0 + kPmcntenclr, ~0U);
    rig.cpu.put32(kPage0 + kPmcnten, ~0U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcntenclr), 0U);
    EXPECT_EQ(rig.get_mask(kPmcntenset, 4), ~0U);
    rig.write_type(128, 0x10);
    rig.write_type(255, 0x10);
    rig.put_bit(kPmcntenset, 255);
    rig.control(1);
    rig.probes[0].publish(9, 0, testing::now());
    EXPECT_EQ(rig.read_counter(128), 9U);
    EXPECT_EQ(rig.read_counter(255), 9U);
    EXPECT_EQ(rig.read_counter(127), 0U);
    EXPECT_EQ(rig.pmu.guest_errors(), 0U);
  });
}

// contract C46
TEST_F(CoreSightRegisters, the_probe_clears_enables_but_no_interrupt_enable_and_no_status) {
  CoreSightRig rig({.counters = 8, .width = 32});
  run([&] {
    for (const std::uint64_t reg : {kPmcntenset, kPmintenset, kPmovsset}) rig.cpu.put32(kPage0 + reg, 0x55);
    rig.cpu.put32(kPage0 + kPmcntenclr, ~0U);
    rig.cpu.put32(kPage0 + kPmcnten, ~0U);
    EXPECT_EQ(rig.get_mask(kPmcntenset), 0U);
    EXPECT_EQ(rig.get_mask(kPmintenset), 0x55U);
    EXPECT_EQ(rig.get_mask(kPmovsclr), 0x55U);
    EXPECT_TRUE(rig.line.is_high());
  });
}

// contract C39
TEST_F(CoreSightRegisters, in_the_64bit_layout_pmcnten_is_the_enable_mask) {
  CoreSightRig rig({.counters = 40, .width = 64, .cycle_counter = false, .ext64 = true});
  run([&] {
    rig.cpu.put32(kPage0 + kPmcntenset, 0xf0);
    rig.cpu.put32(kPage0 + kPmcnten, 0x5a5a'0003);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcntenset), 0x5a5a'0003U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcntenclr), 0x5a5a'0003U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcnten), 0x5a5a'0003U);
    rig.cpu.put32(kPage0 + kPmcnten + 4, ~0U);  // counters 32 ... 39
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcntenset + 4), 0xffU);
    EXPECT_EQ(rig.cpu.get64(kPage0 + kPmcntenclr), 0xff'5a5a'0003U);
    rig.cpu.put32(kPage0 + kPmcnten, 0);
    EXPECT_EQ(rig.cpu.get64(kPage0 + kPmcntenset), 0xff'0000'0000U);
    rig.cpu.put64(kPage0 + kPmcnten, 0);
    EXPECT_EQ(rig.cpu.get64(kPage0 + kPmcntenset), 0U);
    EXPECT_EQ(rig.pmu.guest_errors(), 0U);
  });
}

TEST_F(CoreSightRegisters, in_the_64bit_layout_types_and_filters_are_64_bits_wide) {
  CoreSightRig rig(
      {.counters = 8, .width = 48, .atomic_64bit = false, .ext64 = true, .pmdevarch = 0x4770'0af4 | 1 << 20});
  expect_guest_error("PMCR_OF_THE_32BIT_LAYOUT");
  run([&] {
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmdevarch) & 0x100fff, 0x100af4U);
    for (const std::uint64_t base : {kPmevtyper, kPmevfilt2r, kPmevfiltr}) {
      rig.cpu.put64(kPage0 + base + 8 * 3, 0x1122'3344'5566'7788);
      EXPECT_EQ(rig.cpu.get64(kPage0 + base + 8 * 3), 0x1122'3344'5566'7788U);
      rig.cpu.put32(kPage0 + base + 8 * 3 + 4, 0xa);
      EXPECT_EQ(rig.cpu.get64(kPage0 + base + 8 * 3), 0xa'5566'7788U);
      EXPECT_EQ(rig.cpu.get64(kPage0 + base + 8 * 2), 0U);
    }
    // The upper bits of the event number count too.
    rig.write_type(0, 0x1'0000'0010);
    rig.write_type(1, 0x10);
    rig.cpu.put64(kPage0 + kPmevfilt2r + 8, 0x1);  // qualifier 32
    rig.cpu.put64(kPage0 + kPmcntenset, 3);
    rig.control(1);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcr64), 1U);
    rig.probes[0].publish(3, 32, testing::now());
    rig.probes[0].publish(3, 31, testing::now());
    EXPECT_EQ(rig.read_counter(0), 0U);
    EXPECT_EQ(rig.read_counter(1), 3U);
    rig.control(6);
    EXPECT_EQ(rig.read_counter(1), 0U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcr64), 0U);
    EXPECT_FALSE(rig.pmu.is_running(1));
    // PMCR of the other layout does not exist here.
    rig.cpu.put32(kPage0 + kPmcr, 1);
    EXPECT_FALSE(rig.pmu.is_running(1));
  });
}

TEST_F(CoreSightRegisters, pmcnten_can_be_missing_from_a_64bit_layout) {
  CoreSightRig rig({.counters = 8, .width = 64, .ext64 = true, .pmcnten = false, .pmdevarch = 0x100af5});
  run([&] {
    rig.cpu.put32(kPage0 + kPmcnten, ~0U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmcntenclr), 0U);
    EXPECT_EQ(rig.cpu.get32(kPage0 + kPmdevarch), 0x100af5U);
    EXPECT_EQ(rig.pmu.guest_errors(), 0U);
  });
}

TEST_F(CoreSightRegisters, options_that_contradict_each_other_are_refused_by_name) {
  const ClockDomain clock("clk", 1'000'000'000);
  const auto message = [&](const CoreSightPmuOptions& options) -> std::string {
    try {
      CoreSightPmu pmu(sc_core::sc_gen_unique_name("pmu"), options, clock, {});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message({.width = 7}), HasSubstr("width"));
  EXPECT_THAT(message({.width = 65}), HasSubstr("width"));
  EXPECT_THAT(message({.counters = 0}), HasSubstr("counters"));
  EXPECT_THAT(message({.counters = 257, .width = 32}), HasSubstr("counters is 1 to 256"));
  EXPECT_THAT(message({.counters = 129, .width = 33}), HasSubstr("counters is 1 to 128"));
  EXPECT_THAT(message({.counters = 65, .width = 64, .ext64 = true}), HasSubstr("counters is 1 to 64"));
  EXPECT_THAT(message({.width = 32, .ext64 = true}), HasSubstr("ext64"));
  EXPECT_EQ(message({.counters = 256, .width = 32}), "accepted");
  EXPECT_EQ(message({.counters = 128, .width = 64}), "accepted");
}

TEST_F(CoreSightRegisters, dumps_show_both_pages_and_live_values_and_change_nothing) {
  CoreSightRig rig({.counters = 4, .width = 32, .dual_page = true, .pmiidr = 0x2cf2036b});
  run([&] {
    rig.put_bit(kPmcntenset, 31);
    rig.control(1);
    testing::advance(123'000);
    const std::vector<const RegisterBank*> pages = rig.pmu.pages();
    ASSERT_EQ(pages.size(), 2U);
    std::ostringstream text;
    std::ostringstream markdown;
    for (const RegisterBank* page : pages) {
      page->dump_text(text, testing::now());
      page->dump_markdown(markdown);
      EXPECT_FALSE(page->dump_json(testing::now()).empty());
    }
    EXPECT_THAT(text.str(), ::testing::HasSubstr("PMCFGR"));
    EXPECT_THAT(text.str(), ::testing::HasSubstr("PMOVSCLR"));
    EXPECT_THAT(text.str(), ::testing::HasSubstr("7b"));  // 123 cycles
    EXPECT_THAT(markdown.str(), ::testing::HasSubstr("PMEVTYPER"));
    for (const char* const field : {"7:0 | PART_0", "3:0 | PART_1", "7:4 | DES_0", "2:0 | DES_1", "3 | JEDEC",
                                    "7:4 | REVISION", "3:0 | CMOD", "7:4 | REVAND", "3:0 | DES_2", "7:4 | SIZE"})
      EXPECT_THAT(markdown.str(), ::testing::HasSubstr(std::string("| ") + field + " |"));
    EXPECT_EQ(rig.read_counter(31), 123U);
    EXPECT_EQ(rig.pmu.guest_errors(), 0U);
  });
}

}  // namespace
}  // namespace pmufab::coresight
