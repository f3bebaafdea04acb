// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

#include "testbench/process/child_process.h"
#include "testbench/scenario/report/results.h"
#include "testbench/scenario/yaml/input_error.h"

namespace pmufab::scenario {

/// A journal that cannot be written: most likely the disk is full.
class JournalError : public InputError {
 public:
  explicit JournalError(const std::string& reason) : InputError(reason, "is the disk of $TMPDIR full?") {}
};

/// The journal of a run: one JSON object per line, each with the key "record". Every line is flushed, so that nothing
/// is lost when the process dies.
class Journal {
 public:
  /// @throws InputError if the file cannot be created
  explicit Journal(const std::filesystem::path& file);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// @throws JournalError
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
