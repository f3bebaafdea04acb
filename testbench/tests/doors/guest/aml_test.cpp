// SPDX-License-Identifier: Apache-2.0
// Compares encodings with the specification (ACPI 6.5, chapters 6.4, 19 and 20) and with bytes of QEMU's own DSDT.
#include <string>

#include <gtest/gtest.h>

#include "testbench/doors/guest/acpi/aml.h"

namespace pmufab::testing {
namespace {

namespace aml = guest::aml;

TEST(Aml, integers_take_the_shortest_form) {
  EXPECT_EQ(aml::integer(0), std::string(1, '\0'));
  EXPECT_EQ(aml::integer(1), "\x01");
  EXPECT_EQ(aml::integer(2), "\x0a\x02");
  EXPECT_EQ(aml::integer(0xff), "\x0a\xff");
  EXPECT_EQ(aml::integer(0x100), std::string("\x0b\x00\x01", 3));
  EXPECT_EQ(aml::integer(0x1'0000), std::string("\x0c\x00\x00\x01\x00", 5));
  EXPECT_EQ(aml::integer(0x1'0000'0000), std::string("\x0e\x00\x00\x00\x00\x01\x00\x00\x00", 9));
}

// The length counts from its own first byte to the end.
TEST(Aml, package_lengths_grow_with_what_they_count) {
  const auto encoded = [](std::size_t bytes) { return aml::scope("ABCD", {std::string(bytes - 4, 'x')}); };
  EXPECT_EQ(encoded(62).substr(0, 3), "\x10\x3f\x41");
  EXPECT_EQ(encoded(63).substr(0, 4), "\x10\x41\x04\x41");  // 65 = 1 + 4 * 16
  EXPECT_EQ(encoded(0xffd).substr(0, 4), "\x10\x4f\xff\x41");
  EXPECT_EQ(encoded(0xffe).substr(0, 5), std::string("\x10\x81\x00\x01\x41", 5));  // 0x1001
  EXPECT_EQ(encoded(0xf'fffc).substr(0, 5), "\x10\x8f\xff\xff\x41");
  EXPECT_EQ(encoded(0xf'fffd).substr(0, 6), std::string("\x10\xc1\x00\x00\x01\x41", 6));
}

TEST(Aml, identifiers_are_compressed_as_the_specification_says) {
  EXPECT_EQ(aml::eisa_id("PNP0A08"), "\x0c\x41\xd0\x0a\x08");
  EXPECT_EQ(aml::eisa_id("PNP0C02"), "\x0c\x41\xd0\x0c\x02");
  EXPECT_EQ(aml::uuid("33db4d5b-1ff7-401c-9657-7441c03dd766"),
            "\x11\x13\x0a\x10\x5b\x4d\xdb\x33\xf7\x1f\x1c\x40\x96\x57\x74\x41\xc0\x3d\xd7\x66");
}

TEST(Aml, resource_descriptors_equal_qemus) {
  // PCI0's _CRS and L000's in the DSDT of QEMU 11.1.3.
  EXPECT_EQ(aml::bus_numbers(0, 255),
            std::string("\x88\x0d\x00\x02\x0c\x00\x00\x00\x00\x00\xff\x00\x00\x00\x00\x01", 16));
  EXPECT_EQ(aml::memory_range(0x80'0000'0000, 0x80'0000'0000, aml::Use::producer),
            std::string("\x8a\x2b\x00\x00\x0c\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00"
                        "\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00"
                        "\x00\x00",
                        46));
  EXPECT_EQ(aml::interrupt(0x23, false), std::string("\x89\x06\x00\x01\x01\x23\x00\x00\x00", 9));
  EXPECT_EQ(aml::interrupt(0x90, true), std::string("\x89\x06\x00\x03\x01\x90\x00\x00\x00", 9));
  EXPECT_EQ(aml::resources(""), std::string("\x11\x05\x0a\x02\x79\x00", 6));
}

TEST(Aml, a_package_holds_at_most_255_elements) {
  EXPECT_EQ(aml::package({aml::integer(1), aml::integer(0)}), std::string("\x12\x04\x02\x01\x00", 5));
  EXPECT_NO_THROW(static_cast<void>(aml::package(std::vector<aml::Term>(255, aml::integer(0)))));
  EXPECT_THROW(static_cast<void>(aml::package(std::vector<aml::Term>(256, aml::integer(0)))), std::length_error);
}

}  // namespace
}  // namespace pmufab::testing
