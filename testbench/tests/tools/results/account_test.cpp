// SPDX-License-Identifier: Apache-2.0
// What happened, was counted and was reported, in the files and tables of runs. The same traffic is counted by wide
// counters, which miss nothing: that is what must have happened to narrow ones.
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing::account_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class AccountOfRun : public Cli {
 protected:
  /// @return the results of a scenario's variants: all counters of each, in order.
  std::vector<std::vector<Json>> run(const std::string& text) {
    const std::string file = (folder / "result.json").string();
    outcome = pmufab({"run", write("s.yaml", text), "--drivers", "newest", "--json", file, "--csv",
                      (folder / "result.csv").string(), "--verbose"});
    std::vector<std::vector<Json>> runs;
    const Json results = Json::parse(std::ifstream(file));
    for (const Json& one : results.at("runs")) {
      std::vector<Json> counters;
      for (const Json& measure : one.at("measures")) {
        for (const Json& counter : measure.at("counters")) counters.push_back(counter);
      }
      for (const Json& counter : counters) expect_sum(counter);
      runs.push_back(std::move(counters));
    }
    return runs;
  }
  static std::int64_t number(const Json& counter, const char* key) { return counter.at(key).get<std::int64_t>(); }
  static std::int64_t lost(const Json& counter, const char* cause) {
    return counter.at("loss").at(cause).get<std::int64_t>();
  }
  static void expect_sum(const Json& counter) {
    std::int64_t sum = 0;
    for (const auto& [cause, amount] : counter.at("loss").items()) sum += amount.get<std::int64_t>();
    EXPECT_EQ(sum, number(counter, "happened") - number(counter, "reported")) << counter;
    EXPECT_EQ(counter.at("counted"), counter.at("expected"));
    EXPECT_EQ(counter.at("reported"), counter.at("driver"));
  }
  Outcome outcome;
};

TEST_F(AccountOfRun, of_narrow_counters_has_what_wide_ones_count) {
  const auto runs = run(R"(name: widths
platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
matrix: {"platform.tegra410.ucf_pmu.width": [10, 64]}
traffic:
  - generators:
      - name: gpu
        requester: {kind: gpu}
        targets: [{memory: cmem}]
        pacing: {kind: fixed, requests_per_us: 200}
        phases: [{start: 20 us, count: 20000}]
duration: 200 us
measure:
  - events: [nvidia_ucf_pmu_0/slc_access_rd/]
    start: 10 us
    stop: 190 us
)");
  ASSERT_EQ(runs.size(), 2U) << outcome.out << outcome.err;
  const Json& narrow = runs[0].at(0);
  const Json& wide = runs[1].at(0);
  EXPECT_EQ(number(wide, "reported"), 20'000);
  EXPECT_EQ(number(wide, "happened"), 20'000);
  EXPECT_EQ(number(narrow, "happened"), 20'000);
  EXPECT_LT(number(narrow, "counted"), 20'000);
  EXPECT_EQ(narrow.at("check"), "exact");
  EXPECT_EQ(lost(narrow, "handler"), 20'000 - number(narrow, "reported"));
  EXPECT_THAT(outcome.out, HasSubstr("(lost: "));
  const std::string csv = read(folder / "result.csv");
  EXPECT_THAT(csv, HasSubstr(",note,happened,counted,reported,scaled,loss_handler,loss_reading,loss_not_scheduled,"));
  EXPECT_THAT(csv, HasSubstr(",20000,20000,20000,20000,0,0,0,0,0,0,0,0,0,counter,1,10"));
}

TEST_F(AccountOfRun, that_lost_nothing_makes_no_column) {
  run(R"(name: nothing lost
platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
traffic:
  - generators:
      - {name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {kind: fixed, requests_per_us: 200}}
duration: 100 us
measure: [{events: [nvidia_ucf_pmu_0/slc_access_rd/, nvidia_ucf_pmu_0/slc_bytes_rd/], start: 10 us}]
)");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("happened")));
}

// Ten events take turns on seven counters. The same happens to each; perf's estimate stands beside it.
TEST_F(AccountOfRun, of_events_that_take_turns_has_what_others_counted) {
  const auto runs = run(R"(name: turns
platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
host: {rotation: 10 us, access_latency: 1 ns}
traffic:
  - generators:
      - name: gpu
        requester: {kind: gpu}
        targets: [{memory: cmem}]
        pacing: {kind: fixed, requests_per_us: 200}
        phases: [{start: 30 us, count: 20000}]
duration: 200 us
measure:
  - events: [&reads nvidia_ucf_pmu_0/slc_access_rd/, *reads, *reads, *reads, *reads]
    start: 10 us
    stop: 190 us
  - events: [*reads, *reads, *reads, *reads, *reads]
    start: 10 us
    stop: 190 us
)");
  ASSERT_EQ(runs.size(), 1U) << outcome.out << outcome.err;
  ASSERT_EQ(runs[0].size(), 10U);
  for (const Json& counter : runs[0]) {
    EXPECT_EQ(number(counter, "happened"), 20'000);
    EXPECT_GT(lost(counter, "not_scheduled"), 1'000);
    EXPECT_GT(number(counter, "scaled"), number(counter, "reported"));
    EXPECT_NEAR(static_cast<double>(number(counter, "scaled")), 20'000, 6'000);
    for (const char* const cause : {"handler", "reading", "frozen", "carry_lost", "ambiguous_wrap", "unexplained"})
      EXPECT_EQ(lost(counter, cause), 0) << cause;
  }
}

// A CPMU freezes its counters at an overflow, and the reference software's handler lets them go on. What comes in between
// is lost for all of them: for the delay, and for a handler that was inside when the overflow came.
TEST_F(AccountOfRun, of_frozen_counters_has_what_passed_until_the_handler_came) {
  const auto runs = run(R"(name: freeze
platform:
  kind: cxl
  cxl:
    - decoders: [{base: 0x100_0000_0000, size: 1 GiB}]
      cpmus: [{groups: [{group: m2s_req}, {group: queue_occupancy}], counters: 4, width: 12}]
host: {reader: reference}
matrix: {host.interrupt_delay: [0, 2 us, 20 us]}
cxl_traffic:
  - name: host
    mix: {read: 3, write: 1}
    ranges: [{base: 0x100_0000_0000, size: 64 MiB}]
    pacing: {kind: exponential, requests_per_us: 100}
duration: 320 us
measure:
  - start: 1 us
    window: 300 us
    compare: none
    events:
      - cxl_pmu_mem0.0/m2s_req_memrd/
      - cxl_pmu_mem0.0/vid=0x1e98,gid=0x8001,mask=0x1/
      - cxl_pmu_mem0.0/vid=0x1e98,gid=0x8001,mask=0x1,threshold=4/
)");
  ASSERT_EQ(runs.size(), 3U) << outcome.out << outcome.err;
  for (const std::vector<Json>& counters : runs) {
    for (const Json& counter : counters) {
      for (const char* const cause : {"carry_lost", "ambiguous_wrap", "unexplained"})
        EXPECT_EQ(lost(counter, cause), 0) << cause << " of " << counter;
      EXPECT_GE(lost(counter, "frozen"), 0);
    }
  }
  for (const std::size_t late : {1U, 2U}) {
    for (const Json& counter : runs[late]) EXPECT_GT(lost(counter, "frozen"), lost(counter, "handler"));
  }
}

// One flit in every second cycle at port 0 of eight crosspoints: their counters of 16 bits wrap after 65 us.
TEST_F(AccountOfRun, of_carries_under_way_has_them) {
  const auto runs = run(std::string(R"(name: carries
platform: )") + PMUFAB_SOURCE_DIR +
                        R"(/scenarios/platforms/cmn600-small.yaml
host: {access_latency: 1 ns}
mesh_traffic: [{name: requests, channel: req, pattern: neighbour, rate: 1, start: 5 us, count: 66000}]
duration: 160 us
matrix:
  - platform.meshes[0].pmu.carry_latency: [0, 10 us, 200 us]
  - platform.meshes[0].pmu.carries_per_cycle: [1]
    platform.meshes[0].pmu.carry_queue: [2]
measure:
  - {events: [arm_cmn_0/mxp_p0_req_txflit_valid/], start: 1 us, stop: 150 us, compare: none}
)");
  ASSERT_EQ(runs.size(), 4U) << outcome.out << outcome.err;
  const std::int64_t all = number(runs[0].at(0), "reported");
  EXPECT_EQ(all, 8 * 66'000);
  for (const std::vector<Json>& counters : runs) EXPECT_EQ(number(counters.at(0), "happened"), all);
  EXPECT_EQ(number(runs[1].at(0), "reported"), all);
  EXPECT_EQ(lost(runs[2].at(0), "carry_under_way"), 8 * 65'536);
  EXPECT_EQ(number(runs[2].at(0), "reported"), all - 8 * 65'536);
  EXPECT_GT(lost(runs[3].at(0), "carry_lost"), 0);
  EXPECT_EQ(lost(runs[3].at(0), "carry_lost") % 65'536, 0);
  EXPECT_EQ(lost(runs[3].at(0), "unexplained"), 0);
  // Nobody judged a count.
  EXPECT_THAT(outcome.out, Not(HasSubstr("PASSED")));
}

}  // namespace
}  // namespace pmufab::testing::account_test
