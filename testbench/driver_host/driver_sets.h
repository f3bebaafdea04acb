#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace pmufab::driver_host {

/// A set of unmodified Linux drivers built for one kernel version: what `tools/build-drivers` leaves in a folder.
struct DriverSet {
  std::filesystem::path library;  ///< the loadable module
  std::string kernel_version;     ///< for example "7.2.13"
};

/// Drivers that cannot be used as they lie there: none in the folder, not loadable, or built for another version of
/// this host. what() says what to do.
class DriverSetError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// @return the driver sets in the subfolders of `folder`, oldest kernel first.
/// @throws DriverSetError if there is none, saying how to get them
[[nodiscard]] std::vector<DriverSet> find_driver_sets(const std::filesystem::path& folder);

}  // namespace pmufab::driver_host
