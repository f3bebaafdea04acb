// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pmufab::cli {

/// @param given  a path, or the name of a scenario: "cmn-flits" is scenarios/cmn/cmn-flits.yaml below the current
///               folder, or among the scenarios that come with pmufab. A file of that path comes first, and those in
///               studies/base last.
/// @return a path
/// @throws scenario::InputError if one place has two scenarios of the name, or no place has one
[[nodiscard]] std::filesystem::path find_scenario(const std::string& given);
/// @param folder  "platforms" or "traffic"
/// @param given   a path, or the name of a shipped file of that folder
/// @return its path; what is neither is returned as it is
[[nodiscard]] std::string find_part(const std::string& folder, const std::string& given);

/// @param given  as find_part() takes it
/// @return its path
/// @throws scenario::InputError for a name that no such file has
/// @{
[[nodiscard]] std::string find_platform(const std::string& given);
[[nodiscard]] std::string find_traffic(const std::string& given);
/// @}

/// @param given  as find_platform() takes it
/// @return what makes it the platform of a scenario, as the text of a --set option
[[nodiscard]] std::string override_of_platform(const std::string& given);

/// @param given  as find_scenario() takes it, which comes first; a folder, as a path or below scenarios/ ("cmn"): all
///               scenarios below it; or a pattern of names or paths as for a shell, with '*', '?' or '['
/// @return paths, sorted
/// @throws scenario::InputError if there is none
[[nodiscard]] std::vector<std::filesystem::path> find_scenarios(const std::string& given);
/// @return the files of all scenarios below a folder, sorted. Those in platforms, traffic and studies are parts of
///         others. A file that can be read and measures nothing is none, nor are the effective.yaml of results
[[nodiscard]] std::vector<std::filesystem::path> scenarios_in(const std::filesystem::path& folder);
/// @return those below scenarios/ here, then those that come with pmufab, but for names that the first ones have
[[nodiscard]] std::vector<std::filesystem::path> all_scenarios();

/// @return the names find_scenario() knows, sorted
[[nodiscard]] std::vector<std::string> scenario_names();

}  // namespace pmufab::cli
