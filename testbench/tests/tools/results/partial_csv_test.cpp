// SPDX-License-Identifier: Apache-2.0
// Rows of --csv come as runs end, and survive the program.
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing::partial_csv_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class PartialCsv : public Cli {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }

  /// A scenario with two quick variants, between which one goes on for hours.
  std::string mixed() {
    return write("mixed.yaml", R"(name: mixed
platform: {kind: tegra410, name: small, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
traffic:
  - generators:
      - {name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {kind: fixed, requests_per_us: 100}}
duration: 1 us
measure: [{events: [nvidia_ucf_pmu_0/slc_access_rd/]}]
matrix: {duration: [20 us, 30 us, 10 h, 40 us]}
)");
  }
  std::vector<std::string> command(const std::string& csv, const std::vector<std::string>& more) {
    return with({"run", mixed(), "--drivers", "newest", "--csv", csv}, more);
  }
  /// What a program writes that ends in peace. @param durations  of the variants
  std::string rows_of(const std::string& durations) {
    EXPECT_EQ(pmufab(command(at("whole.csv"), {"--set", "matrix.duration=" + durations})).exit_code, 0);
    return read(folder / "whole.csv");
  }
  /// @return whether the file has that content within half a minute
  [[nodiscard]] bool becomes(const std::string& name, const std::string& content) const {
    constexpr int kTurns = 600;
    for (int turn = 0; turn < kTurns; ++turn) {
      if (read(folder / name) == content) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
};

TEST_F(PartialCsv, a_killed_program_loses_no_run_that_has_ended) {
  const std::string two = rows_of("[20 us, 30 us]");
  EXPECT_THAT(two, HasSubstr("\nmixed,duration=30 us,"));
  write("a.csv", "old\n");
  own_group = true;
  const pid_t pid = start(command(at("a.csv"), {"--jobs", "1"}));
  EXPECT_TRUE(becomes("a.csv.partial", two)) << read(folder / "a.csv.partial") << read(folder / "err");
  EXPECT_EQ(read(folder / "a.csv"), "old\n");  // as it was, while runs go on
  EXPECT_EQ(waitpid(pid, nullptr, WNOHANG), 0);
  kill(pid, SIGKILL);
  finish(pid);
  EXPECT_EQ(read(folder / "a.csv.partial"), two);
  EXPECT_EQ(read(folder / "a.csv"), "old\n");

  // The next one begins anew, and its file is whole in the end.
  own_group = false;
  EXPECT_EQ(pmufab(command(at("a.csv"), {"--set", "matrix.duration=[40 us, 20 us]"})).exit_code, 0);
  EXPECT_FALSE(fs::exists(folder / "a.csv.partial"));
  EXPECT_EQ(read(folder / "a.csv"), rows_of("[40 us, 20 us]"));
}

TEST_F(PartialCsv, rows_keep_the_order_of_the_runs) {
  // The second of two at once ends first.
  const std::string all = rows_of("[2 ms, 20 us, 30 us]");
  EXPECT_EQ(pmufab(command(at("b.csv"), {"--set", "matrix.duration=[2 ms, 20 us, 30 us]", "--jobs", "2"})).exit_code,
            0);
  EXPECT_EQ(read(folder / "b.csv"), all);
  EXPECT_LT(all.find("duration=2 ms"), all.find("duration=20 us"));
  // A run that ends behind an earlier one that goes on has no rows yet.
  const std::string one = rows_of("[20 us]");
  own_group = true;
  const pid_t pid = start(command(at("c.csv"), {"--set", "matrix.duration=[20 us, 10 h, 30 us]", "--jobs", "2"}));
  EXPECT_TRUE(becomes("c.csv.partial", one));
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_EQ(read(folder / "c.csv.partial"), one);
  kill(pid, SIGKILL);
  finish(pid);
}

TEST_F(PartialCsv, an_interrupted_program_writes_its_file) {
  const std::string two = rows_of("[20 us, 30 us]");
  own_group = true;
  const pid_t pid = start(command(at("d.csv"), {"--jobs", "1"}));
  ASSERT_TRUE(becomes("d.csv.partial", two));
  kill(pid, SIGTERM);
  ended(1, finish(pid));
  EXPECT_FALSE(fs::exists(folder / "d.csv.partial"));
  EXPECT_THAT(read(folder / "d.csv"), ::testing::StartsWith(two));
}

TEST_F(PartialCsv, what_is_in_the_place_of_the_partial_file_stays) {
  const std::string one = rows_of("[20 us]");
  const auto run = [&](const std::string& name) {
    return pmufab(command(at(name), {"--set", "matrix.duration=[20 us]"})).exit_code;
  };
  write("e.csv.partial", "in use");
  const int in_use = open(at("e.csv.partial").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(in_use, LOCK_EX), 0);
  EXPECT_EQ(run("e.csv"), 0);
  close(in_use);
  EXPECT_EQ(read(folder / "e.csv"), one);
  EXPECT_EQ(read(folder / "e.csv.partial"), "in use");

  fs::create_directory(folder / "f.csv.partial");
  write("there", "other");
  fs::create_symlink("there", folder / "g.csv.partial");
  for (const char* const name : {"f.csv", "g.csv"}) {
    EXPECT_EQ(run(name), 0);
    EXPECT_EQ(read(folder / name), one);
  }
  EXPECT_TRUE(fs::is_directory(folder / "f.csv.partial"));
  EXPECT_EQ(read(folder / "there"), "other");
}

}  // namespace
}  // namespace pmufab::testing::partial_csv_test
