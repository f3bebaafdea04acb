// SPDX-License-Identifier: Apache-2.0
// CXL.cache between a Type 2 device and its host. Expected values come from docs/cxl-messages.md, section 5.

#include <gtest/gtest.h>

#include "testbench/fabrics/cxl/tests/model/cxl_rig.h"

namespace pmufab::cxl {
namespace {

using testing::SimulationTest;
using Kind = HostOperationKind;
constexpr std::uint64_t kLine = Rig::kHostMemory;

struct CxlCache : public SimulationTest {};

TEST_F(CxlCache, each_request_is_answered_as_the_table_says) {
  HostParameters host;
  host.cache.error_base = kLine + 1'000'000 * 64;
  host.cache.error_size = 64;
  Rig rig({}, host);
  const std::uint64_t bad = host.cache.error_base;
  run([&] {
    EXPECT_EQ(rig.run_cache(d2h_req::rd_curr, kLine), "10:1 14:1");
    EXPECT_EQ(rig.cache->state(kLine), LineState::invalid);
    EXPECT_EQ(rig.run_cache(d2h_req::rd_shared, kLine), "10:3 13:4 14:1");
    EXPECT_EQ(rig.cache->state(kLine), LineState::shared);
    EXPECT_EQ(rig.run_cache(d2h_req::rd_any, kLine), "");
    EXPECT_EQ(rig.run_cache(d2h_req::rd_own, kLine), "10:2 13:4 14:1");
    EXPECT_EQ(rig.cache->state(kLine), LineState::modified);
    EXPECT_EQ(rig.run_cache(d2h_req::rd_own_no_data, kLine), "");
    EXPECT_EQ(rig.run_cache(d2h_req::clean_evict, kLine), "");
    EXPECT_EQ(rig.run_cache(d2h_req::dirty_evict, kLine), "10:10 13:5 14:0");
    EXPECT_EQ(rig.cache->state(kLine), LineState::invalid);
    EXPECT_EQ(rig.run_cache(d2h_req::dirty_evict, kLine), "");
    EXPECT_EQ(rig.run_cache(d2h_req::rd_any, kLine), "10:4 13:4 14:1");
    EXPECT_EQ(rig.cache->state(kLine), LineState::exclusive);
    EXPECT_EQ(rig.run_cache(d2h_req::clean_evict, kLine), "10:9 13:8");
    EXPECT_EQ(rig.run_cache(d2h_req::rd_shared, kLine), "10:3 13:4 14:1");
    EXPECT_EQ(rig.run_cache(d2h_req::clean_evict_no_data, kLine), "10:11 13:4");
    EXPECT_EQ(rig.run_cache(d2h_req::rd_own_no_data, kLine), "10:5 13:4");
    EXPECT_EQ(rig.run_cache(d2h_req::cl_flush, kLine), "10:10 13:5 14:0");
    EXPECT_EQ(rig.run_cache(d2h_req::cl_flush, kLine), "10:8 13:4");
    EXPECT_EQ(rig.run_cache(d2h_req::i_to_m_wr, kLine), "10:6 13:5 14:0");
    EXPECT_EQ(rig.run_cache(d2h_req::wr_cur, kLine), "10:7 13:5 14:0");
    EXPECT_EQ(rig.run_cache(d2h_req::i_to_m_wr, bad), "10:6 13:15 14:0");
    EXPECT_EQ(rig.run_cache(d2h_req::wo_wr_inv, kLine), "10:12 13:13 14:0 13:6");
    EXPECT_EQ(rig.run_cache(d2h_req::wo_wr_inv_f, kLine), "10:13 13:13 14:0 13:6");
    EXPECT_EQ(rig.run_cache(d2h_req::wr_inv, kLine), "10:14 13:1 14:0 13:4");
    EXPECT_EQ(rig.run_cache(d2h_req::cache_flushed, kLine), "10:16 13:4");
    rig.run_cache(d2h_req::rd_shared, kLine);
    EXPECT_EQ(rig.run_cache(d2h_req::wr_cur, kLine), "10:7 13:5 14:0");
    EXPECT_EQ(rig.cache->state(kLine), LineState::invalid);
    // Both ends count.
    EXPECT_EQ(rig.tally(rig.host->probes(), MessageClass::d2h_req, d2h_req::wr_cur), 2U);
    EXPECT_EQ(rig.tally(rig.device->probes(), MessageClass::d2h_req, d2h_req::wr_cur), 2U);
  });
}

TEST_F(CxlCache, each_snoop_is_answered_by_the_state_of_the_line) {
  Rig rig;
  struct Case {
    Kind snoop;
    std::uint8_t fill;  // 0: none
    const char* sent;
    LineState state;
  };
  const std::vector<Case> cases = {{Kind::snoop_data, 0, "12:1 11:4", LineState::invalid},
                                   {Kind::snoop_invalidate, 0, "12:2 11:4", LineState::invalid},
                                   {Kind::snoop_current, 0, "12:3 11:4", LineState::invalid},
                                   {Kind::snoop_data, d2h_req::rd_any, "12:1 11:1", LineState::shared},
                                   {Kind::snoop_invalidate, d2h_req::rd_shared, "12:2 11:5", LineState::invalid},
                                   {Kind::snoop_current, d2h_req::rd_any, "12:3 11:6", LineState::exclusive},
                                   {Kind::snoop_data, d2h_req::rd_own, "12:1 11:7 14:0", LineState::shared},
                                   {Kind::snoop_invalidate, d2h_req::rd_own, "12:2 11:15 14:0", LineState::invalid},
                                   {Kind::snoop_current, d2h_req::rd_own, "12:3 11:22 14:0", LineState::modified}};
  run([&] {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::uint64_t line = kLine + i * 64;
      if (cases[i].fill != 0) rig.run_cache(cases[i].fill, line);
      rig.done.clear();
      EXPECT_EQ(rig.run(cases[i].snoop, line), cases[i].sent);
      EXPECT_EQ(rig.cache->state(line), cases[i].state);
      EXPECT_EQ(rig.done.size(), 1U);
    }
  });
}

TEST_F(CxlCache, a_full_cache_evicts_the_line_used_least_recently) {
  HostParameters host;
  host.cache.take_clean = true;
  Rig rig({}, host);  // four lines
  run([&] {
    rig.run_cache(d2h_req::rd_own, kLine);
    for (const unsigned i : {1U, 2U, 3U}) rig.run_cache(d2h_req::rd_shared, kLine + i * 64);
    rig.run_cache(d2h_req::rd_own, kLine);  // a hit
    EXPECT_EQ(rig.run_cache(d2h_req::rd_any, kLine + 256), "10:4 13:4 14:1 10:9 13:5 14:0");
    EXPECT_EQ(rig.cache->state(kLine + 64), LineState::invalid);
    rig.run_cache(d2h_req::rd_any, kLine + 320);
    rig.run_cache(d2h_req::rd_any, kLine + 384);
    EXPECT_EQ(rig.run_cache(d2h_req::rd_any, kLine + 448), "10:4 13:4 14:1 10:10 13:5 14:0");
  });
}

TEST_F(CxlCache, requests_and_snoops_of_a_line_go_one_after_the_other) {
  Rig rig;
  run([&] {
    rig.run_cache(d2h_req::rd_own, kLine);
    rig.wires.seen.clear();
    // The snoop is sent first, and takes the line whose eviction is under way. The host holds the eviction until it has
    // the data.
    rig.issue(Kind::snoop_invalidate, kLine);
    rig.cache->issue(d2h_req::dirty_evict, kLine, 0, rig);
    EXPECT_EQ(rig.cache->issue(d2h_req::rd_own, kLine, 0, rig), IssueResult::blocked);
    rig.settle();
    EXPECT_EQ(rig.wires.sent(), "12:2 10:10 11:15 14:0 13:5 14:0");
    EXPECT_EQ(rig.unblocks, 1U);
    // The host is busy with a request, so the snoop waits for the request's last answer.
    rig.wires.seen.clear();
    rig.cache->issue(d2h_req::rd_own, kLine, 0, rig);
    testing::advance(30'000);
    rig.issue(Kind::snoop_data, kLine);
    rig.issue(Kind::snoop_data, kLine + 64);  // waits behind it
    rig.settle();
    EXPECT_EQ(rig.wires.sent(), "10:2 13:4 14:1 12:1 12:1 11:7 14:0 11:4");
  });
}

TEST_F(CxlCache, the_devices_own_memory_is_forwarded_to_it) {
  Rig rig;
  run([&] {
    const auto accesses = [&] { return rig.ddr(14) * 100 + rig.ddr(15); };
    EXPECT_EQ(rig.run_cache(d2h_req::rd_own, Rig::kD), "10:2 20:3");
    EXPECT_EQ(rig.run_cache(d2h_req::rd_curr, Rig::kD), "10:1 20:3");
    EXPECT_EQ(accesses(), 200U);
    EXPECT_EQ(rig.run_cache(d2h_req::rd_own_no_data, Rig::kD), "10:5 20:3");
    EXPECT_EQ(accesses(), 200U);
    EXPECT_EQ(rig.run_cache(d2h_req::wo_wr_inv, Rig::kD), "10:12 20:4");
    EXPECT_EQ(rig.run_cache(d2h_req::wo_wr_inv_f, Rig::kD), "10:13 20:4");
    EXPECT_EQ(accesses(), 202U);
    EXPECT_EQ(rig.cache->state(Rig::kD), LineState::invalid);
    EXPECT_EQ(rig.run_cache(d2h_req::cl_flush, Rig::kD), "10:8 13:4");
    EXPECT_EQ(rig.done.size(), 6U);
  });
}

}  // namespace
}  // namespace pmufab::cxl
