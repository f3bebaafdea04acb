// SPDX-License-Identifier: Apache-2.0
// Permitted reads and writes: access policies, halves, arrays, hooks, live values, resets.

#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"
#include "testbench/tests/tlm/bank_target.h"
#include "tlm/registers/register_note.h"

namespace pmufab::register_policy_test {
namespace {

constexpr FieldSpec kMixed32[] = {
    {"PLAIN", 0, 4, Access::rw, 0x5},       {"FIXED", 4, 4, Access::ro, 0xa},
    {"CLEAR", 8, 4, Access::w1c, 0xf},      {"SET", 12, 4, Access::w1s, 0x1},
    {"COMMAND", 16, 4, Access::wo, 0x3},    {"ZERO", 20, 4, Access::raz_wi, 0x7},
    {"RSVD", 24, 2, Access::reserved, 0x2}, {"LATER", 28, 2, Access::unimplemented, 0x1},
};  // bits 27:26 and 31:30 have no field

constexpr FieldSpec kMixed64[] = {
    {"PLAIN", 0, 8, Access::rw},  {"CLEAR", 8, 24, Access::w1c, 0xff'ffff}, {"BRIDGE", 28 + 4, 8, Access::rw},
    {"SET", 40, 12, Access::w1s}, {"FIXED", 52, 12, Access::ro, 0xabc},
};

constexpr FieldSpec kRw32[] = {{"VALUE", 0, 32, Access::rw}};
constexpr FieldSpec kRw64[] = {{"VALUE", 0, 64, Access::rw}};
constexpr FieldSpec kRo64[] = {{"VALUE", 0, 40, Access::ro}};
constexpr FieldSpec kWo32[] = {{"KEY", 0, 32, Access::wo}};

constexpr RegisterSpec kRegisters[] = {
    {.name = "MIXED", .offset = 0x00, .width = 32, .fields = kMixed32},
    {.name = "WIDE", .offset = 0x08, .width = 64, .fields = kMixed64, .halves = true},
    {.name = "WHOLE", .offset = 0x10, .width = 64, .fields = kRw64},
    {.name = "EVEN", .offset = 0x20, .width = 32, .fields = kRw32, .count = 4, .stride = 8},
    {.name = "ODD", .offset = 0x24, .width = 32, .fields = kRw32, .count = 4, .stride = 8},
    {.name = "COUNT", .offset = 0x40, .width = 64, .fields = kRo64, .count = 3, .stride = 8, .halves = true},
    {.name = "KEY", .offset = 0x60, .width = 32, .fields = kWo32},
    {.name = "SKEWED", .offset = 0x64, .width = 64, .fields = kRw64, .count = 2, .stride = 12, .halves = true},
};
constexpr std::uint32_t kSize = 0x100;
static_assert(layout_is_valid(kRegisters, kSize));

class RegisterPolicies : public testing::SimulationTest {
 protected:
  RegisterPolicies() { cpu.socket.bind(device.socket); }

  testing::Initiator cpu{"cpu"};
  BankTarget device{"device", {.name = "soc.device", .size = kSize, .reports_lost_writes = false}, kRegisters};
  RegisterBank& bank = device.bank;
};

TEST_F(RegisterPolicies, reset_values_are_those_of_the_readable_fields) {
  run([&] {
    EXPECT_EQ(cpu.get32(0x00), 0x0000'1fa5U);
    EXPECT_EQ(cpu.get64(0x08), 0xabc0'0000'ffff'ff00U);
    EXPECT_EQ(cpu.get64(0x10), 0U);
  });
}

TEST_F(RegisterPolicies, writing_zero_changes_plain_fields_alone) {
  run([&] {
    cpu.put32(0x00, 0);
    EXPECT_EQ(cpu.get32(0x00), 0x0000'1fa0U);
  });
}

TEST_F(RegisterPolicies, writing_ones_acts_on_each_field_by_its_policy) {
  expect_guest_error("soc.device", "MIXED", "LATER", "29:28", "0x3");
  run([&] {
    cpu.put32(0x00, 0xffff'ffff);
    EXPECT_EQ(cpu.get32(0x00), 0x0000'f0afU);
  });
}

TEST_F(RegisterPolicies, writing_a_one_clears_or_sets_that_bit_alone) {
  run([&] {
    cpu.put32(0x00, 0x0000'2400);
    EXPECT_EQ(cpu.get32(0x00), 0x0000'3ba0U);
    cpu.put32(0x00, 0x0000'0101);
    EXPECT_EQ(cpu.get32(0x00), 0x0000'3aa1U);
  });
}

/// The effect of a policy on one bit: `stored` after a write of `written`.
bool bit_after(Access access, bool stored, bool written) {
  switch (access) {
    case Access::rw:
      return written;
    case Access::w1c:
      return stored && !written;
    case Access::w1s:
      return stored || written;
    case Access::ro:
    case Access::w0c:
    case Access::rc:
    case Access::wo:
    case Access::raz_wi:
    case Access::reserved:
    case Access::unimplemented:
      return stored;
  }
  return stored;
}

bool is_readable(Access access) {
  return access == Access::rw || access == Access::ro || access == Access::w1c || access == Access::w1s;
}

TEST_F(RegisterPolicies, random_writes_whole_or_by_halves_agree_with_the_meaning_of_each_bit) {
  run([&] {
    std::mt19937_64 random(7);
    std::uint64_t model = 0xabc0'0000'ffff'ff00;
    for (int step = 0; step < 3'000; ++step) {
      if (step % 100 == 0) {  // if all bits were cleared or set, nothing more would be tested
        model = random();
        bank.set_value(bank.find("WIDE"), model);
      }
      const unsigned part = static_cast<unsigned>(random() % 3);  // whole, low, high
      const std::uint64_t data = random() & random() & random();
      const unsigned first = part == 2 ? 32 : 0;
      const unsigned bits = part == 0 ? 64 : 32;
      if (part == 0) {
        cpu.put64(0x08, data);
      } else {
        cpu.put32(0x08 + (part == 2 ? 4 : 0), static_cast<std::uint32_t>(data));
      }
      std::uint64_t next = model;
      std::uint64_t readable = 0;
      for (const FieldSpec& field : kMixed64) {
        for (unsigned bit = field.lsb; bit < field.lsb + field.width; ++bit) {
          const std::uint64_t one = std::uint64_t{1} << bit;
          if (is_readable(field.access)) readable |= one;
          if (bit < first || bit >= first + bits) continue;
          const bool after = bit_after(field.access, (model & one) != 0, (data >> (bit - first) & 1) != 0);
          next = after ? next | one : next & ~one;
        }
      }
      model = next;
      ASSERT_EQ(cpu.get64(0x08), model & readable) << "step " << step;
      ASSERT_EQ(cpu.get32(0x08), static_cast<std::uint32_t>(model & readable));
      ASSERT_EQ(cpu.get32(0x0c), static_cast<std::uint32_t>((model & readable) >> 32));
      ASSERT_EQ(bank.value(bank.find("WIDE")), model);
    }
  });
}

TEST_F(RegisterPolicies, setting_an_unimplemented_bit_is_reported_once_and_counted_each_time) {
  expect_guest_error("soc.device", "MIXED", "0x0", "LATER", "(bits 29:28) = 0x1", "write 0 there");
  expect_guest_error("soc.device", "MIXED", "LATER", "(bits 29:28) = 0x2");
  run([&] {
    cpu.put32(0x00, 0x0000'0000);  // silent
    EXPECT_EQ(bank.guest_errors(), 0U);
    cpu.put32(0x00, 0x1000'0000);
    cpu.put32(0x00, 0x1000'0000);  // again
    cpu.put32(0x00, 0x3000'0000);  // a new bit
    cpu.put32(0x00, 0x3000'0000);
    EXPECT_EQ(bank.guest_errors(), 4U);
    EXPECT_EQ(cpu.get32(0x00), 0x0000'1fa0U);  // and it had no effect
  });
}

TEST_F(RegisterPolicies, writing_reserved_and_uncovered_bits_is_silent_and_has_no_effect) {
  run([&] {
    cpu.put32(0x00, 0xcff0'0000);
    EXPECT_EQ(cpu.get32(0x00), 0x0000'1fa0U);
    EXPECT_EQ(bank.guest_errors(), 0U);
  });
}

TEST_F(RegisterPolicies, elements_of_interleaved_arrays_are_apart) {
  run([&] {
    for (unsigned i = 0; i < 4; ++i) {
      cpu.put32(0x20 + 8 * i, 0xe000 + i);
      cpu.put32(0x24 + 8 * i, 0x0dd0 + i);
    }
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_EQ(cpu.get32(0x20 + 8 * i), 0xe000 + i);
      EXPECT_EQ(cpu.get32(0x24 + 8 * i), 0x0dd0 + i);
      EXPECT_EQ(bank.value(bank.find("EVEN"), i), 0xe000 + i);
      EXPECT_EQ(bank.value(bank.find("ODD"), i), 0x0dd0 + i);
    }
  });
}

TEST_F(RegisterPolicies, halves_of_a_64_bit_register_that_is_only_4_byte_aligned_can_be_used) {
  run([&] {
    cpu.put32(0x64, 0x1111'2222);
    cpu.put32(0x68, 0x3333'4444);
    cpu.put32(0x70, 0x5555'6666);
    EXPECT_EQ(bank.value(bank.find("SKEWED"), 0), 0x3333'4444'1111'2222U);
    EXPECT_EQ(cpu.get64(0x70), 0x0000'0000'5555'6666U);
  });
}

TEST_F(RegisterPolicies, elements_beyond_the_limit_read_zero_and_ignore_writes) {
  unsigned hooks = 0;
  bank.on_write(bank.find("EVEN"), [&](const RegisterWrite&) { ++hooks; });
  bank.on_read(bank.find("COUNT"), [](unsigned element, Picoseconds) { return 100 + element; });
  bank.limit(bank.find("EVEN"), 2);
  bank.limit(bank.find("COUNT"), 1);
  bank.limit(bank.find("ODD"), 400);  // more than there are: all
  run([&] {
    for (unsigned i = 0; i < 4; ++i) cpu.put32(0x20 + 8 * i, 7);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(cpu.get32(0x20 + 8 * i), i < 2 ? 7U : 0U);
    for (unsigned i = 0; i < 4; ++i) cpu.put32(0x24 + 8 * i, 9);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(cpu.get32(0x24 + 8 * i), 9U);
    EXPECT_EQ(hooks, 2U);
    EXPECT_EQ(cpu.get64(0x40), 100U);
    EXPECT_EQ(cpu.get64(0x48), 0U);
    EXPECT_EQ(bank.read(bank.find("COUNT"), 2, 0), 0U);
    std::uint64_t data = 0;
    EXPECT_EQ(cpu.debug_read(0x48, data, 8), 0U);
    EXPECT_EQ(bank.guest_errors(), 0U);
  });
}

TEST_F(RegisterPolicies, a_hook_sees_the_write_and_what_became_of_it) {
  std::vector<RegisterWrite> writes;
  bank.on_write(bank.find("MIXED"), [&](const RegisterWrite& write) {
    EXPECT_EQ(bank.value(bank.find("MIXED")), write.after);
    writes.push_back(write);
  });
  run([&] {
    testing::advance(2'000);
    cpu.put32(0x00, 0x000f'243c);
    ASSERT_EQ(writes.size(), 1U);
    EXPECT_EQ(writes[0].element, 0U);
    EXPECT_EQ(writes[0].written, 0x000f'243cU);  // the command reaches the hook and is not stored
    EXPECT_EQ(writes[0].mask, 0xffff'ffffU);
    const std::uint64_t hidden = 0x1273'0000;  // stored resets of fields that read as zero
    EXPECT_EQ(writes[0].before, 0x0000'1fa5U | hidden);
    EXPECT_EQ(writes[0].after, 0x0000'3bacU | hidden);
    EXPECT_EQ(writes[0].when, 2'000U);
    cpu.get32(0x00);
    EXPECT_EQ(writes.size(), 1U);
  });
}

TEST_F(RegisterPolicies, the_hook_of_a_field_sees_the_field_alone) {
  std::vector<FieldWrite> commands;
  std::vector<FieldWrite> plain;
  unsigned whole = 0;
  bank.on_write(bank.find("MIXED"), [&](const RegisterWrite&) { ++whole; });
  bank.on_write(bank.find("MIXED", "COMMAND"), [&](const FieldWrite& write) {
    EXPECT_EQ(whole, 1U) << "hooks are called in the order in which they were set";
    commands.push_back(write);
  });
  bank.on_write(bank.find("MIXED", "PLAIN"), [&](const FieldWrite& write) {
    EXPECT_EQ(commands.size(), 1U);
    plain.push_back(write);
  });
  run([&] {
    testing::advance(2'000);
    cpu.put32(0x00, 0x000f'243c);
    ASSERT_EQ(commands.size(), 1U);
    EXPECT_EQ(commands[0].element, 0U);
    EXPECT_EQ(commands[0].written, 0xfU);
    EXPECT_EQ(commands[0].before, 0x3U);
    EXPECT_EQ(commands[0].after, 0x3U) << "a command is not stored";
    EXPECT_EQ(commands[0].when, 2'000U);
    ASSERT_EQ(plain.size(), 1U);
    EXPECT_EQ(plain[0].written, 0xcU);
    EXPECT_EQ(plain[0].before, 0x5U);
    EXPECT_EQ(plain[0].after, 0xcU);
  });
}

TEST_F(RegisterPolicies, a_field_takes_its_value_out_of_the_registers_and_puts_it_there) {
  const RegisterField field = bank.find("WIDE", "SET");
  EXPECT_EQ(field.of(0x1234'5678'9abc'def0), 0x456U);
  EXPECT_EQ(field.placed(0x456), 0x0004'5600'0000'0000U);
  EXPECT_EQ(bank.find("WHOLE", "VALUE").of(~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_THROW(static_cast<void>(bank.find("WIDE", "ZERO")), std::out_of_range);
  EXPECT_THROW(static_cast<void>(bank.find("NARROW", "SET")), std::out_of_range);
}

TEST_F(RegisterPolicies, a_hook_is_told_which_half_was_written) {
  std::vector<RegisterWrite> writes;
  bank.on_write(bank.find("WIDE"), [&](const RegisterWrite& write) { writes.push_back(write); });
  run([&] {
    cpu.put32(0x0c, 0x0000'01ee);
    cpu.put32(0x08, 0x0000'01dd);
    cpu.put64(0x08, 0x11);
    ASSERT_EQ(writes.size(), 3U);
    EXPECT_EQ(writes[0].written, 0x0000'01ee'0000'0000U);
    EXPECT_EQ(writes[0].mask, 0xffff'ffff'0000'0000U);
    EXPECT_EQ(writes[0].before, 0xabc0'0000'ffff'ff00U);
    EXPECT_EQ(writes[0].after, 0xabc0'01ee'ffff'ff00U);
    EXPECT_EQ(writes[1].written, 0x0000'01ddU);
    EXPECT_EQ(writes[1].mask, 0x0000'0000'ffff'ffffU);
    EXPECT_EQ(writes[1].after, 0xabc0'01ee'ffff'feddU);
    EXPECT_EQ(writes[2].mask, ~std::uint64_t{0});
    EXPECT_EQ(writes[2].after, 0xabc0'0100'ffff'fe11U);
  });
}

TEST_F(RegisterPolicies, a_hook_is_told_the_element) {
  std::vector<unsigned> elements;
  bank.on_write(bank.find("ODD"), [&](const RegisterWrite& write) { elements.push_back(write.element); });
  run([&] {
    cpu.put32(0x3c, 0);
    cpu.put32(0x24, 0);
    cpu.put32(0x2c, 0);
  });
  EXPECT_EQ(elements, (std::vector<unsigned>{3, 0, 1}));
}

TEST_F(RegisterPolicies, a_hook_may_store_something_else) {
  const RegisterId whole = bank.find("WHOLE");
  bank.on_write(whole, [&](const RegisterWrite& write) { bank.set_value(whole, write.written ^ 0xff); });
  run([&] {
    cpu.put64(0x10, 0x0f);
    EXPECT_EQ(cpu.get64(0x10), 0xf0U);
  });
}

TEST_F(RegisterPolicies, writing_a_write_only_register_stores_nothing_and_reads_zero) {
  std::uint64_t key = 0;
  bank.on_write(bank.find("KEY"), [&](const RegisterWrite& write) { key = write.written; });
  run([&] {
    cpu.put32(0x60, 0xc0ffee);
    EXPECT_EQ(key, 0xc0ffeeU);
    EXPECT_EQ(cpu.get32(0x60), 0U);
    EXPECT_EQ(bank.value(bank.find("KEY")), 0U);
  });
}

TEST_F(RegisterPolicies, a_live_value_is_asked_with_element_and_time_and_cut_to_the_readable_bits) {
  bank.on_read(bank.find("COUNT"), [](unsigned element, Picoseconds when) {
    return 0xffff'ff00'0000'0000 | std::uint64_t{element} << 32 | when;
  });
  run([&] {
    testing::advance(300);
    EXPECT_EQ(cpu.get64(0x40), 0x0000'0000'0000'012cU);
    EXPECT_EQ(cpu.get64(0x50), 0x0000'0002'0000'012cU);
    EXPECT_EQ(cpu.get32(0x48), 0x0000'012cU);
    EXPECT_EQ(cpu.get32(0x4c), 0x0000'0001U);
    EXPECT_EQ(bank.read(bank.find("COUNT"), 1, 0x77), 0x0000'0001'0000'0077U);
    EXPECT_EQ(bank.value(bank.find("COUNT"), 1), 0U);
  });
}

TEST_F(RegisterPolicies, hooks_and_live_values_see_the_delay_the_access_came_with) {
  std::vector<Picoseconds> times;
  bank.on_read(bank.find("COUNT"), [&](unsigned, Picoseconds when) { return when; });
  bank.on_write(bank.find("WHOLE"), [&](const RegisterWrite& write) { times.push_back(write.when); });
  run([&] {
    testing::advance(1'000);
    testing::Initiator::Access read{.address = 0x40, .data = std::vector<std::uint8_t>(8), .delay = 234};
    EXPECT_EQ(cpu.transport(read).data, 1'234U);
    testing::Initiator::Access write{
        .command = tlm::TLM_WRITE_COMMAND, .address = 0x10, .data = std::vector<std::uint8_t>(8), .delay = 66};
    cpu.transport(write);
    EXPECT_EQ(times, (std::vector<Picoseconds>{1'300}));  // the first delay has been waited for
  });
}

TEST_F(RegisterPolicies, resets_bring_back_every_value_and_call_no_hook) {
  unsigned hooks = 0;
  for (const RegisterSpec& reg : kRegisters) {
    bank.on_write(bank.find(reg.name), [&](const RegisterWrite&) { ++hooks; });
  }
  bank.set_reset(bank.find("ODD"), 2, 0x1234);
  run([&] {
    EXPECT_EQ(cpu.get32(0x34), 0x1234U);
    for (std::uint64_t offset = 0x20; offset < 0x40; offset += 4) cpu.put32(offset, 0xffff'ffff);
    cpu.put32(0x00, 0x0000'ff00);
    cpu.put64(0x08, 0xff);
    EXPECT_EQ(hooks, 10U);
    bank.reset();
    EXPECT_EQ(hooks, 10U);
    EXPECT_EQ(cpu.get32(0x00), 0x0000'1fa5U);
    EXPECT_EQ(cpu.get64(0x08), 0xabc0'0000'ffff'ff00U);
    for (std::uint64_t offset = 0x20; offset < 0x40; offset += 4) {
      EXPECT_EQ(cpu.get32(offset), offset == 0x34 ? 0x1234U : 0U);
    }
  });
}

TEST_F(RegisterPolicies, set_value_ignores_policies_and_keeps_to_the_width) {
  run([&] {
    bank.set_value(bank.find("COUNT"), 0xffff'ffff'ffff'ffff, 1);
    EXPECT_EQ(bank.value(bank.find("COUNT"), 1), 0xffff'ffff'ffff'ffffU);
    EXPECT_EQ(cpu.get64(0x48), 0x0000'00ff'ffff'ffffU);  // bits without a field read zero
    bank.set_value(bank.find("EVEN"), 0x1'2345'6789);
    EXPECT_EQ(bank.value(bank.find("EVEN")), 0x2345'6789U);
  });
}

TEST_F(RegisterPolicies, an_unknown_name_is_refused_and_named) {
  try {
    static_cast<void>(bank.find("NOSUCH"));
    FAIL() << "found";
  } catch (const std::out_of_range& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("NOSUCH"), std::string::npos);
    EXPECT_NE(text.find("soc.device"), std::string::npos);
  }
}

class RegisterLatency : public testing::SimulationTest {};

TEST_F(RegisterLatency, is_added_to_each_access_after_the_device_acted) {
  testing::Initiator cpu("cpu");
  BankTarget device("device", {.name = "slow", .size = kSize, .latency = 7'000}, kRegisters);
  cpu.socket.bind(device.socket);
  device.bank.on_read(device.bank.find("COUNT"), [](unsigned, Picoseconds when) { return when; });
  run([&] {
    testing::advance(100);
    EXPECT_EQ(cpu.get64(0x40), 100U);
    EXPECT_EQ(testing::now(), 7'100U);
    cpu.put64(0x10, 1);
    EXPECT_EQ(testing::now(), 14'100U);
    cpu.wait_for_delay = false;
    EXPECT_EQ(cpu.read64(0x40).delay, 7'000U);
    EXPECT_EQ(testing::now(), 14'100U);
  });
}

/// An access that asks which register it is about.
RegisterNote noted(RegisterBank& bank, tlm::tlm_command command, std::uint64_t address, unsigned length,
                   std::uint64_t data) {
  RegisterNote note;
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  payload.set_extension(&note);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  bank.b_transport(payload, delay);
  payload.clear_extension(&note);
  return note;
}

TEST_F(RegisterPolicies, a_note_tells_the_register_and_what_software_would_have_read_before) {
  run([&] {
    // PLAIN becomes 0x3, CLEAR loses the ones written, SET gains them; COMMAND reads 0.
    const RegisterNote mixed = noted(bank, tlm::TLM_WRITE_COMMAND, 0x00, 4, 0x000f'2503);
    EXPECT_EQ(mixed.bank, "soc.device");
    EXPECT_EQ(mixed.name, "MIXED");
    EXPECT_EQ(mixed.spec, &kRegisters[0]);
    EXPECT_EQ(mixed.shift, 0U);
    EXPECT_EQ(mixed.before, 0x0000'1fa5U);
    EXPECT_EQ(cpu.get32(0x00), 0x0000'3aa3U);

    const RegisterNote half = noted(bank, tlm::TLM_WRITE_COMMAND, 0x0c, 4, 0x0000'0012);
    EXPECT_EQ(half.name, "WIDE upper half");
    EXPECT_EQ(half.shift, 32U);
    EXPECT_EQ(half.before, 0xabc0'0000'ffff'ff00U);
    EXPECT_EQ(half.registers->read(half.reg, half.element, 0), 0xabc0'0012'ffff'ff00U);

    EXPECT_EQ(noted(bank, tlm::TLM_READ_COMMAND, 0x48, 8, 0).name, "COUNT[1]");
    EXPECT_EQ(noted(bank, tlm::TLM_READ_COMMAND, 0x80, 4, 0).spec, nullptr) << "no register is there";
  });
}

}  // namespace
}  // namespace pmufab::register_policy_test
