// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/run/session/machine.h"

namespace pmufab::scenario {
namespace {

using ::testing::Contains;
using ::testing::SizeIs;

TEST(Reports, many_messages_of_one_kind_leave_room_for_the_others) {
  Reports reports;
  for (unsigned i = 0; i < 100; ++i) reports.add("pmu/reserved", std::to_string(i));
  reports.add("bus/no_device", "at 0x10");
  EXPECT_THAT(reports.list(), SizeIs(21));
  EXPECT_EQ(reports.list().front(), "pmu/reserved: 0");
  EXPECT_THAT(reports.list(), Contains("bus/no_device: at 0x10"));
}

}  // namespace
}  // namespace pmufab::scenario
