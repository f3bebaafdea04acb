// SPDX-License-Identifier: Apache-2.0
// The ready-made jobs for CI services are valid YAML in the services' form. The install test runs their commands.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

namespace pmufab::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

YAML::Node job(const std::string& name) { return YAML::LoadFile(PMUFAB_SOURCE_DIR "/docs/examples/ci/" + name); }

TEST(ContinuousIntegrationExamples, github_actions_run_the_driver_on_every_push_and_keep_the_report) {
  const YAML::Node workflow = job("github-actions.yml");
  // "on" is not a boolean here, because the library follows YAML 1.2.
  EXPECT_EQ(workflow["on"][0].as<std::string>(), "push");
  std::vector<std::string> commands;
  bool keeps_report = false;
  for (const YAML::Node& step : workflow["jobs"]["count"]["steps"]) {
    ASSERT_NE(step["run"].IsDefined(), step["uses"].IsDefined()) << "a step runs commands or uses an action";
    if (step["run"]) commands.push_back(step["run"].as<std::string>());
    if (step["uses"] && step["uses"].as<std::string>().starts_with("actions/upload-artifact"))
      keeps_report = step["if"].as<std::string>() == "always()" &&
                     step["with"]["path"].as<std::string>().find("results.xml") != std::string::npos;
  }
  EXPECT_THAT(commands, Contains(HasSubstr("pmufab driver build")));
  EXPECT_THAT(commands, Contains(HasSubstr("--junit results.xml")));
  EXPECT_TRUE(keeps_report);
}

TEST(ContinuousIntegrationExamples, gitlab_runs_the_driver_and_keeps_the_report) {
  const YAML::Node pipeline = job("gitlab-ci.yml")["pmu-driver"];
  const auto commands = pipeline["script"].as<std::vector<std::string>>();
  EXPECT_THAT(commands, Contains(HasSubstr("pmufab driver build")));
  EXPECT_THAT(commands, Contains(HasSubstr("--junit results.xml")));
  EXPECT_EQ(pipeline["artifacts"]["when"].as<std::string>(), "always");
  EXPECT_EQ(pipeline["artifacts"]["reports"]["junit"].as<std::string>(), "results.xml");
}

}  // namespace
}  // namespace pmufab::testing
