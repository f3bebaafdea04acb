// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Where the program finds its files: in its build folder and source tree, or below the prefix it is installed in; and
/// in the user's cache.
namespace pmufab::cli {

/// @return true if the program runs from its place of installation
[[nodiscard]] bool is_installed();

/// @return the folder with scenarios/, tools/build-drivers and testbench/host: the source tree, or share/pmufab
[[nodiscard]] std::filesystem::path data_folder();

/// @return the folder for files that can be made again: $XDG_CACHE_HOME/pmufab, or ~/.cache/pmufab; nothing without
/// either
[[nodiscard]] std::optional<std::filesystem::path> find_cache_folder();
/// @throws scenario::InputError without one
[[nodiscard]] std::filesystem::path cache_folder();

/// @return the folder of kernel sources that pmufab driver fetch fills
/// @throws scenario::InputError without a cache folder
[[nodiscard]] std::filesystem::path fetched_sources();

/// @return the folder of kernel sources that the drivers of this machine are built from: those fetched, or the source tree's
/// @throws scenario::InputError without a cache folder
[[nodiscard]] std::filesystem::path kernel_sources();

/// @return the folder of a kernel's sources, which is called by its version or has it in a file; it need not be there
[[nodiscard]] std::filesystem::path source_of(const std::string& version);

/// @return the first line of a file; empty if it cannot be read
[[nodiscard]] std::string first_line_of(const std::filesystem::path& file);

/// @return folders that may have driver sets, in the order of searching
[[nodiscard]] std::vector<std::filesystem::path> driver_folders();

/// @return the folder that driver sets are built into: $PMUFAB_DRIVERS, or one in the cache
/// @throws scenario::InputError without either
[[nodiscard]] std::filesystem::path driver_folder_to_fill();

/// @return folders that may have a guest, in the order of searching
[[nodiscard]] std::vector<std::filesystem::path> guest_folders();

/// @return the folder that a guest is prepared in: $PMUFAB_GUEST, or one of the source tree or of the cache
/// @throws scenario::InputError without any
[[nodiscard]] std::filesystem::path guest_folder_to_fill();

/// @param below  its folder in the build folder
/// @return a library that other programs load
/// @throws scenario::InputError if it is not there
[[nodiscard]] std::filesystem::path find_library(const std::string& below, const std::string& name);

/// @return a script of data_folder()
/// @throws scenario::InputError if it is not there
[[nodiscard]] std::filesystem::path find_script(const std::string& name);

}  // namespace pmufab::cli
