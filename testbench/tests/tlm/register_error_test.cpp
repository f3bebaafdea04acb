// SPDX-License-Identifier: Apache-2.0
// Forbidden accesses: their response, their one report, and that nothing changes. And accesses by debug transport and
// DMI.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"
#include "testbench/tests/tlm/bank_target.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::register_error_test {
namespace {

constexpr FieldSpec kControl[] = {{"ENABLE", 0, 1, Access::rw, 1}, {"STATUS", 8, 8, Access::w1c, 0x55}};
constexpr FieldSpec kValue64[] = {{"VALUE", 0, 64, Access::rw, 0x1234}};
constexpr FieldSpec kHidden[] = {
    {"SHOWN", 0, 8, Access::rw}, {"KEY", 8, 8, Access::wo}, {"ZERO", 16, 8, Access::raz_wi}};

constexpr FieldSpec kShow[] = {{"VERSION", 0, 8, Access::ro, 0x1}, {"ANY", 16, 8, Access::raz_wi}};

constexpr RegisterSpec kRegisters[] = {
    {.name = "CTRL", .offset = 0x00, .width = 32, .fields = kControl},
    {.name = "TYPE", .offset = 0x04, .width = 32, .fields = kControl},
    {.name = "WHOLE", .offset = 0x10, .width = 64, .fields = kValue64},
    {.name = "HALVES", .offset = 0x18, .width = 64, .fields = kValue64, .count = 2, .stride = 8, .halves = true},
    {.name = "SKEWED", .offset = 0x2c, .width = 64, .fields = kValue64, .halves = true},
    {.name = "HIDDEN", .offset = 0x3c, .width = 32, .fields = kHidden},
    {.name = "SHOW", .offset = 0x48, .width = 32, .fields = kShow},
};
constexpr std::uint32_t kSize = 0x50;
static_assert(layout_is_valid(kRegisters, kSize));

using RawAccess = testing::Initiator::Access;

class RegisterErrors : public testing::SimulationTest {
 protected:
  void build(HolePolicy holes, bool reports_lost_writes = true) {
    device = std::make_unique<BankTarget>("device",
                                          RegisterBank::Options{.name = "soc.pmu",
                                                                .size = kSize,
                                                                .holes = holes,
                                                                .latency = 10,
                                                                .reports_lost_writes = reports_lost_writes},
                                          kRegisters);
    cpu.socket.bind(device->socket);
    for (const RegisterSpec& reg : kRegisters) {
      device->bank.on_write(device->bank.find(reg.name), [this](const RegisterWrite&) { ++hooks; });
    }
  }
  /// The whole state of the bank except time.
  [[nodiscard]] nlohmann::json state() const { return device->bank.dump_json(0); }

  /// Make the same bad read and write three times. Each gets `status` and changes nothing. Together they make the
  /// announced reports (reads and writes are one place).
  void expect_refused(std::uint64_t offset, unsigned length, tlm::tlm_response_status status) {
    const nlohmann::json before = state();
    const std::uint64_t errors = device->bank.guest_errors();
    for (int i = 0; i < 3; ++i) {
      const Picoseconds start = testing::now();
      EXPECT_EQ(cpu.read(offset, length).status, status) << "read of " << length << " at " << offset;
      EXPECT_EQ(cpu.write(offset, ~std::uint64_t{0}, length).status, status)
          << "write of " << length << " at " << offset;
      EXPECT_EQ(testing::now(), start + 20);  // a refused access takes as long as any other
    }
    EXPECT_EQ(state(), before);
    EXPECT_EQ(hooks, 0U);
    EXPECT_EQ(device->bank.guest_errors(), errors + 6);
  }

  template <typename... Parts>
  void expect_lost_write(const Parts&... parts) {
    expect_report(sc_core::SC_WARNING, kLostWriteReport, {std::string(parts)...});
  }

  testing::Initiator cpu{"cpu"};
  std::unique_ptr<BankTarget> device;
  unsigned hooks = 0;
};

TEST_F(RegisterErrors, sizes_other_than_4_and_8_are_burst_errors_reported_once) {
  build(HolePolicy::read_zero_write_ignored);
  for (const unsigned length : {0U, 1U, 2U, 3U, 5U, 6U, 7U, 9U, 16U}) {
    expect_guest_error("soc.pmu", std::to_string(length) + "-byte", "offset 0x10", "WHOLE", "64-bit", "8 bytes",
                       "4 or 8 bytes");
  }
  run([&] {
    for (const unsigned length : {0U, 1U, 2U, 3U, 5U, 6U, 7U, 9U, 16U}) {
      expect_refused(0x10, length, tlm::TLM_BURST_ERROR_RESPONSE);
    }
  });
}

TEST_F(RegisterErrors, unaligned_accesses_are_burst_errors_reported_once_per_place) {
  build(HolePolicy::read_zero_write_ignored);
  for (const char* offset : {"0x1", "0x2", "0x3"}) {
    expect_guest_error("4-byte", std::string("offset ") + offset, "CTRL", "aligned");
  }
  for (const char* offset : {"0x11", "0x12", "0x14", "0x17"}) {
    expect_guest_error("8-byte", std::string("offset ") + offset, "WHOLE", "aligned");
  }
  run([&] {
    for (const std::uint64_t offset : {1, 2, 3}) expect_refused(offset, 4, tlm::TLM_BURST_ERROR_RESPONSE);
    for (const std::uint64_t offset : {0x11, 0x12, 0x14, 0x17}) {
      expect_refused(offset, 8, tlm::TLM_BURST_ERROR_RESPONSE);
    }
  });
}

TEST_F(RegisterErrors, a_64_bit_access_to_a_register_that_is_4_byte_aligned_is_refused_with_its_name) {
  build(HolePolicy::read_zero_write_ignored);
  expect_guest_error("8-byte", "offset 0x2c", "SKEWED bits 63:0", "4 bytes per half");
  run([&] { expect_refused(0x2c, 8, tlm::TLM_BURST_ERROR_RESPONSE); });
}

TEST_F(RegisterErrors, half_of_a_register_without_halves_is_refused_with_its_name_and_bits) {
  build(HolePolicy::read_zero_write_ignored);
  expect_guest_error("soc.pmu", "4-byte", "offset 0x10", "WHOLE bits 31:0", "64-bit register", "8 bytes");
  expect_guest_error("soc.pmu", "4-byte", "offset 0x14", "WHOLE bits 63:32", "64-bit register", "8 bytes");
  run([&] {
    expect_refused(0x10, 4, tlm::TLM_BURST_ERROR_RESPONSE);
    expect_refused(0x14, 4, tlm::TLM_BURST_ERROR_RESPONSE);
  });
}

TEST_F(RegisterErrors, one_access_to_two_registers_is_refused_with_both_names) {
  build(HolePolicy::read_zero_write_ignored);
  expect_guest_error("8-byte", "offset 0x0", "CTRL bits 31:0", "TYPE bits 31:0", "32-bit register", "4 bytes");
  run([&] { expect_refused(0x00, 8, tlm::TLM_BURST_ERROR_RESPONSE); });
}

TEST_F(RegisterErrors, one_access_to_parts_of_registers_and_holes_is_refused) {
  build(HolePolicy::read_zero_write_ignored);
  expect_guest_error("8-byte", "offset 0x28", "SKEWED bits 31:0");   // hole, then the lower half
  expect_guest_error("8-byte", "offset 0x30", "SKEWED bits 63:32");  // the upper half, then a hole
  expect_guest_error("8-byte", "offset 0x38", "HIDDEN");
  run([&] {
    expect_refused(0x28, 8, tlm::TLM_BURST_ERROR_RESPONSE);
    expect_refused(0x30, 8, tlm::TLM_BURST_ERROR_RESPONSE);
    expect_refused(0x38, 8, tlm::TLM_BURST_ERROR_RESPONSE);
  });
}

TEST_F(RegisterErrors, the_report_names_the_element_of_an_array) {
  build(HolePolicy::read_zero_write_ignored);
  expect_guest_error("2-byte", "offset 0x22", "HALVES[1] bits 31:16");
  run([&] { expect_refused(0x22, 2, tlm::TLM_BURST_ERROR_RESPONSE); });
}

TEST_F(RegisterErrors, outside_the_window_is_an_address_error) {
  build(HolePolicy::read_zero_write_ignored);
  expect_guest_error("soc.pmu", "offset 0x50", "window of 0x50 bytes");
  expect_guest_error("soc.pmu", "offset 0x4c", "8-byte");
  expect_guest_error("soc.pmu", "offset 0xfffffffffffffffc");
  run([&] {
    expect_refused(kSize, 4, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    expect_refused(kSize - 4, 8, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    expect_refused(~std::uint64_t{3}, 4, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_F(RegisterErrors, a_write_to_a_hole_is_reported_once_per_place_and_succeeds) {
  build(HolePolicy::read_zero_write_ignored);
  expect_lost_write("soc.pmu", "write of 0xff", "offset 0x8", "no register");
  expect_lost_write("soc.pmu", "write of 0x1", "offset 0x40", "no register");
  run([&] {
    const nlohmann::json before = state();
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(cpu.write(0x08, 0xff, 4).status, tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(cpu.write(0x40, 1, 8).status, tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(cpu.get32(0x08), 0U) << "reading there is no mistake";
    }
    EXPECT_EQ(state(), before);
    EXPECT_EQ(device->bank.guest_errors(), 0U) << "nothing was refused";
  });
}

TEST_F(RegisterErrors, a_write_to_an_element_that_the_part_lacks_is_reported) {
  build(HolePolicy::read_zero_write_ignored);
  device->bank.limit(device->bank.find("HALVES"), 1);
  expect_lost_write("soc.pmu", "write of 0x5", "offset 0x20", "this part has 1 of HALVES");
  run([&] { EXPECT_EQ(cpu.write(0x20, 5, 8).status, tlm::TLM_OK_RESPONSE); });
  EXPECT_EQ(hooks, 0U);
}

TEST_F(RegisterErrors, a_write_that_sets_bits_which_stay_0_is_reported_and_one_that_writes_back_is_not) {
  build(HolePolicy::read_zero_write_ignored);
  expect_lost_write("soc.pmu", "write of 0x80000001 to CTRL", "offset 0x0", "0x80000000");  // reserved
  expect_lost_write("soc.pmu", "write of 0x30002 to SHOW", "offset 0x48", "0x2 (read-only: VERSION)");
  run([&] {
    cpu.put32(0x00, 0x8000'0001);
    cpu.put32(0x00, 0x8000'0001);  // once
    cpu.put32(0x48, 0x3'0001);     // a read-only 1 that was read, and bits that may be written with anything
    cpu.put32(0x48, 0x3'0002);
    cpu.put32(0x3c, 0xffff'ffff & 0x00ff'ffff);  // all that can be written, write-only bits among it
    EXPECT_EQ(cpu.get32(0x00), 0x5501U);
  });
}

TEST_F(RegisterErrors, where_software_tries_what_there_is_writes_without_effect_are_silent) {
  build(HolePolicy::read_zero_write_ignored, false);
  run([&] {
    const nlohmann::json before = state();
    for (const std::uint64_t offset : {0x08, 0x0c, 0x28, 0x34, 0x4c}) {
      RawAccess read{.address = offset, .data = {1, 2, 3, 4}};
      EXPECT_EQ(cpu.transport(read).status, tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(read.data, (std::vector<std::uint8_t>{0, 0, 0, 0}));
      cpu.put32(offset, 0xffff'ffff);
    }
    for (const std::uint64_t offset : {0x08, 0x40}) {
      EXPECT_EQ(cpu.get64(offset), 0U);
      cpu.put64(offset, ~std::uint64_t{0});
    }
    cpu.put32(0x48, ~0U);  // read-only, and reserved
    EXPECT_EQ(state(), before);
    EXPECT_EQ(device->bank.guest_errors(), 0U);
  });
}

TEST_F(RegisterErrors, holes_are_address_errors_where_the_part_aborts) {
  build(HolePolicy::address_error);
  expect_guest_error("soc.pmu", "4-byte", "offset 0x8", "no register");
  expect_guest_error("soc.pmu", "8-byte", "offset 0x8", "no register");
  expect_guest_error("soc.pmu", "4-byte", "offset 0x4c", "no register");
  run([&] {
    expect_refused(0x08, 4, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    expect_refused(0x08, 8, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    expect_refused(0x4c, 4, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(cpu.get32(0x00), 0x5501U);
  });
}

TEST_F(RegisterErrors, byte_enables_are_refused) {
  build(HolePolicy::read_zero_write_ignored);
  expect_guest_error("soc.pmu", "CTRL", "byte enables");
  run([&] {
    const nlohmann::json before = state();
    for (const tlm::tlm_command command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
      RawAccess access{.command = command,
                       .address = 0,
                       .data = {1, 2, 3, 4},
                       .byte_enables = {TLM_BYTE_ENABLED, TLM_BYTE_ENABLED, TLM_BYTE_ENABLED, TLM_BYTE_ENABLED}};
      EXPECT_EQ(cpu.transport(access).status, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
      EXPECT_EQ(access.data, (std::vector<std::uint8_t>{1, 2, 3, 4}));
    }
    EXPECT_EQ(state(), before);
    EXPECT_EQ(device->bank.guest_errors(), 2U);
  });
}

TEST_F(RegisterErrors, a_streaming_width_below_the_length_is_refused) {
  build(HolePolicy::read_zero_write_ignored);
  expect_guest_error("soc.pmu", "HALVES[0]", "streaming width");
  run([&] {
    const nlohmann::json before = state();
    for (const tlm::tlm_command command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
      RawAccess access{
          .command = command, .address = 0x18, .data = std::vector<std::uint8_t>(8, 0xee), .streaming_width = 4};
      EXPECT_EQ(cpu.transport(access).status, tlm::TLM_BURST_ERROR_RESPONSE);
      EXPECT_EQ(access.data, std::vector<std::uint8_t>(8, 0xee));
    }
    EXPECT_EQ(state(), before);
    RawAccess wider{.address = 0x18, .data = std::vector<std::uint8_t>(8), .streaming_width = 16};
    EXPECT_EQ(cpu.transport(wider).status, tlm::TLM_OK_RESPONSE);
  });
}

TEST_F(RegisterErrors, a_command_that_neither_reads_nor_writes_is_refused) {
  build(HolePolicy::read_zero_write_ignored);
  expect_guest_error("soc.pmu", "CTRL", "only reads and writes");
  run([&] {
    const nlohmann::json before = state();
    for (int i = 0; i < 2; ++i) {
      RawAccess access{.command = tlm::TLM_IGNORE_COMMAND, .address = 0, .data = {1, 2, 3, 4}};
      EXPECT_EQ(cpu.transport(access).status, tlm::TLM_COMMAND_ERROR_RESPONSE);
      EXPECT_EQ(access.data, (std::vector<std::uint8_t>{1, 2, 3, 4}));
    }
    EXPECT_EQ(state(), before);
  });
}

TEST_F(RegisterErrors, a_refused_read_leaves_the_data_alone) {
  build(HolePolicy::address_error);
  expect_guest_error("offset 0x8");
  expect_guest_error("offset 0x10");
  run([&] {
    for (const std::uint64_t offset : {0x08, 0x10}) {
      RawAccess access{.address = offset, .data = {1, 2, 3, 4}};
      EXPECT_FALSE(cpu.transport(access).ok());
      EXPECT_EQ(access.data, (std::vector<std::uint8_t>{1, 2, 3, 4}));
    }
  });
}

TEST_F(RegisterErrors, direct_memory_is_never_granted_nor_hinted_at) {
  build(HolePolicy::read_zero_write_ignored);
  run([&] {
    for (std::uint64_t offset = 0; offset < kSize; offset += 4) {
      EXPECT_FALSE(cpu.dmi(offset, tlm::TLM_READ_COMMAND));
      EXPECT_FALSE(cpu.dmi(offset, tlm::TLM_WRITE_COMMAND));
    }
    EXPECT_FALSE(cpu.read32(0).dmi_allowed);
    EXPECT_FALSE(cpu.write32(0, 0).dmi_allowed);
  });
}

TEST_F(RegisterErrors, debug_reads_see_what_software_would_read_without_side_effects) {
  build(HolePolicy::read_zero_write_ignored);
  RegisterBank& bank = device->bank;
  bank.on_read(bank.find("HALVES"), [](unsigned element, Picoseconds when) { return when + element; });
  bank.set_value(bank.find("HIDDEN"), 0x77'7777);
  run([&] {
    testing::advance(500);
    const nlohmann::json before = state();
    std::uint64_t data = 0;
    EXPECT_EQ(cpu.debug_read(0x00, data, 4), 4U);
    EXPECT_EQ(data, 0x5501U);
    EXPECT_EQ(cpu.debug_read(0x20, data, 8), 8U);
    EXPECT_EQ(data, 501U);
    EXPECT_EQ(cpu.debug_read(0x3c, data, 4), 4U);
    EXPECT_EQ(data, 0x77U);
    EXPECT_EQ(state(), before);
    EXPECT_EQ(testing::now(), 500U);
    EXPECT_EQ(hooks, 0U);
  });
}

TEST_F(RegisterErrors, debug_writes_store_the_value_and_call_no_hook) {
  build(HolePolicy::read_zero_write_ignored);
  RegisterBank& bank = device->bank;
  run([&] {
    EXPECT_EQ(cpu.debug_write(0x00, 0xffff'ffff, 4), 4U);
    EXPECT_EQ(bank.value(bank.find("CTRL")), 0xffff'ffffU);
    EXPECT_EQ(cpu.get32(0x00), 0xff01U);  // bits without a field read zero
    EXPECT_EQ(cpu.debug_write(0x20, 0x1122'3344'5566'7788, 8), 8U);
    EXPECT_EQ(bank.value(bank.find("HALVES"), 1), 0x1122'3344'5566'7788U);
    EXPECT_EQ(bank.value(bank.find("HALVES"), 0), 0x1234U);
    EXPECT_EQ(hooks, 0U);
  });
}

TEST_F(RegisterErrors, debug_accesses_that_are_no_whole_register_move_nothing_and_report_nothing) {
  build(HolePolicy::address_error);
  struct Place {
    std::uint64_t offset;
    unsigned length;
  };
  run([&] {
    const nlohmann::json before = state();
    for (const Place place : {Place{0x00, 0},
                              {0x00, 1},
                              {0x00, 2},
                              {0x00, 8},
                              {0x02, 4},
                              {0x10, 4},
                              {0x14, 4},
                              {0x18, 4},
                              {0x1c, 8},
                              {0x08, 4},
                              {0x4c, 8},
                              {kSize, 4},
                              {~std::uint64_t{3}, 4}}) {
      std::uint64_t data = 0;
      EXPECT_EQ(cpu.debug_read(place.offset, data, place.length), 0U) << place.offset << ", " << place.length;
      EXPECT_EQ(cpu.debug_write(place.offset, ~data, place.length), 0U) << place.offset << ", " << place.length;
    }
    EXPECT_EQ(state(), before);
    EXPECT_EQ(device->bank.guest_errors(), 0U);
  });
}

}  // namespace
}  // namespace pmufab::register_error_test
