// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tools/pmufab/command.h"
#include "tools/pmufab/scenarios/served_pmus.h"

/// What scenarios there are, and which of them drive the PMUs of a driver. Nothing runs for that.
namespace pmufab::cli {

/// What the file of a scenario says of it.
struct ListedScenario {
  std::filesystem::path file;
  std::string name;
  std::string description;
  std::vector<std::string_view> fabrics;  ///< of its platforms
  PmuKinds pmus;                          ///< that it drives, of all its variants
  bool needs_trace = false;               ///< it runs with --set trace=FILE alone
};

/// A scenario that the user has chosen.
struct ChosenScenario {
  enum class How : std::uint8_t {
    named,  ///< by its name or path
    found,  ///< below a folder, or like a pattern
    any,    ///< by no word: all are meant
  };
  std::filesystem::path file;
  How how = How::named;
};

/// @throws scenario::InputError if it cannot be read
[[nodiscard]] ListedScenario read_listed(const std::filesystem::path& file);

/// @return --serving, whose values are the `drivers_or_pmus` below
[[nodiscard]] Option serving_option();

/// @param words  each as find_scenarios() takes it; none: all_scenarios()
/// @return the files, in that order. A file that folders and patterns find several times is there once
/// @throws scenario::InputError if a word finds none
[[nodiscard]] std::vector<ChosenScenario> choose_scenarios(const std::vector<std::string>& words);

/// @param files  those of choose_scenarios({}) that cannot be read are left out, and the user is told so
/// @param drivers_or_pmus  as pmus_served_by() takes them; none: all scenarios
/// @return the scenarios that drive a PMU of one of them, in the same order
/// @throws scenario::InputError for a name that is no driver's and no PMU's, and if no scenario is left
[[nodiscard]] std::vector<ListedScenario> list_scenarios(const std::vector<ChosenScenario>& files,
                                                         const std::vector<std::string>& drivers_or_pmus);

/// @param drivers_or_pmus  kernel modules ("arm_cmn"), their files ("arm-cmn.c"), PMUs or beginnings of their names
///                         ("arm_cmn_0")
/// @return the shipped and own scenarios (all_scenarios()) that run as they are and drive a PMU of one of them
/// @throws scenario::InputError for a name that is no driver's and no PMU's, and if there is no scenario
[[nodiscard]] std::vector<std::filesystem::path> scenarios_serving(const std::vector<std::string>& drivers_or_pmus);

}  // namespace pmufab::cli
