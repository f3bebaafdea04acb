// SPDX-License-Identifier: Apache-2.0
// Signals to pmufab boot, with a program in place of QEMU that only waits.
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class BootSignals : public Cli, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    Cli::SetUp();
    fs::create_directories(folder / "guest");
    fs::create_directories(temporary());
    for (const char* const part : {".complete", "firmware", "kernel", "initrd"})
      write(std::string("guest/") + part, "x");
    write("guest/VERSION", "a guest\nprotocol: 1\n");
    write("guest/qemu", "#!/bin/sh\necho $$ >'" + (folder / "machine").string() + "'\nexec sleep 100\n");
    fs::permissions(folder / "guest/qemu", fs::perms::owner_all);
  }
  [[nodiscard]] fs::path temporary() const { return folder / "t"; }

  void wait_until(const std::function<bool()>& happens) { ASSERT_TRUE(comes_true(happens)); }

  /// Start a boot, and send the signal when something is so.
  void expect_end(const std::function<bool()>& moment) {
    const fs::path json = folder / "verdicts.json";
    fs::remove(json);
    const pid_t boot = start({"boot", shipped("platforms/tegra410-1s-small.yaml"), "--guest",
                              (folder / "guest").string(), "--json", json.string(), "--", "true"},
                             {{"TMPDIR", temporary().string()}});
    wait_until(moment);
    kill(boot, GetParam());
    EXPECT_THAT(ended(1, finish(boot)).err, HasSubstr("stopped by a signal"));
    EXPECT_TRUE(fs::is_empty(temporary()));
    EXPECT_EQ(nlohmann::json::parse(read(json), nullptr, false).value("complete", true), false);
    const std::string machine = read(folder / "machine");
    EXPECT_TRUE(machine.empty() || kill(static_cast<pid_t>(std::stoi(machine)), 0) != 0) << "the machine still runs";
  }
};

INSTANTIATE_TEST_SUITE_P(each, BootSignals, ::testing::Values(SIGINT, SIGTERM, SIGHUP, SIGQUIT));

TEST_P(BootSignals, while_it_starts_end_it_in_order) {
  expect_end([this] { return !fs::is_empty(temporary()); });
}

TEST_P(BootSignals, while_the_machine_runs_end_it_in_order) {
  expect_end([this] { return !read(folder / "machine").empty(); });
}

}  // namespace
}  // namespace pmufab::testing
