// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

#include "testbench/process/child_process.h"
#include "testbench/scenario/report/results.h"

namespace pmufab::scenario {

/// Where a run writes what it has found, line by line, so that nothing is lost when its process dies: one JSON object
/// per line, each with the key "record". Every line is flushed.
class Journal {
 public:
  /// @throws InputError if the file cannot be created
  explicit Journal(const std::filesystem::path& file);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void write(const std::string& record, Json content);

 private:
  std::FILE* file_;
};

/// Put a run's result together from its journal. A journal without its last line makes a partial result: crashed,
/// unless the journal or the process says otherwise.
/// @param known  scenario, variant, platform, drivers, seed: what the parent knows already
[[nodiscard]] RunResult read_journal(const std::filesystem::path& file, RunResult known,
                                     const process::ProcessEnd& end);

}  // namespace pmufab::scenario
