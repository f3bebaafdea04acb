// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "testbench/campaigns/coverage/coverage.h"
#include "testbench/campaigns/coverage/exclusions.h"

namespace pmufab::cli {

/// The file of --coverage: what the drivers of all runs met.
class CoverageFile {
 public:
  /// @param file  empty: the user does not want any
  /// @throws scenario::InputError if it cannot be written
  explicit CoverageFile(std::filesystem::path file);
  [[nodiscard]] bool is_wanted() const { return !file_.empty(); }
  /// @param run   coverage as JSON; null: the run did not get that far
  /// @param name  of the run, for messages
  /// @throws scenario::InputError if it is none
  void add(const coverage::Json& run, const std::string& name);
  void add(const coverage::Coverage& other) { coverage_.merge(other); }
  [[nodiscard]] const coverage::Coverage& coverage() const noexcept { return coverage_; }
  /// Write the file, if it is wanted. @throws scenario::InputError if it cannot be written
  void write() const;

 private:
  std::filesystem::path file_;
  coverage::Coverage coverage_;
};

/// @param file  the user's list; empty: the one that comes with pmufab
/// @return bins that nothing can reach. @throws scenario::InputError if it cannot be read, or is no such list
[[nodiscard]] coverage::Exclusions find_exclusions(const std::string& file);

}  // namespace pmufab::cli
