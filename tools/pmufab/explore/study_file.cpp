// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/explore/study_file.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/yaml/document.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/places.h"
#include "tools/pmufab/scenario_names.h"

namespace pmufab::cli {

namespace fs = std::filesystem;

fs::path find_study(const std::string& given) {
  fs::path path = find_part("studies", given);
  std::error_code error;
  if (fs::exists(path, error) || given.find('/') != std::string::npos || path.has_extension()) return path;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(data_folder() / "scenarios" / "studies", error)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  const std::string suggestion = scenario::did_you_mean(given, names);
  throw scenario::InputError(fmt::format("there is no file and no study '{}'", given),
                             suggestion.empty() ? "studies are " + scenario::quoted_list(names) : suggestion);
}

namespace {

/// A path counts from the study's folder. If it is not there, it counts from that of the studies that come with pmufab, so
/// that a copy of one of these can be changed. Anything else is the name of a scenario.
fs::path scenario_of(const fs::path& study, const std::string& given) {
  const fs::path named = given;
  if (given.find('/') == std::string::npos && named.extension() != ".yaml") return find_scenario(given);
  if (named.is_absolute()) return given;
  const fs::path beside = (study.parent_path() / named).lexically_normal();
  const fs::path shipped = data_folder() / "scenarios" / "studies" / named;
  std::error_code error;
  return !fs::exists(beside, error) && fs::exists(shipped, error) ? shipped : beside;
}

}  // namespace

StudyFile load_study(const fs::path& file, const explore::DriverSets& sets) {
  scenario::Value document = scenario::load_file(file);
  std::vector<std::string> versions;
  for (const driver_host::DriverSet& set : sets) versions.push_back(set.kernel_version);
  explore::resolve_drivers(document, versions);
  explore::Study study = explore::read_study(document);
  fs::path scenario = scenario_of(file, study.scenario);
  return {std::move(study), scenario::to_yaml(document), std::move(scenario)};
}

}  // namespace pmufab::cli
