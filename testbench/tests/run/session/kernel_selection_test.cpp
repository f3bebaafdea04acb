// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/session/kernel_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

std::vector<std::string> chosen(const std::vector<std::string>& selectors) {
  std::vector<driver_host::DriverSet> sets;
  for (const char* version : {"7.1.9", "7.2.13", "7.3.4", "7.10"}) sets.push_back({"x", version});
  std::vector<std::string> result;
  for (const auto& set : select(sets, selectors)) result.push_back(set.kernel_version);
  return result;
}

using driver_host::compare_versions;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DriverSelector, versions_compare_part_by_part) {
  EXPECT_LT(compare_versions("7.2.13", "7.10"), 0);
  EXPECT_GT(compare_versions("7.3.4", "7.3"), 0);
  EXPECT_EQ(compare_versions("7.3", "7.3.0"), 0);
}

TEST(DriverSelector, selects_all_newest_prefixes_and_ranges) {
  EXPECT_THAT(chosen({"all"}), ElementsAre("7.1.9", "7.2.13", "7.3.4", "7.10"));
  EXPECT_THAT(chosen({"newest"}), ElementsAre("7.10"));
  EXPECT_THAT(chosen({"7.1"}), ElementsAre("7.1.9"));  // not 7.10
  EXPECT_THAT(chosen({">=7.2 <7.10"}), ElementsAre("7.2.13", "7.3.4"));
  EXPECT_THAT(chosen({"<=7.2"}), ElementsAre("7.1.9", "7.2.13"));
  EXPECT_THAT(chosen({"7.1", "7.3"}), ElementsAre("7.1.9", "7.3.4"));
  EXPECT_THAT(chosen({"8"}), IsEmpty());
}

TEST(DriverSelector, other_words_are_no_selectors) {
  EXPECT_TRUE(is_selector(">=7.2"));
  EXPECT_TRUE(is_selector("7.3-rc1"));
  for (const char* text : {"", "latest", ">=", "7.2 >x", "=>7"}) EXPECT_FALSE(is_selector(text)) << text;
}

TEST(DriverSets, a_folder_that_is_not_there_says_how_to_make_one) {
  try {
    static_cast<void>(read_driver_folder("no/such/folder"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("pmufab driver fetch"));
  }
}

}  // namespace
}  // namespace pmufab::scenario
