// SPDX-License-Identifier: Apache-2.0
// One platform and its traffic under every kernel version.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::integration {
namespace {

using Json = nlohmann::json;

class SameCounts : public testing::Cli, public ::testing::WithParamInterface<const char*> {
 protected:
  /// The driver's counts by measure and event. If an event is twice in a measure, the two are numbered.
  using Counts = std::map<std::string, std::uint64_t>;

  static Counts counts_of(const Json& run) {
    Counts counts;
    for (const Json& measure : run.at("measures")) {
      for (const Json& counter : measure.at("counters")) {
        const std::string name = measure.at("name").get<std::string>() + ": " + counter.at("event").get<std::string>();
        std::string unique = name;
        for (unsigned again = 2; counts.count(unique) != 0; ++again) unique = name + " " + std::to_string(again);
        counts[unique] = counter.at("driver").get<std::uint64_t>();
      }
    }
    return counts;
  }
};
INSTANTIATE_TEST_SUITE_P(scenario, SameCounts,
                         ::testing::Values("ucf_every_event_every_filter", "cmem_basic", "cmn_same_counts"),
                         [](const auto& chosen) { return chosen.param; });

// contract F6
TEST_P(SameCounts, under_every_kernel_version) {
  const bool is_mesh = std::string_view(GetParam()).starts_with("cmn");
  std::string file = std::string(GetParam()) + ".yaml";
  std::replace(file.begin(), file.end(), '_', '-');
  const std::string json = write("results.json", "");
  // Versions differ in the number of register accesses while they probe, which shifts all later times. An access takes
  // twelve periods of the fabric's 2.4 GHz clock, so a window still contains the same edges.
  std::vector<std::string> arguments = {"run",    shipped(file), "--drivers", "all",
                                        "--json", json,          "--set",     "host.access_latency=5 ns"};
  if (const char* const drivers = std::getenv("PMUFAB_TEST_DRIVERS"); drivers != nullptr) {
    arguments.insert(arguments.end(), {"--driver-dir", drivers});
  }
  pmufab(arguments);  // a failed run shows below, by different or missing counts
  const Json results = Json::parse(read(json));

  std::map<std::string, std::map<std::string, Counts>> by_variant;  // variant, kernel version
  std::set<std::string> versions;
  for (const Json& run : results.at("runs")) {
    versions.insert(run.at("drivers").get<std::string>());
    by_variant[run.at("variant").get<std::string>()][run.at("drivers").get<std::string>()] = counts_of(run);
  }
  ASSERT_FALSE(by_variant.empty());
  if (versions.size() < 2) GTEST_SKIP() << "there are drivers of one kernel version alone";
  for (const auto& [variant, by_version] : by_variant) {
    ASSERT_EQ(by_version.size(), versions.size()) << "variant '" << variant << "'";
    const auto& [oldest, expected] = *by_version.begin();
    ASSERT_FALSE(expected.empty());
    std::uint64_t sum = 0;
    for (const auto& [event, count] : expected) sum += count;
    EXPECT_GT(sum, is_mesh ? 100'000U : 1'000'000U) << "next to nothing was counted";
    for (const auto& [version, counts] : by_version) {
      EXPECT_EQ(counts.size(), expected.size()) << "Linux " << version << " and " << oldest;
      for (const auto& [event, count] : expected) {
        const auto found = counts.find(event);
        if (found == counts.end()) {
          ADD_FAILURE() << event << " was counted under Linux " << oldest << " but not under " << version;
        } else {
          EXPECT_EQ(found->second, count) << event << " under Linux " << version << " and " << oldest;
        }
      }
    }
  }
}

}  // namespace
}  // namespace pmufab::integration
