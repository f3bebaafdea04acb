// SPDX-License-Identifier: Apache-2.0
// What a home does with requests, how they pass it, and what it counts: docs/cmn-nodes.md, rules 1.6, 1.10 and 3.1 to
// 3.9. Expected counts are derived by hand from the rules. Events that are not named must not happen.

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/model/nodes/cmn_home_rig.h"

namespace pmufab::cmn_home_stories_test {
namespace {

using cmn::home_event;
using testing::HomeBench;
using testing::HomeCounts;
using testing::kLine;
using testing::release;
using testing::share;
using testing::SnoopReply;
using Slc = cmn::HomeNode::SlcState;
using RnFs = std::vector<unsigned>;
using Opcodes = std::vector<std::uint8_t>;
namespace req = cmn::chi::req;
namespace rsp = cmn::chi::rsp;
namespace snp = cmn::chi::snp;
namespace resp = cmn::chi::resp;

constexpr cmn::Cycle kLong = 400;  // time for a message and its answer

struct Story {
  const char* name;
  HomeCounts counts;
  void (*happens)(HomeBench& bench);
  cmn::HomeParameters parameters{};
};

class CmnHome : public testing::SimulationTest, public ::testing::WithParamInterface<Story> {};

TEST_P(CmnHome, does_and_counts_as_the_rules_say) {
  HomeBench bench("cmn0", GetParam().parameters);
  run([&] {
    GetParam().happens(bench);
    bench.settle();
    bench.expect(GetParam().counts);
  });
}

std::string name_of(const ::testing::TestParamInfo<Story>& info) { return info.param.name; }

const Story kReads[] = {
    {"a_line_nobody_has_is_read_from_memory_and_filled_clean",
     {.requests = 1, .misses = 1, .fills = 1, .memory = 1},
     [](HomeBench& bench) {
       const auto& read = bench.perform(0, req::kReadShared, kLine + 8);
       EXPECT_EQ(read.data_flits, 2U);
       EXPECT_EQ(read.resp, resp::kUc) << "nobody else has it";
       EXPECT_EQ(read.data_from, bench.home_id());
       ASSERT_EQ(bench.memory->requests.size(), 1U);
       EXPECT_EQ(bench.memory->requests[0].opcode, req::kReadNoSnp);
       EXPECT_EQ(bench.memory->requests[0].addr, kLine) << "the whole line";
       EXPECT_EQ(bench.memory->requests[0].expcompack, 0U);
       EXPECT_EQ(bench.slc(kLine), Slc::clean);
       EXPECT_EQ(bench.sharers(kLine), RnFs{0});
       EXPECT_TRUE(bench.is_unique(kLine));
     }},
    {"only_a_unique_owner_is_snooped_for_a_shared_line",
     {.requests = 4, .misses = 1, .fills = 1, .memory = 1, .sf_hits = 3, .directed = 1, .forwarding = 1},
     [](HomeBench& bench) {
       bench.rnf(0).reply = SnoopReply::forwarded;
       bench.perform(0, req::kReadShared, kLine);
       EXPECT_EQ(bench.perform(0, req::kReadClean, kLine).resp, resp::kUc) << "alone, and not snooped for itself";
       EXPECT_EQ(bench.perform(1, req::kReadClean, kLine).data_from, bench.rnf(0).node_id);
       EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpCleanFwd), 1U);
       EXPECT_EQ(bench.rnf(0).seen.back().fields.fwdnid, bench.rnf(1).node_id);
       const auto& third = bench.perform(2, req::kReadNotSharedDirty, kLine);
       EXPECT_EQ(third.resp, resp::kSc);
       EXPECT_EQ(third.data_from, bench.home_id());
       EXPECT_EQ(bench.sharers(kLine), (RnFs{0, 1, 2}));
       EXPECT_FALSE(bench.is_unique(kLine));
     }},
    {"dirty_data_of_a_snoop_goes_on_to_the_requester_and_into_the_slc",
     {.requests = 2, .misses = 2, .fills = 1, .memory = 1, .sf_hits = 1, .directed = 1},
     [](HomeBench& bench) {
       bench.perform(0, req::kReadUnique, kLine);
       EXPECT_EQ(bench.slc(kLine), Slc::absent) << "a line read to be written is not kept";
       bench.rnf(0).reply = SnoopReply::dirty;
       const auto& read = bench.perform(1, req::kReadNotSharedDirty, kLine);
       EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpNotSharedDirty), 1U);
       EXPECT_EQ(read.resp, resp::kSc);
       EXPECT_EQ(read.data_flits, 2U);
       EXPECT_EQ(bench.slc(kLine), Slc::dirty);
     },
     {.forwarding = false}},
    {"a_unique_read_takes_the_line_from_all_who_share_it_and_from_the_slc",
     {.requests = 3,
      .misses = 1,
      .fills = 1,
      .memory = 1,
      .sf_hits = 2,
      .directed = 1,
      .broadcast = 1,
      .forwarding = 1},
     [](HomeBench& bench) {
       share(bench);
       EXPECT_EQ(bench.perform(2, req::kReadUnique, kLine).resp, resp::kUc);
       for (const unsigned sharer : {0U, 1U}) EXPECT_EQ(bench.rnf(sharer).snoops(snp::kSnpUnique), 1U);
       EXPECT_EQ(bench.slc(kLine), Slc::absent);
       EXPECT_EQ(bench.sharers(kLine), RnFs{2});
       EXPECT_TRUE(bench.is_unique(kLine));
     }},
    {"a_unique_read_hands_over_the_duty_to_write_a_dirty_line",
     {.requests = 3, .misses = 2, .fills = 1, .memory = 1, .sf_hits = 1},
     [](HomeBench& bench) {
       bench.perform(0, req::kReadUnique, kLine);
       const auto& write = bench.perform(0, req::kWriteBackFull, kLine, {.data_resp = resp::kUdPd});
       EXPECT_EQ(write.responses, Opcodes{rsp::kCompDbidResp});
       EXPECT_EQ(bench.slc(kLine), Slc::dirty);
       EXPECT_EQ(bench.sharers(kLine), RnFs{});
       EXPECT_EQ(bench.perform(1, req::kReadUnique, kLine).resp, resp::kUdPd);
       EXPECT_EQ(bench.slc(kLine), Slc::absent);
     }},
    {"a_read_once_tracks_nobody_and_allocates_only_if_asked",
     {.requests = 3, .misses = 2, .fills = 1, .memory = 2},
     [](HomeBench& bench) {
       const auto& first = bench.perform(*bench.rni, req::kReadOnce, kLine + 32, {.size = 5});
       EXPECT_EQ(first.data_flits, 1U);
       EXPECT_EQ(first.resp, resp::kI);
       EXPECT_EQ(bench.memory->requests.at(0).size, 6U) << "the home reads lines";
       EXPECT_EQ(bench.slc(kLine), Slc::absent);
       bench.perform(0, req::kReadOnce, kLine, {.allocate = true, .ack = true});
       EXPECT_EQ(bench.slc(kLine), Slc::clean);
       bench.perform(0, req::kReadOnce, kLine);
       EXPECT_EQ(bench.sharers(kLine), RnFs{});
     }},
    {"a_stash_snoop_that_pulls_becomes_a_read_of_its_target",
     {.requests = 3,
      .misses = 2,
      .fills = 1,
      .memory = 1,
      .sf_hits = 1,
      .directed = 4,
      .forwarding = 1,
      .others = {{home_event("stash_snp_sent"), 3}, {home_event("stash_data_pull"), 2}}},
     [](HomeBench& bench) {
       const std::uint16_t target = bench.rnf(2).node_id;
       // The stash is not wanted.
       bench.perform(*bench.rni, req::kStashOnceShared, kLine, {.stash_target = target});
       EXPECT_EQ(bench.rnf(2).snoops(snp::kSnpStashShared), 1U);
       EXPECT_EQ(bench.sharers(kLine), RnFs{});
       // The stash is wanted, and memory has the line.
       bench.rnf(2).reply = SnoopReply::pull;
       bench.perform(*bench.rni, req::kStashOnceShared, kLine, {.stash_target = target});
       EXPECT_EQ(bench.rnf(2)[0].resp, resp::kUc);
       EXPECT_EQ(bench.rnf(2)[0].data_flits, 2U);
       EXPECT_EQ(bench.sharers(kLine), RnFs{2});
       // The stash goes to another target. RN-F 2 has the line, forwards it, and loses it.
       bench.rnf(2).reply = SnoopReply::forwarded;
       bench.rnf(3).reply = SnoopReply::pull;
       bench.perform(*bench.rni, req::kStashOnceUnique, kLine, {.stash_target = bench.rnf(3).node_id});
       EXPECT_EQ(bench.rnf(3).snoops(snp::kSnpStashUnique), 1U);
       EXPECT_EQ(bench.rnf(2).snoops(snp::kSnpUniqueFwd), 1U);
       EXPECT_EQ(bench.rnf(3)[0].data_from, bench.rnf(2).node_id);
       EXPECT_EQ(bench.sharers(kLine), RnFs{3});
       EXPECT_EQ(bench.slc(kLine), Slc::absent);
     }},
};
INSTANTIATE_TEST_SUITE_P(Reads, CmnHome, ::testing::ValuesIn(kReads), name_of);

const Story kRequests[] = {
    {"clean_unique_invalidates_the_others_and_needs_no_data",
     {.requests = 3, .misses = 1, .fills = 1, .memory = 1, .sf_hits = 2, .directed = 2, .forwarding = 1},
     [](HomeBench& bench) {
       share(bench);
       bench.rnf(0).reply = SnoopReply::dirty;
       const auto& clean = bench.perform(1, req::kCleanUnique, kLine);
       EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpCleanInvalid), 1U);
       EXPECT_EQ(clean.responses, Opcodes{rsp::kComp});
       EXPECT_EQ(clean.resp, resp::kUc);
       EXPECT_EQ(bench.slc(kLine), Slc::dirty) << "the dirty data of the snoop";
       EXPECT_EQ(bench.sharers(kLine), RnFs{1});
       EXPECT_TRUE(bench.is_unique(kLine));
     }},
    {"an_evict_takes_the_requester_from_the_entry_and_the_last_one_takes_the_entry",
     {.requests = 4, .misses = 1, .fills = 1, .memory = 1, .sf_hits = 3, .directed = 1, .forwarding = 1},
     [](HomeBench& bench) {
       share(bench);
       EXPECT_EQ(bench.perform(0, req::kEvict, kLine).responses, Opcodes{rsp::kComp});
       EXPECT_EQ(bench.sharers(kLine), RnFs{1});
       EXPECT_FALSE(bench.is_unique(kLine)) << "nobody said that it is alone now";
       bench.perform(1, req::kEvict, kLine);
       EXPECT_EQ(bench.sharers(kLine), RnFs{});
       EXPECT_EQ(bench.slc(kLine), Slc::clean);
     }},
    {"copy_backs_fill_the_slc_by_the_state_of_their_data",
     {.requests = 6, .misses = 4, .fills = 2, .memory = 1, .sf_hits = 3},
     [](HomeBench& bench) {
       bench.perform(0, req::kReadUnique, kLine);
       bench.perform(1, req::kWriteBackFull, kLine, {.data_resp = resp::kI});  // a snoop has overtaken it
       EXPECT_EQ(bench.slc(kLine), Slc::absent);
       EXPECT_EQ(bench.sharers(kLine), RnFs{0});
       bench.perform(0, req::kWriteCleanFull, kLine, {.data_resp = resp::kUdPd});
       EXPECT_EQ(bench.slc(kLine), Slc::dirty);
       EXPECT_EQ(bench.sharers(kLine), RnFs{0}) << "it keeps the line";
       bench.perform(3, req::kWriteEvictFull, kLine + 64, {.data_resp = resp::kUc});
       EXPECT_EQ(bench.slc(kLine + 64), Slc::clean);
       bench.perform(3, req::kWriteEvictFull, kLine, {.data_resp = resp::kUc});
       EXPECT_EQ(bench.slc(kLine), Slc::dirty) << "clean data does not make it clean";
       bench.perform(3, req::kWriteBackFull, kLine + 64, {.data_resp = resp::kUdPd});
       EXPECT_EQ(bench.slc(kLine + 64), Slc::dirty);
     }},
    {"a_whole_line_written_from_outside_goes_to_the_slc_if_it_is_there_or_asked_for_else_to_memory",
     {.requests = 5,
      .misses = 3,
      .fills = 2,
      .memory = 2,
      .sf_hits = 2,
      .directed = 1,
      .broadcast = 1,
      .forwarding = 1},
     [](HomeBench& bench) {
       bench.perform(*bench.rni, req::kWriteUniqueFull, kLine + 64);
       ASSERT_EQ(bench.memory->requests.size(), 1U);
       EXPECT_EQ(bench.memory->requests[0].opcode, req::kWriteNoSnpFull);
       EXPECT_GE(bench.memory->requests[0].txnid, 0x400U);
       EXPECT_EQ(bench.memory->data_flits, 2U);
       bench.perform(*bench.rni, req::kWriteUniqueFull, kLine + 64, {.allocate = true});
       EXPECT_EQ(bench.slc(kLine + 64), Slc::dirty);
       share(bench);
       // RN-F 0 writes, and it and RN-F 1 lose the line.
       EXPECT_EQ(bench.perform(0, req::kWriteUniqueFull, kLine).responses, Opcodes{rsp::kCompDbidResp});
       for (const unsigned sharer : {0U, 1U}) EXPECT_EQ(bench.rnf(sharer).snoops(snp::kSnpMakeInvalid), 1U);
       EXPECT_EQ(bench.sharers(kLine), RnFs{});
       EXPECT_EQ(bench.slc(kLine), Slc::dirty) << "it was there";
     }},
    {"a_part_of_a_line_goes_to_memory_as_a_part_unless_a_dirty_line_makes_it_whole",
     {.requests = 3, .misses = 3, .memory = 3, .sf_hits = 1, .directed = 1},
     [](HomeBench& bench) {
       const auto& to_memory = bench.memory->requests;
       bench.perform(*bench.rni, req::kWriteUniquePtl, kLine + 72, {.size = 3});
       ASSERT_EQ(to_memory.size(), 1U);
       EXPECT_EQ(to_memory[0].opcode, req::kWriteNoSnpPtl);
       EXPECT_EQ(to_memory[0].addr, kLine + 72);
       EXPECT_EQ(to_memory[0].size, 3U);
       EXPECT_EQ(bench.memory->data_flits, 1U);
       bench.perform(0, req::kReadUnique, kLine);
       bench.rnf(0).reply = SnoopReply::dirty;
       bench.perform(*bench.rni, req::kWriteUniquePtl, kLine + 8, {.size = 3});
       EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpUnique), 1U);
       ASSERT_EQ(to_memory.size(), 3U);
       EXPECT_EQ(to_memory[2].opcode, req::kWriteNoSnpFull);
       EXPECT_EQ(to_memory[2].addr, kLine);
       EXPECT_EQ(bench.memory->data_flits, 3U);
     }},
    {"clean_shared_writes_dirty_lines_and_keeps_them_clean",
     {.requests = 5, .misses = 3, .fills = 1, .memory = 3, .sf_hits = 1, .directed = 1},
     [](HomeBench& bench) {
       bench.perform(1, req::kWriteBackFull, kLine, {.data_resp = resp::kUdPd});
       EXPECT_EQ(bench.perform(*bench.rni, req::kCleanShared, kLine).responses, Opcodes{rsp::kComp});
       EXPECT_EQ(bench.slc(kLine), Slc::clean);
       EXPECT_EQ(bench.memory->requests.size(), 1U);
       bench.perform(*bench.rni, req::kCleanShared, kLine);
       EXPECT_EQ(bench.memory->requests.size(), 1U) << "it is clean already";
       bench.perform(0, req::kReadUnique, kLine + 64);
       bench.rnf(0).reply = SnoopReply::dirty;
       bench.perform(1, req::kCleanShared, kLine + 64);
       EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpCleanShared), 1U);
       EXPECT_EQ(bench.memory->requests.size(), 3U);
       EXPECT_EQ(bench.slc(kLine + 64), Slc::absent);
       EXPECT_EQ(bench.sharers(kLine + 64), RnFs{0});
     }},
    {"an_atomic_is_done_at_the_home_with_what_snoops_the_slc_or_memory_have",
     {.requests = 4, .misses = 3, .fills = 2, .memory = 2, .sf_hits = 1, .directed = 1},
     [](HomeBench& bench) {
       // The line comes from memory. Then the SLC has it.
       const auto& load = bench.perform(0, req::kAtomicLoad + 3, kLine + 8, {.size = 3});
       EXPECT_EQ(load.responses, Opcodes{rsp::kDbidResp});
       EXPECT_EQ(load.data_flits, 1U);
       EXPECT_EQ(load.resp, resp::kI);
       EXPECT_EQ(bench.slc(kLine), Slc::dirty);
       const auto& store = bench.perform(0, req::kAtomicStore, kLine + 8, {.size = 3});
       EXPECT_EQ(store.responses, Opcodes{rsp::kCompDbidResp});
       EXPECT_EQ(store.data_flits, 0U);
       // The requester itself has the line dirty, so it is snooped too.
       bench.perform(1, req::kReadUnique, kLine + 64);
       bench.rnf(1).reply = SnoopReply::dirty;
       EXPECT_EQ(bench.perform(1, req::kAtomicSwap, kLine + 64, {.size = 3}).data_flits, 1U);
       EXPECT_EQ(bench.rnf(1).snoops(snp::kSnpUnique), 1U);
       EXPECT_EQ(bench.sharers(kLine + 64), RnFs{});
       EXPECT_EQ(bench.slc(kLine + 64), Slc::dirty);
     }},
};
INSTANTIATE_TEST_SUITE_P(Requests, CmnHome, ::testing::ValuesIn(kRequests), name_of);

/// Memory refuses requests, and grants room before it says so, or afterwards.
void refuse(HomeBench& bench, bool grants_first) {
  bench.memory->grants_first = grants_first;
  bench.memory->refuses = 2;
  bench.rnf(0).request(req::kReadNoSnp, kLine, {.qos = 9});
  bench.rnf(0).request(req::kWriteNoSnpFull, kLine + 64);
  bench.settle();
  EXPECT_TRUE(bench.rnf(0).idle());
  ASSERT_EQ(bench.memory->requests.size(), 4U);
  std::map<std::uint16_t, std::vector<unsigned>> tries;
  for (const cmn::FlitFields& request : bench.memory->requests) tries[request.txnid].push_back(request.allowretry);
  EXPECT_EQ(tries, (std::map<std::uint16_t, std::vector<unsigned>>{{0, {1, 0}}, {0x400, {1, 0}}}));
  EXPECT_EQ(bench.memory->data_flits, 2U);
}
const HomeCounts kRefused{.requests = 2,
                          .look_ups = 0,
                          .memory = 4,
                          .others = {{home_event("mc_retries_local"), 2},
                                     {home_event("class_mc_reqs_local"), 2, 2},
                                     {home_event("class_mc_reqs_local"), 2, 3}}};

const Story kFlow[] = {
    {"requests_without_room_are_refused_and_get_room_in_the_order_they_came",
     {.requests = 7,  // five, and two of them again
      .look_ups = 5,
      .misses = 5,
      .fills = 5,
      .memory = 5,
      .others = {{home_event("pocq_retry"), 2},
                 {home_event("qos_hh_retry"), 1},
                 {home_event("pocq_class_retry"), 1, 0},
                 {home_event("pocq_class_retry"), 0, 1},
                 {home_event("pocq_class_retry"), 1, 2},
                 {home_event("pocq_class_retry"), 0, 3}}},
     [](HomeBench& bench) {
       bench.memory->silent = true;
       bench.rnf(0).request(req::kReadShared, kLine);
       bench.rnf(0).request(req::kReadShared, kLine + 64);
       bench.pass(kLong);
       bench.rnf(1).request(req::kReadShared, kLine + 128, {.qos = 8});
       bench.pass(kLong);
       bench.rnf(2).request(req::kReadShared, kLine + 192, {.qos = 15});
       bench.pass(kLong);
       EXPECT_EQ(bench.rnf(1).retries + bench.rnf(2).retries, 2U);
       EXPECT_EQ(bench.rnf(0).retries, 0U);
       release(bench);
       bench.settle();
       EXPECT_TRUE(bench.rnf(1).idle() && bench.rnf(2).idle());
       EXPECT_LE(bench.rnf(1)[0].done_at, bench.rnf(2)[0].done_at + 20) << "asked first";
       bench.perform(3, req::kReadShared, kLine + 256, {.qos = 15});
       EXPECT_EQ(bench.rnf(3).retries, 0U) << "nothing stays reserved";
     },
     {.pocq_entries = 2}},
    {"requests_for_a_line_go_on_one_after_the_other_the_oldest_first",
     {.requests = 4,
      .misses = 3,
      .fills = 2,  // atomic, the other line
      .memory = 3,
      .sf_hits = 1,
      .directed = 1,
      .others = {{home_event("pocq_addrhaz"), 2}, {home_event("pocq_atomic_addrhaz"), 1}}},
     [](HomeBench& bench) {
       bench.memory->silent = true;
       bench.rnf(0).request(req::kReadUnique, kLine);
       bench.pass(kLong);
       bench.rnf(1).request(req::kAtomicLoad, kLine + 8, {.size = 3});
       bench.pass(kLong);
       bench.rni->request(req::kReadOnce, kLine + 32, {.size = 5});
       bench.rnf(2).request(req::kReadShared, kLine + 64);
       bench.pass(kLong);
       EXPECT_EQ(bench.rnf(1)[0].responses.size(), 0U) << "it waits";
       EXPECT_EQ(bench.memory->requests.size(), 2U) << "another line does not";
       release(bench);
       bench.settle();
       EXPECT_LT(bench.rnf(0)[0].done_at, bench.rnf(1)[0].done_at);
       EXPECT_LT(bench.rnf(1)[0].done_at, bench.rni->transactions[0].done_at);
     }},
    {"the_least_recently_used_line_of_a_full_set_is_replaced_and_written_if_dirty",
     {.requests = 7,
      .misses = 6,
      .fills = 5,
      .replacing = 2,
      .memory = 3,
      .others = {{home_event("slc_eviction"), 1},
                 {home_event("class_mc_reqs_local"), 1, 0},  // the replaced line
                 {home_event("class_mc_reqs_local"), 2, 3}}},
     [](HomeBench& bench) {
       constexpr std::uint64_t kSet = 128;  // from one line of a set to the next
       bench.perform(0, req::kWriteBackFull, kLine, {.data_resp = resp::kUdPd});
       bench.perform(*bench.rni, req::kReadOnce, kLine + kSet, {.allocate = true});
       bench.perform(0, req::kWriteEvictFull, kLine + 64, {.data_resp = resp::kUc});     // another set
       bench.perform(*bench.rni, req::kReadOnce, kLine);                                 // used again
       bench.perform(*bench.rni, req::kReadOnce, kLine + 2 * kSet, {.allocate = true});  // for the clean line
       EXPECT_EQ(bench.slc(kLine), Slc::dirty);
       EXPECT_EQ(bench.slc(kLine + kSet), Slc::absent);
       bench.perform(0, req::kWriteBackFull, kLine + 3 * kSet, {.data_resp = resp::kUdPd});  // for the dirty
       EXPECT_EQ(bench.slc(kLine), Slc::absent);
       EXPECT_EQ(bench.slc(kLine + 64), Slc::clean);
       ASSERT_EQ(bench.memory->requests.size(), 3U);
       EXPECT_EQ(bench.memory->requests[2].opcode, req::kWriteNoSnpFull);
       EXPECT_EQ(bench.memory->requests[2].addr, kLine);
       EXPECT_EQ(bench.memory->data_flits, 2U);
       bench.perform(3, req::kEvict, kLine);
     },
     {.slc_sets = 2, .slc_ways = 2}},
    {"a_full_set_of_the_snoop_filter_takes_the_oldest_line_back_from_who_has_it",
     {.requests = 5,
      .misses = 4,
      .fills = 2,  // the shared line, and what came back dirty
      .memory = 4,
      .sf_hits = 1,
      .directed = 1,
      .forwarding = 1,
      .taken_from_one = 1,
      .taken_from_many = 1,
      .others = {{home_event("intv_dirty"), 1}}},
     [](HomeBench& bench) {
       bench.perform(0, req::kReadUnique, kLine);
       bench.rnf(1).reply = SnoopReply::forwarded;
       bench.perform(1, req::kReadShared, kLine + 64);
       bench.perform(2, req::kReadShared, kLine + 64);
       bench.rnf(1).reply = SnoopReply::none;
       bench.rnf(0).reply = SnoopReply::dirty;
       bench.perform(3, req::kReadUnique, kLine + 128);
       EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpCleanInvalid), 1U);
       EXPECT_EQ(bench.sharers(kLine), RnFs{});
       EXPECT_EQ(bench.slc(kLine), Slc::dirty);
       bench.perform(3, req::kReadUnique, kLine + 192);
       for (const unsigned sharer : {1U, 2U}) EXPECT_EQ(bench.rnf(sharer).snoops(snp::kSnpCleanInvalid), 1U);
       EXPECT_EQ(bench.sharers(kLine + 128), RnFs{3});
       EXPECT_EQ(bench.sharers(kLine + 192), RnFs{3});
     },
     {.sf_sets = 1, .sf_ways = 2}},
    {"who_wants_a_line_that_is_being_taken_back_waits_and_finds_what_came",
     {.requests = 4,
      .misses = 2,
      .fills = 1,
      .memory = 2,
      .taken_from_one = 1,
      .others = {{home_event("intv_dirty"), 1}, {home_event("seq_hit"), 2}, {home_event("pocq_addrhaz"), 1}}},
     [](HomeBench& bench) {
       bench.perform(0, req::kReadUnique, kLine);
       bench.rnf(0).reply = SnoopReply::later;
       bench.rnf(1).request(req::kReadUnique, kLine + 64);
       bench.pass(kLong);
       EXPECT_TRUE(bench.rnf(1).idle()) << "its own line is there";
       bench.rni->request(req::kReadOnce, kLine);
       bench.pass(kLong);
       bench.gateway->request(req::kReadOnce, kLine);
       bench.pass(kLong);
       EXPECT_FALSE(bench.rni->idle());
       bench.rnf(0).answer(bench.rnf(0).seen.back().fields, SnoopReply::dirty);
       bench.settle();
       EXPECT_TRUE(bench.rni->idle());
       EXPECT_TRUE(bench.gateway->idle());
     },
     {.sf_sets = 1, .sf_ways = 1}},
    {"memory_that_refuses_is_asked_again_when_it_grants_room", kRefused,
     [](HomeBench& bench) { refuse(bench, false); }},
    {"memory_that_refuses_may_grant_room_before", kRefused, [](HomeBench& bench) { refuse(bench, true); }},
};
INSTANTIATE_TEST_SUITE_P(Flow, CmnHome, ::testing::ValuesIn(kFlow), name_of);

}  // namespace
}  // namespace pmufab::cmn_home_stories_test
