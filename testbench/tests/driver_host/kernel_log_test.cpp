// SPDX-License-Identifier: Apache-2.0
#include "testbench/driver_host/kernel_log.h"

#include <string>

#include <gmock/gmock.h>

namespace pmufab::driver_host {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kRoom = 1U << 16;
constexpr int kLevel = 6;

TEST(KernelLog, of_a_few_lines_is_kept_whole) {
  KernelLog log(kRoom);
  log.add(kLevel, "a");
  log.add(4, "b");
  log.add(kLevel, "c");
  EXPECT_THAT(log.lines(), ElementsAre("<6>a", "<4>b", "<6>c"));
}

TEST(KernelLog, of_a_flood_is_its_beginning_its_end_and_the_number_of_lines_between) {
  constexpr std::uint64_t kLines = 1'000'000;
  KernelLog log(kRoom);
  for (std::uint64_t i = 0; i < kLines; ++i) log.add(kLevel, std::to_string(i));
  EXPECT_LT(log.lines().size(), kRoom / 16);
  EXPECT_EQ(log.lines().front(), "<6>0");
  EXPECT_EQ(log.lines().back(), "<6>999999");
  std::size_t marks = 0;
  std::uint64_t next = 0;
  for (const std::string& line : log.lines()) {
    if (!line.starts_with("<4>[...] ")) {
      EXPECT_EQ(line, "<6>" + std::to_string(next++));
      continue;
    }
    ++marks;
    const std::uint64_t left_out = std::stoull(line.substr(9));
    EXPECT_EQ(left_out, kLines - (log.lines().size() - 1));
    next += left_out;
  }
  EXPECT_EQ(marks, 1U);
}

}  // namespace
}  // namespace pmufab::driver_host
