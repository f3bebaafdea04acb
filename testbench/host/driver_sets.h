// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pmufab::driver_host {

/// A set of unmodified Linux drivers built for one kernel version: the output of `tools/build-drivers` in a folder.
struct DriverSet {
  std::filesystem::path library{};  ///< the loadable module
  std::string kernel_version{};     ///< for example "7.2.13"
  /// Its kernel modules, by the names lsmod would show ("nvidia_cspmu"), in link order, as listed in the manifest
  /// beside the library. Not every kernel has every driver. Empty if there is no manifest.
  std::vector<std::string> modules{};

  /// @return true if the set has the kernel module. '-' and '_' are the same, as for modprobe.
  [[nodiscard]] bool holds(std::string_view module) const;
};

/// The source file of a kernel module in a loaded driver set, and what it is for.
struct DriverFile {
  std::string file;                 ///< its name, without folders: "arm_cspmu.c"; of a module of several files, those
                                    ///< of the user: "hdm.c+mbox.c"
  std::string sha256;               ///< of the file and the headers of it that the user changed, in hexadecimal
  bool is_own = false;              ///< the user's (pmufab driver build), or compiled with a header of the user's
  bool is_given = false;            ///< the user gave or changed this very file, so it is expected to be used
  bool is_used = false;             ///< a device was bound by it, or with its help
  std::vector<std::string> pmus{};  ///< that it serves, in the order of their registration. Two files may serve one:
                                    ///< arm_cspmu.c and a vendor's
};

/// @return the kernel module that a C file makes by its name: "arm_cmn" of "folder/arm-cmn.c"
[[nodiscard]] std::string module_of(const std::string& file);

/// Numeric comparison of kernel versions, part by part: 7.10 comes after 7.9. @return negative, 0, positive
[[nodiscard]] int compare_versions(std::string_view a, std::string_view b);

/// A driver set that cannot be used: none in the folder, not loadable, or built for another version of this host.
/// what() says what to do.
class DriverSetError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// @return the driver sets in the subfolders of `folder`, oldest kernel first.
/// @throws DriverSetError if there is none; the message says how to get them
[[nodiscard]] std::vector<DriverSet> find_driver_sets(const std::filesystem::path& folder);

/// @return a single module, anywhere in the file system, as a set; its drivers are not known.
/// @throws DriverSetError if it cannot be loaded
[[nodiscard]] DriverSet driver_set_of(const std::filesystem::path& library);

/// @return those of `sets` that have every one of the kernel modules, in the same order. A set whose modules are not
/// known is taken to have them.
[[nodiscard]] std::vector<DriverSet> sets_that_hold(const std::vector<DriverSet>& sets,
                                                    const std::vector<std::string_view>& modules);

}  // namespace pmufab::driver_host
