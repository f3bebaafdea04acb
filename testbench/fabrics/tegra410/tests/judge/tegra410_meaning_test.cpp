// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include <gtest/gtest.h>

#include "testbench/fabrics/tegra410/judge/tegra410_meaning.h"

namespace pmufab::scoreboard::test::tegra410_meaning_test {
namespace {

using Kind = UcfMeaning::Kind;

struct Known {
  const char* name;
  std::uint64_t number;
};
// The numbers come from the event list in the drivers' sysfs, the names from the kernel document.
constexpr Known kKnown[] = {
    {"slc_allocate", 0xf0},         {"slc_wb", 0xf3},
    {"slc_refill_rd", 0x109},       {"slc_refill_wr", 0x10a},
    {"slc_access_rd", 0x111},       {"slc_access_wr", 0x112},
    {"slc_bytes_rd", 0x113},        {"slc_bytes_wr", 0x114},
    {"slc_hit_rd", 0x119},          {"mem_access_rd", 0x121},
    {"mem_access_wr", 0x122},       {"mem_bytes_rd", 0x123},
    {"mem_bytes_wr", 0x124},        {"local_snoop", 0x180},
    {"ext_snp_access", 0x181},      {"ext_snp_evict", 0x182},
    {"slc_access_dataless", 0x183}, {"slc_access_atomic", 0x184},
};

TEST(UcfMeaning, a_name_and_its_number_mean_the_same_and_everything_by_default) {
  static_assert(std::size(kKnown) == kUcfEvents);
  for (const Known& known : kKnown) {
    const UcfMeaning by_name = ucf_meaning({{known.name}});
    const UcfMeaning by_number = ucf_meaning({{"event", known.number}});
    EXPECT_EQ(by_name.kind, Kind::traffic);
    EXPECT_EQ(by_number.kind, Kind::traffic);
    EXPECT_EQ(to_string(by_name.event), known.name);
    EXPECT_EQ(by_number.event, by_name.event);
    EXPECT_EQ(by_name.sources, kAllSources);
    EXPECT_EQ(by_name.destinations, kAllDestinations);
  }
}

TEST(UcfMeaning, cycles_are_cycles_whatever_the_filter) {
  for (const EventTerms& terms :
       {EventTerms{{"cycles"}}, EventTerms{{"bus_cycles"}}, EventTerms{{"event", 0x1'0000'0000}},
        EventTerms{{"event", 0x1d}}, EventTerms{{"cycles"}, {"src_rem", 1}}, EventTerms{{"config", 0x1'0000'0000}}}) {
    EXPECT_EQ(ucf_meaning(terms).kind, Kind::cycles);
  }
}

TEST(UcfMeaning, an_unknown_number_counts_nothing) {
  for (const std::uint64_t number : {0x0ULL, 0x1ULL, 0x110ULL, 0x115ULL, 0xffffULL, 0x1'0000'0111ULL}) {
    EXPECT_EQ(ucf_meaning({{"event", number}}).kind, Kind::nothing) << number;
  }
}

TEST(UcfMeaning, filter_terms_select_bits_and_an_empty_half_means_all) {
  const UcfMeaning cpu_only = ucf_meaning({{"slc_access_rd"}, {"src_loc_cpu", 1}});
  EXPECT_EQ(cpu_only.sources, 0b010U);
  EXPECT_EQ(cpu_only.destinations, 0b1111U);
  const UcfMeaning to_gmem = ucf_meaning({{"slc_access_rd"}, {"dst_loc_gmem"}});
  EXPECT_EQ(to_gmem.sources, 0b111U);
  EXPECT_EQ(to_gmem.destinations, 0b0010U);
  const UcfMeaning both =
      ucf_meaning({{"src_loc_noncpu", 1}, {"event", 0x111}, {"src_rem", 1}, {"dst_loc_cmem", 1}, {"dst_rem", 1}});
  EXPECT_EQ(both.sources, 0b101U);
  EXPECT_EQ(both.destinations, 0b1001U);
  EXPECT_EQ(ucf_meaning({{"slc_wb"}, {"dst_loc_other", 1}}).destinations, 0b0100U);
  EXPECT_EQ(ucf_meaning({{"slc_wb"}, {"src_rem", 0}}).sources, 0b111U) << "0 is not specified";
  const UcfMeaning raw = ucf_meaning({{"config", 0x111}, {"config1", 0x802}});
  EXPECT_EQ(raw.sources, 0b010U);
  EXPECT_EQ(raw.destinations, 0b1000U);
}

TEST(UcfMeaning, the_text_says_what_is_counted) {
  EXPECT_EQ(ucf_meaning({{"slc_wb"}}).text, "slc_wb, all -> all");
  EXPECT_EQ(ucf_meaning({{"event", 0x111}, {"src_loc_cpu", 1}, {"dst_loc_cmem", 1}, {"dst_rem", 1}}).text,
            "slc_access_rd, loc_cpu -> loc_cmem+rem");
}

TEST(UcfMeaning, what_the_pmu_does_not_have_is_refused) {
  EXPECT_THROW(static_cast<void>(ucf_meaning({})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(ucf_meaning({{"src_rem", 1}})), std::invalid_argument) << "no event";
  EXPECT_THROW(static_cast<void>(ucf_meaning({{"slc_acces_rd"}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(ucf_meaning({{"slc_access_rd"}, {"dst_loc_cxl", 1}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(ucf_meaning({{"slc_access_rd"}, {"src_rem", 2}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(ucf_meaning({{"slc_access_rd"}, {"slc_access_wr"}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(ucf_meaning({{"event"}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(ucf_meaning({{"event", 0x2'0000'0000}})), std::invalid_argument);
}

TEST(CmemMeaning, names_and_numbers) {
  EXPECT_EQ(cmem_meaning({{"cycles"}}), CmemMeaning::cycles);
  EXPECT_EQ(cmem_meaning({{"rd_req"}}), CmemMeaning::rd_req);
  EXPECT_EQ(cmem_meaning({{"rd_cum_outs"}}), CmemMeaning::rd_cum_outs);
  EXPECT_EQ(cmem_meaning({{"event", 0}}), CmemMeaning::cycles);
  EXPECT_EQ(cmem_meaning({{"event", 1}}), CmemMeaning::rd_req);
  EXPECT_EQ(cmem_meaning({{"config", 2}}), CmemMeaning::rd_cum_outs);
  EXPECT_THROW((void)cmem_meaning({{"event", 3}}), std::invalid_argument);
  EXPECT_THROW((void)cmem_meaning({{"event", 4}}), std::invalid_argument);
  EXPECT_THROW((void)cmem_meaning({{"wr_req"}}), std::invalid_argument);
  EXPECT_THROW((void)cmem_meaning({}), std::invalid_argument);
}

TEST(C2cMeaning, names_and_numbers) {
  constexpr const char* kNames[] = {"cycles",         "in_rd_cum_outs",  "in_rd_req",
                                    "in_wr_cum_outs", "in_wr_req",       "out_rd_cum_outs",
                                    "out_rd_req",     "out_wr_cum_outs", "out_wr_req"};
  for (unsigned number = 0; number < 9; ++number) {
    EXPECT_EQ(c2c_meaning({{kNames[number]}}, false).event, number);
    EXPECT_EQ(c2c_meaning({{"event", number}}, true).event, number);
    EXPECT_EQ(c2c_meaning({{"config", number}}, true).event, number);
  }
  EXPECT_TRUE(c2c_meaning({{"cycles"}}, false).is_cycles());
  EXPECT_TRUE(c2c_meaning({{"out_wr_req"}}, false).is_requests());
  EXPECT_FALSE(c2c_meaning({{"out_wr_cum_outs"}}, false).is_requests());
  EXPECT_EQ(c2c_meaning({{"in_wr_req"}}, false).traffic(), 1U);
  EXPECT_EQ(c2c_meaning({{"out_rd_cum_outs"}}, false).traffic(), 2U);
  EXPECT_EQ(c2c_meaning({{"in_rd_req"}, {"gpu_mask", 2}}, true).gpus, 2U);
  EXPECT_EQ(c2c_meaning({{"in_rd_req"}, {"config1", 3}}, true).gpus, 3U);
  EXPECT_EQ(c2c_meaning({{"in_rd_req"}}, true).gpus, 0U);
  for (const EventTerms& wrong : std::initializer_list<EventTerms>{{{"event", 9}},
                                                                   {{"event", 16}},
                                                                   {{"rd_req"}},
                                                                   {{"in_rd_req", 1}},
                                                                   {{"in_rd_req"}, {"out_rd_req"}},
                                                                   {{"in_rd_req"}, {"gpu_mask", 4}},
                                                                   {{"in_rd_req"}, {"gpu_mask"}},
                                                                   {{"gpu_mask", 1}},
                                                                   {}}) {
    EXPECT_THROW((void)c2c_meaning(wrong, true), std::invalid_argument);
  }
  EXPECT_THROW((void)c2c_meaning({{"in_rd_req"}, {"gpu_mask", 1}}, false), std::invalid_argument);
}

}  // namespace
}  // namespace pmufab::scoreboard::test::tegra410_meaning_test
