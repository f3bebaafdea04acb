// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <regex>
#include <string>
#include <thread>
#include <vector>

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

/// Campaigns with the newest kernel's drivers, of which one has a mistake.
class Verify : public DriverFault {
 protected:
  /// @return the library with a driver file in which a pattern is replaced
  std::string drivers_with_mistake(const std::string& file, const std::string& pattern, const std::string& mistake) {
    std::string text;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(PMUFAB_LINUX_SOURCES) / version())) {
      if (entry.path().filename() == file && entry.path().string().find("/perf/") != std::string::npos)
        text = read(entry.path());
    }
    const std::string changed = std::regex_replace(text, std::regex(pattern), mistake);
    EXPECT_NE(changed, text) << file << " has no " << pattern;
    return drivers_of(file, changed, true);
  }

  Outcome verify(std::vector<std::string> options) {
    options.insert(options.begin(), "verify");
    return pmufab(options);
  }

  /// A campaign must find the mistake, and make it small.
  void expect_found(const std::string& library, const std::string& fabric, const std::string& runs) {
    const fs::path out = folder / "found";
    const Outcome outcome =
        verify({"--fabric", fabric, "--driver", library, "--runs", runs, "--failures", "1", "--out", out.string()});
    ASSERT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("FAILED "));
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(out)) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    }
    ASSERT_EQ(files.size(), 1U) << outcome.out;
    const std::string text = read(files.front());
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 40) << text;
    EXPECT_THAT(text, HasSubstr("# Found by pmufab verify: "));
    // Anybody can see it again, and the kernel's own drivers do not have it.
    EXPECT_NE(pmufab({"run", files.front().string(), "--driver", library}).exit_code, 0) << text;
    const Outcome stock = pmufab({"run", files.front().string(), "--drivers", "newest"});
    EXPECT_TRUE(stock.exit_code == 0 || stock.exit_code == 4) << text << stock.out;
  }
};

TEST_F(Verify, two_campaigns_with_one_seed_write_the_same_and_another_seed_other_cases) {
  const auto campaign = [this](const char* seed, const char* jobs, const char* out) {
    const Outcome outcome = verify(
        {"--fabric", "tegra410", "--runs", "30", "--seed", seed, "--jobs", jobs, "--out", (folder / out).string()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    return outcome.out + read(folder / out / "verify-state.json");
  };
  const std::string first = campaign("1", "1", "a");
  EXPECT_EQ(first, campaign("1", "3", "b"));
  EXPECT_NE(first, campaign("2", "3", "c"));
}

TEST_F(Verify, a_count_that_is_not_summed_up_is_found_and_made_small) {
  expect_found(drivers_with_mistake(kFile, R"((for \([^)]*; [^)]* )< NUM_INSTANCES)", "$1< NUM_INSTANCES - 1"),
               "tegra410", "300");
}

TEST_F(Verify, a_filter_that_stays_behind_is_found_and_made_small) {
  expect_found(drivers_with_mistake("nvidia_cspmu.c", R"((#define NV_UCF_FILTER_DST\s+)GENMASK_ULL\(11, 8\))",
                                    "$1GENMASK_ULL(10, 8)"),
               "tegra410", "300");
}

TEST_F(Verify, a_campaign_that_was_killed_goes_on_where_it_was) {
  const std::string out = (folder / "campaign").string();  // "out" is what the program prints
  const std::string state = out + "/verify-state.json";
  const std::vector<std::string> options = {"verify", "--fabric", "tegra410", "--runs", "60",
                                            "--out",  out,        "--jobs",   "1"};
  const auto next_of = [&] {
    const std::string text = read(state);
    return text.empty() ? 0U : nlohmann::json::parse(text).at("next").get<unsigned>();
  };
  const pid_t pid = start(options);
  constexpr std::chrono::milliseconds kBetweenLooks{20};
  for (int look = 0; look < 3000 && next_of() < 5; ++look) std::this_thread::sleep_for(kBetweenLooks);
  kill(pid, SIGKILL);
  finish(pid);
  const unsigned done = next_of();
  ASSERT_GE(done, 5U);
  ASSERT_LT(done, 60U);
  EXPECT_EQ(pmufab(options).exit_code, 2) << "nothing is overwritten";
  std::vector<std::string> again = options;
  again.emplace_back("--resume");
  const Outcome resumed = pmufab(again);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  std::vector<std::string> whole = options;
  whole[6] = (folder / "whole").string();
  EXPECT_EQ(pmufab(whole).out, resumed.out);
  EXPECT_EQ(read(folder / "whole" / "verify-state.json"), read(state));
  again[4] = "61";
  again.insert(again.end(), {"--seed", "2"});
  const Outcome other = pmufab(again);
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("is of another campaign: seed 1"));
}

TEST_F(Verify, what_makes_no_sense_is_refused) {
  const auto error = [this](std::vector<std::string> options) {
    const Outcome outcome = verify(std::move(options));
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_THAT(error({"--fabric", "tegra"}), AllOf(HasSubstr("there is no fabric 'tegra'"), HasSubstr("'tegra410'")));
  EXPECT_THAT(error({"--for", "10"}), HasSubstr("--for 10"));
  EXPECT_THAT(error({"--for", "1s", "--runs", "5"}), HasSubstr("contradict"));
  EXPECT_THAT(error({"--runs", "0"}), HasSubstr("nothing would run"));
  EXPECT_THAT(error({"--resume"}), HasSubstr("--out DIR"));
  EXPECT_THAT(error({"--drivers", "5.0"}), HasSubstr("no driver set"));
}

TEST_F(Verify, a_budget_of_time_ends_it) {
  const Outcome outcome = verify({"--fabric", "tegra410", "--for", "2s"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, ContainsRegex("^PASSED .*[0-9]+ cases?, "));
}

}  // namespace
}  // namespace pmufab::testing
