// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/host/driver_sets.h"

namespace pmufab::scenario {

/// @return true if `text` has the form of a selector: "all", "newest", a version or the beginning of one ("7.3"), or
///         comparisons separated by blanks, all of which must hold (">=7.1 <7.3").
[[nodiscard]] bool is_selector(std::string_view text);

/// @return true if the kernel version (for example "7.2.13") is selected. "newest" selects every version here: it is a
///         matter of the whole list.
[[nodiscard]] bool selects(std::string_view selector, std::string_view version);

/// @return the sets any selector selects, oldest first; "newest" selects the last.
[[nodiscard]] std::vector<driver_host::DriverSet> select(const std::vector<driver_host::DriverSet>& sets,
                                                         const std::vector<std::string>& selectors);

/// @return the sets that hold every kernel module the devices of the platform are for. Sets that do not tell what they
///         hold are taken at their word.
[[nodiscard]] std::vector<driver_host::DriverSet> sets_for(const std::vector<driver_host::DriverSet>& sets,
                                                           const platform::PlatformSpec& platform);

/// What tools/build-drivers left in a folder.
struct DriverFolder {
  std::vector<driver_host::DriverSet> sets;                   ///< oldest first
  std::vector<std::pair<std::string, std::string>> left_out;  ///< versions that do not build, and why
};

/// Look through a folder with one subfolder per kernel version.
/// @throws InputError if the folder cannot be read
[[nodiscard]] DriverFolder read_driver_folder(const std::filesystem::path& folder);

}  // namespace pmufab::scenario
