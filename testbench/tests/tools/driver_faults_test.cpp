// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/driver_fault_fixture.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(DriverFault, a_failed_probe_is_the_drivers_fault_and_shows_the_kernel_log) {
  const std::string drivers = drivers_with("return -EINVAL;");
  EXPECT_THAT(ended(1, pmufab({"run", shipped("cmem-one-controller.yaml"), "--driver", drivers})).out,
              AllOf(HasSubstr("FAILED: cmem-one-controller"), HasSubstr("'nvidia_cmem_latency_pmu_0'"),
                    HasSubstr("of the kernel log"), HasSubstr("failed with error -22"), Not(HasSubstr("no event"))));
  // It is not measured, but a device without its driver is still a failure.
  const std::vector<std::string> others = {"--duration", "1 us", "--driver", drivers};
  std::vector<std::string> arguments = with({"stat", "-e", "nvidia_ucf_pmu_0/cycles/"}, others);
  EXPECT_EQ(pmufab(arguments).exit_code, 1);
  for (const char* format : {"-x,", "-j"}) {
    std::vector<std::string> for_programs = arguments;
    for_programs.emplace_back(format);
    const Outcome outcome = ended(1, pmufab(for_programs));
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("nvidia_ucf_pmu_0/cycles/"), Not(HasSubstr("error -22"))));
    EXPECT_THAT(outcome.err, ContainsRegex("pmufab: probe: .*failed with error -22\n"));
  }
  arguments[2] = "nvidia_cmem*/cycles/";
  EXPECT_EQ(pmufab(arguments).exit_code, 1);
}

TEST_F(DriverFault, reports_name_the_files_that_served_the_pmus) {
  const std::string drivers = drivers_with("");
  ASSERT_EQ(std::system(("sha256sum " + (folder / kFile).string() + " >" + (folder / "sum").string()).c_str()), 0);
  const std::string sum = read(folder / "sum").substr(0, 64);
  const std::string json = (folder / "r.json").string();
  prints(0, {"run", shipped("cmem-one-controller.yaml"), "--driver", drivers, "--json", json},
         {std::string("  ") + kFile + " (SHA-256 " + sum.substr(0, 12) +
          "..., yours) serves nvidia_cmem_latency_pmu_0 and nvidia_cmem_latency_pmu_1\n"});
  std::map<std::string, nlohmann::json> files;
  const nlohmann::json report = nlohmann::json::parse(read(json)).at("runs")[0];
  for (const nlohmann::json& file : report.at("driver_files")) files[file.at("file")] = file;
  EXPECT_EQ(files.at(kFile).at("sha256"), sum);
  EXPECT_EQ(files.at(kFile).at("is_own"), true);
  EXPECT_EQ(files.at("arm_cspmu.c").at("is_own"), false);
  for (const char* file : {"arm_cspmu.c", "nvidia_cspmu.c"})
    EXPECT_THAT(files.at(file).at("pmus"), ::testing::Contains("nvidia_ucf_pmu_0"))
        << "a vendor's file has a part in it";
  EXPECT_FALSE(files.contains("arm-cmn.c")) << "there is no mesh";
}

TEST_F(DriverFault, a_driver_that_bound_nothing_fails_although_the_counts_of_another_are_right) {
  // Under another name it is added to the kernel's drivers, and theirs comes first.
  const std::string drivers = drivers_of("my_latency_pmu.c", original());
  const std::string sentence = "drivers: my_latency_pmu.c bound no PMU; ";
  const auto binding = ContainsRegex(std::string("; nvidia_cmem_latency_pmu_0 [^;]*bound by ") + kFile);
  EXPECT_THAT(ended(1, pmufab({"run", shipped("cmem-one-controller.yaml"), "--driver", drivers})).out,
              AllOf(HasSubstr("none wrong"), HasSubstr("FAILED " + sentence), binding));
  EXPECT_THAT(
      ended(1, pmufab({"shell", shipped("platforms/tegra410-1s-small.yaml"), "--driver", drivers, "--", "true"})).err,
      AllOf(HasSubstr("pmufab: " + sentence), binding, HasSubstr("pmufab: FAILED")));
}

TEST_F(DriverFault, a_driver_for_other_hardware_is_told_not_to_be_used) {
  const std::string drivers = drivers_with("");
  const std::string sentence = fmt::format("{} (yours) was not used: this platform has no PMU for it", kFile);
  prints(0, {"run", shipped("cxl-fixed.yaml"), "--driver", drivers}, {"  " + sentence + "\n"});
  const Outcome shell = pmufab({"shell", shipped("platforms/cxl-exact.yaml"), "--driver", drivers, "--", "true"});
  EXPECT_THAT(shell.err, HasSubstr("  " + sentence + "\n"));
  refuses({"verify", "--fabric", "cmn", "--runs", "1", "--driver", drivers},
          {"no case would use your driver", "choose 'tegra410'"});
  const Outcome unused =
      ended(4, pmufab({"verify", "--fabric", "cmn", "--fabric", "tegra410", "--runs", "1", "--driver", drivers}));
  EXPECT_THAT(unused.out, HasSubstr("NOT JUDGED"));
  EXPECT_THAT(unused.err, HasSubstr(std::string(kFile) + " (yours) was not used: no case had a PMU for it"));
}

TEST_F(DriverFault, a_driver_that_the_kernel_lacks_says_which_kernels_have_it) {
  if (!fs::exists(fs::path(PMUFAB_LINUX_SOURCES) / "6.1.192")) GTEST_SKIP() << "there are no sources of an old kernel";
  EXPECT_THAT(ended(1, pmufab({"driver", "build", write("nvidia_cspmu.c", "#include \"arm_cspmu.h\"\n"), "--sources",
                               PMUFAB_LINUX_SOURCES, "--base", "6.1", "-o", (folder / "own.so").string()}))
                  .err,
              ContainsRegex("Linux 6\\.1\\.192 has no drivers/perf/arm_cspmu/nvidia_cspmu\\.c \\(these have: .*7"));
}

TEST_F(DriverFault, the_library_of_a_tree_goes_to_the_current_folder) {
  fs::create_directories(folder / "here");
  fs::create_directories(folder / "linux" / "drivers" / "perf");
  write(std::string("linux/drivers/perf/") + kFile, original());
  const fs::path before = fs::current_path();
  fs::current_path(folder / "here");
  setenv("CC", PMUFAB_C_COMPILER, 1);
  const Outcome built =
      pmufab({"driver", "build", "--tree", "../linux/", "--sources", PMUFAB_LINUX_SOURCES, "--base", version()});
  fs::current_path(before);
  EXPECT_EQ(built.exit_code, 0) << built.err;
  EXPECT_THAT(built.out, HasSubstr("\nlinux.so: Linux "));
  EXPECT_TRUE(fs::exists(folder / "here" / "linux.so"));
}

TEST_F(DriverFault, a_call_of_nothing_is_told_by_its_caller) {
  const std::string drivers = drivers_with("int (*volatile operation)(void) = NULL; operation();");
  EXPECT_THAT(
      ended(3, pmufab({"run", shipped("cmem-one-controller.yaml"), "--driver", drivers})).err,
      AllOf(HasSubstr("the drivers crashed in these functions"), ContainsRegex("_probe at .*latency_pmu\\.c:[0-9]+")));
}

TEST_F(DriverFault, a_crash_says_where_and_shows_the_kernel_log) {
  const std::string drivers = drivers_with(R"(dev_info(&pdev->dev, "before the crash\n"); __builtin_trap();)");
  const Outcome outcome = ended(3, pmufab({"run", shipped("cmem-one-controller.yaml"), "--driver", drivers}));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("CRASHED: cmem-one-controller"), HasSubstr("before the crash")));
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("--sanitize"))) << "it says where already";
  const auto where =
      AllOf(HasSubstr("the drivers crashed in these functions"), ContainsRegex("_probe at .*latency_pmu\\.c:[0-9]+"));
  EXPECT_THAT(outcome.err, where);
  const Outcome stat =
      ended(3, pmufab({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--duration", "1 us", "--driver", drivers}));
  EXPECT_THAT(stat.out, HasSubstr("killed by signal"));
  EXPECT_THAT(stat.err, Not(HasSubstr("killed by signal"))) << "once is enough";
  // Commands that only show things are guarded like runs.
  const std::string platform = shipped("platforms/tegra410-1s-small.yaml");
  for (const char* command : {"list", "regs"}) {
    const Outcome look = pmufab({command, platform, "--driver", drivers});
    EXPECT_EQ(look.exit_code, 3) << command;
    EXPECT_THAT(look.err, AllOf(HasSubstr("the drivers crashed: its process was killed by signal"),
                                HasSubstr("kernel log"), HasSubstr("before the crash")));
    EXPECT_THAT(look.err, where) << command;
  }
}

TEST_F(DriverFault, why_a_device_has_no_pmu_is_told) {
  // First one of two devices, then the only one: a CXL PMU whose counters this driver cannot set.
  const std::string cpmu = "{groups: [{group: m2s_req}]";
  for (const bool other : {true, false}) {
    const std::string platform =
        write("p.yaml", "kind: cxl\ncxl:\n  - decoders: [{base: 0x100_0000_0000, size: 256 MiB}]\n    cpmus: [" + cpmu +
                            ", writable_while_frozen: false}" + (other ? ", " + cpmu + "}" : "") + "]\n");
    const Outcome listed = ended(other ? 0 : 1, pmufab({"list", platform}));
    EXPECT_THAT(listed.err, AllOf(HasSubstr("the drivers say: "), HasSubstr("pmu_mem0.0: Counters not writable")));
    EXPECT_THAT(listed.err, Not(HasSubstr("Doorbell"))) << "the rest of the log would hide it";
    const Outcome shell = ended(other ? 0 : 1, pmufab({"shell", platform, "--", "echo", "ran"}));
    EXPECT_EQ(shell.out, other ? "ran\n" : "");
    EXPECT_THAT(shell.err, HasSubstr("pmu_mem0.0: Counters not writable"));
  }
  const Outcome good = pmufab({"list", shipped("platforms/cxl-exact.yaml")});
  EXPECT_EQ(good.err, "");
}

TEST_F(DriverFault, a_driver_that_does_not_compile_says_where) {
  const Outcome built =
      ended(1, pmufab({"driver", "build",
                       write("broken.c", "int f(void) { return nothing; }\nint g(void) { return missing; }\n"),
                       "--sources", PMUFAB_LINUX_SOURCES, "--base", version(), "-o", (folder / "own.so").string()}));
  EXPECT_THAT(built.err, AllOf(HasSubstr("broken.c does not compile"), HasSubstr("'nothing' undeclared")));
  // All errors, each at the beginning of a line with its place.
  const std::string broken = fs::canonical(folder / "broken.c").string();
  EXPECT_THAT(built.err, AllOf(HasSubstr("\n" + broken + ":1:"), HasSubstr("\n" + broken + ":2:")));
  EXPECT_FALSE(fs::exists(folder / "own.so"));
  for (const std::string& file : {std::string("missing.c"), write("driver.txt", "")})
    EXPECT_EQ(pmufab({"driver", "build", file}).exit_code, 2);
  EXPECT_EQ(pmufab({"run", shipped("cmem-one-controller.yaml"), "--driver", "missing.so"}).exit_code, 2);
  EXPECT_EQ(pmufab({"run", shipped("cmem-one-controller.yaml"), "--driver", write("own.txt", "no library")}).exit_code,
            2);
}

TEST_F(DriverFault, fetched_drivers_go_to_the_folder_in_which_they_are_looked_for) {
  fs::create_directories(folder / "linux" / "drivers" / "perf");
  fs::create_directories(folder / "linux" / "include" / "acpi");
  write("linux/Makefile", "VERSION = 7\nPATCHLEVEL = 9\nSUBLEVEL = 1\n");
  write("linux/drivers/perf/arm-cmn.c", "/* no driver, which is quick */\n");
  const fs::path shared = folder / "shared";
  EXPECT_THAT(ended(0, finish(start({"driver", "fetch", "--from", (folder / "linux").string()},
                                    {{"PMUFAB_DRIVERS", shared.string()}})))
                  .out,
              AllOf(HasSubstr("Driver sets in " + shared.string()), HasSubstr("Linux 7.9.1")));
  EXPECT_TRUE(fs::exists(shared / "7.9.1" / "pmufab_drivers.so"));
  EXPECT_FALSE(fs::exists(folder / "cache" / "pmufab" / "drivers"));
}

TEST_F(DriverFault, who_builds_the_same_driver_meanwhile_waits) {
  const fs::path library = drivers_with("");
  fs::path lock;
  for (const auto& entry : fs::directory_iterator(folder / "cache" / "pmufab")) {
    if (entry.path().extension() == ".lock") lock = entry.path();
  }
  const int other = open(lock.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(other, LOCK_EX | LOCK_NB), 0) << "nobody builds any more";
  fs::remove(library);
  const pid_t pid = start(driver_build((folder / kFile).string(), version(), library.string()));
  for (int turn = 0; turn < 1000 && read(folder / "err").empty(); ++turn)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_THAT(read(folder / "err"), HasSubstr("waiting for another pmufab driver build"));
  EXPECT_EQ(waitpid(pid, nullptr, WNOHANG), 0);
  EXPECT_FALSE(fs::exists(library));
  close(other);
  EXPECT_EQ(finish(pid).exit_code, 0);
  EXPECT_TRUE(fs::exists(library));
}

TEST_F(DriverFault, a_hung_driver_is_stopped_by_the_user_or_by_the_timeout_and_has_not_crashed) {
  const std::string drivers = drivers_with("for (;;) barrier();");
  const std::string report = (folder / "r.json").string();
  const pid_t pid = start({"run", shipped("cmem-one-controller.yaml"), "--driver", drivers, "--json", report});
  std::this_thread::sleep_for(std::chrono::seconds(1));
  kill(pid, SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(pid, SIGINT);  // the second signal does not wait
  const Outcome stopped = ended(1, finish(pid));
  EXPECT_THAT(stopped.out, AllOf(HasSubstr("STOPPED: cmem-one-controller"), HasSubstr("stopped by the user")));
  EXPECT_EQ(nlohmann::json::parse(read(report)).at("runs")[0].at("status"), "interrupted");

  prints(1, {"run", shipped("cmem-one-controller.yaml"), "--driver", drivers, "--timeout", "1"},
         {"TIMED OUT: cmem-one-controller",
          "it did not answer and was killed (it was in cmem_lat_pmu_probe() of "
          "nvidia_t410_cmem_latency_pmu.c)"});
}

TEST_F(DriverFault, what_drivers_did_before_one_died_is_in_the_access_log) {
  const std::string drivers = drivers_with(
      "{ void __iomem *base = devm_platform_ioremap_resource(pdev, 0); (void)readq(base); *(volatile int *)8 = 0; }");
  const std::string log = (folder / "log").string();
  const Outcome died = pmufab({"run", shipped("cmem-one-controller.yaml"), "--driver", drivers, "--trace-mmio", log});
  EXPECT_NE(died.exit_code, 0);
  EXPECT_THAT(read(log), AllOf(HasSubstr("# cmem-one-controller (platform "), HasSubstr("loading: times"),
                               ContainsRegex("read  8 0x[^\n]*_probe\\(\\) of nvidia_t410_cmem_latency_pmu.c\\]\n$")));
}

}  // namespace
}  // namespace pmufab::testing
