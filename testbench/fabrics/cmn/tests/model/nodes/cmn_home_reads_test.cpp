// SPDX-License-Identifier: Apache-2.0
// What a home does with reads: docs/cmn-nodes.md, rules 3.3 to 3.7. Expected counts are derived by hand from the rules.
// Events that are not named must not happen.

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/model/nodes/cmn_home_rig.h"

namespace pmufab {
namespace {

using cmn::HomeNode;
using testing::HomeBench;
using testing::HomeCounting;
using testing::HomeSetup;
using testing::ids;
using testing::kLine;
using testing::share;
using testing::SnoopReply;
using E = cmn::HomeEvent;
using Slc = HomeNode::SlcState;
namespace req = cmn::chi::req;
namespace rsp = cmn::chi::rsp;
namespace snp = cmn::chi::snp;
namespace resp = cmn::chi::resp;

using CmnHomeReads = testing::SimulationTest;

TEST_F(CmnHomeReads, a_line_nobody_has_is_read_from_memory_and_filled_clean) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 1},
                             {E::slc_sf_cache_access, 1},
                             {E::cache_miss, 1},
                             {E::cache_fill, 1},
                             {E::slc_fill_invalid_way, 1},
                             {E::mc_reqs_local, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      const auto& read = bench.perform(bench.rnf(0), req::kReadShared, kLine + 8);
      EXPECT_EQ(read.data_flits, 2U);
      EXPECT_EQ(read.resp, resp::kUc) << "nobody else has it";
      EXPECT_EQ(read.data_from, bench.addresses.nodes(cmn::DeviceKind::home)[0]);
      ASSERT_EQ(bench.memory->requests.size(), 1U);
      EXPECT_EQ(bench.memory->requests[0].opcode, req::kReadNoSnp);
      EXPECT_EQ(bench.memory->requests[0].addr, kLine) << "the whole line";
      EXPECT_EQ(bench.memory->requests[0].expcompack, 0U);
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::clean);
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs, ids(bench, {0}));
      EXPECT_TRUE(bench.home->tracked(kLine).unique);
    });
  });
}

TEST_F(CmnHomeReads, only_a_unique_owner_is_snooped_for_a_shared_line) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 4},
                             {E::slc_sf_cache_access, 4},
                             {E::cache_miss, 1},
                             {E::cache_fill, 1},
                             {E::slc_fill_invalid_way, 1},
                             {E::mc_reqs_local, 1},
                             {E::sf_hit, 3},
                             {E::snp_sent, 1},
                             {E::dir_snoops_sent, 1},
                             {E::snp_fwded, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.rnf(0).reply = SnoopReply::forwarded;
      bench.perform(bench.rnf(0), req::kReadShared, kLine);
      const auto& again = bench.perform(bench.rnf(0), req::kReadClean, kLine);
      EXPECT_EQ(again.resp, resp::kUc) << "still alone, and not snooped for itself";
      const auto& second = bench.perform(bench.rnf(1), req::kReadClean, kLine);
      EXPECT_EQ(second.data_from, bench.rnf(0).node_id);
      EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpCleanFwd), 1U);
      EXPECT_EQ(bench.rnf(0).seen.back().fields.fwdnid, bench.rnf(1).node_id);
      const auto& third = bench.perform(bench.rnf(2), req::kReadNotSharedDirty, kLine);
      EXPECT_EQ(third.resp, resp::kSc);
      EXPECT_EQ(third.data_from, bench.addresses.nodes(cmn::DeviceKind::home)[0]);
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs, ids(bench, {0, 1, 2}));
      EXPECT_FALSE(bench.home->tracked(kLine).unique);
    });
  });
}

TEST_F(CmnHomeReads, dirty_data_of_a_snoop_goes_on_to_the_requester_and_into_the_slc) {
  HomeSetup setup;
  setup.parameters.forwarding = false;
  HomeCounting counting(setup, {{E::pocq_reqs_recvd, 2},
                                {E::slc_sf_cache_access, 2},
                                {E::cache_miss, 2},
                                {E::cache_fill, 1},
                                {E::slc_fill_invalid_way, 1},
                                {E::mc_reqs_local, 1},
                                {E::sf_hit, 1},
                                {E::snp_sent, 1},
                                {E::dir_snoops_sent, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(0), req::kReadUnique, kLine);
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::absent) << "a line read to be written is not kept";
      bench.rnf(0).reply = SnoopReply::dirty;
      const auto& read = bench.perform(bench.rnf(1), req::kReadNotSharedDirty, kLine);
      EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpNotSharedDirty), 1U);
      EXPECT_EQ(read.resp, resp::kSc);
      EXPECT_EQ(read.data_flits, 2U);
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::dirty);
    });
  });
}

TEST_F(CmnHomeReads, clean_data_of_a_snoop_is_passed_on_and_not_kept) {
  HomeSetup setup;
  setup.parameters.forwarding = false;
  HomeCounting counting(setup, {{E::pocq_reqs_recvd, 2},
                                {E::slc_sf_cache_access, 2},
                                {E::cache_miss, 2},
                                {E::mc_reqs_local, 1},
                                {E::sf_hit, 1},
                                {E::snp_sent, 1},
                                {E::dir_snoops_sent, 1},
                                {E::snp_intv_cln, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(0), req::kReadUnique, kLine);
      bench.rnf(0).reply = SnoopReply::clean;
      bench.perform(bench.rnf(1), req::kReadShared, kLine);
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::absent);
    });
  });
}

TEST_F(CmnHomeReads, an_owner_that_lost_the_line_silently_makes_the_home_read_memory) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 2},
                             {E::slc_sf_cache_access, 2},
                             {E::cache_miss, 2},
                             {E::cache_fill, 1},
                             {E::slc_fill_invalid_way, 1},
                             {E::mc_reqs_local, 2},
                             {E::sf_hit, 1},
                             {E::snp_sent, 1},
                             {E::dir_snoops_sent, 1},
                             {E::snp_fwded, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(0), req::kReadUnique, kLine);
      const auto& read = bench.perform(bench.rnf(1), req::kReadShared, kLine);
      EXPECT_EQ(read.data_from, bench.addresses.nodes(cmn::DeviceKind::home)[0]);
      EXPECT_EQ(read.resp, resp::kSc);
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs, ids(bench, {0, 1}));
    });
  });
}

TEST_F(CmnHomeReads, dirty_data_beside_forwarded_data_is_filled_once) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 2},
                             {E::slc_sf_cache_access, 2},
                             {E::cache_miss, 2},
                             {E::cache_fill, 1},
                             {E::slc_fill_invalid_way, 1},
                             {E::mc_reqs_local, 1},
                             {E::sf_hit, 1},
                             {E::snp_sent, 1},
                             {E::dir_snoops_sent, 1},
                             {E::snp_fwded, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(0), req::kReadUnique, kLine);
      bench.rnf(0).reply = SnoopReply::forwarded_dirty;
      const auto& read = bench.perform(bench.rnf(1), req::kReadShared, kLine);
      EXPECT_EQ(read.data_flits, 2U);
      EXPECT_EQ(read.data_from, bench.rnf(0).node_id);
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::dirty);
    });
  });
}

TEST_F(CmnHomeReads, a_unique_read_takes_the_line_from_all_who_share_it_and_from_the_slc) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 3},
                             {E::slc_sf_cache_access, 3},
                             {E::cache_miss, 1},
                             {E::cache_fill, 1},
                             {E::slc_fill_invalid_way, 1},
                             {E::mc_reqs_local, 1},
                             {E::sf_hit, 2},
                             {E::snp_sent, 2},
                             {E::dir_snoops_sent, 1},
                             {E::brd_snoops_sent, 1},
                             {E::snp_fwded, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      share(bench);
      const auto& read = bench.perform(bench.rnf(2), req::kReadUnique, kLine);
      EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpUnique), 1U);
      EXPECT_EQ(bench.rnf(1).snoops(snp::kSnpUnique), 1U);
      EXPECT_EQ(read.resp, resp::kUc);
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::absent);
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs, ids(bench, {2}));
      EXPECT_TRUE(bench.home->tracked(kLine).unique);
    });
  });
}

TEST_F(CmnHomeReads, one_owner_forwards_a_line_that_is_to_be_unique) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 2},
                             {E::slc_sf_cache_access, 2},
                             {E::cache_miss, 2},
                             {E::mc_reqs_local, 1},
                             {E::sf_hit, 1},
                             {E::snp_sent, 1},
                             {E::dir_snoops_sent, 1},
                             {E::snp_fwded, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(0), req::kReadUnique, kLine);
      bench.rnf(0).reply = SnoopReply::forwarded;
      const auto& read = bench.perform(bench.rnf(3), req::kReadUnique, kLine);
      EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpUniqueFwd), 1U);
      EXPECT_EQ(read.data_from, bench.rnf(0).node_id);
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs, ids(bench, {3}));
    });
  });
}

TEST_F(CmnHomeReads, a_unique_read_hands_over_the_duty_to_write_a_dirty_line) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 3},
                             {E::slc_sf_cache_access, 3},
                             {E::cache_miss, 2},
                             {E::sf_hit, 1},
                             {E::cache_fill, 1},
                             {E::slc_fill_invalid_way, 1},
                             {E::mc_reqs_local, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(0), req::kReadUnique, kLine);
      const auto& write = bench.perform(bench.rnf(0), req::kWriteBackFull, kLine, {.data_resp = resp::kUdPd});
      EXPECT_EQ(write.responses, std::vector<std::uint8_t>{rsp::kCompDbidResp});
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::dirty);
      EXPECT_TRUE(bench.home->tracked(kLine).rn_fs.empty());
      const auto& read = bench.perform(bench.rnf(1), req::kReadUnique, kLine);
      EXPECT_EQ(read.resp, resp::kUdPd);
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::absent);
    });
  });
}

TEST_F(CmnHomeReads, a_read_once_tracks_nobody_and_allocates_only_if_asked) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 3},
                             {E::slc_sf_cache_access, 3},
                             {E::cache_miss, 2},
                             {E::cache_fill, 1},
                             {E::slc_fill_invalid_way, 1},
                             {E::mc_reqs_local, 2}});
  run([&] {
    counting.check([](HomeBench& bench) {
      const auto& first = bench.perform(*bench.rni, req::kReadOnce, kLine + 32, {.size = 5});
      EXPECT_EQ(first.data_flits, 1U);
      EXPECT_EQ(first.resp, resp::kI);
      EXPECT_EQ(bench.memory->requests.at(0).size, 6U) << "the home reads lines";
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::absent);
      bench.perform(bench.rnf(0), req::kReadOnce, kLine, {.allocate = true, .ack = true});
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::clean);
      bench.perform(bench.rnf(0), req::kReadOnce, kLine);
      EXPECT_TRUE(bench.home->tracked(kLine).rn_fs.empty());
    });
  });
}

TEST_F(CmnHomeReads, a_read_once_snoops_the_owner_who_keeps_the_line_and_forwards_to_rn_fs_only) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 3},
                             {E::slc_sf_cache_access, 3},
                             {E::cache_miss, 3},
                             {E::sf_hit, 2},
                             {E::mc_reqs_local, 1},
                             {E::snp_sent, 2},
                             {E::dir_snoops_sent, 2},
                             {E::snp_fwded, 1},
                             {E::snp_intv_cln, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(0), req::kReadUnique, kLine);
      bench.rnf(0).reply = SnoopReply::clean;
      EXPECT_EQ(bench.perform(*bench.rni, req::kReadOnce, kLine).resp, resp::kI);
      EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpOnce), 1U);
      bench.rnf(0).reply = SnoopReply::forwarded;
      bench.perform(bench.rnf(1), req::kReadOnce, kLine);
      EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpOnceFwd), 1U);
      EXPECT_TRUE(bench.home->tracked(kLine).unique);
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs, ids(bench, {0}));
    });
  });
}

TEST_F(CmnHomeReads, a_stash_snoop_that_pulls_becomes_a_read_of_its_target) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 3},
                             {E::slc_sf_cache_access, 3},
                             {E::cache_miss, 2},
                             {E::cache_fill, 1},
                             {E::slc_fill_invalid_way, 1},
                             {E::mc_reqs_local, 1},
                             {E::sf_hit, 1},
                             {E::snp_sent, 4},
                             {E::dir_snoops_sent, 4},
                             {E::snp_fwded, 1},
                             {E::stash_snp_sent, 3},
                             {E::stash_data_pull, 2}});
  run([&] {
    counting.check([](HomeBench& bench) {
      const std::uint16_t target = bench.rnf(2).node_id;
      // The stash is not wanted.
      bench.perform(*bench.rni, req::kStashOnceShared, kLine, {.stash_target = target});
      EXPECT_EQ(bench.rnf(2).snoops(snp::kSnpStashShared), 1U);
      EXPECT_TRUE(bench.home->tracked(kLine).rn_fs.empty());
      // The stash is wanted, and memory has the line.
      bench.rnf(2).reply = SnoopReply::pull;
      bench.perform(*bench.rni, req::kStashOnceShared, kLine, {.stash_target = target});
      EXPECT_EQ(bench.rnf(2)[0].resp, resp::kUc);
      EXPECT_EQ(bench.rnf(2)[0].data_flits, 2U);
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs, ids(bench, {2}));
      // The stash goes to another target. RN-F 2 has the line, forwards it, and loses it.
      bench.rnf(2).reply = SnoopReply::forwarded;
      bench.rnf(3).reply = SnoopReply::pull;
      bench.perform(*bench.rni, req::kStashOnceUnique, kLine, {.stash_target = bench.rnf(3).node_id});
      EXPECT_EQ(bench.rnf(3).snoops(snp::kSnpStashUnique), 1U);
      EXPECT_EQ(bench.rnf(2).snoops(snp::kSnpUniqueFwd), 1U);
      EXPECT_EQ(bench.rnf(3)[0].data_from, bench.rnf(2).node_id);
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs, ids(bench, {3}));
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::absent);
    });
  });
}

}  // namespace
}  // namespace pmufab
