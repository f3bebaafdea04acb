// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/kernel_log.h"

#include <algorithm>
#include <iterator>
#include <string>

#include <gmock/gmock.h>

namespace pmufab::driver_host {
namespace {

using ::testing::Contains;
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

/// A verdict must not depend on what else a driver prints.
TEST(KernelLog, of_a_flood_keeps_failed_probes_and_errors_wherever_they_stand) {
  const std::string probe = "pmu0: probe with driver pmu failed with error -12";
  KernelLog log(kRoom);
  const auto flood = [&](int level) {
    for (int i = 0; i < 100'000; ++i) log.add(level, "flood");
  };
  flood(kLevel);
  log.add(3, "an error");
  flood(kLevel);
  log.add(3, probe);
  flood(kLevel);
  const auto mark = std::find_if(log.lines().begin(), log.lines().end(),
                                 [](const std::string& line) { return line.starts_with("<4>[...] "); });
  ASSERT_NE(mark, log.lines().end());
  EXPECT_EQ(std::stoull(mark->substr(9)), 300'002U - (log.lines().size() - 1));
  // They follow the mark in their order.
  EXPECT_EQ(*std::next(mark), "<3>an error");
  EXPECT_EQ(*std::next(mark, 2), "<3>" + probe);
}

TEST(KernelLog, of_a_flood_of_errors_keeps_a_failed_probe_and_does_not_grow) {
  const std::string probe = "pmu0: probe with driver pmu failed with error -12";
  KernelLog log(kRoom);
  const auto flood = [&] {
    for (int i = 0; i < 100'000; ++i) log.add(3, "flood");
  };
  flood();
  log.add(3, probe);
  flood();
  EXPECT_THAT(log.lines(), Contains("<3>" + probe));
  EXPECT_LT(log.lines().size(), kRoom / 8);
  for (int i = 0; i < 100'000; ++i) log.add(3, probe);
  EXPECT_LT(log.lines().size(), kRoom / 8);
}

}  // namespace
}  // namespace pmufab::driver_host
