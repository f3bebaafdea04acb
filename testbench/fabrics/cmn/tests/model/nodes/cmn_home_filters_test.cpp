// SPDX-License-Identifier: Apache-2.0
// What home nodes report to the filters of event select registers: docs/cmn-nodes.md, rules 3.8 and 3.9.

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/model/nodes/cmn_home_rig.h"

namespace pmufab::cmn_home_filters_test {
namespace {

using cmn::Cycle;
using testing::HomeBench;
using testing::HomeCounting;
using testing::HomeSetup;
using testing::kLine;
using testing::release;
using testing::SnoopReply;
using E = cmn::HomeEvent;
namespace req = cmn::chi::req;
namespace resp = cmn::chi::resp;

using CmnHomeFilters = testing::SimulationTest;

constexpr Cycle kLong = 400;  // time for a message and its answer

// High half of the event select of an HN-S of CMN-700.
constexpr std::uint32_t hbt_filter(std::uint32_t value) { return value << 5U; }

TEST_F(CmnHomeFilters, an_hn_s_tells_lines_of_the_other_mesh_from_its_own) {
  HomeSetup setup;
  setup.home = cmn::NodeType::hn_s;
  constexpr std::uint64_t kRemote = std::uint64_t{1} << 47U;
  HomeCounting counting(setup,
                        {{E::pocq_reqs_recvd, 5, hbt_filter(0)},
                         {E::pocq_reqs_recvd, 2, hbt_filter(1)},
                         {E::pocq_reqs_recvd, 3, hbt_filter(2)},
                         {E::cache_miss, 2, hbt_filter(1)},
                         {E::cache_miss, 1, hbt_filter(2)},
                         {E::cache_fill, 2, hbt_filter(0)},
                         {E::cache_fill, 1, hbt_filter(1)},
                         {E::cache_fill, 1, hbt_filter(2)},
                         {E::sf_hit, 0, hbt_filter(1)},
                         {E::sf_hit, 1, hbt_filter(2)},
                         {E::mc_reqs_local, 1, 0},
                         {E::mc_reqs_local, 1, 1U << 7U},  // sn
                         {E::mc_reqs_local, 0, 2U << 7U},  // home
                         {E::mc_reqs_remote, 0, 0}},
                        true);
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(0), req::kReadShared, kLine);                                           // own: memory
      bench.perform(bench.rnf(0), req::kWriteBackFull, kRemote + kLine, {.data_resp = resp::kUdPd});  // other
      bench.perform(bench.rnf(1), req::kReadShared, kRemote + kLine);                                 // other: SLC
      bench.perform(bench.rnf(1), req::kEvict, kRemote + kLine);                                      // other
      bench.perform(bench.rnf(0), req::kEvict, kLine + 64);                                           // own
    });
  });
}

// High half of the event select of an HN-S of CMN S3 r2.
constexpr std::uint32_t s3_occupancy(std::uint32_t value) { return value; }
constexpr std::uint32_t s3_vc(std::uint32_t value) { return value << 14U; }
constexpr std::uint32_t s3_enhanced(std::uint32_t value) { return value << 16U; }
constexpr std::uint32_t s3_evict(std::uint32_t value) { return value << 20U; }

HomeSetup s3_r2() {
  HomeSetup setup;
  setup.product = cmn::Product::s3;
  setup.revision = 3;
  setup.home = cmn::NodeType::hn_s;
  return setup;
}

TEST_F(CmnHomeFilters, an_s3_r2_filters_requests_by_kind_and_origin) {
  HomeCounting counting(s3_r2(),
                        {{E::pocq_reqs_recvd, 6, s3_occupancy(0)},
                         {E::pocq_reqs_recvd, 4, s3_occupancy(1)},   // read
                         {E::pocq_reqs_recvd, 1, s3_occupancy(2)},   // write
                         {E::pocq_reqs_recvd, 0, s3_occupancy(3)},   // atomic
                         {E::pocq_reqs_recvd, 1, s3_occupancy(4)},   // stash
                         {E::pocq_reqs_recvd, 0, s3_occupancy(6)},   // lbt
                         {E::pocq_reqs_recvd, 6, s3_occupancy(7)},   // hbt
                         {E::pocq_reqs_recvd, 2, s3_occupancy(8)},   // rnf
                         {E::pocq_reqs_recvd, 2, s3_occupancy(9)},   // rni
                         {E::pocq_reqs_recvd, 1, s3_occupancy(10)},  // ccglcn
                         {E::pocq_reqs_recvd, 1, s3_occupancy(11)},  // ccgrn
                         {E::cache_miss, 5, s3_enhanced(0)},
                         {E::cache_miss, 5, s3_enhanced(1)},
                         {E::cache_miss, 0, s3_enhanced(2)},
                         {E::cache_miss, 2, s3_enhanced(3)},
                         {E::cache_miss, 1, s3_enhanced(4)},
                         {E::cache_miss, 1, s3_enhanced(5)},
                         {E::cache_miss, 1, s3_enhanced(6)},
                         {E::readonce_hazard_detected, 1, s3_enhanced(0)},
                         {E::readonce_hazard_detected, 1, s3_enhanced(4)},
                         {E::pocq_addrhaz, 0, s3_enhanced(3)}},
                        true);
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.memory->silent = true;
      bench.rnf(0).request(req::kReadShared, kLine);
      bench.pass(kLong);
      bench.rni->request(req::kReadOnce, kLine);  // waits, then hits
      bench.pass(kLong);
      release(bench);
      bench.settle();
      bench.perform(bench.rnf(0), req::kWriteUniqueFull, kLine + 64);
      bench.perform(*bench.rni, req::kStashOnceShared, kLine + 128);
      bench.perform(*bench.gateway, req::kReadOnce, kLine + 192, {.lpid = 1});
      bench.perform(*bench.gateway, req::kReadOnce, kLine + 192);
    });
  });
}

TEST_F(CmnHomeFilters, an_s3_r2_filters_evictions_by_the_state_of_the_line) {
  HomeSetup setup = s3_r2();
  setup.parameters.sf_sets = setup.parameters.sf_ways = 1;
  setup.parameters.slc_sets = setup.parameters.slc_ways = 1;
  HomeCounting counting(setup,
                        {{E::sf_evictions, 2, s3_evict(0)},
                         {E::sf_evictions, 0, s3_evict(1)},
                         {E::sf_evictions, 1, s3_evict(2)},  // en
                         {E::sf_evictions, 0, s3_evict(3)},
                         {E::sf_evictions, 1, s3_evict(4)},  // sn
                         {E::slc_eviction, 2, s3_evict(0)},
                         {E::slc_eviction, 1, s3_evict(5)},   // mu
                         {E::slc_eviction, 1, s3_evict(6)}},  // mn
                        true);
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(0), req::kReadUnique, kLine);
      bench.perform(bench.rnf(1), req::kReadUnique, kLine + 64);  // takes the unique line back
      bench.rnf(1).reply = SnoopReply::forwarded_dirty;
      bench.perform(bench.rnf(2), req::kReadShared, kLine + 64);  // dirty in the SLC, shared by two
      bench.rnf(1).reply = SnoopReply::none;
      bench.perform(bench.rnf(0), req::kWriteBackFull, kLine, {.data_resp = resp::kUdPd});  // replaces a tracked line
      bench.perform(bench.rnf(0), req::kWriteEvictFull, kLine + 128, {.data_resp = resp::kUc});  // an untracked one
      bench.perform(bench.rnf(3), req::kReadUnique, kLine + 192);  // takes the shared line back
    });
  });
}

TEST_F(CmnHomeFilters, snoops_are_filtered_by_the_channel_they_go_on) {
  HomeSetup setup = s3_r2();
  setup.two_channels = true;
  HomeCounting counting(setup,
                        {{E::snp_sent, 1, s3_vc(0)},
                         {E::snp_sent, 1, s3_vc(1)},
                         {E::snp_sent, 2, s3_vc(2)},  // the reset value of the field: all
                         {E::snp_fwded, 1, s3_vc(0)},
                         {E::dir_snoops_sent, 1, s3_vc(1)}},
                        true);
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(0), req::kReadUnique, kLine);
      bench.perform(bench.rnf(0), req::kReadUnique, kLine + 64);
      bench.rnf(0).reply = SnoopReply::forwarded;
      bench.perform(bench.rnf(1), req::kReadUnique, kLine);  // entry 0
      bench.memory->silent = true;
      bench.rnf(2).request(req::kReadNoSnp, kLine + 640);  // has entry 0
      bench.pass(kLong);
      bench.rnf(1).request(req::kReadUnique, kLine + 64);  // entry 1
      bench.pass(kLong);
      bench.memory->silent = false;
      bench.memory->answer(bench.memory->requests.back());
      bench.settle();
    });
  });
}

}  // namespace
}  // namespace pmufab::cmn_home_filters_test
