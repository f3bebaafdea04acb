// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/fabric_kinds.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "testbench/fabrics/cmn/scenario/cmn_kind.h"
#include "testbench/fabrics/cxl/scenario/cxl_kind.h"
#include "testbench/fabrics/dwc/scenario/dwc_kind.h"
#include "testbench/fabrics/plugin/scenario/plugin_kind.h"
#include "testbench/fabrics/soc/scenario/soc_kind.h"
#include "testbench/fabrics/tegra410/scenario/tegra410_kind.h"

namespace pmufab::scenario {
namespace {

std::vector<const FabricKind*>& table() {
  static std::vector<const FabricKind*> kinds = {&tegra410_kind(), &cmn_kind(), &cxl_kind(),
                                                 &plugin_kind(),   &soc_kind(), &dwc_kind()};
  return kinds;
}

/// Call `use` with each kind that a platform has, or has not.
template <typename Use>
void for_kinds(const platform::PlatformSpec& platform, bool has, Use use) {
  for (const FabricKind* kind : fabric_kinds()) {
    if (kind->is_in(platform) == has) use(*kind);
  }
}

}  // namespace

const std::vector<const FabricKind*>& fabric_kinds() { return table(); }

void add_fabric_kind(const FabricKind& kind) { table().push_back(&kind); }

platform::PlatformSpec default_platform() { return fabric_kinds().front()->new_platform(); }

std::vector<std::unique_ptr<Fabric>> make_fabrics(const FabricContext& context) {
  const platform::PlatformSpec& platform = context.platform.spec();
  for_kinds(platform, false, [&](const FabricKind& kind) { kind.refuse_traffic(context.workload); });
  std::vector<std::unique_ptr<Fabric>> fabrics;
  for_kinds(platform, true, [&](const FabricKind& kind) { fabrics.push_back(kind.make(context)); });
  return fabrics;
}

std::string missing_reference_software(const platform::PlatformSpec& platform) {
  std::vector<std::string_view> words;
  for (const FabricKind* kind : fabric_kinds()) {
    const std::string_view word = kind->reference_software();
    if (word.empty()) continue;
    if (kind->is_in(platform)) return {};
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<RegisterSwitch> register_switches(const platform::PlatformSpec& platform) {
  std::vector<RegisterSwitch> switches;
  for_kinds(platform, true, [&](const FabricKind& kind) {
    for (const RegisterSwitch& one : kind.switches(platform)) switches.push_back(one);
  });
  return switches;
}

bool is_left_alone(const platform::PlatformSpec& platform, std::string_view bank) {
  return std::ranges::any_of(fabric_kinds(), [&](const FabricKind* kind) {
    return kind->is_in(platform) && kind->is_left_alone(platform, bank);
  });
}

std::string all_traffic_keys() {
  std::vector<std::string_view> keys;
  for (const FabricKind* kind : fabric_kinds()) {
    for (const std::string_view key : kind->traffic_keys()) keys.push_back(key);
  }
  const std::string_view last = keys.back();
  keys.pop_back();
  return fmt::format("{} and {}", fmt::join(keys, ", "), last);
}

bool has_traffic(const Workload& workload) {
  return std::ranges::any_of(fabric_kinds(), [&](const FabricKind* kind) {
    return kind->traffic_end(workload).kind != TrafficEnd::Kind::no_traffic;
  });
}

std::vector<std::string_view> driver_modules(const platform::PlatformSpec& platform) {
  std::vector<std::string_view> modules;
  for_kinds(platform, true, [&](const FabricKind& kind) {
    for (const std::string_view module : kind.driver_modules_of(platform)) modules.push_back(module);
  });
  return modules;
}

std::vector<std::string_view> foreign_driver_modules(const platform::PlatformSpec& platform) {
  // Kinds may have drivers in common.
  const std::vector<std::string_view> own = driver_modules(platform);
  const auto has = [](const std::vector<std::string_view>& list, std::string_view module) {
    return std::ranges::find(list, module) != list.end();
  };
  std::vector<std::string_view> modules;
  for_kinds(platform, false, [&](const FabricKind& kind) {
    for (const std::string_view module : kind.driver_modules()) {
      if (!has(own, module) && !has(modules, module)) modules.push_back(module);
    }
  });
  return modules;
}

Json countable_sources(const platform::PlatformSpec& platform) {
  for (const FabricKind* kind : fabric_kinds()) {
    if (Json found = kind->countable_sources(platform); !found.is_null()) return found;
  }
  return {};
}

std::vector<DerivedResult> derive(const std::vector<DerivedInput>& inputs) {
  std::vector<DerivedResult> results;
  for (const FabricKind* kind : fabric_kinds()) {
    for (DerivedResult& figure : kind->derive(inputs)) results.push_back(std::move(figure));
  }
  return results;
}

}  // namespace pmufab::scenario

namespace pmufab::coverage {
namespace {

bool any_room_lists(std::vector<std::string_view> FactsRoom::*list, std::string_view format) {
  return std::ranges::any_of(scenario::fabric_kinds(), [&](const scenario::FabricKind* kind) {
    return kind->facts() != nullptr && std::ranges::find(kind->facts()->*list, format) != (kind->facts()->*list).end();
  });
}

}  // namespace

PmuFacts facts_of(const platform::PlatformSpec& platform, const std::string& pmu) {
  for (const scenario::FabricKind* kind : scenario::fabric_kinds()) {
    if (kind->facts() == nullptr) continue;
    if (std::optional<PmuFacts> facts = kind->facts()->facts_of(platform, pmu)) return *std::move(facts);
  }
  PmuFacts facts;
  facts.kind = general_name(pmu);
  return facts;
}

bool selects_event(std::string_view format) { return any_room_lists(&FactsRoom::number, format); }

bool defines_event(std::string_view format) {
  return selects_event(format) || any_room_lists(&FactsRoom::definition, format);
}

}  // namespace pmufab::coverage

namespace pmufab::verify {

const std::vector<const FabricGenerator*>& fabric_generators() {
  static const std::vector<const FabricGenerator*> all = [] {
    std::vector<const FabricGenerator*> generators;
    for (const scenario::FabricKind* kind : scenario::fabric_kinds()) {
      if (kind->generator() != nullptr) generators.push_back(kind->generator());
    }
    return generators;
  }();
  return all;
}

std::unique_ptr<const FabricGenerator> generator_on(const std::string& file, const platform::PlatformSpec& platform) {
  const std::vector<std::string_view> modules = scenario::driver_modules(platform);
  for (const scenario::FabricKind* kind : scenario::fabric_kinds()) {
    if (auto generator = kind->generator_on(file, platform, modules); generator != nullptr) return generator;
  }
  return nullptr;
}

}  // namespace pmufab::verify
