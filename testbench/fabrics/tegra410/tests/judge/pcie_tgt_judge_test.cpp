// SPDX-License-Identifier: Apache-2.0
// The meaning of events of PCIE-TGT PMUs, and the judge's explanations of wrong counts.
#include <malloc.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/tegra410/judge/pcie/pcie_tgt_judge.h"

namespace pmufab::scoreboard {
namespace {

using ::testing::HasSubstr;
using TgtKind = PcieTgtMeaning::Kind;

std::string refusal(const EventTerms& terms) {
  try {
    static_cast<void>(pcie_tgt_meaning(terms));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(PcieTgtMeaning, without_a_filter_is_bar_traffic_to_all_root_ports) {
  const PcieTgtMeaning meaning = pcie_tgt_meaning({{"rd_req"}});
  EXPECT_EQ(meaning.kind, TgtKind::traffic);
  EXPECT_EQ(meaning.event, PcieTgtEvent::rd_req);
  EXPECT_EQ(meaning.ports, 0xffU);
  EXPECT_FALSE(meaning.addresses.has_value());
  EXPECT_EQ(meaning.text, "rd_req, BARs");
  // An address without dst_addr_en is no filter.
  EXPECT_EQ(pcie_tgt_meaning({{"rd_req"}, {"dst_addr_base", 0x1000}, {"dst_addr_en", 0}}).ports, 0xffU);
}

TEST(PcieTgtMeaning, takes_names_numbers_and_raw_values) {
  for (std::uint64_t event = 0; event < 4; ++event)
    EXPECT_EQ(pcie_tgt_meaning({{"event", event}}).event, static_cast<PcieTgtEvent>(event));
  EXPECT_EQ(pcie_tgt_meaning({{"wr_bytes"}}).event, PcieTgtEvent::wr_bytes);
  EXPECT_EQ(pcie_tgt_meaning({{"event", 4}, {"dst_addr_en"}}).kind, TgtKind::cycles);
  EXPECT_EQ(pcie_tgt_meaning({{"cycles"}}).kind, TgtKind::cycles);
  EXPECT_EQ(pcie_tgt_meaning({{"event", 5}}).kind, TgtKind::nothing);
  const PcieTgtMeaning raw = pcie_tgt_meaning({{"config", 0x2 | 0x81 << 3 | 1 << 11}, {"config1", 7}, {"config2", 9}});
  EXPECT_EQ(raw.event, PcieTgtEvent::rd_req);
  EXPECT_EQ(raw.ports, 0x81U);
  ASSERT_TRUE(raw.addresses.has_value());
  EXPECT_EQ(raw.addresses->base, 7U);
  EXPECT_EQ(raw.addresses->mask, 9U);
}

TEST(PcieTgtMeaning, an_address_filter_alone_leaves_root_ports_out) {
  const PcieTgtMeaning meaning =
      pcie_tgt_meaning({{"event", 0x1}, {"dst_addr_base", 0x10000}, {"dst_addr_mask", 0xfff00}, {"dst_addr_en", 0x1}});
  EXPECT_EQ(meaning.ports, 0U);
  ASSERT_TRUE(meaning.addresses.has_value());
  EXPECT_EQ(meaning.text, "wr_bytes, addresses 0x10000 by mask 0xfff00");
}

TEST(PcieTgtMeaning, refuses_what_the_pmu_does_not_have) {
  EXPECT_THAT(refusal({}), HasSubstr("no event"));
  EXPECT_THAT(refusal({{"dst_rp_mask", 1}}), HasSubstr("no event"));
  EXPECT_THAT(refusal({{"event", 8}}), HasSubstr("at most 0x7"));
  EXPECT_THAT(refusal({{"rd_req"}, {"dst_rp_mask", 0x100}}), HasSubstr("at most 0xff"));
  EXPECT_THAT(refusal({{"rd_req"}, {"dst_rp_mask"}}), HasSubstr("needs a value"));
  EXPECT_THAT(refusal({{"rd_req"}, {"src_rp_mask", 1}}), HasSubstr("has no term 'src_rp_mask'"));
  EXPECT_THAT(refusal({{"rd_req"}, {"event", 1}}), HasSubstr("second event"));
}

class PcieTgtJudge : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kBar = 0x49'0000'0000, kCxl = 0x400'0000'0000;

  /// Count `event` while four requests go to BARs below root ports 1 and 2, and two to CXL memory.
  std::uint64_t count(const EventTerms& event, const std::string& says = "", std::uint64_t driver = 0) {
    const std::unique_ptr<EventTruth> truth = judge.truth(event);
    judge.see({kBar, 64, false, 1});  // before
    Span span{truth->mark(10'000), {}};
    judge.see({kBar, 64, false, 1});
    judge.see({kBar + 0x1'0040, 8, false, 1});
    judge.see({kBar + 0x1'0000'0000, 32, false, 2});
    judge.see({kBar + 0x1'0000'0000, 16, true, 2});
    judge.see({kCxl, 64, false, -1});
    judge.see({kCxl + 0x1'0000, 64, true, -1});
    span.end = truth->mark(20'000);
    judge.see({kBar, 64, false, 1});  // after
    static_cast<void>(truth->mark(30'000));
    const std::vector<Span> spans = {span};
    if (!says.empty()) {
      EXPECT_THAT(truth->explain(spans, driver), HasSubstr(says));
    }
    return truth->count(span);
  }

  ExactClock clock{1'000'000'000};
  PcieTgtPmuJudge judge{{.type = CoreSightPmuType::pcie_tgt,
                         .name = "pmu",
                         .socket = 0,
                         .root_complex = 1,
                         .page0 = 0x1000,
                         .page1 = 0x2000},
                        clock};
};

TEST_F(PcieTgtJudge, counts_by_root_port_and_by_address) {
  EXPECT_EQ(count({{"rd_req"}}), 3U);
  EXPECT_EQ(count({{"rd_bytes"}}), 104U);
  EXPECT_EQ(count({{"wr_req"}}), 1U);
  EXPECT_EQ(count({{"rd_req"}, {"dst_rp_mask", 2}}), 2U);
  EXPECT_EQ(count({{"rd_req"}, {"dst_rp_mask", 1}}), 0U);
  EXPECT_EQ(count({{"rd_req"}, {"dst_addr_en"}, {"dst_addr_base", 0x10000}, {"dst_addr_mask", 0xfff00}}), 1U);
  EXPECT_EQ(count({{"wr_req"}, {"dst_addr_en"}, {"dst_addr_base", 0x10000}, {"dst_addr_mask", 0xfff00}}), 1U) << "CXL";
  EXPECT_EQ(count({{"rd_req"}, {"dst_addr_en"}}), 4U) << "mask 0 lets everything pass";
  EXPECT_EQ(count({{"rd_req"}, {"dst_rp_mask", 4}, {"dst_addr_en"}, {"dst_addr_base", kCxl}, {"dst_addr_mask", kCxl}}),
            2U);
  EXPECT_EQ(count({{"event", 7}}), 0U);
  EXPECT_EQ(count({{"cycles"}}), 10U);
}

TEST_F(PcieTgtJudge, a_request_both_filters_let_pass_counts_once) {
  EXPECT_EQ(count({{"rd_req"}, {"dst_rp_mask", 2}, {"dst_addr_en"}, {"dst_addr_base", kBar}, {"dst_addr_mask", kBar}}),
            2U)
      << "both reads of the BAR below root port 1 pass twice";
}

TEST_F(PcieTgtJudge, a_long_window_takes_no_more_memory_than_a_short_one) {
  const std::unique_ptr<EventTruth> truth = judge.truth({{"rd_req"}});
  Span span{truth->mark(0), {}};
  const auto used = [] { return mallinfo2().uordblks; };  // 0 under sanitizers
  const std::size_t before = used();
  for (int i = 0; i < 100'000; ++i) judge.see({kBar, 64, false, 1});
  span.end = truth->mark(1'000'000);
  EXPECT_LT(used() - before, 10'000U);
  EXPECT_EQ(truth->count(span), 100'000U);
}

TEST_F(PcieTgtJudge, says_what_a_wrong_count_equals) {
  count({{"rd_bytes"}}, "equals rd_req with the same filter", 3);
  count({{"rd_req"}, {"dst_rp_mask", 4}}, "this event to BARs below root port 1 alone", 2);
  count({{"rd_req"}, {"dst_rp_mask", 4}}, "this event to BARs of all root ports", 3);
  count({{"rd_req"}, {"dst_rp_mask", 4}}, "this event without a filter", 4);
  count({{"rd_req"}, {"dst_rp_mask", 2}}, "by destination: root port 1: 2, root port 2: 1, CXL memory: 1", 100);
  count({{"rd_req"}, {"dst_rp_mask", 2}, {"dst_addr_en"}, {"dst_addr_base", kCxl}, {"dst_addr_mask", kCxl}},
        "this event by the address filter alone", 1);
}

TEST_F(PcieTgtJudge, follows_the_control_register_and_knows_counters) {
  const auto write = [](std::uint64_t address, std::uint64_t data) {
    MmioBus::BusAccess access{};
    access.address = address;
    access.data = data;
    access.is_write = true;
    access.ok = true;
    return access;
  };
  EXPECT_FALSE(judge.written_on());
  EXPECT_TRUE(judge.see_write(write(0x1e04, 1)));
  EXPECT_TRUE(judge.written_on());
  EXPECT_FALSE(judge.see_write(write(0x2e04, 0)));
  EXPECT_TRUE(judge.see_write(write(0x1e04, 6)));
  EXPECT_FALSE(judge.written_on());
  EXPECT_TRUE(judge.is_counter_read(write(0x2008, 0)));
  EXPECT_FALSE(judge.is_counter_read(write(0x1008, 0)));
}

}  // namespace
}  // namespace pmufab::scoreboard
