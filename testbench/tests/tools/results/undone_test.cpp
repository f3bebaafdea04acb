// SPDX-License-Identifier: Apache-2.0
// What a scenario asks for and a run does not do stands in its report.
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class Undone : public Cli {
 protected:
  /// @return the report of a run with an event of cycles from 5 us to 25 us
  std::string report(const std::string& rest) {
    const Outcome outcome = ended(0, pmufab({"run", write("s.yaml", R"(name: s
drivers: newest
platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
measure: [{name: m, start: 5 us, stop: 25 us, events: [nvidia_ucf_pmu_0/cycles/]}]
duration: 30 us
)" + rest)}));
    return outcome.out;
  }
};

TEST_F(Undone, injections_that_no_event_counts) {
  const auto injected = [&](const std::string& when) {
    return report("inject: [{at: " + when + ", count: 5, source: nvidia_ucf_pmu_0/cycles/}]\n");
  };
  const std::string lost = "nvidia_ucf_pmu_0/cycles/: 1 of 1 injection came while no event of that PMU was enabled";
  EXPECT_THAT(injected("1 us"), HasSubstr(lost));
  EXPECT_THAT(injected("10 us"), Not(HasSubstr("came while")));
  EXPECT_THAT(injected("28 us"), HasSubstr(lost));
  EXPECT_THAT(report("actions: [{at: 8 us, do: disable_events, measure: m}]\n"
                     "inject: [{at: 10 us, count: 5, source: nvidia_ucf_pmu_0/cycles/}]\n"),
              HasSubstr(lost));
  EXPECT_THAT(
      report("inject: [{at: 4 us, times: 3, every: 1 us, count: 5, source: nvidia_cmem_latency_pmu_0/rd_req/}]\n"),
      HasSubstr("rd_req/: 3 of 3 injections came while"));
}

TEST_F(Undone, actions_that_find_nothing_to_do) {
  EXPECT_THAT(
      report(R"(actions:
  - {at: 2 us, do: cpu_online, cpu: 1}
  - {at: 3 us, do: load_drivers}
  - {at: 6 us, do: enable_events, measure: m}
  - {at: 7 us, do: disable_events, measure: m}
  - {at: 8 us, do: disable_events, measure: m}
  - {at: 26 us, do: read_events}
  - {at: 27 us, do: unload_drivers}
  - {at: 28 us, do: unload_drivers}
)"),
      AllOf(HasSubstr("2.000 us: cpu 1 online already: nothing done"),
            HasSubstr("3.000 us: drivers loaded already: nothing done"), HasSubstr("m: enabled already: nothing done"),
            HasSubstr("m: disabled already: nothing done"), HasSubstr("no events read, because none is open"),
            HasSubstr("drivers unloaded already: nothing done")));
}

TEST_F(Undone, traffic_that_begins_after_the_end) {
  const std::string generator = R"(traffic:
  - generators:
      - name: late
        requester: {kind: cpu, id: 0}
        targets: [{memory: cmem, size: 1 MiB}]
        phases: [{start: 10 us, duration: 1 us}, {start: 40 us, duration: 1 us}]
)";
  EXPECT_THAT(
      report(generator),
      AllOf(HasSubstr("traffic[0].generators[0].phases[1] never begins: its start is 40.000 us, and the run ended at"),
            Not(HasSubstr("phases[0] never"))));
}

TEST_F(Undone, each_of_more_events_than_counters_has_its_share_of_time) {
  const std::string report = (folder / "r.json").string();
  ASSERT_EQ(pmufab({"run", shipped("cmn-nine-events.yaml"), "--json", report}).exit_code, 0);
  const Json result = Json::parse(read(report));
  for (const Json& run : result.at("runs")) {
    const Json& counters = run.at("measures").at(0).at("counters");
    EXPECT_EQ(counters.size(), 9U);
    for (const Json& counter : counters) {
      const double share = counter.at("time_running_ps").get<double>() / counter.at("time_enabled_ps").get<double>();
      EXPECT_NEAR(share, 8.0 / 9, 0.05) << counter.at("event");
    }
  }
}

}  // namespace
}  // namespace pmufab::testing
