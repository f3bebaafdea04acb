// SPDX-License-Identifier: Apache-2.0
// How requests pass a home: retries, hazards, replaced lines, memory that refuses, time. docs/cmn-nodes.md, rules 1.6,
// 1.10 and 3.1 to 3.9.

#include <map>

#include <gtest/gtest.h>

#include "models/cmn/wire/mesh_observer.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_home_rig.h"

namespace pmufab::cmn_home_flow_test {
namespace {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
using cmn::HomeNode;
using testing::HomeBench;
using testing::HomeCounting;
using testing::HomeSetup;
using testing::kLine;
using testing::release;
using testing::SnoopReply;
using E = cmn::HomeEvent;
using Slc = HomeNode::SlcState;
namespace req = cmn::chi::req;
namespace rsp = cmn::chi::rsp;
namespace snp = cmn::chi::snp;
namespace resp = cmn::chi::resp;

using CmnHomeFlow = testing::SimulationTest;

constexpr Cycle kLong = 400;  // time for a message and its answer

// High half of the event select of an HN-F of CMN-700.
constexpr std::uint32_t class_filter(std::uint32_t value) { return value << 3U; }

TEST_F(CmnHomeFlow, requests_without_room_are_refused_and_get_room_in_the_order_they_came) {
  HomeSetup setup;
  setup.parameters.pocq_entries = 2;
  HomeCounting counting(setup, {{E::pocq_reqs_recvd, 7},  // five, and two of them again
                                {E::pocq_retry, 2},
                                {E::qos_hh_retry, 1},
                                {E::pocq_class_retry, 1, class_filter(0)},
                                {E::pocq_class_retry, 0, class_filter(1)},
                                {E::pocq_class_retry, 1, class_filter(2)},
                                {E::pocq_class_retry, 0, class_filter(3)},
                                {E::slc_sf_cache_access, 5},
                                {E::cache_miss, 5},
                                {E::cache_fill, 5},
                                {E::slc_fill_invalid_way, 5},
                                {E::mc_reqs_local, 5}});
  run([&] {
    counting.check([](HomeBench& bench) {
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
      bench.perform(bench.rnf(3), req::kReadShared, kLine + 256, {.qos = 15});
      EXPECT_EQ(bench.rnf(3).retries, 0U) << "nothing stays reserved";
    });
  });
}

TEST_F(CmnHomeFlow, a_reserved_place_is_kept_for_its_sender) {
  HomeSetup setup;
  setup.parameters.pocq_entries = 1;
  HomeBench bench("cmn0", setup);
  run([&] {
    bench.memory->silent = true;
    bench.rnf(0).request(req::kReadNoSnp, kLine);
    bench.pass(kLong);
    // A sender that gets a credit and does not use it immediately.
    FlitFields request;
    request.tgtid = bench.addresses.nodes(cmn::DeviceKind::home)[0];
    request.opcode = req::kReadNoSnp;
    request.size = 6;
    request.allowretry = 1;
    request.txnid = 0;
    bench.gateway->transactions.emplace_back();
    bench.gateway->transactions[0].request = request;
    bench.gateway->transactions[0].request.tgtid = bench.memory->node_id;  // where a second try is harmless
    bench.gateway->send(Channel::req, request);
    bench.pass(kLong);
    release(bench);
    bench.pass(kLong);
    EXPECT_TRUE(bench.rnf(0).idle());
    bench.memory->requests.clear();
    bench.rnf(1).request(req::kReadNoSnp, kLine);
    bench.pass(kLong);
    EXPECT_EQ(bench.rnf(1).retries, 1U) << "the only place is reserved for the gateway";
    EXPECT_FALSE(bench.rnf(1).idle());
    request.allowretry = 0;
    bench.gateway->send(Channel::req, request);
    bench.settle();
    EXPECT_TRUE(bench.rnf(1).idle());
  });
}

TEST_F(CmnHomeFlow, requests_for_a_line_go_on_one_after_the_other_the_oldest_first) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 4},
                             {E::pocq_addrhaz, 2},
                             {E::pocq_atomic_addrhaz, 1},
                             {E::slc_sf_cache_access, 4},
                             {E::cache_miss, 3},
                             {E::cache_fill, 2},  // atomic, the other line
                             {E::slc_fill_invalid_way, 2},
                             {E::sf_hit, 1},
                             {E::snp_sent, 1},
                             {E::dir_snoops_sent, 1},
                             {E::mc_reqs_local, 3}});
  run([&] {
    counting.check([](HomeBench& bench) {
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
    });
  });
}

TEST_F(CmnHomeFlow, the_least_recently_used_line_of_a_full_set_is_replaced_and_written_if_dirty) {
  HomeSetup setup;
  setup.parameters.slc_sets = 2;
  setup.parameters.slc_ways = 2;
  HomeCounting counting(setup, {{E::pocq_reqs_recvd, 7},
                                {E::slc_sf_cache_access, 7},
                                {E::cache_miss, 6},
                                {E::cache_fill, 5},
                                {E::slc_fill_invalid_way, 3},
                                {E::slc_eviction, 1},
                                {E::mc_reqs_local, 3},
                                {E::class_mc_reqs_local, 1, class_filter(0)},  // the replaced line
                                {E::class_mc_reqs_local, 2, class_filter(3)}});
  run([&] {
    counting.check([](HomeBench& bench) {
      constexpr std::uint64_t kSet = 128;  // from one line of a set to the next
      bench.perform(bench.rnf(0), req::kWriteBackFull, kLine, {.data_resp = resp::kUdPd});
      bench.perform(*bench.rni, req::kReadOnce, kLine + kSet, {.allocate = true});
      bench.perform(bench.rnf(0), req::kWriteEvictFull, kLine + 64, {.data_resp = resp::kUc});  // another set
      bench.perform(*bench.rni, req::kReadOnce, kLine);                                         // used again
      bench.perform(*bench.rni, req::kReadOnce, kLine + 2 * kSet, {.allocate = true});          // for the clean line
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::dirty);
      EXPECT_EQ(bench.home->slc_state(kLine + kSet), Slc::absent);
      bench.perform(bench.rnf(0), req::kWriteBackFull, kLine + 3 * kSet, {.data_resp = resp::kUdPd});  // for the dirty
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::absent);
      EXPECT_EQ(bench.home->slc_state(kLine + 64), Slc::clean);
      ASSERT_EQ(bench.memory->requests.size(), 3U);
      EXPECT_EQ(bench.memory->requests[2].opcode, req::kWriteNoSnpFull);
      EXPECT_EQ(bench.memory->requests[2].addr, kLine);
      EXPECT_EQ(bench.memory->data_flits, 2U);
      bench.perform(bench.rnf(3), req::kEvict, kLine);
    });
  });
}

TEST_F(CmnHomeFlow, a_full_set_of_the_snoop_filter_takes_the_oldest_line_back_from_who_has_it) {
  HomeSetup setup;
  setup.parameters.sf_sets = 1;
  setup.parameters.sf_ways = 2;
  HomeCounting counting(setup, {{E::pocq_reqs_recvd, 5},
                                {E::slc_sf_cache_access, 5},
                                {E::cache_miss, 4},
                                {E::cache_fill, 2},  // the shared line, and what came back dirty
                                {E::slc_fill_invalid_way, 2},
                                {E::mc_reqs_local, 4},
                                {E::sf_hit, 1},
                                {E::sf_evictions, 2},
                                {E::sf_evict_shared_line, 1},
                                {E::snp_sent, 3},
                                {E::dir_snoops_sent, 1},
                                {E::snp_fwded, 1},
                                {E::sfbi_dir_snp_sent, 1},
                                {E::sfbi_brd_snp_sent, 1},
                                {E::intv_dirty, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(0), req::kReadUnique, kLine);
      bench.rnf(1).reply = SnoopReply::forwarded;
      bench.perform(bench.rnf(1), req::kReadShared, kLine + 64);
      bench.perform(bench.rnf(2), req::kReadShared, kLine + 64);
      bench.rnf(1).reply = SnoopReply::none;
      bench.rnf(0).reply = SnoopReply::dirty;
      bench.perform(bench.rnf(3), req::kReadUnique, kLine + 128);
      EXPECT_EQ(bench.rnf(0).snoops(snp::kSnpCleanInvalid), 1U);
      EXPECT_TRUE(bench.home->tracked(kLine).rn_fs.empty());
      EXPECT_EQ(bench.home->slc_state(kLine), Slc::dirty);
      bench.perform(bench.rnf(3), req::kReadUnique, kLine + 192);
      EXPECT_EQ(bench.rnf(1).snoops(snp::kSnpCleanInvalid) + bench.rnf(2).snoops(snp::kSnpCleanInvalid), 2U);
      EXPECT_EQ(bench.home->tracked(kLine + 128).rn_fs.size(), 1U);
      EXPECT_EQ(bench.home->tracked(kLine + 192).rn_fs.size(), 1U);
    });
  });
}

TEST_F(CmnHomeFlow, who_wants_a_line_that_is_being_taken_back_waits_and_finds_what_came) {
  HomeSetup setup;
  setup.parameters.sf_sets = 1;
  setup.parameters.sf_ways = 1;
  HomeCounting counting(setup, {{E::pocq_reqs_recvd, 4},
                                {E::slc_sf_cache_access, 4},
                                {E::cache_miss, 2},
                                {E::cache_fill, 1},
                                {E::slc_fill_invalid_way, 1},
                                {E::mc_reqs_local, 2},
                                {E::sf_evictions, 1},
                                {E::snp_sent, 1},
                                {E::sfbi_dir_snp_sent, 1},
                                {E::intv_dirty, 1},
                                {E::seq_hit, 2},
                                {E::pocq_addrhaz, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.perform(bench.rnf(0), req::kReadUnique, kLine);
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
    });
  });
}

TEST_F(CmnHomeFlow, a_set_of_the_snoop_filter_grows_while_all_its_lines_are_in_use) {
  HomeSetup setup;
  setup.parameters.sf_sets = 1;
  setup.parameters.sf_ways = 1;
  HomeCounting counting(setup, {{E::pocq_reqs_recvd, 4},
                                {E::slc_sf_cache_access, 4},
                                {E::cache_miss, 4},
                                {E::mc_reqs_local, 4},
                                {E::sf_evictions, 1},
                                {E::snp_sent, 1},
                                {E::sfbi_dir_snp_sent, 1}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.memory->silent = true;
      for (unsigned i = 0; i < 3; ++i) {
        bench.rnf(i).request(req::kReadUnique, kLine + 64 * i);
        bench.pass(kLong);
      }
      release(bench);
      bench.settle();
      for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(bench.home->tracked(kLine + 64 * i).rn_fs.size(), 1U);
      bench.perform(bench.rnf(3), req::kReadUnique, kLine + 640);
      EXPECT_EQ(bench.home->tracked(kLine).rn_fs.size(), 0U) << "one goes, the oldest";
      EXPECT_EQ(bench.home->tracked(kLine + 64).rn_fs.size(), 1U);
    });
  });
}

class CmnHomeMemory : public testing::SimulationTest, public ::testing::WithParamInterface<bool> {};

TEST_P(CmnHomeMemory, that_refuses_is_asked_again_when_it_grants_room) {
  HomeCounting counting({}, {{E::pocq_reqs_recvd, 2},
                             {E::mc_reqs_local, 4},
                             {E::mc_retries_local, 2},
                             {E::class_mc_reqs_local, 2, class_filter(2)},
                             {E::class_mc_reqs_local, 2, class_filter(3)}});
  run([&] {
    counting.check([](HomeBench& bench) {
      bench.memory->grants_first = GetParam();
      bench.memory->refuses = 2;
      bench.rnf(0).request(req::kReadNoSnp, kLine, {.qos = 9});
      bench.rnf(0).request(req::kWriteNoSnpFull, kLine + 64);
      bench.settle();
      EXPECT_TRUE(bench.rnf(0).idle());
      ASSERT_EQ(bench.memory->requests.size(), 4U);
      std::map<std::uint16_t, std::vector<unsigned>> tries;
      for (const FlitFields& request : bench.memory->requests) tries[request.txnid].push_back(request.allowretry);
      EXPECT_EQ(tries, (std::map<std::uint16_t, std::vector<unsigned>>{{0, {1, 0}}, {0x400, {1, 0}}}));
      EXPECT_EQ(bench.memory->data_flits, 2U);
    });
  });
}

INSTANTIATE_TEST_SUITE_P(WithCreditsLateAndEarly, CmnHomeMemory, ::testing::Bool());

TEST_F(CmnHomeFlow, writes_beyond_the_numbers_there_are_wait_for_one) {
  HomeBench bench("cmn0", {});
  run([&] {
    bench.memory->silent = true;
    for (unsigned i = 0; i < 1'030; ++i) {
      bench.rnf(0).request(req::kWriteNoSnpFull, kLine + std::uint64_t{64} * i);
      if (i % 16 == 15) bench.pass(kLong);
    }
    bench.pass(kLong);
    EXPECT_TRUE(bench.rnf(0).idle()) << "nobody waits for memory to take writes";
    ASSERT_EQ(bench.memory->requests.size(), 0x400U);
    EXPECT_EQ(bench.memory->requests.back().txnid, 0x7ffU);
    release(bench);
    bench.settle();
    ASSERT_EQ(bench.memory->requests.size(), 1'030U);
    EXPECT_EQ(bench.memory->requests.back().addr, kLine + std::uint64_t{64} * 1'029);
    EXPECT_EQ(bench.memory->data_flits, 2'060U);
  });
}

TEST_F(CmnHomeFlow, every_message_of_the_home_takes_its_latency) {
  HomeSetup slow;
  slow.parameters.latency = 112;
  HomeBench first("cmn0", {});
  HomeBench second("cmn1", slow);
  run([&] {
    const auto time_of = [](HomeBench& bench) {
      bench.pass(10);  // cycle 0 is over before a story begins
      const Cycle began = bench.cycle();
      return bench.perform(bench.rnf(0), req::kReadShared, kLine).done_at - began;
    };
    const Cycle fast = time_of(first);
    EXPECT_EQ(time_of(second), fast + 2 * 100) << "a request for memory, and the data";
  });
}

/// Records when requests and acknowledgements reach the home (rule 1.1).
class Watcher final : public cmn::MeshObserver {
 public:
  explicit Watcher(HomeBench& bench) : mesh_(bench.mesh), home_(bench.addresses.nodes(cmn::DeviceKind::home)[0]) {
    mesh_.set_observer(this);
  }
  void on_upload(Picoseconds /*when*/, unsigned /*xp*/, unsigned /*port*/, Channel channel, std::uint32_t flit,
                 const FlitFields& fields) override {
    flits_[flit] = {channel, fields};
  }
  void on_cycle(Picoseconds when, std::span<const cmn::MeshPulse> pulses) override {
    for (const cmn::MeshPulse& pulse : pulses) {
      if (pulse.event != cmn::FlitEvent::valid || pulse.interface < cmn::Interface::port0) continue;
      const auto& [channel, fields] = flits_.at(pulse.handle);
      if (fields.tgtid != home_) continue;
      const Cycle arrival = mesh_.clock().edges_before(when) + 1 + 1;  // link_delay 1
      if (channel == Channel::req) starts += arrival;
      if (channel == Channel::rsp && fields.opcode == rsp::kCompAck) ends += arrival;
    }
  }
  std::uint64_t starts = 0;
  std::uint64_t ends = 0;

 private:
  cmn::Mesh& mesh_;
  std::uint16_t home_;
  std::map<std::uint32_t, std::pair<Channel, FlitFields>> flits_;
};

TEST_F(CmnHomeFlow, occupancies_count_entries_from_the_arrival_of_the_request_to_that_of_the_last_message) {
  HomeSetup setup;
  setup.parameters.pocq_entries = 128;  // no request is refused
  HomeBench bench("cmn0", setup);
  Watcher watcher(bench);
  run([&] {
    ASSERT_TRUE(bench.driver.probe(bench.mesh.layout().root_offset()));
    const auto homes = bench.driver.find(static_cast<unsigned>(cmn::NodeType::hn_f));
    auto all = bench.driver.open(homes, 0x0f);
    auto of_class_0 = bench.driver.open(homes, 0x26);
    for (unsigned i = 0; i < 40; ++i) {
      bench.rnf(0).request(req::kReadUnique, kLine + std::uint64_t{64} * i, {.qos = 15});
      bench.rnf(1).request(req::kReadShared, kLine + std::uint64_t{64} * (i + 100), {.qos = 15});
      bench.pass(3);
    }
    bench.settle();
    const std::uint64_t sum = watcher.ends - watcher.starts;
    EXPECT_EQ(bench.home->pocq_occupancy().sum(0, bench.cycle()), sum);
    EXPECT_EQ(bench.home->pocq_occupancy().sum(1, bench.cycle()), sum) << "all are reads";
    EXPECT_EQ(bench.home->pocq_occupancy().sum(2, bench.cycle()), 0U);
    EXPECT_GT(sum, 80U * 40);
    EXPECT_EQ(bench.driver.close(all), sum / 256);
    EXPECT_EQ(bench.driver.close(of_class_0), sum / 256);
  });
}

}  // namespace
}  // namespace pmufab::cmn_home_flow_test
