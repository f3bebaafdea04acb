// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Where the program finds what belongs to it: in the build folder and the source tree it was built from, or below the
/// prefix it is installed in; and in the user's cache.
namespace pmufab::cli {

/// @return true if the program runs from where it was installed
[[nodiscard]] bool is_installed();

/// @return the folder with scenarios/, tools/build-drivers and testbench/driver_host: the source tree, or share/pmufab
[[nodiscard]] std::filesystem::path data_folder();

/// @return the folder for what can be made again: $XDG_CACHE_HOME/pmufab, or ~/.cache/pmufab; nothing without either
[[nodiscard]] std::optional<std::filesystem::path> find_cache_folder();
/// @throws scenario::InputError without one
[[nodiscard]] std::filesystem::path cache_folder();

/// @return where driver sets may be, in the order looked at
[[nodiscard]] std::vector<std::filesystem::path> driver_folders();

/// @return where a guest may be, in the order looked at
[[nodiscard]] std::vector<std::filesystem::path> guest_folders();

/// @param below  its folder in the build folder
/// @return a library that other programs load
/// @throws scenario::InputError if it is not there
[[nodiscard]] std::filesystem::path find_library(const std::string& below, const std::string& name);

/// @return a script of data_folder()
/// @throws scenario::InputError if it is not there
[[nodiscard]] std::filesystem::path find_script(const std::string& name);

}  // namespace pmufab::cli
