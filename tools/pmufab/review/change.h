// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "testbench/host/driver_sets.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::cli {

/// @return what is in a file; empty if it cannot be read
[[nodiscard]] std::string content_of(const std::filesystem::path& file);

/// A patch of a series.
struct PatchFile {
  std::filesystem::path file;  ///< a unified diff
  std::string subject;         ///< with its tags, "[PATCH 2/4] ..."; empty: it was no mail
};

/// What is reviewed: a series of patches, or files, or a kernel tree.
struct Change {
  std::string title;               ///< one line
  std::vector<PatchFile> patches;  ///< in the order in which they are applied
  std::vector<std::string> files;  ///< C files and headers of the user's
  std::string tree;                ///< folder of a kernel tree; empty: none
  std::string build;  ///< the command that compiles drivers with it, for any kernel: "pmufab driver build ..."
};

/// @return a commit or a range by the hashes of its commits; another word as it is
[[nodiscard]] std::string resolved(const std::string& word);

/// @param words    patches or mailboxes, "-", C files and headers, or what git calls a revision or a range of the
///                 repository of the current folder
/// @param tree     --tree
/// @param scratch  folder for the patches
/// @throws scenario::InputError if there is nothing to review, or it cannot be read
[[nodiscard]] Change read_change(const std::vector<std::string>& words, const std::string& tree,
                                 const std::filesystem::path& scratch);

/// A change does not fit a kernel.
class UnfitError : public scenario::InputError {
 public:
  using InputError::InputError;
};

/// A file of the drivers that the change changes.
struct ChangedFile {
  std::string name;              ///< "drivers/perf/arm-cmn.c"
  std::filesystem::path before;  ///< the kernel's; empty: it has none
  std::filesystem::path after;
};

/// Drivers with the change.
struct ChangedDrivers {
  std::shared_ptr<const driver_host::DriverSet> set;  ///< null: they do not compile or link
  std::filesystem::path objects;                      ///< folder of the objects, which count which lines run
  std::vector<ChangedFile> files;
};

/// Compile the drivers of a kernel with a change. The compiler's messages go to the standard error.
/// @param patches  how many patches of the series are applied, from the first
/// @param stock    the kernel's own drivers
/// @param folder   for what is built
/// @throws UnfitError if the change does not fit the kernel
/// @throws scenario::InputError if it changes no driver
[[nodiscard]] ChangedDrivers build_change(const Change& change, std::size_t patches,
                                          const driver_host::DriverSet& stock, const std::filesystem::path& folder);

}  // namespace pmufab::cli
