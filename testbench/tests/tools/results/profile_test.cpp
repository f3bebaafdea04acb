// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "testbench/run/process/process_tree.h"
#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing::profile_test {
namespace {

using ::testing::HasSubstr;

class ProfileOption : public Cli {
 protected:
  /// @return shares in percent by part, from a profile's table
  static std::map<std::string, double> shares(const std::string& text) {
    std::map<std::string, double> shares;
    const std::regex row(R"(^  (\w[\w ]*\w) +([0-9.]+) % +[0-9.]+ s$)");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (std::smatch found; std::regex_match(line, found, row)) shares[found[1]] = std::stod(found[2]);
    }
    return shares;
  }
};

TEST_F(ProfileOption, says_where_processor_time_went_and_changes_no_result) {
  const std::string with = folder / "with.json";
  const std::string without = folder / "without.json";
  ASSERT_EQ(pmufab({"run", "cmn-transpose", "--drivers", "newest", "--json", without}).exit_code, 0);
  const Outcome run = pmufab({"run", "cmn-transpose", "--drivers", "newest", "--json", with, "--profile"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read(with), read(without));

  const std::map<std::string, double> found = shares(run.out);
  ASSERT_EQ(found.size(), 8U) << run.out;
  double sum = 0;
  for (const auto& [part, share] : found) sum += share;
  EXPECT_NEAR(sum, 100, 0.5);
  // A mesh full of flits, each of which is followed.
  EXPECT_GT(found.at("models"), 10);
  EXPECT_GT(found.at("judge"), 2);
  EXPECT_GT(found.at("traffic"), 2);
  EXPECT_LT(found.at("other libraries"), 50);
}

TEST_F(ProfileOption, tells_of_runs_that_were_stopped_and_of_those_that_were_killed) {
  const Outcome stopped = pmufab({"run", endless(), "--drivers", "newest", "--profile", "--timeout", "1"});
  EXPECT_THAT(stopped.out, HasSubstr("Processor time of 1 run: "));
  // It ends before it can tell.
  const pid_t pid = start({"run", endless(), "--drivers", "newest", "--profile"});
  std::vector<pid_t> children;
  ASSERT_TRUE(comes_true([&] { return !(children = process::living_children(pid)).empty(); }));
  EXPECT_EQ(kill(children.front(), SIGKILL), 0);
  const Outcome killed = finish(pid);
  EXPECT_THAT(killed.out, HasSubstr("\nProcessor time of 0 runs: 0.00 s, in 0 samples\n1 other run ("));
}

TEST_F(ProfileOption, needs_processes_of_its_own) {
  refuses({"run", "cmn-flits", "--drivers", "newest", "--profile", "--in-process"},
          {"--in-process and --profile exclude each other"});
}

}  // namespace
}  // namespace pmufab::testing::profile_test
