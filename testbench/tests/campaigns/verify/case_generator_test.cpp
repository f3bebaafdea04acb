// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/verify/case_generator.h"
#include "testbench/fabrics/fabric_kinds.h"

#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>

#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::verify {
namespace {

using scenario::ScenarioSpec;
using Action = scenario::ActionSpec::Kind;

ScenarioSpec load(const FabricGenerator& fabric, std::uint64_t index) {
  return scenario::ScenarioFile(make_case(fabric, "7.3.4", 1, index), "").load({}, {});
}

std::string text(const FabricGenerator& fabric, std::uint64_t seed, std::uint64_t index) {
  return scenario::to_compact_yaml(make_case(fabric, "7.3.4", seed, index));
}

TEST(CaseGenerator, the_same_numbers_give_the_same_case_and_others_give_others) {
  for (const FabricGenerator* fabric : fabric_generators()) {
    std::set<std::string> texts;
    for (std::uint64_t index = 0; index < 20; ++index) {
      EXPECT_EQ(text(*fabric, 1, index), text(*fabric, 1, index));
      texts.insert(text(*fabric, 1, index));
      texts.insert(text(*fabric, 2, index));
    }
    EXPECT_EQ(texts.size(), 40U) << fabric->name();
  }
}

TEST(CaseGenerator, every_case_is_a_valid_scenario) {
  for (const FabricGenerator* fabric : fabric_generators()) {
    for (std::uint64_t index = 0; index < 150; ++index)
      EXPECT_NO_THROW(static_cast<void>(load(*fabric, index))) << text(*fabric, 1, index);
  }
}

TEST(CaseGenerator, a_hundred_cases_have_everything_that_a_session_does) {
  unsigned resets = 0;  // where drivers can be unloaded after one
  for (const FabricGenerator* fabric : fabric_generators()) {
    std::map<Action, unsigned> actions;
    unsigned groups = 0;
    unsigned refused = 0;
    unsigned intervals = 0;
    unsigned injections = 0;
    for (std::uint64_t index = 0; index < 100; ++index) {
      const ScenarioSpec spec = load(*fabric, index);
      for (const scenario::ActionSpec& action : spec.actions) ++actions[action.kind];
      for (const scenario::MeasureSpec& measure : spec.measures) {
        refused += measure.open_error.empty() ? 0 : 1;
        intervals += measure.interval > 0 ? 1 : 0;
        for (const std::string& event : measure.events) groups += event.starts_with("{") ? 1 : 0;
      }
      injections += static_cast<unsigned>(spec.injections.size());
    }
    for (const Action kind : {Action::cpu_offline, Action::cpu_online, Action::reload_drivers, Action::unload_drivers,
                              Action::disable_events, Action::enable_events})
      EXPECT_GT(actions[kind], 0U) << fabric->name() << ": action " << static_cast<int>(kind);
    resets += actions[Action::reset];
    EXPECT_GT(groups, 20U) << fabric->name();
    EXPECT_GT(refused, 5U) << fabric->name();
    EXPECT_GT(intervals, 20U) << fabric->name();
    EXPECT_GT(injections, 20U) << fabric->name();
  }
  EXPECT_GT(resets, 0U);
}

TEST(CaseGenerator, one_cpu_of_a_pmu_always_stays) {
  for (const FabricGenerator* fabric : fabric_generators()) {
    for (std::uint64_t index = 0; index < 150; ++index) {
      const ScenarioSpec spec = load(*fabric, index);
      // PMUs of meshes and root ports move to another socket; those of the other fabrics do not.
      const unsigned all = spec.platform.sockets * spec.platform.cpus_per_socket;
      const bool moves = fabric->name() == std::string("cmn") || fabric->name() == std::string("dwc");
      const unsigned together = moves ? all : spec.platform.cpus_per_socket;
      std::map<unsigned, std::set<unsigned>> offline;  // by socket
      const auto expect_one_online = [&] {
        for (const auto& [socket, cpus] : offline)
          EXPECT_LT(cpus.size(), together) << fabric->name() << ", case " << index << ", socket " << socket;
      };
      for (const unsigned cpu : spec.host.offline_cpus) offline[cpu / together].insert(cpu);
      expect_one_online();
      for (const scenario::ActionSpec& action : spec.actions) {
        if (action.kind == Action::cpu_offline) offline[action.cpu / together].insert(action.cpu);
        if (action.kind == Action::cpu_online) offline[action.cpu / together].erase(action.cpu);
        expect_one_online();
      }
    }
  }
}

}  // namespace
}  // namespace pmufab::verify
