// SPDX-License-Identifier: Apache-2.0
// A fabric that pmufab does not have, provided by this program: from YAML to a verdict.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/host/driver_sets.h"
#include "testbench/run/session/kernel_selection.h"
#include "testbench/run/session/runner.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/tests/toy_fabric/toy_kind.h"

namespace pmufab::toy {
namespace {

using scenario::CounterResult;
using scenario::RunResult;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kScenario = R"(name: packets
platform: {kind: toy}
toy_traffic:
  - {name: few, start: 1 us, period: 7 ns, count: 1000}
  - {name: many, period: 3 ns, count: 9000}
measure:
  - events: [toy_belt/packets/]
)";

scenario::ScenarioSpec load(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  const scenario::ScenarioFile file(scenario::parse_text(yaml, "toy.yaml"), {});
  return file.load(file.variants().front(), overrides);
}

std::string load_error(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  try {
    static_cast<void>(load(yaml, overrides));
  } catch (const scenario::InputError& error) {
    return error.what();
  }
  return "no error";
}

class Toy : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { scenario::add_fabric_kind(toy_kind()); }

  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "pmufab-toy-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    scratch_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(scratch_); }

  /// Run a scenario with each driver set that serves its platform. @return one result for each
  [[nodiscard]] std::vector<RunResult> run(const std::vector<std::string>& overrides = {}) const {
    const auto file = std::make_shared<const scenario::ScenarioFile>(scenario::parse_text(kScenario, "toy.yaml"),
                                                                     std::filesystem::path());
    const scenario::ScenarioSpec spec = file->load(file->variants().front(), overrides);
    const auto planned =
        scenario::plan_scenario(file, {}, std::make_shared<const std::vector<std::string>>(overrides), spec);
    std::vector<scenario::RunPlan> plans;
    for (const driver_host::DriverSet& drivers :
         scenario::sets_for(driver_host::find_driver_sets(PMUFAB_TOY_DRIVERS_DIR), spec.platform))
      plans.push_back({planned, std::make_shared<const driver_host::DriverSet>(drivers)});
    EXPECT_FALSE(plans.empty()) << "no drivers in " PMUFAB_TOY_DRIVERS_DIR;
    std::vector<RunResult> results;
    scenario::RunnerOptions options;
    options.scratch = scratch_;
    options.on_result = [&](const scenario::RunPlan&, RunResult result) { results.push_back(std::move(result)); };
    scenario::run_all(plans, options);
    return results;
  }

 private:
  std::filesystem::path scratch_;
};

TEST_F(Toy, packets_are_counted_exactly_by_an_own_driver) {
  for (const RunResult& result : run()) {
    SCOPED_TRACE(result.drivers);
    EXPECT_EQ(result.status, RunResult::Status::passed) << result.message;
    ASSERT_THAT(result.measures, SizeIs(1));
    ASSERT_THAT(result.measures[0].counters, SizeIs(1));
    const CounterResult& counter = result.measures[0].counters[0];
    EXPECT_EQ(counter.check, perf::Check::exact) << counter.note;
    EXPECT_EQ(counter.driver, 10'000U);
    EXPECT_EQ(counter.expected, 10'000U);
    EXPECT_EQ(result.traffic[0].at("name"), "few");
    EXPECT_EQ(result.traffic[1].at("issued"), 9000);
  }
}

TEST_F(Toy, hardware_that_loses_packets_is_found_out) {
  for (const RunResult& result : run({"platform.toy.loses_every=100"})) {
    SCOPED_TRACE(result.drivers);
    EXPECT_EQ(result.status, RunResult::Status::failed);
    ASSERT_THAT(result.measures, SizeIs(1));
    const CounterResult& counter = result.measures[0].counters.at(0);
    EXPECT_EQ(counter.check, perf::Check::wrong);
    EXPECT_EQ(counter.driver, 9'900U);
    EXPECT_EQ(counter.expected, 10'000U);
  }
}

TEST_F(Toy, counting_begins_and_ends_in_the_midst_of_traffic) {
  for (const RunResult& result : run({"measure[0].start=10 us", "measure[0].stop=15 us"})) {
    SCOPED_TRACE(result.drivers);
    EXPECT_EQ(result.status, RunResult::Status::passed) << result.message;
    const CounterResult& counter = result.measures.at(0).counters.at(0);
    EXPECT_EQ(counter.check, perf::Check::exact) << counter.note;
    // A packet every 3 ns for 5 us, except those that pass during register accesses.
    EXPECT_GT(counter.driver, 1'500U);
    EXPECT_LT(counter.driver, 1'700U);
  }
}

TEST_F(Toy, keys_are_read_as_strictly_as_those_of_other_fabrics) {
  EXPECT_THAT(load_error(kScenario, {"platform.toy.looses_every=3"}), HasSubstr("did you mean 'loses_every'?"));
  EXPECT_THAT(load_error(kScenario, {"platform.toy.loses_every=1"}), HasSubstr("such a PMU would count nothing"));
  EXPECT_THAT(load_error(kScenario, {"toy_traffic[1].name=few"}),
              HasSubstr("names must be unique among generators, mesh_traffic, chi_traffic, cxl_traffic, soc_traffic, "
                        "dwc_traffic and toy_traffic"));
  EXPECT_THAT(load_error(kScenario, {"platform.kind=tay"}), HasSubstr("did you mean 'toy'?"));
}

TEST_F(Toy, it_may_stand_beside_another_fabric) {
  const scenario::ScenarioSpec spec = load(kScenario, {"platform={kind: tegra410, toy: {}}"});
  EXPECT_TRUE(spec.platform.has<platform::Tegra410Spec>());
  EXPECT_TRUE(toy_kind().is_in(spec.platform));
}

}  // namespace
}  // namespace pmufab::toy
