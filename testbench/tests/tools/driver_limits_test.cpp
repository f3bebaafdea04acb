// SPDX-License-Identifier: Apache-2.0
// Runs whose drivers take more than they may, and the results of the others.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <regex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/driver_fault_fixture.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

/// The environment variable FAULT chooses what the driver does when it finds the device of socket 1.
constexpr const char* kFaults = R"(
{
  extern char* f_getenv(const char*) __asm__("getenv");
  extern int f_fork(void) __asm__("fork");
  extern int f_setsid(void) __asm__("setsid");
  extern int f_close(int) __asm__("close");
  extern int f_open(const char*, int, ...) __asm__("open");
  static int files[4096];
  int opened = 0;
  extern int f_pause(void) __asm__("pause");
  extern void f_exit(int) __asm__("exit");
  extern void f_leave(int) __asm__("_exit");
  extern long f_write(int, const void*, unsigned long) __asm__("write");
  const char* const uid = acpi_device_uid(ACPI_COMPANION(&pdev->dev));
  const char* const fault = uid && strcmp(uid, "1") == 0 ? f_getenv("FAULT") : 0;
  switch (fault ? fault[0] : 0) {
    case 'F': for (;;) printk("flood\n");
    case 'l': for (int i = 0; i < 200000; i++) printk("line %d\n", i); break;
    case 'o': for (int i = 0; i < 100000; i++) f_write(1, "not of the kernel\n", 18); for (;;) barrier();
    case 'k': { void* m = kmalloc(3ul << 30, 0); if (!m) return -ENOMEM; memset(m, 1, 3ul << 30); break; }
    case 'a': while (kmalloc(4096, 0)); break;
    case 'b': for (;;) f_fork();
    case 's': if (f_fork() == 0) { f_setsid(); if (f_fork() == 0) for (;;) f_pause(); f_leave(0); } break;
    case 'n':
      while (opened < 4096 && (files[opened] = f_open("/dev/null", 0)) >= 0) opened++;
      for (int i = 0; i < opened; i++) f_close(files[i]);
      printk("opened %d files\n", opened);
      break;
    case 'c': for (int i = 0; i < 1024; i++) f_close(i); break;
    case 'x': f_exit(fault[1] - '0');
    case 'p': for (;;) barrier();
  }
}
)";

/// Faults that do not keep a run from passing.
constexpr std::array<std::string_view, 3> kHarmless = {"l", "n", "s"};

/// Two scenarios are run: the first one meets the fault, and the platform of the other has no socket 1. The driver
/// binds a device on both.
class DriverLimit : public DriverFault {
 protected:
  void SetUp() override {
    DriverFault::SetUp();
    if (IsSkipped()) return;
    other_ = write("other.yaml", "name: other\nplatform: " + shipped("platforms/tegra410-1s-small.yaml") + R"(
duration: 10 us
measure:
  - events: [nvidia_ucf_pmu_0/cycles/]
)");
    drivers_ = drivers_with(kFaults);
  }

  /// @return the result of the first one
  Json run_both(const std::string& fault, const std::vector<std::string>& options = {}) {
    outcome = finish(start(with({"run", shipped("cmem-one-controller.yaml"), other_, "--driver", drivers_, "--json",
                                 (folder / "r.json").string()},
                                options),
                           {{"FAULT", fault}, {"TMPDIR", temporary()}}));
    EXPECT_TRUE(fs::is_empty(temporary()));
    const Json runs = Json::parse(read(folder / "r.json")).at("runs");
    EXPECT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs.at(1).at("status"), "passed") << runs.at(1).dump(1);
    EXPECT_EQ(runs.at(1).at("counters"), 1);
    const bool both = std::count(kHarmless.begin(), kHarmless.end(), fault) > 0;
    EXPECT_EQ(runs.at(0).at("status") == "passed", both) << runs.at(0).dump(1);
    EXPECT_THAT(outcome.out, HasSubstr(both ? "2 of 2 runs passed" : "1 of 2 runs passed"));
    EXPECT_EQ(outcome.exit_code == 0, both);
    return runs.at(0);
  }

  [[nodiscard]] std::string temporary() const {
    const fs::path path = folder / "tmp";
    fs::create_directory(path);
    return path.string();
  }

  /// @return ids of processes whose environment names this test's driver folder and that are not this program's
  [[nodiscard]] std::vector<std::string> processes() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string environment = read(entry.path() / "environ");
      if (environment.find("TMPDIR=" + (folder / "tmp").string()) != std::string::npos)
        found.push_back(entry.path().filename().string());
    }
    return found;
  }

  Outcome outcome;

 private:
  std::string other_;
  std::string drivers_;
};

TEST_F(DriverLimit, a_flooded_kernel_log_keeps_its_beginning_and_its_end) {
  const Json run = run_both("F", {"--timeout", "1", "--limit", "log=64 KiB"});
  EXPECT_EQ(run.at("status"), "timed_out");
  EXPECT_EQ(outcome.exit_code, 1);
  const Json& log = run.at("kernel_log");
  EXPECT_LT(log.dump().size(), 300'000U);
  EXPECT_THAT(log.back().get<std::string>(), HasSubstr("flood"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("The kernel log is too long: "), HasSubstr(" left out (--limit log=SIZE")));
}

TEST_F(DriverLimit, a_long_kernel_log_is_no_failure_and_tells_how_much_is_left_out) {
  const Json run = run_both("l");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("PASSED: cmem-one-controller"), HasSubstr("The kernel log is too long: ")));
  const Json& log = run.at("kernel_log");
  std::uint64_t lines = 0;
  for (const Json& line : log) {
    const auto text = line.get<std::string>();
    lines += text.starts_with("<4>[...] ")             ? std::stoull(text.substr(9))
             : text.find("line ") != std::string::npos ? 1
                                                       : 0;
  }
  EXPECT_GE(lines, 200'000U);
  EXPECT_LT(lines % 200'000, 100U) << "the device is found once";
}

TEST_F(DriverLimit, output_that_is_not_the_kernels_is_bounded_too) {
  const Json run = run_both("o", {"--timeout", "1", "--limit", "log=8 KiB"});
  EXPECT_EQ(run.at("status"), "timed_out");
  EXPECT_LT(outcome.err.size(), 50'000U);
  EXPECT_THAT(outcome.err + outcome.out, AllOf(HasSubstr("not of the kernel"), HasSubstr("left out")));
}

TEST_F(DriverLimit, memory_that_a_driver_may_not_have_is_refused_by_the_kernel) {
  const Json run = run_both("k", {"--limit", "memory=2 GiB"});
  EXPECT_EQ(run.at("status"), "failed");
  EXPECT_THAT(run.at("kernel_log").dump(), HasSubstr("failed with error -12"));
}

TEST_F(DriverLimit, a_driver_that_takes_all_memory_gets_no_more_and_its_run_goes_on) {
  const Json run = run_both("a", {"--limit", "memory=256 MiB"});
  EXPECT_EQ(run.at("status"), "failed");
  EXPECT_THAT(run.at("kernel_log").dump(), HasSubstr("failed with error -12"));
}

TEST_F(DriverLimit, open_files_may_be_limited) {
  const auto opened = [this](const std::vector<std::string>& options) {
    const std::string log = run_both("n", options).at("kernel_log").dump();
    const std::size_t at = log.find("opened ");
    return at == std::string::npos ? 0 : std::stoul(log.substr(at + std::string_view("opened ").size()));
  };
  EXPECT_LT(opened({"--limit", "files=100"}), 100U);
  const unsigned long usual = opened({});
  EXPECT_GT(usual, 900U);
  EXPECT_LT(usual, 1024U) << "the default";
}

TEST_F(DriverLimit, the_defaults_of_all_limits_are_in_the_help) {
  for (const std::string& command : std::vector<std::string>{"run", "stat", "verify", "interleave"}) {
    const std::string time = command == "verify" ? "60 s" : "0";
    const std::string help = std::regex_replace(pmufab({command, "--help"}).out, std::regex("\\s+"), " ");
    EXPECT_THAT(
        help,
        HasSubstr("The defaults are log=1 MiB, memory=8 GiB, files=1024, processes=64, readings=100000, trace=64 MiB, "
                  "processor-time=" +
                  time + ", simulated-time=0. "))
        << command;
  }
}

TEST_F(DriverLimit, processes_without_end_are_stopped) {
  const Json run = run_both("b", {"--limit", "processes=20"});
  EXPECT_EQ(run.at("status"), "interrupted");
  EXPECT_THAT(run.at("message").get<std::string>(), HasSubstr("its drivers started more than 20 processes"));
  EXPECT_THAT(processes(), ::testing::IsEmpty());
}

TEST_F(DriverLimit, a_process_that_a_driver_leaves_behind_ends_with_its_run) {
  run_both("s");
  EXPECT_THAT(processes(), ::testing::IsEmpty());
}

TEST_F(DriverLimit, closed_files_are_the_drivers_fault) {
  const Json run = run_both("c");
  EXPECT_EQ(run.at("status"), "crashed");
  EXPECT_THAT(run.at("message").get<std::string>(), HasSubstr("its file was closed (does a driver close files?)"));
  EXPECT_EQ(outcome.exit_code, 3);
}

TEST_F(DriverLimit, a_driver_that_exits_has_crashed_whatever_its_code) {
  for (const char* fault : {"x0", "x2", "x4"}) {
    const Json run = run_both(fault);
    EXPECT_EQ(run.at("status"), "crashed") << fault;
    EXPECT_GT(run.at("simulated_time_ps"), 0) << "how far it came";
    const std::string code(1, fault[1]);
    EXPECT_THAT(run.at("message").get<std::string>(), HasSubstr("its process ended early with exit code " + code));
    EXPECT_EQ(outcome.exit_code, 3);
  }
}

TEST_F(DriverLimit, processor_time_may_be_limited) {
  const Json run = run_both("p", {"--limit", "processor-time=1 s"});
  EXPECT_EQ(run.at("status"), "interrupted");
  EXPECT_THAT(run.at("message").get<std::string>(), HasSubstr("it used up --limit processor-time=1 s"));
}

TEST_F(DriverLimit, simulated_time_of_a_hanging_run_is_told) {
  const Json run = run_both("p", {"--timeout", "1"});
  EXPECT_EQ(run.at("status"), "timed_out");
  EXPECT_GT(run.at("simulated_time_ps"), 0);
}

}  // namespace
}  // namespace pmufab::testing
