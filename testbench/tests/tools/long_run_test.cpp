// SPDX-License-Identifier: Apache-2.0
// What must not grow: a run with the simulated time in which little happens, and a matrix with its variants.
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include <sys/resource.h>
#include <sys/wait.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::HasSubstr;

/// A request a second of each kind of requester. The readings follow.
constexpr const char* kSparse = R"(
name: sparse
traffic:
  - generators:
      - name: cpu
        requester: {kind: cpu, socket: 0, id: 0}
        path: cached
        targets: [{socket: 0, memory: cmem, size: 1 MiB}, {socket: 0, memory: cxl, size: 1 MiB}]
        mix: {read: 1, write: 1}
        pacing: {kind: fixed, requests_per_us: 0.000001}
      - name: nic
        requester: {kind: pcie, socket: 0, bdf: "01:00.0"}
        targets: [{socket: 0, memory: cmem, size: 1 MiB}]
        mix: {read: 1, write: 1}
        pacing: {kind: exponential, requests_per_us: 0.000001}
measure:
  - name: readings
    nonzero: true
    events:
      - nvidia_ucf_pmu_0/slc_access_rd/
      - nvidia_ucf_pmu_0/cycles/
      - nvidia_cmem_latency_pmu_0/rd_req/
      - nvidia_cmem_latency_pmu_0/cycles/
    interval: )";
/// A report keeps every reading. Runs take the same number, so that they differ in length only.
constexpr unsigned kReadings = 72 * 60;

class LongRun : public Cli {
 protected:
  /// What the run and its parent needed.
  rusage run_for(unsigned hours) {
    constexpr unsigned kSecondsPerHour = 3600;
    const std::string interval = std::to_string(hours * kSecondsPerHour / kReadings) + " s\n";
    const std::string scenario =
        write("sparse.yaml", "platform: " + shipped("platforms/tegra410-1s-small.yaml") + kSparse + interval);
    // Where memory is limited the heap has small pages only, so what a run needs is told to a few kibibytes.
    const rlimit much{std::uint64_t{8} << 30U, std::uint64_t{8} << 30U};
    EXPECT_EQ(setrlimit(RLIMIT_DATA, &much), 0);
    const pid_t pid =
        start({"run", scenario, "--drivers", "newest", "--set", "duration=" + std::to_string(hours) + " h"});
    int status = -1;
    rusage usage{};
    wait4(pid, &status, 0, &usage);
    EXPECT_EQ(status, 0) << read(folder / "out") << read(folder / "err");
    EXPECT_THAT(read(folder / "out"), HasSubstr("4 counters, none wrong"));
    return usage;
  }
  static double seconds(const rusage& usage) {
    return static_cast<double>(usage.ru_utime.tv_sec) + static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
  }
};

TEST_F(LongRun, needs_no_more_memory_for_nine_days_than_for_three_and_time_in_proportion) {
  // By then every cache line has been touched.
  const rusage three_days = run_for(72);
  const rusage nine_days = run_for(216);
  constexpr long kKibibytesPerMebibyte = 1024;
  EXPECT_LE(nine_days.ru_maxrss, three_days.ru_maxrss + kKibibytesPerMebibyte);
  constexpr double kTimes = 3;
  constexpr double kSlack = 2;
  EXPECT_LE(seconds(nine_days), kTimes * seconds(three_days) + kSlack);
}

using LargeMatrix = Cli;

// 2,000 variants took 600 MB when each was kept with all of its platform.
TEST_F(LargeMatrix, needs_little_memory) {
  const std::string scenario = endless();
  std::string text = read(scenario) + "matrix: {seed: [1";
  for (int seed = 2; seed <= 2000; ++seed) text += ", " + std::to_string(seed);
  const pid_t pid = start({"run", write("matrix.yaml", text + "]}\n"), "--drivers", "newest", "-j", "1", "--json",
                           (folder / "r.json").string()});
  const std::string process = "/proc/" + std::to_string(pid);
  while (read(process + "/task/" + std::to_string(pid) + "/children").empty() && kill(pid, 0) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::string status = read(process + "/status");
  kill(pid, SIGINT);
  EXPECT_THAT(ended(1, finish(pid)).out, HasSubstr("NOT RUN: 1,999 runs"));
  EXPECT_EQ(nlohmann::json::parse(read(folder / "r.json")).at("runs").size(), 2000U);
  const std::size_t peak = status.find("VmHWM:");
  ASSERT_NE(peak, std::string::npos);
  EXPECT_LT(std::stoul(status.substr(peak + 6)), 120'000U) << "kB";
}

}  // namespace
}  // namespace pmufab::testing
