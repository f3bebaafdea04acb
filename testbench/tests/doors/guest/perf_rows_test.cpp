// SPDX-License-Identifier: Apache-2.0
// The rows that perf 7.3 has printed for events, on a machine with these PMUs.

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/doors/guest/perf/perf_rows.h"

namespace pmufab::guest {
namespace {

using ::testing::ElementsAre;

perf::Pmu pmu(const char* name) {
  return {name, 8, {{"events/cycles", "event=0x1\n"}, {"format/event", "config:0-15\n"}}};
}

perf::Pmu with_reads(perf::Pmu pmu) {
  pmu.files.emplace_back("events/reads", "event=0x2\n");
  return pmu;
}

class PerfRows : public ::testing::Test {
 protected:
  /// "row = event + event", in perf's order
  std::vector<std::string> rows(const std::string& text, bool merges = true) const {
    std::vector<std::string> result;
    for (const PerfRow& row : perf_rows(parse_perf_events(text).at(0).events.at(0), catalog, merges)) {
      std::string line = row.text + " =";
      for (const std::string& event : row.events) line += " " + event;
      result.push_back(line);
    }
    return result;
  }

  perf::PmuCatalog catalog{{with_reads(pmu("ucf_pmu_0")), with_reads(pmu("ucf_pmu_1")), pmu("pcie_pmu_0_rc_2"),
                            pmu("pcie_pmu_0_rc_10"), pmu("pcie_pmu_1_rc_0"), pmu("cxl_pmu_mem0.0"), pmu("ucf")}};
};

TEST(PerfEvents, may_stand_without_a_pmu) {
  const auto groups = parse_perf_events("cycles:u, {reads,ucf_pmu_0/event=1,name=a/k,task-clock:u}:W,*/x/");
  ASSERT_EQ(groups.size(), 3U);
  const perf::WrittenEvent& alone = groups[0].events.at(0);
  EXPECT_EQ(alone.pmu, "");
  EXPECT_EQ(alone.terms.at(0).name, "cycles");
  EXPECT_EQ(alone.text, "cycles:u");
  EXPECT_EQ(alone.modifiers, "u");
  ASSERT_EQ(groups[1].events.size(), 3U);
  EXPECT_EQ(groups[1].events[0].text, "reads");
  EXPECT_EQ(groups[1].events[0].modifiers, "W");
  EXPECT_EQ(groups[1].events[1].text, "ucf_pmu_0/event=1,name=a/k");
  EXPECT_EQ(groups[1].events[2].text, "task-clock");
  EXPECT_EQ(groups[1].events[2].modifiers, "uW");
  EXPECT_EQ(groups[2].events.at(0).pmu, "*");
  for (const char* const text : {"", "{cycles", "cycles}", "cycles,", "p/x", "a b"})
    EXPECT_THROW(static_cast<void>(parse_perf_events(text)), perf::EventError) << text;
}

TEST_F(PerfRows, are_one_for_a_pmu_by_its_whole_name) {
  EXPECT_THAT(rows("ucf_pmu_1/cycles/"), ElementsAre("ucf_pmu_1/cycles/ = ucf_pmu_1/cycles/"));
  EXPECT_THAT(rows("ucf/cycles/"), ElementsAre("ucf/cycles/ = ucf/cycles/"));
  EXPECT_THAT(rows("cxl_pmu_mem0.0/event=2/u"), ElementsAre("cxl_pmu_mem0.0/event=2/u = cxl_pmu_mem0.0/event=2/"));
}

TEST_F(PerfRows, sum_pmus_whose_names_differ_in_the_last_number) {
  EXPECT_THAT(rows("ucf_pmu/cycles/"), ElementsAre("ucf_pmu/cycles/ = ucf_pmu_0/cycles/ ucf_pmu_1/cycles/"));
  EXPECT_THAT(rows("ucf_pmu_*/event=2/"), ElementsAre("ucf_pmu_*/event=2/ = ucf_pmu_0/event=2/ ucf_pmu_1/event=2/"));
  EXPECT_THAT(rows("pcie_pmu_0_rc/cycles/"),
              ElementsAre("pcie_pmu_0_rc/cycles/ = pcie_pmu_0_rc_2/cycles/ pcie_pmu_0_rc_10/cycles/"));
  EXPECT_THAT(rows("reads"), ElementsAre("reads = ucf_pmu_0/reads/ ucf_pmu_1/reads/"));
  EXPECT_THAT(rows("*/reads/"), ElementsAre("*/reads/ = ucf_pmu_0/reads/ ucf_pmu_1/reads/")) << "which have it";
}

TEST_F(PerfRows, have_a_pmu_in_their_names_where_there_are_several) {
  EXPECT_THAT(rows("*pmu_*/cycles/"),
              ElementsAre("cxl_pmu_mem0.0/*pmu_*,cycles/ = cxl_pmu_mem0.0/cycles/",
                          "pcie_pmu_0_rc_2/*pmu_*,cycles/ = pcie_pmu_0_rc_2/cycles/ pcie_pmu_0_rc_10/cycles/",
                          "pcie_pmu_1_rc_0/*pmu_*,cycles/ = pcie_pmu_1_rc_0/cycles/",
                          "ucf_pmu_0/*pmu_*,cycles/ = ucf_pmu_0/cycles/ ucf_pmu_1/cycles/"));
  EXPECT_THAT(rows("cycles"),
              ElementsAre("cxl_pmu_mem0.0/cycles/ = cxl_pmu_mem0.0/cycles/",
                          "pcie_pmu_0_rc_2/cycles/ = pcie_pmu_0_rc_2/cycles/ pcie_pmu_0_rc_10/cycles/",
                          "pcie_pmu_1_rc_0/cycles/ = pcie_pmu_1_rc_0/cycles/", "ucf/cycles/ = ucf/cycles/",
                          "ucf_pmu_0/cycles/ = ucf_pmu_0/cycles/ ucf_pmu_1/cycles/"));
  const perf::PmuCatalog one{{pmu("ucf_pmu_0")}};
  const perf::WrittenEvent event = parse_perf_events("cycles").at(0).events.at(0);
  EXPECT_EQ(perf_rows(event, one, true).at(0).text, "ucf_pmu_0/cycles/") << "the CPUs' row has the name alone";
}

TEST_F(PerfRows, are_one_for_each_pmu_without_sums) {
  EXPECT_THAT(rows("ucf_pmu/cycles/", false),
              ElementsAre("ucf_pmu_0/cycles/ = ucf_pmu_0/cycles/", "ucf_pmu_1/cycles/ = ucf_pmu_1/cycles/"));
  EXPECT_THAT(rows("reads", false),
              ElementsAre("ucf_pmu_0/reads/ = ucf_pmu_0/reads/", "ucf_pmu_1/reads/ = ucf_pmu_1/reads/"));
}

TEST_F(PerfRows, are_called_as_the_user_wants) {
  EXPECT_THAT(rows("ucf_pmu/cycles,name=my.name/"),
              ElementsAre("my.name = ucf_pmu_0/cycles,name=my.name/ ucf_pmu_1/cycles,name=my.name/"));
}

TEST_F(PerfRows, are_none_of_what_no_pmu_has) {
  for (const char* const text :
       {"nothing", "ucf_pmu/nothing/", "ucf_pm/cycles/", "cxl_pmu_mem/cycles/", "pcie_pmu_0/cycles/"})
    EXPECT_THROW(rows(text), perf::EventError) << text;
}

}  // namespace
}  // namespace pmufab::guest
