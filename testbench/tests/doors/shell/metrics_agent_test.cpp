// SPDX-License-Identifier: Apache-2.0
// A program that knows PMUs only by sysfs and the system call, as agents that watch servers do: its counts are the
// scoreboard's, and its bandwidths and latencies are what they are with the scoreboard's counts.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testbench/tests/doors/shell/shell_fixture.h"

namespace pmufab::testing {
namespace {

using nlohmann::json;

/// Traffic of each fabric. Rates and sizes are such that bandwidths can be told.
constexpr const char* kChi =
    "chi_traffic=[{name: cpus, mix: {load: 3, store: 1}, rate: 0.01, ranges: [{size: 4 MiB}]}]";
constexpr const char* kCxl =
    "cxl_traffic=[{name: host, mix: {read: 3, write: 1}, pacing: {kind: fixed, requests_per_us: 100},"
    " ranges: [{base: 0x100_0000_0000, size: 1 MiB}]},"
    " {name: device, device: 1, mix: {cache_rd_shared: 2, cache_rd_own: 1},"
    " pacing: {kind: fixed, requests_per_us: 50}, ranges: [{base: 0x10_0000, size: 1 MiB}]}]";

class MetricsAgent : public Shell {
 protected:
  /// Metrics by "PMU/EVENT/".
  using Metrics = std::map<std::string, double>;

  /// Runs the agent, compares all it printed, and returns its metrics.
  Metrics count(const std::string& options) {
    const Session session =
        type("python3 " PMUFAB_SOURCE_DIR "/testbench/tests/doors/shell/metrics_agent.py " + options);
    EXPECT_EQ(session.outcome.exit_code, 0) << session.outcome.err;
    EXPECT_EQ(session.report.at("status"), "passed");
    const json printed = json::parse(session.outcome.out, nullptr, false);
    if (!printed.is_object()) {
      ADD_FAILURE() << session.outcome.out << session.outcome.err;
      return {};
    }
    EXPECT_EQ(printed.at("refused"), json::array());
    Metrics metrics;
    std::size_t next = 0;
    for (const json& group : printed.at("groups")) {
      std::map<std::string, double> scoreboard;  // by name of the event
      for (std::size_t i = 0; i < group.at("events").size(); ++i, ++next) {
        if (next >= session.verdicts.size()) break;
        compare(group, i, session.verdicts[next]);
        scoreboard[group.at("events")[i]] = session.verdicts[next].value("expected", 0.0);
      }
      for (const json& metric : group.at("metrics")) {
        const std::string event = metric[0];
        const double wanted = value_of(event, metric[1], scoreboard, group.at("running"));
        EXPECT_NEAR(metric[2].get<double>(), wanted, wanted * 1e-9) << group;
        metrics[fmt::format("{}/{}/", group.at("pmu").get<std::string>(), event)] = metric[2];
      }
    }
    EXPECT_EQ(next, session.verdicts.size());
    return metrics;
  }

 private:
  /// One event as the agent printed it, and its verdict: the agent closes events in the order in which it prints them.
  static void compare(const json& group, std::size_t number, const json& verdict) {
    const std::string name = group.at("events")[number];
    EXPECT_EQ(verdict.at("event"), fmt::format("{}/{}/", group.at("pmu").get<std::string>(), name));
    const auto value = group.at("values")[number].get<std::uint64_t>();
    EXPECT_EQ(verdict.at("driver"), value) << verdict;
    if (verdict.at("check") == "exact") {
      EXPECT_EQ(verdict.at("expected"), value) << verdict;
    } else {
      EXPECT_THAT(verdict.at("note").get<std::string>(), ::testing::HasSubstr("no model makes this event happen"));
      EXPECT_EQ(value, 0U) << verdict;
    }
    EXPECT_EQ(group.at("enabled"), verdict.at("time_enabled_ps").get<std::uint64_t>() / 1000) << verdict;
    EXPECT_EQ(group.at("running"), verdict.at("time_running_ps").get<std::uint64_t>() / 1000) << verdict;
    EXPECT_GT(group.at("running"), 0) << verdict;
    std::uint64_t sum = 0;
    for (const json& interval : group.at("intervals")) sum += interval.at("values")[number].get<std::uint64_t>();
    EXPECT_EQ(sum, value) << "intervals of " << name;
  }

  /// @return a metric by the scoreboard's counts; `running` in ns
  static double value_of(const std::string& event, const std::string& unit, const std::map<std::string, double>& counts,
                         double running) {
    if (unit == "ratio") return counts.at(event) / counts.at("hnf_slc_sf_cache_access");
    if (unit == "bytes/s") {
      const bool lines = event.find("bytes") == std::string::npos;
      return counts.at(event) * (lines ? 64 : 1) * 1e9 / running;
    }
    const std::string prefix = event.substr(0, event.find("cum_outs"));
    return counts.at(event) / counts.at(prefix + "req") * running / counts.at("cycles");
  }
};

TEST_F(MetricsAgent, derives_bandwidths_and_latencies_of_a_tegra410) {
  platform = {shipped("platforms/tegra410-1s-small.yaml"), "--traffic", shipped("traffic/steady.yaml")};
  Metrics metrics = count("");
  // 300 reads of 64 bytes in a microsecond miss the SLC; the memory answers after 90 ns (docs/scenario-format.md).
  EXPECT_NEAR(metrics["nvidia_ucf_pmu_0/mem_bytes_rd/"], 19.2e9, 0.6e9);
  EXPECT_NEAR(metrics["nvidia_cmem_latency_pmu_0/rd_cum_outs/"], 90, 0.5);
  // 60 writes of 6 bytes.
  EXPECT_NEAR(metrics["nvidia_pcie_pmu_0_rc_0/wr_bytes/"], 360e6, 4e6);
}

TEST_F(MetricsAgent, derives_bandwidths_and_miss_rates_of_a_mesh) {
  platform = {shipped("platforms/cmn700-small.yaml"), "--set", kChi};
  Metrics metrics = count("--interval 0.5");
  EXPECT_GT(metrics["arm_cmn_0/hnf_mc_reqs/"], 1e9);
  EXPECT_GT(metrics["arm_cmn_0/hnf_cache_miss/"], 0.1);
  EXPECT_LT(metrics["arm_cmn_0/hnf_cache_miss/"], 1);
}

TEST_F(MetricsAgent, derives_bandwidths_of_cxl_devices) {
  platform = {shipped("platforms/cxl-exact.yaml"), "--set", kCxl};
  // CPMUs 8 and 9 have fewer counters than events: the driver leaves old settings in them.
  Metrics metrics = count("--skip 'cpmu_*' --skip 'cxl_pmu_mem0.[89]/*'");
  EXPECT_NEAR(metrics["cxl_pmu_mem0.5/s2m_drs_memdata/"], 4.8e9, 0.1e9);  // 75 lines in a microsecond
  EXPECT_NEAR(metrics["cxl_pmu_mem0.1/m2s_rwd_memwr/"], 1.6e9, 0.1e9);
}

TEST_F(MetricsAgent, counts_on_all_fabrics_at_once) {
  platform = {
      shipped("platforms/combined.yaml"), "--traffic", shipped("traffic/steady.yaml"), "--set", kChi, "--set", kCxl};
  // Eight counters of a CPMU take eight events.
  Metrics metrics = count("--skip 'cpmu_*' --skip 'cxl_pmu_mem0.0/*[et][ev]*'");
  EXPECT_NEAR(metrics["nvidia_cmem_latency_pmu_0/rd_cum_outs/"], 90, 0.5);
  EXPECT_NEAR(metrics["cxl_pmu_mem0.1/s2m_drs_memdata/"], 4.8e9, 0.1e9);
  EXPECT_GT(metrics["arm_cmn_0/hnf_mc_reqs/"], 1e8);
}

}  // namespace
}  // namespace pmufab::testing
