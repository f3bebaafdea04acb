// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "testbench/campaigns/explore/points.h"
#include "testbench/campaigns/explore/study/study.h"

namespace pmufab::cli {

/// A study, and the file of its scenario.
struct StudyFile {
  explore::Study study;
  std::string text;  ///< as YAML, with versions in place of selectors of drivers
  std::filesystem::path scenario;
};

/// @param given  a path, or the name of a study that comes with pmufab
/// @return its path. @throws scenario::InputError if there is neither
[[nodiscard]] std::filesystem::path find_study(const std::string& given);

/// @param sets  drivers there are, oldest first
/// @throws scenario::InputError
[[nodiscard]] StudyFile load_study(const std::filesystem::path& file, const explore::DriverSets& sets);

}  // namespace pmufab::cli
