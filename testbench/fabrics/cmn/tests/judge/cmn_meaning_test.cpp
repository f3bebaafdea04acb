// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/judge/cmn_meaning.h"

namespace pmufab::scoreboard::test {
namespace {

using cmn::Channel;
using cmn::FlitEvent;
using cmn::Interface;
using Kind = CmnMeaning::Kind;

TEST(CmnMeaning, a_crosspoint_event_by_name_and_by_number_is_the_same) {
  constexpr std::array kInterfaces{"e", "w", "n", "s", "p0", "p1", "p2", "p3"};
  constexpr std::array kChannels{"req", "rsp", "snp", "dat", "pub", "rsp2", "dat2", "req2", "snp2"};
  constexpr std::array kEvents{"txflit_valid", "txflit_stall"};
  for (unsigned interface = 0; interface < kInterfaces.size(); ++interface) {
    for (unsigned channel = 0; channel < kChannels.size(); ++channel) {
      for (unsigned event = 0; event < kEvents.size(); ++event) {
        const std::string name =
            std::string("mxp_") + kInterfaces[interface] + "_" + kChannels[channel] + "_" + kEvents[event];
        const EventTerms by_number{{"type", 6}, {"eventid", (event + 1) | interface << 2 | channel << 5}};
        for (const CmnMeaning& meaning : {cmn_meaning({{name}}), cmn_meaning(by_number)}) {
          EXPECT_EQ(meaning.kind, Kind::flits) << name;
          EXPECT_EQ(meaning.interface, static_cast<Interface>(interface)) << name;
          EXPECT_EQ(meaning.channel, static_cast<Channel>(channel)) << name;
          EXPECT_EQ(meaning.event, event == 0 ? FlitEvent::valid : FlitEvent::stall) << name;
          EXPECT_FALSE(meaning.node) << name;
        }
      }
    }
  }
}

TEST(CmnMeaning, a_node_id_counts_only_if_asked_for_by_it) {
  const EventTerm event{"mxp_e_req_txflit_valid"};
  EXPECT_EQ(cmn_meaning({event, {"bynodeid", 1}, {"nodeid", 0x48}}).node, 0x48);
  EXPECT_EQ(cmn_meaning({event, {"bynodeid"}, {"nodeid", 0x48}}).node, 0x48) << "a bare word is a one";
  EXPECT_EQ(cmn_meaning({event, {"bynodeid", 1}}).node, 0);
  EXPECT_FALSE(cmn_meaning({event, {"nodeid", 0x48}}).node);
  EXPECT_FALSE(cmn_meaning({event, {"bynodeid", 0}, {"nodeid", 0x48}}).node);
}

TEST(CmnMeaning, cycles_have_a_name_and_a_type) {
  EXPECT_EQ(cmn_meaning({{"dtc_cycles"}}).kind, Kind::cycles);
  EXPECT_EQ(cmn_meaning({{"type", 3}}).kind, Kind::cycles);
  EXPECT_EQ(cmn_meaning({{"dtc_cycles"}}).text, "cycles");
}

TEST(CmnMeaning, a_watchpoint_has_all_its_terms) {
  const CmnMeaning meaning = cmn_meaning({{"watchpoint_down"},
                                          {"wp_dev_sel", 5},
                                          {"wp_chn_sel", 2},
                                          {"wp_grp", 1},
                                          {"wp_exclusive", 1},
                                          {"wp_combine", 15},
                                          {"wp_val", 0x8000'0000'0000'0001},
                                          {"wp_mask", 0xffff'ffff'ffff'fffe}});
  EXPECT_EQ(meaning.kind, Kind::watchpoint);
  EXPECT_FALSE(meaning.upload);
  EXPECT_EQ(meaning.port, 5U);
  EXPECT_EQ(meaning.channel, Channel::snp);
  EXPECT_EQ(meaning.group, 1U);
  EXPECT_TRUE(meaning.exclusive);
  EXPECT_EQ(meaning.combine, 15U);
  EXPECT_EQ(meaning.value, 0x8000'0000'0000'0001);
  EXPECT_EQ(meaning.mask, 0xffff'ffff'ffff'fffe);
}

TEST(CmnMeaning, a_watchpoint_by_number_is_up_for_0_and_down_for_2) {
  EXPECT_TRUE(cmn_meaning({{"watchpoint_up"}}).upload);
  EXPECT_TRUE(cmn_meaning({{"type", 0x7770}, {"eventid", 0}}).upload);
  EXPECT_TRUE(cmn_meaning({{"type", 0x7770}}).upload);
  EXPECT_FALSE(cmn_meaning({{"type", 0x7770}, {"eventid", 2}}).upload);
  EXPECT_EQ(cmn_meaning({{"type", 0x7770}, {"eventid", 2}}).kind, Kind::watchpoint);
  constexpr std::array kChannels{Channel::req, Channel::rsp, Channel::snp, Channel::dat};
  for (unsigned channel = 0; channel < 4; ++channel)
    EXPECT_EQ(cmn_meaning({{"watchpoint_up"}, {"wp_chn_sel", channel}}).channel, kChannels[channel]);
}

TEST(CmnMeaning, what_is_not_known_is_refused) {
  const auto refuses = [](const EventTerms& terms) { EXPECT_THROW((void)cmn_meaning(terms), std::invalid_argument); };
  refuses({});
  refuses({{"eventid", 1}});
  refuses({{"hnf_ld_st_swp_adq_full"}});
  refuses({{"mxp_"}});
  refuses({{"mxp_e_req"}});
  refuses({{"mxp_p4_req_txflit_valid"}});
  refuses({{"mxp_e_dvm_txflit_valid"}});
  refuses({{"mxp_e_req_txflit"}});
  refuses({{"mxp_p0_dat_partial_dat_flit"}});
  refuses({{"type", 6}, {"eventid", 0}});
  refuses({{"type", 6}, {"eventid", 3}});
  refuses({{"type", 6}, {"eventid", 1U | 9U << 5}});
  refuses({{"type", 6}, {"eventid", 1U | 1U << 9}});
  refuses({{"type", 5}, {"eventid", 0x12}});
  refuses({{"type", 0x7770}, {"eventid", 1}});
  refuses({{"watchpoint_up"}, {"wp_chn_sel", 4}});
}

TEST(CmnMeaning, terms_no_cmn_pmu_has_are_refused) {
  const auto refuses = [](const EventTerms& terms) { EXPECT_THROW((void)cmn_meaning(terms), std::invalid_argument); };
  refuses({{"mxp_e_req_txflit_valid"}, {"src_loc_cpu", 1}});
  refuses({{"mxp_e_req_txflit_valid"}, {"dtc_cycles"}});
  refuses({{"mxp_e_req_txflit_valid", 1}});
}

TEST(CmnMeaning, values_too_big_for_their_fields_are_refused_and_the_biggest_are_not) {
  struct Width {
    const char* term;
    std::uint64_t most;
  };
  for (const Width& field : {Width{"bynodeid", 1}, Width{"nodeid", 0xffff}, Width{"wp_dev_sel", 7}, Width{"wp_grp", 3},
                             Width{"wp_exclusive", 1}, Width{"wp_combine", 15}, Width{"occupid", 15}}) {
    EXPECT_NO_THROW((void)cmn_meaning({{"watchpoint_up"}, {field.term, field.most}})) << field.term;
    EXPECT_THROW((void)cmn_meaning({{"watchpoint_up"}, {field.term, field.most + 1}}), std::invalid_argument)
        << field.term;
  }
  EXPECT_THROW((void)cmn_meaning({{"type", 0x1'0000}}), std::invalid_argument);
  EXPECT_THROW((void)cmn_meaning({{"type", 6}, {"eventid", 0x800}}), std::invalid_argument);
}

}  // namespace
}  // namespace pmufab::scoreboard::test
