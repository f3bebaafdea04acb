#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// What is said about drivers that break. They are the newest kernel's, built here with one line more.
class DriverFault : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    for (const auto& entry : fs::recursive_directory_iterator(PMUFAB_LINUX_SOURCES)) {
      const fs::path& path = entry.path();
      if (path.filename() == kFile && path.string() > original_.string()) original_ = path;
    }
    if (original_.empty()) GTEST_SKIP() << "there are no sources of this driver";
  }

  /// Put `statement` first into the probe function of the CMEM latency PMU's driver. @return the folder of the drivers
  std::string drivers_with(const std::string& statement) {
    std::string text = read(original_);
    const std::size_t probe = text.find("_probe(struct platform_device *pdev)\n{");
    EXPECT_NE(probe, std::string::npos);
    text.insert(text.find('{', probe) + 1, statement);
    const std::string version = original_.lexically_relative(PMUFAB_LINUX_SOURCES).begin()->string();
    const std::string command = fmt::format(
        "'{}/tools/build-drivers' --sources '{}' --base '{}' --driver '{}' '{}' >'{}' 2>&1", PMUFAB_SOURCE_DIR,
        PMUFAB_LINUX_SOURCES, version, write(kFile, text), (folder / "drivers").string(), (folder / "log").string());
    EXPECT_EQ(std::system(command.c_str()), 0) << read(folder / "log");
    return (folder / "drivers").string();
  }

 private:
  static constexpr const char* kFile = "nvidia_t410_cmem_latency_pmu.c";
  fs::path original_;
};

TEST_F(DriverFault, a_failed_probe_is_the_drivers_fault_and_shows_the_kernel_log) {
  const std::string drivers = drivers_with("return -EINVAL;");
  const Outcome named = pmufab({"run", shipped("cmem-one-controller.yaml"), "--driver-dir", drivers});
  EXPECT_EQ(named.exit_code, 1) << named.err;
  EXPECT_THAT(named.out,
              AllOf(HasSubstr("FAILED: cmem-one-controller"), HasSubstr("'nvidia_cmem_latency_pmu_0'"),
                    HasSubstr("of the kernel log"), HasSubstr("failed with error -22"), Not(HasSubstr("no event"))));
  // Nobody measures on it; but a device without its driver is a failure all the same.
  const std::vector<std::string> others = {"--duration", "1 us", "--driver-dir", drivers};
  std::vector<std::string> arguments = {"stat", "-e", "nvidia_ucf_pmu_0/cycles/"};
  arguments.insert(arguments.end(), others.begin(), others.end());
  EXPECT_EQ(pmufab(arguments).exit_code, 1);
  arguments[2] = "nvidia_cmem*/cycles/";
  EXPECT_EQ(pmufab(arguments).exit_code, 1);
}

TEST_F(DriverFault, a_crash_says_how_to_find_it_and_shows_the_kernel_log) {
  const std::string drivers = drivers_with(R"(dev_info(&pdev->dev, "before the crash\n"); __builtin_trap();)");
  const Outcome outcome = pmufab({"run", shipped("cmem-one-controller.yaml"), "--driver-dir", drivers});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("CRASHED: cmem-one-controller"), HasSubstr("tools/build-drivers --sanitize"),
                                 HasSubstr("before the crash")));
  // Commands that only look are guarded as runs are.
  const std::string platform = shipped("platforms/tegra410-1s-small.yaml");
  for (const char* command : {"list", "regs"}) {
    const Outcome look = pmufab({command, platform, "--driver-dir", drivers});
    EXPECT_EQ(look.exit_code, 3) << command;
    EXPECT_THAT(look.err, AllOf(HasSubstr("the drivers crashed: its process was killed by signal"),
                                HasSubstr("kernel log"), HasSubstr("before the crash")));
  }
}

TEST_F(DriverFault, a_hung_driver_is_stopped_by_the_user_or_by_the_timeout_and_has_not_crashed) {
  const std::string drivers = drivers_with("for (;;) barrier();");
  const std::string report = (folder / "r.json").string();
  const pid_t pid = start({"run", shipped("cmem-one-controller.yaml"), "--driver-dir", drivers, "--json", report});
  std::this_thread::sleep_for(std::chrono::seconds(1));
  kill(pid, SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(pid, SIGINT);  // the second one does not wait
  const Outcome stopped = finish(pid);
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_THAT(stopped.out, AllOf(HasSubstr("STOPPED: cmem-one-controller"), HasSubstr("stopped by the user")));
  EXPECT_EQ(nlohmann::json::parse(read(report)).at("runs")[0].at("status"), "interrupted");

  const Outcome late = pmufab({"run", shipped("cmem-one-controller.yaml"), "--driver-dir", drivers, "--timeout", "1"});
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_THAT(late.out, HasSubstr("TIMED OUT: cmem-one-controller"));
}

}  // namespace
}  // namespace pmufab::testing
