#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pmufab::driver_host {

/// A set of unmodified Linux drivers built for one kernel version: what `tools/build-drivers` leaves in a folder.
struct DriverSet {
  std::filesystem::path library;  ///< the loadable module
  std::string kernel_version;     ///< for example "7.2.13"
};

/// @return the driver sets in the subfolders of `folder`, oldest kernel first.
/// @throws std::runtime_error if there is none, saying how to get them
[[nodiscard]] std::vector<DriverSet> find_driver_sets(const std::filesystem::path& folder);

}  // namespace pmufab::driver_host
