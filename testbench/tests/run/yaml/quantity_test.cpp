// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/yaml/quantity.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmufab::scenario {
namespace {

using ::testing::HasSubstr;

std::string why_not(std::string_view text, Quantity quantity) {
  try {
    static_cast<void>(parse_quantity(text, quantity));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Quantity, numbers_are_decimal_or_hexadecimal_with_separators) {
  EXPECT_EQ(parse_quantity("0", Quantity::count), 0U);
  EXPECT_EQ(parse_quantity("1_000_000", Quantity::count), 1'000'000U);
  EXPECT_EQ(parse_quantity("0x1F", Quantity::count), 31U);
  EXPECT_EQ(parse_quantity("18446744073709551615", Quantity::count), ~std::uint64_t{0});
}

TEST(Quantity, units_scale_to_the_base_unit_and_decimals_stay_exact) {
  EXPECT_EQ(parse_quantity("2.4 GHz", Quantity::frequency), 2'400'000'000U);
  EXPECT_EQ(parse_quantity("2.4GHz", Quantity::frequency), 2'400'000'000U);
  EXPECT_EQ(parse_quantity("1000", Quantity::frequency), 1'000U);
  EXPECT_EQ(parse_quantity("64 MiB", Quantity::bytes), std::uint64_t{64} << 20);
  EXPECT_EQ(parse_quantity("1.5 KiB", Quantity::bytes), 1536U);
  EXPECT_EQ(parse_quantity("3 MB", Quantity::bytes), 3'000'000U);
  EXPECT_EQ(parse_quantity("50 us", Quantity::duration), 50'000'000U);
  EXPECT_EQ(parse_quantity("1.12 ns", Quantity::duration), 1'120U);
  EXPECT_EQ(parse_quantity("0", Quantity::duration), 0U);
  EXPECT_EQ(parse_quantity("1 h", Quantity::duration), 3'600'000'000'000'000U);
}

TEST(Quantity, what_is_not_a_number_says_why) {
  EXPECT_EQ(why_not("", Quantity::count), "is not a number");
  EXPECT_EQ(why_not("many", Quantity::count), "is not a number");
  EXPECT_EQ(why_not("-1", Quantity::count), "is negative");
  EXPECT_EQ(why_not("3.5", Quantity::count), "is not a whole number of the smallest unit");
  EXPECT_EQ(why_not("8 apples", Quantity::count), "is not a whole number");
  EXPECT_EQ(why_not("0.5 ps", Quantity::duration), "is not a whole number of the smallest unit");
  EXPECT_EQ(why_not("50", Quantity::duration), "has no unit");
  EXPECT_EQ(why_not("18446744073709551616", Quantity::count), "does not fit into 64 bits");
  EXPECT_EQ(why_not("99999999 PiB", Quantity::bytes), "does not fit into 64 bits");
  EXPECT_THAT(why_not("50 mus", Quantity::duration), HasSubstr("unknown unit 'mus'; units are"));
}

TEST(Quantity, formatting_uses_the_largest_unit_without_decimals_and_reads_back) {
  EXPECT_EQ(format_quantity(2'400'000'000, Quantity::frequency), "2400 MHz");
  EXPECT_EQ(format_quantity(std::uint64_t{64} << 20, Quantity::bytes), "64 MiB");
  EXPECT_EQ(format_quantity(1'120, Quantity::duration), "1120 ps");
  EXPECT_EQ(format_quantity(0, Quantity::duration), "0");
  for (const std::uint64_t value : {std::uint64_t{1}, std::uint64_t{1023}, std::uint64_t{1'000'000'000'000}}) {
    for (const Quantity quantity : {Quantity::count, Quantity::frequency, Quantity::bytes, Quantity::duration})
      EXPECT_EQ(parse_quantity(format_quantity(value, quantity), quantity), value);
  }
}

}  // namespace
}  // namespace pmufab::scenario
