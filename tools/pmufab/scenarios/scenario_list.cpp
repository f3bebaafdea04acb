// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/scenarios/scenario_list.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/scenario_names.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;

/// @throws scenario::InputError
ListedScenario read_with(const fs::path& path, const std::vector<std::string>& overrides) {
  const scenario::ScenarioFile file(path);
  ListedScenario listed;
  listed.file = path;
  for (const scenario::Variant& variant : file.variants(overrides)) {
    const scenario::ScenarioSpec spec = file.load(variant, overrides);
    listed.name = spec.name;
    listed.description = spec.description;
    for (const scenario::FabricKind* kind : scenario::fabric_kinds()) {
      if (kind->is_in(spec.platform)) add_once(listed.fabrics, kind->name());
    }
    for (const std::string_view pmu : driven_pmus(spec)) add_once(listed.pmus, pmu);
  }
  return listed;
}

std::optional<ListedScenario> try_to_read(const ChosenScenario& chosen) {
  try {
    return read_listed(chosen.file);
  } catch (const scenario::InputError& error) {
    if (chosen.how != ChosenScenario::How::any) throw;
    complain("pmufab: left out: {}\n", error.what());
    return {};
  }
}

}  // namespace

ListedScenario read_listed(const fs::path& file) {
  try {
    return read_with(file, {});
  } catch (const scenario::InputError& error) {
    if (error.reason() != scenario::kNoTraceNamed) throw;
  }
  ListedScenario listed = read_with(file, {"trace=any"});  // it is opened when the scenario runs
  listed.needs_trace = true;
  return listed;
}

Option serving_option() {
  return list("serving", "DRIVER",
              "only scenarios that drive PMUs of this driver (arm_cmn, arm-cmn.c) or of this name (arm_cmn_0); may be "
              "given several times");
}

std::vector<ChosenScenario> choose_scenarios(const std::vector<std::string>& words) {
  using How = ChosenScenario::How;
  std::vector<ChosenScenario> chosen;
  if (words.empty()) {
    for (const fs::path& file : all_scenarios()) chosen.push_back({file, How::any});
  }
  for (const std::string& word : words) {
    const std::vector<fs::path> found = find_scenarios(word);
    for (const fs::path& file : found) {
      if (file == word || file.stem() == word) {
        chosen.push_back({file, How::named});
      } else if (std::ranges::find(chosen, file, &ChosenScenario::file) == chosen.end()) {
        chosen.push_back({file, How::found});
      }
    }
  }
  return chosen;
}

std::vector<ListedScenario> list_scenarios(const std::vector<ChosenScenario>& files,
                                           const std::vector<std::string>& drivers_or_pmus) {
  PmuKinds wanted;
  for (const std::string& given : drivers_or_pmus) {
    for (const std::string_view pmu : pmus_served_by(given)) add_once(wanted, pmu);
  }
  std::vector<ListedScenario> list;
  for (const ChosenScenario& file : files) {
    std::optional<ListedScenario> listed = try_to_read(file);
    if (listed && (drivers_or_pmus.empty() || have_common(listed->pmus, wanted))) list.push_back(*std::move(listed));
  }
  if (list.empty() && !drivers_or_pmus.empty())
    throw scenario::InputError(
        fmt::format("no scenario of {} drives a PMU of {}", files.size(), scenario::quoted_list(drivers_or_pmus)),
        fmt::format("pmufab list --scenarios --serving {} names those that do", drivers_or_pmus.front()));
  return list;
}

std::vector<fs::path> scenarios_serving(const std::vector<std::string>& drivers_or_pmus) {
  std::vector<fs::path> files;
  for (ListedScenario& scenario : list_scenarios(choose_scenarios({}), drivers_or_pmus)) {
    if (!scenario.needs_trace) files.push_back(std::move(scenario.file));
  }
  return files;
}

}  // namespace pmufab::cli
