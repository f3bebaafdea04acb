// SPDX-License-Identifier: Apache-2.0
// Runs in gdb, with drivers that are built for it.
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "testbench/tests/tools/driver_fault_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Gdb : public DriverFault {
 protected:
  void SetUp() override {
    if (std::system("gdb --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "gdb is not installed";
    DriverFault::SetUp();
  }
};

TEST_F(Gdb, a_run_stops_before_drivers_are_loaded_and_at_breakpoints_in_them) {
  // The commands of docs/debugging/gdb.md need the same drivers, and run with this cache.
  setenv("XDG_CACHE_HOME", PMUFAB_SOURCE_DIR "/.cache", 1);
  const std::string commands = write("commands", R"(echo \nBEFORE:\n
backtrace 1
break cmem_lat_pmu_start
continue
echo \nIN THE DRIVER:\n
print event->attr.config
delete
continue
quit
)");
  const Outcome outcome = ended(0, pmufab({"run", shipped("cmem-one-controller.yaml"), "--gdb", "--gdb-command",
                                           commands, "--drivers", version()}));
  const std::size_t before = outcome.out.find("BEFORE:");
  const std::size_t inside = outcome.out.find("IN THE DRIVER:");
  ASSERT_NE(before, std::string::npos) << outcome.out << outcome.err;
  ASSERT_NE(inside, std::string::npos) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out.substr(before, inside - before), AllOf(HasSubstr("#0  pmufab_modules_load_for_devices"),
                                                                 HasSubstr("Breakpoint 2, cmem_lat_pmu_start (event="),
                                                                 HasSubstr("nvidia_t410_cmem_latency_pmu.c:")));
  // Its variables can be read, as without optimisation, and the run ends as it does without gdb.
  EXPECT_THAT(outcome.out.substr(inside),
              AllOf(ContainsRegex("\\$1 = [0-9]+\n"), Not(HasSubstr("optimized out")),
                    HasSubstr("PASSED: cmem-one-controller"), ContainsRegex("exited normally")));
}

/// Parameters and variables of every function, also of those that are used once and that -O2 and -Og put into others.
TEST_F(Gdb, a_driver_built_for_a_debugger_shows_parameters_and_variables) {
  const std::string file = "dwc_pcie_pmu.c";
  const std::string library = (folder / "own.so").string();
  const std::string source =
      write(file, read(std::string(PMUFAB_LINUX_SOURCES) + "/" + version() + "/drivers/perf/" + file));
  std::vector<std::string> build = driver_build(source, version(), library, true);
  build.emplace_back("--debug");
  ended(0, pmufab(build));
  const std::string commands = write("commands", R"(break dwc_pcie_pmu_read_time_based_counter
continue
info args
print event->attr.config
up
info locals
down
next
info locals
finish
quit
)");
  const Outcome outcome = ended(
      0, pmufab({"run", shipped("interleave-dwc.yaml"), "--gdb", "--gdb-command", commands, "--driver", library}));
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("dwc_pcie_pmu_read_time_based_counter (event=0x"), ContainsRegex("event = 0x[0-9a-f]+"),
                    HasSubstr("$1 = 32\n"), ContainsRegex("prev = [0-9]+"), ContainsRegex("event_id = [0-9]+"),
                    HasSubstr("Value returned is "), Not(HasSubstr("optimized out"))))
      << outcome.err;
}

TEST_F(Gdb, quitting_ends_the_run) {
  EXPECT_THAT(ended(0, pmufab({"run", shipped("cmem-one-controller.yaml"), "--gdb", "--gdb-command",
                               write("commands", "quit\n"), "--driver-dir", PMUFAB_DRIVERS_DIR}))
                  .out,
              AllOf(HasSubstr("pmufab_modules_load_for_devices"), Not(HasSubstr("PASSED"))));
}

TEST_F(Gdb, what_gdb_cannot_run_is_refused) {
  const auto refused = [&](std::vector<std::string> options,
                           const std::map<std::string, std::string>& environment = {}) {
    options.insert(options.begin(), {"run", shipped("cmem-one-controller.yaml"), "--gdb"});
    const Outcome outcome = ended(2, finish(start(options, environment)));
    return outcome.err;
  };
  EXPECT_THAT(refused({"--timeout", "10"}), HasSubstr("--gdb and --timeout exclude each other"));
  EXPECT_THAT(refused({shipped("ucf-basic.yaml")}), AllOf(HasSubstr("--gdb needs one run"), HasSubstr("give one")));
  EXPECT_THAT(refused({"--gdb-command", (folder / "none").string()}), HasSubstr("there is no file"));
  refuses({"run", shipped("cmem-one-controller.yaml"), "--gdb-command", "x"}, {"--gdb-command needs --gdb"});
  EXPECT_THAT(refused({"--driver-dir", PMUFAB_DRIVERS_DIR}, {{"PATH", folder.string()}}),
              HasSubstr("there is no program 'gdb'"));
}

TEST_F(Gdb, a_run_in_this_process_gives_the_results_of_any_other) {
  const std::string scenario = shipped("cmem-one-controller.yaml");
  const Outcome here = ended(0, pmufab({"run", scenario, "--in-process", "--json", (folder / "here.json").string()}));
  const Outcome usual =
      ended(0, pmufab({"run", scenario, "--drivers", "newest", "--json", (folder / "usual.json").string()}));
  EXPECT_EQ(here.out, usual.out);
  EXPECT_EQ(read(folder / "here.json"), read(folder / "usual.json"));
}

}  // namespace
}  // namespace pmufab::testing
