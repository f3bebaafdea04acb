// SPDX-License-Identifier: Apache-2.0
// The meaning of PCIE event texts in the kernel's document, and the judge's explanations of wrong counts.
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/tegra410/judge/pcie/pcie_judge.h"
#include "testbench/fabrics/tegra410/judge/pcie/pcie_meaning.h"
#include "testbench/fabrics/tegra410/judge/pcie/pcie_requests.h"

namespace pmufab::scoreboard::pcie_meaning_test {
namespace {

using Kind = PcieMeaning::Kind;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(PcieMeaning, names_and_numbers_are_the_documents) {
  const char* const names[] = {"rd_bytes", "wr_bytes", "rd_req", "wr_req", "rd_cum_outs"};
  for (std::uint64_t number = 0; number < 5; ++number) {
    for (const EventTerms& terms :
         {EventTerms{{names[number]}}, EventTerms{{"event", number}}, EventTerms{{"config", number}}}) {
      const PcieMeaning meaning = pcie_meaning(terms);
      EXPECT_EQ(meaning.kind, Kind::traffic);
      EXPECT_EQ(meaning.event, static_cast<PcieEvent>(number));
      EXPECT_EQ(meaning.source.root_ports, 0xffU);
      EXPECT_FALSE(meaning.source.bdf.has_value());
      EXPECT_EQ(meaning.destinations, 0x1fU);
      EXPECT_EQ(meaning.text, std::string(names[number]) + ", all root ports -> all");
    }
  }
  EXPECT_EQ(pcie_meaning({{"cycles"}}).kind, Kind::cycles);
  EXPECT_EQ(pcie_meaning({{"event", 0x1'0000'0000}}).kind, Kind::cycles);
  EXPECT_EQ(pcie_meaning({{"event", 5}}).kind, Kind::nothing);
}

TEST(PcieMeaning, filters_name_root_ports_one_device_and_destinations) {
  const PcieMeaning ports = pcie_meaning({{"rd_req"}, {"src_rp_mask", 0x3}, {"dst_loc_cmem", 1}, {"dst_rem"}});
  EXPECT_EQ(ports.source.root_ports, 0x3U);
  EXPECT_EQ(ports.destinations, 0x11U);
  EXPECT_TRUE(ports.source.holds(1, 0x1234));
  EXPECT_FALSE(ports.source.holds(2, 0x1234));
  EXPECT_EQ(ports.text, "rd_req, root ports 0b11 -> loc_cmem+rem");
  const PcieMeaning device = pcie_meaning({{"event", 4}, {"src_bdf", 0x2781}, {"src_bdf_en", 1}});
  EXPECT_EQ(device.source.bdf, 0x2781);
  EXPECT_TRUE(device.source.holds(7, 0x2781));
  EXPECT_FALSE(device.source.holds(7, 0x2780));
  EXPECT_EQ(device.text, "rd_cum_outs, device 27:10.1 -> all");
  EXPECT_EQ(pcie_meaning({{"rd_req"}, {"config1", 0x1278100}}).source.bdf, 0x2781);
  EXPECT_EQ(pcie_meaning({{"rd_req"}, {"config2", 0x6}}).destinations, 0x6U);
  // A requester id that is not enabled leaves no source.
  EXPECT_EQ(pcie_meaning({{"rd_req"}, {"src_bdf", 0x2781}}).source.root_ports, 0U);
  EXPECT_EQ(pcie_meaning({{"rd_req"}, {"src_bdf", 1}, {"src_bdf_en", 1}, {"src_rp_mask", 1}}).kind, Kind::nothing);
}

// contract C19
TEST(PcieMeaning, a_member_without_a_source_takes_its_leaders_device_and_nothing_else) {
  const EventTerms of_device = {{"rd_req"}, {"src_bdf", 0x0180}, {"src_bdf_en", 1}, {"dst_rem", 1}};
  const PcieMeaning member = pcie_meaning({{"wr_bytes"}, {"dst_loc_gmem", 1}}, &of_device);
  EXPECT_EQ(member.source.bdf, 0x0180);
  EXPECT_EQ(member.destinations, 0x2U);
  EXPECT_EQ(pcie_meaning({{"wr_bytes"}}, &of_device).destinations, 0x1fU);
  EXPECT_FALSE(pcie_meaning({{"wr_bytes"}, {"src_rp_mask", 4}}, &of_device).source.bdf.has_value());
  const EventTerms of_ports = {{"rd_req"}, {"src_rp_mask", 4}};
  EXPECT_EQ(pcie_meaning({{"wr_bytes"}}, &of_ports).source.root_ports, 0xffU);
  const EventTerms cycles = {{"cycles"}, {"config1", 0x1018000}};
  EXPECT_EQ(pcie_meaning({{"wr_bytes"}}, &cycles).source.bdf, 0x0180);
}

TEST(PcieMeaning, what_the_pmu_does_not_have_is_refused) {
  const auto complaint = [](const EventTerms& terms) -> std::string {
    try {
      static_cast<void>(pcie_meaning(terms));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint({{"src_rp_mask", 1}}), "no event");
  EXPECT_EQ(complaint({{"rd_req"}, {"src_rp_mask", 0x100}}), "term 'src_rp_mask' takes at most 0xff, not 0x100");
  EXPECT_EQ(complaint({{"rd_req"}, {"src_bdf", 0x10000}}), "term 'src_bdf' takes at most 0xffff, not 0x10000");
  EXPECT_EQ(complaint({{"rd_req"}, {"src_bdf"}}), "term 'src_bdf' needs a value");
  EXPECT_EQ(complaint({{"rd_req"}, {"dst_loc_other", 1}}), "the PCIE PMU has no term 'dst_loc_other'");
  EXPECT_EQ(complaint({{"rd_req"}, {"wr_req"}}), "term 'wr_req' names a second event");
}

TEST(PcieRequests, keeps_devices_ports_and_destinations_apart_and_reads_as_long_as_they_last) {
  const ExactClock clock(1'000'000'000);
  PcieRequests requests(clock);
  const std::size_t begin = requests.reads().checkpoint(5'000);
  requests.accept(1, 0x100, PcieDestination::loc_cmem, true, 64);
  requests.answer(1, 0x100, PcieDestination::loc_cmem, 6'000, 16'000);
  requests.accept(1, 0x100, PcieDestination::rem, false, 8);
  requests.accept(1, 0x100, PcieDestination::loc_cmem, true, 32);
  requests.answer(1, 0x100, PcieDestination::loc_cmem, 7'000, 9'500);
  const std::size_t end = requests.reads().checkpoint(10'000);
  ASSERT_EQ(requests.lanes().size(), 2U);
  const PcieLane& lane = requests.lanes()[0];
  EXPECT_EQ(lane.amount(PcieEvent::rd_req), 2U);
  EXPECT_EQ(lane.amount(PcieEvent::rd_bytes), 96U);
  EXPECT_EQ(lane.latency_ps, 12'500U);
  EXPECT_EQ(requests.lanes()[1].amount(PcieEvent::wr_bytes), 8U);
  EXPECT_TRUE(requests.reads().at(begin).empty());  // no lane then
  EXPECT_EQ(requests.reads().at(end)[0].outstanding, 4U + 3U);
  EXPECT_EQ(requests.reads().before(20'000)[0].outstanding, 10U + 3U);
  requests.count(1, PcieDestination::loc_cmem, PcieEvent::wr_req, 3);  // of no device: bus 0 has root ports only
  EXPECT_EQ(requests.lanes().back().bdf, 0U);
  EXPECT_EQ(requests.lanes().back().writes, 3U);
}

TEST(PcieExplain, wrong_counts_are_found_in_other_filters_and_events) {
  const std::vector<PcieLane> counted = {
      {.root_port = 0, .bdf = 0x100, .destination = PcieDestination::loc_cmem, .reads = 5, .read_bytes = 320},
      {.root_port = 1, .bdf = 0x4100, .destination = PcieDestination::loc_cmem, .reads = 70, .read_bytes = 4480},
      {.root_port = 1, .bdf = 0x4100, .destination = PcieDestination::rem, .reads = 900, .read_bytes = 7200}};
  const PcieMeaning meaning = pcie_meaning({{"rd_req"}, {"src_rp_mask", 2}, {"dst_loc_cmem", 1}});
  const auto explain = [&](std::uint64_t driver) { return explain_pcie(meaning, counted, 12'345, driver); };
  EXPECT_THAT(explain(975), HasSubstr("this event without a filter"));
  EXPECT_THAT(explain(75), HasSubstr("this event of all root ports"));
  EXPECT_THAT(explain(970), HasSubstr("this event to all destinations"));
  EXPECT_THAT(explain(5), HasSubstr("this event of root ports 0b1; or"));
  EXPECT_THAT(explain(5), HasSubstr("this event of device 01:00.0"));
  EXPECT_THAT(explain(900), HasSubstr("this event to rem"));
  EXPECT_THAT(explain(4480), HasSubstr("rd_bytes with the same filter"));
  EXPECT_THAT(explain(12'000), HasSubstr("rd_bytes without a filter"));
  EXPECT_THAT(explain(12'345), HasSubstr("cycles"));
  EXPECT_THAT(explain(3), Not(HasSubstr("equals")));
  EXPECT_THAT(explain(3), HasSubstr("port 0, 01:00.0 -> loc_cmem: 5, port 1, 41:00.0 -> loc_cmem: 70"));
}

}  // namespace
}  // namespace pmufab::scoreboard::pcie_meaning_test
