// SPDX-License-Identifier: Apache-2.0
// What a home does with requests other than coherent reads: docs/cmn-nodes.md, rules 3.3 to 3.7. Expected counts are
// derived by hand from the rules. Events that are not named must not happen.

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/model/nodes/cmn_home_rig.h"

namespace pmufab {
namespace {

using cmn::HomeNode;
using testing::HomeBench;
using testing::HomeCounting;
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

using CmnHomeRequests = testing::SimulationTest;

TEST_F(CmnHomeRequests, clean_unique_invalidates_the_others_and_needs_no_data) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 3},
                             {E::slc_sf_cache_access, 3},
                             {E::cache_miss, 1},
                             {E::cache_fill, 1},
                             {E::slc_fill_invalid_way, 1},
                             {E::mc_reqs_local, 1},
                             {E::sf_hit, 2},
                             {E::snp_sent, 2},
                             {E::dir_snoops_sent, 2},
                             {E::snp_fwded, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      share(bench);
      bench.rnf(0).reply = SnoopReply::dirty;
      const auto& clean = bench.perform(bench.rnf(1), req::kCleanUnique, kLine);
      EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpCleanInvalid), 1U);
      EXPECT_EQ(clean.responses, std::vector<std::uint8_t>{rsp::kComp});
      EXPECT_EQ(clean.resp, resp::kUc);
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::dirty) << "the dirty data of the snoop";
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs, ids(bench, {1}));
      EXPECT_TRUE(bench.home->tracked(kLine).unique);
    });
  });
}

TEST_F(CmnHomeRequests, make_unique_and_make_invalid_drop_what_others_and_the_slc_have) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 4},
                             {E::slc_sf_cache_access, 4},
                             {E::cache_miss, 2},
                             {E::cache_fill, 1},
                             {E::slc_fill_invalid_way, 1},
                             {E::mc_reqs_local, 1},
                             {E::sf_hit, 3},
                             {E::snp_sent, 3},
                             {E::dir_snoops_sent, 2},
                             {E::brd_snoops_sent, 1},
                             {E::snp_fwded, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      share(bench);
      EXPECT_EQ(bench.perform(bench.rnf(2), req::kMakeUnique, kLine).resp, resp::kUc);
      EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpMakeInvalid) + bench.rnf(1).snoops(snp::kSnpMakeInvalid), 2U);
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::absent);
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs, ids(bench, {2}));
      EXPECT_EQ(bench.perform(*bench.rni, req::kMakeInvalid, kLine).resp, resp::kI);
      EXPECT_EQ(bench.rnf(2).snoops(snp::kSnpMakeInvalid), 1U);
      EXPECT_TRUE(bench.home->tracked(kLine).rn_fs.empty());
    });
  });
}

TEST_F(CmnHomeRequests, an_evict_takes_the_requester_from_the_entry_and_the_last_one_takes_the_entry) {
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
      share(bench);
      EXPECT_EQ(bench.perform(bench.rnf(0), req::kEvict, kLine).responses, std::vector<std::uint8_t>{rsp::kComp});
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs, ids(bench, {1}));
      EXPECT_FALSE(bench.home->tracked(kLine).unique) << "nobody said that it is alone now";
      bench.perform(bench.rnf(1), req::kEvict, kLine);
      EXPECT_TRUE(bench.home->tracked(kLine).rn_fs.empty());
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::clean);
    });
  });
}

TEST_F(CmnHomeRequests, copy_backs_fill_the_slc_by_the_state_of_their_data) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 6},
                             {E::slc_sf_cache_access, 6},
                             {E::cache_miss, 4},
                             {E::cache_fill, 2},
                             {E::slc_fill_invalid_way, 2},
                             {E::mc_reqs_local, 1},
                             {E::sf_hit, 3}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(0), req::kReadUnique, kLine);
      // A copy-back that a snoop has overtaken has no data.
      bench.perform(bench.rnf(1), req::kWriteBackFull, kLine, {.data_resp = resp::kI});
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::absent);
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs, ids(bench, {0}));
      bench.perform(bench.rnf(0), req::kWriteCleanFull, kLine, {.data_resp = resp::kUdPd});
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::dirty);
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs, ids(bench, {0})) << "it keeps the line";
      bench.perform(bench.rnf(3), req::kWriteEvictFull, kLine + 64, {.data_resp = resp::kUc});
      EXPECT_EQ(bench.home->slc_state(kLine + 64), Slc::clean);
      bench.perform(bench.rnf(3), req::kWriteEvictFull, kLine, {.data_resp = resp::kUc});
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::dirty) << "clean data does not make it clean";
      bench.perform(bench.rnf(3), req::kWriteBackFull, kLine + 64, {.data_resp = resp::kUdPd});
      EXPECT_EQ(bench.home->slc_state(kLine + 64), Slc::dirty);
    });
  });
}

TEST_F(CmnHomeRequests, a_whole_line_written_from_outside_goes_to_the_slc_if_it_is_there_or_asked_for_else_to_memory) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 5},
                             {E::slc_sf_cache_access, 5},
                             {E::cache_miss, 3},
                             {E::cache_fill, 2},
                             {E::slc_fill_invalid_way, 2},
                             {E::mc_reqs_local, 2},
                             {E::sf_hit, 2},
                             {E::snp_sent, 2},
                             {E::dir_snoops_sent, 1},
                             {E::brd_snoops_sent, 1},
                             {E::snp_fwded, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(*bench.rni, req::kWriteUniqueFull, kLine + 64);
      ASSERT_EQ(bench.memory->requests.size(), 1U);
      EXPECT_EQ(bench.memory->requests[0].opcode, req::kWriteNoSnpFull);
      EXPECT_GE(bench.memory->requests[0].txnid, 0x400U);
      EXPECT_EQ(bench.memory->data_flits, 2U);
      bench.perform(*bench.rni, req::kWriteUniqueFull, kLine + 64, {.allocate = true});
      EXPECT_EQ(bench.home->slc_state(kLine + 64), Slc::dirty);
      share(bench);
      // RN-F 0 writes, and it and RN-F 1 lose the line.
      const auto& write = bench.perform(bench.rnf(0), req::kWriteUniqueFull, kLine);
      EXPECT_EQ(write.responses, std::vector<std::uint8_t>{rsp::kCompDbidResp});
      EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpMakeInvalid), 1U);
      EXPECT_EQ(bench.rnf(1).snoops(snp::kSnpMakeInvalid), 1U);
      EXPECT_TRUE(bench.home->tracked(kLine).rn_fs.empty());
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::dirty) << "it was there";
    });
  });
}

TEST_F(CmnHomeRequests, a_part_of_a_line_goes_to_memory_as_a_part_unless_a_dirty_line_makes_it_whole) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 3},
                             {E::slc_sf_cache_access, 3},
                             {E::cache_miss, 3},
                             {E::mc_reqs_local, 3},
                             {E::sf_hit, 1},
                             {E::snp_sent, 1},
                             {E::dir_snoops_sent, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(*bench.rni, req::kWriteUniquePtl, kLine + 72, {.size = 3});
      ASSERT_EQ(bench.memory->requests.size(), 1U);
      EXPECT_EQ(bench.memory->requests[0].opcode, req::kWriteNoSnpPtl);
      EXPECT_EQ(bench.memory->requests[0].addr, kLine + 72);
      EXPECT_EQ(bench.memory->requests[0].size, 3U);
      EXPECT_EQ(bench.memory->data_flits, 1U);
      bench.perform(bench.rnf(0), req::kReadUnique, kLine);
      bench.rnf(0).reply = SnoopReply::dirty;
      bench.perform(*bench.rni, req::kWriteUniquePtl, kLine + 8, {.size = 3});
      EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpUnique), 1U);
      ASSERT_EQ(bench.memory->requests.size(), 3U);
      EXPECT_EQ(bench.memory->requests[2].opcode, req::kWriteNoSnpFull);
      EXPECT_EQ(bench.memory->requests[2].addr, kLine);
      EXPECT_EQ(bench.memory->data_flits, 3U);
    });
  });
}

TEST_F(CmnHomeRequests, clean_shared_writes_dirty_lines_and_keeps_them_clean) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 5},
                             {E::slc_sf_cache_access, 5},
                             {E::cache_miss, 3},
                             {E::cache_fill, 1},
                             {E::slc_fill_invalid_way, 1},
                             {E::mc_reqs_local, 3},
                             {E::sf_hit, 1},
                             {E::snp_sent, 1},
                             {E::dir_snoops_sent, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(1), req::kWriteBackFull, kLine, {.data_resp = resp::kUdPd});
      EXPECT_EQ(bench.perform(*bench.rni, req::kCleanShared, kLine).responses, std::vector<std::uint8_t>{rsp::kComp});
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::clean);
      EXPECT_EQ(bench.memory->requests.size(), 1U);
      bench.perform(*bench.rni, req::kCleanShared, kLine);
      EXPECT_EQ(bench.memory->requests.size(), 1U) << "it is clean already";
      bench.perform(bench.rnf(0), req::kReadUnique, kLine + 64);
      bench.rnf(0).reply = SnoopReply::dirty;
      bench.perform(bench.rnf(1), req::kCleanShared, kLine + 64);
      EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpCleanShared), 1U);
      EXPECT_EQ(bench.memory->requests.size(), 3U);
      EXPECT_EQ(bench.home->slc_state(kLine + 64), Slc::absent);
      EXPECT_EQ(bench.home->tracked(kLine + 64).rn_fs, ids(bench, {0}));
    });
  });
}

TEST_F(CmnHomeRequests, clean_invalid_writes_dirty_lines_and_removes_them_everywhere) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 5},
                             {E::slc_sf_cache_access, 5},
                             {E::cache_miss, 2},
                             {E::cache_fill, 2},
                             {E::slc_fill_invalid_way, 2},
                             {E::mc_reqs_local, 2},
                             {E::sf_hit, 2},
                             {E::snp_sent, 2},
                             {E::dir_snoops_sent, 2},
                             {E::snp_fwded, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(3), req::kWriteBackFull, kLine + 64, {.data_resp = resp::kUdPd});
      bench.perform(bench.rnf(2), req::kCleanInvalid, kLine + 64);
      EXPECT_EQ(bench.memory->requests.at(0).opcode, req::kWriteNoSnpFull);
      EXPECT_EQ(bench.home->slc_state(kLine + 64), Slc::absent);
      share(bench);
      bench.perform(bench.rnf(1), req::kCleanInvalid, kLine);
      EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpCleanInvalid), 1U);
      EXPECT_EQ(bench.rnf(1).snoops(snp::kSnpCleanInvalid), 0U) << "the requester knows";
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::absent);
      EXPECT_TRUE(bench.home->tracked(kLine).rn_fs.empty());
    });
  });
}

TEST_F(CmnHomeRequests, an_atomic_is_done_at_the_home_with_what_snoops_the_slc_or_memory_have) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 4},
                             {E::slc_sf_cache_access, 4},
                             {E::cache_miss, 3},
                             {E::cache_fill, 2},
                             {E::slc_fill_invalid_way, 2},
                             {E::mc_reqs_local, 2},
                             {E::sf_hit, 1},
                             {E::snp_sent, 1},
                             {E::dir_snoops_sent, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      // The line comes from memory. Then the SLC has it.
      const auto& load = bench.perform(bench.rnf(0), req::kAtomicLoad + 3, kLine + 8, {.size = 3});
      EXPECT_EQ(load.responses, std::vector<std::uint8_t>{rsp::kDbidResp});
      EXPECT_EQ(load.data_flits, 1U);
      EXPECT_EQ(load.resp, resp::kI);
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::dirty);
      const auto& store = bench.perform(bench.rnf(0), req::kAtomicStore, kLine + 8, {.size = 3});
      EXPECT_EQ(store.responses, std::vector<std::uint8_t>{rsp::kCompDbidResp});
      EXPECT_EQ(store.data_flits, 0U);
      // The requester itself has the line dirty, so it is snooped too.
      bench.perform(bench.rnf(1), req::kReadUnique, kLine + 64);
      bench.rnf(1).reply = SnoopReply::dirty;
      const auto& swap = bench.perform(bench.rnf(1), req::kAtomicSwap, kLine + 64, {.size = 3});
      EXPECT_EQ(swap.data_flits, 1U);
      EXPECT_EQ(bench.rnf(1).snoops(snp::kSnpUnique), 1U);
      EXPECT_TRUE(bench.home->tracked(kLine + 64).rn_fs.empty());
      EXPECT_EQ(bench.home->slc_state(kLine + 64), Slc::dirty);
    });
  });
}

TEST_F(CmnHomeRequests, requests_that_do_not_snoop_go_to_memory_as_they_are) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 3}, {E::mc_reqs_local, 3}});
  run([&] {
    counting.check([](HomeBench& bench) {
      const auto& read = bench.perform(bench.rnf(0), req::kReadNoSnp, kLine + 16, {.size = 4});
      EXPECT_EQ(read.data_flits, 1U);
      EXPECT_EQ(read.resp, resp::kUc);
      EXPECT_EQ(bench.memory->requests.at(0).addr, kLine + 16);
      EXPECT_EQ(bench.memory->requests.at(0).size, 4U);
      EXPECT_EQ(bench.perform(bench.rnf(0), req::kReadNoSnp, kLine, {.ack = true}).data_flits, 2U);
      bench.perform(bench.rnf(0), req::kWriteNoSnpPtl, kLine + 16, {.size = 4});
      EXPECT_EQ(bench.memory->requests.at(2).opcode, req::kWriteNoSnpPtl);
      EXPECT_EQ(bench.memory->data_flits, 1U);
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::absent);
    });
  });
}

TEST_F(CmnHomeRequests, a_stash_without_an_rn_f_as_target_only_completes) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 2}, {E::slc_sf_cache_access, 2}, {E::cache_miss, 2}});
  run([&] {
    counting.check([](HomeBench& bench) {
      EXPECT_EQ(bench.perform(*bench.rni, req::kStashOnceShared, kLine).responses,
                std::vector<std::uint8_t>{rsp::kComp});
      bench.perform(*bench.rni, req::kStashOnceUnique, kLine, {.stash_target = bench.memory->node_id});
    });
  });
}

TEST_F(CmnHomeRequests, a_gateway_is_not_tracked) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 4},
                             {E::slc_sf_cache_access, 4},
                             {E::cache_miss, 4},
                             {E::cache_fill, 1},
                             {E::slc_fill_invalid_way, 1},
                             {E::mc_reqs_local, 3},
                             {E::sf_hit, 2},
                             {E::snp_sent, 2},
                             {E::dir_snoops_sent, 2},
                             {E::snp_intv_cln, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      EXPECT_EQ(bench.perform(*bench.gateway, req::kReadShared, kLine).resp, resp::kSc);
      EXPECT_TRUE(bench.home->tracked(kLine).rn_fs.empty());
      bench.perform(bench.rnf(0), req::kReadUnique, kLine + 64);
      bench.rnf(0).reply = SnoopReply::clean;
      bench.perform(*bench.gateway, req::kReadShared, kLine + 64);
      EXPECT_EQ(bench.home->tracked(kLine + 64).rn_fs, ids(bench, {0}));
      EXPECT_FALSE(bench.home->tracked(kLine + 64).unique);
      bench.rnf(0).reply = SnoopReply::none;
      EXPECT_EQ(bench.perform(*bench.gateway, req::kReadUnique, kLine + 64).resp, resp::kUc);
      EXPECT_TRUE(bench.home->tracked(kLine + 64).rn_fs.empty());
    });
  });
}

}  // namespace
}  // namespace pmufab
