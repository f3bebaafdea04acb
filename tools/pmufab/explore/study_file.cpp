// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/explore/study_file.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/scenario/yaml/document.h"
#include "testbench/scenario/yaml/input_error.h"
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
  std::sort(names.begin(), names.end());
  const std::string suggestion = scenario::did_you_mean(given, names);
  throw scenario::InputError(fmt::format("there is no file and no study '{}'", given),
                             suggestion.empty() ? "studies are " + scenario::quoted_list(names) : suggestion);
}

StudyFile load_study(const fs::path& file, const explore::DriverSets& sets) {
  scenario::Value document = scenario::load_file(file);
  std::vector<std::string> versions;
  for (const driver_host::DriverSet& set : sets) versions.push_back(set.kernel_version);
  explore::resolve_drivers(document, versions);
  explore::Study study = explore::read_study(document);
  // A path counts from the study's folder. Anything else is the name of a scenario.
  const fs::path named = study.scenario;
  const bool is_path = study.scenario.find('/') != std::string::npos || named.extension() == ".yaml";
  fs::path scenario = is_path && named.is_relative() ? (file.parent_path() / named).lexically_normal() : named;
  if (!is_path) scenario = find_scenario(study.scenario);
  return {std::move(study), scenario::to_yaml(document), std::move(scenario)};
}

}  // namespace pmufab::cli
