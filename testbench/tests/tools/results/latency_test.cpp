// SPDX-License-Identifier: Apache-2.0
// How long readings and traffic take, how long windows and handlers last, in the results of runs.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing::latency_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

constexpr const char* kUcf = "platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}\n";

class TimesOfRun : public Cli {
 protected:
  std::vector<Json> run(const std::string& text, const std::vector<std::string>& options = {}) {
    const std::string file = (folder / "result.json").string();
    outcome = pmufab(with({"run", write("s.yaml", "name: s\n" + text), "--drivers", "newest", "--json", file, "--csv",
                           (folder / "result.csv").string(), "--verbose"},
                          options));
    std::vector<Json> runs;
    const Json results = Json::parse(std::ifstream(file), nullptr, false);
    if (!results.is_discarded()) runs = results.at("runs").get<std::vector<Json>>();
    return runs;
  }
  static Json traffic_of(const Json& run, const std::string& name) {
    for (const Json& one : run.at("traffic")) {
      if (one.at("name") == name) return one;
    }
    return {};
  }
  static void expect_order(const Json& latency) {
    const auto value = [&](const char* key) { return latency.at(key).get<double>(); };
    EXPECT_LE(value("minimum"), value("p50")) << latency;
    EXPECT_LE(value("p50"), value("p99")) << latency;
    EXPECT_LE(value("p99"), value("p999")) << latency;
    EXPECT_LE(value("p999"), value("maximum")) << latency;
    EXPECT_LE(value("minimum"), value("mean")) << latency;
    EXPECT_LE(value("mean"), value("maximum")) << latency;
  }
  Outcome outcome;
};

// A reading is so many register accesses, and nothing else takes time.
TEST_F(TimesOfRun, readings_take_as_long_as_their_register_accesses) {
  const auto runs = run(std::string(kUcf) +
                        "duration: 200 us\n"
                        "measure: [{start: 1 us, interval: 10 us, events: [nvidia_ucf_pmu_0/cycles/]}]\n"
                        "matrix: {host.access_latency: [100 ns, 300 ns]}\n");
  ASSERT_EQ(runs.size(), 2U) << outcome.out << outcome.err;
  std::vector<Json> latencies;
  for (const Json& one : runs) latencies.push_back(one["measures"][0]["counters"][0]["reading_latency_ps"]);
  for (const Json& latency : latencies) {
    expect_order(latency);
    EXPECT_EQ(latency["count"], 19U);  // the last one comes when the event is off
    EXPECT_EQ(latency["minimum"], latency["maximum"]);
  }
  EXPECT_GE(latencies[0]["minimum"].get<std::uint64_t>(), 100'000U);
  EXPECT_EQ(latencies[0]["minimum"].get<std::uint64_t>() % 100'000, 0U);
  EXPECT_EQ(3 * latencies[0]["p99"].get<std::uint64_t>(), latencies[1]["p99"].get<std::uint64_t>());
  EXPECT_THAT(outcome.out, ContainsRegex("\n +[0-9.]+ ns .*  readings of nvidia_ucf_pmu_0/cycles/"));
}

TEST_F(TimesOfRun, readings_wait_for_a_cpu_that_is_away) {
  const auto runs = run(std::string(kUcf) +
                        "duration: 1 ms\n"
                        "host: {access_latency: 1 ns, away: {every: 100 us, for: 40 us}}\n"
                        "measure: [{start: 1 us, interval: 3 us, events: [nvidia_ucf_pmu_0/cycles/]}]\n");
  ASSERT_EQ(runs.size(), 1U) << outcome.out << outcome.err;
  const Json& latency = runs[0]["measures"][0]["counters"][0]["reading_latency_ps"];
  EXPECT_LT(latency["p50"].get<double>(), 1e6);
  EXPECT_GT(latency["p99"].get<double>(), 20e6);
  EXPECT_LE(latency["maximum"].get<double>(), 41e6);
}

TEST_F(TimesOfRun, requests_have_latencies_and_wait_for_their_limit) {
  const auto runs = run(std::string(kUcf) + R"(traffic:
  - generators:
      - {name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {kind: exponential, requests_per_us: 400}, outstanding: 8}
duration: 100 us
measure: [{start: 1 us, events: [nvidia_ucf_pmu_0/slc_access_rd/]}]
matrix: {"traffic[0].generators[0].outstanding": [0, 2]}
)");
  ASSERT_EQ(runs.size(), 2U) << outcome.out << outcome.err;
  for (const Json& one : runs) {
    const Json gpu = traffic_of(one, "gpu");
    const Json& latency = gpu.at("latency_ps");
    expect_order(latency);
    EXPECT_EQ(latency["count"], gpu["issued"]);
    EXPECT_EQ(latency["maximum"], gpu["maximum_latency_ps"]);
    EXPECT_NEAR(latency["mean"].get<double>(), gpu["mean_latency_ps"].get<double>(), 1);
  }
  EXPECT_EQ(traffic_of(runs[0], "gpu")["stalls"]["outstanding_limit_ps"], 0U);
  EXPECT_GT(traffic_of(runs[1], "gpu")["stalls"]["outstanding_limit_ps"].get<std::uint64_t>(), 1'000'000U);
  EXPECT_THAT(outcome.out, ContainsRegex("latency of\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("  gpu\n"));
}

TEST_F(TimesOfRun, flits_and_operations_of_a_mesh_have_latencies_in_cycles) {
  const auto runs = run(std::string("platform: ") + PMUFAB_SOURCE_DIR + R"(/scenarios/platforms/cmn600-small.yaml
mesh_traffic: [{name: flits, channel: rsp, pattern: hotspot, hot_share: 1, rate: 0.01}]
chi_traffic: [{name: loads, ranges: [{base: 0, size: 1 MiB}]}]
duration: 50 us
measure: [{start: 1 us, events: [arm_cmn_0/mxp_p0_rsp_txflit_valid/]}]
matrix: {"mesh_traffic[0].rate": [0.01, 1]}
)");
  ASSERT_EQ(runs.size(), 2U) << outcome.out << outcome.err;
  for (const Json& one : runs) {
    const Json flits = traffic_of(one, "flits");
    expect_order(flits.at("latency_cycles"));
    EXPECT_EQ(flits["latency_cycles"]["count"], flits["issued"]);  // all have arrived when the run ends
    const Json loads = traffic_of(one, "loads");
    expect_order(loads.at("latency_cycles"));
    EXPECT_EQ(loads["latency_cycles"]["count"], loads["completed"]);
    EXPECT_EQ(loads["latency_cycles"]["mean"], loads["mean_latency_cycles"]);
  }
  const Json idle = traffic_of(runs[0], "flits");
  const Json full = traffic_of(runs[1], "flits");
  EXPECT_NEAR(idle["offered"].get<double>(), idle["issued"].get<double>(), 20);
  // A port takes a flit per cycle. More is offered than it takes, and the queue of the last flit is as long as the run.
  EXPECT_GT(full["offered"].get<double>(), 2 * full["issued"].get<double>());
  EXPECT_GT(full["latency_cycles"]["p99"].get<double>(), 20 * idle["latency_cycles"]["p99"].get<double>());
  // All flits go to one crosspoint: its ports are the busiest, and take one per cycle.
  EXPECT_THAT(runs[1]["busiest"]["cmn0"]["resource"].get<std::string>(), HasSubstr("xp0.p"));
  EXPECT_THAT(runs[1]["busiest"]["cmn0"]["resource"].get<std::string>(), HasSubstr("channel rsp"));
  EXPECT_NEAR(runs[1]["busiest"]["cmn0"]["use"].get<double>(), 1, 0.05);
  EXPECT_GT(full["stalls"]["port_cycles"].get<double>(), 100 * idle["stalls"]["port_cycles"].get<double>());
}

TEST_F(TimesOfRun, cxl_operations_have_latencies_and_wait) {
  const auto runs = run(R"(platform:
  kind: cxl
  cxl:
    - decoders: [{base: 0x100_0000_0000, size: 1 GiB}]
      cpmus: [{groups: [{group: m2s_req}]}]
cxl_traffic: [{name: reads, ranges: [{base: 0x100_0000_0000, size: 1 MiB}], outstanding: 1}]
duration: 50 us
measure: [{start: 1 us, events: [cxl_pmu_mem0.0/m2s_req_memrd/]}]
)");
  ASSERT_EQ(runs.size(), 1U) << outcome.out << outcome.err;
  const Json reads = traffic_of(runs[0], "reads");
  expect_order(reads.at("latency_ps"));
  EXPECT_EQ(reads["latency_ps"]["count"], reads["completed"]);
  // One after the other: something is due all the time, and waits for the one before. The first begins at once.
  const double busy = reads["latency_ps"]["mean"].get<double>() * reads["completed"].get<double>();
  EXPECT_NEAR(reads["stalls"]["outstanding_limit_ps"].get<double>(), busy, 0.02 * busy);
}

TEST_F(TimesOfRun, csv_has_intervals_traffic_seed_and_window) {
  const auto runs = run(std::string(kUcf) + R"(seed: 7
traffic: [{generators: [{name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}]}]}]
duration: 50 us
measure: [{name: m, start: 1 us, stop: 41 us, interval: 20 us, events: [nvidia_ucf_pmu_0/slc_access_rd/]}]
)");
  ASSERT_EQ(runs.size(), 1U) << outcome.out << outcome.err;
  std::istringstream csv(read(folder / "result.csv"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(csv, line);) lines.push_back(line);
  const auto columns = [](const std::string& line) {
    std::vector<std::string> all(1);
    for (const char letter : line) letter == ',' ? all.emplace_back() : all.back() += letter;
    return all;
  };
  const std::vector<std::string> head = columns(lines.at(0));
  const auto at = [&](std::size_t line, const std::string& name) {
    const auto found = std::find(head.begin(), head.end(), name);
    EXPECT_NE(found, head.end()) << name;
    return columns(lines.at(line)).at(static_cast<std::size_t>(found - head.begin()));
  };
  std::vector<std::string> kinds;
  for (std::size_t line = 1; line < lines.size(); ++line) {
    EXPECT_EQ(columns(lines[line]).size(), head.size()) << lines[line];
    EXPECT_EQ(at(line, "seed"), "7");
    kinds.push_back(at(line, "row"));
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"counter", "interval", "interval", "traffic"}));
  const Json& measure = runs[0]["measures"][0];
  EXPECT_EQ(at(1, "start_ps"), measure["start_ps"].dump());
  EXPECT_EQ(at(1, "stop_ps"), measure["stop_ps"].dump());
  std::uint64_t sum = 0;
  for (std::size_t line = 2; line <= 3; ++line) sum += std::stoull(at(line, "driver"));
  EXPECT_EQ(std::to_string(sum), at(1, "driver"));
  EXPECT_EQ(at(2, "start_ps"), at(1, "start_ps"));
  EXPECT_EQ(at(3, "start_ps"), at(2, "stop_ps"));
  EXPECT_EQ(at(4, "event"), "gpu");
  EXPECT_EQ(at(4, "driver"), traffic_of(runs[0], "gpu")["issued"].dump());
  EXPECT_EQ(at(4, "latency_p999"), traffic_of(runs[0], "gpu")["latency_ps"]["p999"].dump());
}

constexpr const char* kShortWindow =
    "duration: 3 ms\n"
    "measure: [{name: m, start: 1 us, window: 20 us, events: [nvidia_ucf_pmu_0/cycles/]}]\n";

TEST_F(TimesOfRun, a_window_that_register_accesses_stretch_is_told) {
  EXPECT_EQ(run(std::string(kUcf) + kShortWindow).size(), 1U);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, Not(HasSubstr("window:")));
  const auto stretched = run(std::string(kUcf) + kShortWindow + "host: {access_latency: 100 us}\n");
  ASSERT_EQ(stretched.size(), 1U);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, ContainsRegex("window: 20.000 us were asked for, and events were on for [1-9][0-9.]+ [um]s: "
                                         "register accesses and interrupt handlers stretched it"));
  EXPECT_EQ(stretched[0]["measures"][0]["window_ps"], 20'000'000U);
}

TEST_F(TimesOfRun, a_window_with_a_tolerance_must_be_kept) {
  const auto with = [&](const std::string& tolerance, const std::string& latency) {
    run(std::string(kUcf) + kShortWindow,
        {"--set", "measure[0].tolerance=" + tolerance, "--set", "host.access_latency=" + latency});
    return outcome.exit_code;
  };
  EXPECT_EQ(with("1 us", "1 ns"), 0) << outcome.out;
  EXPECT_EQ(with("1 us", "10 us"), 1) << outcome.out;
  EXPECT_THAT(outcome.out, ContainsRegex("FAILED +window: 20.000 us were asked for"));
  EXPECT_EQ(with("0", "1 ns"), 1) << outcome.out;
  EXPECT_EQ(with("0", "0"), 0) << outcome.out;
  run(std::string(kUcf) + "duration: 1 ms\nmeasure: [{events: [nvidia_ucf_pmu_0/cycles/], tolerance: 1 us}]\n");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("measure[0].tolerance"), HasSubstr("does not say how long it counts")));
}

TEST_F(TimesOfRun, a_storm_of_interrupts_fails_with_its_time_its_pmu_and_its_share) {
  const std::string narrow =
      R"(platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4, ucf_pmu: {width: 8}}}
traffic: [{generators: [{name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {requests_per_us: 500}}]}]
duration: 2 ms
measure: [{start: 1 us, stop: 1900 us, events: [nvidia_ucf_pmu_0/slc_access_rd/]}]
)";
  EXPECT_EQ(run(narrow + "host: {interrupt_delay: 5 us}\n").size(), 1U);
  EXPECT_THAT(outcome.out, Not(HasSubstr("storm")));
  // 128 events after each handler, which take a quarter of a microsecond, it is called again.
  const auto runs = run(narrow + "host: {handler_time: 10 us}\n");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out,
              ContainsRegex("FAILED interrupts: a storm from [0-9.]+ [um]s on: for 1\\.[89][0-9]+ ms, 1[678]0 handler "
                            "calls of interrupt 288 \\(nvidia_ucf_pmu_0\\) took 9[678]\\.[0-9] % of the time"));
  const double handlers = runs[0]["interrupts"]["handler_time_ps"].get<double>();
  EXPECT_NEAR(handlers / 1.899e9, 0.975, 0.02);
}

TEST_F(TimesOfRun, a_storm_that_never_lets_go_ends_the_run_in_a_panic) {
  // 128 cycles after each handler, before a task has done anything, it is called again.
  const auto runs = run(std::string(kUcf) +
                        R"(duration: 2 ms
measure: [{start: 1 us, stop: 1900 us, events: [nvidia_ucf_pmu_0/cycles/]}]
host: {handler_time: 10 us, access_latency: 100 ns}
matrix: {platform.tegra410.ucf_pmu.width: [8, 20]}
)");
  ASSERT_EQ(runs.size(), 2U) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out,
              AllOf(ContainsRegex("FAILED kernel_panic: .*the CPU is locked up: for 20 ms, interrupt handlers "
                                  "have let nothing else run; the last was that of interrupt 288"),
                    ContainsRegex("FAILED interrupts: a storm .* \\(nvidia_ucf_pmu_0\\) took")));
  EXPECT_EQ(runs[1]["status"], "passed");
  EXPECT_GT(runs[0]["interrupts"]["handled"].get<unsigned>(), 1000U);
}

TEST_F(TimesOfRun, a_cpu_that_is_away_for_long_is_not_locked_up) {
  // Readings wait for it, and so do handlers. What wraps meanwhile is lost.
  const auto runs = run(std::string(kUcf) +
                        R"(duration: 80 ms
measure: [{start: 1 us, stop: 70 ms, interval: 1 ms, events: [nvidia_ucf_pmu_0/cycles/]}]
host: {away: {every: 30 ms, for: 25 ms}}
matrix: {platform.tegra410.ucf_pmu.width: [20]}
)");
  ASSERT_EQ(runs.size(), 1U) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("FAILED: s"), Not(HasSubstr("locked up"))));
  EXPECT_GT(runs[0]["interrupts"]["handled"], 10);
}

TEST_F(TimesOfRun, a_handler_that_takes_long_is_no_lockup) {
  const auto runs = run(std::string(kUcf) +
                        R"(duration: 40 ms
measure: [{start: 1 us, stop: 2 ms, events: [nvidia_ucf_pmu_0/cycles/]}]
host: {handler_time: 25 ms}
matrix: {platform.tegra410.ucf_pmu.width: [20]}
)");
  ASSERT_EQ(runs.size(), 1U) << outcome.out << outcome.err;
  EXPECT_EQ(runs[0]["interrupts"]["handled"], 1);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
}

TEST_F(TimesOfRun, derived_figures_are_reported_without_a_comparison) {
  const std::string text =
      std::string(kUcf) + R"(traffic: [{generators: [{name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}]}]}]
duration: 100 us
measure: [{start: 1 us, events: ["{nvidia_cmem_latency_pmu_0/rd_req/,nvidia_cmem_latency_pmu_0/rd_cum_outs/,nvidia_cmem_latency_pmu_0/cycles/}"]}]
matrix: {"measure[0].compare": [exact, none]}
)";
  const auto runs = run(text);
  ASSERT_EQ(runs.size(), 2U) << outcome.out << outcome.err;
  const Json& compared = runs[0]["measures"][0]["derived"];
  const Json& reported = runs[1]["measures"][0]["derived"];
  ASSERT_GT(compared.size(), 0U);
  ASSERT_EQ(compared.size(), reported.size());
  for (std::size_t i = 0; i < compared.size(); ++i) EXPECT_EQ(compared[i]["value"], reported[i]["value"]);
}

TEST_F(TimesOfRun, a_mistake_that_all_variants_share_is_told_once) {
  run(std::string(kUcf) +
      "duration: 10 us\n"
      "measure: [{events: [nvidia_ucf_pmu_0/slc_acces_rd/]}]\n"
      "matrix: {seed: [1, 2, 3, 4, 5, 6, 7, 8]}\n");
  EXPECT_EQ(outcome.exit_code, 2);
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
    return times;
  };
  EXPECT_EQ(count(outcome.err, "unknown event or term 'slc_acces_rd'"), 1U) << outcome.err;
  EXPECT_EQ(count(outcome.out, "BAD INPUT"), 2U) << outcome.out;  // its own line, and one of the summary
  EXPECT_THAT(outcome.out, HasSubstr("and 7 more runs with the same mistake"));
}

TEST_F(TimesOfRun, traffic_that_an_option_has_made_by_mistake_is_told_as_such) {
  run(std::string("platform: ") + PMUFAB_SOURCE_DIR + R"(/scenarios/platforms/cmn600-small.yaml
mesh_traffic: [{name: flits}]
duration: 10 us
measure: [{events: [arm_cmn_0/mxp_p0_req_txflit_valid/]}]
)",
      {"--set", "mesh_traffic[1].rate=0.5"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("mesh_traffic[1]: the key 'name' is missing"), HasSubstr("behind the last")));
}

TEST_F(TimesOfRun, what_has_no_effect_or_is_of_the_wrong_kind_is_refused) {
  const std::string mesh = std::string("platform: ") + PMUFAB_SOURCE_DIR +
                           "/scenarios/platforms/cmn600-small.yaml\nduration: 10 us\n"
                           "measure: [{events: [arm_cmn_0/mxp_p0_req_txflit_valid/]}]\n";
  run(mesh, {"--set", "platform.meshes[0].pmu.carry_queue=2"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("pmu.carry_queue"), HasSubstr("carries_per_cycle")));
  run(mesh, {"--set", "duration=[1 us]"});
  EXPECT_THAT(outcome.err, HasSubstr("duration: must be a time, not a list"));
}

TEST_F(TimesOfRun, a_group_that_is_too_large_is_told_as_such) {
  std::string events;
  for (unsigned i = 0; i < 9; ++i) events += std::string(i == 0 ? "" : ",") + "nvidia_ucf_pmu_0/slc_access_rd/";
  run(std::string(kUcf) + "duration: 10 us\nmeasure: [{events: ['{" + events + "}']}]\n");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("a group's 9 events count at the same time: has the PMU as many counters"));
}

}  // namespace
}  // namespace pmufab::testing::latency_test
