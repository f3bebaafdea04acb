// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/report/profile.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <vector>

#include <gmock/gmock.h>

namespace pmufab::scenario {
namespace {

using ::testing::HasSubstr;

TEST(ProfileOfRuns, knows_the_part_of_a_function_by_its_namespace) {
  EXPECT_EQ(part_of_symbol("_ZN6pmufab7traffic8FlitFlow3runEm"), ProfilePart::traffic);
  EXPECT_EQ(part_of_symbol("_ZNK6pmufab10scoreboard8CmnJudge5countEv"), ProfilePart::judge);
  EXPECT_EQ(part_of_symbol("_ZThn16_N6pmufab10scoreboard8CmnJudge8on_cycleEm"), ProfilePart::judge);
  EXPECT_EQ(part_of_symbol("_ZN6pmufab11driver_host10DriverHost3runEv"), ProfilePart::kernel);
  EXPECT_EQ(part_of_symbol("_ZN6pmufab4perf8PerfCore4readEv"), ProfilePart::kernel);
  EXPECT_EQ(part_of_symbol("_ZN6pmufab8scenario7Machine3runEv"), ProfilePart::scenario);
  EXPECT_EQ(part_of_symbol("_ZN6pmufab3cmn4Mesh5cycleEm"), ProfilePart::models);
  EXPECT_EQ(part_of_symbol("_ZN6pmufab12RegisterBank4readEm"), ProfilePart::models) << "shared by all models";
}

TEST(ProfileOfRuns, takes_templates_of_libraries_for_what_they_are_made_for) {
  EXPECT_EQ(part_of_symbol("_ZNSt6vectorIN6pmufab10scoreboard10CachedLineESaIS2_EE5clearEv"), ProfilePart::judge);
  EXPECT_EQ(part_of_symbol("_ZN5boost6random23mersenne_twister_engineImEclEv"), ProfilePart::traffic);
  EXPECT_EQ(part_of_symbol("_ZNSt6vectorImSaImEE5clearEv"), ProfilePart::libraries);
  EXPECT_EQ(part_of_symbol("main"), ProfilePart::libraries);
  EXPECT_EQ(part_of_symbol("_ZN6pmufab"), ProfilePart::models);
  EXPECT_EQ(part_of_symbol("_ZN16pmufab_something1fEv"), ProfilePart::libraries) << "another name";
}

TEST(ProfileOfRuns, shares_the_processor_time_by_samples) {
  const Profile empty;
  Profile profile;
  ProfileSamples samples{};
  // The second and the third are in the C library, the last in none that is loaded.
  const std::vector<std::uintptr_t> instructions = {
      reinterpret_cast<std::uintptr_t>(&part_of_symbol), reinterpret_cast<std::uintptr_t>(&std::strtoul),
      reinterpret_cast<std::uintptr_t>(&std::strtoul), ~std::uintptr_t{7}};
  profile.sort(instructions, samples);
  EXPECT_EQ(samples[static_cast<std::size_t>(ProfilePart::scenario)], 1U);
  EXPECT_EQ(samples[static_cast<std::size_t>(ProfilePart::libraries)], 2U);
  EXPECT_EQ(samples[static_cast<std::size_t>(ProfilePart::drivers)], 1U);
  profile.add(samples, 8);
  profile.add({}, 0.25);
  std::ostringstream text;
  profile.write(text);
  EXPECT_THAT(text.str(), HasSubstr("Processor time of 1 run: 8.00 s, in 4 samples\n"));
  EXPECT_THAT(text.str(), HasSubstr("1 other run (0.25 s) told nothing: too short to be seen, or killed\n"));
  EXPECT_THAT(text.str(), HasSubstr("  scenario          25.0 %       2.00 s\n"));
  EXPECT_THAT(text.str(), HasSubstr("  other libraries   50.0 %       4.00 s\n"));
  EXPECT_THAT(text.str(), HasSubstr("  judge              0.0 %"));

  std::ostringstream nothing;
  empty.write(nothing);
  EXPECT_EQ(nothing.str(), "\nProcessor time of 0 runs: 0.00 s, in 0 samples\n");
}

}  // namespace
}  // namespace pmufab::scenario
