// SPDX-License-Identifier: Apache-2.0
// Layouts that layout_is_valid() accepts and refuses. All checks are at compile time: compiling this file is the test.

#include <malloc.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "tlm/registers/register_bank.h"
#include "tlm/registers/register_spec.h"

namespace pmufab::register_layout_test {
namespace {

constexpr bool valid(std::initializer_list<RegisterSpec> registers, std::size_t size) {
  return layout_is_valid({registers.begin(), registers.size()}, size);
}

constexpr FieldSpec kWhole32[] = {{"VALUE", 0, 32, Access::rw}};
constexpr FieldSpec kWhole64[] = {{"VALUE", 0, 64, Access::rw, 0xffff'ffff'ffff'ffff}};

// Widths, alignment, size of the window.
static_assert(valid({}, 0));
static_assert(valid({{"A", 0, 32, kWhole32}}, 4));
static_assert(!valid({{"A", 0, 32, kWhole32}}, 3));
static_assert(valid({{"A", 0x10, 64, kWhole64}}, 0x18));
static_assert(!valid({{"A", 0x10, 64, kWhole64}}, 0x17));
static_assert(!valid({{"A", 0x10, 64, kWhole64}}, 0x10));
static_assert(!valid({{"A", 0, 16, {}}}, 0x10));
static_assert(!valid({{"A", 0, 0, {}}}, 0x10));
static_assert(!valid({{"A", 0, 48, {}}}, 0x10));
static_assert(!valid({{"A", 2, 32, kWhole32}}, 0x10));
static_assert(!valid({{"A", 4, 64, kWhole64}}, 0x10));
static_assert(valid({{.name = "A", .offset = 4, .width = 64, .fields = kWhole64, .halves = true}}, 0x10));
static_assert(!valid({{"A", 0xffff'fffc, 64, {}}}, 0x1'0000'0000));

// Names.
static_assert(!valid({{"", 0, 32, kWhole32}}, 4));
static_assert(!valid({{"A", 0, 32, kWhole32}, {"A", 4, 32, kWhole32}}, 8));

// Arrays.
static_assert(valid({{.name = "A", .offset = 0, .width = 32, .fields = kWhole32, .count = 4, .stride = 4}}, 16));
static_assert(!valid({{.name = "A", .offset = 0, .width = 32, .fields = kWhole32, .count = 4, .stride = 4}}, 15));
static_assert(!valid({{.name = "A", .offset = 0, .width = 32, .fields = kWhole32, .count = 0}}, 16));
static_assert(!valid({{.name = "A", .offset = 0, .width = 32, .fields = kWhole32, .count = 2, .stride = 0}}, 16));
static_assert(!valid({{.name = "A", .offset = 0, .width = 32, .fields = kWhole32, .count = 2, .stride = 6}}, 16));
static_assert(!valid({{.name = "A", .offset = 0, .width = 64, .fields = kWhole64, .count = 2, .stride = 4}}, 32));
static_assert(!valid({{.name = "A", .offset = 0, .width = 64, .fields = kWhole64, .count = 2, .stride = 12}}, 32));
static_assert(
    valid({{.name = "A", .offset = 0, .width = 64, .fields = kWhole64, .count = 2, .stride = 12, .halves = true}}, 32));

// Overlap.
static_assert(valid({{"A", 0, 32, {}}, {"B", 4, 32, {}}}, 8));
static_assert(!valid({{"A", 0, 32, {}}, {"B", 0, 32, {}}}, 8));
static_assert(!valid({{"A", 0, 64, {}}, {"B", 4, 32, {}}}, 8));
static_assert(!valid({{"B", 4, 32, {}}, {"A", 0, 64, {}}}, 8));
static_assert(valid({{"A", 8, 64, {}}, {"B", 4, 32, {}}}, 16));
constexpr RegisterSpec array(std::string_view name, std::uint32_t offset, std::uint8_t width, std::uint16_t count,
                             std::uint16_t stride) {
  return {.name = name, .offset = offset, .width = width, .fields = {}, .count = count, .stride = stride};
}
static_assert(valid({array("A", 0, 64, 64, 16), array("B", 8, 64, 64, 16)}, 0x400));  // interleaved
static_assert(valid({array("B", 8, 64, 64, 16), array("A", 0, 64, 64, 16)}, 0x400));
static_assert(valid({array("A", 0, 32, 8, 16), array("B", 4, 32, 8, 16), array("C", 8, 64, 8, 16)}, 0x80));
static_assert(!valid({array("A", 0, 64, 64, 16), array("B", 4, 32, 64, 16)}, 0x400));
static_assert(!valid({array("A", 0, 32, 100, 8), array("B", 4, 32, 100, 12)}, 0x1000));  // meet at 0x10
static_assert(!valid({array("A", 0, 32, 9, 16), {"B", 0x80, 32, {}}}, 0x100));           // the last element
static_assert(valid({array("A", 0, 32, 8, 16), {"B", 0x80, 32, {}}}, 0x100));
static_assert(!valid({{"B", 0x70, 32, {}}, array("A", 0, 32, 8, 16)}, 0x100));
static_assert(valid({{"B", 0x74, 32, {}}, array("A", 0, 32, 8, 16)}, 0x100));
static_assert(valid({array("A", 0, 32, 1024, 8), array("B", 4, 32, 1024, 8)}, 0x2000));  // large ones, too

// Fields.
constexpr bool fields_valid(std::initializer_list<FieldSpec> fields, std::uint8_t width) {
  return valid({{"A", 0, width, {fields.begin(), fields.size()}}}, 8);
}
static_assert(fields_valid({{"A", 0, 16, Access::rw}, {"B", 16, 16, Access::ro}}, 32));
static_assert(!fields_valid({{"A", 0, 17, Access::rw}, {"B", 16, 16, Access::ro}}, 32));
static_assert(!fields_valid({{"A", 31, 2, Access::rw}}, 32));
static_assert(fields_valid({{"A", 31, 2, Access::rw}}, 64));
static_assert(!fields_valid({{"A", 0, 0, Access::rw}}, 32));
static_assert(!fields_valid({{"A", 0, 33, Access::rw}}, 32));
static_assert(fields_valid({{"A", 63, 1, Access::rw, 1}}, 64));
static_assert(!fields_valid({{"A", 64, 1, Access::rw}}, 64));
static_assert(!fields_valid({{"A", 4, 2, Access::rw, 4}}, 32));  // reset does not fit
static_assert(fields_valid({{"A", 4, 2, Access::rw, 3}}, 32));
static_assert(!fields_valid({{"A", 0, 64, Access::rw}, {"B", 0, 1, Access::rw}}, 64));

// The same checks at run time, for tables made there.
TEST(RegisterLayout, a_bank_refuses_a_layout_that_is_not_valid_and_names_itself) {
  static constexpr std::array<RegisterSpec, 2> kOverlapping = {{{"A", 0, 64, {}}, {"B", 4, 32, {}}}};
  try {
    RegisterBank bank({.name = "soc.pmu", .size = 0x100}, kOverlapping);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("soc.pmu"), std::string::npos);
  }
}

/// One access with the address counted from the start of the window.
std::uint64_t access(RegisterBank& bank, tlm::tlm_command command, std::uint64_t offset, unsigned length,
                     std::uint64_t value = 0) {
  tlm::tlm_generic_payload payload;
  sc_core::sc_time delay;
  payload.set_command(command);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  bank.b_transport(payload, delay);
  EXPECT_TRUE(payload.is_response_ok()) << std::hex << offset;
  return value;
}

TEST(RegisterLayout, registers_far_apart_and_across_any_boundary_keep_their_places) {
  static constexpr std::array<RegisterSpec, 4> kSparse = {
      {{.name = "FIRST", .offset = 0, .width = 32, .fields = kWhole32},
       {.name = "ACROSS", .offset = 0xfc, .width = 64, .fields = kWhole64, .halves = true},
       {.name = "FAR", .offset = 0x2000, .width = 64, .fields = kWhole64, .count = 3, .stride = 0x1000},
       {.name = "LAST", .offset = 0x3ff'fffc, .width = 32, .fields = kWhole32}}};
  RegisterBank bank({.name = "mesh", .size = 0x400'0000}, kSparse);
  constexpr std::uint64_t kPlaces[] = {0, 0xfc, 0x100, 0x2000, 0x3000, 0x4000, 0x3ff'fffc};
  for (const std::uint64_t offset : kPlaces) {
    const unsigned length = offset >= 0x2000 && offset <= 0x4000 ? 8 : 4;
    access(bank, tlm::TLM_WRITE_COMMAND, offset, length, 0x1000 + offset);
  }
  for (const std::uint64_t offset : kPlaces) {
    const unsigned length = offset >= 0x2000 && offset <= 0x4000 ? 8 : 4;
    EXPECT_EQ(access(bank, tlm::TLM_READ_COMMAND, offset, length), 0x1000 + offset);
  }
  EXPECT_EQ(access(bank, tlm::TLM_READ_COMMAND, 0x104, 4), 0U);
  EXPECT_EQ(access(bank, tlm::TLM_READ_COMMAND, 0x1ff'0000, 8), 0U);
  EXPECT_EQ(bank.guest_errors(), 0U);
}

TEST(RegisterLayout, a_bank_takes_memory_for_its_registers_and_not_for_its_window) {
  // A mesh has a thousand nodes with a window of 64 KiB each.
  static constexpr std::array<RegisterSpec, 3> kNode = {
      {{"NODE_INFO", 0, 64, kWhole64}, {"CHILD_INFO", 0x80, 64, kWhole64}, {"PMU_EVENT_SEL", 0x2000, 64, kWhole64}}};
  constexpr std::size_t kBanks = 100;
  const std::size_t before = mallinfo2().uordblks;
  std::vector<std::unique_ptr<RegisterBank>> banks;
  for (std::size_t i = 0; i < kBanks; ++i) {
    banks.push_back(std::make_unique<RegisterBank>(RegisterBank::Options{.name = "node", .size = 0x1'0000}, kNode));
  }
  const std::size_t taken = mallinfo2().uordblks - before;
  if (taken == 0) GTEST_SKIP() << "a sanitizer's allocator does not tell";
  EXPECT_LT(taken / kBanks, 8192U);
}

}  // namespace
}  // namespace pmufab::register_layout_test
