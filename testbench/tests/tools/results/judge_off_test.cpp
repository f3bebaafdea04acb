// SPDX-License-Identifier: Apache-2.0
// Scenarios without a judge: drivers count the same, nobody says whether it is right, and nothing may ask for that.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A scenario of the benchmarks, and how much of it is enough here.
struct Short {
  const char* name;
  const char* file;
  std::vector<std::string> settings;
};

class JudgeOff : public Cli, public ::testing::WithParamInterface<Short> {
 protected:
  /// @return its only run
  json run_of(const std::vector<std::string>& settings) {
    std::vector<std::string> arguments = {"run", "--json", (folder / "r.json").string(), scenario};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    outcome = pmufab(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    return json::parse(read(folder / "r.json"), nullptr, false).at("runs").at(0);
  }

  std::string scenario;
  Outcome outcome;
};

TEST_P(JudgeOff, the_driver_counts_the_same) {
  scenario = std::string(PMUFAB_SOURCE_DIR "/testbench/bench/runs/") + GetParam().file;
  std::vector<std::string> settings = GetParam().settings;
  const json judged = run_of(settings);
  settings.emplace_back("judge=off");
  const json unjudged = run_of(settings);
  EXPECT_EQ(judged.at("status"), "passed") << outcome.out;
  EXPECT_EQ(unjudged.at("status"), "not_judged");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("NOT JUDGED"), Not(HasSubstr("FAILED"))));
  EXPECT_EQ(judged.at("traffic"), unjudged.at("traffic"));
  EXPECT_TRUE(unjudged.at("findings").empty()) << unjudged.at("findings");
  const json& figures = judged.at("measures").at(0).at("derived");
  const json& same = unjudged.at("measures").at(0).at("derived");
  ASSERT_EQ(figures.size(), same.size());
  for (std::size_t i = 0; i < figures.size(); ++i) {
    EXPECT_EQ(figures[i].at("name"), same[i].at("name"));
    EXPECT_EQ(figures[i].at("value"), same[i].at("value"));
    EXPECT_TRUE(same[i].at("reference").is_null());
  }
  const json& counters = judged.at("measures").at(0).at("counters");
  const json& others = unjudged.at("measures").at(0).at("counters");
  ASSERT_EQ(counters.size(), others.size());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    SCOPED_TRACE(counters[i].at("event"));
    EXPECT_EQ(counters[i].at("check"), "exact");
    EXPECT_EQ(others[i].at("check"), "unchecked");
    EXPECT_EQ(counters[i].at("driver"), others[i].at("driver"));
    EXPECT_TRUE(others[i].at("expected").is_null());
    sum += others[i].at("driver").get<std::uint64_t>();
  }
  EXPECT_GT(sum, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    EachFabric, JudgeOff,
    ::testing::Values(Short{"mesh", "mesh.yaml", {"duration=4 us"}}, Short{"chi", "chi.yaml", {"duration=4 us"}},
                      Short{"cxl", "cxl.yaml", {"duration=20 us"}}, Short{"ucf", "ucf.yaml", {"duration=100 us"}},
                      Short{"dwc", "dwc.yaml", {"duration=100 us"}}, Short{"soc", "soc.yaml", {"duration=100 us"}},
                      Short{"reference_software_of_a_mesh", "mesh.yaml", {"duration=4 us", "host.reader=reference"}},
                      Short{"reference_software_of_cpmus", "cxl.yaml", {"duration=20 us", "host.reader=reference"}}),
    [](const auto& fabric) { return std::string(fabric.param.name); });

class JudgeOffCommands : public Cli {};

TEST_F(JudgeOffCommands, what_needs_the_judge_is_refused) {
  const std::string scenario = endless();
  const std::string off = "judge=off";
  refuses({"run", scenario, "--set", off, "--coverage", (folder / "c.coverage").string()},
          {"--set judge=off: judge: is off", "--coverage needs the judge"});
  refuses({"interleave", scenario, "--window", "read", "--set", off}, {"interleave needs the judge"});
  const Outcome shell =
      ended(2, pmufab({"shell", shipped("platforms/tegra410-1s-small.yaml"), "--set", off, "--", "true"}));
  EXPECT_THAT(shell.err, HasSubstr("shell needs the judge"));
}

}  // namespace
}  // namespace pmufab::testing
