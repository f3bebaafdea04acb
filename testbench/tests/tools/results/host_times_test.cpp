// SPDX-License-Identifier: Apache-2.0
// Times of the CPUs that a scenario sets: late and lost interrupts, long handlers, CPUs that are away. What they do to
// counts follows from the rate of the traffic.
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing::host_times_test {
namespace {

using Json = nlohmann::json;

/// Counters that wrap several times, of each kind of platform.
const std::map<std::string, std::string>& wrapping() {
  static const std::map<std::string, std::string> scenarios = {
      {"tegra410",
       R"(platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4, ucf_pmu: {width: 12}}}
traffic: [{generators: [{name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {requests_per_us: 200}}]}]
duration: 100 us
measure: [{start: 1 us, compare: none, events: [nvidia_ucf_pmu_0/slc_access_rd/]}]
)"},
      {"cmn", std::string("platform: ") + PMUFAB_SOURCE_DIR + R"(/scenarios/platforms/cmn600-small.yaml
mesh_traffic: [{name: requests, channel: req, pattern: neighbour, rate: 1}]
duration: 200 us
measure: [{start: 1 us, compare: none, events: [arm_cmn_0/mxp_p0_req_txflit_valid/]}]
)"},
      {"cxl", R"(platform:
  kind: cxl
  cxl:
    - decoders: [{base: 0x100_0000_0000, size: 1 GiB}]
      cpmus: [{groups: [{group: m2s_req}], width: 10}]
cxl_traffic: [{name: reads, ranges: [{base: 0x100_0000_0000, size: 1 MiB}], pacing: {kind: fixed, requests_per_us: 50}}]
duration: 100 us
measure: [{start: 1 us, compare: none, events: [cxl_pmu_mem0.0/m2s_req_memrd/]}]
)"},
      {"soc", R"(platform:
  kind: soc
  cpus_per_socket: 4
  sources: [{name: source}]
  coresight_pmus:
    - {name: pmu, base: 0x2000_0000, width: 12, pmiidr: 0x7010_043b, hid: ACME0001, interrupt: {number: 200}, events: [{name: one, number: 1, source: source}]}
soc_traffic: [{name: stream, source: source, pacing: {requests_per_us: 200}}]
duration: 100 us
measure: [{start: 1 us, compare: none, events: ["arm_cspmu_acpi_ACME0001_0/event=0x1/"]}]
)"}};
  return scenarios;
}

class HostTimesOfRun : public Cli {
 protected:
  std::vector<Json> run(const std::string& text, const std::vector<std::string>& options = {}) {
    const std::string file = (folder / "result.json").string();
    outcome =
        pmufab(with({"run", write("s.yaml", "name: s\n" + text), "--drivers", "newest", "--json", file}, options));
    std::vector<Json> runs;
    const Json results = Json::parse(std::ifstream(file), nullptr, false);
    if (!results.is_discarded()) runs = results.at("runs").get<std::vector<Json>>();
    return runs;
  }
  static std::string check_of(const Json& run, const std::string& name) {
    for (const Json& check : run.at("checks")) {
      if (check.at("name") == name) return check.at("text");
    }
    return "no check";
  }
  static const Json& counter_of(const Json& run) { return run.at("measures").at(0).at("counters").at(0); }
  Outcome outcome;
};

class LostInterrupts : public HostTimesOfRun, public ::testing::WithParamInterface<const char*> {};

TEST_P(LostInterrupts, reach_no_handler) {
  const std::string platform = GetParam();
  // Of a mesh, the DTC's counters are as narrow as they can be.
  const std::vector<std::string> narrow =
      platform == "cmn" ? std::vector<std::string>{"--set", "platform.meshes[0].pmu={local_width: 8, global_width: 8}"}
                        : std::vector<std::string>{};
  const std::string& text = wrapping().at(platform);
  const std::vector<Json> prompt = run(text, narrow);
  ASSERT_EQ(prompt.size(), 1U) << outcome.out << outcome.err;
  EXPECT_THAT(check_of(prompt[0], "interrupts"), ::testing::MatchesRegex("[1-9][0-9]* handled, 0 for no driver"));
  const std::vector<Json> lost = run(text + "host: {interrupt_loss: 1}\n", narrow);
  ASSERT_EQ(lost.size(), 1U) << outcome.out << outcome.err;
  EXPECT_THAT(check_of(lost[0], "interrupts"),
              ::testing::MatchesRegex("0 handled, 0 for no driver, [1-9][0-9]* lost on the way"));
  if (platform != "tegra410" && platform != "soc") return;
  // Nobody has noticed the wraps: what is missing are whole turns of the counter.
  const Json& counter = counter_of(lost[0]);
  EXPECT_GT(counter.at("loss").at("ambiguous_wrap").get<std::int64_t>(), 0) << counter;
  EXPECT_EQ(counter.at("loss").at("ambiguous_wrap").get<std::int64_t>() % (1 << 12), 0) << counter;
  EXPECT_EQ(counter.at("loss").at("unexplained"), 0) << counter;
}

INSTANTIATE_TEST_SUITE_P(all, LostInterrupts, ::testing::Values("tegra410", "cmn", "cxl", "soc"),
                         [](const auto& fabric) { return std::string(fabric.param); });

/// 200 events per microsecond. The counter of 16 bits calls its handler once, after 2^15 of them.
constexpr const char* kOneHandler =
    R"(platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4, ucf_pmu: {width: 16}}}
traffic: [{generators: [{name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {requests_per_us: 200}}]}]
duration: 250 us
measure: [{start: 1 us, stop: 240 us, events: [nvidia_ucf_pmu_0/slc_access_rd/]}]
)";

TEST_F(HostTimesOfRun, a_handler_loses_what_happens_in_its_own_time) {
  const auto runs = run(std::string(kOneHandler) + "matrix: {host.handler_time: [0, 10 us]}\n");
  ASSERT_EQ(runs.size(), 2U) << outcome.out << outcome.err;
  std::vector<std::int64_t> lost;
  for (const Json& one : runs) lost.push_back(counter_of(one).at("loss").at("handler").get<std::int64_t>());
  EXPECT_GT(lost[0], 0);
  EXPECT_EQ(lost[1] - lost[0], 2'000);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
}

TEST_F(HostTimesOfRun, chance_follows_the_seed) {
  const std::string text =
      wrapping().at("tegra410") +
      "host: {interrupt_delay: {kind: exponential, mean: 3 us}, interrupt_loss: 0.1, "
      "handler_time: {kind: uniform, to: 2 us}, away: {every: {kind: exponential, mean: 20 us}, for: 1 us}}\n";
  std::vector<std::string> results;
  for (const char* const seed : {"seed=1", "seed=1", "seed=2"}) {
    const auto runs = run(text, {"--set", seed});
    ASSERT_EQ(runs.size(), 1U) << outcome.out << outcome.err;
    results.push_back(runs[0].at("measures").dump());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_NE(results[0], results[2]);
}

}  // namespace
}  // namespace pmufab::testing::host_times_test
