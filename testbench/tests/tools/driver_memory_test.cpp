// SPDX-License-Identifier: Apache-2.0
// The newest arm-cmn, built with AddressSanitizer, reads beyond its array of DTMs.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// A mesh of three crosspoints with two DTMs each. The driver is asked for a watchpoint on all of them.
class DriverMemory : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (fs::exists(PMUFAB_LINUX_SOURCES)) {
      for (const auto& entry : fs::directory_iterator(PMUFAB_LINUX_SOURCES)) {
        if (!fs::exists(entry.path() / "drivers/perf/arm-cmn.c")) continue;
        const std::string version = entry.path().filename().string();
        if (strverscmp(newest_.c_str(), version.c_str()) < 0) newest_ = version;
      }
    }
    if (newest_.empty()) GTEST_SKIP() << "there are no sources of this driver";
    // The first of these tests builds it. For the others it is up to date.
    const std::string log = (folder / "log").string();
    const std::string command = fmt::format(
        "CC='{}' flock '{}.lock' '{}/tools/build-drivers' --sanitize --sources '{}' --base '{}' '{}' >'{}' 2>&1",
        PMUFAB_C_COMPILER, PMUFAB_SANITIZED_DRIVERS, PMUFAB_SOURCE_DIR, PMUFAB_LINUX_SOURCES, newest_,
        PMUFAB_SANITIZED_DRIVERS, log);
    ASSERT_EQ(std::system(command.c_str()), 0) << read(log);
  }

  /// Count requests from port `port` of every crosspoint with the sanitized driver.
  /// @param go_on  continue after a report of AddressSanitizer
  Outcome watch(unsigned port, bool go_on = false) {
    const std::string scenario = write("watch.yaml", fmt::format(R"(name: watch
platform:
  kind: cmn
  meshes:
    - product: CMN-700
      multiple_dtm: true
      tiles: {{P: [RN-F, HN-F, RN-D, HN-I], D: [RN-F, HN-D, RN-I]}}
      rows: [D P P]
duration: 2 us
measure:
  - events: ["arm_cmn_0/watchpoint_up,wp_dev_sel={},wp_chn_sel=0,wp_grp=0,wp_val=0,wp_mask=0xffffffffffffffff/"]
    compare: none
)",
                                                                 port));
    const std::map<std::string, std::string> environment = {
        {"ASAN_OPTIONS", fmt::format("halt_on_error={}", go_on ? 0 : 1)}};
    return finish(start({"run", scenario, "--driver-dir", PMUFAB_SANITIZED_DRIVERS}, environment));
  }

  /// @return the library with the sanitized drivers
  [[nodiscard]] std::string library() const {
    return fmt::format("{}/{}/pmufab_drivers.so", PMUFAB_SANITIZED_DRIVERS, newest_);
  }

 private:
  std::string newest_;
};

// A weakness of the driver: it does not check the port's number and indexes its DTMs with it. Port 6 is the fourth DTM
// from a crosspoint's first. Three crosspoints of two DTMs have six, and the array has room for one more. The red zone
// follows, in which no watchpoint seems taken.
// contract A87
TEST_F(DriverMemory, is_left_by_a_watchpoint_at_a_port_beyond_the_last_crosspoints_dtms) {
  const Outcome outcome = ended(3, watch(6));
  EXPECT_THAT(outcome.out, HasSubstr("CRASHED: watch"));
  const std::string both = outcome.out + outcome.err;
  EXPECT_THAT(both, AllOf(HasSubstr("AddressSanitizer: use-after-poison"),
                          ContainsRegex("READ of size 4[^#]*#0 0x[0-9a-f]+ in arm_cmn_event_add .*arm-cmn\\.c"),
                          // The array was allocated when the mesh was discovered.
                          ContainsRegex("in arm_cmn_discover .*arm-cmn\\.c")));
}

// The first access is a read. If it continues, the driver takes the watchpoint that seemed free.
// contract A87
TEST_F(DriverMemory, beyond_the_dtms_is_written_to) {
  const Outcome outcome = watch(6, true);
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out + outcome.err,
              ContainsRegex("WRITE of size 1[^#]*#0 0x[0-9a-f]+ in arm_cmn_claim_wp_idx .*arm-cmn\\.c[^#]*"
                            "#1 0x[0-9a-f]+ in arm_cmn_event_add .*arm-cmn\\.c"));
}

// contract A87
TEST_F(DriverMemory, is_not_left_by_watchpoints_at_ports_every_crosspoint_has) {
  for (const unsigned port : {0U, 1U, 2U}) {
    const Outcome outcome = ended(0, watch(port));
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("NOT JUDGED: watch"), Not(HasSubstr("never had a counter"))));
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("AddressSanitizer")));
  }
}

// The command preloads the sanitizer for itself alone.
TEST_F(DriverMemory, is_watched_by_every_command_that_loads_the_drivers) {
  const std::string mesh = shipped("platforms/cmn600-small.yaml");
  const std::vector<std::vector<std::string>> commands = {
      {"list", mesh},
      {"run", shipped("cmn-flits.yaml")},
      {"stat", "--platform", mesh, "--duration", "1 us", "-e", "arm_cmn_0/dtc_cycles/"},
      {"shell", mesh, "--", "sh", "-c", "echo \"preloaded: $LD_PRELOAD\""},
      {"verify", "--fabric", "cmn", "--runs", "2"}};
  for (std::vector<std::string> words : commands) {
    const auto place = std::find(words.begin(), words.end(), "--");
    const std::vector<std::string> driver = {"--driver", library()};
    words.insert(place, driver.begin(), driver.end());
    const Outcome outcome = finish(start(words));
    EXPECT_EQ(outcome.exit_code, 0) << words[0] << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, AllOf(Not(HasSubstr("ASan")), Not(HasSubstr("libasan"))));
  }
}

TEST_F(DriverMemory, cannot_be_watched_without_the_sanitizers_library) {
  EXPECT_THAT(ended(2, finish(start({"list", "--driver", library()}, {{"PMUFAB_LD_PRELOAD", ""}}))).err,
              ContainsRegex("built with --sanitize, and their library libasan.* cannot be loaded"));
}

// Port 4's DTM is the first one of the next crosspoint, which is set up instead. For the last crosspoint it is the
// array's spare entry. It is all zeros, in which every watchpoint seems taken, so the event never counts. The refusal is
// right, as nothing of the port's is there.
// contract A87
TEST_F(DriverMemory, has_a_spare_entry_in_which_no_watchpoint_is_free) {
  const Outcome outcome = ended(0, watch(4));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("never had a counter"), Not(HasSubstr("answers ENOSPC"))));
  EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("AddressSanitizer")));
}

}  // namespace
}  // namespace pmufab::testing
