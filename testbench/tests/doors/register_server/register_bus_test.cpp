// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/register_server/register_bus.h"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace pmufab::register_server {
namespace {

using ::testing::ElementsAre;

/// A bus that says what came: "r4@10" is a read of 4 bytes at 0x10. A register of 8 bytes begins at 0x20; nothing is
/// from 0x40 on.
class RegisterBusTest : public ::testing::Test {
 protected:
  RegisterBus bus{[this](std::uint64_t address, unsigned length, bool is_write, std::uint64_t& value) {
                    accesses.push_back(fmt::format("{}{}@{:x}", is_write ? 'w' : 'r', length, address));
                    if (is_write) {
                      written.push_back(value);
                    } else {
                      value = 0x8877'6655'4433'2211;
                    }
                    return address < 0x40;
                  },
                  [](std::uint64_t address) { return address == 0x20; }};
  std::vector<std::string> accesses;
  std::vector<std::uint64_t> written;
  std::array<std::uint8_t, 64> bytes{};

  std::size_t read(std::uint64_t address, std::size_t size) { return bus.read(address, {bytes.data(), size}); }
};

TEST_F(RegisterBusTest, aligned_accesses_of_1_2_4_and_8_bytes_are_one_access_of_the_bus) {
  for (const std::size_t size : {1U, 2U, 4U, 8U}) EXPECT_EQ(read(0x10, size), size);
  EXPECT_THAT(accesses, ElementsAre("r1@10", "r2@10", "r4@10", "r8@10"));
  EXPECT_THAT(std::vector(bytes.begin(), bytes.begin() + 8),
              ElementsAre(0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88));
}

TEST_F(RegisterBusTest, longer_ones_are_taken_apart_into_registers) {
  EXPECT_EQ(read(0x18, 20), 20U);
  EXPECT_THAT(accesses, ElementsAre("r4@18", "r4@1c", "r8@20", "r4@28"));
}

TEST_F(RegisterBusTest, unaligned_ones_are_taken_apart_into_aligned_ones) {
  EXPECT_EQ(read(0x11, 8), 8U);
  EXPECT_THAT(accesses, ElementsAre("r1@11", "r2@12", "r4@14", "r1@18"));
}

TEST_F(RegisterBusTest, what_lies_before_the_first_refused_part_is_done) {
  EXPECT_EQ(read(0x3c, 12), 4U);
  EXPECT_THAT(accesses, ElementsAre("r4@3c", "r4@40"));
  EXPECT_EQ(read(0x40, 4), 0U);
}

TEST_F(RegisterBusTest, nothing_follows_the_last_address) {
  RegisterBus everywhere(
      [this](std::uint64_t address, unsigned length, bool, std::uint64_t&) {
        accesses.push_back(fmt::format("{}@{:x}", length, address));
        return true;
      },
      [](std::uint64_t) { return false; });
  EXPECT_EQ(everywhere.read(0xffff'ffff'ffff'fff8, {bytes.data(), 12}), 8U);
  EXPECT_THAT(accesses, ElementsAre("4@fffffffffffffff8", "4@fffffffffffffffc"));
}

TEST_F(RegisterBusTest, writes_go_the_same_way) {
  bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(bus.write(0x20, {bytes.data(), 9}), 9U);
  EXPECT_THAT(accesses, ElementsAre("w8@20", "w1@28"));
  EXPECT_THAT(written, ElementsAre(0x0807'0605'0403'0201, 9));
}

}  // namespace
}  // namespace pmufab::register_server
