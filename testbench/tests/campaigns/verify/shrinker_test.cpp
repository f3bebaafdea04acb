// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/verify/shrinker.h"
#include "testbench/fabrics/fabric_kinds.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "testbench/campaigns/verify/case_generator.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::verify {
namespace {

using scenario::Value;

Value document() {
  return scenario::parse_text(R"(name: n
platform: {kind: tegra410, sockets: 2, tegra410: {clusters: 4, pcie: {root_complexes: [{number: 0}, {number: 1}]}}}
host: {access_latency: 1 ns, rotation: 10 us}
measure:
  - {name: side 1, events: ["a/x/", "{a/y,t=1/,a/z,u=2,v=3/,b/w/}"], stop: 12345 ns}
  - {name: side 2, events: ["a/x/"], interval: 3 us}
actions: [{at: 1 us, do: reload_drivers}, {at: 2 us, do: reset}]
inject: [{at: 5 us, source: "a/x/", count: 77}, {at: 7 us, source: "b/w/", count: 1}]
)",
                              "t");
}

/// A driver that fails if all these are in the scenario.
struct Culprit {
  std::vector<std::string> needed;
  std::size_t tries = 0;

  ShrinkResult shrink(Value value) {
    const auto fails = [this](const std::vector<Value>& documents) {
      std::vector<bool> failed;
      for (const Value& one : documents) {
        const std::string text = scenario::to_compact_yaml(one);
        bool all = true;
        for (const std::string& word : needed) all = all && text.find(word) != std::string::npos;
        failed.push_back(all);
        ++tries;
      }
      return failed;
    };
    return verify::shrink(std::move(value), fails);
  }
};

TEST(Shrinker, only_what_the_failure_needs_is_left) {
  Culprit culprit{{"name: n", "u=2", "b/w/", "do: reset"}};
  const ShrinkResult result = culprit.shrink(document());
  EXPECT_EQ(scenario::to_compact_yaml(result.smallest),
            "name: n\n"
            "measure: [{events: [\"{a/z,u=2/,b/w/}\"]}]\n"
            "actions: [{do: reset}]\n");
  EXPECT_EQ(result.tries, culprit.tries);
}

TEST(Shrinker, the_platform_becomes_as_plain_as_it_may) {
  Culprit culprit{{"number: 1", "count: 77"}};
  EXPECT_EQ(scenario::to_compact_yaml(culprit.shrink(document()).smallest),
            "platform: {tegra410: {pcie: {root_complexes: [{number: 1}]}}}\n"
            "inject: [{count: 77}]\n");
}

TEST(Shrinker, what_needs_all_of_it_stays_as_it_is_within_the_number_of_tries) {
  const std::string before = scenario::to_compact_yaml(document());
  std::size_t tries = 0;
  const auto fails = [&](const std::vector<Value>& documents) {
    tries += documents.size();
    return std::vector<bool>(documents.size(), false);
  };
  const ShrinkResult result = shrink(document(), fails, {.most_tries = 20});
  EXPECT_EQ(scenario::to_compact_yaml(result.smallest), before);
  EXPECT_LE(tries, 20U + ShrinkOptions{}.at_once);
}

TEST(Shrinker, an_event_in_a_generated_case_is_found_among_many) {
  const FabricGenerator& fabric = *fabric_generators().front();
  for (std::uint64_t index = 0; index < 10; ++index) {
    const Value whole = make_case(fabric, "7.3.4", 1, index);
    const Value& events = *whole.find("measure")->items.back().find("events");
    const std::string& event = events.items.back().scalar;
    const std::string wanted = event.substr(event.find_first_not_of('{'), event.find('/') + 1);
    Culprit culprit{{"name: verify", wanted}};
    const ShrinkResult result = culprit.shrink(whole);
    EXPECT_LT(scenario::to_compact_yaml(result.smallest).size(), 200U) << scenario::to_compact_yaml(result.smallest);
    EXPECT_LE(result.tries, ShrinkOptions{}.most_tries + ShrinkOptions{}.at_once);
  }
}

}  // namespace
}  // namespace pmufab::verify
