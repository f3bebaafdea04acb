// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/verify/case_generator.h"

#include <array>

#include "testbench/fabrics/common/values.h"

namespace pmufab::verify {
namespace {

constexpr unsigned kFailingCalls = 20;        // percent of cases at whose end calls of the drivers fail
constexpr std::uint64_t kManyCalls = 10'000;  // the scenario takes the rest of the division by their number

/// scenarios/known-defects/init-leaves-hotplug-state.yaml, and linux/arm-smmuv3-messages.yaml
constexpr std::array<const char*, 4> kKnownComplaints = {
    "platform_driver_register() in arm_cspmu_init()", "platform_driver_register() in cmem_lat_pmu_init()",
    "platform_driver_register() in nv_c2c_pmu_init()", "devm_add_action() in smmu_pmu_probe()"};

/// A seed of its own for each case, far from its neighbours' (the finaliser of SplitMix64).
std::uint64_t mix(std::uint64_t value) {
  value += 0x9e37'79b9'7f4a'7c15U;
  value = (value ^ (value >> 30)) * 0xbf58'476d'1ce4'e5b9U;
  value = (value ^ (value >> 27)) * 0x94d0'49bb'1331'11ebU;
  return value ^ (value >> 31);
}

}  // namespace

scenario::Value make_case(const FabricGenerator& fabric, std::string_view kernel, std::uint64_t seed,
                          std::uint64_t index, const Wishes& wishes) {
  Random random(mix(mix(seed) + index));
  GeneratedMachine machine = fabric.make(random, kernel, wishes);
  scenario::Value scenario = scenario::Value::map();
  scenario.add("name", word(fmt::format("verify-{}-{}-{}", fabric.name(), seed, index)));
  scenario.add("seed", number(random.number(1, 1'000'000)));
  scenario.add("platform", std::move(machine.platform));
  for (auto& [key, value] : machine.traffic) scenario.add(key, std::move(value));
  if (machine.pmus.empty()) return scenario;
  add_session(random, machine, scenario);
  if (random.chance(kFailingCalls)) {
    scenario::Value calls = scenario::Value::sequence();
    for (unsigned i = 0; i < 2; ++i) calls.items.push_back(number(random.number(1, kManyCalls)));
    scenario::Value known = scenario::Value::sequence();
    for (const char* const part : kKnownComplaints) known.items.push_back(scenario::Value::of(part, true));
    scenario::Value failing = scenario::Value::map();
    failing.add("calls", std::move(calls));
    failing.add("known", std::move(known));
    scenario.add("failing_calls", std::move(failing));
  }
  return scenario;
}

}  // namespace pmufab::verify
