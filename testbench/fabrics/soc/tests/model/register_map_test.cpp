// SPDX-License-Identifier: Apache-2.0
// What the fields of a described register map do to counters, interrupts and each other.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/soc/described_pmu.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::soc::register_map_test {
namespace {

constexpr std::uint64_t kControl = 0x0;
constexpr std::uint64_t kEnable = 0x4;
constexpr std::uint64_t kEnableSet = 0x8;
constexpr std::uint64_t kEnableClear = 0xc;
constexpr std::uint64_t kStatus = 0x10;
constexpr std::uint64_t kStatusClear = 0x14;
constexpr std::uint64_t kInterruptMask = 0x18;
constexpr std::uint64_t kSelect = 0x20;
constexpr std::uint64_t kPorts = 0x28;
constexpr std::uint64_t kCounter = 0x40;
constexpr std::uint64_t kVersion = 0x80;
constexpr std::uint64_t kSecondStatus = 0x84;

FieldDescription field(const char* name, BitRange bits, Role role, std::uint64_t value = 0) {
  FieldDescription its;
  its.name = name;
  its.bits = bits;
  its.role = role;
  its.value = value;
  return its;
}

RegisterDescription reg(const char* name, std::uint64_t offset, std::vector<FieldDescription> fields) {
  RegisterDescription its;
  its.name = name;
  its.offset = static_cast<std::uint32_t>(offset);
  its.fields = std::move(fields);
  return its;
}

/// Four counters of 16 bits, two selectors in a register, and a status that reading clears.
PmuDescription description() {
  PmuDescription pmu;
  pmu.name = "bridge";
  pmu.counters = 4;
  pmu.width = 16;
  pmu.event_bits = 8;
  pmu.events = {{"all", 1, EventDescription::Counts::occurrences, 0, 0, {}},
                {"sum", 2, EventDescription::Counts::sum, 0, 1, {}},
                {"cycles", 3, EventDescription::Counts::cycles, 0, 0, {}}};
  RegisterMap& map = pmu.map.emplace();
  map.windows = {{}};
  FieldDescription selector = field("EVENT", {0, 8}, Role::event);
  selector.repeat = 2;
  selector.step = 16;
  FieldDescription status = field("WRAPPED", {0, 4}, Role::overflow);
  status.cleared = Cleared::apart;
  FieldDescription second = field("WRAPPED", {8, 4}, Role::overflow);
  second.cleared = Cleared::by_read;
  map.registers = {
      reg("CONTROL", kControl,
          {field("RUN", {0, 1}, Role::run), field("CLEAR", {1, 1}, Role::clear),
           field("STOP", {2, 1}, Role::run_clear)}),
      reg("ENABLE", kEnable, {field("ON", {0, 4}, Role::enable)}),
      reg("ENABLE_SET", kEnableSet, {field("ON", {0, 4}, Role::enable_set)}),
      reg("ENABLE_CLEAR", kEnableClear, {field("ON", {0, 4}, Role::enable_clear)}),
      reg("STATUS", kStatus, {status}),
      reg("STATUS_CLEAR", kStatusClear, {field("WRAPPED", {0, 4}, Role::overflow_clear)}),
      reg("INTERRUPT_MASK", kInterruptMask, {field("MASK", {0, 4}, Role::interrupt_mask, 0xf)}),
      reg("SELECT", kSelect, {selector}),
      reg("PORTS", kPorts, {field("PORTS", {0, 4}, Role::keeps)}),
      reg("COUNTER", kCounter, {field("VALUE", {0, 32}, Role::counter)}),
      reg("VERSION", kVersion, {field("VERSION", {0, 8}, Role::constant, 0x30)}),
      reg("SECOND_STATUS", kSecondStatus, {second}),
  };
  for (const std::size_t array : {std::size_t{7}, std::size_t{8}, std::size_t{9}}) {
    map.registers[array].count = array == 7 ? 2 : 4;
    map.registers[array].stride = 4;
  }
  FilterDescription filter;
  filter.name = "port";
  filter.where = FilterDescription::Register::described;
  filter.word = 8;
  filter.bits = {0, 4};
  filter.attribute = "port";
  pmu.filters = {filter};
  return pmu;
}

class RegisterMapTest : public testing::SimulationTest {
 protected:
  /// @param change  of the description
  void make(const std::function<void(PmuDescription&)>& change = {}) {
    described = description();
    if (change) change(described);
    pmu = std::make_unique<DescribedPmu>("bridge", described, clock, std::vector<Source*>{&source});
    pmu->connect_interrupt(line);
    cpu.socket.bind(pmu->socket(0));
  }
  void happen(std::uint64_t port, std::uint64_t amount, std::uint64_t repeat = 1) {
    Occurrence occurrence;
    occurrence.attributes[0] = port;
    occurrence.attributes[1] = amount;
    occurrence.repeat = repeat;
    source.happen(occurrence, testing::now());
  }
  /// The first two wrap.
  void wrap_counters() {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kEnable, 0x3);
    cpu.put32(kControl, 1);
    happen(0, 0, 0x1'0000);
    sc_core::wait(1, sc_core::SC_NS);
  }
  std::uint32_t counter(unsigned index) { return cpu.get32(kCounter + std::uint64_t{4} * index); }

  const SourceDescription described_source{"request", {"port", "amount"}};
  Source source{described_source, 0};
  const ClockDomain clock{"clock", 1'000'000'000};
  InterruptLine line{"bridge", InterruptTrigger::level};
  PmuDescription described;
  std::unique_ptr<DescribedPmu> pmu;
  testing::Initiator cpu{"cpu"};
};

TEST_F(RegisterMapTest, a_counter_counts_what_its_selector_and_filter_say_while_it_is_on_and_all_run) {
  make();
  run([&] {
    cpu.put32(kSelect, 0x0002'0001);      // counters 0 and 1
    cpu.put32(kSelect + 4, 0x0003'0001);  // counters 2 and 3
    cpu.put32(kPorts + 8, 0x2);           // counter 2: port 1
    cpu.put32(kEnable, 0x7);
    happen(1, 5);
    EXPECT_EQ(counter(0), 0U) << "nothing lets it run";
    cpu.put32(kControl, 1);
    happen(1, 5);
    happen(0, 7);
    EXPECT_EQ(counter(0), 2U);
    EXPECT_EQ(counter(1), 12U);
    EXPECT_EQ(counter(2), 1U);
    EXPECT_EQ(counter(3), 0U) << "it is not on";
    cpu.put32(kEnableClear, 0x1);
    cpu.put32(kEnableSet, 0x8);
    EXPECT_EQ(cpu.get32(kEnableSet), 0xeU);
    const Picoseconds begin = testing::now();
    happen(1, 1);
    sc_core::wait(100, sc_core::SC_NS);
    EXPECT_EQ(counter(0), 2U);
    EXPECT_EQ(counter(3), (testing::now() - begin) / 1'000);
    cpu.put32(kControl, 4);  // a command that stops all
    happen(1, 1);
    EXPECT_EQ(counter(1), 13U);
    EXPECT_EQ(cpu.get32(kVersion), 0x30U);
    cpu.put32(kControl, 2);  // sets all to 0
    EXPECT_EQ(counter(1), 0U);
  });
}

TEST_F(RegisterMapTest, a_wrap_shows_in_the_status_and_on_the_line_until_it_is_cleared) {
  make();
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kEnable, 0x2);
    cpu.put32(kControl, 1);
    cpu.put32(kCounter + 4, 0xfffe);
    happen(0, 0, 1);
    EXPECT_EQ(cpu.get32(kStatus), 0U);
    happen(0, 0, 2);
    EXPECT_EQ(counter(1), 1U);
    EXPECT_EQ(cpu.get32(kStatus), 0x2U);
    EXPECT_FALSE(line.is_high()) << "it is masked";
    cpu.put32(kInterruptMask, 0xd);
    EXPECT_TRUE(line.is_high());
    testing::let_writes_be_lost();
    cpu.put32(kStatus, 0xf);
    EXPECT_EQ(cpu.get32(kStatus), 0x2U) << "another register clears it";
    cpu.put32(kStatusClear, 0x1);
    EXPECT_TRUE(line.is_high());
    cpu.put32(kStatusClear, 0x2);
    EXPECT_EQ(cpu.get32(kStatus), 0U);
    EXPECT_FALSE(line.is_high());
  });
}

TEST_F(RegisterMapTest, reading_clears_a_status_that_says_so) {
  make();
  run([&] {
    cpu.put32(kSelect, 0x0001);
    cpu.put32(kEnable, 0x1);
    cpu.put32(kControl, 1);
    happen(0, 0, 0x1'0000);
    EXPECT_EQ(cpu.get32(kSecondStatus), 0x100U);
    EXPECT_EQ(cpu.get32(kSecondStatus), 0U);
  });
}

TEST_F(RegisterMapTest, zeros_clear_a_status_that_says_so) {
  make([](PmuDescription& its) { its.map->registers[11].fields[0].cleared = Cleared::by_zero; });
  run([&] {
    cpu.put32(kSelect, 0x0001);
    cpu.put32(kEnable, 0x1);
    cpu.put32(kControl, 1);
    happen(0, 0, 0x1'0000);
    cpu.put32(kSecondStatus, 0xf00);
    EXPECT_EQ(cpu.get32(kSecondStatus), 0x100U);
    cpu.put32(kSecondStatus, 0xe00);
    EXPECT_EQ(cpu.get32(kSecondStatus), 0U);
  });
}

TEST_F(RegisterMapTest, a_filter_may_stand_several_times_in_a_register_and_name_a_range) {
  make([](PmuDescription& its) {
    // One register for all counters, with 8 bits for each: the least and the greatest port.
    its.map->registers[8].count = 1;
    its.map->registers[8].fields[0].bits = {0, 32};
    FilterDescription& filter = its.filters[0];
    filter.match = FilterDescription::Match::between;
    filter.care = BitRange{4, 4};
    filter.repeat = 4;
    filter.step = 8;
  });
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kSelect + 4, 0x0001'0001);
    cpu.put32(kPorts, 0x12'75'32'00);  // 3: 2 ... 1, which is none; 2: 5 ... 7; 1: 2 ... 3; 0: everything
    cpu.put32(kEnable, 0xf);
    cpu.put32(kControl, 1);
    for (const std::uint64_t port : {1, 2, 3, 4, 5, 6, 7, 8}) happen(port, 0);
    EXPECT_EQ(counter(0), 8U);
    EXPECT_EQ(counter(1), 2U);
    EXPECT_EQ(counter(2), 3U);
    EXPECT_EQ(counter(3), 8U);
  });
}

TEST_F(RegisterMapTest, a_counter_may_be_wider_than_the_others_and_one_that_nothing_turns_on_always_counts) {
  make([](PmuDescription& its) {
    its.widths = {{{2, 2}, 24}};
    for (const std::size_t reg : {1, 2, 3}) its.map->registers[reg].fields[0].bits = {0, 3};
  });
  run([&] {
    cpu.put32(kSelect + 4, 0x0001'0001);
    cpu.put32(kEnable, 0x4);
    cpu.put32(kControl, 1);
    happen(0, 0, 0x1'0005);
    EXPECT_EQ(counter(2), 0x1'0005U);
    EXPECT_EQ(counter(3), 0x1'0005U) << "it is not among those that ENABLE turns on";
    EXPECT_EQ(cpu.get32(kStatus), 0U);
    happen(0, 0, 0x100'0000);
    EXPECT_EQ(cpu.get32(kStatus), 0xcU);
  });
}

TEST_F(RegisterMapTest, a_preload_sets_the_counter_that_another_field_names) {
  make([](PmuDescription& its) {
    FieldDescription number = field("NUMBER", {0, 8}, Role::preload_counter);
    number.from = 19;
    its.map->registers.push_back(reg("NUMBER", 0x90, {number}));
    its.map->registers.push_back(reg("PRELOAD", 0x94, {field("VALUE", {0, 32}, Role::preload)}));
  });
  run([&] {
    cpu.put32(0x90, 21);
    cpu.put32(0x94, 0x55);
    cpu.put32(0x90, 0);  // none
    cpu.put32(0x94, 0x66);
    EXPECT_EQ(counter(0), 0U);
    EXPECT_EQ(counter(2), 0x55U);
    EXPECT_EQ(cpu.get32(0x90), 0U);
    EXPECT_EQ(cpu.get32(0x94), 0U) << "it is no storage";
  });
}

TEST_F(RegisterMapTest, the_highest_bit_that_becomes_1_is_a_wrap_where_software_says_so) {
  make([](PmuDescription& its) {
    its.map->registers.push_back(reg("AT_HALF", 0x90, {field("ON", {0, 4}, Role::overflow_at_half)}));
  });
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kSelect + 4, 0x0003);  // cycles
    cpu.put32(0x90, 0x5);
    cpu.put32(kEnable, 0x7);
    cpu.put32(kCounter + 8, 0x7fc0);
    cpu.put32(kControl, 1);
    happen(0, 0, 0x7fff);
    EXPECT_EQ(cpu.get32(kStatus) & 3, 0U);
    happen(0, 0, 2);
    EXPECT_EQ(counter(0), 0x8001U);
    EXPECT_EQ(counter(1), 0x8001U);
    sc_core::wait(100, sc_core::SC_NS);
    EXPECT_EQ(cpu.get32(kStatus), 0x5U);
    EXPECT_EQ(counter(2) >> 8, 0x80U);
    cpu.put32(kStatusClear, 0xf);
    happen(0, 0, 0x8000);
    EXPECT_EQ(counter(0), 1U);
    EXPECT_EQ(cpu.get32(kStatus), 0x3U) << "both wrap at the end";
    cpu.put32(kStatusClear, 0xf);
    cpu.put32(kCounter + 8, 0xffc0);
    sc_core::wait(100, sc_core::SC_NS);
    EXPECT_EQ(cpu.get32(kStatus), 0x4U);
    EXPECT_LT(counter(2), 0x100U);
  });
}

TEST_F(RegisterMapTest, registers_show_the_counter_that_another_names_and_whether_a_pmu_interrupts) {
  make([](PmuDescription& its) {
    FieldDescription shown = field("VALUE", {0, 8}, Role::counter);
    shown.selected = true;
    FieldDescription upper = shown;
    upper.shift = 8;
    FieldDescription pending = field("BRIDGE", {3, 1}, Role::pending);
    pending.of = {"bridge"};
    its.map->registers[3].fields[0].write_only = true;
    its.map->registers.push_back(reg("NUMBER", 0x90, {field("NUMBER", {0, 4}, Role::preload_counter)}));
    its.map->registers.back().fields[0].from = 8;
    its.map->registers.push_back(reg("LOW", 0x94, {shown}));
    its.map->registers.push_back(reg("HIGH", 0x98, {upper}));
    its.map->registers.push_back(reg("PENDING", 0x9c, {pending}));
  });
  pmu->connect_others([&](const std::string& name) { return name == "bridge" && line.is_high(); });
  run([&] {
    cpu.put32(kCounter + 8, 0x1234);
    EXPECT_EQ(cpu.get32(0x94), 0U) << "no counter has number 0";
    cpu.put32(kEnableSet, 0x3);
    EXPECT_EQ(cpu.get32(kEnableSet), 0x3U);
    EXPECT_EQ(cpu.get32(kEnableClear), 0U);
    cpu.put32(kEnableClear, 0x3);
    EXPECT_EQ(cpu.get32(kEnableSet), 0U);
    cpu.put32(0x90, 10);
    EXPECT_EQ(cpu.get32(0x94), 0x34U);
    EXPECT_EQ(cpu.get32(0x98), 0x12U);
    cpu.put32(0x94, 0x56);
    EXPECT_EQ(counter(2), 0x1256U);
    EXPECT_EQ(cpu.get32(0x9c), 0U);
    cpu.put32(kInterruptMask, 0);
    cpu.put32(kSelect, 0x0000'0001);
    cpu.put32(kEnable, 0x1);
    cpu.put32(kControl, 1);
    happen(0, 0, 0x1'0000);
    sc_core::wait(1, sc_core::SC_NS);  // the traffic may be ahead of the line
    EXPECT_EQ(cpu.get32(0x9c), 0x8U);
    cpu.put32(0x9c, 0);
    EXPECT_EQ(cpu.get32(0x9c), 0x8U);
    cpu.put32(kStatusClear, 0xf);
    EXPECT_EQ(cpu.get32(0x9c), 0U);
  });
}

TEST_F(RegisterMapTest, a_counter_may_count_the_wraps_of_the_one_before) {
  make([](PmuDescription& its) {
    its.map->registers.push_back(reg("CHAIN", 0x90, {field("ON", {0, 4}, Role::chain)}));
  });
  run([&] {
    cpu.put32(kSelect, 0x0000'0001);
    cpu.put32(kSelect + 4, 0x0000'0003);
    cpu.put32(0x90, 0xa);
    cpu.put32(kEnable, 0xf);
    cpu.put32(kCounter + 8, 0xffc0);
    cpu.put32(kControl, 1);
    happen(0, 0, 0x3'0005);
    EXPECT_EQ(counter(0), 5U);
    EXPECT_EQ(counter(1), 3U);
    happen(0, 0, 0x1'0000);
    EXPECT_EQ(counter(1), 4U) << "the status is set already";
    sc_core::wait(70, sc_core::SC_US);
    EXPECT_EQ(counter(3), 2U);
    cpu.put32(0x90, 0);
    happen(0, 0, 0x1'0000);
    EXPECT_EQ(counter(1), 4U);
  });
}

TEST_F(RegisterMapTest, a_number_may_stand_in_several_registers_of_which_some_are_for_one_place) {
  make([](PmuDescription& its) {
    its.event_bits = 16;
    its.events = {{"of place 1", 0x501, EventDescription::Counts::occurrences, 0, 0, {}},
                  {"of place 2", 0x502, EventDescription::Counts::sum, 0, 1, {}}};
    for (const std::uint64_t place : {1, 2}) {
      FieldDescription part = field("EVENT", {0, 8}, Role::event);
      part.repeat = 4;
      part.step = 8;
      part.shift = 8;
      part.for_number = place;
      its.map->registers.push_back(reg(place == 1 ? "PLACE1" : "PLACE2", 0x90 + 4 * place, {part}));
    }
  });
  run([&] {
    cpu.put32(kSelect, 0x0002'0001);  // counter 0: place 1, counter 1: place 2
    cpu.put32(0x94, 0x0505);
    cpu.put32(kEnable, 0x3);
    cpu.put32(kControl, 1);
    happen(0, 7);
    EXPECT_EQ(counter(0), 1U);
    EXPECT_EQ(counter(1), 0U) << "what place 1 says is not for place 2";
    cpu.put32(0x98, 0x0500);
    happen(0, 7);
    EXPECT_EQ(counter(0), 2U);
    EXPECT_EQ(counter(1), 7U);
  });
}

TEST_F(RegisterMapTest, a_part_of_a_number_that_stands_once_is_that_of_all_counters) {
  make([](PmuDescription& its) {
    its.events.push_back({"another", 0x101, EventDescription::Counts::sum, 0, 1, {}});
    FieldDescription mode = field("MODE", {0, 1}, Role::event);
    mode.shift = 8;
    its.map->registers.push_back(reg("MODE", 0x90, {mode}));
  });
  run([&] {
    cpu.put32(kSelect, 0x0001'0002);
    cpu.put32(kSelect + 4, 0x0001'0000);
    cpu.put32(kEnable, 0xf);
    cpu.put32(kControl, 1);
    happen(0, 5);
    EXPECT_EQ(counter(1), 1U);
    cpu.put32(0x90, 1);
    happen(0, 7);
    EXPECT_EQ(counter(0), 5U) << "number 0x102 is no event";
    EXPECT_EQ(counter(1), 8U);
    EXPECT_EQ(counter(3), 8U);
  });
}

TEST_F(RegisterMapTest, a_field_of_each_counter_may_choose_which_copy_of_a_selector_is_its_own) {
  constexpr unsigned kRoutes = 10;  // register, by its number
  make([](PmuDescription& its) {
    its.event_bits = 20;
    its.events = {{"one", 0x5'0000, EventDescription::Counts::occurrences, 0, 0, {}},
                  {"sum", 0x6'0000, EventDescription::Counts::sum, 0, 1, {}},
                  {"elsewhere", 0x5'0001, EventDescription::Counts::sum, 0, 1, {}},
                  {"of number 0", 0x0, EventDescription::Counts::occurrences, 0, 0, {}}};
    its.map->registers.resize(kRoutes);
    its.map->registers.push_back(reg("ROUTES", 0x94, {field("BUS", {0, 32}, Role::keeps)}));
    FieldDescription part = field("EVENT", {0, 4}, Role::event);
    part.repeat = 3;
    part.step = 4;
    part.shift = 16;
    part.for_number = 0;
    part.chosen_by = {kRoutes, {0, 2}, 4, 4};
    its.map->registers.push_back(reg("BUSES", 0x98, {part}));
  });
  run([&] {
    cpu.put32(0x98, 0x650);        // buses 1 and 2
    cpu.put32(0x94, 0x0000'3121);  // counter 0: bus 1, counter 1: bus 2, counter 2: bus 1, counter 3: none
    cpu.put32(kEnable, 0xf);
    cpu.put32(kControl, 1);
    happen(0, 7);
    EXPECT_EQ(counter(0), 1U);
    EXPECT_EQ(counter(1), 7U);
    EXPECT_EQ(counter(2), 1U) << "two counters may have one bus";
    EXPECT_EQ(counter(3), 0U) << "there is no bus 3";
    cpu.put32(0x98, 0x560);
    happen(0, 7);
    EXPECT_EQ(counter(0), 8U) << "what a bus carries has changed";
    EXPECT_EQ(counter(1), 8U);
    cpu.put32(0x94, 0x0000'3122);
    happen(0, 7);
    EXPECT_EQ(counter(0), 9U) << "the counter has another bus";
    EXPECT_EQ(counter(1), 9U);
  });
}

TEST_F(RegisterMapTest, counters_of_classes_count_other_events_clocks_and_bits) {
  make([](PmuDescription& its) {
    const BitRange low{0, 2};
    its.events = {{"low", 0x101, EventDescription::Counts::sum, 0, 1, {}, 1, low},
                  {"high", 0x001, EventDescription::Counts::occurrences, 0, 0, {}, 1, BitRange{2, 2}},
                  {"fast", 0x002, EventDescription::Counts::cycles, 0, 0, {}, 1, BitRange{2, 2}, 4'000'000'000}};
    its.map->registers[9] = reg("COUNTER", kCounter, {field("VALUE", {0, 8}, Role::counter)});
    its.map->registers[9].count = 4;
    its.map->registers[9].stride = 4;
  });
  run([&] {
    cpu.put32(kSelect, 0x0001);
    cpu.put32(kSelect + 4, 0x0002'0001);
    cpu.put32(kEnable, 0xd);
    cpu.put32(kControl, 1);
    const Picoseconds begin = testing::now();
    happen(0, 0x105);
    EXPECT_EQ(counter(0), 5U) << "it has eight bits";
    EXPECT_EQ(cpu.get32(kStatus), 0x1U);
    EXPECT_EQ(counter(2), 1U);
    sc_core::wait(10, sc_core::SC_NS);
    EXPECT_EQ(counter(3), (testing::now() - begin) / 250);
    const std::uint32_t before = counter(3);
    pmu->pass_cycles(50, testing::now());
    EXPECT_EQ(counter(3), before) << "they are of the PMU's clock";
  });
}

TEST_F(RegisterMapTest, a_bit_may_invert_what_a_value_lets_pass) {
  make([](PmuDescription& its) {
    its.filters[0].match = FilterDescription::Match::value;
    its.filters[0].invert = 0;
    its.filters[0].invert_word = static_cast<unsigned>(its.map->registers.size());
    its.map->registers.push_back(reg("INVERT", 0x90, {field("INVERT", {0, 1}, Role::keeps)}));
    its.map->registers.back().count = 4;
    its.map->registers.back().stride = 4;
  });
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kPorts, 2);
    cpu.put32(0x90, 1);
    cpu.put32(0x94, 1);  // counter 1: nothing is not everything
    cpu.put32(kEnable, 0x3);
    cpu.put32(kControl, 1);
    happen(2, 0);
    EXPECT_EQ(counter(0), 0U);
    happen(3, 0);
    EXPECT_EQ(counter(0), 1U);
    EXPECT_EQ(counter(1), 0U);
  });
}

TEST_F(RegisterMapTest, a_counter_may_begin_at_0_and_another_may_count_whether_the_pmu_runs_or_not) {
  make([](PmuDescription& its) {
    its.map->registers[1].fields[0].from_zero = true;
    FieldDescription alone = field("VALUE", {0, 32}, Role::counter);
    alone.first = 3;
    alone.is_free = true;
    its.map->registers[9].count = 3;
    its.map->registers.push_back(reg("ALONE", kCounter + 12, {alone}));
  });
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kSelect + 4, 0x0001'0001);
    cpu.put32(kEnable, 0x9);
    happen(0, 0, 3);
    EXPECT_EQ(counter(0), 0U);
    EXPECT_EQ(counter(3), 3U) << "nothing has let the PMU run";
    cpu.put32(kControl, 1);
    happen(0, 0, 3);
    EXPECT_EQ(counter(0), 3U);
    cpu.put32(kEnable, 0x1);
    cpu.put32(kEnable, 0x9);
    EXPECT_EQ(counter(0), 3U) << "it was on";
    EXPECT_EQ(counter(3), 0U);
  });
}

TEST_F(RegisterMapTest, a_counter_may_have_its_own_width_and_stop_all_as_it_wraps) {
  make([](PmuDescription& its) {
    FieldDescription& value = its.map->registers[9].fields[0];
    value.stops = true;
    its.widths = {{{0, 4}, 12}};
    its.map->registers[4].fields[0].silent = true;
    its.map->registers.erase(its.map->registers.begin() + 6);  // no mask of interrupts
    for (FilterDescription& filter : its.filters) filter.word = 7;
  });
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kEnable, 0x1);
    cpu.put32(kControl, 1);
    happen(0, 0, 0x1002);
    EXPECT_EQ(counter(0), 2U);
    EXPECT_EQ(cpu.get32(kStatus), 0x1U);
    EXPECT_FALSE(line.is_high()) << "it is silent";
    testing::advance(1'000);
    happen(0, 0, 5);
    EXPECT_EQ(counter(0), 2U) << "all have stopped";
    cpu.put32(kControl, 1);
    happen(0, 0, 5);
    EXPECT_EQ(counter(0), 7U);
  });
}

TEST_F(RegisterMapTest, what_is_written_to_a_counter_that_needs_to_run_is_lost_while_all_stand) {
  make([](PmuDescription& pmu) { pmu.map->registers[9].fields[0].needs_run = true; });
  run([&] {
    cpu.put32(kCounter, 0x1234);
    EXPECT_EQ(counter(0), 0U);
    cpu.put32(kControl, 1);
    cpu.put32(kCounter, 0x1234);
    cpu.put32(kControl, 0);
    EXPECT_EQ(counter(0), 0x1234U) << "the counter holds its value";
  });
}

TEST_F(RegisterMapTest, one_counter_s_enable_may_gate_all) {
  make([](PmuDescription& its) { its.map->registers[0].fields[0].first = 3; });
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kSelect + 4, 0x0001'0001);
    cpu.put32(kEnable, 0x1);
    happen(0, 0, 3);
    cpu.put32(kControl, 1);
    happen(0, 0, 3);
    EXPECT_EQ(counter(0), 3U);
    EXPECT_EQ(counter(3), 3U);
    cpu.put32(kControl, 0);
    happen(0, 0, 3);
    EXPECT_EQ(counter(0), 3U);
    EXPECT_EQ(counter(3), 3U);
  });
}

TEST_F(RegisterMapTest, one_bit_for_all_and_one_for_each_must_both_let_an_interrupt_through) {
  make([](PmuDescription& its) {
    its.map->registers.push_back(reg("GLOBAL", 0x90, {field("ON", {0, 1}, Role::interrupt_enable)}));
  });
  run([&] {
    wrap_counters();
    cpu.put32(kInterruptMask, 0xe);
    EXPECT_FALSE(line.is_high()) << "the one for all is off";
    cpu.put32(0x90, 1);
    EXPECT_TRUE(line.is_high());
    cpu.put32(kInterruptMask, 0xf);
    EXPECT_FALSE(line.is_high()) << "all are masked";
  });
}

TEST_F(RegisterMapTest, an_enable_and_a_mask_of_one_counter_must_both_let_an_interrupt_through) {
  make([](PmuDescription& its) {
    its.map->registers.push_back(reg("EACH", 0x90, {field("ON", {0, 4}, Role::interrupt_enable)}));
  });
  run([&] {
    wrap_counters();
    cpu.put32(kInterruptMask, 0xe);
    EXPECT_FALSE(line.is_high()) << "it is not enabled";
    cpu.put32(0x90, 1);
    EXPECT_TRUE(line.is_high());
    cpu.put32(kInterruptMask, 0xf);
    EXPECT_FALSE(line.is_high()) << "it is masked";
    cpu.put32(kInterruptMask, 0xe);
    cpu.put32(0x90, 2);
    EXPECT_FALSE(line.is_high()) << "another one is enabled";
  });
}

TEST_F(RegisterMapTest, ranges_of_counters_run_and_are_cleared_apart) {
  make([](PmuDescription& its) {
    FieldDescription& low = its.map->registers[0].fields[0];
    low.counters = BitRange{0, 2};
    its.map->registers[0].fields[1].counters = BitRange{0, 2};
    its.map->registers[0].fields.pop_back();
    FieldDescription high = field("HIGH", {2, 1}, Role::run);
    high.counters = BitRange{2, 2};
    its.map->registers[0].fields.push_back(high);
  });
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kSelect + 4, 0x0001'0001);
    cpu.put32(kEnable, 0x7);
    cpu.put32(kControl, 1);
    happen(0, 0);
    cpu.put32(kControl, 4);
    happen(0, 0, 2);
    EXPECT_EQ(counter(0), 1U);
    EXPECT_EQ(counter(2), 2U);
    EXPECT_EQ(counter(3), 0U) << "it is not on";
    cpu.put32(kControl, 2);
    EXPECT_EQ(counter(0), 0U);
    EXPECT_EQ(counter(2), 2U);
  });
}

TEST_F(RegisterMapTest, what_is_written_to_a_read_only_counter_is_lost) {
  make([](PmuDescription& its) { its.map->registers[9].fields[0].read_only = true; });
  expect_report(sc_core::SC_WARNING, kLostWriteReport,
                {"write of 0x8000 to COUNTER[0] at offset 0x40 has no effect: the register is read-only"});
  run([&] {
    cpu.put32(kSelect, 0x0001);
    cpu.put32(kEnable, 0x1);
    cpu.put32(kControl, 1);
    happen(0, 0, 3);
    cpu.put32(kCounter, 0x8000);
    EXPECT_EQ(counter(0), 3U);
  });
}

TEST_F(RegisterMapTest, a_counter_may_count_down_and_wrap_from_0) {
  make([](PmuDescription& its) { its.map->registers[9].fields[0].down = true; });
  run([&] {
    cpu.put32(kSelect, 0x0003'0001);
    EXPECT_EQ(counter(0), 0U);
    cpu.put32(kCounter, 5);
    cpu.put32(kCounter + 4, 0x100);
    cpu.put32(kEnable, 0x3);
    cpu.put32(kControl, 1);
    happen(0, 0, 5);
    EXPECT_EQ(counter(0), 0U);
    EXPECT_EQ(cpu.get32(kStatus), 0U);
    happen(0, 0);
    EXPECT_EQ(counter(0), 0xffffU);
    EXPECT_EQ(cpu.get32(kStatus), 0x1U);
    sc_core::wait(300, sc_core::SC_NS);
    EXPECT_EQ(cpu.get32(kStatus), 0x3U) << "cycles, too";
    EXPECT_GT(counter(1), 0xff00U);
    cpu.put32(kControl, 3);  // sets all to 0
    EXPECT_EQ(counter(0), 0U);
  });
}

TEST_F(RegisterMapTest, a_counter_may_stay_at_its_last_value) {
  make([](PmuDescription& its) { its.map->registers[9].fields[0].saturates = true; });
  run([&] {
    cpu.put32(kSelect, 0x0003'0001);
    cpu.put32(kCounter, 0xfffe);
    cpu.put32(kCounter + 4, 0xfff0);
    cpu.put32(kEnable, 0x3);
    cpu.put32(kControl, 1);
    happen(0, 0);
    EXPECT_EQ(counter(0), 0xffffU);
    EXPECT_EQ(cpu.get32(kStatus), 0U);
    happen(0, 0, 5);
    EXPECT_EQ(counter(0), 0xffffU);
    EXPECT_EQ(cpu.get32(kStatus), 0x1U);
    sc_core::wait(1, sc_core::SC_US);
    EXPECT_EQ(counter(1), 0xffffU);
    EXPECT_EQ(cpu.get32(kStatus), 0x3U);
    cpu.put32(kStatusClear, 0xf);
    happen(0, 0, 0x1'0000);
    sc_core::wait(70, sc_core::SC_US);
    EXPECT_EQ(counter(0), 0xffffU);
    EXPECT_EQ(counter(1), 0xffffU);
    EXPECT_EQ(cpu.get32(kStatus), 0U) << "they stand";
    cpu.put32(kCounter, 0);
    cpu.put32(kCounter + 4, 0xff00);
    happen(0, 0, 2);
    EXPECT_EQ(counter(0), 2U);
    EXPECT_LT(counter(1), 0xffffU);
    sc_core::wait(1, sc_core::SC_US);
    EXPECT_EQ(counter(1), 0xffffU);
    EXPECT_EQ(cpu.get32(kStatus), 0x2U);
  });
}

TEST_F(RegisterMapTest, a_command_or_a_reading_latches_what_other_fields_show) {
  make([](PmuDescription& its) {
    FieldDescription& value = its.map->registers[9].fields[0];
    value.bits = {0, 8};
    value.latches = true;
    FieldDescription high = field("HIGH", {0, 8}, Role::counter);
    high.shift = 8;
    high.latched = true;
    its.map->registers.push_back(reg("HIGH", 0xa0, {high}));
    its.map->registers.back().count = 4;
    its.map->registers.back().stride = 4;
    its.map->registers.push_back(reg("LATCH", 0xb0, {field("ALL", {0, 1}, Role::latch)}));
  });
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kEnable, 0x3);
    cpu.put32(kControl, 1);
    happen(0, 0, 0x1ff);
    EXPECT_EQ(cpu.get32(0xa0), 0U) << "nothing has been latched";
    EXPECT_EQ(counter(0), 0xffU);
    happen(0, 0);
    EXPECT_EQ(cpu.get32(0xa0), 1U) << "as the low half was read";
    EXPECT_EQ(cpu.get32(0xa4), 0U);
    cpu.put32(0xb0, 1);
    EXPECT_EQ(cpu.get32(0xa0), 2U);
    EXPECT_EQ(cpu.get32(0xa4), 2U);
    EXPECT_EQ(cpu.get32(0xb0), 0U);
  });
}

TEST_F(RegisterMapTest, a_latch_may_take_time_in_which_the_earlier_copy_is_shown) {
  make([](PmuDescription& its) {
    FieldDescription shown = field("VALUE", {0, 16}, Role::counter);
    shown.latched = true;
    its.map->registers.push_back(reg("SHOWN", 0xa0, {shown}));
    its.map->registers.back().count = 4;
    its.map->registers.back().stride = 4;
    its.map->registers.push_back(
        reg("LATCH", 0xb0, {field("ALL", {0, 1}, Role::latch), field("BUSY", {31, 1}, Role::latching)}));
    its.map->registers.back().fields[0].takes = 1'000'000;
  });
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kEnable, 0x3);
    cpu.put32(kControl, 1);
    happen(0, 0, 5);
    cpu.put32(0xb0, 1);
    happen(0, 0, 2);
    EXPECT_EQ(cpu.get32(0xa0), 0U);
    EXPECT_EQ(cpu.get32(0xb0), 0x8000'0000U);
    sc_core::wait(1, sc_core::SC_US);
    EXPECT_EQ(cpu.get32(0xa0), 5U) << "as it was when the command came";
    EXPECT_EQ(cpu.get32(0xb0), 0U);
    cpu.put32(0xb0, 1);
    EXPECT_EQ(cpu.get32(0xa0), 5U) << "the earlier one";
    sc_core::wait(1, sc_core::SC_US);
    EXPECT_EQ(cpu.get32(0xa0), 7U);
  });
}

TEST_F(RegisterMapTest, exports_are_told_what_an_access_does) {
  make();
  run([&] {
    std::map<std::string, std::string> access;
    const nlohmann::json dump = pmu->pages().front()->dump_json(0);
    for (const auto& entry : dump.at("registers"))
      access[entry.at("name").get<std::string>()] = entry.at("fields").back().at("access").get<std::string>();
    EXPECT_EQ(access["CONTROL"], "wo");
    EXPECT_EQ(access["ENABLE"], "rw");
    EXPECT_EQ(access["ENABLE_SET"], "w1s");
    EXPECT_EQ(access["ENABLE_CLEAR"], "w1c");
    EXPECT_EQ(access["STATUS"], "ro") << "another register clears it";
    EXPECT_EQ(access["STATUS_CLEAR"], "w1c");
    EXPECT_EQ(access["SECOND_STATUS"], "rc");
  });
}

TEST_F(RegisterMapTest, a_selector_s_code_may_mean_something_else_on_each_counter) {
  make([](PmuDescription& its) {
    its.events[0].code = 7;
    its.events[0].counters = BitRange{0, 1};
    its.events[1].code = 7;
    its.events[1].counters = BitRange{1, 2};
  });
  run([&] {
    cpu.put32(kSelect, 0x0007'0007);
    cpu.put32(kSelect + 4, 0x0007'0001);
    cpu.put32(kEnable, 0xf);
    cpu.put32(kControl, 1);
    happen(0, 5);
    EXPECT_EQ(counter(0), 1U);
    EXPECT_EQ(counter(1), 5U);
    EXPECT_EQ(counter(2), 0U) << "1 is the number of an event that has another code";
    EXPECT_EQ(counter(3), 0U) << "no event of that code is for it";
  });
}

TEST_F(RegisterMapTest, a_filter_without_a_register_for_a_counter_lets_everything_pass_there) {
  make([](PmuDescription& its) {
    its.map->registers[8].count = 2;
    its.filters[0].zero = FilterDescription::Zero::literal;
  });
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kSelect + 4, 0x0001'0001);
    cpu.put32(kEnable, 0xf);
    cpu.put32(kControl, 1);
    happen(1, 0, 3);
    EXPECT_EQ(counter(1), 0U);
    EXPECT_EQ(counter(2), 3U);
  });
}

TEST_F(RegisterMapTest, a_filter_may_act_on_some_counters_alone) {
  make([](PmuDescription& its) { its.filters[0].counters = BitRange{0, 2}; });
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kSelect + 4, 0x0001'0001);
    for (unsigned index = 0; index < 4; ++index) cpu.put32(kPorts + std::uint64_t{4} * index, 0x2);
    cpu.put32(kEnable, 0xf);
    cpu.put32(kControl, 1);
    happen(3, 0, 5);
    EXPECT_EQ(counter(1), 0U);
    EXPECT_EQ(counter(2), 5U);
  });
}

TEST_F(RegisterMapTest, twins_share_selector_switch_filter_and_status) {
  make([](PmuDescription& its) {
    its.event_bits = 12;
    its.events.push_back({"twin of sum", 0x102, EventDescription::Counts::occurrences, 0, 0, {}});
    its.map->twins = {.first = 2, .number = 0x100};
    its.map->registers[7].count = 1;  // selectors of counters 0 and 1 alone
  });
  run([&] {
    cpu.put32(kSelect, 0x0002'0001);
    cpu.put32(kPorts + 4, 0x2);  // port 1
    cpu.put32(kEnable, 0x2);
    cpu.put32(kInterruptMask, 0);
    cpu.put32(kControl, 1);
    happen(1, 5);
    happen(0, 7);
    EXPECT_EQ(counter(1), 5U);
    EXPECT_EQ(counter(3), 1U);
    EXPECT_EQ(counter(2), 0U) << "counter 0 is off";
    happen(1, 0, 0xffff);
    EXPECT_EQ(counter(3), 0U);
    EXPECT_EQ(cpu.get32(kStatus) & 0x2U, 0x2U);
    sc_core::wait(1, sc_core::SC_NS);  // the traffic may be ahead of the line
    EXPECT_TRUE(line.is_high());
    cpu.put32(kStatusClear, 0x2);
    EXPECT_EQ(cpu.get32(kStatus), 0U);
    EXPECT_FALSE(line.is_high());
  });
}

TEST_F(RegisterMapTest, a_filter_acts_in_its_mode_and_may_be_inverted) {
  make([](PmuDescription& its) {
    its.map->registers[8].fields[0].bits = {0, 32};
    FilterDescription& filter = its.filters[0];
    filter.when = FilterSetting{8, {8, 2}, 1};
    FilterDescription least = filter;
    least.name = "least";
    least.match = FilterDescription::Match::at_least;
    least.when->value = 2;
    least.invert = 12;
    least.invert_word = 8;
    its.filters.push_back(least);
  });
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kSelect + 4, 0x0001'0001);
    cpu.put32(kPorts, 0x006);        // no mode
    cpu.put32(kPorts + 4, 0x106);    // ports 1 and 2
    cpu.put32(kPorts + 8, 0x206);    // 6 and more
    cpu.put32(kPorts + 12, 0x1206);  // less than 6
    cpu.put32(kEnable, 0xf);
    cpu.put32(kControl, 1);
    for (const std::uint64_t port : {1, 2, 3, 4, 5, 6, 7, 8}) happen(port, 0);
    EXPECT_EQ(counter(0), 8U);
    EXPECT_EQ(counter(1), 2U);
    EXPECT_EQ(counter(2), 3U);
    EXPECT_EQ(counter(3), 5U);
  });
}

TEST_F(RegisterMapTest, a_reset_brings_back_what_power_up_gives) {
  make();
  run([&] {
    cpu.put32(kSelect, 0x0001);
    cpu.put32(kEnable, 0x1);
    cpu.put32(kControl, 1);
    cpu.put32(kInterruptMask, 0);
    happen(0, 0, 3);
    pmu->reset();
    EXPECT_EQ(counter(0), 0U);
    EXPECT_EQ(cpu.get32(kControl), 0U);
    EXPECT_EQ(cpu.get32(kInterruptMask), 0xfU);
    happen(0, 0, 3);
    EXPECT_EQ(counter(0), 0U);
  });
}

/// Filters of clocks in the upper bits of PORTS.
void add_clocks(PmuDescription& its) {
  its.map->registers[8].fields = {field("PORTS", {0, 4}, Role::keeps), field("CLOCKS", {8, 9}, Role::keeps)};
  FilterDescription filter = its.filters[0];
  filter.attribute.clear();
  for (const auto match : {FilterDescription::Match::threshold, FilterDescription::Match::edge}) {
    const bool is_edge = match == FilterDescription::Match::edge;
    filter.name = is_edge ? "edge" : "threshold";
    filter.match = match;
    filter.bits = is_edge ? BitRange{16, 1} : BitRange{8, 8};
    its.filters.push_back(filter);
  }
}

TEST_F(RegisterMapTest, with_a_threshold_clocks_count_in_which_so_much_is_added) {
  make(add_clocks);
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);      // counters 0 and 1: occurrences
    cpu.put32(kSelect + 4, 0x0001'0002);  // counter 2: a sum; counter 3: occurrences
    cpu.put32(kPorts, 0x0'0200);          // two in a clock
    cpu.put32(kPorts + 4, 0x1'0200);      // and not in the clock before
    cpu.put32(kPorts + 8, 0x0'0500);
    cpu.put32(kPorts + 12, 0x1'0000);  // one, and none in the clock before
    cpu.put32(kEnable, 0xf);
    testing::advance(500);
    cpu.put32(kControl, 1);
    happen(0, 4);  // alone in its clock, but for what came before the start
    testing::advance(1'000);
    happen(0, 1);
    testing::advance(400);
    happen(0, 2, 2);  // three in a clock, 5 in all
    testing::advance(600);
    happen(0, 9, 2);  // two in the next one, 18
    testing::advance(3'000);
    happen(0, 5);
    testing::advance(1'000);
    EXPECT_EQ(counter(0), 2U);
    EXPECT_EQ(counter(1), 1U);
    EXPECT_EQ(counter(2), 3U);
    EXPECT_EQ(counter(3), 2U);
  });
}

TEST_F(RegisterMapTest, a_clock_that_wraps_a_counter_sends_its_interrupt) {
  make(add_clocks);
  run([&] {
    cpu.put32(kSelect, 0x1);
    cpu.put32(kPorts, 0x0'0200);
    cpu.put32(kInterruptMask, 0);
    cpu.put32(kCounter, 0xffff);
    cpu.put32(kEnable, 0x1);
    cpu.put32(kControl, 1);
    testing::advance(10'300);
    happen(0, 1);
    testing::advance(2'000);
    EXPECT_FALSE(line.is_high()) << "one in a clock is not enough";
    happen(0, 1, 2);  // at 12.3 ns, so that the clock ends at 13 ns
    testing::advance(600);
    EXPECT_FALSE(line.is_high());
    testing::advance(200);
    EXPECT_TRUE(line.is_high());
    EXPECT_EQ(cpu.get32(kStatus), 1U);
    EXPECT_EQ(counter(0), 0U);
    cpu.put32(kStatusClear, 1);
    EXPECT_FALSE(line.is_high());
    cpu.put32(kCounter, 0xfffe);
    happen(0, 1, 2);
    testing::advance(1'000);
    happen(0, 1, 2);
    cpu.put32(kControl, 0);  // before the second clock ends
    testing::advance(2'000);
    EXPECT_EQ(counter(0), 0xffffU);
    EXPECT_FALSE(line.is_high());
  });
}

TEST_F(RegisterMapTest, with_a_threshold_clocks_count_at_which_so_many_are_outstanding) {
  make([](PmuDescription& its) {
    add_clocks(its);
    its.events[0].counts = EventDescription::Counts::outstanding;
  });
  const auto last = [&](Picoseconds duration) {
    Occurrence occurrence;
    occurrence.duration = duration;
    source.happen(occurrence, testing::now());
  };
  run([&] {
    cpu.put32(kSelect, 0x0001'0001);
    cpu.put32(kSelect + 4, 0x0001'0001);
    cpu.put32(kPorts, 0x0'0200);      // two at once
    cpu.put32(kPorts + 4, 0x1'0200);  // and not at the edge before
    cpu.put32(kPorts + 8, 0x1'0000);  // any, and none at the edge before
    cpu.put32(kPorts + 12, 0x0'0200);
    cpu.put32(kInterruptMask, 0x7);
    cpu.put32(kCounter + 12, 0xfffd);
    cpu.put32(kEnable, 0xf);
    testing::advance(500);
    last(10'000);  // at the edges 1 ... 10
    last(3'000);   // 1 ... 3
    testing::advance(1'000);
    cpu.put32(kControl, 1);  // it sees 2 and 3
    testing::advance(4'000);
    last(2'000);  // 6 and 7
    EXPECT_FALSE(line.is_high());
    testing::advance(500);  // 6 ns, so that an instant before edge 6 has counted
    EXPECT_FALSE(line.is_high());
    testing::advance(1);
    EXPECT_TRUE(line.is_high()) << "edges 2, 3 and 6";
    EXPECT_EQ(cpu.get32(kStatus), 0x8U);
    testing::advance(9'999);
    EXPECT_EQ(counter(0), 4U);
    EXPECT_EQ(counter(1), 2U);
    EXPECT_EQ(counter(2), 1U);
    EXPECT_EQ(counter(3), 1U);
  });
}

}  // namespace
}  // namespace pmufab::soc::register_map_test
