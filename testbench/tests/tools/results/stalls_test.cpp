// SPDX-License-Identifier: Apache-2.0
// What CHI and CXL operations wait for, in the results of runs. The numbers follow from latencies and durations.
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing::stalls_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class Stalls : public Cli {
 protected:
  /// @return the first traffic of the first run
  Json run(const std::string& text, const std::vector<std::string>& options = {}) {
    const std::string file = (folder / "result.json").string();
    outcome = pmufab(with(
        {"run", write("s.yaml", "name: s\n" + text), "--drivers", "newest", "--json", file, "--verbose"}, options));
    const Json results = Json::parse(std::ifstream(file), nullptr, false);
    if (results.is_discarded()) return {};
    whole = results.at("runs").at(0);
    return whole.at("traffic").at(0);
  }
  /// CHI traffic of RN-F 0 of a small mesh of 2 GHz for exactly 40,000 cycles. @param keys  of the traffic
  Json chi(const std::string& keys, const std::vector<std::string>& options = {}) {
    return run(std::string("platform: ") + PMUFAB_SOURCE_DIR +
                   "/scenarios/platforms/cmn600-small.yaml\n"
                   "chi_traffic: [{name: loads, duration: 20 us, " +
                   keys +
                   "}]\n"
                   "duration: 30 us\n"
                   "measure: [{start: 1 us, events: [arm_cmn_0/mxp_p0_req_txflit_valid/]}]\n",
               options);
  }
  /// CXL traffic below a root port. Nothing refreshes or sleeps. @param keys  of the traffic
  Json cxl(const std::string& keys, const std::vector<std::string>& options = {}) {
    return run(
        "platform:\n"
        "  kind: cxl\n"
        "  cxl:\n"
        "    - decoders: [{base: 0x100_0000_0000, size: 1 GiB, coherency: HDM-DB}, {base: 0x100_4000_0000, size: 1 "
        "GiB}]\n"
        "      cpmus: [{groups: [{group: m2s_req}]}]\n"
        "      link: {latency: 20 ns}\n"
        "      memory: {ddr: {refresh: none, power_down_after: 0, self_refresh_after: 0}}\n"
        "cxl_traffic: [{name: reads, " +
            keys +
            "}]\n"
            "duration: 30 us\n"
            "measure: [{start: 1 us, events: [cxl_pmu_mem0.0/m2s_req_memrd/]}]\n",
        options);
  }
  static std::uint64_t of(const Json& traffic, const char* cause) {
    return traffic.at("stalls").at(cause).get<std::uint64_t>();
  }
  /// All cycles, or all time, that is told of.
  static std::uint64_t sum(const Json& traffic) {
    std::uint64_t all = 0;
    for (const auto& [cause, amount] : traffic.at("stalls").items()) all += amount.get<std::uint64_t>();
    return all;
  }
  static std::uint64_t latency(const Json& traffic, const char* list, const char* key) {
    return traffic.at(list).at(key).get<std::uint64_t>();
  }
  Outcome outcome;
  Json whole;
};

constexpr std::uint64_t kCycles = 40'000;
constexpr const char* kOneLine = "mix: {read_no_snp: 1}, size: 64, numbers: [0], ranges: [{base: 0, size: 64}], ";

TEST_F(Stalls, one_chi_request_at_a_time_waits_for_its_latency) {
  const Json loads = chi(std::string(kOneLine) + "outstanding: 1");
  ASSERT_TRUE(loads.is_object()) << outcome.out << outcome.err;
  const std::uint64_t each = latency(loads, "latency_cycles", "minimum");
  EXPECT_EQ(each, latency(loads, "latency_cycles", "maximum"));
  // One begins in the cycle in which the one before ends. All other cycles wait for the limit.
  const std::uint64_t issued = (kCycles + each - 1) / each;
  EXPECT_EQ(loads["issued"], issued);
  EXPECT_EQ(of(loads, "issuing_cycles"), issued);
  EXPECT_EQ(of(loads, "outstanding_limit_cycles"), kCycles - issued);
  EXPECT_EQ(sum(loads), kCycles);
  EXPECT_EQ(loads["idle_latency_cycles"], each);
  EXPECT_EQ(loads["loaded_latency_cycles"].get<double>(), static_cast<double>(each));
  EXPECT_THAT(outcome.out, ContainsRegex("\n +limit +answer +credit +link +idle  waited for by\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("\n +[0-9,]+ cycles +0 cycles +0 cycles +0 cycles +0 cycles  loads\n"));
}

TEST_F(Stalls, a_chi_count_ends_the_time_that_is_told_of) {
  const Json loads = chi(std::string(kOneLine) + "outstanding: 1, count: 50");
  const std::uint64_t each = latency(loads, "latency_cycles", "maximum");
  EXPECT_EQ(of(loads, "issuing_cycles"), 50U);
  EXPECT_EQ(of(loads, "outstanding_limit_cycles"), 49 * (each - 1));
  EXPECT_EQ(of(loads, "idle_cycles"), 0U);
  EXPECT_EQ(sum(loads), 49 * each + 1);
}

TEST_F(Stalls, chi_operations_on_one_line_wait_for_its_answer) {
  const Json loads = chi(std::string(kOneLine) + "outstanding: 8");
  const std::uint64_t each = latency(loads, "latency_cycles", "p50");
  // Each waits for the one before, which has the line. The limit is never reached.
  EXPECT_EQ(of(loads, "outstanding_limit_cycles"), 0U);
  EXPECT_NEAR(static_cast<double>(of(loads, "issuing_cycles")),
              static_cast<double>(kCycles) / static_cast<double>(each), 2);
  EXPECT_EQ(of(loads, "answer_cycles") + of(loads, "issuing_cycles"), sum(loads));
  // The last one was due before the end, and began behind it.
  EXPECT_GE(sum(loads), kCycles);
  EXPECT_LE(sum(loads), kCycles + each);
}

TEST_F(Stalls, chi_operations_at_a_rate_are_idle_between) {
  const Json loads = chi(std::string(kOneLine) + "rate: 0.0001, outstanding: 1");
  EXPECT_GT(of(loads, "issuing_cycles"), 0U);
  EXPECT_LT(of(loads, "issuing_cycles"), 20U);
  EXPECT_EQ(of(loads, "issuing_cycles"), loads["issued"].get<std::uint64_t>());
  EXPECT_EQ(sum(loads), kCycles);
  EXPECT_GT(of(loads, "idle_cycles"), kCycles * 9 / 10);
  // At a rate far above what one request at a time can do, nothing is idle behind the first.
  const Json full = chi(std::string(kOneLine) + "rate: 1, outstanding: 1");
  EXPECT_EQ(of(full, "idle_cycles"), 0U);
  EXPECT_GE(sum(full), kCycles);
}

TEST_F(Stalls, chi_requests_wait_for_credits_of_a_home_with_one_entry) {
  const Json loads =
      chi("mix: {read_no_snp: 1}, size: 64, ranges: [{base: 0, size: 1 MiB, pattern: stream}], "
          "outstanding: 16",
          {"--set", "platform.meshes[0].nodes.home.pocq_entries=1"});
  ASSERT_TRUE(loads.is_object()) << outcome.out << outcome.err;
  EXPECT_EQ(sum(loads), 4 * kCycles);  // four RN-Fs
  EXPECT_GT(of(loads, "credit_cycles"), sum(loads) / 2);
  const Json& home = whole["busiest"]["cmn0_homes"];
  EXPECT_THAT(home["resource"].get<std::string>(), HasSubstr("POCQ of home 0x"));
  EXPECT_GT(home["use"].get<double>(), 0.5);
  EXPECT_DOUBLE_EQ(home["use"].get<double>(), home["stall"].get<double>());  // one entry: in use is full
}

TEST_F(Stalls, chi_requests_wait_for_their_port) {
  // Raw flits take the ports of requesters in nine of ten cycles.
  const Json raw =
      chi("mix: {read_no_snp: 1}, size: 64, outstanding: 4, ranges: [{base: 0, size: 1 MiB, pattern: stream}]",
          {"--set", "mesh_traffic=[{name: raw, channel: req, pattern: neighbour, rate: 0.9}]"});
  ASSERT_EQ(raw["name"], "raw") << outcome.out << outcome.err;
  const Json loads = whole["traffic"][1];
  EXPECT_GT(of(loads, "port_cycles"), 4000U);
  EXPECT_EQ(of(loads, "credit_cycles"), 0U);
  EXPECT_EQ(sum(loads), 4 * kCycles);  // four RN-Fs
  EXPECT_THAT(outcome.out, ContainsRegex("\n +- +- +- +[0-9,]+ cycles +-  raw\n"));
}

TEST_F(Stalls, slow_memory_is_the_busiest) {
  const Json loads =
      chi("mix: {read_no_snp: 1}, size: 64, numbers: [0], outstanding: 16, "
          "ranges: [{base: 0, size: 64 KiB, pattern: stream}]",
          {"--set", "platform.meshes[0].nodes.sn_f.cycles_per_request=100"});
  const Json& memory = whole["busiest"]["cmn0_memory"];
  EXPECT_THAT(memory["resource"].get<std::string>(), HasSubstr("SN-F 0x"));
  EXPECT_GT(memory["use"].get<double>(), 0.3);
  EXPECT_GT(loads["loaded_latency_cycles"].get<double>(), 2 * loads["idle_latency_cycles"].get<double>());
  EXPECT_THAT(outcome.out, ContainsRegex("busiest of cmn0_memory: SN-F 0x[0-9a-f]+, used in [0-9.]+ % of the cycles; "
                                         "requests waited in [0-9.]+ %"));
}

constexpr const char* kOneCxlLine = "ranges: [{base: 0x100_4000_0000, size: 64}], ";

TEST_F(Stalls, one_cxl_operation_at_a_time_waits_for_its_latency) {
  const Json reads = cxl(std::string(kOneCxlLine) + "outstanding: 1, count: 100");
  ASSERT_TRUE(reads.is_object()) << outcome.out << outcome.err;
  EXPECT_EQ(reads["completed"], 100U);
  const std::uint64_t each = latency(reads, "latency_ps", "p50");
  const auto all = static_cast<std::uint64_t>(std::llround(reads["latency_ps"]["mean"].get<double>() * 100));
  // The first opens its row. Behind the last one nothing waits. By default 1 ns passes before the next one is due.
  EXPECT_EQ(latency(reads, "latency_ps", "minimum"), each);
  EXPECT_EQ(of(reads, "idle_ps"), 99 * 1000U);
  EXPECT_EQ(of(reads, "outstanding_limit_ps") + of(reads, "link_ps"), all - each - 99 * 1000U);
  EXPECT_EQ(of(reads, "target_ps"), 0U);
  EXPECT_EQ(of(reads, "link_ps"), 0U);
  EXPECT_EQ(reads["idle_latency_ps"], latency(reads, "latency_ps", "minimum"));
}

TEST_F(Stalls, cxl_time_is_all_told) {
  constexpr std::uint64_t kTime = 20'000'000;
  const Json paced =
      cxl(std::string(kOneCxlLine) + "duration: 20 us, pacing: {kind: fixed, requests_per_us: 1}, outstanding: 4");
  ASSERT_TRUE(paced.is_object()) << outcome.out << outcome.err;
  EXPECT_EQ(of(paced, "idle_ps"), kTime);  // each ends long before the next is due
  EXPECT_EQ(sum(paced), kTime);
  const Json busy = cxl("ranges: [{base: 0x100_4000_0000, size: 1 MiB}], duration: 20 us, outstanding: 4");
  EXPECT_LE(of(busy, "idle_ps"), busy["issued"].get<std::uint64_t>() * 1000);  // 1 ns from one to the next
  EXPECT_GE(sum(busy), kTime);
  EXPECT_LE(sum(busy), kTime + latency(busy, "latency_ps", "maximum"));
}

TEST_F(Stalls, cxl_operations_on_one_line_wait_for_its_answer) {
  const Json stores =
      cxl("mix: {write: 1}, ranges: [{base: 0x100_0000_0000, size: 64}], duration: 20 us, outstanding: 8");
  ASSERT_TRUE(stores.is_object()) << outcome.out << outcome.err;
  EXPECT_EQ(of(stores, "outstanding_limit_ps"), 0U);
  EXPECT_GT(of(stores, "target_ps"), 19'000'000U);
}

TEST_F(Stalls, cxl_requests_wait_for_a_link_with_one_credit) {
  // A message and its credit are 40 ns under way, so no more than 500 of each class go in 20 us.
  const Json reads = cxl("ranges: [{base: 0x100_4000_0000, size: 1 MiB}], duration: 20 us, outstanding: 16",
                         {"--set", "platform.cxl[0].link.credits=1"});
  ASSERT_TRUE(reads.is_object()) << outcome.out << outcome.err;
  EXPECT_LE(reads["issued"].get<unsigned>(), 500U + 16);
  EXPECT_GT(of(reads, "link_ps"), 19'000'000U);
  EXPECT_GE(sum(reads), 20'000'000U);
  EXPECT_LE(sum(reads), 20'000'000U + latency(reads, "latency_ps", "maximum"));
  const Json& busiest = whole["busiest"]["cxl"];
  EXPECT_THAT(busiest["resource"].get<std::string>(), HasSubstr("M2S Req"));
  EXPECT_LE(busiest["use"].get<double>(), 1);
  EXPECT_GT(busiest["stall"].get<double>(), 0.5);
  EXPECT_THAT(outcome.out, ContainsRegex("busiest of cxl: [a-z0-9_.]+, M2S Req, used in [0-9.]+ % of the time; "
                                         "requests waited in [0-9.]+ %"));
}

}  // namespace
}  // namespace pmufab::testing::stalls_test
